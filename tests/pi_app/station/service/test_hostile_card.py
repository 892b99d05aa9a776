"""Garbage on the card's boot partition, of every kind: never a traceback, the last good settings run, and what everyone
is told names the file and, where there is one, the line."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from pi_app.game.trap_table_file import sample_path
from pi_app.settings.load import example_path
from pi_app.station.service.boot_settings import GOOD, NAME, TRIAL, ChosenSettings, accepted, choose
from pi_app.station.troubles.start_errors import mistake_in
from pi_app.text.errors import UserFileError

TEXT = example_path("2x2").read_text(encoding="utf-8").replace("sample:SAMPLE-A", "one.toml")
TABLE = sample_path("SAMPLE-A").read_text(encoding="utf-8")
SECRET = "one.toml"
"""The name of a trap table says which traps are in play: the displays never show it."""


class Card:
    """A station that was ready with good settings from its card."""

    def __init__(self, folder: Path) -> None:
        self.boot, self.etc, self.state = folder / "boot", folder / "etc", folder / "state"
        for each in (self.boot, self.etc):
            each.mkdir(exist_ok=True)
        self.put(TEXT.encode())
        (self.boot / SECRET).write_text(TABLE, encoding="utf-8")
        accepted(self.state, self.start())

    def put(self, data: bytes) -> None:
        (self.boot / NAME).write_bytes(data)

    def start(self) -> ChosenSettings:
        return choose(self.state, "this boot", (self.boot, self.etc))

    def refuses(self) -> str:
        """Start with what is there now, which is not used: where the displays say that the mistake is."""
        found = self.start()
        assert found.settings.where == str(self.state / NAME)
        assert not found.trial
        assert found.problems[-1].endswith("The last good settings run instead.")
        assert all(each.isprintable() for each in found.problems)
        place = mistake_in(found.problems)
        assert place.startswith(NAME)
        assert SECRET not in place
        return place


@pytest.fixture
def card(tmp_path: Path) -> Card:
    return Card(tmp_path)


def cut(text: str) -> some.SearchStrategy[bytes]:
    """A text with its end missing, lost in zeros or in what another file has left, as FAT leaves it after a cut."""
    data = text.encode()
    ends = some.sampled_from([b"", bytes(512), bytes(4096), b"\xff" * 512, b"MZ\x90\0" * 64])
    return some.tuples(some.integers(0, len(data)), ends).map(lambda at: data[: at[0]] + at[1])


def written(text: str) -> some.SearchStrategy[bytes]:
    """A text as editors write it: in other encodings, with other ends of lines, with a mark before it."""
    ends = some.sampled_from(["\n", "\r\n", "\r", "\r\r\n", "\n\r", "\u2028", "\x0b"])
    codes = some.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "utf-7", "cp1252", "cp037"])
    return some.tuples(ends, codes).map(lambda how: text.replace("\n", how[0]).encode(how[1], errors="replace"))


def swapped(text: str) -> some.SearchStrategy[bytes]:
    """A text in which clusters of 512 bytes have changed places: a damaged table of a FAT."""
    data = text.encode()
    clusters = [data[at : at + 512] for at in range(0, len(data), 512)]
    return some.permutations(clusters).map(b"".join)


ANY = some.binary(max_size=600) | some.text(max_size=300).map(str.encode)
GARBAGE = ANY | cut(TEXT) | written(TEXT) | swapped(TEXT)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(GARBAGE)
@example(TEXT.encode("utf-16"))
@example(b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode())
@example(b"a = " + b"[" * 900_000)
@example(b"a." * 400_000)
@example(b"a = '''" + b"\n" * 900_000)
@example("[table]\nname = '\u202e\u2066'\n".encode())
@example(b"[table]\nname = 1e999999999\n")
@example(b"[table]\nname = 9999-99-99T99:99:99\n")
def test_any_settings_leave_a_table_and_a_place(tmp_path: Path, garbage: bytes) -> None:
    card = Card(tmp_path)
    card.put(garbage)
    found = card.start()
    if found.problems:
        card.refuses()
    else:
        assert found.settings.squares


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.binary(max_size=600) | cut(TABLE) | written(TABLE) | swapped(TABLE))
def test_any_trap_table_leaves_a_table_and_names_its_square(tmp_path: Path, garbage: bytes) -> None:
    card = Card(tmp_path)
    (card.boot / SECRET).write_bytes(garbage)
    if card.start().problems:
        assert "[square." in card.refuses()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.binary(max_size=300), some.sampled_from([GOOD, TRIAL]))
@example(b'{"x":' + b"[" * 1_000_000, GOOD)
@example(b'{"text": "", "mount": "\\u0000"}', GOOD)
@example(b'{"text": "", "mount": "/"}', GOOD)
def test_any_bundle_of_the_state_folder_leaves_the_cards_settings(tmp_path: Path, garbage: bytes, name: str) -> None:
    card = Card(tmp_path)
    (card.state / name).write_bytes(garbage)
    assert card.start().problems == ()


def test_what_windows_notepad_writes_is_read_or_named(card: Card) -> None:
    card.put(TEXT.replace("\n", "\r\n").encode("utf-8-sig"))
    assert card.start().problems == ()
    card.put(TEXT.replace("\n", "\r\n").encode("utf-16"))
    assert card.refuses() == NAME
    assert "it is written in UTF-16; save it again as UTF-8" in card.start().problems[0]


def test_a_wrong_line_is_named_with_its_file(card: Card) -> None:
    card.put(TEXT.replace("[table]", "[table", 1).encode())
    line = TEXT[: TEXT.index("[table]")].count("\n") + 1
    assert card.refuses() == f"{NAME} line {line}"


def test_a_file_of_5_gigabytes_is_not_read(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    with (card.boot / NAME).open("r+b") as file:
        file.truncate(5_000_000_000)
    before = _read_bytes()
    assert card.refuses() == NAME
    assert _read_bytes() - before < 10_000_000


def _read_bytes() -> int:
    """How many bytes this process has read so far."""
    (line,) = (line for line in Path("/proc/self/io").read_text(encoding="ascii").splitlines() if "rchar" in line)
    return int(line.split()[1])


KINDS: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "fifo": os.mkfifo,
    "link to itself": lambda path: path.symlink_to(path),
    "link to a device": lambda path: path.symlink_to("/dev/zero"),
    "link to the kernel": lambda path: path.symlink_to("/proc/self/mem"),
    "link to nothing": lambda path: path.symlink_to("/nowhere/at/all"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [NAME, SECRET])
def test_no_kind_of_file_is_waited_for(card: Card, kind: str, name: str) -> None:
    (card.boot / name).unlink()
    KINDS[kind](card.boot / name)
    card.refuses()


@pytest.mark.parametrize("call", ["stat", "open", "fstat"])
@pytest.mark.parametrize("code", [errno.EIO, errno.EACCES, errno.ESTALE, errno.ENODEV])
def test_a_partition_that_cannot_be_read_is_not_an_empty_one(
    card: Card, call: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in /etc is not taken in its place: it may be the settings that the package has brought."""
    (card.etc / NAME).write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    for each in ("lstat", "stat") if call == "stat" else (call,):
        _fail(monkeypatch, each, card.boot, code)
    assert card.refuses() == NAME


