"""The life of a visit, pure: inputs and times in, states out.

    CLOSED - ATTRACT - JOINING - GUIDED - FREE - THANKS - RESET - ATTRACT

Every state but CLOSED and ATTRACT ends after a while without any input, so a visit is never stuck. One part that sends
inputs alone for long, such as a button that sticks and chatters, is no visitor: it stops counting.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from pi_app.station.visits import guide
from pi_app.station.visits.guide import Guided, TurnStep
from pi_app.station.visits.inputs import NOT_OF_A_HAND, Held, HoursSay, Input, LetGo, ResetDone, Tapped, source

SECOND_NS: Final = 1_000_000_000


class State(enum.Enum):
    """Where a visit is. Trouble is no state: it stands beside every one of them."""

    CLOSED = "closed"
    ATTRACT = "attract"
    JOINING = "joining"
    GUIDED = "guided"
    FREE = "free"
    THANKS = "thanks"
    RESET = "reset"


PLAYED: Final = (State.GUIDED, State.FREE)
"""The states in which a game is on."""

ALONE_NS: Final = 600 * SECOND_NS
"""A part that is the only one to send inputs for so long is no visitor's: nobody plays with one button or dial."""

QUIET_NS: Final = 60 * SECOND_NS
"""A part that was quiet for so long counts again."""


@dataclass(frozen=True, slots=True)
class VisitRules:
    """Times in ns. `languages`: how many can be chosen. `idle_ns`: without any input for so long a visit ends; for the
    last `warn_ns` of them every seat is warned. `choosing_ns`: after the last tap through the languages."""

    idle_ns: int = 90 * SECOND_NS
    languages: int = 5
    alone_ns: int = 10 * SECOND_NS
    choosing_ns: int = 3 * SECOND_NS
    joining_ns: int = 20 * SECOND_NS
    guided_ns: int = 90 * SECOND_NS
    warn_ns: int = 15 * SECOND_NS
    thanks_ns: int = 15 * SECOND_NS
    short_thanks_ns: int = 5 * SECOND_NS
    reset_ns: int = 1 * SECOND_NS


@dataclass(frozen=True, slots=True)
class Visit:
    """A visit now. `number`: of this visit, from 1; `since_ns`: when its state began; `input_ns`: the last input of a
    hand; `language`: the one chosen, by its place in the settings; `chosen_ns`: when it was tapped last, None before;
    `woken`: the next visitors are there already; `loud`: the part that sent the last inputs, and since when it alone
    did."""

    state: State = State.ATTRACT
    since_ns: int = 0
    number: int = 0
    open: bool = True
    input_ns: int = 0
    language: int = 0
    chosen_ns: int | None = None
    guided: Guided = field(default_factory=Guided)
    woken: bool = False
    loud: tuple[str, int, int] = ("", 0, 0)
    """Its name, since when it is the only one, and when it was heard last."""

    def at(self, state: State, now_ns: int) -> Visit:
        """Return the beginning of a state."""
        return replace(self, state=state, since_ns=now_ns)


def advance(visit: Visit, inputs: Iterable[Input], now_ns: int, rules: VisitRules) -> Visit:
    """Return the visit after these inputs and this time. Times must not decrease."""
    for given in inputs:
        visit = _taken(visit, given, now_ns, rules)
    while (after := _passed(visit, now_ns, rules)) is not visit:
        visit = after
    return visit


def begin_visit(visit: Visit, now_ns: int) -> Visit:
    """Begin the guide for the person who is here, in the first language; the group before has left."""
    fresh = Visit(number=visit.number, open=visit.open)
    return _guided(_begun(fresh, now_ns), now_ns)


