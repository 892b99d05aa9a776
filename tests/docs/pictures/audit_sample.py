"""The sample report of the docs: a SIMULATED game with deliberate rule breaks, played and audited by the program.

`python -m tests.docs.pictures.audit_sample PICTURE.svg REPORT.html` writes the dials' paths and the report.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from pi_app.audit import plots
from pi_app.audit.files import audit_file
from pi_app.audit.forms import Made
from pi_app.audit.page import page
from pi_app.audit.page_style import DARK, LIGHT
from pi_app.audit.values import FileAudit
from pi_app.journal import Stamp
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.verdict import fingerprint
from pi_app.play.build import GameOptions
from pi_app.settings import load as table_settings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo, Twins

SEED: Final = 11
SECOND_NS: Final = 1_000_000_000
BEGAN: Final = datetime(2026, 5, 16, 14, 0, tzinfo=UTC)


MADE: Final = Made(program="Trapdial (a sample page)", date="2026-05-16 15:00 UTC")


class _Table:
    """Actions at a simulated table, one after the other."""

    def __init__(self, demo: Demo) -> None:
        self.demo = demo

    def pass_s(self, seconds: float) -> None:
        until_ns = self.demo.table.clock.now_ns() + round(seconds * SECOND_NS)
        while self.demo.table.clock.now_ns() < until_ns:
            self.demo.step()

    def tap(self, seat: str) -> None:
        self.demo.act(actions.Press(seat))
        self.pass_s(0.12)
        self.demo.act(actions.Release(seat))
        self.pass_s(0.6)

    def turn(self, square: str, clicks: int, gap_ms: float = 300.0) -> None:
        self.demo.act(actions.TurnDial(square, clicks, (gap_ms,) * (abs(clicks) - 1)))
        self.pass_s(abs(clicks) * gap_ms / 1e3 + 1.2)

    def hold(self, seat: str) -> None:
        self.demo.act(actions.Press(seat))
        self.pass_s(3.0)
        self.demo.act(actions.Release(seat))
        self.pass_s(4.0)

    def expose(self, seat: str, square: str, clicks: int, gap_ms: float = 300.0, *, die: int | None = None) -> None:
        self.tap(seat)
        if die is not None:
            self.say(f"rolled {seat} {die}")
        self.turn(square, clicks, gap_ms)
        self.hold(seat)

    def say(self, line: str) -> None:
        self.demo.loop.say(line)
        self.pass_s(2.0)


def play(journal: Path) -> None:
    """Play the sample game into a new journal."""
    demo: Demo = Demo(
        table_settings.load(table_settings.example_path("8x4")),
        journal,
        seed=SEED,
        twins=Twins(stamp=lambda: _stamp(demo)),
        game=GameOptions(new_game_id=lambda: "sample"),
    )
    with demo:
        while not demo.loop.ready:
            demo.step()
        table = _Table(demo)
        first, second, third, fourth = demo.settings.seats
        table.pass_s(5.0)
        table.expose(first, "T01", 3, die=3)
        table.expose(second, "T02", 8)
        table.say(f"expose T01 {third}")
        table.hold(third)
        table.expose(third, "T03", -2)
        demo.act(actions.InjectFault("T04", "magnet-weak", None))
        table.pass_s(12.0)
        table.expose(fourth, "T04", 5, 180.0, die=4)
        demo.act(actions.ClearFault("T04", "magnet-weak"))
        table.turn("T01", 2)
        table.pass_s(20.0)
        table.tap(first)
        table.turn("T05", 4)
        table.turn("T06", 2)
        table.hold(first)
        table.tap(second)
        table.say(f"drop {second}")
        demo.table.tiles["T06"].hand.stop_between(demo.table.clock.now_ns(), 0.5)
        table.pass_s(4.0)
        demo.act(actions.InjectFault("T07", "unplugged", None))
        table.pass_s(6.0)
        demo.act(actions.ClearFault("T07", "unplugged"))
        table.pass_s(6.0)
        table.expose(second, "T07", 6, 220.0)
        table.say(f"disarm T01 {first} quick 1 2 3")
        table.say(f"disarm T07 {second} slow 6 5 4")
        table.pass_s(3.0)
        table.say("end")


def _stamp(demo: Demo) -> Stamp:
    now_ns = demo.table.clock.now_ns()
    return Stamp("simulated sample", now_ns, (BEGAN + timedelta(microseconds=now_ns // 1000)).isoformat(), "ntp")


def sample(journal: Path) -> FileAudit:
    """Play and audit the game. Its keys are new every time; the record's identity here is made up, so that the page
    stays the same."""
    play(journal)
    audit = audit_file(journal)
    assert audit.record is not None
    assert audit.record.device is not None
    key = device_key(sha256(b"sample device").digest())
    head = Head.made(key, audit.entries, sha256(b"sample root").digest())
    device = fingerprint(key.public)
    said = tuple(each.replace(audit.record.device, device) for each in audit.record.verification)
    record = replace(
        audit.record, sha256=sha256(b"sample file").hexdigest(), device=device, head=head.text(), verification=said
    )
    return replace(audit, record=record)


def picture(audit: FileAudit) -> str:
    """The dials' paths as a separate SVG file that follows the reader's theme."""
    svg = plots.paths(audit.games[0], "sample")
    style = f"svg {{ background: var(--paper); {_css(LIGHT)} }} "
    style += f"@media (prefers-color-scheme: dark) {{ svg {{ {_css(DARK)} }} }}"
    return re.sub(r"(<svg [^>]*>)", rf"\1<style>{style}</style>", svg, count=1)


def _css(colours: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("Usage: python -m tests.docs.pictures.audit_sample PICTURE.svg REPORT.html")
    with tempfile.TemporaryDirectory(prefix="trapdial-") as folder:
        made = sample(Path(folder) / "sample.db")
    Path(sys.argv[1]).write_text(picture(made), encoding="utf-8")
    Path(sys.argv[2]).write_text(page([made], None, MADE), encoding="utf-8")
