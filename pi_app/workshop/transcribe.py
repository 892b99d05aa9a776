"""Leads two people through reading a real dial, position by position, twice.

`transcribe` takes functions to ask and to print, so it runs in a terminal, from a pipe and in tests.
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
"""Ask a question and return the answer. It may raise to stop; nothing has been written then."""
Say = Callable[[str], None]

CLEAR_MARKS: Final = ("blank", "x")
MARKS: Final = (*TRAP_IDS, *CLEAR_MARKS, "disarmed", "start")
"""The possible answers for a position."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReadPosition:
    """One position as read: the face, and its mark (blank and x are both clear)."""

    face: Face
    mark: str

    def __repr__(self) -> str:
        return "ReadPosition((sealed))"


Round = tuple[ReadPosition, ...]
"""All positions of a dial, once round."""

WELCOME: Final = f"""\
This is best done by somebody who will not play with this dial. Give its square a label that reveals nothing.
Turn the dial to the start mark and lay on the filter. Then turn it one click at a time, counter-clockwise,
and write down what each position shows: the name of a trap, blank, x, disarmed, or start when it comes back.
The traps are {", ".join(TRAP_IDS[:4])},
{", ".join(TRAP_IDS[4:])}; the first letters of a name are enough if they are unique."""

GOODBYE: Final = """\
With the encoder on: set the dial to the start mark and calibrate. Counting must go up counter-clockwise and come
back to 0 after a whole turn. If it counts down, write invert = true in the settings; never renumber the table."""


def transcribe(ask: Ask, say: Say, turn_page: Callable[[], None]) -> TrapTable:
    """Return the table of a dial that two people have read and agree on. It passes every check of a table.

    `turn_page` is called before the second reading, so that the first cannot be copied.
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
        say("This cannot be a dial. Both of you: read it once more, from the start mark.")


def _check(name: str, reader: str, checker: str, date: str, seen: Round) -> ParsedTable:
    """Write the table and parse it like every other one."""
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
        seen = [ReadPosition(Face(position=0, kind="start"), "start")]
        while len(seen) <= MOST_CLICKS:
            mark = _until(ask, say, f"Position {len(seen)} shows", _mark)
            if mark == "start":
                break
            seen.append(_read_position(ask, say, len(seen), mark))
        wrong = _wrong_with(seen)
        if wrong is None:
            return tuple(seen)
        say(f"{wrong} Turn back to the start mark and go round once more.")


def _wrong_with(seen: Sequence[ReadPosition]) -> str | None:
    if len(seen) > MOST_CLICKS:
        return f"That is more than {MOST_CLICKS} positions without the start mark."
    if not any(each.mark == "disarmed" for each in seen):
        return "No position showed the disarmed mark, and every dial has one (T-DIAL-5)."
    return None


def _read_position(ask: Ask, say: Say, position: int, mark: str) -> ReadPosition:
    if mark in CLEAR_MARKS:
        return ReadPosition(Face(position=position, kind="clear"), mark)
    if mark == "disarmed":
        return ReadPosition(Face(position=position, kind="disarmed"), mark)
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
    return ReadPosition(face, mark)


# ------------------------------------------------------------------------------------------ two rounds agree


def _agree(ask: Ask, say: Say, first: Round, second: Round) -> Round:
    """Return the dial that both rounds agree on. A different number of clicks needs another round; any other difference
    is read again until a third reading agrees with one of the two."""
    while len(first) != len(second):
        say(f"One round had {len(first)} clicks and the other {len(second)}. Go round once more.")
        first, second = second, _read_round(ask, say)
    return tuple(one if one == two else _settle(ask, say, one, two) for one, two in zip(first, second, strict=True))


def _settle(ask: Ask, say: Say, one: ReadPosition, two: ReadPosition) -> ReadPosition:
    position = one.face.position
    while True:
        say(f"Position {position} was read as {_words(one)} and as {_words(two)}. Read it again together.")
        mark = _until(ask, say, f"Position {position} shows", _mark)
        third = None if mark == "start" else _read_position(ask, say, position, mark)
        if third is not None and third in (one, two):
            return third
        say("That matches neither of the two.")


def _words(seen: ReadPosition) -> str:
    face = seen.face
    if face.disarm is None:
        return seen.mark
    return f"{seen.mark}, click number {face.click_number}, disarm {face.disarm.printed()}, xp {face.xp}"


# ------------------------------------------------------------------------------------------------- answers


def _until(ask: Ask, say: Say, question: str, understand: Callable[[str], T]) -> T:
    """Ask until the answer is valid. `understand` raises ValueError with the reason if it is not."""
    while True:
        answer = ask(question).strip()  # outside: an input that cannot be read is not a wrong answer
        try:
            return understand(answer)
        except ValueError as reason:
            say(f"  {reason}")


def _mark(answer: str) -> str:
    plain = answer.casefold().replace(" ", "_").replace("-", "_").removeprefix("the_")
    begins = [mark for mark in MARKS if plain and mark.startswith(plain)]
    if plain in MARKS or len(begins) == 1:
        return plain if plain in MARKS else begins[0]
    raise ValueError(f"{answer!a} is unknown; {did_you_mean(answer, MARKS)}")


def _number(most: int) -> Callable[[str], int]:
    def understand(answer: str) -> int:
        if not (answer.isascii() and answer.isdigit() and len(answer) <= 4 and int(answer) <= most):
            raise ValueError(f"must be a whole number from 0 to {most}")
        return int(answer)

    return understand


def _another_person(answer: str, reader: str) -> str:
    checker = _checked_head("checked_by")(answer)
    if checker.casefold() == reader.casefold():
        raise ValueError("must be another person than the first")
    return checker


def _checked_head(key: str) -> Callable[[str], str]:
    """Validate an answer as `trap_table.parse` does."""

    def understand(answer: str) -> str:
        wrong = fault_in_head(key, answer) if answer else "must not be empty"
        if wrong is not None:
            raise ValueError(wrong)
        return answer

    return understand
