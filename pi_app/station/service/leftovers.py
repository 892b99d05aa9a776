"""What a station's program needs so that nothing of a group stays in its memory after a reset.

A reset drops every reference; these variables make the C library overwrite what is freed. Python's own allocator would
keep freed blocks as they are.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

SCRUBBED: Final = MappingProxyType(
    {
        "PYTHONMALLOC": "malloc",
        "MALLOC_PERTURB_": "165",
        "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
    }
)
"""The environment in which the program is started: its service sets it."""
