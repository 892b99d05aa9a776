"""`trapdial settings new`: six questions, and a settings file with comments."""

from __future__ import annotations

import shlex
import signal
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar, get_args

import click

from pi_app.cli.asking import ask, confirmed
from pi_app.cli.options import as_one_value, overwrite_option
from pi_app.cli.printing import echo, echo_lines
from pi_app.text import exit_codes
from pi_app.text.languages import LANGUAGES

if TYPE_CHECKING:
    from pi_app.settings.new_settings import TableAnswers

A = TypeVar("A")

DEFAULT: Final = Path("trapdial.toml")


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"


STOPPED: Final = "Nothing was written."
NOTHING: Final = "Nothing was written: the input ended before the last answer."


@dataclass(frozen=True, slots=True)
class GivenAnswers:
    """The answers that the command line has; None is asked for."""

    pi: str | None
    squares: str | None
    seats: str | None
    screens: str | None
    phones: bool | None
    language: str | None


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE",
    default=DEFAULT,
    show_default=True,
    help="Write the settings into this file.",
)
@overwrite_option
@click.option("--pi", metavar="MODEL", help="Which Raspberry Pi: zero2, 3, 4 or 5.")
@click.option("--squares", metavar="NUMBER", help="How many trap squares, 1 to 16.")
@click.option("--seats", metavar="NUMBER", help="How many players, 1 to 4.")
@click.option("--screens", metavar="NUMBER", help="How many players have a small screen; the others get a lamp.")
@click.option("--phones/--no-phones", default=None, help="Whether phones may be screens too.")
@click.option("--language", metavar="LANGUAGE", help=f"The table's language: {_listed(LANGUAGES)}.")
@as_one_value(GivenAnswers)
@click.pass_context
def new(context: click.Context, given: GivenAnswers, output: Path, overwrite: bool) -> None:
    """Ask six questions, and write a settings file with comments.

    An empty answer takes what is in brackets. Answers can be given as options; with all six of them nothing is asked,
    so that a script needs no terminal. Every answer leads to settings that can be played and wired as they are.

    Exit code 1 if the input ends before the last answer; then nothing is written.
    """
    from pi_app.cli.stopping import Stopped
    from pi_app.cli.whole_file import check_are_new, make_folder_of, write_whole
    from pi_app.settings.new_settings import new_settings

    if not overwrite:
        check_are_new([output])
    try:
        table = ask_for_table(given)
    except click.Abort:
        echo()
        echo(NOTHING, err=True)
        context.exit(exit_codes.FOUND)
    except KeyboardInterrupt as error:
        raise Stopped(getattr(error, "number", signal.SIGINT), STOPPED) from error
    make_folder_of(output)
    write_whole(output, new_settings(table))
    echo(f"{output}: written. Next:")
    echo_lines(f"  {line}" for line in next_steps(output))


def next_steps(output: Path) -> Sequence[str]:
    """Return the commands to type next."""
    named = "" if output == DEFAULT else f" -s {shlex.quote(str(output))}"
    demo = f" -s {shlex.quote(str(output))}"
    return (f"trapdial settings check{named}", f"trapdial wiring{named} -o my_table", f"trapdial demo{demo}")


def ask_for_table(given: GivenAnswers) -> TableAnswers:
    """Ask for each answer that is not given. Raises Abort at the end of the input, UsageError for a wrong option."""
    from pi_app.settings.new_settings import MOST_SEATS, MOST_SQUARES, TableAnswers
    from pi_app.settings.wiring_section import PiModel

    pi = _answer("--pi", given.pi, "Which Raspberry Pi do you have: zero2, 3, 4 or 5?", "4", _choice(get_args(PiModel)))
    more_squares = "For more, add a second bus or a hub to the file afterwards"
    squares = _answer(
        "--squares",
        given.squares,
        f"How many trap squares, 1 to {MOST_SQUARES}?",
        "2",
        _number(1, MOST_SQUARES, more_squares),
    )
    more_seats = "For more, add their sections to the file afterwards"
    seats = _answer(
        "--seats", given.seats, f"How many players, 1 to {MOST_SEATS}?", "2", _number(1, MOST_SEATS, more_seats)
    )
    question = f"How many of them have a small screen, 0 to {seats}? The others get a lamp."
    one_each = "A player has one screen at most"
    screens = _answer("--screens", given.screens, question, str(seats), _number(0, seats, one_each))
    phones = confirmed("May phones be screens too?", default=False) if given.phones is None else given.phones
    question = f"Which language: {_listed(LANGUAGES)}?"
    language = _answer("--language", given.language, question, LANGUAGES[0], _choice(LANGUAGES))
    return TableAnswers(pi, squares, seats, screens, phones, language)


def _answer(option: str, given: str | None, question: str, usual: str, read: Callable[[str], A]) -> A:
    """Return the answer that is given or typed. `read` raises ValueError with a sentence that says what is wrong."""
    if given is not None:
        try:
            return read(given.strip())
        except ValueError as reason:
            raise click.UsageError(f"{option} {given}: {reason}") from None
    while True:
        try:
            return read(ask(f"{question} [{usual}]").strip() or usual)
        except ValueError as reason:
            echo(str(reason))


def _choice(words: Iterable[A]) -> Callable[[str], A]:
    from pi_app.text.suggest import one_of

    known = {str(word): word for word in words}

    def read(typed: str) -> A:
        try:
            return known[typed.casefold()]
        except KeyError:
            raise ValueError(f"Type {one_of(known)}.") from None

    return read


def _number(least: int, most: int, too_many: str) -> Callable[[str], int]:
    def read(typed: str) -> int:
        number = int(typed) if typed.isascii() and typed.isdecimal() and len(typed) <= LONGEST_NUMBER else None
        if number is not None and least <= number <= most:
            return number
        only = f"Type a whole number from {least} to {most}."
        raise ValueError(only if number is None or number < least else f"{only} {too_many}.")

    return read


LONGEST_NUMBER: Final = 9
