"""Leads a person through one turn of a dial, and calculates how much better its detents are known afterwards.

This module takes the samples and counts detents; `pi_app.dials.learn_detents` evaluates them.
"""

from __future__ import annotations

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
from pi_app.text.plain_file import read_plain
from pi_app.text.private_files import mode_of, replace_file
from pi_app.text.user_file import LARGEST_FILE_BYTES

STILL_DEG: Final = 1.0
STILL_NS: Final = 100_000_000
"""A dial that stayed within `STILL_DEG` for this long counts as at rest."""

LAST_REST_NS: Final = 600_000_000
"""The rest at the start mark that ends the turn: a longer rest gives a better centre."""

NEAR: Final = 1 / 3
"""The tolerance of a detent, in pitches. An eccentric magnet shifts it by several degrees."""

NEAR_END: Final = 1 / 5
"""At the start mark the angle is the same again, except for friction."""

GIVE_UP_NS: Final = 60_000_000_000
"""The dial was not turned for so long."""

SILENT_NS: Final = 3_000_000_000


class NotTurnedError(Exception):
    """The turn was not completed; the message has the reason."""


Samples = list[tuple[int, int | None]]


class SampledTurn(NamedTuple):
    """One turn as it was sampled. `magnet`: the fault of the magnet, if the chip reported one."""

    samples: Samples
    magnet: Magnet | None = None


@dataclass(slots=True)
class TurnProgress:
    """Counts the detents that a dial has reached while it is turned. `turn`: the encoder's counts per turn.

    A hand may go back, or hold the dial between two detents: only a rest near a new detent adds one, and the turn is
    over after about one revolution in either direction.
    """

    wanted: int
    turn: int
    reached: int = 0
    _way: int = 0
    _raw: int | None = None
    _at: int = 0
    _since_ns: int = 0

    def take(self, at_ns: int, raw: int) -> bool:
        """Take one good sample; return whether the dial has reached one more detent."""
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
        detent = round(abs(self._way) / self._pitch)
        near = NEAR_END if detent + 1 >= self.wanted else NEAR
        if detent < self.reached or abs(abs(self._way) - detent * self._pitch) > near * self._pitch:
            return False
        self.reached = min(detent + 1, self.wanted)
        return True

    @property
    def _pitch(self) -> float:
        return self.turn / (self.wanted - 1)

    def over(self, at_ns: int) -> bool:
        """Whether the dial is back and has rested there long enough."""
        return self.reached >= self.wanted and at_ns - self._since_ns >= LAST_REST_NS

    def given_up(self) -> str:
        """Return the reason for an abandoned turn."""
        seconds = GIVE_UP_NS // 10**9
        if self.reached <= 1:
            return f"It was not turned for {seconds} seconds; nothing was changed."
        return (
            f"It stopped half way, after {self.reached - 1} of {self.wanted - 1} clicks, and was not turned for "
            f"{seconds} seconds; nothing was changed. Turn it once round, back to its start mark."
        )


