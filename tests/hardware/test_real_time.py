"""What the kernel grants, and memory that stays where it is."""

from __future__ import annotations

import ctypes
import os
import resource
from types import SimpleNamespace

import pytest

from hardware.real_time import RealTime, lock_memory, real_time

FREE = RealTime(priority=0, most=0, locks=True)


@pytest.mark.parametrize(
    ("policy", "priority", "rtprio", "memlock", "granted"),
    [
        (os.SCHED_OTHER, 0, 0, 65536, RealTime(0, 0, locks=False)),
        (os.SCHED_OTHER, 0, 10, resource.RLIM_INFINITY, RealTime(0, 10, locks=True)),
        (os.SCHED_FIFO, 10, 10, resource.RLIM_INFINITY, RealTime(10, 10, locks=True)),
        (os.SCHED_RR, 60, resource.RLIM_INFINITY, 0, RealTime(60, 99, locks=False)),
        (os.SCHED_BATCH, 7, 0, 0, RealTime(0, 0, locks=False)),
    ],
)
def test_limits_and_policy_as_the_kernel_tells_them(
    policy: int, priority: int, rtprio: int, memlock: int, granted: RealTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {resource.RLIMIT_RTPRIO: rtprio, resource.RLIMIT_MEMLOCK: memlock}
    monkeypatch.setattr(os, "sched_getscheduler", lambda _: policy)
    monkeypatch.setattr(os, "sched_getparam", lambda _: SimpleNamespace(sched_priority=priority))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(resource, "getrlimit", lambda of: (limits[of], limits[of]))
    assert real_time() == granted


def test_nothing_is_locked_below_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: pytest.fail("it called the kernel"))
    assert lock_memory(RealTime(0, 0, locks=False)) == "its limit is too low"


def test_all_pages_are_locked_as_they_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def mlockall(flags: int) -> int:
        asked.append(flags)
        return 0

    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: SimpleNamespace(mlockall=mlockall))
    assert lock_memory(FREE) == ""
    assert asked == [1 | 2 | 4]
