"""Trees of nothing but their notes, for tests of what happens between them."""

from __future__ import annotations

import json
import platform
from pathlib import Path

from pi_app.station.updates import trees
from tests.station.tiny import NEW, OLD


def note(home: Path, slot: trees.Slot, version: str, python: str = "") -> trees.ProgramTree:
    """Make a tree of nothing but its note; `python`: another one than this."""
    (home / slot).mkdir(parents=True)
    content = {"version": version, "payload": f"sum of {version}", "python": python or platform.python_version()}
    (home / slot / trees.NOTE).write_text(json.dumps(content), encoding="utf-8")
    return trees.ProgramTree(slot, version, content["payload"], content["python"])


def on_trial(home: Path) -> None:
    """Make version 1.0 in A the confirmed one, and 2.0 in B the one on trial, with its units in use."""
    trees.switch(home, note(home, "A", OLD), trial=False)
    trees.switch(home, note(home, "B", NEW), trial=True)
    trees.point(home, "units", "B")
