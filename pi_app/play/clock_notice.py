"""What the referee is told when the date is put right during a game. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pi_app.game.events import ClockCorrected
from pi_app.text.language import N_, decimal

BEHIND: Final = N_(
    "clock (the date): it was {seconds} s behind and was changed. Nothing to do: the journal says it of its earlier "
    "entries."
)
AHEAD: Final = N_(
    "clock (the date): it was {seconds} s ahead and was changed. Nothing to do: the journal says it of its earlier "
    "entries."
)
SOURCES: Final = {
    "none": N_("clock (the date): nothing keeps it right any more. Nothing to do: the journal says so from here on."),
    "rtc": N_(
        "clock (the date): the network no longer keeps it right. Nothing to do: the journal says so from here on."
    ),
    "ntp": N_("clock (the date): the network keeps it right now. Nothing to do: the journal says so from here on."),
}


def clock_words(correction: ClockCorrected, words: Callable[[str], str]) -> str:
    """The sentence for one correction."""
    if abs(correction.add_ms) < 1000:
        return words(SOURCES[correction.now])
    told = words(BEHIND if correction.add_ms > 0 else AHEAD)
    return told.format(seconds=decimal(abs(correction.add_ms) / 1000, words))
