"""What a centre in the settings, or a pinned witness, changes for a table in play. Without either, nothing of it is
imported."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_app.journal import Stamp
    from pi_app.settings.model import Settings


def handing_over(settings: Settings, journal: Path) -> contextlib.AbstractContextManager[None]:
    """Hand the record over meanwhile, if the settings name a centre, and ask pinned witnesses."""
    from pi_app.journal.cosigned import asks_witnesses

    if settings.centre is None and not asks_witnesses(journal):
        return contextlib.nullcontext()
    from pi_app.play.open_sender import handing_over as opened

    return opened(settings, journal)


def stamp_of(settings: Settings, journal: Path) -> Callable[[], Stamp]:
    """Return what gives the time of entries: the machine, and for one without a clock also what its centre has
    cosigned."""
    from pi_app.journal import machine_stamp

    if settings.centre is None:
        return machine_stamp
    from pi_app.play.open_sender import witnessed_stamp

    return witnessed_stamp(settings, journal, machine_stamp)
