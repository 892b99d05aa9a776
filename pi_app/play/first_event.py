"""The first event of a game, its id, and its die."""

from __future__ import annotations

import datetime
import functools
import os
import random
from collections.abc import Callable, Mapping

from pi_app.game import events as ev
from pi_app.game.chests import Chest
from pi_app.game.lamp_deal import drawn
from pi_app.settings.model import Settings


@functools.cache
def version() -> str:
    """Return the installed version of Trapdial."""
    import importlib.metadata

    return importlib.metadata.version("trapdial")


def game_id() -> str:
    """Return an id that no other game has."""
    return f"{datetime.datetime.now(datetime.UTC):%Y%m%d-%H%M%S}-{os.urandom(3).hex()}"


def fair_die() -> int:
    """Return 1 to 6, from the system's random source."""
    return random.SystemRandom().randint(1, 6)


def fair_pick(below: int) -> int:
    """Return 0 to `below` - 1, from the system's random source."""
    return random.SystemRandom().randrange(below)


def started(
    settings: Settings,
    *,
    simulated: bool,
    dials: Mapping[str, ev.DialSetup] | None = None,
    pick: Callable[[int], int] | None = None,
    chests: tuple[Chest, ...] = (),
    lamp_pick: Callable[[int], int] = fair_pick,
) -> ev.Started:
    """Return the first event of a game at this table. `dials`: the shapes of absolute dials. `pick` deals the trap
    tables; without it they lie where the settings say. `lamp_pick` deals the lamp codes."""
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
        seats=tuple(
            ev.SeatSetup(
                seat=key, name=s.name, language=s.language, heroes=s.heroes, lamp=drawn(s.lamp_kind, lamp_pick)
            )
            for key, s in settings.seats.items()
        ),
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