def warning_s(visit: Visit, now_ns: int, rules: VisitRules) -> int | None:
    """Return the whole seconds until this visit ends without an input, rounded up; None before the warning."""
    left_ns = visit.input_ns + rules.idle_ns - now_ns
    if visit.state not in PLAYED or left_ns > rules.warn_ns:
        return None
    return max(0, -(-left_ns // SECOND_NS))


# ------------------------------------------------------------------------------------------------------- inputs


def _taken(visit: Visit, given: Input, now_ns: int, rules: VisitRules) -> Visit:
    if isinstance(given, HoursSay):
        return replace(visit, open=given.open)
    if isinstance(given, ResetDone):
        return _after_reset(visit, now_ns) if visit.state is State.RESET else visit
    visit, counts = _heard(visit, source(given), now_ns)
    if not counts and not isinstance(given, NOT_OF_A_HAND):
        return visit
    if counts:
        visit = replace(visit, input_ns=now_ns)
    match visit.state:
        case State.ATTRACT if counts and not isinstance(given, LetGo):
            return _begun(visit, now_ns)
        case State.JOINING:
            return _joining(visit, given, now_ns, rules)
        case State.GUIDED:
            return replace(visit, guided=guide.done(visit.guided, given, now_ns))
        case State.THANKS | State.RESET if isinstance(given, (Tapped, Held)):
            return replace(visit, woken=True)
        case _:
            return visit


def _heard(visit: Visit, part: str, now_ns: int) -> tuple[Visit, bool]:
    """Note which part sent an input. Return whether it counts."""
    if not part:
        return visit, False
    name, since_ns, last_ns = visit.loud
    if part != name or now_ns - last_ns >= QUIET_NS:
        since_ns = now_ns
    return replace(visit, loud=(part, since_ns, now_ns)), now_ns - since_ns < ALONE_NS


def _begun(visit: Visit, now_ns: int) -> Visit:
    """The first input of a group: it wakes the station, and chooses nothing yet."""
    begun = replace(visit, number=visit.number + 1, input_ns=now_ns, language=0, chosen_ns=None, woken=False)
    return begun.at(State.JOINING, now_ns)


def _joining(visit: Visit, given: Input, now_ns: int, rules: VisitRules) -> Visit:
    """A tap goes to the next language, a hold takes it. With one language, a tap begins."""
    if isinstance(given, Held) or (isinstance(given, Tapped) and rules.languages < 2):
        return _guided(visit, now_ns)
    if isinstance(given, Tapped):
        return replace(visit, language=(visit.language + 1) % rules.languages, chosen_ns=now_ns)
    return visit


# -------------------------------------------------------------------------------------------------------- times


def _passed(visit: Visit, now_ns: int, rules: VisitRules) -> Visit:
    """Return the visit after time alone; the same one if nothing is due."""
    waited_ns = now_ns - visit.since_ns
    match visit.state:
        case State.CLOSED:
            return visit.at(State.ATTRACT, now_ns) if visit.open else visit
        case State.ATTRACT:
            return visit if visit.open else visit.at(State.CLOSED, now_ns)
        case State.JOINING:
            return _guided(visit, now_ns) if _joined(visit, now_ns, rules) else visit
        case State.THANKS:
            least_ns = rules.short_thanks_ns if visit.woken else rules.thanks_ns
            return visit.at(State.RESET, now_ns) if waited_ns >= least_ns else visit
        case State.RESET:
            return _after_reset(visit, now_ns) if waited_ns >= rules.reset_ns else visit
        case _:
            return _played(visit, now_ns, rules)


def _joined(visit: Visit, now_ns: int, rules: VisitRules) -> bool:
    if now_ns - visit.since_ns >= rules.joining_ns:
        return True
    if visit.chosen_ns is None:
        return now_ns - visit.since_ns >= rules.alone_ns
    return now_ns - visit.chosen_ns >= rules.choosing_ns


def _guided(visit: Visit, now_ns: int) -> Visit:
    return replace(visit, guided=Guided(since_ns=now_ns)).at(State.GUIDED, now_ns)


def _played(visit: Visit, now_ns: int, rules: VisitRules) -> Visit:
    if now_ns - visit.input_ns >= rules.idle_ns:
        return replace(visit, woken=False).at(State.THANKS, now_ns)
    if visit.state is State.FREE:
        return visit
    guided = guide.passed(visit.guided, now_ns)
    if guided.step is TurnStep.DONE or now_ns - visit.since_ns >= rules.guided_ns:
        return replace(visit, guided=Guided(TurnStep.DONE, guided.seat, now_ns)).at(State.FREE, now_ns)
    return visit if guided is visit.guided else replace(visit, guided=guided)


def _after_reset(visit: Visit, now_ns: int) -> Visit:
    """Nothing of the group is left here either, but for the number of visits."""
    fresh = Visit(State.ATTRACT, now_ns, visit.number, visit.open, visit.input_ns, loud=visit.loud)
    return _begun(fresh, now_ns) if visit.woken and visit.open else fresh
