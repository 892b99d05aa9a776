"""The event of a conversion."""

from __future__ import annotations

from pi_app.journal.record.happenings import Event


class Converted(Event, frozen=True, kw_only=True, tag="converted"):
    """Figures of the Mage Spawn pool were placed on the table, or went `back` into the pool (R-WMT-4)."""

    figures: tuple[str, ...]
    back: bool = False
