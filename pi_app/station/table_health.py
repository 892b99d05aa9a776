"""What a table in play says of its own health."""

from __future__ import annotations

from typing import Protocol

from pi_app.play.loop import Loop
from pi_app.station.watchdog import Health


class Answering(Protocol):
    """A link to a page process."""

    @property
    def answered_ns(self) -> int | None:
        """When the page process last sent anything; None while there is none."""


def health_of(loop: Loop, pages: Answering | None = None) -> Health:
    """Return the health of a table's parts now. Any thread may call."""
    session = loop.session
    return Health(
        turned_ns=session.step_ns,
        scans=dict(loop.feed.scanned()),
        writing_ns=session.writing_ns,
        committed_ns=session.committed_ns,
        disk_known=session.disk_refuses,
        answered_ns=None if pages is None else pages.answered_ns,
    )
