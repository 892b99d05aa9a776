"""The story of a game that has ended, in a few lines: which trap lay where, and who knew it since when.

A game that has not ended has no story: its secrets stay sealed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from pi_app import journal as jn
from pi_app.audit.values import Known, clock_text
from pi_app.audit.who_knew import WhoKnew
from pi_app.game import events as ev
from pi_app.game.game import apply
from pi_app.game.state import Game, Phase
from pi_app.game.trap_words import trap_name
from pi_app.journal import Entry
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.text.language import N_, Words, listed

MOST_SQUARES: Final = 8
"""Squares with a line of their own; the audit tells the rest."""

TRAP: Final = N_("{square} was {trap}: {told}.")
CLEAR: Final = N_("{square} was clear: {told}.")
FIRST: Final = N_("{names} knew it at {time}")
LATER: Final = N_("{names} learned it at {time}")
UNSEEN: Final = N_("Not exposed: {squares}.")
MORE: Final = N_("The audit also tells about {squares}.")


def story(path: Path, game_id: str, words: Words) -> tuple[str, ...]:
    """Return the story of one game in a journal; nothing if it has not ended. Raises JournalFileError."""
    game, known = _played(jn.read(path, MAGE_KNIGHT, game_id))
    if game.phase is not Phase.ENDED:
        return ()
    told = {label: found for label in game.squares if (found := [each for each in known if each[0].square == label])}
    first = sorted(told, key=lambda label: told[label][0][0].at_s)
    lines = [_square(label, told[label], words) for label in first[:MOST_SQUARES]]
    if first[MOST_SQUARES:]:
        lines.append(words(MORE).format(squares=listed(first[MOST_SQUARES:], words)))
    if unseen := [label for label in game.squares if label not in told]:
        lines.append(words(UNSEEN).format(squares=listed(unseen, words)))
    return tuple(lines)


Learned = tuple[Known, str | None]
"""Who learned a square when, and the trap's name as a message; None for a clear square."""


def _played(entries: Iterable[Entry[ev.AnyEvent]]) -> tuple[Game, list[Learned]]:
    """Return the game at its end, and what each seat learned, in order."""
    game, knew, learned = Game(), WhoKnew(), list[Learned]()
    began_ns: int | None = None
    for entry in entries:
        began_ns = entry.mono_ns if began_ns is None else began_ns
        after, at_s = apply(game, entry.event), (entry.mono_ns - began_ns) / 1e9
        before = len(knew.known)
        knew.take(game, entry.event, after, entry=entry.seq, wall=entry.wall, at_s=at_s)
        for known in itertools.islice(knew.known.values(), before, None):
            trap = after.squares[known.square].trap
            if known.seat != "*":
                learned.append((known, None if trap is None else trap_name(trap)))
        game = after
    return game, learned


def _square(label: str, learned: list[Learned], words: Words) -> str:
    """Return the line of one square: players who learned it at one moment stand together."""
    trap = learned[0][1]
    told = "; ".join(_moments((known for known, _ in learned), words))
    if trap is None:
        return words(CLEAR).format(square=label, told=told)
    return words(TRAP).format(square=label, trap=words(trap), told=told)


def _moments(learned: Iterable[Known], words: Words) -> Iterator[str]:
    for number, (_, group) in enumerate(itertools.groupby(learned, key=lambda known: known.entry)):
        together = list(group)
        names = listed((known.name for known in together), words)
        yield words(LATER if number else FIRST).format(names=names, time=clock_text(together[0].at_s))
