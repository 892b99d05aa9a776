"""Leads a person through one turn of a dial, and says how much better its detents are known afterwards.

What the samples mean is decided in `pi_app.calibration`; here they are taken, and counted while they come.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.clock import Clock
from hardware.readings import Reading, Trouble, TroubleKind
from pi_app.calibration import STANDS_MS, STILL_DEG, Calibration, dump, learn
from pi_app.dial_setups import calibrations
from pi_app.errors import UserFileError
from pi_app.feed import Feed
from pi_app.settings import SquareSettings

STANDS_NS: Final = STANDS_MS * 1_000_000
LAST_STAND_NS: Final = 600_000_000
"""The dial stands this long at its start mark again before the turn counts as done: a longer stand, a better centre."""

GIVE_UP_NS: Final = 60_000_000_000
"""Nobody has turned the dial for so long."""

UNHEARD_NS: Final = 3_000_000_000


class NotTurnedError(Exception):
    """The turn did not come to its end; the message says why, and that nothing was changed."""


Samples = list[tuple[int, int | None]]


@dataclass(slots=True)
class Progress:
    """Counts the places where a dial has stood, while it is being turned. `turn`: the encoder's counts per turn."""

    places_wanted: int
    turn: int
    places: int = 0
    _at: int | None = None
    _since_ns: int = 0
    _last_place: int | None = None

    def take(self, at_ns: int, raw: int) -> bool:
        """One good look; True if the dial has now stood in one more place."""
        if self._at is None or abs(_wrap(raw - self._at, self.turn)) > self.turn * STILL_DEG / 360:
            self._at, self._since_ns = raw, at_ns
            return False
        if at_ns - self._since_ns < STANDS_NS or not self._elsewhere(raw):
            return False
        self._last_place = raw
        self.places += 1
        return True

    def _elsewhere(self, raw: int) -> bool:
        pitch = self.turn / (self.places_wanted - 1)
        return self._last_place is None or abs(_wrap(raw - self._last_place, self.turn)) > pitch / 3

    def over(self, at_ns: int) -> bool:
        """Whether the dial is back and has stood there long enough."""
        return self.places >= self.places_wanted and at_ns - self._since_ns >= LAST_STAND_NS


def _wrap(counts: int, turn: int) -> int:
    return (counts + turn // 2) % turn - turn // 2


def watch_one_turn(
    feed: Feed,
    clock: Clock,
    square: SquareSettings,
    every_ns: int,
    stood: Callable[[int, int], None] = lambda places, of: None,
) -> Samples:
    """All looks from now until the dial has stood in every detent and at the first one again.

    `stood` hears how many places it has stood in, of how many. Raises NotTurnedError if the dial is silent for 3 s,
    or if nobody turns it for a minute.
    """
    samples: Samples = []
    progress = Progress(square.table.clicks + 1, square.counts_per_turn)
    heard_ns = moved_ns = next_ns = clock.now_ns()
    while not progress.over(clock.now_ns()):
        for _, sample in feed.take():
            if isinstance(sample, Reading):
                samples.append((sample.at_ns, sample.raw))
                heard_ns = sample.at_ns
                if progress.take(sample.at_ns, sample.raw):
                    moved_ns = sample.at_ns
                    stood(progress.places, progress.places_wanted)
            elif sample.kind is not TroubleKind.NOT_READ:
                samples.append((sample.at_ns, None))
                _check_heard(sample, heard_ns)
        if next_ns - moved_ns > GIVE_UP_NS:
            raise NotTurnedError(f"Nobody turned it for {GIVE_UP_NS // 10**9} seconds; what was known of it is kept.")
        next_ns = max(next_ns + every_ns, clock.now_ns())
        feed.rest(next_ns)
    return samples


def _check_heard(trouble: Trouble, heard_ns: int) -> None:
    if trouble.at_ns - heard_ns > UNHEARD_NS:
        raise NotTurnedError(f"{trouble.words} What was known of it is kept.")


RINGS_NS: Final = 100_000_000
LEAVES_NS: Final = 30_000_000
STEP_DEG: Final = 3.0


def settled(samples: Samples, turn: int = 4096) -> Samples:
    """The samples without those that a dial gave while it left a detent, or still rang in the next one: a good dial
    takes some 30 ms to come away and swings by several degrees for some 60 ms. That is no fault of it, and no place
    where it stands."""
    kept: Samples = []
    last: int | None = None
    quiet_from_ns = 0
    for at_ns, raw in samples:
        if raw is not None:
            if last is not None and abs(_wrap(raw - last, turn)) > turn * STEP_DEG / 360:
                quiet_from_ns = at_ns + RINGS_NS
                while kept and kept[-1][0] > at_ns - LEAVES_NS:
                    kept.pop()
            last = raw
        if at_ns >= quiet_from_ns:
            kept.append((at_ns, raw))
    return kept


def learnt(samples: Samples, square: SquareSettings) -> Calibration:
    """What a turn tells of a square's dial. Raises CalibrationDoubtError with every reason against it."""
    turn = square.counts_per_turn
    return learn(settled(samples, turn), clicks=square.table.clicks, counts_per_turn=turn, invert=square.invert)


# ------------------------------------------------------------------------------------------------ how much better


def worst_margin_deg(assumed: Calibration | None, real: Calibration) -> float:
    """How far the worst detent is from being taken for its neighbour, in degrees, if the detents are taken to be
    where `assumed` says (None: evenly spaced from angle 0). Below 0 it is taken for its neighbour."""
    turn, sign = real.counts_per_turn, -1 if real.invert else 1
    centres = _even(real) if assumed is None else assumed.centres
    margins = []
    for k, (centre, spread) in enumerate(zip(real.centres, real.spread, strict=True)):
        here, after, before = centres[k], centres[(k + 1) % real.clicks], centres[k - 1]
        off = (sign * (centre - here) + turn / 2) % turn - turn / 2
        up, down = (sign * (after - here)) % turn / 2, (sign * (here - before)) % turn / 2
        margins.append(min(up - off, down + off) - spread / 2)
    return min(margins) * 360 / turn


def _even(real: Calibration) -> list[float]:
    sign = -1 if real.invert else 1
    return [sign * k * real.counts_per_turn / real.clicks % real.counts_per_turn for k in range(real.clicks)]


# ------------------------------------------------------------------------------------------------------- the file


def known(path: Path) -> dict[str, Calibration]:
    """What a calibration file holds; nothing if it is not there. Raises UserFileError if it cannot be used."""
    return dict(calibrations(path)) if path.exists() else {}


def keep(path: Path, dials: Mapping[str, Calibration]) -> None:
    """Write the whole file anew, so that it is at any moment either the old one or the new one.

    Raises UserFileError if the disk refuses; then the old one is untouched.
    """
    try:
        handle, draft = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.absolute().parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(dump(dials))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except BaseException:
            os.unlink(draft)
            raise
    except OSError as error:
        advice = "Check the folder and the room on the disk, or give another name with -o"
        raise UserFileError.at(str(path), "", f"it cannot be written ({error.strerror})", advice) from error
