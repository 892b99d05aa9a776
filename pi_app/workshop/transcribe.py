"""Leads two people through reading a real dial, position by position, twice.

`transcribe` is handed how to ask and how to speak, so it runs in a terminal, from a pipe and in tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from pi_app.game.trap_table import MOST_CLICKS, TRAP_IDS, Disarm, Face, Trap, TrapTable
from pi_app.game.trap_table_file import ParsedTable, fault_in_head, parse, write
from pi_app.text.suggest import did_you_mean
from pi_app.text.user_file import errors_of

Ask = Callable[[str], str]
"""Put a question, return the answer. May raise to break off; then nothing has been written."""
Say = Callable[[str], None]

CLEAR_MARKS: Final = ("blank", "x")
MARKS: Final = (*TRAP_IDS, *CLEAR_MARKS, "disarmed", "start")
"""What a position can be said to show."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Seen:
    """One position as somebody read it: the face, and the mark that stood there (blank and x are both clear)."""

    face: Face
    mark: str

    def __repr__(self) -> str:
        return "Seen((sealed))"


Round = tuple[Seen, ...]
"""All positions of a dial, once round."""

WELCOME: Final = f"""\
Best done by somebody who will not play with this dial. Put a label on its square that says nothing of it.
Turn the dial to the start mark and lay on the filter. Then turn it one click at a time, counter-clockwise,
and write down what each position shows: the name of a trap, blank, x, disarmed, or start when it comes back.
The traps are {", ".join(TRAP_IDS[:4])},
{", ".join(TRAP_IDS[4:])}; a clear beginning of a name is enough."""

GOODBYE: Final = """\
With the encoder on: set the dial to the start mark and calibrate. Counting must go up counter-clockwise and come
back to 0 after a whole turn. If it counts down, write invert = true in the settings; never renumber the table."""


def transcribe(ask: Ask, say: Say, turn_page: Callable[[], None]) -> TrapTable:
    """The table of a dial that two people have read and agree on. It passes every check that refuses a table.

    `turn_page` is called before the second reading, so that it cannot be copied off the first.
    """
    say(WELCOME)
    name = _until(ask, say, "A name for this table", _checked_head("name"))
    reader = _until(ask, say, "Who reads the dial now", _checked_head("transcribed_by"))
    date = _until(ask, say, "Today's date (year-month-day)", _checked_head("date"))
    while True:
        first = _read_round(ask, say)
        turn_page()
        say("Back to the start mark. Now a second person reads the whole dial aloud again.")
        checker = _until(ask, say, "Who reads now", lambda answer: _another_person(answer, reader))
        agreed = _agree(ask, say, first, _read_round(ask, say))
        checked = _check(name, reader, checker, date, agreed)
        if checked.table is not None:
            say(GOODBYE)
            return checked.table
        say("\n".join(str(problem) for problem in errors_of(checked.problems)))
        say("That cannot be a dial. Both read it once more, from the start mark.")


def _check(name: str, reader: str, checker: str, date: str, seen: Round) -> ParsedTable:
    """Through the same door as every other table: what is written is what was checked."""
    table = TrapTable(
        name=name,
        provenance="transcribed",
        transcribed_by=reader,
        checked_by=checker,
        date=date,
        clicks=len(seen),
        note=_note(seen),
        faces=tuple(each.face for each in seen),
    )
    return parse(write(table), name)


def _note(seen: Round) -> str:
    return "; ".join(
        f"{mark} at " + ", ".join(str(each.face.position) for each in seen if each.mark == mark)
        for mark in CLEAR_MARKS
        if any(each.mark == mark for each in seen)
    )


# ---------------------------------------------------------------------------------------------- one round


def _read_round(ask: Ask, say: Say) -> Round:
    while True:
        seen = [Seen(Face(position=0, kind="start"), "start")]
        while len(seen) <= MOST_CLICKS:
            mark = _until(ask, say, f"Position {len(seen)} shows", _mark)
            if mark == "start":
                break
            seen.append(_look(ask, say, len(seen), mark))
        wrong = _wrong_with(seen)
        if wrong is None:
            return tuple(seen)
        say(f"{wrong} Turn back to the start mark and go round once more.")


