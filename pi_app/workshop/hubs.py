"""Hubs at the command line, for builders: list them, monitor one, diagnose its dials.

The output holds no angle, so anyone may read it; only a monitor with `--angles` shows them. The strength of a magnet
varies a little as the dial turns, so it is for builders too. While either is shown the table's journal is locked, so
that no game is played.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from firmware_host import messages, ports
from firmware_host.decode import READ_RESULTS
from firmware_host.hub import wire
from firmware_host.link import Link
from firmware_host.link_events import HubReport, LinkNotice, LinkState, Welcome
from firmware_host.queries import GREETING_TIMEOUT_S, HubCounts, counts, diagnoses, outcome, welcome, without_samples
from firmware_host.reports import ANGLE, WITH_ANGLE
from firmware_host.requirements import HubRequirements
from firmware_host.source import TROUBLES
from hardware.clock import Clock
from pi_app.plans.check import Check, Sign
from pi_app.plans.check import field as magnet_check
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_of
from pi_app.text.suggest import did_you_mean

NO_BOARD: Final = Check(
    Sign.UNSURE,
    "USB",
    "this machine",
    "no board with MicroPython is plugged in",
    "Plug one in with a cable that carries data; a board on another kind of port must be named with --port.",
)

NO_SETTINGS: Final = "Name another with --settings, or a port with --port"
ANGLES_SHOWN: Final = "Angles are for builders: end the game first, or leave --angles out"
MAGNETS_SHOWN: Final = (
    "The strength of a magnet can reveal its dial's position: end the game first; the game itself reports failures"
)


def chosen(name: str | None, port: str | None, settings: Settings | None, file: Path) -> HubRequirements:
    """Return the wanted hub: by its port, by its name in the settings, or the only one.

    Raises UserFileError if the settings do not name it, or the choice is ambiguous.
    """
    hubs = {} if settings is None else settings.hubs
    if name is not None and settings is None:
        raise UserFileError.at(str(file), "", f"the file does not exist, so hub {name!r} is unknown", NO_SETTINGS)
    if name is not None and name not in hubs:
        advice = f"It has {did_you_mean(name, hubs).rstrip('.')}" if hubs else "Write a section for it, or use --port"
        raise UserFileError.at(str(file), "", f"it names no hub {name!r}", advice)
    if name is None and port is None and len(hubs) == 1:
        name = next(iter(hubs))
    if name is not None:
        return HubRequirements(name, hubs[name].id, port or hubs[name].port)
    there = [each.path for each in ports.listed()]
    if port is None and len(there) != 1:
        names = f"it names {len(hubs)} hubs" if settings is not None else "the file does not exist"
        found = f"{names}, and {len(there)} boards are plugged in, so the choice is ambiguous"
        advice = "Name one of its hubs, or a port with --port" if hubs else NO_SETTINGS
        raise UserFileError.at(str(file), "", found, advice)
    return HubRequirements("", port=port or there[0])


def port_of(wanted: HubRequirements) -> str:
    """Return the port of the hub, according to USB; empty if it is not plugged in."""
    found = ports.candidates(wanted.uid, wanted.port, () if wanted.port else ports.listed())
    return found[0] if found else ""


# ------------------------------------------------------------------------------------------------------------- list


def seen(more: Sequence[str], settings: Settings | None, keys: Collection[str], clock: Clock) -> Iterator[Check]:
    """Check every port with a board, and `more`. Each is greeted for at most three seconds. `keys`: ids of the boards
    that have a key beside the settings."""
    paths = list(dict.fromkeys([*(port.path for port in ports.listed()), *more]))
    if not paths:
        yield NO_BOARD
        return
    names = {} if settings is None else {hub.id: name for name, hub in settings.hubs.items() if hub.id}
    with contextlib.ExitStack() as closing:
        links = [closing.enter_context(Link(without_samples(HubRequirements("", port=path)), clock)) for path in paths]
        for path, link in zip(paths, links, strict=True):
            yield _seen(path, outcome(link, clock), names, keys)


def _seen(path: str, news: LinkNotice | None, names: Mapping[str, str], keys: Collection[str]) -> Check:
    if news is None:
        return Check(Sign.UNSURE, "board", path, "does not respond", "Unplug it and plug it in again.")
    if news.state is not LinkState.RUNNING or news.hub is None:
        found = news.words.removeprefix(f"board ({path}) ")
        problem, _, advice = found.partition(". ")
        sign = Sign.UNSURE if news.state in (LinkState.BUSY, LinkState.NOT_A_HUB) else Sign.FAILS
        return Check(sign, "board", path, problem, advice)
    hub = news.hub
    named = f", {names[hub.uid]} of the settings" if hub.uid in names else ""
    return Check(Sign.GOOD, "hub", path, f"{_board(hub)}{named}, {_key(hub, keys)}")


def _key(hub: Welcome, keys: Collection[str]) -> str:
    """Say whether the board has a key, as it claims; a game and the doctor let it prove that."""
    if not hub.keyed:
        return "no key"
    return "keyed" if hub.uid in keys else "keyed, but these settings have no key for it"


def _board(hub: Welcome) -> str:
    return f"board {hub.uid}, firmware {messages.version(hub.firmware)}, {count_of(hub.dials, 'dial')}"


# ------------------------------------------------------------------------------------------------------------- diag


def diagnosed(wanted: HubRequirements, clock: Clock) -> Iterator[Check]:
    """Check the hub, each of its dials, and its counts. Raises HubError."""
    with Link(without_samples(wanted), clock) as link:
        hub = welcome(link, clock)
        part, place = f"hub {wanted.name}".rstrip(), wanted.port or hub.uid
        yield Check(Sign.GOOD, part, place, _board(hub))
        for each in diagnoses(link, hub):
            checked = _dial(f"dial {each.dial}", f"{part} channel {each.dial}", each.result, each.health.words)
            magnet = each.health.magnet
            if each.result in (*WITH_ANGLE, wire.NO_MAGNET):
                found = magnet_check(checked.part, checked.place, magnet, each.health.words)
                strength = f"{found.seen}; magnitude {each.health.magnitude}, {each.failed} failed reads"
                checked = Check(found.sign, found.part, found.place, strength, found.advice)
            yield checked
        yield _counted(part, place, counts(link))


def _dial(part: str, place: str, gave: int, otherwise: str) -> Check:
    """Report a dial without an angle."""
    if gave == wire.NOT_WIRED:
        return Check(Sign.GOOD, part, place, "is not wired, according to the hub's board.py")
    if gave == wire.NO_MUX:
        return Check(Sign.FAILS, part, place, "its mux does not answer", "Check its supply and its address on the hub.")
    if gave not in TROUBLES:
        seen = READ_RESULTS[gave] if gave < len(READ_RESULTS) else otherwise
        return Check(Sign.UNSURE, part, place, seen, "Try again in a moment.")
    problem, _, advice = TROUBLES[gave][1].format(dial=part, channel=part.removeprefix("dial ")).partition(". ")
    return Check(Sign.FAILS, part, place, problem, advice)


def _counted(part: str, place: str, found: HubCounts) -> Check:
    rate = f", {found.rate} samples/s at each dial" if found.rate else ""
    seen = (
        f"a sweep takes {found.sweep_us / 1000:.1f} ms, at most {found.apart_ms} ms from one to the next{rate}; since "
        "its start "
        f"{found.good} good messages and {found.damaged} damaged, {found.short} lines cut, {found.failed} failed "
        f"transfers, {found.freed} bus recoveries; {found.free} bytes free"
    )
    bad = found.freed > 0 or found.short > 0
    advice = "Check each dial's lead, and for other programs that read this port." if bad else ""
    return Check(Sign.UNSURE if bad else Sign.GOOD, part, place, seen, advice)


# ---------------------------------------------------------------------------------------------------------- monitor


@contextlib.contextmanager
def no_game(settings: Settings | None, advice: str) -> Iterator[None]:
    """Lock the table's journal, so that no game is played meanwhile. Raises UserFileError with this advice if one is
    played, and if that is unknown. Without settings there is no table to play on."""
    path = None if settings is None else settings.beside(settings.table.journal)
    if path is None or not path.exists():
        yield
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        seen = f"it cannot be opened ({os.strerror(error.errno or errno.EIO)}), so a game may be running"
        raise UserFileError.at(str(path), "(file)", seen, "Run this as the user who plays") from None
    try:
        _lock(handle, path, advice)
        yield
    finally:
        os.close(handle)


def _lock(handle: int, path: Path, advice: str) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise UserFileError.at(str(path), "(file)", "a game is being played on this table", advice) from None


@dataclass(slots=True)
class Tally:
    """The reports of one interval of a monitor."""

    reports: int = 0
    unknown: int = 0
    gap_us: int = 0
    reads: Counter[int] = field(default_factory=Counter)
    gave: Counter[tuple[int, int]] = field(default_factory=Counter)
    last: dict[int, int] = field(default_factory=dict)

    def add(self, report: HubReport) -> None:
        self.reports += 1
        self.unknown += len(report.unknown)
        self.gap_us = max(self.gap_us, report.gap_us)
        for dial, reads in enumerate(report.reads):
            if report.wired >> dial & 1:
                self.reads[dial] += reads
        for sample in report.samples:
            self.last[sample.dial] = sample.value
            self.gave[sample.dial, sample.value >> 12] += 1

    def line(self, seconds: float, lost: int, damaged: int, *, angles: bool) -> str:
        """Return one line of the monitor. Without `angles` it depends on no dial's position. The rate is that of the
        slowest dial: a moving one is sampled more often."""
        each = f"{min(self.reads.values(), default=0) / seconds:.0f} samples/s at each dial"
        line = f"{self.reports / seconds:.0f} reports/s, {each}, {lost} lost, {damaged} damaged"
        if self.unknown:
            line += f", {self.unknown} paths unknown"
        silent = {wire.GOOD} if angles else WITH_ANGLE
        bad = [(dial, gave) for dial, gave in sorted(self.gave) if gave not in silent]
        if bad:
            line += "; " + ", ".join(
                f"dial {dial} {READ_RESULTS[gave] if gave < len(READ_RESULTS) else gave} ({self.gave[dial, gave]})"
                for dial, gave in bad
            )
        if angles:
            shown = (self.last[dial] for dial in sorted(self.last))
            line += "; angles " + " ".join(str(look & ANGLE) if look >> 12 in WITH_ANGLE else "-" for look in shown)
        return line


def watched(link: Link, clock: Clock, seconds: float | None, *, angles: bool = False) -> Iterator[str]:
    """Yield lines about a running hub: changes of the link, its console, and a tally each second. `seconds`: how long,
    from the first message on; None: without an end."""
    lost = damaged = 0
    link.wait(clock.now_ns() + round(GREETING_TIMEOUT_S * 1e9))
    every_ns = round(min(1.0, seconds or 1.0) * 1e9)
    end_ns = None if seconds is None else clock.now_ns() + round(seconds * 1e9)
    while end_ns is None or clock.now_ns() < end_ns:
        tally = Tally()
        began_ns = clock.now_ns()
        while link.wait(began_ns + every_ns):
            for message in link.take():
                if isinstance(message, HubReport):
                    tally.add(message)
                else:
                    yield _state(message)
        yield from (f'console: "{text}"' for text in link.texts())
        if link.state is LinkState.RUNNING:
            found = (link.session.counts.lost, link.session.damaged)
            new = [now - before if now >= before else now for now, before in zip(found, (lost, damaged), strict=True)]
            lost, damaged = found
            yield tally.line((clock.now_ns() - began_ns) / 1e9, *new, angles=angles)


def _state(news: LinkNotice) -> str:
    if news.state is LinkState.RUNNING and news.hub is not None:
        return f"running: {_board(news.hub)}"
    return f"{news.state.value}: {news.words}"
