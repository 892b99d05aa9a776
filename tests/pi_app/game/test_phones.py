"""Phones that hold seats: what the game keeps of them, what everyone reads, what the record shows."""

from __future__ import annotations

from pathlib import Path

import msgspec

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.game.phone_events import SESSION_CHARACTERS
from pi_app.journal import Journal
from pi_app.journal.record.entry import read_public
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import Moment
from pi_app.report.visibility import COMMON
from pi_app.text.language import words
from tests.pi_app.games import exposes, played, started
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.told import TRAPS, Told, eight_squares

SESSION = "S" * SESSION_CHARACTERS
OTHER = "T" * SESSION_CHARACTERS


def joined(seat: str = "ANN", session: str = SESSION, *, moved: bool = False) -> ev.PhoneJoined:
    return ev.PhoneJoined(seat=seat, moved=moved, session=session)


def note(moment: Moment, viewer: str = "public") -> str:
    return moment.reports[viewer].lines["ruling"]


def test_everyone_reads_that_a_phone_joined_moved_and_left() -> None:
    moment = played(started(), joined())
    assert {note(moment, viewer) for viewer in (*COMMON, "seat ANN", "seat BEN")} == {
        "Note 1: Ann reads on a phone now."
    }
    moment = played(joined(session=OTHER, moved=True), moment=moment)
    assert note(moment) == "Note 2: Ann's seat moved to another phone."
    assert moment.game.phones["ANN"].session == OTHER
    moment = played(ev.PhoneLeft(seat="ANN"), moment=moment)
    assert note(moment) == "Note 3: Ann no longer reads on a phone."
    assert moment.game.phones == {}


def test_a_seat_without_a_phone_has_none_to_leave() -> None:
    moment = played(started())
    assert played(ev.PhoneLeft(seat="ANN"), moment=moment) is moment


def test_each_seat_reads_it_in_its_own_language() -> None:
    start = started()
    seats = (msgspec.structs.replace(start.seats[0], language="de"), *start.seats[1:])
    moment = played(msgspec.structs.replace(start, seats=seats), joined("BEN"))
    assert note(moment, "seat ANN") == words("de")("Note {number}: {told}").format(
        number=1, told=words("de")("{name} reads on a phone now.").format(name="Ben")
    )
    assert "phone" not in note(moment, "seat ANN")


def test_the_phones_are_forgotten_when_the_game_ends_and_when_another_begins() -> None:
    moment = played(started(), joined(), joined("BEN"))
    assert set(moment.game.phones) == {"ANN", "BEN"}
    assert played(ev.Ended(), moment=moment).game.phones == {}
    assert played(started(), moment=moment).game.phones == {}


def test_a_resumed_game_keeps_its_phones_and_counts_how_often() -> None:
    moment = played(started(), joined(), ev.Resumed(version="1"), ev.Resumed(version="1"))
    assert moment.game.phones["ANN"].session == SESSION
    assert moment.game.resumed == 2


def test_a_phone_is_not_undone_and_a_word_before_it_still_is() -> None:
    at = Told(eight_squares())
    at.say("hero ann Aria nimble")
    at.apply(joined())
    assert at.moment.game.undo is not None
    at.say("undo")
    assert at.moment.game.heroes == {}
    assert at.moment.game.phones["ANN"].session == SESSION
    assert at.moment.reports["public"].lines["ruling"].endswith("Taken back: hero ANN Aria nimble.")
    assert at.say("undo")[0].startswith("REFUSED")
    assert len(TRAPS) == 8


def test_nothing_prints_a_session() -> None:
    moment = played(started(), joined())
    for value in (joined(), moment.game, moment.game.phones):
        assert SESSION not in repr(value)
        assert SESSION not in str(value)
    assert repr(joined()) == "PhoneJoined(seat='ANN', moved=False, session=(sealed))"


def test_a_session_of_another_length_is_no_event() -> None:
    for text in ("", SESSION[1:], SESSION + "S"):
        try:
            ev.from_json(msgspec.json.encode({"kind": "phone joined", "seat": "ANN", "moved": False, "session": text}))
        except msgspec.ValidationError:
            continue
        raise AssertionError(text)


def test_the_public_half_has_the_seat_and_no_session(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        moment = journal.append("one", MAGE_KNIGHT.nothing, started())
        for event in (joined(), *exposes("T01", 3, "ANN"), ev.Looked(seat="ANN", square="T01", grade="phone")):
            moment = journal.append("one", moment, event)
        moment = journal.append("one", moment, ev.Looked(seat="ANN", square="T01"))
        moment = journal.append("one", moment, ev.PhoneLeft(seat="ANN"))
        running = path.read_bytes() + path.with_name("journal.db-wal").read_bytes()
        journal.append("one", moment, ev.Ended())
    parts = [read_public(public) for _, public, *_ in rows(path)]
    assert [(part.kind, part.seat, part.grade) for part in parts if part.kind.startswith(("phone", "looked"))] == [
        ("phone joined", "ANN", None),
        ("looked", "ANN", "phone"),
        ("looked", "ANN", None),
        ("phone left", "ANN", None),
    ]
    assert parts[1].log == ("Note 1: Ann reads on a phone now.",)
    assert SESSION.encode() not in running
    assert jn.verify(path, [jn.head(path)]).state is RecordState.WHOLE
