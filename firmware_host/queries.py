"""A builder asks a hub, at the command line: how its dials are, how it is itself, and that it starts anew."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from firmware_host.errors import HubError
from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import LinkNotice, LinkState, Welcome
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubReply
from hardware.chips.as5600 import health_of
from hardware.chips.dial_chip import Health
from hardware.clock import Clock

GREETING_TIMEOUT_S: Final = 4.0
"""Ten greetings take three seconds."""
RESTART_TIMEOUT_S: Final = 15.0
"""USB is back after one or two; a board that must first be reset by its watchdog takes eight."""

TRANSIENT: Final = frozenset((LinkState.NO_PORT, LinkState.NO_PERMISSION, LinkState.BUSY))
"""What a port may be for a moment when its board starts."""

SETTLING: Final = frozenset((LinkState.GREETING, LinkState.STALE))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How one dial is; no angle. `result`: see `hub.wire`; with a look that gave none, `health` says nothing."""

    dial: int
    result: int
    health: Health
    failed: int


@dataclass(frozen=True, slots=True)
class HubCounts:
    """What a hub counted since its start. `sweep_us`: how long the last sweep took; `apart_ms`: the longest time from
    one to the next; `rate`: sweeps in the last whole second in which it sampled."""

    good: int
    damaged: int
    short: int
    failed: int
    freed: int
    sweep_us: int
    apart_ms: int
    free: int
    rate: int


def without_samples(required: HubRequirements) -> HubRequirements:
    """The same hub, and no looks are asked of it."""
    return replace(required, dials=0, period_ms=0)


def outcome(link: Link, clock: Clock, *, starts: bool = False) -> LinkNotice | None:
    """How the link stands once it is greeted or is known not to be; None if nothing was known in time. `starts`: the
    board was just told to start anew, so its port may vanish and come back."""
    notice: LinkNotice | None = None
    until_ns = clock.now_ns() + round((RESTART_TIMEOUT_S if starts else GREETING_TIMEOUT_S) * 1e9)
    while link.wait(until_ns):
        for event in link.take():
            if isinstance(event, LinkNotice) and event.state not in SETTLING:
                notice = event
                if not starts or event.state not in TRANSIENT:
                    return notice
    return notice


def welcome(link: Link, clock: Clock, *, starts: bool = False) -> Welcome:
    """The hub, once it runs. Raises HubError with the link's own words if it does not. `starts`: as for `outcome`."""
    notice = outcome(link, clock, starts=starts)
    if notice is None or notice.state is not LinkState.RUNNING or notice.hub is None:
        raise HubError(notice.words if notice is not None and notice.words else _no_answer(link, "its name", "in time"))
    return notice.hub


def diagnoses(link: Link, hub: Welcome) -> Iterator[Diagnosis]:
    """Each dial of a hub that was greeted. Raises HubError if it does not answer."""
    for dial in range(hub.dials):
        body = _reply_body(link, link.ask(wire.DIAG, bytes((dial,))), wire.DIAGNOSIS, f"dial {dial}")
        _, result, status, agc, magnitude, _, _, failed = struct.unpack_from(wire.DIAGNOSIS_BODY, body)
        yield Diagnosis(dial, result, health_of(status, agc, magnitude), failed)


def counts(link: Link) -> HubCounts:
    """What a hub that was greeted counted. Raises HubError if it does not answer."""
    body = _reply_body(link, link.ask(wire.STATS), wire.COUNTS, "its counts")
    return HubCounts(*struct.unpack_from(wire.COUNTS_BODY, body)[1:])


def restart(link: Link, hub: Welcome, clock: Clock) -> Welcome:
    """Reset a hub that was greeted, and greet it again. Raises HubError if it is not back in time."""
    asked = struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, wire.RESET)
    reply = _reply_body(link, link.ask(wire.MAINT, asked), wire.ACK, "to be reset")
    if reply[2] != wire.OK:
        raise HubError(_no_answer(link, "to be reset", f"with anything but status {reply[2]}"))
    until_ns = clock.now_ns() + round(RESTART_TIMEOUT_S * 1e9)
    while link.wait(until_ns):
        for event in link.take():
            again = event.hub if isinstance(event, LinkNotice) and event.state is LinkState.RUNNING else None
            if again is not None and again.boot != hub.boot:
                return again
    raise HubError(_no_answer(link, "its reset", f"in {RESTART_TIMEOUT_S:.0f} s"))


def _reply_body(link: Link, reply: HubReply, kind: int, asked: str) -> bytes:
    if reply.body is None or reply.kind != kind:
        raise HubError(_no_answer(link, asked, "three times"))
    return reply.body


def _no_answer(link: Link, asked: str, how: str) -> str:
    name = f"hub {link.required.name}" if link.required.name else "board"
    place = link.required.port or link.required.uid or "USB"
    return f"{name} ({place}) did not answer {how} when it was asked for {asked}. Pull its plug and put it in again."
