"""Leaves word of what has to go dark when a station's program ends in whatever way.

The unit's ExecStopPost hands it to `hardware.lights_out`: with KillMode=mixed the service manager may kill the watchdog
that `play` starts (`pi_app.play.watchdog`) before it has done its work.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pi_app.play.watchdog import orders
from pi_app.settings.model import Settings
from pi_app.text.private_files import replace_file

NAME: Final = "lights"


@contextlib.contextmanager
def left_word(run: Path | None, settings: Settings, chip: str) -> Iterator[None]:
    """Leave word in the run folder while the table runs; an end without an error takes it away. `chip`: the device of
    the pins. Without a run folder there is nobody to read it."""
    if run is not None:
        with contextlib.suppress(OSError):
            replace_file(run / NAME, "".join(f"{line}\n" for line in orders(settings, chip)).encode())
    yield
    if run is not None:
        with contextlib.suppress(OSError):
            (run / NAME).unlink()
