"""Whether the parts of a station work, as times: what a watchdog may be fed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pi_app.play.loop.session import GameSession


@runtime_checkable
class Answering(Protocol):
    """A link whose page process answers."""

    @property
    def answered_ns(self) -> int | None:
        """When it answered last; None while there is none."""


@dataclass(frozen=True, slots=True)
class StationHealth:
    """Times on the table's clock, in ns. `scans`: the last sample of each bus or hub, also one without an answer; None
    before the first. `commit_ns`: when the journal could take all that it was given; `disk_full_known`: whether it
    refused an event, and the table has said so. `pages_ns`: the last answer of the page process on this machine's
    monotonic clock; None without pages, or while it is started again. `turned_ns`: when the loop's last round began;
    `writing_ns`: since when the disk is being written to, None while it is not."""

    now_ns: int
    scans: Mapping[str, int | None]
    commit_ns: int
    disk_full_known: bool
    pages_ns: int | None
    turned_ns: int = 0
    writing_ns: int | None = None


def health_of(session: GameSession, buses: Mapping[str, tuple[str, ...]], pages: object) -> StationHealth:
    """Return the health of a table; any thread may ask. `buses`: the squares of each bus or hub; `pages`: the link to
    its page process."""
    now_ns = session.clock.now_ns()
    scans = {
        name: max((at for label in labels if (at := session.dials[label].tracker.sampled_ns) is not None), default=None)
        for name, labels in buses.items()
    }
    refused_ns = session.refused_since_ns
    return StationHealth(
        now_ns,
        scans,
        now_ns if refused_ns is None else refused_ns,
        refused_ns is not None,
        pages.answered_ns if isinstance(pages, Answering) else None,
        session.step_ns,
        session.writing_ns,
    )
