"""Decide when a part that fails and recovers again and again is reported as good again. Pure.

Every failure of a part that counted as good is reported at once. The first recoveries are, too. After that a recovery
is reported only when the part has been good for a while, twice as long each time; failures until then are counted and
reported in one. A part can be used long before its recovery is reported: as soon as it was good for READABLE_NS.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

AT_ONCE: Final = 2
"""The recoveries that are reported at once. Most troubles are one, and are reported as they happen."""

FIRST_WAIT_NS: Final = 10_000_000_000
MOST_WAIT_NS: Final = 600_000_000_000
"""How long the part must be good before the next recovery is reported, and before the last ones."""

READABLE_NS: Final = 300_000_000
"""A part that fails again and again can be used after it was good for this long: a plug that is shaken gives less."""

CALM_NS: Final = 600_000_000_000
"""A part that was good for this long starts again: its next recoveries are reported at once."""

MOST_COUNTED: Final = 999_999
"""A count in the record has six digits at most."""


class Steadiness(msgspec.Struct, frozen=True, gc=False):
    """What one part did lately. `recoveries`: those that were reported. `failures`: since the last report of the part;
    `first_ns` is the first of them, `bad_ns_before` how long it was bad in those that are over. One of `bad_since_ns`
    and `good_since_ns` is set, unless the part has not failed yet."""

    recoveries: int = 0
    failures: int = 0
    first_ns: int = 0
    bad_ns_before: int = 0
    bad_since_ns: int | None = None
    good_since_ns: int | None = None

    @property
    def wait_ns(self) -> int:
        """How long the part must be good before it counts as good."""
        doubled = self.recoveries - AT_ONCE
        return 0 if doubled < 0 else min(FIRST_WAIT_NS << min(doubled, 20), MOST_WAIT_NS)

    def is_steady(self, now_ns: int) -> bool:
        """Return whether the part counts as good now."""
        if self.bad_since_ns is not None:
            return False
        return self.good_since_ns is None or now_ns - self.good_since_ns >= self.wait_ns

    def is_readable(self, now_ns: int) -> bool:
        """Return whether the part can be used now: at once after a single failure, else after READABLE_NS."""
        if self.good_since_ns is None:
            return self.bad_since_ns is None
        return self.failures < 2 or now_ns - self.good_since_ns >= READABLE_NS

    def lasted_ns(self, now_ns: int) -> int:
        """Return the time from the first of the failures until the part was good again, or until now."""
        return (now_ns if self.good_since_ns is None else self.good_since_ns) - self.first_ns


def failed(was: Steadiness, at_ns: int) -> Steadiness:
    """The part is bad, since `at_ns` at the latest."""
    if was.bad_since_ns is not None:
        return was
    calm = was.good_since_ns is not None and at_ns - was.good_since_ns >= CALM_NS
    return replace(
        was,
        recoveries=0 if calm else was.recoveries,
        failures=min(was.failures + 1, MOST_COUNTED),
        first_ns=was.first_ns if was.failures else at_ns,
        bad_since_ns=at_ns,
        good_since_ns=None,
    )


def good(was: Steadiness, at_ns: int) -> Steadiness:
    """The part is good."""
    if was.bad_since_ns is None:
        return was
    bad_ns = was.bad_ns_before + at_ns - was.bad_since_ns
    return replace(was, bad_ns_before=bad_ns, bad_since_ns=None, good_since_ns=at_ns)


def reported_good(was: Steadiness) -> Steadiness:
    """The recovery was reported, with all failures before it."""
    return replace(was, recoveries=was.recoveries + 1, failures=0, bad_ns_before=0)


def reported_bad(was: Steadiness) -> Steadiness:
    """The failures so far were reported in one, and the part does not count as good yet."""
    return replace(was, failures=0, bad_ns_before=0)
