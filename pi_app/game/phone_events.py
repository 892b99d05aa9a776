"""Events of the phones that hold seats."""

from __future__ import annotations

from typing import Annotated, Final

from msgspec import Meta

from pi_app.journal.record.happenings import Event
from pi_app.text.sealed import PartlySealed

SESSION_CHARACTERS: Final = 108
"""The 80 bytes of a session in base64: its slot and its two keys."""

SessionText = Annotated[str, Meta(min_length=SESSION_CHARACTERS, max_length=SESSION_CHARACTERS)]


class PhoneJoined(PartlySealed, Event, frozen=True, kw_only=True, tag="phone joined"):
    """A phone holds this seat from now on. `moved`: another phone held it before. `session`: with it a game that is
    resumed knows the phone again. Nothing here names the phone or its network address."""

    _open = ("seat", "moved")
    _hidden = "session"
    seat: str
    moved: bool
    session: SessionText


class PhoneLeft(Event, frozen=True, kw_only=True, tag="phone left"):
    """The player gave up the phone's seat on the phone."""

    seat: str
