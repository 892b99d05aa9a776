"""A journal alone rebuilds the game, and says so; a changed one does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.audit.replay import rebuild, replay
from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.journal import JournalFileError
from pi_app.journal.files import open_file
from tests.pi_app.games import exposes, started, table_with
from tests.pi_app.journal.keeping import write
from tests.pi_app.journal.record.forging import change, edit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    write(path, (started(), *exposes("T01", 3, "ANN"), ev.Ended()))
    return path


def test_it_says_what_it_rebuilt(path: Path) -> None:
    (game,) = replay(path)
    assert game.sentence("nothing was found") == (
        "Game g1: 5 entries (1 to 5) on a SIMULATED table, ended, nothing was found. "
        "Rebuilt: the same game, and the same reports for every viewer at every entry."
    )


def test_what_another_version_wrote_is_rebuilt_and_not_compared(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write(path, (started(), *exposes("T01", 3, "ANN"), ev.Resumed(version="0.1.0"), ev.Ended()))
    (game,) = replay(path)
    assert game.sentence(None).endswith(
        "Rebuilt: the same game. Another version of Trapdial wrote 2 of its entries, whose reports were not compared: "
        "their words differ."
    )


def test_the_words_of_another_version_are_no_damage(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(path, 2, ev.Claimed(seat="BEN", grade="button"))
    monkeypatch.setattr("pi_app.audit.replay.version", lambda: "9.9.9")
    (game,) = replay(path)
    assert game.sentence(None).endswith(
        "Rebuilt: the same game. Another version of Trapdial wrote its entries, whose reports were not compared: their "
        "words differ."
    )


def test_each_entry_comes_with_its_log_lines(path: Path) -> None:
    heard: list[tuple[int, tuple[str, ...]]] = []
    replay(path, lambda entry, news: heard.append((entry.seq, news)))
    assert heard[1] == (2, ("Ann is about to turn a dial.",))
    assert heard[3] == (4, ("T01: exposed by Ann.",))


def refusal(path: Path) -> str:
    with pytest.raises(JournalFileError) as refused:
        replay(path)
    return str(refused.value)


def test_another_reader_of_a_secret_is_noticed(path: Path) -> None:
    change(path, 2, ev.Claimed(seat="BEN", grade="button"))
    assert "(entry 2) rebuilds to public reports other than the recorded ones." in refusal(path)


def test_a_changed_secret_is_noticed_once_it_matters(tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    attempt = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1)
    write(path, (started(table_with(Trap.CAGE)), *exposes("T01", 3, "ANN"), attempt))
    change(path, 1, started(table_with(Trap.FIRE_JETS)))
    assert "(entry 5) rebuilds to seat reports other than the recorded ones." in refusal(path)


@pytest.mark.parametrize("event", [ev.DialLost(square="T99", trouble="silent"), ev.Claimed(seat="ZOE", grade="button")])
def test_names_that_the_game_does_not_have_are_refused_in_words(tmp_path: Path, event: ev.AnyEvent) -> None:
    path = tmp_path / "other.db"
    write(path, (started(), ev.ClaimDropped(seat="ANN", why="taken back")))
    change(path, 2, event)
    assert "(entry 2) names a seat, a square or a click that its game does not have." in refusal(path)


def test_a_journal_without_a_game_is_said(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    open_file(path, write=True).close()
    assert refusal(path) == f"{path} (file) holds no game. Name the journal of a game."


def test_an_event_before_its_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "early.db"
    write(path, (started(),))
    change(path, 1, ev.Ended())
    assert "(entry 1) comes before its game began." in refusal(path)


def test_an_event_after_the_end_of_its_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "late.db"
    write(path, (started(), *[ev.ClaimDropped(seat="ANN", why="taken back")] * 2))
    change(path, 2, ev.Ended())
    with pytest.raises(JournalFileError) as refused:
        list(rebuild(path))
    assert "(entry 3) comes after the end of its game." in str(refused.value)


@pytest.mark.parametrize("damaged", [2, 5, 64, 65, 66, 130])
def test_every_entry_before_the_damage_is_rebuilt(tmp_path: Path, damaged: int) -> None:
    path = tmp_path / "damaged.db"
    write(path, (started(), *[ev.Looked(seat="ANN", square="T01")] * 129))
    edit(path, "UPDATE entries SET sealed = x'00' WHERE seq = ?", damaged)
    seen: list[int] = []
    with pytest.raises(JournalFileError) as refused:
        seen.extend(entry.seq for entry, _ in rebuild(path))
    assert f"(entry {damaged}) does not open with the key of its game." in str(refused.value)
    heard: list[int] = []
    with pytest.raises(JournalFileError):
        replay(path, lambda entry, news: heard.append(entry.seq))
    assert seen == heard == list(range(1, damaged))
