"""What hands do at a table, read from its loop between two rounds. It changes nothing of the play."""

from __future__ import annotations

from pi_app.dials.detents import Stand
from pi_app.dials.tracker import Tracker
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
        self._places: dict[str, tuple[Stand, bool]] = {}
        """Where each dial stood last, and whether it was off its rest."""
        self._doubted: set[str] = set()
        """Dials off their rest that may be glitching."""

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
        """A dial that moves, and one that has come to another place. A faulty or unplugged one is no hand's."""
        given: list[Input] = []
        turning = set()
        for label, dial in self._session.dials.items():
            tracker = dial.tracker
            if dial.lost or tracker.glitching or tracker.stand is None:
                self._places.pop(label, None)
                self._doubted.discard(label)
                continue
            pushed = self._pushed(label, tracker)
            if tracker.turning:
                turning.add(label)
            if tracker.turning and label not in self._turning:
                given.append(Clicked(label))
            elif tracker.moving or pushed:
                given.append(DialBetween(label))
        self._turning = frozenset(turning)
        return given

    def _pushed(self, label: str, tracker: Tracker) -> bool:
        """Return whether a dial has left its rest, or stands elsewhere than before, within a click too. A crisp move is
        over before a round sees it, and a claim keeps a turn for as long as it is open: neither hides a hand from the
        idle timer. A move that may be a glitch counts once it is none."""
        if tracker.stand is None or tracker.unseen:
            (self._doubted.add if tracker.off_rest else self._doubted.discard)(label)
            return False
        stand, off = self._places.get(label, (tracker.stand, tracker.off_rest))
        self._places[label] = tracker.stand, tracker.off_rest
        pushed = label in self._doubted or stand != tracker.stand or (tracker.off_rest and not off)
        self._doubted.discard(label)
        return pushed

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
