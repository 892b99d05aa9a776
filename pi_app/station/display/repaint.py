"""Repaints the lines of a widget that have changed, so that a terminal is sent no others."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import Region
from textual.widget import Widget


def repaint(widget: Widget, before: Sequence[object], lines: Sequence[object]) -> None:
    """Paint a widget again that showed the lines `before`, and shows `lines` now."""
    if len(before) != len(lines):
        widget.refresh()
        return
    changed = [y for y, (old, new) in enumerate(zip(before, lines, strict=True)) if old != new]
    if changed:
        widget.refresh(*(Region(0, y, widget.size.width, 1) for y in changed))
