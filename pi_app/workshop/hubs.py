"""What a builder does with hubs at the command line: see which are there, watch one, ask how its dials are.

Whatever is said here anybody may read, so it holds no angle. Only a monitor that is asked for angles shows them. How
strong a chip sees its magnet varies a little as the dial turns, so that is for builders too. While either is shown
the table's journal is locked, so that no game is played.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
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
    "How strong a magnet is seen can tell where its dial stands: end the game first; the game itself says what fails"
)


def chosen(name: str | None, port: str | None, settings: Settings | None, file: Path) -> HubRequirements:
    """The hub that is meant: by its port, by its name in the settings, or the only one there is.

    Raises UserFileError if the settings do not name it, or nothing says which one.
    """
    hubs = {} if settings is None else settings.hubs
    if name is not None and settings is None:
        raise UserFileError.at(str(file), "", f"there is no such file, so nobody knows hub {name!r}", NO_SETTINGS)
    if name is not None and name not in hubs:
        advice = f"It has {did_you_mean(name, hubs).rstrip('.')}" if hubs else "Write a section for it, or say --port"
        raise UserFileError.at(str(file), "", f"it names no hub {name!r}", advice)
    if name is None and port is None and len(hubs) == 1:
        name = next(iter(hubs))
    if name is not None:
        return HubRequirements(name, hubs[name].id, port or hubs[name].port)
    there = [each.path for each in ports.listed()]
    if port is None and len(there) != 1:
        names = f"it names {len(hubs)} hubs" if settings is not None else "there is no such file"
        found = f"{names}, and {len(there)} boards are plugged in, so nobody knows which is meant"
        advice = "Name one of its hubs, or a port with --port" if hubs else NO_SETTINGS
        raise UserFileError.at(str(file), "", found, advice)
    return HubRequirements("", port=port or there[0])


def port_of(wanted: HubRequirements) -> str:
    """Where the hub is plugged in, by what USB says. Empty if nowhere."""
    found = ports.candidates(wanted.uid, wanted.port, () if wanted.port else ports.listed())
    return found[0] if found else ""


# ------------------------------------------------------------------------------------------------------------- list


def seen(more: Sequence[str], settings: Settings | None, clock: Clock) -> Iterator[Check]:
    """Every port with a board, and `more`: who answers there. Each is greeted for three seconds at most."""
    paths = list(dict.fromkeys([*(port.path for port in ports.listed()), *more]))
    if not paths:
        yield NO_BOARD
        return
    names = {} if settings is None else {hub.id: name for name, hub in settings.hubs.items() if hub.id}
    with contextlib.ExitStack() as closing:
        links = [closing.enter_context(Link(without_samples(HubRequirements("", port=path)), clock)) for path in paths]
        for path, link in zip(paths, links, strict=True):
            yield _seen(path, outcome(link, clock), names)


def _seen(path: str, news: LinkNotice | None, names: Mapping[str, str]) -> Check:
    if news is None:
        return Check(Sign.UNSURE, "board", path, "says nothing", "Pull its plug and put it in again.")
    if news.state is not LinkState.RUNNING or news.hub is None:
        found = news.words.removeprefix(f"board ({path}) ")
        told, _, advice = found.partition(". ")
        sign = Sign.UNSURE if news.state in (LinkState.BUSY, LinkState.NOT_A_HUB) else Sign.FAILS
        return Check(sign, "board", path, told, advice)
    hub = news.hub
    named = f", {names[hub.uid]} of the settings" if hub.uid in names else ""
    told = f"board {hub.uid}, firmware {messages.version(hub.firmware)}, {hub.dials} dials{named}"
    return Check(Sign.GOOD, "hub", path, told)


# ------------------------------------------------------------------------------------------------------------- diag


def diagnosed(wanted: HubRequirements, clock: Clock) -> Iterator[Check]:
    """The hub, each of its dials, and what it counted. Raises HubError."""
    with Link(without_samples(wanted), clock) as link:
        hub = welcome(link, clock)
        part, place = f"hub {wanted.name}".rstrip(), wanted.port or hub.uid
        told = f"board {hub.uid}, firmware {messages.version(hub.firmware)}, {hub.dials} dials"
        yield Check(Sign.GOOD, part, place, told)
        for each in diagnoses(link, hub):
            checked = _dial(f"dial {each.dial}", f"{part} channel {each.dial}", each.result, each.health.words)
            magnet = each.health.magnet
            if each.result in (*WITH_ANGLE, wire.NO_MAGNET):
                found = magnet_check(checked.part, checked.place, magnet, each.health.words)
                strength = f"{found.seen}; magnitude {each.health.magnitude}, {each.failed} failed reads"
                checked = Check(found.sign, found.part, found.place, strength, found.advice)
            yield checked
        yield _counted(part, place, counts(link))


def _dial(part: str, place: str, gave: int, said: str) -> Check:
    """A dial without an angle."""
    if gave == wire.NOT_WIRED:
        return Check(Sign.GOOD, part, place, "is not wired, as board.py on the hub says")
    if gave == wire.NO_MUX:
        return Check(Sign.FAILS, part, place, "its mux does not answer", "Check its supply and its address on the hub.")
    if gave not in TROUBLES:
        return Check(
            Sign.UNSURE, part, place, READ_RESULTS[gave] if gave < len(READ_RESULTS) else said, "Ask again in a moment."
        )
    told, _, advice = TROUBLES[gave][1].format(dial=part, channel=part.removeprefix("dial ")).partition(". ")
    return Check(Sign.FAILS, part, place, told, advice)


def _counted(part: str, place: str, found: HubCounts) -> Check:
    rate = f", {found.rate} samples/s at each dial" if found.rate else ""
    told = (
        f"a sweep takes {found.sweep_us / 1000:.1f} ms, at most {found.apart_ms} ms from one to the next{rate}; since "
        "its start "
        f"{found.good} good messages and {found.damaged} damaged, {found.short} lines cut, {found.failed} failed "
        f"transfers, {found.freed} bus recoveries; {found.free} bytes free"
    )
    bad = found.freed > 0 or found.short > 0
    advice = "Look at each dial's lead, and at who else reads this port." if bad else ""
    return Check(Sign.UNSURE if bad else Sign.GOOD, part, place, told, advice)


# ---------------------------------------------------------------------------------------------------------- monitor


@contextlib.contextmanager
def no_game(settings: Settings | None, advice: str) -> Iterator[None]:
    """Keep the table's journal locked, so that no game is played meanwhile. Raises UserFileError if one is, with this
    advice, and if that cannot be known. Without settings there is no table to play on."""
    path = None if settings is None else settings.beside(settings.table.journal)
    if path is None or not path.exists():
        yield
        return
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError as error:
        seen = (
            f"it cannot be opened ({os.strerror(error.errno or errno.EIO)}), so nobody knows whether a game is played"
        )
        raise UserFileError.at(str(path), "(file)", seen, "Do this as the user who plays") from None
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
    """What came in one stretch of a monitor."""

    reports: int = 0
    unknown: int = 0
    gap_us: int = 0
    reads: Counter[int] = field(default_factory=Counter)
    gave: Counter[tuple[int, int]] = field(default_factory=Counter)
    last: dict[int, int] = field(default_factory=dict)

    def add(self, report: HubReport) -> None:
        """Count a report."""
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
        """One line of the monitor. Without `angles` nothing in it depends on where a dial stands. The rate is that of
        the slowest dial: a dial that moves is sampled more often."""
        each = f"{min(self.reads.values(), default=0) / seconds:.0f} samples/s at each dial"
        said = f"{self.reports / seconds:.0f} reports/s, {each}, {lost} lost, {damaged} damaged"
        if self.unknown:
            said += f", {self.unknown} paths unknown"
        silent = {wire.GOOD} if angles else WITH_ANGLE
        bad = [(dial, gave) for dial, gave in sorted(self.gave) if gave not in silent]
        if bad:
            said += "; " + ", ".join(
                f"dial {dial} {READ_RESULTS[gave] if gave < len(READ_RESULTS) else gave} ({self.gave[dial, gave]})"
                for dial, gave in bad
            )
        if angles:
            shown = (self.last[dial] for dial in sorted(self.last))
            said += "; angles " + " ".join(str(look & ANGLE) if look >> 12 in WITH_ANGLE else "-" for look in shown)
        return said


def watched(link: Link, clock: Clock, seconds: float | None, *, angles: bool = False) -> Iterator[str]:
    """Lines about a hub as it runs: what the link says, the hub's console, and each second what came. `seconds`: how
    long, from the first news on; None: without an end."""
    lost = damaged = 0
    link.wait(clock.now_ns() + round(GREETING_TIMEOUT_S * 1e9))
    every_ns = round(min(1.0, seconds or 1.0) * 1e9)
    end_ns = None if seconds is None else clock.now_ns() + round(seconds * 1e9)
    while end_ns is None or clock.now_ns() < end_ns:
        tally = Tally()
        began_ns = clock.now_ns()
        while link.wait(began_ns + every_ns):
            for heard in link.take():
                if isinstance(heard, HubReport):
                    tally.add(heard)
                else:
                    yield _news(heard)
        yield from (f'console: "{text}"' for text in link.texts())
        if link.state is LinkState.RUNNING:
            found = (link.session.counts.lost, link.session.damaged)
            new = [now - before if now >= before else now for now, before in zip(found, (lost, damaged), strict=True)]
            lost, damaged = found
            yield tally.line((clock.now_ns() - began_ns) / 1e9, *new, angles=angles)


def _news(news: LinkNotice) -> str:
    hub: Welcome | None = news.hub
    if news.state is LinkState.RUNNING and hub is not None:
        return f"running: board {hub.uid}, firmware {messages.version(hub.firmware)}, {hub.dials} dials"
    return f"{news.state.value}: {news.words}"
