"""The journal records an unknown game as well as Mage Knight's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_app import journal as jn
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.happenings import ClockCorrected, Ended, Event
from pi_app.journal.record.verdict import RecordState
from pi_app.journal.recorded_game import RULESET, SQUARE, Play, read_event
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started
from wiring_docs import journal_verifier


class Started(Event, frozen=True, kw_only=True, tag="started"):
    ruleset: str
    squares: tuple[dict[str, str], ...]


class Spun(Event, frozen=True, kw_only=True, tag="spun"):
    square: str


@dataclass(frozen=True)
class Count:
    spins: int = 0

    @property
    def common_digest(self) -> str:
        return f"{self.spins:032}"

    seats_digest = "0" * 32

    def news(self, viewer: str, before: Count) -> tuple[str, ...]:
        return () if before == self else (f"{viewer}: {self.spins} spins.",)


Tops = Started | Spun | ClockCorrected | Ended


def advance(moment: Count, event: Tops) -> Count:
    return Count(moment.spins + 1) if isinstance(event, Spun) else moment


def promises(event: Tops) -> Mapping[str, object]:
    if not isinstance(event, Started):
        return {}
    return {RULESET: event.ruleset} | {SQUARE + each["label"]: each["table"] for each in event.squares}


TOPS: Play[Count, Any] = Play(
    name="tops",
    nothing=Count(),
    advance=advance,
    events=Tops,
    square_of=lambda event: getattr(event, "square", None),
    promises=promises,
    shown=lambda event, after: None,
    room=lambda start: 100,
    lengths=lambda start: {"spun": 200},
    longest_shown=lambda after: 0,
)
BEGINNING = Started(ruleset="none", squares=({"label": "A", "table": "wood"},))
STAMP = Stamp("boot", 1, "2026-01-02T03:04:05+00:00")


def test_a_game_of_another_kind_is_kept_named_and_verified_beside_mage_knights(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, TOPS, lambda: STAMP) as journal:
        moment = journal.append("one", TOPS.nothing, BEGINNING)
        moment = journal.append("one", moment, Spun(square="A"))
        assert moment == Count(1)
        assert journal.unfinished() == ("one", Count(1))
        journal.append("one", moment, Ended())
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as traps:
        traps.append("two", NO_GAME, started())
        assert (jn.open_game(path, MAGE_KNIGHT), jn.open_game(path, TOPS)) == ("two", None)
    kept = list(jn.read(path, TOPS))
    assert [entry.event for entry in kept] == [BEGINNING, Spun(square="A"), Ended()]
    assert {entry.public.play for entry in kept} == {"tops"}
    assert (kept[1].public.square, kept[1].public.log) == ("A", ("log: 1 spins.",))
    assert [entry.event for entry in jn.read(path, MAGE_KNIGHT)] == [started()]
    assert jn.verify(path).state is RecordState.INTERRUPTED
    assert journal_verifier.main([str(path)]) == 3


def test_mage_knight_does_not_resume_another_game_nor_name_itself(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, TOPS, lambda: STAMP) as journal:
        journal.append("one", TOPS.nothing, BEGINNING)
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as traps:
        assert traps.unfinished() is None
        traps.append("two", NO_GAME, started())
    (entry,) = jn.read(path, MAGE_KNIGHT)
    assert entry.public.play is None
    with jn.raw(path) as rows:
        assert [b'"play"' in bytes(public) for _, public, *_ in rows.rows() if isinstance(public, bytes)] == [
            True,
            False,
        ]


def test_an_event_is_judged_by_its_own_game_and_not_at_all_if_that_is_unknown() -> None:
    read_event("tops", b'{"kind":"anything"}')
    with pytest.raises(msgspec.ValidationError):
        read_event(None, b'{"kind":"spun","square":"A"}')
