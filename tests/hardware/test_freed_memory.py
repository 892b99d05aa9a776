"""Freed memory goes back to the system, and a C library that cannot do that is no error."""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import pytest

from hardware.freed_memory import give_back_memory


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4


@pytest.mark.skipif("linux" not in sys.platform, reason="reads /proc")
def test_what_was_freed_is_resident_no_more() -> None:
    """Ten megabytes in small pieces; each twentieth stays, so that free() alone cannot give the rest back."""
    library = ctypes.CDLL(None)
    library.malloc.restype = ctypes.c_void_p
    library.free.argtypes = [ctypes.c_void_p]
    pieces = [library.malloc(5_000) for _ in range(2_000)]
    for piece in pieces:
        ctypes.memset(piece, 1, 5_000)
    stay = pieces[::20]
    for piece in set(pieces) - set(stay):
        library.free(piece)
    before_kb = resident_kb()
    assert give_back_memory()
    assert before_kb - resident_kb() > 7_000
    for piece in stay:
        library.free(piece)


def test_without_the_function_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert give_back_memory() is False
