"""Queries of the command line to one hub: its dials, its counts, a restart."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from firmware_host.commands import HubReply
from firmware_host.errors import HubError
from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import LinkNotice, LinkState, Welcome
from firmware_host.requirements import HubRequirements
from hardware.chips.as5600 import health_of
from hardware.chips.dial_chip import Health
from hardware.clock import Clock

GREETING_TIMEOUT_S: Final = 4.0
"""Ten greetings take three seconds."""
RESTART_TIMEOUT_S: Final = 15.0
"""USB is back after one or two; a board that must first be reset by its watchdog takes eight."""

TRANSIENT: Final = frozenset((LinkState.NO_PORT, LinkState.NO_PERMISSION, LinkState.BUSY))
"""States of a port while its board starts."""

SETTLING: Final = frozenset((LinkState.GREETING, LinkState.STALE))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The state of one dial, without its angle. `result`: see `hub.wire`; without an angle, `health` is meaningless."""

    dial: int
    result: int
    health: Health
    failed: int


@dataclass(frozen=True, slots=True)
class HubCounts:
    """Counts of a hub since its start. `sweep_us`: duration of the last sweep; `apart_ms`: the longest time from one
    sweep to the next; `rate`: sweeps in the last whole second of sampling."""

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
    """The same hub, without a request for samples."""
    return replace(required, dials=0, period_ms=0)


def outcome(link: Link, clock: Clock, *, starts: bool = False) -> LinkNotice | None:
    """The link's last notice once its greeting succeeded or failed; None if neither happened in time. `starts`: the
    board was just restarted, so its port may vanish and come back."""
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
    """The hub, once it runs. Raises HubError with the link's own message if it does not. `starts`: as for `outcome`."""
    notice = outcome(link, clock, starts=starts)
    if notice is None or notice.state is not LinkState.RUNNING or notice.hub is None:
        raise HubError(
            notice.words
            if notice is not None and notice.words
            else _failed(link, "did not answer the greeting in time")
        )
    return notice.hub


def diagnoses(link: Link, hub: Welcome) -> Iterator[Diagnosis]:
    """Query each dial of a greeted hub. Raises HubError without an answer."""
    for dial in range(hub.dials):
        body = _reply_body(link, link.ask(wire.DIAG, bytes((dial,))), wire.DIAGNOSIS, f"for dial {dial}")
        _, result, status, agc, magnitude, _, _, failed = struct.unpack_from(wire.DIAGNOSIS_BODY, body)
        yield Diagnosis(dial, result, health_of(status, agc, magnitude), failed)


def counts(link: Link) -> HubCounts:
    """Query the counts of a greeted hub. Raises HubError without an answer."""
    body = _reply_body(link, link.ask(wire.STATS), wire.COUNTS, "for its counts")
    return HubCounts(*struct.unpack_from(wire.COUNTS_BODY, body)[1:])


def restart(link: Link, hub: Welcome, clock: Clock) -> Welcome:
    """Reset a greeted hub, and greet it again. Raises HubError if it is not back in time."""
    asked = struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, wire.RESET)
    reply = _reply_body(link, link.ask(wire.MAINT, asked), wire.ACK, "to reset")
    if reply[2] != wire.OK:
        raise HubError(_failed(link, f"refused to reset (status {reply[2]})"))
    until_ns = clock.now_ns() + round(RESTART_TIMEOUT_S * 1e9)
    while link.wait(until_ns):
        for event in link.take():
            again = event.hub if isinstance(event, LinkNotice) and event.state is LinkState.RUNNING else None
            if again is not None and again.boot != hub.boot:
                return again
    raise HubError(_failed(link, f"did not come back within {RESTART_TIMEOUT_S:.0f} s of its reset"))


def _reply_body(link: Link, reply: HubReply, kind: int, request: str) -> bytes:
    if reply.body is None or reply.kind != kind:
        raise HubError(_failed(link, f"did not answer three requests {request}"))
    return reply.body


def _failed(link: Link, seen: str) -> str:
    name = f"hub {link.required.name}" if link.required.name else "board"
    place = link.required.port or link.required.uid or "USB"
    return f"{name} ({place}) {seen}. Unplug it and plug it in again."
