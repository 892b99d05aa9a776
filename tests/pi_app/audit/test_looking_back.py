"""A viewer's view is rebuilt from the record alone, and reveals no secret."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.audit.looking_back import View, seen
from pi_app.game import events as ev
from pi_app.journal import JournalFileError, keys_of
from pi_app.journal.files import open_file
from pi_app.report.pictures import Dark, Say, ShowDie, ShowFace
from tests.pi_app.games import rolled, started
from tests.pi_app.journal.keeping import write
from tests.pi_app.journal.record.forging import edit
from tests.pi_app.resumed_game import CAGE, CLEAR, PLAY, WHOLE


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "journal.db"
    write(path, WHOLE)
    return path


def screen_of(found: View) -> object:
    assert found.screen is not None
    return found.screen.picture


@pytest.mark.parametrize(
    ("seat", "until", "entry", "kind"),
    [
        ("ANN", 1, 1, Dark),
        ("ANN", 2, 2, Say),
        ("ANN", 3, 2, Say),
        ("ANN", 4, 4, ShowFace),
        ("ANN", 6, 4, ShowFace),
        ("ANN", 7, 7, ShowFace),
        ("ANN", 8, 8, Dark),
        ("BEN", 4, 1, Dark),
        ("BEN", 6, 6, Say),
        ("BEN", 7, 6, Say),
        ("BEN", 9, 8, Dark),
    ],
)
def test_a_screen_shows_its_last_picture(path: Path, seat: str, until: int, entry: int, kind: type) -> None:
    found = seen(path, seat, until)
    assert isinstance(screen_of(found), kind)
    assert found.screen is not None
    assert (found.screen.entry, found.screen.ago_ns) == (entry, 0)


def test_a_face_is_the_seats_own(path: Path) -> None:
    face = screen_of(seen(path, "ANN", 7))
    assert isinstance(face, ShowFace)
    assert (face.label, face.trap, face.disarm, face.xp) == ("T01", "cage", "7", 22)


def test_a_die_that_the_device_rolled_is_shown_and_a_reported_one_is_not(tmp_path: Path) -> None:
    claim = ev.Claimed(seat="ANN", grade="button")
    drop = ev.ClaimDropped(seat="ANN", why="taken back")
    write(
        tmp_path / "j.db", (started(), claim, rolled(3), drop, claim, rolled(5, how="device"), drop, claim, ev.Ended())
    )
    screens = [screen_of(seen(tmp_path / "j.db", "ANN", until)) for until in (3, 6, 7, 8)]
    assert [type(screen) for screen in screens] == [Say, ShowDie, Say, ShowDie]
    assert isinstance(screens[1], ShowDie)
    assert screens[1].lines[0] == "Turn it 5 clicks,"


def test_lines_are_those_of_that_moment(path: Path) -> None:
    assert seen(path, "public", 2).report.lines["claims"] == "Ann is about to turn a dial."
    assert seen(path, "public", 4).report.lines["T01"] == "T01: exposed by Ann."
    assert seen(path, "log", 1).report.lines["T01"] == "T01: concealed."
    assert "The game is over." in seen(path, "referee").report.lines["table"]
    assert seen(path, "referee").screen is None


@pytest.mark.parametrize("seat", ["ANN", "BEN", "ZOE"])
def test_s_9_of_a_running_game_no_seat_is_shown_whatever_the_traps(tmp_path: Path, seat: str) -> None:
    path = tmp_path / "journal.db"
    refusals = set()
    for tables in ((CAGE, CLEAR), (CLEAR, CAGE)):
        path.unlink(missing_ok=True)
        shutil.rmtree(keys_of(path).folder, ignore_errors=True)
        write(path, (started(*tables), *PLAY[1:]))
        with pytest.raises(JournalFileError) as wrong:
            seen(path, seat, 4)
        refusals.add(str(wrong.value))
    assert refusals == {
        f"{path} (game g1) has not ended, and what seat {seat} saw reveals traps (S-9, S-12). Use "
        "public, referee or log, or end the game first: `trapdial play --resume`, then `end`."
    }


@pytest.mark.parametrize("viewer", ["public", "referee", "log"])
@pytest.mark.parametrize("until", range(1, 9))
def test_s_6_others_see_the_same_whatever_the_traps(tmp_path: Path, viewer: str, until: int) -> None:
    views = []
    for n, tables in enumerate(((CAGE, CLEAR), (CLEAR, CAGE))):
        path = tmp_path / f"{n}.db"
        write(path, (started(*tables), *PLAY[1:]))
        views.append(seen(path, viewer, until))
    assert views[0] == views[1]


def test_an_ended_game_can_be_shown_while_another_runs(path: Path) -> None:
    write(path, PLAY, "g2")
    assert isinstance(screen_of(seen(path, "ANN", 7)), ShowFace)
    with pytest.raises(JournalFileError):
        seen(path, "ANN", 16)
    with pytest.raises(JournalFileError):
        seen(path, "ANN")


def test_a_seat_named_like_a_viewer_is_not_shown_by_its_name(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    begin = started(CAGE, CLEAR)
    seats = (ev.SeatSetup(seat="public", name="Pat"), ev.SeatSetup(seat="BEN", name="Ben"))
    write(path, (ev.Started(**{**{n: getattr(begin, n) for n in begin.__struct_fields__}, "seats": seats}),))
    assert seen(path, "public").report.viewer == "public"
    assert seen(path, "public").screen is None


@pytest.mark.parametrize(
    ("viewer", "until", "told"),
    [
        ("ZOE", 4, "(game g1) has no viewer 'ZOE'. Its viewers are: ANN, BEN, public, referee, log."),
        ("public", 99, "(entry 99) is not in this record. Its last entry is 9."),
        ("public", jn.LOG_STEP + 3, "(entry 1:3) is not in this record. Run `trapdial journal verify` on the file."),
        ("\x1b[2J", 4, "(game g1) has no viewer '\\x1b[2J'. Its viewers are: ANN, BEN, public, referee, log."),
    ],
)
def test_missing_viewers_and_entries_are_refused(path: Path, viewer: str, until: int, told: str) -> None:
    with pytest.raises(JournalFileError) as wrong:
        seen(path, viewer, until)
    assert str(wrong.value) == f"{path} {told}"


def test_a_seat_may_be_named_as_its_lines_name_it(path: Path) -> None:
    assert seen(path, "seat ANN", 7) == seen(path, "ANN", 7)


@pytest.mark.parametrize("viewer", ["ANN", "public", "referee", "log"])
def test_entries_before_the_damage_can_be_shown(path: Path, viewer: str) -> None:
    before = seen(path, viewer, 6)
    edit(path, "UPDATE entries SET sealed = x'00' WHERE seq = 7")
    assert seen(path, viewer, 6) == before
    for until in (7, 8, None):
        with pytest.raises(JournalFileError) as wrong:
            seen(path, viewer, until)
        assert str(wrong.value) == (
            f"{path} (entry 7) does not open with the key of its game. Entries before it are good; keep the file and a "
            "copy."
        )


def test_a_spoilt_page_is_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    """Where SQLite itself cannot read on: no number stands there."""
    path = tmp_path / "journal.db"
    write(path, WHOLE)
    before = seen(path, "public", 1)
    found = set()
    for page in range(1, path.stat().st_size // 4096):
        spoilt = tmp_path / "spoilt.db"
        data = bytearray(path.read_bytes())
        data[page * 4096 : (page + 1) * 4096] = bytes(4096)
        spoilt.write_bytes(data)
        for until in (1, None):
            try:
                assert seen(spoilt, "public", until) == before
            except JournalFileError as wrong:
                found.add(str(wrong).removeprefix(f"{spoilt} "))
    assert "(entry 1) cannot be read. Use an earlier copy of it." in found
    assert any(told.endswith("to see the entries before it.") for told in found)


def test_a_record_without_a_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.db"
    open_file(path, write=True).close()
    with pytest.raises(JournalFileError) as wrong:
        seen(path, "public")
    assert str(wrong.value) == f"{path} (file) holds no game. Name the journal of a game."
