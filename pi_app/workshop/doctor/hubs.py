"""Checks hubs: whether the board is there, how often it samples, and each of its dials."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from firmware_host.link_events import LinkNotice, LinkState
from firmware_host.messages import version
from firmware_host.source import HubDials, HubSource, NamedSample
from hardware.clock import Clock
from hardware.readings import Magnet, Reading, Sample, Trouble, TroubleKind
from pi_app.plans.check import OF_MAGNETS, Check, Sign, Symptom, not_tried
from pi_app.play.build import TableBuilder
from pi_app.play.parts import Parts
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError

COMES_WITHIN_S: Final = 4.0
"""A board gives its first samples in less time after a restart."""

POLL_EVERY_NS: Final = 10_000_000

ENOUGH_HZ: Final = 55
"""Samples per second at each dial; a hub with sixteen dials is estimated to reach 65 to 80."""

RATE_S: Final = 1.2
"""A rate is known after a whole second of reports."""

MAGNETS: Final[Mapping[Magnet, tuple[Sign, str, str]]] = {
    Magnet.TOO_WEAK: (Sign.UNSURE, "the magnet is too far away", "Bring it closer, 0.5 to 3 mm above the chip."),
    Magnet.TOO_STRONG: (Sign.UNSURE, "the magnet is too close", "Move it away, 0.5 to 3 mm above the chip."),
}


def examine_hubs(settings: Settings, parts: Parts, seconds: float | None) -> Iterator[Check]:
    """Check each hub, then its dials. `seconds`: how long samples are counted, or None if nothing is timed.

    A missing hub fails, but a game may begin without it: its squares are silent until it is plugged in.
    """
    used = {square.hub for square in settings.squares.values()}
    for name in settings.hubs:
        if name in used:
            try:
                with TableBuilder(_alone(settings, name), parts, borrowed=True) as builder:
                    yield from _hub(name, builder.wires().hubs[name], settings, parts.clock, seconds)
            except UserFileError as error:
                file, _, problem = error.problems[0].partition(": ")
                seen, _, advice = problem.partition(". ")
                yield replace(Check(Sign.FAILS, f"key of hub {name}", file, seen, advice), about=f"hub {name}")


def _hub(name: str, source: HubSource, settings: Settings, clock: Clock, seconds: float | None) -> Iterator[Check]:
    last = _first_samples(source, clock)
    about = f"hub {name}"
    yield replace(_board(name, source, last, settings.hubs[name].trust), about=about)
    places = {label: f"hub {name} channel {settings.squares[label].channel}" for label in source.dials}
    if not _runs(source):
        for label, place in places.items():
            yield replace(not_tried(f"encoder of {label}", place, "its hub cannot be used"), about=label)
        return
    yield from _dials(about, places, last)
    if seconds is not None and isinstance(source, HubDials):
        yield replace(_pace(name, source, clock, seconds), about=about)


def _board(name: str, source: HubSource, last: Mapping[str, Sample], trust: str) -> Check:
    part, place = f"hub {name}", "USB"
    if not isinstance(source, HubDials):
        return Check(Sign.GOOD, part, "SIMULATED", "is a simulated bus, without board and USB")
    news = source.notice
    if news is not None and news.state is LinkState.RUNNING and news.hub is not None:
        firmware = version(news.hub.firmware)
        proven = "proven by its key" if trust == "key" else "its cable is trusted"
        seen = f"board {news.hub.uid}, firmware {firmware}, {news.hub.dials} channels, {proven}"
        return Check(Sign.GOOD, part, place, seen)
    words = [each.words for each in (news, *last.values()) if isinstance(each, LinkNotice | Trouble) and each.words]
    return replace(_failing(words[0] if words else "gave no sample in time", part, place), found=Symptom.SILENT)


def _runs(source: HubSource) -> bool:
    return not isinstance(source, HubDials) or (source.notice is not None and source.notice.state is LinkState.RUNNING)


def _dials(about: str, places: Mapping[str, str], last: Mapping[str, Sample]) -> Iterator[Check]:
    """Check each dial. The failure of a part that several dials need is reported once, `about` their hub."""
    reported: set[Check] = set()
    for label, sample in last.items():
        part, place = f"encoder of {label}", places[label]
        check = _dial(part, place, sample)
        if check.part != part:
            if check not in reported:
                yield replace(check, about=about)
            reported.add(check)
            check = not_tried(part, place, f"{check.part} fails")
        yield replace(check, about=label)


def _dial(part: str, place: str, sample: Sample) -> Check:
    if isinstance(sample, Trouble):
        check = replace(_failing(sample.words, part, place), found=OF_TROUBLE.get(sample.kind))
        return replace(check, part=part, place=place) if check.part.startswith("dial ") else check
    sign, seen, advice = MAGNETS.get(sample.magnet, (Sign.GOOD, "answers, with its magnet in range", ""))
    return Check(sign, part, place, seen, advice, found=OF_MAGNETS.get(sample.magnet))


OF_TROUBLE: Final = {
    TroubleKind.SILENT: Symptom.SILENT,
    TroubleKind.STUCK: Symptom.HOLDS,
    TroubleKind.NO_MAGNET: Symptom.NO_MAGNET,
    TroubleKind.OTHER_TILE: Symptom.ELSEWHERE,
    TroubleKind.NOT_READ: Symptom.UNSEEN,
}


def _pace(name: str, source: HubDials, clock: Clock, seconds: float) -> Check:
    """Check the rate of the hub's slowest dial. The hub reports its rates each second."""
    _samples_until(source, clock, clock.now_ns() + round(max(seconds, RATE_S) * 1e9))
    rates = source.rates
    each_hz = min(rates.values(), default=0.0)
    seen = f"{each_hz:.0f} samples a second at each dial, with or without an open claim"
    if each_hz >= ENOUGH_HZ:
        return Check(Sign.GOOD, f"hub {name}", "USB", seen)
    advice = "Put fewer dials on this hub, set SPEED_HZ = 400_000 in its board.py, and fix dials that do not answer."
    return Check(Sign.UNSURE, f"hub {name}", "USB", seen, advice)


