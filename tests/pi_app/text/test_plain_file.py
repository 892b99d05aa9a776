"""Only plain files are opened, and only as large ones as their reader takes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_app.text.plain_file import NotPlainError, check_plain, open_plain, read_plain, refusal


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "file"
    found.write_bytes(b"12345")
    return found


def test_a_plain_file_is_read(path: Path) -> None:
    assert read_plain(path, 5) == b"12345"
    assert check_plain(path).st_size == 5
    with open_plain(path) as file:
        assert file.read(2) == b"12"


def test_an_empty_file_is_plain(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert read_plain(tmp_path / "empty", 0) == b""


def test_a_larger_file_is_refused_unread(path: Path) -> None:
    with pytest.raises(NotPlainError, match=r"^5 bytes long, and 4 are read at most$"):
        open_plain(path, 4)


def test_a_file_that_grows_meanwhile_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.open

    def grown(name: Path, flags: int) -> int:
        handle = really(name, flags)
        monkeypatch.setattr(os, "fdopen", lambda handle, mode: _grow(path, handle))
        return handle

    monkeypatch.setattr(os, "open", grown)
    with pytest.raises(NotPlainError, match=r"^longer than 5 bytes$"):
        read_plain(path, 5)


def _grow(path: Path, handle: int) -> object:
    with path.open("ab") as file:
        file.write(b"6")
    return open(handle, "rb")


def test_a_link_to_a_plain_file_is_one_and_a_link_to_a_folder_is_not(path: Path, tmp_path: Path) -> None:
    link, folder = tmp_path / "link", tmp_path / "folder"
    link.symlink_to(path)
    folder.symlink_to(tmp_path)
    assert read_plain(link, 5) == b"12345"
    with pytest.raises(NotPlainError, match=r"^a folder, not a plain file$"):
        read_plain(folder, 5)


def test_opening_leaves_no_descriptor_after_a_refusal(path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(NotPlainError):
            open_plain(path, 1)
    assert len(os.listdir("/proc/self/fd")) == before


def test_the_sentence_says_what_it_is_or_why_not(tmp_path: Path) -> None:
    with pytest.raises(NotPlainError) as folder:
        read_plain(tmp_path, 1)
    assert str(refusal("x", folder.value, "Check it")) == "x: it is a folder, not a plain file. Name a file in it."
    with pytest.raises(OSError, match="NUL") as nul:
        read_plain(Path("a\0b"), 1)
    assert str(refusal("x", nul.value, "Check it")) == "x: it cannot be read (its name has a NUL in it). Check it."
