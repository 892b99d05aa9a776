"""A small table of rooms to test at: two pairs, two players."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pi_app.rooms.demo import RoomDemo
from pi_app.rooms.settings import parse
from pi_app.rooms.state import Game

TWO_PAIRS = """
[table]
name = "Four rooms"
scan_hz = 50
gap_limit_ms = 35

[bus.dials]
device = "/dev/i2c-1"
speed_hz = 400000

[[bus.dials.mux]]
address = 0x70

[player.ann]
name = "Ann"

[player.ben]
name = "Ben"
"""
ROOMS = {"R1": (1, "clockwise"), "R2": (1, "counterclockwise"), "R3": (2, "clockwise"), "R4": (2, "counterclockwise")}


def text(rules: str = "", **arrows: str) -> str:
    rooms = "".join(
        f'\n[room.{label}]\nbus = "dials"\nmux = 0x70\nchannel = {n}\npair = {pair}\n'
        f'arrow = "{arrows.get(label, arrow)}"\n'
        for n, (label, (pair, arrow)) in enumerate(ROOMS.items())
    )
    return TWO_PAIRS + (f"[rules]\n{rules}\n" if rules else "") + rooms


@dataclass
class At:
    """A simulated table and its lines."""

    demo: RoomDemo
    told: list[str]
    path: Path

    def says(self, *lines: str) -> list[str]:
        """Enter commands, and return the lines shown meanwhile."""
        before = len(self.told)
        for line in lines:
            self.demo.enter(line)
        return self.told[before:]

    def nudge(self, room: str) -> None:
        """A hand pushes a room off its seat, counter-clockwise, and leaves it between two positions."""
        hand = self.demo.twins.tiles[room].hand
        for _ in range(4):
            hand.stop_between(self.demo.twins.clock.now_ns(), 0.1)

    @property
    def game(self) -> Game:
        return self.demo.table.moment.game

    @property
    def findings(self) -> list[tuple[str, str | None]]:
        return [(finding.rule, finding.room) for finding in self.game.findings]


def put_back(demo: RoomDemo, room: str) -> None:
    """A hand lets a room that was nudged back into its seat."""
    hand, now_ns = demo.twins.tiles[room].hand, demo.twins.clock.now_ns()
    for _ in range(3):
        hand.stop_between(now_ns, -0.1)
    hand.turn(now_ns, -1)


@contextmanager
def table(folder: Path, rules: str = "") -> Iterator[At]:
    told: list[str] = []
    path = folder / "rooms.db"
    with RoomDemo(parse(text(rules), "rooms.toml"), path, told.append, seed=3) as demo:
        yield At(demo, told, path)
