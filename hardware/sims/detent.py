"""The equation of a detented dial, integrated in small steps. Pure: numbers in, a path out. SI units and radians.

    J * theta'' = finger torque + cam torque(theta) - friction * sign(theta') - viscous * theta'

The cam torque is the flexure's force times the slope of the lift. The lift is that of the printed parts: none while the
nose is free in its valley, a straight flank, and rounded where the nose meets the valley and runs over the tip. The
friction is Coulomb's: a constant part (bearing, weight) and a part that grows with the nose's force; at rest it may be
larger (sticking). A finger is a spring and a damper pulled along at a speed, with a torque limit and slack.

Not modelled: play of the shaft in its bushing while it turns, the flexure's own mass (its share of J is 1 %), bounce of
the nose off the cam, creep, lobes that differ, friction that depends on speed, and a finger whose impedance changes.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass

STEP_S = 25e-6
"""Of the integration. Half of it changes no snap time by 2 % (tests)."""
SAMPLE_S = 250e-6
"""Of the stored path: a whole number of steps."""
LONGEST_S = 3.0
STILL_S = 2e-3
"""A dial without a finger that rested this long stays where it is."""
STILL_SPEED = 1e-3
"""In rad/s: in grease a dial comes to rest ever more slowly."""


@dataclass(frozen=True, slots=True)
class Detent:
    """One dial: its cam, flexure, friction and mass."""

    pitch: float
    """Angle of a click."""
    slope: float
    """How far a flank lifts the nose, in m/rad."""
    reach: float
    """From the axis to the nose's contact, in m."""
    play: float
    """The nose is free up to this angle beside the middle of a valley."""
    valley: float
    """Angle over which the nose's push grows to the flank's full slope."""
    crest: float
    """Angle before the top over which the slope falls to zero."""
    spring: float
    """Of the flexure at the nose, in N/m."""
    preload: float
    """How far the flexure is bent at rest, in m."""
    rubbing: float
    """Coefficient of friction between nose and cam."""
    bearing: float
    """Constant friction, in N m."""
    sticking: float
    """Friction at rest over friction in motion."""
    viscous: float
    """In N m s/rad."""
    inertia: float
    """Of disc, cam and shaft, in kg m2."""

    def lift(self, angle: float) -> tuple[float, float]:
        """How far the nose is lifted at `angle` from the middle of the nearest valley, and the slope there."""
        away = abs(angle - self.pitch * round(angle / self.pitch)) - self.play
        if away <= 0:
            return 0.0, 0.0
        if away < self.valley:
            return self.slope * away * away / (2 * self.valley), self.slope * away / self.valley
        flank = self.pitch / 2 - self.play - self.crest
        if away <= flank:
            return self.slope * (away - self.valley / 2), self.slope
        over = away - flank
        lost = over * over / (2 * self.crest)
        return self.slope * (away - self.valley / 2 - lost), self.slope * (1 - over / self.crest)

    def potential(self, angle: float) -> float:
        """Energy in the bent flexure, in J."""
        return self.spring * (self.lift(angle)[0] + self.preload) ** 2 / 2

    def cam_torque(self, angle: float) -> float:
        """The flexure's torque on the dial, in N m: towards the middle of the valley, without friction."""
        lift, slope = self.lift(angle)
        return -math.copysign(
            self.spring * (lift + self.preload) * slope, angle - self.pitch * round(angle / self.pitch)
        )

    def friction(self, angle: float, direction: float) -> float:
        """The friction torque in a direction of turning. A climbing nose is pressed on harder."""
        lift, slope = self.lift(angle)
        steep = slope / self.reach
        climbs = direction * (angle - self.pitch * round(angle / self.pitch)) > 0
        force = self.spring * (lift + self.preload)
        wedge = 1 - self.rubbing * steep if climbs else 1 + self.rubbing * steep
        return self.bearing + self.rubbing * force * self.reach * (1 + steep * steep) / wedge

    @property
    def climb_torque(self) -> float:
        """The finger torque that turns the dial over a lobe, in N m."""
        half = self.pitch / 2
        places = [half * part / 200 for part in range(200)]
        return max(self.friction(place, 1.0) - self.cam_torque(place) for place in places)


@dataclass(frozen=True, slots=True)
class Finger:
    """A finger that turns the dial: a spring and a damper that are pulled along."""

    speed: float
    """In rad/s."""
    stiffness: float
    """In N m/rad."""
    damping: float
    """In N m s/rad."""
    limit: float
    """The most torque, in N m."""
    inertia: float
    """Of what turns with the dial while it is held, in kg m2."""
    slack: float = 0.0
    """How far a coin turns in its slot, to either side, before it touches."""
    grips: bool = True
    """A finger that grips also holds the dial back; otherwise it only pushes."""
    lets_go: bool = False
    """Releases the dial at the top of the last lobe; otherwise in the detent."""
    lingers_s: float = 0.02
    """How long it holds the dial in the detent before it releases it."""
    hold_speed: float = 0.0
    """Above 0, the speed at which it lets the dial down from the last top."""
    pause_at: float = 0.0
    """Above 0, the part of a click at which it stops on its way up,"""
    pause_s: float = 0.0
    """and for how long."""


