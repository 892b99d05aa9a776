"""One line of the doctor's report."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Final

from hardware.errors import BusGlitch, BusStuck, HardwareError, NoAnswer, NoBus, NoPins, WrongChip
from hardware.readings import Magnet

NOT_TRIED: Final = "was not checked"


class Sign(enum.Enum):
    """The state of a part, as a sign that needs no colour."""

    GOOD = "ok"
    FAILS = "!!"
    UNSURE = "??"


class Symptom(enum.Enum):
    """What ails a part, for the drawing. Without a symptom, the sign alone counts."""

    SILENT = "silent"
    ELSEWHERE = "another chip, or the chip at another address"
    TOO_WEAK = "magnet too weak"
    TOO_STRONG = "magnet too strong"
    NO_MAGNET = "no magnet"
    HOLDS = "holds its bus"
    FLAKY = "answers intermittently"
    UNSEEN = "not checked"


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor: part, place, finding, and advice (may be empty).

    `refuses`: no game may start with this, since its dials might be missing or mixed up. `about`: the id of the part in
    the wiring (`pi_app.plans.wiring.values.Part`), or empty. `address`: where something answers that should not.
    """

    sign: Sign
    part: str
    place: str
    seen: str
    advice: str = ""
    refuses: bool = False
    about: str = ""
    found: Symptom | None = None
    address: int | None = None

    def __str__(self) -> str:
        return f"{self.sign.value}  {self.words}"

    @property
    def words(self) -> str:
        """The line without its sign."""
        line = f"{self.part} ({self.place}): {self.seen}"
        return f"{line}. {self.advice}" if self.advice else line


def field(part: str, place: str, magnet: Magnet, words: str) -> Check:
    """An encoder's report on its magnet; advice follows a colon in `words` (`hardware/chips/dial_chip.py`)."""
    seen, _, advice = words.partition(": ")
    sign = {Magnet.GOOD: Sign.UNSURE if advice else Sign.GOOD, Magnet.MISSING: Sign.FAILS}.get(magnet, Sign.UNSURE)
    advice = f"{advice[:1].upper()}{advice[1:]}." if advice else ""
    return Check(sign, part, place, seen, advice, found=OF_MAGNETS.get(magnet))


SEALED_MAGNET: Final = "answers; while a game is on nothing more is told of its magnet, which varies as the dial turns"


def sealed(check: Check) -> Check:
    """Return a check as it may be shown while a game is on: the strength of a magnet hints at its dial's position."""
    tells = check.part.startswith("encoder of ") and ("magnet" in check.seen or "field" in check.seen)
    if not tells or check.found is Symptom.NO_MAGNET:
        return replace(check, seen=check.seen.partition(" (")[0]) if tells else check
    return Check(Sign.GOOD, check.part, check.place, SEALED_MAGNET, about=check.about)


OF_MAGNETS: Final = {
    Magnet.MISSING: Symptom.NO_MAGNET,
    Magnet.TOO_WEAK: Symptom.TOO_WEAK,
    Magnet.TOO_STRONG: Symptom.TOO_STRONG,
}


def not_tried(part: str, place: str, why: str, about: str = "") -> Check:
    """A part that cannot be checked because another one fails."""
    return Check(Sign.UNSURE, part, place, f"{NOT_TRIED}, because {why}", about=about, found=Symptom.UNSEEN)


def failing(error: HardwareError, part: str = "", place: str = "") -> Check:
    """An error as a line; if another part failed on the way, its own words are quoted."""
    own = not part or error.part.startswith("chip ") or error.part == part
    seen = error.seen if own or not place else f"cannot be reached: {error.part} {error.seen}"
    refuses = isinstance(error, (NoBus, NoPins, WrongChip)) or part.startswith("mux ")
    found = next((found for kind, found in _OF_ERRORS.items() if isinstance(error, kind)), None)
    return Check(Sign.FAILS, part or error.part, place or error.place, seen, error.advice, refuses, found=found)


_OF_ERRORS: Final = {
    NoAnswer: Symptom.SILENT,
    BusStuck: Symptom.HOLDS,
    BusGlitch: Symptom.FLAKY,
    WrongChip: Symptom.ELSEWHERE,
}
