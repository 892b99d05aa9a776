"""Leads a person through one turn of a dial, and says how much better its detents are known afterwards.

What the samples mean is decided in `pi_app.dials.learn_detents`; here they are taken, and counted while they come.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from hardware.clock import Clock
from hardware.readings import Magnet, Reading, Trouble, TroubleKind
from pi_app.dials.calibration import Calibration, CalibrationDoubtError, dump
from pi_app.dials.learn_detents import learn
from pi_app.play.dial_shapes import calibrations
from pi_app.play.feed import Feed
from pi_app.settings.model import SquareSettings
from pi_app.text.errors import UserFileError

STILL_DEG: Final = 1.0
STILL_NS: Final = 100_000_000
"""A dial that stayed within `STILL_DEG` for this long stands, as far as the progress is concerned."""

LAST_STAND_NS: Final = 600_000_000
"""The dial stands this long at its start mark again before the turn counts as done: a longer stand, a better centre."""

NEAR: Final = 1 / 3
"""How near a detent is, in pitches. An eccentric magnet bends the way to it by several degrees."""

NEAR_END: Final = 1 / 5
"""The start mark is the same angle again, but for where friction holds the dial."""

GIVE_UP_NS: Final = 60_000_000_000
"""Nobody has turned the dial for so long."""

UNHEARD_NS: Final = 3_000_000_000


class NotTurnedError(Exception):
    """The turn did not come to its end; the message says why, and that nothing was changed."""


Samples = list[tuple[int, int | None]]


class Watched(NamedTuple):
    """One turn as it was sampled. `magnet`: what the chip said of its magnet, if that was a fault."""

    samples: Samples
    magnet: Magnet | None = None


@dataclass(slots=True)
class Progress:
    """Counts the detents that a dial has come to, while it is being turned. `turn`: the encoder's counts per turn.

    A hand may go back, or hold the dial between two detents: only a dial that stands near a detent it was not yet at
    adds one, and the turn is over where it stands about once round, in either direction.
    """

    places_wanted: int
    turn: int
    places: int = 0
    _way: int = 0
    _raw: int | None = None
    _at: int = 0
    _since_ns: int = 0

    def take(self, at_ns: int, raw: int) -> bool:
        """One good sample; True if the dial now stands in one more detent."""
        if self._raw is None:
            self._since_ns = at_ns
        else:
            self._way += _wrap(raw - self._raw, self.turn)
        self._raw = raw
        if abs(self._way - self._at) > self.turn * STILL_DEG / 360:
            self._at, self._since_ns = self._way, at_ns
            return False
        if at_ns - self._since_ns < STILL_NS:
            return False
        place = round(abs(self._way) / self._pitch)
        near = NEAR_END if place + 1 >= self.places_wanted else NEAR
        if place < self.places or abs(abs(self._way) - place * self._pitch) > near * self._pitch:
            return False
        self.places = min(place + 1, self.places_wanted)
        return True

    @property
    def _pitch(self) -> float:
        return self.turn / (self.places_wanted - 1)

    def over(self, at_ns: int) -> bool:
        """Whether the dial is back and has stood there long enough."""
        return self.places >= self.places_wanted and at_ns - self._since_ns >= LAST_STAND_NS

    def given_up(self) -> str:
        """Why a turn that nobody goes on with has not come to its end."""
        seconds = GIVE_UP_NS // 10**9
        if self.places <= 1:
            return f"Nobody turned it for {seconds} seconds; what was known of it is kept."
        return (
            f"It stopped half way, after {self.places - 1} of {self.places_wanted - 1} clicks, and nobody turned it "
            f"for {seconds} seconds; what was known of it is kept. Turn it once round, back to its start mark."
        )


def _wrap(counts: int, turn: int) -> int:
    return (counts + turn // 2) % turn - turn // 2


def watch_one_turn(
    feed: Feed,
    clock: Clock,
    square: SquareSettings,
    every_ns: int,
    stood: Callable[[int, int], None] = lambda places, of: None,
) -> Watched:
    """All samples from now until the dial was turned once round and stands at its start mark again.

    `stood` is called with how many detents the dial has come to, of how many. Raises NotTurnedError if the dial is
    silent for 3 s, or if nobody turns it for a minute.
    """
    samples: Samples = []
    magnets: Counter[Magnet] = Counter()
    progress = Progress(square.table.clicks + 1, square.counts_per_turn)
    heard_ns = moved_ns = next_ns = clock.now_ns()
    while not progress.over(clock.now_ns()):
        for _, sample in feed.take():
            if isinstance(sample, Reading):
                samples.append((sample.at_ns, sample.raw))
                magnets[sample.magnet] += 1
                heard_ns = sample.at_ns
                if progress.take(sample.at_ns, sample.raw):
                    moved_ns = sample.at_ns
                    stood(progress.places, progress.places_wanted)
            elif sample.kind is not TroubleKind.NOT_READ:
                samples.append((sample.at_ns, None))
                _check_heard(sample, heard_ns)
        if next_ns - moved_ns > GIVE_UP_NS:
            raise NotTurnedError(progress.given_up())
        next_ns = max(next_ns + every_ns, clock.now_ns())
        feed.rest(next_ns)
    faults = [magnet for magnet in MAGNET_FAULTS if magnets[magnet] > magnets[Magnet.GOOD]]
    return Watched(samples, faults[0] if faults else None)


def _check_heard(trouble: Trouble, heard_ns: int) -> None:
    if trouble.at_ns - heard_ns > UNHEARD_NS:
        raise NotTurnedError(f"{trouble.words} What was known of it is kept.")


MAGNET_FAULTS: Final[Mapping[Magnet, str]] = {
    Magnet.TOO_WEAK: "The chip reports that its magnet is too weak. Move the magnet nearer to the chip, or take a "
    "stronger one; then calibrate again.",
    Magnet.TOO_STRONG: "The chip reports that its magnet is too strong. Move the magnet away from the chip; then "
    "calibrate again.",
}


def learnt(watched: Watched, square: SquareSettings) -> Calibration:
    """The calibration of a square's dial from one turn. Raises CalibrationDoubtError with every reason against it; a
    magnet that the chip complained of is the first."""
    turn = square.counts_per_turn
    try:
        return learn(watched.samples, clicks=square.table.clicks, counts_per_turn=turn, invert=square.invert)
    except CalibrationDoubtError as doubt:
        if watched.magnet is None:
            raise
        raise CalibrationDoubtError([MAGNET_FAULTS[watched.magnet], *doubt.reasons], doubt.dial) from doubt


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
