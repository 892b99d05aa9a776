"""How a game begins: its name, its die, and its first event."""

from __future__ import annotations

import datetime
import functools
import os
import random
from collections.abc import Callable, Mapping

from pi_app.game import events as ev
from pi_app.game.chests import Chest
from pi_app.settings.load import Settings


@functools.cache
def version() -> str:
    """The installed version of Trapdial."""
    import importlib.metadata

    return importlib.metadata.version("trapdial")


def game_id() -> str:
    """A name for a new game that no other game has."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"


def fair_die() -> int:
    """1 to 6, from the system's own random source."""
    return random.SystemRandom().randint(1, 6)


def started(
    settings: Settings,
    *,
    simulated: bool,
    dials: Mapping[str, ev.DialSetup] | None = None,
    pick: Callable[[int], int] | None = None,
    chests: tuple[Chest, ...] = (),
) -> ev.Started:
    """The first event of a game at this table. `dials`: how those are read that are not only counting steps. `pick`:
    deals the trap tables anew; without it they lie where the settings say."""
    from pi_app.game.shuffle import dealt

    dials = dials or {}
    printed = tuple(square.table for square in settings.squares.values())
    tables = printed if pick is None else dealt(printed, pick)
    return ev.Started(
        version=version(),
        table_name=settings.table.name,
        language=settings.table.language,
        simulated=simulated,
        ruleset=settings.ruleset,
        seats=tuple(ev.SeatSetup(seat=key, name=s.name, language=s.language) for key, s in settings.seats.items()),
        squares=tuple(
            ev.SquareSetup(
                label=label,
                table=table,
                absolute=s.kind.absolute,
                dial=dials.get(label) if s.kind.absolute else None,
            )
            for (label, s), table in zip(settings.squares.items(), tables, strict=True)
        ),
        chests=chests,
        shuffled=pick is not None,
    )
