"""Locks the program's memory for a game, with a note for the referee if that fails."""

from __future__ import annotations

from typing import Final

from hardware import real_time
from pi_app.text.language import N_, words

NOT_LOCKED: Final = N_(
    "memory (this program): could not be locked ({why}). Give the service LimitMEMLOCK=infinity, or start without "
    "--lock-memory."
)
N_("its limit is too low")  # hardware.real_time.LIMIT_TOO_LOW


def lock_memory(language: str, *, asked: bool) -> tuple[str, ...]:
    """Lock this program's memory, if the system allows it. Return the referee's note in this language if that was
    asked for and failed."""
    why, translated = real_time.lock_memory(), words(language)
    return (translated(NOT_LOCKED).format(why=translated(why)),) if why and asked else ()
