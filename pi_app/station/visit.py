"""The life of a visit, pure: inputs and times in, states out."""

from __future__ import annotations

import enum


class State(enum.Enum):
    """Where a visit is. Trouble is no state: it stands beside every one of them."""

    CLOSED = "closed"
    ATTRACT = "attract"
    JOINING = "joining"
    GUIDED = "guided"
    FREE = "free"
    THANKS = "thanks"
    RESET = "reset"
