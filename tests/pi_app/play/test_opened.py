"""What may be shown outside a game while it is on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.play import opened
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.settings.model import JOURNAL
from pi_app.text.errors import UserFileError
from tests.pi_app.games import EVERY_KIND, started, table_with


def test_a_game_is_open_until_it_is_ended(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    assert opened.open_game(path) is None
    with Journal(path, MAGE_KNIGHT) as journal:
        assert opened.open_game(path) is None
        moment = journal.append("first", NO_GAME, started())
        assert opened.open_game(path) == "first"
        journal.append("first", moment, ev.Ended())
        assert opened.open_game(path) is None
        journal.append("second", NO_GAME, started())
        assert opened.open_game(path) == "second"


def test_a_journal_that_is_gone_while_the_key_of_its_game_is_there_counts_as_a_game(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        journal.append("first", NO_GAME, started())
    path.rename(tmp_path / "elsewhere.db")
    with pytest.raises(UserFileError) as refused:
        opened.open_secrets("samples", [path], in_play=False)
    assert str(refused.value) == (
        f"{path} (file) is gone, and its keys are still in {path}.keys. Put the file back from a copy; the keys alone "
        "hold no game."
    )


def test_the_entry_is_there_before_the_function_returns(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        journal.append("first", NO_GAME, started())
    for how in ("samples", "calibrated"):
        opened.open_secrets(how, [path], in_play=True)
    *_, samples, calibrated = (entry.event for entry in jn.read(path, MAGE_KNIGHT))
    assert (samples, calibrated) == (ev.TableShown(how="samples"), ev.TableShown(how="calibrated"))


def test_a_copy_with_another_name_is_recorded_as_the_table_of_the_game(tmp_path: Path) -> None:
    from msgspec.structs import replace

    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        journal.append("first", NO_GAME, started())
    long = "\N{LATIN SMALL LETTER E WITH ACUTE}"
    tables = [EVERY_KIND, replace(EVERY_KIND, name="mine"), replace(table_with(None), name=long * 40)]
    opened.open_secrets("table", [path], in_play=True, tables=tables)
    shown = [entry.event for entry in jn.read(path, MAGE_KNIGHT) if isinstance(entry.event, ev.TableShown)]
    assert [event.table for event in shown] == [EVERY_KIND.name, EVERY_KIND.name, long * 20]


def test_a_demo_may_go_on_beside_a_simulated_game(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        journal.append("first", NO_GAME, started())
    opened.open_secrets("demo", [path], in_play=False)
    assert len(list(jn.read(path, MAGE_KNIGHT))) == 1


def test_a_journal_that_cannot_be_looked_at_may_hold_a_game(tmp_path: Path) -> None:
    path = tmp_path / ("long" * 100)
    with pytest.raises(UserFileError) as refused:
        opened.open_secrets("table", [path], in_play=True)
    assert str(refused.value) == (
        f"{path} (file): it cannot be looked at (File name too long), so a game may be on. Run this as the user who "
        "plays."
    )


def test_journals_are_found_through_settings_beside_files_and_through_symlinks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, away = tmp_path / "home", tmp_path / "away"
    (home / "tables").mkdir(parents=True)
    away.mkdir()
    monkeypatch.chdir(away)
    (home / "trapdial.toml").write_text('[table]\njournal = "games.db"\nmore = nonsense')
    (away / "link.toml").symlink_to(home / "tables" / "red.toml")
    (away / "broken.toml").write_text("\0")
    here = opened.journals_of([away / "broken.toml"])
    assert {path.resolve() for path in here} == {away / JOURNAL}
    (home / "trapdial.toml").write_text('[table]\njournal = "games.db"\nmore = 1')
    found = opened.journals_of([], beside=[away / "link.toml"])
    assert {path.resolve() for path in found} == {away / JOURNAL, home / "games.db", home / "tables" / JOURNAL}


def test_a_place_that_the_disk_cannot_look_up_may_have_a_game(tmp_path: Path) -> None:
    """As in a folder that this user may not enter: Python's pathlib raises there."""
    path = tmp_path / ("a" * 300) / "journal.db"
    assert opened.journals_of([], [path])[0] == path
    with pytest.raises(UserFileError, match=r"it cannot be looked at \(File name too long\), so a game may be on"):
        opened.open_game(path)