def _fail(monkeypatch: pytest.MonkeyPatch, call: str, folder: Path, code: int) -> None:
    """Let a call of the system fail for every file of a folder."""
    real = getattr(os, call)

    def failing(path: object, *given: object, **named: object) -> object:
        where = os.readlink(f"/proc/self/fd/{path}") if isinstance(path, int) else os.fspath(path)  # type: ignore[call-overload]
        if Path(where).parent == folder:
            raise OSError(code, os.strerror(code), where)
        return real(path, *given, **named)

    monkeypatch.setattr(os, call, failing)


def test_a_partition_that_is_not_mounted_is_not_an_empty_one(card: Card, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda self: self == card.boot)
    card.put(TEXT.replace('name = "', 'name = "Our ', 1).encode())
    accepted(card.state, card.start())
    (card.etc / NAME).write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    for each in (NAME, SECRET):
        (card.boot / each).unlink()
    assert card.start().source == card.etc / NAME, "deleted by its owner"
    monkeypatch.setattr(Path, "is_mount", lambda _: False)
    assert card.refuses() == NAME
    assert card.start().settings.table.name.startswith("Our ")
    assert card.start().problems[0] == (
        f"{card.boot / NAME}: the partition that it was on is not there. Put the card into a computer and check its "
        "boot partition, which has trapdial.toml."
    )


def test_without_good_settings_every_mistake_is_said(card: Card) -> None:
    (card.state / GOOD).unlink()
    card.put(b"[table]\n")
    with pytest.raises(UserFileError) as refused:
        card.start()
    assert all(str(card.boot / NAME) in each for each in refused.value.problems)
