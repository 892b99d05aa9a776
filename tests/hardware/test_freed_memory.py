"""Freed memory goes back to the system, and a C library that cannot do that is no error."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

from hardware.freed_memory import give_back_memory
from tests.layers import ROOT

FREES = """
import ctypes
from pathlib import Path

from hardware.freed_memory import give_back_memory

def resident_kb():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4

library = ctypes.CDLL(None)
library.malloc.restype = ctypes.c_void_p
library.free.argtypes = [ctypes.c_void_p]
pieces = [library.malloc(5_000) for _ in range(2_000)]
for piece in pieces:
    ctypes.memset(piece, 1, 5_000)
for number, piece in enumerate(pieces):
    if number % 20:
        library.free(piece)
before_kb = resident_kb()
print(give_back_memory(), before_kb - resident_kb())
"""
"""Ten megabytes in small pieces; each twentieth stays, so that free() alone cannot give the rest back."""


@pytest.mark.skipif("linux" not in sys.platform, reason="reads /proc")
def test_what_was_freed_is_resident_no_more() -> None:
    """In a program of its own: a test before this one may have locked the memory of this one."""
    done = subprocess.run([sys.executable, "-c", FREES], cwd=ROOT, capture_output=True, text=True, check=True)
    gave, less_kb = done.stdout.split()
    assert (gave, int(less_kb) > 7_000) == ("True", True)


def test_without_the_function_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: object())
    assert give_back_memory() is False
