"""The referee's sentence about a date that was corrected during a game. Pure."""

from __future__ import annotations

from typing import Final

from pi_app.game.events import ClockCorrected
from pi_app.text.language import N_, Words, decimal

BEHIND: Final = N_(
    "clock (the date): it was {seconds} s behind and was corrected. No action needed: the journal notes it for its "
    "earlier entries."
)
AHEAD: Final = N_(
    "clock (the date): it was {seconds} s ahead and was corrected. No action needed: the journal notes it for its "
    "earlier entries."
)
SOURCES: Final = {
    "none": N_("clock (the date): it is no longer synchronized. No action needed: the journal notes it from here on."),
    "rtc": N_(
        "clock (the date): the network no longer synchronizes it. No action needed: the journal notes it from here on."
    ),
    "ntp": N_(
        "clock (the date): the network synchronizes it now. No action needed: the journal notes it from here on."
    ),
}


def clock_words(correction: ClockCorrected, words: Words) -> str:
    """Return the sentence for one correction."""
    if abs(correction.add_ms) < 1000:
        return words(SOURCES[correction.now])
    sentence = words(BEHIND if correction.add_ms > 0 else AHEAD)
    return sentence.format(seconds=decimal(abs(correction.add_ms) / 1000, words))
