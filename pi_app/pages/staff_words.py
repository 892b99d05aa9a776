"""The words of the staff page's door, for translators: behind it the table sends finished sentences.

The page process reads them from `page/staff_words.json` in all languages, which `make words` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pi_app.text.language import N_

DOOR_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "title": N_("For the staff"),
        "pin": N_("PIN (6 to 12 digits)"),
        "number": N_("Number on the station's screens"),
        "enter": N_("Open"),
        "busy": N_("One moment …"),
        "wrong": N_("This PIN is wrong."),
        "wait": N_(
            "Too many wrong PINs. Hold all buttons of the seats for five seconds, then enter the PIN and the number on "
            "the screens. Or try again in {minutes} min."
        ),
        "stale": N_("This number is wrong or old. Hold all buttons of the seats for five seconds to get another one."),
        "crowd": N_(
            "Somebody keeps this door busy. Hold all buttons of the seats for five seconds, then enter the PIN and the "
            "number on the screens, if there is one. Or try again in a minute."
        ),
        "again": N_("Enter the PIN again."),
        "none": N_("This station has no staff page: its settings have no PIN."),
        "lost": N_("The station does not answer. Are you in its Wi-Fi? Wait a moment, then try again."),
        "fake": N_("The answer was not from this station. Leave this Wi-Fi, and tell the owner."),
    }
)
"""Key in the page -> message."""