def _first_samples(source: HubSource, clock: Clock) -> Mapping[str, Sample]:
    """Return the last sample of each dial, once each is a reading or time is up."""
    last: dict[str, Sample] = {}
    until_ns = clock.now_ns() + round(COMES_WITHIN_S * 1e9)
    while clock.now_ns() < until_ns:
        last |= dict(_samples_until(source, clock, clock.now_ns() + POLL_EVERY_NS))
        if len(last) == len(source.dials) and all(isinstance(sample, Reading) for sample in last.values()):
            break
    return {label: last[label] for label in source.dials if label in last}


def _samples_until(source: HubSource, clock: Clock, until_ns: int) -> Sequence[NamedSample]:
    samples: list[NamedSample] = []
    while True:
        samples += source.take() if isinstance(source, HubDials) else zip(source.dials, source.scan(), strict=True)
        if clock.now_ns() >= until_ns:
            return samples
        clock.sleep_until(min(until_ns, clock.now_ns() + POLL_EVERY_NS))


def _failing(words: str, part: str, place: str) -> Check:
    """Turn a sentence of four parts into a line."""
    found = re.fullmatch(r"(.+?) \((.+?)\) (.+?)\. (.+)", words)
    if found is None:
        return Check(Sign.FAILS, part, place, words)
    return Check(Sign.FAILS, found[1], found[2], found[3], found[4])


def _alone(settings: Settings, name: str) -> Settings:
    """Return the settings with only this hub."""
    return replace(
        settings,
        buses=MappingProxyType({}),
        hubs=MappingProxyType({name: settings.hubs[name]}),
        squares=MappingProxyType({label: one for label, one in settings.squares.items() if one.hub == name}),
        seats=MappingProxyType({}),
    )
