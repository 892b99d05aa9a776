"""Checks of the copper: pull-ups, capacitance and rise time of every stretch of SDA and SCL, and lengths of leads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from pi_app.plans.check import Sign
from pi_app.plans.wiring import electrical
from pi_app.plans.wiring.check import NEAR, Limit, LimitKind, WiringCheck, measured
from pi_app.plans.wiring.values import BusLine, Colour, CopperSegment, Lead, PartKind, Wiring


def copper(wiring: Wiring) -> Iterator[WiringCheck]:
    """The stretches of every bus, then the leads."""
    for line in wiring.buses:
        stretches = [each for each in wiring.segments if (each.host, each.bus) == (line.host, line.name)]
        yield clock(wiring, line)
        for measure in (pull_up, capacitance, rise):
            yield from _lines(wiring, line, stretches, measure)
    yield from leads(wiring)


Measure = Callable[[Wiring, CopperSegment], WiringCheck | None]
"""The check of one stretch, with an empty place: equal stretches share a line later."""


def _lines(
    wiring: Wiring, line: BusLine, stretches: Sequence[CopperSegment], measure: Measure
) -> Iterator[WiringCheck]:
    """One line for each kind of stretch that is not GOOD; if all are, one for the worst."""
    kinds: dict[tuple[float, bool], tuple[WiringCheck, list[CopperSegment]]] = {}
    for each in stretches:
        if (check := measure(wiring, each)) is not None:
            kinds.setdefault((check.value, each.mux is None), (check, []))[1].append(each)
    checks = [replace(check, place=place(line, alike)) for check, alike in kinds.values()]
    bad = [check for check in checks if check.sign is not Sign.GOOD]
    yield from bad or sorted(checks, key=_share, reverse=True)[:1]


def _share(check: WiringCheck) -> float:
    """The value as a share of its limit."""
    return check.value / check.limit if check.bound is LimitKind.AT_MOST else check.limit / check.value


def place(line: BusLine, alike: Sequence[CopperSegment]) -> str:
    """The place of these stretches: "bus dials mux 0x70 channels 0 to 6, mux 0x71 channel 0"."""
    base = line.host if line.host.startswith("hub ") else f"bus {line.name}"
    open_channels: dict[int, list[int]] = {}
    for each in alike:
        if each.mux is not None and each.channel is not None:
            open_channels.setdefault(each.mux, []).append(each.channel)
    muxes: dict[str, list[int]] = {}
    for mux, channels in open_channels.items():
        word = "channel" if len(channels) == 1 else "channels"
        muxes.setdefault(f"{word} {_runs(channels)}", []).append(mux)
    places = [f"mux {_runs(members, '0x{:02X}')} {channels}" for channels, members in muxes.items()]
    return f"{base} {', '.join(places)}" if places else base


def _runs(numbers: Iterable[int], form: str = "{}") -> str:
    """0, 1, 2, 5 as "0 to 2, 5"."""
    runs = []
    for _, run in groupby(enumerate(sorted(numbers)), lambda pair: pair[1] - pair[0]):
        members = [form.format(number) for _, number in run]
        runs.append(members[0] if len(members) == 1 else f"{members[0]} to {members[-1]}")
    return ", ".join(runs)


# -------------------------------------------------------------------------------------------- one stretch


def ohm_of(stretch: CopperSegment) -> float | None:
    """All its pull-ups in parallel; None without any."""
    return electrical.parallel_ohm([each.ohm for each in stretch.pull_ups])


def pf_of(wiring: Wiring, stretch: CopperSegment) -> float:
    """The capacitance of one of its lines: cables, pins and muxes, one of them with an open channel."""
    muxes = sum(wiring.part(id_).kind is PartKind.MUX for id_ in stretch.parts)
    cable = stretch.length_m * wiring.chosen.cable_pf_per_m
    opened = 0 if stretch.mux is None else electrical.MUX_CHANNEL_PF
    return cable + (stretch.chips - muxes) * electrical.PIN_PF + muxes * electrical.MUX_PF + opened


ADD_ONE: Final = "Solder one from SDA and one from SCL to 3.3 V: 2200 Ohm suit most tables."
TOO_MANY: Final = "Too many boards carry pull-ups: open the solder bridges of some, and set the rest in [wiring]."


def pull_up(wiring: Wiring, stretch: CopperSegment) -> WiringCheck:
    """Whether the lines have pull-ups that every chip can still pull down."""
    ohm = ohm_of(stretch)
    source = electrical.PULL_UP_SOURCE
    if ohm is None:
        how = " from each line to 3.3 V"
        return WiringCheck(Sign.FAILS, "pull-ups", "", 0, LimitKind.AT_LEAST, 1, "", source, how, ADD_ONE)
    if stretch.mux is not None and set(stretch.pull_ups) <= set(_trunk(wiring, stretch).pull_ups):
        how = " on the channel itself, whose lines float while it is closed"
        return WiringCheck(
            Sign.FAILS, "pull-ups", "", 0, LimitKind.AT_LEAST, 1, "", electrical.MUX_SOURCE, how, ADD_ONE
        )
    members = " beside ".join(str(each.ohm) for each in stretch.pull_ups)
    how = f" ({members})" if len(stretch.pull_ups) > 1 else ""
    return measured("pull-ups", "", ohm, Limit(LimitKind.AT_LEAST, electrical.LEAST_OHM, "Ohm", source), TOO_MANY, how)


def _trunk(wiring: Wiring, stretch: CopperSegment) -> CopperSegment:
    """The same bus with all its muxes closed."""
    whole = (stretch.host, stretch.bus, None)
    return next(each for each in wiring.segments if (each.host, each.bus, each.mux) == whole)


SHORTEN: Final = "Use shorter leads, or give each tile or screen a channel or a bus of its own."


def capacitance(wiring: Wiring, stretch: CopperSegment) -> WiringCheck:
    """The capacitance of cables and chips on each line."""
    how = f" with {stretch.length_m:g} m of cable and {stretch.chips} chips"
    limit = Limit(LimitKind.AT_MOST, electrical.MOST_PF, "pF", electrical.UM10204)
    return measured("capacitance", "", pf_of(wiring, stretch), limit, SHORTEN, how)


def rise(wiring: Wiring, stretch: CopperSegment) -> WiringCheck | None:
    """How long its lines take to rise; None without pull-ups."""
    ohm = ohm_of(stretch)
    if ohm is None:
        return None
    pf = pf_of(wiring, stretch)
    most_ns = electrical.most_rise_ns(stretch.speed_hz)
    limit = Limit(LimitKind.AT_MOST, most_ns, "ns", electrical.UM10204)
    how = f" with {ohm:.0f} Ohm and {pf:.0f} pF at {stretch.speed_hz / 1000:g} kHz"
    value = electrical.rise_ns(ohm, pf)
    return measured("rise time", "", value, limit, _quicker(pf, most_ns), how)


def _quicker(pf: float, limit_ns: float) -> str:
    """Advice with the pull-up that is strong enough, if one is."""
    wanted = limit_ns * 1000 / (electrical.RISE_FACTOR * pf)
    if wanted < electrical.LEAST_OHM:
        return "No pull-up is strong enough: use shorter leads or a slower bus."
    return f"Use shorter leads, a slower bus, or pull-ups of {wanted:.0f} Ohm or less in total."


# ------------------------------------------------------------------------------------------------ the clock


def clock(wiring: Wiring, line: BusLine) -> WiringCheck:
    """Whether the slowest chip of a bus supports its speed."""
    chips = [chip for part in wiring.parts if (part.host, part.bus) == (line.host, line.name) for chip in part.chips]
    limits = [electrical.FASTEST[chip.model] for chip in chips if chip.model in electrical.FASTEST]
    limit_hz, source = min(limits, default=(1_000_000, electrical.UM10204))
    value, limit = line.speed_hz / 1000, limit_hz / 1000
    slower = f"Set speed_hz = {limit_hz}, and the same in config.txt."
    sign, advice = (Sign.GOOD, "") if value <= limit else (Sign.FAILS, slower)
    where = place(line, ())
    return WiringCheck(sign, "clock", where, value, LimitKind.AT_MOST, limit, "kHz", source, advice=advice)


# ---------------------------------------------------------------------------------------------------- leads


BUFFER: Final = (
    "Move the mux or the Pi closer, connect the far tiles to a hub, or put a P82B715 at each end of the lead."
)
NEARER: Final = "Move the hub closer, or put a powered USB hub in between."


def leads(wiring: Wiring) -> Iterator[WiringCheck]:
    """I2C leads without a buffer, and USB cables."""
    i2c = [lead for lead in wiring.leads if any(wire.colour is Colour.BLUE for wire in lead.wires)]
    usb = [lead for lead in wiring.leads if lead.usb]
    yield from _lengths("I2C leads", i2c, electrical.MOST_LEAD_M, electrical.CABLE_SOURCE, BUFFER)
    yield from _lengths("USB cables", usb, electrical.MOST_USB_M, electrical.USB_SOURCE, NEARER)


def _lengths(part: str, those: Sequence[Lead], limit: float, source: str, advice: str) -> Iterator[WiringCheck]:
    if not those:
        return
    longest = max(lead.length_m for lead in those)
    far = [lead.label for lead in those if lead.length_m > NEAR * limit]
    where = ", ".join(far) if far else f"the longest of {len(those)}"
    yield measured(part, where, longest, Limit(LimitKind.AT_MOST, limit, "m", source), advice)
