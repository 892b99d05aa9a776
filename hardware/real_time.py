"""What the kernel lets this program have of its processor and its memory: real-time priority, memory that stays.

Sources: sched(7), getrlimit(2), mlockall(2), systemd.exec(5).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final

MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4
"""linux/mman.h. With the last, the unused part of a thread's stack takes no memory."""

LIMIT_TOO_LOW: Final = "its limit is too low"


@dataclass(frozen=True, slots=True)
class RealTime:
    """`priority` is 0 for an ordinary program, else 1 to 99; `most` is what a program may ask for itself. `locks`:
    whether memory may be locked without a limit."""

    priority: int
    most: int
    locks: bool


def real_time() -> RealTime:
    """What a program that is started from here gets."""
    import resource

    def limit(of: int) -> float:
        soft, _ = resource.getrlimit(of)
        return float("inf") if soft == resource.RLIM_INFINITY else soft

    fixed = os.sched_getscheduler(0) in (os.SCHED_FIFO, os.SCHED_RR)
    is_root = os.geteuid() == 0
    return RealTime(
        priority=os.sched_getparam(0).sched_priority if fixed else 0,
        most=99 if is_root else int(min(99, limit(resource.RLIMIT_RTPRIO))),
        locks=is_root or limit(resource.RLIMIT_MEMLOCK) == float("inf"),
    )


def lock_memory(granted: RealTime | None = None) -> str:
    """Keep all of this program in memory from now on. Why not, or nothing if it is so.

    Below a limit nothing is locked at all: the first page beyond it would end the program in the middle of a game.
    """
    import ctypes

    if not (granted or real_time()).locks:
        return LIMIT_TOO_LOW
    library = ctypes.CDLL(None, use_errno=True)
    if library.mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0:
        return ""
    return os.strerror(ctypes.get_errno())