def _wrong_with(seen: Sequence[Seen]) -> str | None:
    if len(seen) > MOST_CLICKS:
        return f"That is more than {MOST_CLICKS} positions without the start mark."
    if not any(each.mark == "disarmed" for each in seen):
        return "No position showed the disarmed mark, and every dial has one (T-DIAL-5)."
    return None


def _look(ask: Ask, say: Say, position: int, mark: str) -> Seen:
    if mark in CLEAR_MARKS:
        return Seen(Face(position=position, kind="clear"), mark)
    if mark == "disarmed":
        return Seen(Face(position=position, kind="disarmed"), mark)
    click_number = _until(ask, say, "  click number as printed", _number(99))
    disarm = _until(ask, say, "  disarm number, with + if printed", Disarm.parse)
    xp = _until(ask, say, "  experience value", _number(9999))
    face = Face(
        position=position,
        kind="trap",
        click_number=click_number,
        trap=Trap(mark),
        disarm=disarm,
        xp=xp,
    )
    return Seen(face, mark)


# ------------------------------------------------------------------------------------------ two rounds agree


def _agree(ask: Ask, say: Say, first: Round, second: Round) -> Round:
    """The dial that both rounds saw. A different number of clicks means another round; any other difference
    is looked at again until a third look agrees with one of the two."""
    while len(first) != len(second):
        say(f"One round had {len(first)} clicks and the other {len(second)}. Go round once more.")
        first, second = second, _read_round(ask, say)
    return tuple(one if one == two else _settle(ask, say, one, two) for one, two in zip(first, second, strict=True))


def _settle(ask: Ask, say: Say, one: Seen, two: Seen) -> Seen:
    position = one.face.position
    while True:
        say(f"Position {position} was read as {_words(one)} and as {_words(two)}. Look at it again together.")
        mark = _until(ask, say, f"Position {position} shows", _mark)
        third = None if mark == "start" else _look(ask, say, position, mark)
        if third is not None and third in (one, two):
            return third
        say("That is neither of the two.")


def _words(seen: Seen) -> str:
    face = seen.face
    if face.disarm is None:
        return seen.mark
    return f"{seen.mark}, click number {face.click_number}, disarm {face.disarm.printed()}, xp {face.xp}"


# ------------------------------------------------------------------------------------------------- answers


def _until(ask: Ask, say: Say, question: str, understand: Callable[[str], T]) -> T:
    """Ask until the answer is understood. `understand` raises ValueError with the reason if it is not."""
    while True:
        try:
            return understand(ask(question).strip())
        except ValueError as reason:
            say(f"  {reason}")


def _mark(answer: str) -> str:
    plain = answer.casefold().replace(" ", "_").replace("-", "_").removeprefix("the_")
    begins = [mark for mark in MARKS if plain and mark.startswith(plain)]
    if plain in MARKS or len(begins) == 1:
        return plain if plain in MARKS else begins[0]
    raise ValueError(f"nothing is called {answer!a}; {did_you_mean(answer, MARKS)}")


def _number(most: int) -> Callable[[str], int]:
    def understand(answer: str) -> int:
        if not (answer.isascii() and answer.isdigit() and len(answer) <= 4 and int(answer) <= most):
            raise ValueError(f"must be a whole number from 0 to {most}")
        return int(answer)

    return understand


def _another_person(answer: str, reader: str) -> str:
    checker = _checked_head("checked_by")(answer)
    if checker.casefold() == reader.casefold():
        raise ValueError("must be another person than the first one")
    return checker


def _checked_head(key: str) -> Callable[[str], str]:
    """Understands an answer as `tables.parse` would: one place knows what a head may hold."""

    def understand(answer: str) -> str:
        wrong = fault_in_head(key, answer) if answer else "must not be empty"
        if wrong is not None:
            raise ValueError(wrong)
        return answer

    return understand
