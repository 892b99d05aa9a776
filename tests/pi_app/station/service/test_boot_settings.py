"""Whatever lies on the boot partition, the station starts with good settings and says which line is wrong."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as some

from pi_app.game.trap_table_file import sample_path
from pi_app.settings.load import example_path
from pi_app.station.package import contents
from pi_app.station.service import boot_settings, units
from pi_app.station.service.boot_settings import GOOD, NAME, TRIAL, ChosenSettings, accepted, choose
from pi_app.text.errors import UserFileError

TEXT = example_path("2x2").read_text(encoding="utf-8")
OTHER = TEXT.replace('name = "', 'name = "New ', 1)


@pytest.fixture
def card(tmp_path: Path) -> Path:
    """The boot partition."""
    (tmp_path / "boot").mkdir()
    return tmp_path / "boot"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def chosen(card: Path, state: Path, boot: str = "this boot") -> ChosenSettings:
    return choose(state, boot, (card, card.parent / "etc"))


def started(card: Path, state: Path, text: str = TEXT) -> ChosenSettings:
    """Put settings on the card, and let a table be ready with them."""
    (card / NAME).write_text(text, encoding="utf-8")
    found = chosen(card, state)
    accepted(state, found)
    return found


def name_of(found: ChosenSettings) -> str:
    return found.settings.table.name


def test_good_settings_are_copied_and_run_from_the_state_folder(card: Path, state: Path) -> None:
    found = started(card, state)
    assert (found.settings.where, found.source, found.problems, found.trial) == (
        str(state / NAME), card / NAME, (), True,
    )  # fmt: skip
    assert found.settings.beside(found.settings.table.journal) == state / "journal.db"
    assert sorted(path.name for path in state.iterdir()) == [GOOD, NAME]
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in state.iterdir())
    again = chosen(card, state)
    assert (again.problems, again.trial) == ((), False)


def test_without_a_card_the_last_good_ones_run(card: Path, state: Path) -> None:
    started(card, state)
    (card / NAME).unlink()
    found = chosen(card, state)
    assert (found.source, found.problems) == (state / NAME, ())


def test_the_card_comes_before_etc(card: Path, state: Path) -> None:
    (card.parent / "etc").mkdir()
    (card.parent / "etc" / NAME).write_text(OTHER, encoding="utf-8")
    assert chosen(card, state).source == card.parent / "etc" / NAME
    (card / NAME).write_text(TEXT, encoding="utf-8")
    assert chosen(card, state).source == card / NAME


def test_with_nothing_at_all_it_says_what_to_write(card: Path, state: Path) -> None:
    with pytest.raises(UserFileError) as refused:
        chosen(card, state)
    assert str(refused.value) == (
        f"station: there are no settings in {card} or {card.parent / 'etc'}. Write trapdial.toml on the card's boot "
        "partition: trapdial settings example station."
    )


def test_a_broken_line_is_named_and_the_last_good_settings_run(card: Path, state: Path) -> None:
    before = started(card, state)
    (card / NAME).write_text(OTHER.replace("[table]", "[table", 1), encoding="utf-8")
    found = chosen(card, state)
    assert name_of(found) == name_of(before)
    line = OTHER[: OTHER.index("[table]")].count("\n") + 1
    assert found.problems[0].startswith(f"{card / NAME} line {line}, column ")
    assert found.problems[-1] == f"{card / NAME}: is not used. The last good settings run instead."


def test_a_wrong_value_names_its_section(card: Path, state: Path) -> None:
    started(card, state)
    (card / NAME).write_text(TEXT.replace('device = "/dev/i2c-1"', 'device = "/dev/sda"', 1), encoding="utf-8")
    (problem, *_) = chosen(card, state).problems
    assert problem.startswith(f"{card / NAME} [bus.")
    assert "must be a device such as '/dev/i2c-1'" in problem


def with_a_table(card: Path) -> str:
    text = TEXT.replace("sample:SAMPLE-A", "one.toml")
    (card / "one.toml").write_text(sample_path("SAMPLE-A").read_text(encoding="utf-8"), encoding="utf-8")
    return text


def test_trap_tables_come_along(card: Path, state: Path) -> None:
    assert "one.toml" in with_a_table(card)
    started(card, state, with_a_table(card))
    for path in card.iterdir():
        path.unlink()
    assert chosen(card, state).problems == ()
    assert (state / "one.toml").read_text() == sample_path("SAMPLE-A").read_text()


def test_a_trap_table_that_is_missing_or_elsewhere_is_refused(card: Path, state: Path) -> None:
    started(card, state)
    text = with_a_table(card)
    (card / "one.toml").unlink()
    (card / NAME).write_text(text, encoding="utf-8")
    assert "there is no such file" in chosen(card, state).problems[0]
    (card.parent / "one.toml").write_text(sample_path("SAMPLE-A").read_text(encoding="utf-8"), encoding="utf-8")
    (card / NAME).write_text(text.replace("one.toml", "../one.toml"), encoding="utf-8")
    assert chosen(card, state).problems[0] == (
        f"{card / NAME}: it names a file that is not beside it, or whose name does not end in .toml. Put each trap "
        "table beside it, with a name such as table_1.toml."
    )


@pytest.mark.parametrize("journal", ["../x.db", "/tmp/x.db", "settings.good", "starts.json", "trapdial.toml"])
def test_no_settings_may_send_the_journal_elsewhere(card: Path, state: Path, journal: str) -> None:
    started(card, state)
    (card / NAME).write_text(TEXT.replace('journal = "journal.db"', f'journal = "{journal}"'), encoding="utf-8")
    assert chosen(card, state).problems[0] == (
        f"{card / NAME} [table]: journal = {journal!r} is no plain file name. Leave it out, or write a name such as "
        '"journal.db".'
    )


def test_the_journal_may_have_the_path_of_the_state_folder(card: Path, state: Path) -> None:
    (card / NAME).write_text(
        TEXT.replace('journal = "journal.db"', f'journal = "{state}/journal.db"'), encoding="utf-8"
    )
    used = chosen(card, state)
    assert used.problems == ()
    assert used.settings.beside(used.settings.table.journal) == state / "journal.db"


def test_the_settings_of_the_package_are_good_as_they_are(card: Path) -> None:
    (card / NAME).write_text(contents.settings(), encoding="utf-8")
    bundle = boot_settings.bundled(card / NAME, Path(units.STATE))
    assert f'"{contents.RECORD}"' in bundle.text


def test_a_calibration_may_be_on_the_card_or_in_the_state_folder(card: Path, state: Path) -> None:
    started(card, state)
    (card / NAME).write_text(TEXT.replace('calibration = ""', 'calibration = "calibration.toml"'), encoding="utf-8")
    assert "calibration: " in chosen(card, state).problems[0]
    assert "there is no such file" in chosen(card, state).problems[0]


def test_settings_with_which_no_table_starts_are_left_after_two_starts(card: Path, state: Path) -> None:
    before = started(card, state)
    (card / NAME).write_text(OTHER, encoding="utf-8")
    for _ in range(boot_settings.TRIES):
        assert name_of(chosen(card, state)) != name_of(before)
    found = chosen(card, state)
    assert name_of(found) == name_of(before)
    assert found.problems[0] == (
        f"{card / NAME}: has no error, but since the power came on, the table has failed to start with it 2 times. "
        "Check the wiring that it describes, or change it; then unplug the station."
    )
    (card / NAME).write_text(OTHER + "\n", encoding="utf-8")
    assert chosen(card, state).trial, "changed settings are tried again"


def test_new_settings_are_tried_again_after_the_power_was_off(card: Path, state: Path) -> None:
    """An owner who pulls the plug twice while the table starts, or who mends the wiring, need not change the file."""
    started(card, state)
    (card / NAME).write_text(OTHER, encoding="utf-8")
    tried = [chosen(card, state, boot).trial for boot in ("1", "2", "3", "3", "3", "3", "4")]
    assert tried == [True, True, True, True, False, False, True]


def test_the_first_settings_are_tried_for_ever(card: Path, state: Path) -> None:
    (card / NAME).write_text(TEXT, encoding="utf-8")
    assert {chosen(card, state).trial for _ in range(5)} == {True}


def test_a_state_folder_that_cannot_be_written_still_has_its_last_good_settings(
    card: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = started(card, state)
    (card / NAME).write_text(OTHER, encoding="utf-8")

    def read_only(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(boot_settings, "replace_file", read_only)
    found = chosen(card, state)
    assert name_of(found) == name_of(before)
    assert found.problems[0] == (
        f"{state}: the folder for the station's state cannot be written (Read-only file system). Check its owner, and "
        "whether the disk is full or read-only."
    )


# ------------------------------------------------------------------------------------------------------- garbage


def damaged(text: str) -> some.SearchStrategy[bytes]:
    """The text with a part cut out, bytes put in, or bits turned."""
    data = text.encode()
    places = some.integers(0, len(data))
    cut = some.tuples(places, places).map(lambda at: data[: min(at)] + data[max(at) :])
    put = some.tuples(places, some.binary(min_size=1, max_size=40)).map(
        lambda at: data[: at[0]] + at[1] + data[at[0] :]
    )
    ended = places.map(lambda at: data[:at])
    return cut | put | ended


@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(some.binary(max_size=2_000) | damaged(OTHER))
@example(b"\0" * 100_000)
@example(b"[" * 3_000)
@example(b"a = " + b"9" * 3_900)
@example(b"x" * 1_000_001)
@example(OTHER.encode("utf-16"))
def test_any_garbage_leaves_good_settings_and_a_sentence(tmp_path: Path, garbage: bytes) -> None:
    card, state = tmp_path / "boot", tmp_path / "state"
    card.mkdir(exist_ok=True)
    before = name_of(started(card, state))
    (card / NAME).write_bytes(garbage)
    found = chosen(card, state)
    if found.trial:  # the damage left settings without an error
        return
    assert name_of(found) == before
    assert found.problems == () or found.problems[-1].endswith("The last good settings run instead.")
    assert all(problem.isprintable() for problem in found.problems)


@pytest.mark.parametrize("kind", ["folder", "fifo", "link to nothing", "link to a device", "not readable"])
def test_no_kind_of_file_stops_it(card: Path, state: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = name_of(started(card, state))
    path = card / NAME
    path.unlink()
    if kind == "not readable":
        path.write_text(OTHER, encoding="utf-8")

        def refuse(_: Path) -> str:
            raise UserFileError([f"{path}: this user may not read it"])

        monkeypatch.setattr(boot_settings, "read_text", refuse)
    else:
        make: dict[str, Callable[[], object]] = {
            "folder": path.mkdir,
            "fifo": lambda: os.mkfifo(path),
            "link to nothing": lambda: path.symlink_to("/nowhere"),
            "link to a device": lambda: path.symlink_to("/dev/zero"),
        }
        make[kind]()
    found = chosen(card, state)
    assert name_of(found) == before
    assert len(found.problems) == 2


@pytest.mark.parametrize("garbage", [b"", b"\0" * 100, b"{}", b'{"text": "", "files": {"../x.toml": ""}}', b"[" * 999])
def test_a_damaged_bundle_counts_as_none(card: Path, state: Path, garbage: bytes) -> None:
    started(card, state)
    for name in (GOOD, TRIAL):
        (state / name).write_bytes(garbage)
    assert chosen(card, state).problems == ()


# ------------------------------------------------------------------------------------------------------- a power cut


class PowerCutError(Exception):
    """The power fails."""


def cut_at(number: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Let the power fail before the call of this number that writes something."""
    calls = 0

    def failing(real: Callable[..., object]) -> Callable[..., object]:
        def call(*given: object, **named: object) -> object:
            nonlocal calls
            calls += 1
            if calls > number:
                raise PowerCutError
            return real(*given, **named)

        return call

    for module, name in ((os, "replace"), (os, "fsync"), (os, "fchmod"), (tempfile, "mkstemp"), (os, "rename")):
        monkeypatch.setattr(module, name, failing(getattr(module, name)))
    yield number


@pytest.mark.parametrize("number", range(14))
def test_a_plug_pulled_at_any_moment_leaves_good_settings(
    card: Path, state: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New settings with a new trap table; the card is gone after the cut."""
    before = name_of(started(card, state))
    (card / NAME).write_text(with_a_table(card).replace('name = "', 'name = "New ', 1), encoding="utf-8")
    with monkeypatch.context() as broken:
        for _ in cut_at(number, broken):
            try:
                accepted(state, chosen(card, state))
                whole = True
            except PowerCutError:
                whole = False
    for path in card.iterdir():
        path.unlink()
    found = chosen(card, state)
    assert found.problems == ()
    assert name_of(found) in (before, f"New {before}")
    assert whole <= (name_of(found) == f"New {before}")
