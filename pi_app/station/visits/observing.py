"""What hands do at a table, read from its loop between two rounds. It changes nothing of the play."""

from __future__ import annotations

from pi_app.play.gestures import Gesture
from pi_app.play.loop.session import GameSession
from pi_app.station.visits.inputs import (
    ClaimGone,
    Clicked,
    DialBetween,
    DieRolled,
    Held,
    Input,
    LetGo,
    LookShown,
    PhoneSeen,
    Tapped,
)


class Observer:
    """Notices the inputs of each round. Seats have the names that the station gives them."""

    def __init__(self, session: GameSession, names: dict[str, str]) -> None:
        """`names`: by the key of each seat."""
        self._session, self._names = session, names
        self._noticed: list[Input] = []
        self._claims: frozenset[str] = frozenset()
        self._looks: dict[str, tuple[str, int] | None] = {}
        self._turning: frozenset[str] = frozenset()

    def gesture(self, key: str, gesture: Gesture | None) -> None:
        """Note a gesture at a seat, or the knock of a phone."""
        name = self._names.get(key, "")
        match gesture:
            case None:
                self._noticed.append(PhoneSeen(name))
            case Gesture.TAP:
                self._noticed.append(Tapped(name))
            case Gesture.HOLD:
                self._noticed.append(Held(name))
            case Gesture.LET_GO:
                self._noticed.append(LetGo(name))

    def take(self) -> list[Input]:
        """Return the inputs since the last call, in the order of a turn: dials, looks and claims after gestures."""
        given, self._noticed = self._noticed, []
        return [*given, *self._dials(), *self._turns()]

    def forget(self) -> None:
        """Forget what the last group did."""
        self._noticed.clear()
        self._claims, self._looks = frozenset(), {}

    def _dials(self) -> list[Input]:
        """A dial that moves, and one that has just come to another click. A faulty or unplugged one is no hand's."""
        given: list[Input] = []
        turning = set()
        for label, dial in self._session.dials.items():
            tracker = dial.tracker
            if dial.lost or tracker.glitching or tracker.stand is None:
                continue
            if tracker.turning:
                turning.add(label)
            if tracker.turning and label not in self._turning:
                given.append(Clicked(label))
            elif tracker.moving:
                given.append(DialBetween(label))
        self._turning = frozenset(turning)
        return given

    def _turns(self) -> list[Input]:
        """Claims that began and ended, and looks."""
        session, names = self._session, self._names
        claims = frozenset(claim.seat for claim in session.game.claims)
        looks = {key: seat.last_look for key, seat in session.seats.items()}
        looked = {
            key
            for key, look in looks.items()
            if look is not None and look != self._looks.get(key) and key in self._claims - claims
        }
        begun, gone = claims - self._claims, self._claims - claims - looked
        self._claims, self._looks = claims, looks
        return [
            *(DieRolled(names[key]) for key in sorted(begun)),
            *(LookShown(names[key]) for key in sorted(looked)),
            *(ClaimGone(names[key]) for key in sorted(gone)),
        ]
