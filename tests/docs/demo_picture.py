"""Draws the README's picture of the demo: one player turns a dial, another looks at a SAMPLE trap.

`python -m tests.docs.demo_picture FILE.svg` writes it from the program's own screen.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Final

from pi_app.game.rules import DIE
from pi_app.settings import load as table_settings
from pi_app.settings.model import Settings
from pi_app.simulated.live.app import LiveScreen
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.values import LiveSeat
from pi_app.text.errors import UserFileError
from tests.docs.terminal_svg import self_contained

WIDTH: Final = 120
HEIGHT: Final = 40
SEED: Final = 7


def screenshot(settings: Settings, journal: Path, path: Path) -> None:
    """Play to that moment without waiting, and write the screen as an SVG without external references.

    The same settings give the same picture. Raises UserFileError if `path` cannot be written.
    """
    table = LiveTable(settings, journal, seed=SEED)
    with table.opened():
        _play(table)
        picture = asyncio.run(_picture(table))
    write(path, picture)


def write(path: Path, picture: str) -> None:
    """Write the picture, over an older one. Raises UserFileError."""
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        told = f"{path} (picture) cannot be written ({error.strerror}). Choose another place."
        raise UserFileError([told]) from error


def _play(table: LiveTable) -> None:
    seats, squares = list(table.settings.seats), list(table.settings.squares)
    first, second = seats[0], seats[-1]
    table.pass_s(1.0)
    _expose(table, second, squares[-1], 2)
    _expose(table, first, squares[0], _a_trap(table.settings, squares[0]))
    table.plug(squares[len(squares) // 2])
    table.tap(second)
    table.pass_s(1.5)
    table.hold(first)
    table.pass_s(0.6)
    table.turn(squares[1], 4)
    table.pass_s(0.3)
    while not _seat(table, first).lamp:
        table.pass_s(0.05)


def _expose(table: LiveTable, seat: str, square: str, clicks: int) -> None:
    """Tap. Turn. Hold."""
    table.tap(seat)
    table.pass_s(0.5)
    table.turn(square, clicks)
    table.pass_s(0.7 * clicks + 0.5)
    table.hold(seat)
    table.pass_s(1.5)
    table.hold(seat)
    table.pass_s(0.5)


def _a_trap(settings: Settings, square: str) -> int:
    """Return the highest die that shows a trap."""
    faces = settings.squares[square].table.faces
    return max((roll for roll in DIE if faces[roll].trap is not None), default=1)


def _seat(table: LiveTable, seat: str) -> LiveSeat:
    snapshot = table.snapshot
    if snapshot is None:
        raise RuntimeError("the table is not open")
    return next(view for view in snapshot.seats if view.seat == seat)


async def _picture(table: LiveTable) -> str:
    snapshot = table.snapshot
    if snapshot is None:
        raise RuntimeError("the table is not open")
    screen = LiveScreen(table, snapshot, seed=SEED, over=lambda: False)
    async with screen.run_test(size=(WIDTH, HEIGHT)) as pilot:
        await pilot.pause()
        return self_contained(screen.export_screenshot())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Say where the picture goes: python -m tests.docs.demo_picture wiring_docs/demo.svg")
    with tempfile.TemporaryDirectory(prefix="trapdial-") as folder:
        example = table_settings.load(table_settings.example_path("8x4"))
        screenshot(example, Path(folder) / "journal.db", Path(sys.argv[1]))
