"""Files that people wrote: whatever they hold, one clear message and nothing written over."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.text.errors import UserFileError
from pi_app.text.user_file import (
    LARGEST_FILE_BYTES,
    LONGEST_LINE,
    Complaints,
    NotText,
    check_keys,
    read_text,
    read_toml,
    seen_as,
    text_of,
    write_new,
)


def complaints_of(text: str) -> list[str]:
    complaints = Complaints("some.toml")
    assert read_toml(text, complaints) is None
    return [str(problem) for problem in complaints.found]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"a = 1\n" * 200_000, "it is larger than 1 MB; a file of this kind has a few thousand characters"),
        (b"\x7fELF\0\0", "it contains binary zeros, so it is not a text file; name a TOML file"),
        (b"a = 1\nb = '\xff'", "line 2 is not UTF-8 text; save it again as UTF-8, or name a TOML file"),
        ("a = 1".encode("utf-16"), "it is written in UTF-16; save it again as UTF-8"),
    ],
)
def test_bytes_that_are_no_text_get_one_reason(data: bytes, reason: str) -> None:
    assert text_of(data) == NotText(reason)


def test_a_byte_order_mark_is_forgiven() -> None:
    assert text_of(b"\xef\xbb\xbfa = 1") == "a = 1"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1\na = 2\n", "some.toml line 2: this key or section already stands further up; keep one of the two"),
        ("[x]\n\n[x]\n", "some.toml line 3: this key or section already stands further up; keep one of the two"),
        ("x = {a = 1, a = 2}", None),
        ('a = 1\nb = "x', "some.toml line 2: the file ends in the middle of something; was it cut off?"),
        ("a = 1\nb =\n", "some.toml line 2, column 4: this is not TOML; look for a missing quote, bracket or ="),
        (
            "a = " + "[" * 3000,
            "some.toml: lists or tables are nested too deep; no setting needs more than two levels",
        ),
        (
            "a = " + "9" * 3999,
            "some.toml line 1: is longer than 4000 characters; break it up",
        ),
        ("a.b." * LONGEST_LINE, "some.toml line 1: is longer than 4000 characters; break it up"),
    ],
)
def test_broken_toml_gets_one_message_with_its_line(text: str, message: str | None) -> None:
    found = complaints_of(text)
    assert len(found) == 1
    assert message is None or found == [message]


def test_a_number_that_python_will_not_read_is_one_complaint() -> None:
    usual = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        assert complaints_of("a = " + "9" * 700) == [
            "some.toml: it contains a number with far too many digits; write an ordinary number"
        ]
    finally:
        sys.set_int_max_str_digits(usual)


@given(st.text(max_size=200))
def test_any_text_gives_sections_or_exactly_one_complaint(text: str) -> None:
    complaints = Complaints("some.toml")
    assert (read_toml(text, complaints) is None) == (len(complaints.found) == 1)


def test_what_was_seen_is_printed_as_it_stood_and_cannot_draw_on_a_terminal() -> None:
    assert seen_as("address", 0x36) == "address = 0x36"
    assert seen_as("channel", 9) == "channel = 9"
    assert seen_as("invert", True) == "invert = true"
    assert seen_as("name", "\x1b[2Jgone") == r"name = '\x1b[2Jgone'"
    assert seen_as("name", "x" * 1000) == "name = '" + "x" * 56 + "..."
    assert seen_as("mux", {}) == "mux (a section)"
    assert seen_as("mux", []) == "mux (a list)"


def test_a_wholly_different_file_is_not_listed_key_by_key() -> None:
    complaints = Complaints("f")
    check_keys({f"key{n}": n for n in range(1000)}, ["channel"], "[x]", complaints)
    assert len(complaints.found) == 21
    assert str(complaints.found[-1]) == "f [x]: and 980 more unknown keys"


def read_error(path: Path) -> str:
    with pytest.raises(UserFileError) as caught:
        read_text(path)
    return str(caught.value)


def test_files_that_cannot_be_read_say_so_in_one_sentence(tmp_path: Path) -> None:
    missing, huge, pipe = tmp_path / "missing", tmp_path / "huge", tmp_path / "pipe"
    huge.write_bytes(b"#" * (LARGEST_FILE_BYTES + 1))
    os.mkfifo(pipe)
    assert read_error(missing) == f"{missing}: there is no such file; check the name and the folder"
    assert read_error(tmp_path) == f"{tmp_path}: it is a folder, not a plain file; name a TOML file"
    assert read_error(pipe) == f"{pipe}: it is a FIFO (a pipe), not a plain file; name a TOML file"
    assert read_error(huge).endswith("it is larger than 1 MB; a file of this kind has a few thousand characters")
    assert "it cannot be read (" in read_error(tmp_path / ("x" * 300))


def test_a_new_file_is_whole_private_and_never_written_over(tmp_path: Path) -> None:
    path = tmp_path / "new.toml"
    write_new(path, "a = 1\n")
    assert path.read_text() == "a = 1\n"
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(UserFileError) as caught:
        write_new(path, "b = 2\n")
    assert str(caught.value) == f"{path}: exists already and is never overwritten; give another name"
    assert path.read_text() == "a = 1\n"
    assert os.listdir(tmp_path) == ["new.toml"]


def test_a_name_taken_while_writing_is_not_written_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "new.toml"
    sync = os.fsync

    def somebody_is_faster(handle: int) -> None:
        path.write_text("theirs")
        sync(handle)

    monkeypatch.setattr(os, "fsync", somebody_is_faster)
    with pytest.raises(UserFileError, match="created by another program"):
        write_new(path, "ours")
    assert path.read_text() == "theirs"
    assert os.listdir(tmp_path) == ["new.toml"]


def test_a_disk_without_hard_links_still_gets_a_whole_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_links)
    write_new(tmp_path / "new.toml", "a = 1\n")
    assert (tmp_path / "new.toml").read_text() == "a = 1\n"
    assert os.listdir(tmp_path) == ["new.toml"]


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UserFileError, match=r"it cannot be written \(No space left on device\)"):
        write_new(tmp_path / "new.toml", "a = 1\n")
    assert os.listdir(tmp_path) == []


def test_a_missing_folder_is_named_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(UserFileError, match="its folder is missing or not writable"):
        write_new(tmp_path / "nowhere" / "new.toml", "a = 1\n")
