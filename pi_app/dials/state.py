"""The state of one dial between two samples: where it is, whether it moves, what is in doubt. Pure.

`pi_app.dials.tracker` changes it with every sample, and has the rules.
"""

from __future__ import annotations

import math
from typing import Final

from pi_app.dials.detents import FASTEST_TURNS_PER_S, Detents, DialShape, Stand
from pi_app.dials.evidence import Evidence
from pi_app.dials.jumps import Jumps
from pi_app.dials.rest import Excursion, Rest
from pi_app.dials.turn import Turn
from pi_app.dials.unwrap import SENSOR_ERROR_TURN, Follower

CREEP_PITCH: Final = 0.025
"""A dial that drifts by more than this in `rest_ms` (at 12 clicks and 600 ms: one click in 24 s) still moves."""

JUMPED_RESTS: Final = 4
"""A dial that moved unseen must stand this many times longer to rest."""


class DialState:
    """What is known of one dial.

    `ends_at_rest` may be switched at any moment: while it is off (under a claim), rests do not end a turn.
    """

    def __init__(self, shape: DialShape | None = None, *, ends_at_rest: bool = True) -> None:
        self.shape = shape = DialShape() if shape is None else shape
        self.ends_at_rest = ends_at_rest
        turn = shape.counts_per_turn
        gap_ns = round(shape.gap_limit_ms * 1e6)
        speed = min(shape.top_speed_turns_per_s, FASTEST_TURNS_PER_S * 35e6 / gap_ns)
        top_speed = shape.top_speed_turns_per_s * turn
        self._follower = Follower(turn, shape.clicks, top_speed, gap_ns)
        self._detents = Detents(shape)
        self._turn, self._half, self._gap_ns = turn, turn // 2, gap_ns
        self._near = shape.hysteresis
        self._creep = shape.pitch * CREEP_PITCH
        self._rest_ns = shape.rest_ms * 1e6
        self._rest: Rest | None = None
        self._excursion: Excursion | None = None
        self._held: Turn | None = None
        self._firsts: list[tuple[int, int]] = []
        self._now_ns: int | None = None
        self._good_ns: int | None = None
        self._pair: tuple[int, int] | None = None
        self._whole_turn_ns = int((turn - 2 * shape.hysteresis) / (speed * turn) * 1e9)
        self._rested_ns = (0, 0)
        self._strays = 0
        self._stray_since = (0, 0)
        self._unsure_until_ns: float = -math.inf
        self._evidence = Evidence()
        self._origin: int | None = None  # where a jump that was never accepted took it from
        self._jumps = Jumps(turn, shape.clicks, top_speed, turn * SENSOR_ERROR_TURN, in_steps=shape.in_steps)

    @property
    def stand(self) -> Stand | None:
        """Where the dial is. None when it is lost: no two good samples yet, or none for too long."""
        if self._now_ns is None or self._good_ns is None or self._now_ns - self._good_ns > self._gap_ns:
            return None
        if self._rest is not None and not self._is_off:
            return self._rest.stand
        return None if self._pair is None else self._detents.stand_of_pair(*self._pair)

    @property
    def sampled_ns(self) -> int | None:
        """When it was sampled last, also without an answer; None before the first sample."""
        return self._now_ns

    @property
    def moving(self) -> bool:
        """Whether it is off its rest, and the last two samples differ or do not prove that it stands."""
        if not self._is_off:
            return self._rest is None and bool(self._firsts)
        return not self._stands

    @property
    def glitching(self) -> bool:
        """Whether its angle jumps as no hand turns it: the encoder is at fault, and the dial's place is unknown.

        After an implausible jump it glitches until it is seen turning, or is back."""
        implausible = self._rest is not None and self._rest.implausible and not self._jumps.moved
        return self._jumps.glitching or implausible

    @property
    def unseen(self) -> bool:
        """Whether no sample has shown a hand at work since the dial rested, and the evidence is not in yet: it may be a
        glitch or a crisp click."""
        return (self._is_off and not self._jumps.seen) or self._jumps.quick_returns > 0 or self.glitching

    @property
    def turning(self) -> bool:
        """Whether it has left its last rest for another place, or a turn is kept until `end_turn`."""
        excursion = self._excursion
        left = excursion is not None and excursion.off >= 2 and (excursion.elsewhere or excursion.reached)
        return self._held is not None or left

    @property
    def off_rest(self) -> bool:
        """Whether it is off its last rest, or has none yet."""
        return self._is_off or self.moving

    @property
    def undecided(self) -> bool:
        """Whether the dial moved unseen, and the evidence for a hand may still come in."""
        return self._is_off and self._jumps.undecided

    @property
    def held_ns(self) -> int:
        """How long a dial that is off its last rest has stood where it is; 0 while it moves or that is in doubt."""
        excursion = self._excursion
        if excursion is None or excursion.place is None or not self._stands:
            return 0
        return (self._good_ns or 0) - excursion.place.since_ns

    @property
    def moved_between(self) -> tuple[int, int]:
        """The last sample at the old rest and the first one off it: the hand began between. At rest, both are the last
        sample."""
        excursion = self._excursion
        if excursion is None or excursion.off < 2:
            return (self._good_ns or 0, self._good_ns or 0)
        return excursion.left_ns, excursion.start_ns

    @property
    def _is_off(self) -> bool:
        return self._excursion is not None and self._excursion.off >= 2

    @property
    def _stands(self) -> bool:
        """Whether it stands now. While its path is in doubt, it has to rest for that."""
        excursion = self._excursion
        place = None if excursion is None else excursion.place
        if excursion is None or place is None or place.near < 2 or place.away is not None:
            return False
        if self._in_doubt(excursion) and (self._good_ns or 0) - place.since_ns < self._rest_needed_ns:
            return False
        return place.steady and not self._follower.waiting

    def _in_doubt(self, excursion: Excursion) -> bool:
        return self._follower.doubtful or excursion.unsure or self._jumps.doubtful

    @property
    def _rest_needed_ns(self) -> float:
        """How long it must stand to rest: much longer after a jump."""
        return self._rest_ns * JUMPED_RESTS if self._jumps.jumped else self._rest_ns
