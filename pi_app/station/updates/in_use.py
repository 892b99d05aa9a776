"""Put the running tree into use: its own units in the system, and the station started with them.

The link `units` names the tree whose units are in use. A power cut or a killed dpkg may come after the link `current`
and before that: the two links then differ, and the next start of the trial or the next `dpkg --configure -a` does it.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees


def is_in_use(home: Path) -> bool:
    """Say whether the units in the system are those of the running tree; also if no tree runs."""
    return trees.pointed(home, "current") in (None, trees.pointed(home, "units"))


def put_in_use(home: Path, systemd: Systemd) -> str | None:
    """Write the units of the running tree, and restart the station. Returns what went wrong, or None.

    What went wrong is tried once more at the next start of the machine."""
    slot = trees.pointed(home, "current")
    with contextlib.suppress(OSError):
        (home / "units").unlink(missing_ok=True)
    trouble = systemd.put_in_use(home)
    if trouble is None and slot is not None:
        with contextlib.suppress(OSError):
            trees.point(home, "units", slot)
    return trouble
