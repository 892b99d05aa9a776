"""A builder asks a hub, at the command line: how its dials are, how it is itself, and that it starts anew."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from firmware_host.errors import HubError
from firmware_host.hub import wire
from firmware_host.link import Clock, Link
from firmware_host.link_events import LinkNews, LinkState, Welcome
from firmware_host.requirements import Wanted
from firmware_host.session import Answer
from hardware.chips.as5600 import health_of
from hardware.chips.dial_chip import Health

GREETED_S: Final = 4.0
"""Ten greetings take three seconds."""
STARTED_S: Final = 15.0
"""USB is back after one or two; a board that must first be reset by its watchdog takes eight."""

COMES: Final = frozenset((LinkState.NO_PORT, LinkState.NO_PERMISSION, LinkState.BUSY))
"""What a port may be for a moment when its board starts."""

SETTLING: Final = frozenset((LinkState.GREETING, LinkState.STALE))


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How one dial is; no angle. `gave`: see `hub.wire`; with a look that gave none, `health` says nothing."""

    dial: int
    gave: int
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


def only_asking(wanted: Wanted) -> Wanted:
    """The same hub, and no looks are asked of it."""
    return replace(wanted, dials=0, period_ms=0)


def outcome(link: Link, clock: Clock, *, starts: bool = False) -> LinkNews | None:
    """How the link stands once it is greeted or is known not to be; None if nothing was known in time. `starts`: the
    board was just told to start anew, so its port may vanish and come back."""
    news: LinkNews | None = None
    until_ns = clock.now_ns() + round((STARTED_S if starts else GREETED_S) * 1e9)
    while link.wait(until_ns):
        for heard in link.take():
            if isinstance(heard, LinkNews) and heard.state not in SETTLING:
                news = heard
                if not starts or heard.state not in COMES:
                    return news
    return news


def greeted(link: Link, clock: Clock, *, starts: bool = False) -> Welcome:
    """The hub, once it runs. Raises HubError with the link's own words if it does not. `starts`: as for `outcome`."""
    news = outcome(link, clock, starts=starts)
    if news is None or news.state is not LinkState.RUNNING or news.hub is None:
        raise HubError(news.words if news is not None and news.words else _no_answer(link, "its name", "in time"))
    return news.hub


def diagnoses(link: Link, hub: Welcome) -> Iterator[Diagnosis]:
    """Each dial of a hub that was greeted. Raises HubError if it does not answer."""
    for dial in range(hub.dials):
        body = _body(link, link.ask(wire.DIAG, bytes((dial,))), wire.DIAGNOSIS, f"dial {dial}")
        _, gave, status, agc, magnitude, _, _, failed = struct.unpack_from(wire.DIAGNOSIS_BODY, body)
        yield Diagnosis(dial, gave, health_of(status, agc, magnitude), failed)


def counts(link: Link) -> HubCounts:
    """What a hub that was greeted counted. Raises HubError if it does not answer."""
    body = _body(link, link.ask(wire.STATS), wire.COUNTS, "its counts")
    return HubCounts(*struct.unpack_from(wire.COUNTS_BODY, body)[1:])


def start_anew(link: Link, hub: Welcome, clock: Clock) -> Welcome:
    """Reset a hub that was greeted, and greet it again. Raises HubError if it is not back in time."""
    asked = struct.pack(wire.MAINT_BODY, wire.MAINT_KEY, wire.RESET)
    answer = _body(link, link.ask(wire.MAINT, asked), wire.ACK, "to be reset")
    if answer[2] != wire.OK:
        raise HubError(_no_answer(link, "to be reset", f"with anything but status {answer[2]}"))
    until_ns = clock.now_ns() + round(STARTED_S * 1e9)
    while link.wait(until_ns):
        for heard in link.take():
            again = heard.hub if isinstance(heard, LinkNews) and heard.state is LinkState.RUNNING else None
            if again is not None and again.boot != hub.boot:
                return again
    raise HubError(_no_answer(link, "its reset", f"in {STARTED_S:.0f} s"))


def _body(link: Link, answer: Answer, kind: int, asked: str) -> bytes:
    if answer.body is None or answer.kind != kind:
        raise HubError(_no_answer(link, asked, "three times"))
    return answer.body


def _no_answer(link: Link, asked: str, how: str) -> str:
    name = f"hub {link.wanted.name}" if link.wanted.name else "board"
    place = link.wanted.port or link.wanted.uid or "USB"
    return f"{name} ({place}) did not answer {how} when it was asked for {asked}. Pull its plug and put it in again."
