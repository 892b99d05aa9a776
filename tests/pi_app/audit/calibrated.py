"""A game whose first dial is calibrated."""

from __future__ import annotations

import msgspec

from pi_app.game import events as ev
from tests.pi_app.games import started


def calibrated(*, invert: bool = False, calibrated: bool = True) -> ev.Started:
    """T01 with centres 10 counts beside an even pitch."""
    begin = started()
    centres = tuple(round((-k if invert else k) * 4096 / 12 + 10) % 4096 for k in range(12))
    dial = ev.DialSetup(centres=centres, calibrated=calibrated, invert=invert)
    first = msgspec.structs.replace(begin.squares[0], dial=dial)
    return msgspec.structs.replace(begin, squares=(first, *begin.squares[1:]))
