"""Games whose names need longer entries: written, continued by another program, resumed, and refused."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import JournalFileError, NotRecordedError
from pi_app.journal.record import entry as rec
from pi_app.journal.record.verdict import RecordState
from pi_app.play import mage_knight
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import EVERY_KIND, exposes, started
from tests.pi_app.journal.keeping import STAMP, open_journal
from tests.pi_app.journal.record.forging import rows
from wiring_docs.journal_verifier import judge_file

LONG = started(*[msgspec.structs.replace(EVERY_KIND, name=name) for name in ("語" * 40, "short")])


def lengths(path: Path) -> list[int]:
    return [len(sealed) for _, _, sealed, *_ in rows(path)]


def test_every_later_entry_of_the_game_has_the_larger_size_also_after_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    moment = NO_GAME
    with open_journal(path) as journal:
        for event in (LONG, ev.SetupChecked(stands={"T01": 0, "T02": 0}), *exposes("T01", 3, "ANN")):
            moment = journal.append("long", moment, event)
    with open_journal(path) as journal:
        found = journal.unfinished()
        assert found is not None
        mage_knight.record_shown(path, ev.TableShown(table="short"), lambda: STAMP)
        journal.append(*found, ev.Ended())
        moment = journal.append("ordinary", NO_GAME, started())
        journal.append("ordinary", moment, ev.Ended())
    first, checked, *others = lengths(path)
    assert first % 1024 == 40
    assert checked == 8192 + 40
    assert set(others[:-2]) == {1280 + 40}
    assert others[-1] == 640 + 40
    assert jn.verify(path).state is RecordState.WHOLE
    assert judge_file(path).code == 0


def test_an_older_game_whose_entries_are_too_short_for_its_names_is_not_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal.db"
    with monkeypatch.context() as older, open_journal(path) as journal:
        older.setattr(rec, "sealed_for", lambda lengths: 640)
        journal.append("old", NO_GAME, LONG)
    with open_journal(path) as journal, pytest.raises(JournalFileError) as refused:
        journal.unfinished()
    assert str(refused.value) == (
        f"{path} (game old) was begun by an older Trapdial, and its names are too long for its entries. Some events "
        "would be refused and others not, which reveals secrets. Begin another game with --new: it takes these names."
    )


def test_a_game_that_fits_into_no_size_is_refused_before_it_begins(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    giant = started(msgspec.structs.replace(EVERY_KIND, name="x" * 6_000))
    with open_journal(path) as journal, pytest.raises(NotRecordedError) as refused:
        journal.append("giant", NO_GAME, giant)
    assert str(refused.value).startswith(
        f"Journal ({path}) cannot hold this game: the entry `turned` of this game could"
    )
    assert str(refused.value).endswith("Shorten the longest names and notes in the settings and the trap tables")
    assert not path.exists()


@pytest.mark.parametrize("game", [started(), LONG])
def test_the_size_stands_in_the_opening_only_if_it_is_not_the_usual_one(game: ev.Started, tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with open_journal(path) as journal:
        journal.append("g", NO_GAME, game)
    public = rows(path)[0][1]
    assert (b'"sealed":1280' in public) is (game is LONG)
    assert (b'"sealed":' in public) is (game is LONG)
    assert MAGE_KNIGHT.room(game) > 0
