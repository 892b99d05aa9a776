"""Requirements of the settings for a hub, and their check. Pure."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from firmware_host import messages
from firmware_host.hub.wire import KEYED, OLDEST_PROTOCOL, PROTOCOL, WELCOME_BODY
from firmware_host.link_events import LinkState, Welcome

OLDEST_FIRMWARE: Final = (2, 0, 0)


@dataclass(frozen=True, slots=True)
class HubRequirements:
    """Requirements for a hub. With `uid` (16 hex digits) only that board is accepted; with `port` only that port is
    opened. `dials`: the least number, one more than the highest channel in use. `period_ms`: from report to report; the
    hub samples as fast as its wire allows in any case. With `period_ms` 0 the session requests no samples, only
    answers. `key_of` returns the key of a board id, or None without one: only a board that proves this key is accepted,
    and only what its key confirms. Without `key_of` the cable is trusted."""

    name: str
    uid: str = ""
    port: str = ""
    dials: int = 1
    period_ms: int = 20
    gap_ms: int = 35
    key_of: Callable[[str], bytes | None] | None = field(default=None, compare=False, repr=False)


def welcome_of(body: bytes) -> tuple[int, int, Welcome]:
    """The nonce, the hub's time and the hub in the body of a WELCOME. Raises struct.error if it is too short."""
    fields = struct.unpack_from(WELCOME_BODY, body)
    nonce, protocol, result, dials, cause, uid, major, minor, patch, flags, boot, hub_us = fields
    firmware, keyed = (major, minor, patch), bool(flags & KEYED)
    return nonce, hub_us, Welcome(uid.hex(), protocol, result == 0, dials, firmware, cause, boot, keyed)


def refusal(required: HubRequirements, hub: Welcome, place: str) -> tuple[LinkState, str] | None:
    """The state and message that refuse this hub; None if it is accepted."""
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
