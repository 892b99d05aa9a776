"""The events of experience, chests and artifacts."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from pi_app.game import artifacts as art
from pi_app.game import tokens
from pi_app.game.experience import Deed, Means, Prey
from pi_app.journal.record.happenings import Event
from pi_app.text.sealed import PartlySealed, Sealed

Way = Literal["quick", "slow"]


class Earned(Event, frozen=True, kw_only=True, tag="experience"):
    """A player gains experience, as typed. The rulings decide whether it counts (R-XP-1, R-XP-2). `chest` is the number
    of the chest that went off."""

    seat: str
    xp: Annotated[int, Meta(ge=-999, le=999)]
    deed: Deed
    means: Means = "attack"
    prey: Prey = "spawn"
    chest: int | None = None


class ChestTried(Event, frozen=True, kw_only=True, tag="chest tried"):
    """A disarm attempt at a chest's trap. Two dice, and always a third, as in `DisarmTried`."""

    seat: str
    chest: int
    way: Way
    dice: tuple[int, int]
    plus_die: int = 0
    how: Literal["said", "device"] = "said"
    figure: str = ""


class Drawn(PartlySealed, Event, frozen=True, kw_only=True, tag="token drawn"):
    """A seat drew a token from under an artifact (AR-USE-4). Which one is sealed; its colour is public."""

    _open = ("artifact", "seat", "figure")
    _hidden = "token"
    seat: str
    artifact: str
    colour: tokens.TokenColour
    token: Annotated[int, Meta(ge=0, lt=tokens.MOST_KINDS)]
    figure: str = ""


class TokenMoved(Event, frozen=True, kw_only=True, tag="token moved"):
    """A seat keeps the token that it drew, puts it back, or loses its ability with its figure (AR-ABL-4)."""

    seat: str
    way: art.TokenMove
    figure: str = ""


class Refreshed(Sealed, Event, frozen=True, kw_only=True, tag="artifacts refreshed"):
    """All artifacts got tokens from the piles again (AR-REF-1); which ones is sealed."""

    seat: str
    dealt: art.Dealt


class Activated(Event, frozen=True, kw_only=True, tag="activated"):
    """A Hero of this seat begins its activation: it may use an artifact (AR-GEN-2)."""

    seat: str
    figure: str = ""
