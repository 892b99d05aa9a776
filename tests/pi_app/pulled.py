"""The referee's sentences about each fault, injected at the larger example table, without the state of the squares and
the findings.

`python -m tests.pi_app.pulled` prints the table of `wiring_docs/troubles.md`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from hardware.sims.faults import FAULTS
from pi_app.play.build import Outputs
from pi_app.settings import load as st
from pi_app.settings.model import Settings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo

SQUARE = "T02"
LASTS_S = 3.0
AFTER_S = 8.0


class Referee:
    """Collects the sentences that are no line of the referee's report."""

    def __init__(self) -> None:
        self.read: list[str] = []
        self.demo: Demo | None = None

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        if self.demo is None or viewer != "referee":
            return
        if line not in self.demo.loop.moment.reports["referee"].lines.values():
            self.read.append(line)


def pulled(fault: str, settings: Settings | None = None) -> tuple[list[str], list[str]]:
    """Return the referee's sentences while the fault lasts, and those after its end."""
    referee = Referee()
    used = settings or st.load(st.example_path("8x4"))
    outputs = Outputs([referee])
    with tempfile.TemporaryDirectory() as folder, Demo(used, Path(folder) / "journal.db", outputs=outputs) as demo:
        run(demo, 1.0)
        referee.demo = demo
        demo.act(actions.InjectFault(SQUARE, fault, None))
        run(demo, LASTS_S)
        during = list(referee.read)
        demo.act(actions.ClearFault(SQUARE, fault))
        run(demo, AFTER_S)
        return during, referee.read[len(during) :]


def run(demo: Demo, seconds: float) -> None:
    until_ns = demo.table.clock.now_ns() + round(seconds * 1e9)
    while demo.table.clock.now_ns() < until_ns:
        demo.step()


def row(fault: str) -> str:
    during, after = pulled(fault)
    return f"| `{fault}` | {cell(during)} | {cell(after)} |"


def cell(sentences: list[str]) -> str:
    return " ".join(sentences) or "nothing"


if __name__ == "__main__":
    sys.stdout.write("| fault | the referee reads | and when it is over |\n| --- | --- | --- |\n")
    for fault in FAULTS:
        sys.stdout.write(f"{row(fault)}\n")
