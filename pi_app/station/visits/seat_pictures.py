"""What the station shows on a seat's screen while play shows nothing there. Pure.

None of it depends on what lies under a square (S-6): only on the visit, the guide and the time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.report.pictures import Dark, Drift, Say, SeatPicture, ShowHead
from pi_app.report.seat_screen import Attention, phone_lines, seat_says
from pi_app.station.visits.guide import TurnStep, phone_sentence, sentence
from pi_app.station.visits.visit import State, Visit
from pi_app.text.language import HELP_TITLE, N_, Words
from pi_app.text.language import words as words_of
from pi_app.text.languages import OWN_NAMES

INVITATION: Final = N_("Tap here!")
CHOOSE: Final = N_("Tap: next language.\nHold: begin.")
ONLY_ONE: Final = N_("Tap: begin.")
OTHERS_TURN: Final = N_("{name} tries it first.\nYou are next.")
WARNING: Final = N_("Still there?\nThis ends in {seconds} s.\nTap to go on.")
PHONE_WARNING: Final = N_("Still there?\nThis ends in {seconds} s.\nTap “{turn}” to go on.")
THANKS: Final = N_("Thank you!")
EXPOSED: Final = N_("Exposed: {count}")
DISARMED: Final = N_("Disarmed: {count}")
TRIGGERED: Final = N_("Set off: {count}")

DRIFT_NS: Final = 3_000_000_000
"""How long drifting words stay at one place."""

_ACROSS, _DOWN = 61, 37
"""Steps that visit every place, so that no pixel is lit for long: neither divides the ways there are."""


@dataclass(frozen=True, slots=True)
class VisitMoment:
    """What decides the pictures. `head`: the rows of the QR code of the record's head, and `counts` the squares
    exposed, set off and disarmed, once the visit is over. `begun`: whether a game is on, and on disk."""

    visit: Visit
    languages: tuple[str, ...]
    warning_s: int | None = None
    begun: bool = True
    head: tuple[tuple[bool, ...], ...] = ()
    counts: tuple[int, int, int] = (0, 0, 0)

    @property
    def words(self) -> Words:
        """Translates into the language of the visit."""
        return words_of(self.languages[self.visit.language % len(self.languages)])


def picture(now: VisitMoment, seat: str, place: int, now_ns: int) -> SeatPicture:
    """Return what a seat's screen shows. `place`: of the seat among all, from 0."""
    match now.visit.state:
        case State.CLOSED:
            return Dark()
        case State.ATTRACT:
            step = now_ns // DRIFT_NS
            language = now.languages[(step + place) % len(now.languages)]
            return drift(words_of(language)(INVITATION), place, now_ns)
        case State.JOINING:
            return flag(now)
        case State.THANKS:
            return _thanks(now)
        case State.RESET:
            return Drift()
        case _:
            return _played(now, seat, place, now_ns)


def drift(text: str, place: int, now_ns: int) -> Drift:
    """Return words at their place of this time, another one on each seat. Only text as wide as the screen stays."""
    step = now_ns // DRIFT_NS + 7 * place
    wide, high = 128 - _wide(text), 64 - 8
    return Drift(text, step * _ACROSS % (wide + 1), step * _DOWN % (high + 1))


def _wide(text: str) -> int:
    from pi_app.displays import letters

    return min(128, letters.width(text))


def flag(now: VisitMoment) -> Say:
    """Return the flag of words of the language that is chosen now."""
    language = now.languages[now.visit.language % len(now.languages)]
    said = CHOOSE if len(now.languages) > 1 else ONLY_ONE
    return Say((OWN_NAMES[language], *_lines(words_of(language)(said))))


def _played(now: VisitMoment, seat: str, place: int, now_ns: int) -> SeatPicture:
    if now.warning_s is not None:
        phone = phone_lines(PHONE_WARNING, now.words, seconds=now.warning_s)
        return Say(_lines(now.words(WARNING).format(seconds=now.warning_s)), phone=phone)
    if not now.begun:
        return seat_says(Attention.NOT_RECORDED, now.words)
    guided = now.visit.guided
    if now.visit.state is State.FREE:
        return drift(now.words(HELP_TITLE), place, now_ns)
    if guided.seat in ("", seat) or guided.step is TurnStep.SEEN:
        return Say((sentence(guided.step, now.words),), phone=phone_sentence(guided.step, now.words))
    return Say(_lines(now.words(OTHERS_TURN).format(name=guided.seat)))


def _thanks(now: VisitMoment) -> SeatPicture:
    said = (now.words(THANKS), *results(now.counts, now.words))
    return ShowHead(said, now.head) if now.head else Say(said)


def results(counts: Sequence[int], words: Words) -> tuple[str, ...]:
    """Return what the group did, in words: a line for each thing that happened."""
    told = zip((EXPOSED, TRIGGERED, DISARMED), counts, strict=True)
    return tuple(words(said).format(count=count) for said, count in told if count)


def _lines(text: str) -> tuple[str, ...]:
    return tuple(text.split("\n"))
