"""Fake machines: files below a folder, and programs with given answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hardware.host import Host

SOUND: Mapping[str, Any] = {
    "user_id": 1000,
    "user": "pi",
    "group_ids": frozenset(),
    "usage": lambda folder: (32_000_000_000, 8_000_000_000, 24_000_000_000),
    "read_only": lambda folder: False,
    "now_s": lambda: 1_800_000_000.0,  # January 2027
    "kernel_is_set": lambda: None,
    "version": lambda package: "9.9",
    "module_bytes": lambda name: 50_000,
    "real_time": lambda: None,
    "python": (3, 13),
    "environment": "/opt/trapdial/.venv",
}
"""A user on a machine without troubles."""


def host(root: Path, answers: str = "", **facts: object) -> Host:
    """Return a machine with the files below `root` and these facts."""
    return Host(root=root, ask=lambda words: answers, **{**SOUND, **facts})


def put(root: Path, path: str, text: str | bytes) -> None:
    """Write a file of that machine."""
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_bytes(text if isinstance(text, bytes) else text.encode())
