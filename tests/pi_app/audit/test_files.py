"""Real journals: ended ones opened, running ones sealed, damaged ones up to the damage."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import msgspec
import pytest

from pi_app.audit.files import audit_file, audit_files
from pi_app.audit.forms import to_csv, to_json
from pi_app.game import events as ev
from pi_app.game import findings as audit
from pi_app.game.finding import Finding
from pi_app.game.game import apply
from pi_app.game.state import Game
from pi_app.game.trap_table import Trap
from pi_app.journal import JournalFileError, archive
from pi_app.report.lines import finding_in, finding_line
from pi_app.text.language import words as words_of
from pi_app.text.languages import LANGUAGES
from tests.pi_app.audit.records import write
from tests.pi_app.games import exposes, started, table_with, turned

PLAYED = (*exposes("T01", 3, "ANN"), turned("T02", 2), turned("T01", 1, start=3))


def test_an_ended_game_is_opened_with_its_own_key(tmp_path: Path) -> None:
    file = audit_file(write(tmp_path / "j.db", *PLAYED, ev.Ended()))
    assert (file.file, file.state, file.entries, file.damage) == ("j.db", "whole", 7, None)
    (game,) = file.games
    assert not game.sealed
    assert [found.kinds for found in game.findings] == [("no claim",), ("second turn",)]
    assert [(v.square, v.verdict, v.findings) for v in game.verdicts] == [("T01", "fail", 1), ("T02", "fail", 1)]
    assert not file.clean


def test_a_game_without_an_end_stays_sealed_although_its_key_is_here(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *PLAYED)
    assert list((tmp_path / "j.db.keys").iterdir())
    file = audit_file(path)
    (game,) = file.games
    assert (file.state, game.sealed, game.turns, game.known, game.seats, game.dials) == (
        "interrupted", True, (), (), {}, (),
    )  # fmt: skip
    assert [(f.rule_ids, f.square, f.seat, f.claim, f.entry, f.at_s, f.words) for f in game.findings] == [
        (("T-AUD-4",), "T02", None, "none", 5, 4.0, None),
        (("T-AUD-4",), "T01", None, "none", 6, 5.0, None),
    ]


@pytest.mark.parametrize("trap", [None, *Trap])
def test_t_aud_6_the_live_audit_does_not_depend_on_what_lies_there(trap: Trap | None, tmp_path: Path) -> None:
    def forms(folder: str, lies_there: Trap | None) -> tuple[str, str]:
        (tmp_path / folder).mkdir()
        begin = started(table_with(lies_there), table_with(lies_there))
        found = audit_file(write(tmp_path / folder / "j.db", *PLAYED, begin=begin))
        files = [msgspec.structs.replace(found, record=None)]  # its hashes cover keys that are new each time
        return to_json(files), to_csv(files)

    assert forms("this", trap) == forms("that", Trap.CAGE)


def test_the_same_games_differ_once_they_have_ended(tmp_path: Path) -> None:
    """Or else the comparison above would prove nothing."""
    disarm = ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(4, 4), plus_die=1)
    files = []
    for name, lies_there in (("this", None), ("that", Trap.CAGE)):
        (tmp_path / name).mkdir()
        events = (*PLAYED, disarm, ev.Ended())
        begin = started(table_with(lies_there), table_with(lies_there))
        files.append(audit_file(write(tmp_path / name / "j.db", *events, begin=begin)))
    assert to_json(files[:1]) != to_json(files[1:])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_finding_of_the_rules_can_be_read_from_the_logs_line(language: str) -> None:
    game = apply(Game(), started())
    for name, words in vars(audit).items():
        if name.isupper() and isinstance(words, str):
            line = finding_line(Finding("T-AUD-4", words, "T01", "ANN"), game, words_of(language))
            assert finding_in(line, ["T0", "T01"]) == ("T-AUD-4", "T01")
    assert finding_in("Finding S-9: A trap table of this game was shown during the game.", ["T01"]) == ("S-9", None)
    assert finding_in("T01: exposed by Ann.", ["T01"]) is None


@pytest.mark.parametrize("ended", [True, False])
def test_a_damaged_record_is_audited_up_to_the_damage(ended: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *PLAYED, *([ev.Ended()] if ended else []))
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET public = CAST(replace(public, 'T01', 'T02') AS BLOB) WHERE seq = 6")
    file = audit_file(path)
    assert file.state == "damaged"
    assert file.damage is not None
    assert (file.damage.entry, file.damage.seen) == (6, "does not match its hash")
    (game,) = file.games
    assert (game.sealed, game.entries, [found.entry for found in game.findings]) == (not ended, 5, [5])
    assert not file.clean


def test_a_key_that_was_not_promised_opens_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *PLAYED, ev.Ended())
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        ((public,),) = db.execute("SELECT public FROM entries WHERE seq = 7").fetchall()
        at = public.index(b'"key":"') + 7
        db.execute("UPDATE entries SET public = ? WHERE seq = 7", (public[:at] + b"0" * 64 + public[at + 64 :],))
    file = audit_file(path)
    assert [game.sealed for game in file.games] == [True]
    assert file.state == "damaged"


def test_a_file_whose_first_entry_is_damaged_cannot_be_used(tmp_path: Path) -> None:
    path = write(tmp_path / "j.db", *PLAYED)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM entries WHERE seq = 1")
    with pytest.raises(JournalFileError, match=r"\(entry 1\) is missing. Nothing before it can be audited\."):
        audit_file(path)


def test_every_record_of_an_archive_is_audited(tmp_path: Path) -> None:
    one = write(tmp_path / "one.db", *PLAYED, ev.Ended())
    other = write(tmp_path / "other.db", *exposes("T01", 3, "ANN"), ev.Ended(), game="g2")
    archive.merge([one, other], tmp_path / "both.db")
    found = audit_files([tmp_path / "both.db"])
    assert [(each.file, each.state, each.games) for each in found] == [
        ("both.db (log 1)", "whole", audit_file(one).games),
        ("both.db (log 2)", "whole", audit_file(other).games),
    ]
