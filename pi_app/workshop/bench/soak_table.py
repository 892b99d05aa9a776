"""A simulated table under soak: faults strike its tiles, the program is killed and started again, and every step is
compared with what the hands did."""

from __future__ import annotations

import gc
import random
import shutil
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from pi_app.game.state import Phase
from pi_app.journal import keys_of
from pi_app.simulated import actions
from pi_app.text.errors import UserFileError, problem
from pi_app.workshop.bench.soak_faults import FaultCounts, RandomFaults
from pi_app.workshop.bench.soak_truth import Truth, TurnCounts

if TYPE_CHECKING:
    from pi_app.settings.model import Settings
    from pi_app.simulated.demo import Demo

S_NS: Final = 1_000_000_000
DOWN_S: Final = (2.0, 30.0)
TURNED_MEANWHILE: Final = 0.3


class SoakTable:
    """One table, watched from step to step. Its journal lies in `folder`."""

    def __init__(
        self, settings: Settings, folder: Path, seed: int, turns: TurnCounts, faults: FaultCounts, draw: random.Random
    ) -> None:
        from pi_app.simulated.demo import Demo, Twins
        from pi_app.simulated.table import MIXED

        self._settings, self._folder, self._seed, self._draw = settings, folder, seed, draw
        self._lives = 0
        self._resumes = False
        self.demo: Demo = Demo(settings, self.journal, seed=seed, twins=Twins(hand=MIXED))
        self._table = self.demo.table
        self.clock, self.tiles = self._table.clock, self._table.tiles
        self.truth = Truth(self.demo, turns)
        self.faults = RandomFaults(self.demo, faults, random.Random(f"faults {seed}"))

    @property
    def journal(self) -> Path:
        return self._folder / f"journal-{self._lives}.db"

    def close(self) -> None:
        self.demo.close()

    def step(self) -> None:
        self.demo.step()
        self.truth.step()
        self.faults.step()

    def run(self, seconds: float) -> None:
        until_ns = self.clock.now_ns() + round(seconds * S_NS)
        while self.clock.now_ns() < until_ns:
            self.step()

    def until_ready(self) -> None:
        while not self.demo.loop.ready:
            self.demo.step()
            self.truth.step()

    def at(self, at_ns: int, act: actions.TableAction) -> None:
        """Plan an act for this program: once it is killed, the act is dropped."""
        life = self._lives
        self.clock.at(at_ns, lambda: self.demo.act(act) if self._lives == life else None)

    def turn_any(self, clicks: tuple[int, ...]) -> None:
        """Turn a random dial by one of these numbers of clicks."""
        tile = self._draw.choice(list(self.tiles.values()))
        tile.hand.turn(self.clock.now_ns(), self._draw.choice(clicks))

    def restart(self, *, power: bool) -> None:
        """Kill the program and start it again; `power`: the chips lose theirs as well."""
        self.kill()
        self.start(power=power)

    def kill(self) -> None:
        """End the program. Only what is on disk at this moment is left."""
        self._resumes = self.demo.loop.moment.game.phase is Phase.PLAYING
        old = self.journal
        self._lives += 1
        for end in ("", "-wal"):
            written = old.with_name(old.name + end)
            if written.exists():
                shutil.copyfile(written, self.journal.with_name(self.journal.name + end))
        shutil.copytree(keys_of(old).folder, keys_of(self.journal).folder)
        self.demo.abandon()
        for end in ("", "-wal", "-shm"):
            old.with_name(old.name + end).unlink(missing_ok=True)
        shutil.rmtree(keys_of(old).folder)
        self.truth.release()
        self.faults.release()
        del self.demo
        gc.unfreeze()  # the kernel frees all memory of a killed program, frozen objects included
        gc.collect()

    def start(self, *, power: bool) -> None:
        """Start the program again some time later; a hand may turn a dial meanwhile.

        Raises RuntimeError if it does not resume the game that was played, or resumes one that had ended.
        """
        from pi_app.simulated.demo import Demo, Twins

        self._table.restart(power=power)
        if self._draw.random() < TURNED_MEANWHILE:
            self.turn_any((-2, -1, 1, 2))
        self.clock.advance(round(self._draw.uniform(*DOWN_S) * S_NS))
        self.demo = Demo(self._settings, self.journal, seed=self._seed, resume=True, twins=Twins(table=self._table))
        self.truth.watch(self.demo)
        self.faults.watch(self.demo)
        self.until_ready()
        if self.demo.resumed is not self._resumes:
            ended = "was forgotten" if self._resumes else "had ended"
            raise RuntimeError(f"the game {ended} and the journal says otherwise")
        self.truth.check_restart()


# ----------------------------------------------------------------------------------------------------- its settings


def with_numbers(settings: Settings, folder: Path) -> Settings:
    """Return the same table with a memory in every tile and calibrated, so that swapped leads are noticed. The
    calibration goes into a file in `folder`."""
    from msgspec.structs import replace as changed

    from pi_app.dials.calibration import Calibration, dump

    learnt = {}
    for number, (label, square) in enumerate(settings.squares.items(), 1):
        clicks, turn = square.table.clicks, square.counts_per_turn
        sign = -1 if square.invert else 1
        learnt[label] = Calibration.of_centres(
            [sign * k * turn // clicks % turn for k in range(clicks)],
            [0] * clicks,
            counts_per_turn=turn,
            invert=square.invert,
            tile=f"24aa02uid:{number:08X}",
            revision=1,
        )
    file = folder.absolute() / "calibration.toml"
    file.write_text(dump(learnt), encoding="utf-8")
    squares = {label: changed(square, memory="24aa02uid") for label, square in settings.squares.items()}
    return replace(settings, squares=MappingProxyType(squares), table=changed(settings.table, calibration=str(file)))


def only_absolute(settings: Settings) -> None:
    """Raise UserFileError for every dial that only counts steps: once it has lost its count, its position is
    unknown."""
    problems = [
        problem(
            settings.where,
            f"[square.{label}]",
            f"a {square.chip} only counts steps, so a soak cannot compare it with its hand",
            "Soak a table of absolute encoders",
        )
        for label, square in settings.squares.items()
        if not square.kind.absolute
    ]
    if problems:
        raise UserFileError(problems)
