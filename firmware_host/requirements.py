"""What the settings want of a hub, and whether one will do. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_host import messages
from firmware_host.hub.wire import OLDEST_PROTOCOL, PROTOCOL
from firmware_host.link_events import LinkState, Welcome

OLDEST_FIRMWARE: Final = (2, 0, 0)


@dataclass(frozen=True, slots=True)
class HubRequirements:
    """What the settings say of a hub. With `uid` (16 hex digits) no other board will do; with `port` no other port is
    opened. `dials`: so many it must have, one more than the highest channel that is used. `period_ms` from report to
    report; the hub samples as fast as its wire allows in any case. With `period_ms` 0 no samples are asked for, only
    answers."""

    name: str
    uid: str = ""
    port: str = ""
    dials: int = 1
    period_ms: int = 20
    gap_ms: int = 35


def refusal(required: HubRequirements, hub: Welcome, place: str) -> tuple[LinkState, str] | None:
    """Why this hub will not do, in a state and a message; None if it will."""
    name, uid = required.name, required.uid.lower()
    if uid and hub.uid != uid:
        return LinkState.WRONG_BOARD, messages.wrong_board(name, place, uid, hub.uid)
    if not hub.agreed or not OLDEST_PROTOCOL <= hub.protocol <= PROTOCOL:
        return LinkState.INCOMPATIBLE, messages.no_common_protocol(name, place, hub.protocol)
    if hub.firmware < OLDEST_FIRMWARE:
        return LinkState.INCOMPATIBLE, messages.too_old(name, place, hub.firmware, OLDEST_FIRMWARE)
    if hub.dials < required.dials:
        return LinkState.WRONG_BOARD, messages.too_few_dials(name, place, required.dials, hub.dials)
    return None
