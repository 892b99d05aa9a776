"""Landlock for real, in a process of its own: only what is named can be opened and reached."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TRIES = r"""
import ctypes, json, os, sys
from pathlib import Path
from hardware import landlock
folder = Path(sys.argv[1])
library = ctypes.CDLL(None, use_errno=True)
landlock.no_new_privileges(library)
rights = {folder / "read": landlock.READ, folder / "change": landlock.CHANGE, folder / "one": landlock.READ,
          folder / "gone": landlock.READ}
done = landlock.restrict(library, rights, ())
def worked(attempt):
    try:
        attempt()
    except OSError:
        return False
    return True
tries = {
    "read in read": lambda: open(folder / "read" / "a").read(),
    "list read": lambda: os.listdir(folder / "read"),
    "read one": lambda: open(folder / "one").read(),
    "write in change": lambda: open(folder / "change" / "new", "w").write("x"),
    "rename in change": lambda: os.rename(folder / "change" / "new", folder / "change" / "newer"),
    "remove in change": lambda: os.unlink(folder / "change" / "newer"),
    "write in read": lambda: open(folder / "read" / "a", "r+"),
    "make in read": lambda: open(folder / "read" / "b", "w"),
    "remove in read": lambda: os.unlink(folder / "read" / "a"),
    "write one": lambda: open(folder / "one", "r+"),
    "read other": lambda: open(folder / "other").read(),
    "list the folder": lambda: os.listdir(folder),
    "make a folder": lambda: os.mkdir(folder / "change" / "folder"),
    "move out": lambda: os.rename(folder / "read" / "a", folder / "change" / "a"),
}
print(json.dumps([done, [name for name, attempt in tries.items() if worked(attempt)]]))
"""


def test_only_what_is_named_is_allowed(tmp_path: Path) -> None:
    for name in ("read", "change"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("x")
    for name in ("one", "other"):
        (tmp_path / name).write_text("x")
    done = subprocess.run([sys.executable, "-c", TRIES, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    worked, through = json.loads(done.stdout)
    if not worked:
        pytest.skip("this kernel has no Landlock")
    assert through == [
        *("read in read", "list read", "read one"),
        *("write in change", "rename in change", "remove in change"),
    ]
