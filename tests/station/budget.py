"""Years of games at a small budget: `python -m tests.station.budget [GAMES] [BUDGET_MB]`.

Writes that many games into one station's record, tidies up after each as between two visits, and checks after each that
the budget holds; every thousand games, and at the end, that every record that is left is sound and continues the one
before it. Prints how much was kept, how long the steps took, and how the program's memory grew.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from array import array
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.journal.past import bytes_of, past_logs, past_of
from pi_app.journal.record.verdict import RecordVerdict
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from pi_app.station.records import CHECK_EVERY_NS, Records
from tests.pi_app.games import exposes
from tests.pi_app.journal.keeping import STAMP, WHOLE

MEGABYTE: Final = 1024 * 1024

GAME: Final = (*WHOLE[:-1], *exposes("T02", 2, "BEN"), *(ev.Looked(seat="ANN", square="T01"),) * 20, ev.Ended())
"""The events of one game: some thirty."""


@dataclass(slots=True)
class Tally:
    """What a run has measured. `steps` has the processor time of `Records.step` in seconds, by what it
    did: what the disk adds is another matter."""

    games: int = 0
    most_bytes: int = 0
    steps: dict[str, array[float]] = field(default_factory=dict)
    left: int = 0
    gone: int = 0
    logs: int = 0
    heads: int = 0

    def times(self) -> list[str]:
        """Return how long the steps of each kind took."""
        return [
            f"{len(its)} times it {what}: median {1e3 * sorted(its)[len(its) // 2]:.1f} ms, 99 of 100 within "
            f"{1e3 * sorted(its)[int(0.99 * len(its))]:.1f} ms, the longest {1e3 * max(its):.1f} ms."
            for what, its in self.steps.items()
        ]


class Station:
    """A station's record on a clock that only moves when it is told."""

    def __init__(self, folder: Path, budget: int, keep: str = "records", boot: str = STAMP.boot) -> None:
        """`boot`: another one for each life of a station, whose clock begins from nothing."""
        self.path, self.budget, self.tally = folder / "journal.db", budget, Tally()
        self._ns, self._boot = STAMP.mono_ns, boot
        self.journal: Journal[Moment, ev.AnyEvent] = Journal(self.path, MAGE_KNIGHT, self._stamp, shrinks=True)
        self.records = Records(self.journal, budget, keep, stamp=self._stamp, now_ns=self._now_ns)  # type: ignore[arg-type]

    def _stamp(self) -> jn.Stamp:
        self._ns += 1000
        return replace(STAMP, mono_ns=self._ns, boot=self._boot)

    def _now_ns(self) -> int:
        return self._ns

    def play(self, game: str) -> None:
        """Play one game, then tidy up until nothing is due."""
        moment = NO_GAME
        for event in GAME:
            moment = self.journal.append(game, moment, event)
        self.journal.checkpoint_if_due()  # as the loop does when nobody plays
        self.tally.games += 1
        self._ns += CHECK_EVERY_NS
        while self._timed_step():
            self.tally.most_bytes = max(self.tally.most_bytes, bytes_of(self.path))
        here = bytes_of(self.path)
        self.tally.most_bytes = max(self.tally.most_bytes, here)
        assert here <= self.budget, f"{here} bytes after {game}"
        assert self.records.trouble == "", self.records.trouble

    def _timed_step(self) -> bool:
        began = time.process_time()
        more = self.records.step()
        if more:
            self.tally.steps.setdefault(self.records.did.value, array("d")).append(time.process_time() - began)
        return more

    def check(self) -> None:
        """Verify every record that is left, and count its games. Raises AssertionError."""
        before: RecordVerdict | None = None
        self.tally.left = self.tally.gone = self.tally.logs = 0
        for log in (*past_logs(self.path), self.path):
            verdict = jn.verify(log)
            if verdict.size == 0:
                continue
            assert verdict.damage is None, verdict.damage
            if before is not None:
                assert verdict.follows is not None, log
                assert verdict.follows.device == before.device, log
            before = verdict
            self.tally.logs += 1
            self.tally.left += sum(not game.deleted for game in verdict.games)
            self.tally.gone += sum(game.deleted for game in verdict.games)
        heads = past_of(self.path) / "heads.txt"
        self.tally.heads = len(heads.read_text(encoding="utf-8").splitlines()) if heads.exists() else 0

    def close(self) -> None:
        """Close everything."""
        self.records.close()
        self.journal.close()


def run(folder: Path, games: int, budget: int, every: int = 1000) -> Tally:
    """Play so many games at a budget, checking every so many."""
    station = Station(folder, budget)
    try:
        for number in range(games):
            station.play(f"g{number:08}")
            if number % every == every - 1:
                station.check()
        station.check()
    finally:
        station.close()
    return station.tally


def main() -> None:
    """Run as a program."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    budget = int(float(sys.argv[2] if len(sys.argv) > 2 else 50) * MEGABYTE)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("warm", "long"):
            (Path(folder) / name).mkdir()
        run(Path(folder) / "warm", 20, budget)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began = time.process_time()
        tally = run(Path(folder) / "long", games, budget)
        grew = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    for line in (
        f"{tally.games} games of {len(GAME)} entries in {time.process_time() - began:.0f} s; budget {budget:,} bytes.",
        f"Most at any step: {tally.most_bytes:,} bytes.",
        f"Left: {tally.left} games in {tally.logs} records; of {tally.gone} more the hashes, of {tally.heads} older "
        "records the heads.",
        *tally.times(),
        f"The peak of the program's memory grew by {grew} KB.",
    ):
        sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
