"""In words: where the dials of a game started that took its starts as they stood. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from pi_app.audit.values import DialSeen, GameAudit


def starts_line(game: GameAudit) -> str:
    """Return where each dial of an ended game started; nothing for a game that began at the printed marks."""
    told = list(_told(game.dials))
    return f"The starts are where the dials stood, not the printed marks: {'; '.join(told)}." if told else ""


def _told(dials: tuple[DialSeen, ...]) -> Iterator[str]:
    for dial in dials:
        if dial.start is UNSET:
            continue
        if dial.start is None:
            yield f"{dial.square}: never known"
        else:
            yield f"{dial.square}: detent {dial.start}" if dial.absolute else f"{dial.square}: counts steps from there"
