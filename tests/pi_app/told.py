"""A game without dials, for tests of typed lines: what is typed, what is answered, what everyone reads."""

from __future__ import annotations

import random

import msgspec

from pi_app.game import events as ev
from pi_app.game.moves import what_now
from pi_app.game.ruleset import Ruleset
from pi_app.game.state import Square
from pi_app.game.trap_table import Trap
from pi_app.play.commands import words as commands
from pi_app.play.commands.parse import parse
from pi_app.report.moment import Moment
from pi_app.text.language import Words
from tests.pi_app.games import exposes, played, started, table_with, turned

TRAPS = (
    Trap.BUZZ_SAW,
    Trap.CAGE,
    Trap.FALLING_WEIGHT,
    Trap.FIRE_JETS,
    Trap.JAWS_OF_DOOM,
    Trap.MONSTROUS_HAND,
    Trap.NOXIOUS_ACID_POOL,
    Trap.SPIKED_PIT,
)
"""What lies on T01 to T08. T02 is disarmed against 6+, the others against 7."""

SEATS = ("Ann", "Ben", "Cal", "Dee")


def english(message: str) -> str:
    return message


def eight_squares(*clear: str, rules: Ruleset | None = None) -> ev.Started:
    """Return the first event of a game of four players on eight squares, one trap on each; or none on those `clear`."""
    tables = [
        table_with(None if f"T{n:02}" in clear else trap, disarm="6+" if trap is Trap.CAGE else "7")
        for n, trap in enumerate(TRAPS, 1)
    ]
    seats = tuple(ev.SeatSetup(seat=name.upper(), name=name) for name in SEATS)
    return msgspec.structs.replace(started(*tables, rules=rules), seats=seats)


class Told:
    """A game in play. `lines` are the answers to typed lines and the prompts, in order."""

    def __init__(self, first: ev.Started, words: Words = english) -> None:
        self.words, self.draw = words, random.Random(17)
        self.moment: Moment = played(first)
        self.events: list[ev.AnyEvent] = [first]
        self.lines: list[str] = []

    def apply(self, event: ev.AnyEvent) -> None:
        before = self.moment.game
        self.events.append(event)
        self.moment = played(event, moment=self.moment)
        if not isinstance(event, ev.Undone):
            self.lines += [note.text(self.words) for note in what_now(before, self.moment.game, event)]

    def say(self, line: str, *dice: int) -> list[str]:
        """Type a line; `dice` are what the device rolls for it. Return what is answered, a refusal included."""
        start = len(self.lines)
        try:
            command = parse(line, self.moment.game, self.words)
            if isinstance(command, commands.Throw):
                thrown = dice or tuple(self.draw.randint(1, 6) for _ in range(command.dice))
                command = parse(line, self.moment.game, self.words, thrown)
            self._carry_out(command)
        except commands.RefusedError as refused:
            self.lines.append(f"REFUSED {refused}")
        return self.lines[start:]

    def _carry_out(self, command: commands.Command) -> None:
        match command:
            case commands.Order(event, notes, then):
                self.lines += notes
                self.apply(event)
                if then is not None:
                    self.apply(then)
            case commands.Chance(made):
                self.apply(made(self.draw.randrange))
            case commands.Reply(lines):
                self.lines += lines
            case _:
                pass

    def expose(self, square: str, seat: str, clicks: int = 3) -> None:
        for event in exposes(square, clicks, seat.upper()):
            self.apply(event)

    def turn(self, square: str, clicks: int = 3) -> list[str]:
        """Turn the dial that a figure has just set off."""
        start = len(self.lines)
        claim = self.moment.game.claim_on(square)
        assert claim is not None, f"no figure has set {square} off"
        self.apply(turned(square, clicks, claim.seat, purpose=claim.purpose))
        return self.lines[start:]

    def square(self, label: str) -> Square:
        return self.moment.game.squares[label]

    def xp(self, seat: str) -> int:
        return self.moment.game.seats[seat.upper()].xp

    def public(self, label: str) -> str:
        return self.moment.report("public").lines[label]

    def rules(self) -> list[str]:
        return [finding.rule for finding in self.moment.game.findings]
