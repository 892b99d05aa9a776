"""The words on the buttons and states of a phone's page. The page has no catalogue: each frame brings them finished, in
its seat's language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from pi_app.report.seat_screen import HOLD_BUTTON, TURN_BUTTON
from pi_app.text.language import N_
from pi_app.text.language import words as words_of

PAGE_WORDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        # the two big buttons, and what they did
        "turn": TURN_BUTTON,
        "take_back": N_("Take back"),
        "open": N_("The next dial that moves is yours."),
        "hold": HOLD_BUTTON,
        "tap_to_look": N_("Tap to look"),
        "shade": N_("While you hold, this shows what only you may know. Shade it with your other hand."),
        # the connection
        "connecting": N_("Connecting …"),
        "back": N_("Back online."),
        "lost": N_("No connection. Look at your screen or lamp."),
        "moved": N_("Another phone has this seat now."),
        "over": N_("The game is over."),
        "code": N_("This code is used up. Scan a new one."),
        "game": N_("No game is on."),
        "full": N_("Too many phones. Trying again …"),
        "disk": N_("The table cannot save this. Wait …"),
        "scan": N_("Scan the code of your seat."),
        # headings
        "you": N_("You are {name}."),
        "seats": N_("Seats on this phone"),
        "news": N_("News"),
        "squares": N_("Squares"),
        "yours": N_("you know it"),
        # for eyes, ears and hands
        "settings": N_("Settings"),
        "tap_shows": N_("A tap shows for 4 s"),
        "buzz": N_("Vibrate as the lamp blinks"),
        "read_to_me": N_("Read to me"),
        "headphones": N_("Your phone will say aloud what only you may know. Are your headphones on?"),
        # the end
        "leave": N_("Leave this seat"),
        "sure": N_("Tap once more to leave"),
        "record": N_("The record's head"),
        "head": N_("It shows later whether the record was changed. Photograph it, or keep the file."),
        "save": N_("Keep the heads as a file"),
    }
)
"""Key in a frame's `ui` -> message."""


@cache
def page_words(language: str, name: str) -> Mapping[str, str]:
    """The words of one seat's page."""
    words = words_of(language)
    said = {key: words(message) for key, message in PAGE_WORDS.items()}
    return MappingProxyType({**said, "you": said["you"].format(name=name)})
