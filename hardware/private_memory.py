"""Keeps other programs of the same user, and core files, from what this program has in memory.

Sources: prctl(2) PR_SET_DUMPABLE, ptrace(2) access mode checking, core(5), getrlimit(2). Root reads it nevertheless.
"""

from __future__ import annotations

PR_GET_DUMPABLE, PR_SET_DUMPABLE = 3, 4
"""linux/prctl.h."""


def keep_memory_private() -> bool:
    """Allow no core file, no debugger and no other reader of /proc/PID/mem from now on. Return whether that worked.

    A program that this one starts is readable again: the kernel resets it.
    """
    import ctypes
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        library = ctypes.CDLL(None, use_errno=True)
        return bool(library.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 and library.prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False