def _wrap(counts: int, turn: int) -> int:
    return (counts + turn // 2) % turn - turn // 2


def wait_until_found(feed: Feed, clock: Clock, every_ns: int) -> None:
    """Return as soon as the dial gives an angle. Raises NotTurnedError with its trouble if it gives none for 3 s."""
    began_ns = next_ns = clock.now_ns()
    trouble: Trouble | None = None
    while clock.now_ns() - began_ns <= SILENT_NS:
        for _, sample in feed.take():
            if isinstance(sample, Reading):
                return
            if sample.kind is not TroubleKind.NOT_READ:
                trouble = sample
        next_ns = max(next_ns + every_ns, clock.now_ns())
        feed.rest(next_ns)
    words = f"It was not read for {SILENT_NS // 10**9} seconds." if trouble is None else trouble.words
    raise NotTurnedError(f"{words} Nothing was changed.")


def sample_one_turn(
    feed: Feed,
    clock: Clock,
    square: SquareSettings,
    every_ns: int,
    reached: Callable[[int, int], None] = lambda detents, of: None,
) -> SampledTurn:
    """Return all samples until the dial was turned once round and rests at its start mark again.

    `reached` is called with the number of detents so far, and of all. Raises NotTurnedError if the dial is silent for
    3 s, or is not turned for a minute.
    """
    samples: Samples = []
    magnets: Counter[Magnet] = Counter()
    progress = TurnProgress(square.table.clicks + 1, square.counts_per_turn)
    answered_ns = moved_ns = next_ns = clock.now_ns()
    while not progress.over(clock.now_ns()):
        for _, sample in feed.take():
            if isinstance(sample, Reading):
                samples.append((sample.at_ns, sample.raw))
                magnets[sample.magnet] += 1
                answered_ns = sample.at_ns
                if progress.take(sample.at_ns, sample.raw):
                    moved_ns = sample.at_ns
                    reached(progress.reached, progress.wanted)
            elif sample.kind is not TroubleKind.NOT_READ:
                samples.append((sample.at_ns, None))
                _check_silence(sample, answered_ns)
        if next_ns - moved_ns > GIVE_UP_NS:
            raise NotTurnedError(progress.given_up())
        next_ns = max(next_ns + every_ns, clock.now_ns())
        feed.rest(next_ns)
    faults = [magnet for magnet in MAGNET_FAULTS if magnets[magnet] > magnets[Magnet.GOOD]]
    return SampledTurn(samples, faults[0] if faults else None)


def _check_silence(trouble: Trouble, answered_ns: int) -> None:
    if trouble.at_ns - answered_ns > SILENT_NS:
        raise NotTurnedError(f"{trouble.words} Nothing was changed.")


MAGNET_FAULTS: Final[Mapping[Magnet, str]] = {
    Magnet.TOO_WEAK: "The chip reports that its magnet is too weak. Move the magnet closer to the chip, or use a "
    "stronger one; then calibrate again.",
    Magnet.TOO_STRONG: "The chip reports that its magnet is too strong. Move the magnet away from the chip; then "
    "calibrate again.",
}


def learnt(turned: SampledTurn, square: SquareSettings) -> Calibration:
    """Return the calibration of a square's dial from one turn. Raises CalibrationDoubtError with every reason against
    it, a faulty magnet first."""
    turn = square.counts_per_turn
    try:
        return learn(turned.samples, clicks=square.table.clicks, counts_per_turn=turn, invert=square.invert)
    except CalibrationDoubtError as doubt:
        if turned.magnet is None:
            raise
        raise CalibrationDoubtError([MAGNET_FAULTS[turned.magnet], *doubt.reasons], doubt.dial) from doubt


# ------------------------------------------------------------------------------------------------ how much better


def worst_margin_deg(assumed: Calibration | None, real: Calibration) -> float:
    """Return the distance in degrees of the worst detent from being mistaken for its neighbour, if the detents are
    assumed at `assumed` (None: evenly spaced from angle 0). Below 0 it is mistaken."""
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
    """Return the dials of a calibration file; none if it does not exist. Raises UserFileError if it cannot be used."""
    return dict(calibrations(path)) if path.exists() else {}


def set_aside(path: Path) -> Path | None:
    """Copy the file beside itself, with `.old` after its name; return the copy, or None if there is no file.

    Raises UserFileError if the disk refuses.
    """
    if not path.exists():
        return None
    old = path.with_name(f"{path.name}.old")
    try:
        replace_file(old, read_plain(path, LARGEST_FILE_BYTES), mode=mode_of(path))
    except OSError as error:
        advice = "Check the folder and the free space on the disk"
        raise UserFileError.at(str(old), "", f"it cannot be written ({error.strerror})", advice) from error
    return old


def keep(path: Path, dials: Mapping[str, Calibration]) -> None:
    """Replace the file, so that it is at any moment either the old one or the new one.

    Raises UserFileError if the disk refuses; the old one is untouched then.
    """
    try:
        replace_file(path, dump(dials).encode(), mode=mode_of(path))
    except OSError as error:
        advice = "Check the folder and the free space on the disk, or give another name with -o"
        raise UserFileError.at(str(path), "", f"it cannot be written ({error.strerror})", advice) from error