@dataclass(frozen=True, slots=True)
class Path:
    """The dial's path: an angle every `SAMPLE_S`, and when it passed each top."""

    angles: array[float]
    tops_s: tuple[float, ...]


def run(detent: Detent, finger: Finger | None, goal: int, start: float = 0.0, speed: float = 0.0,
        step_s: float = STEP_S, longest_s: float = LONGEST_S) -> Path:  # fmt: skip
    """Release the dial at `start` with `speed`, or turn it by a finger towards detent `goal` (above 0), until it
    rests. The path ends after `longest_s` at the latest."""
    drive = None if finger is None else _Drive(finger, detent, goal, start)
    angle, turning = start, speed
    angles, tops = array("d", (start,)), []
    per_sample, half, still = round(SAMPLE_S / step_s), step_s / 2, 0
    home = round(angle / detent.pitch)
    for count in range(1, round(longest_s / step_s) + 1):
        angle += turning * half
        turning = _kicked(detent, drive, angle, turning, step_s)
        angle += turning * half
        place = round(angle / detent.pitch)
        if place != home:
            tops.append(count * step_s if place > home else -count * step_s)
            home = place
        if count % per_sample == 0:
            angles.append(angle)
        still = still + 1 if abs(turning) < STILL_SPEED and (drive is None or drive.gone) else 0
        if still * step_s >= STILL_S:
            break
    angles.append(angle)
    return Path(angles, tuple(tops))


def _kicked(detent: Detent, drive: _Drive | None, angle: float, turning: float, step_s: float) -> float:
    """The speed after one step's torques. Friction stops a dial, but never reverses it."""
    inertia, pushed = detent.inertia, 0.0
    if drive is not None:
        pushed = drive.torque(angle, turning, step_s)
        inertia += drive.inertia
    away = angle - detent.pitch * round(angle / detent.pitch)
    lift, slope = detent.lift(away)
    force, steep = detent.spring * (lift + detent.preload), slope / detent.reach
    torque = pushed - math.copysign(force * slope, away)
    kick = step_s / inertia
    direction = turning if turning else torque
    wedge = 1 - detent.rubbing * steep if direction * away > 0 else 1 + detent.rubbing * steep
    friction = detent.bearing + detent.rubbing * force * detent.reach * (1 + steep * steep) / wedge
    if turning == 0.0 and abs(torque) <= friction * detent.sticking:
        return 0.0
    faster = (turning + kick * torque) / (1 + kick * detent.viscous)
    slower = kick * friction
    return 0.0 if abs(faster) <= slower else faster - math.copysign(slower, faster)


class _Drive:
    """A finger that turns a dial upwards: the position of its far end, and its torque."""

    __slots__ = ("_at", "_finger", "_goal", "_last_top", "_over", "_pause_at", "_paused_s", "_stays_s", "gone")

    def __init__(self, finger: Finger, detent: Detent, goal: int, start: float) -> None:
        self._finger = finger
        self._goal = goal * detent.pitch
        self._last_top = self._goal - detent.pitch / 2
        self._at = start
        self._over = False
        self._stays_s = finger.lingers_s
        self._paused_s = finger.pause_s
        self._pause_at = finger.pause_at * detent.pitch
        self.gone = False

    @property
    def inertia(self) -> float:
        return 0.0 if self.gone or not self._finger.grips else self._finger.inertia

    def torque(self, angle: float, turning: float, step_s: float) -> float:
        """Advance by a step; return the torque on the dial."""
        if self.gone:
            return 0.0
        moving = self._moved(angle, step_s)
        if self.gone:
            return 0.0
        finger = self._finger
        ahead = self._at - angle
        if ahead > finger.slack:
            ahead -= finger.slack
        elif finger.grips and ahead < -finger.slack:
            ahead += finger.slack
        else:
            return 0.0
        given = finger.stiffness * ahead + finger.damping * (moving - turning)
        lowest = -finger.limit if finger.grips else 0.0
        return min(finger.limit, max(lowest, given))

    def _moved(self, angle: float, step_s: float) -> float:
        """Move the far end in this step; return its speed."""
        finger = self._finger
        if angle < self._last_top and not self._over:
            if self._pause_at and angle >= self._pause_at and self._paused_s > 0:
                self._paused_s -= step_s
                return 0.0
            self._at += finger.speed * step_s
            return finger.speed
        if finger.hold_speed and not self._over:
            self._at = angle - finger.slack
        self._over = True
        if finger.lets_go:
            self.gone = True
            return 0.0
        return self._homed(finger.hold_speed or finger.speed, step_s)

    def _homed(self, speed: float, step_s: float) -> float:
        """Move towards the middle of the detent, and release the dial there."""
        short = self._goal - self._at
        if abs(short) <= speed * step_s:
            self._at = self._goal
            self._stays_s -= step_s
            self.gone = self._stays_s <= 0
            return 0.0
        self._at += math.copysign(speed * step_s, short)
        return math.copysign(speed, short)
