"""A hub's dials as the table reads them: the same Readings and Troubles as from a scan of the Pi's own buses.

The hub samples at its wire's rate and sends reports, each sample with its own time; this module delivers them, oldest
first. A silent hub produces Troubles, so that an old angle never counts as the current one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from firmware_host.hub import wire
from firmware_host.link_events import HubReport, HubSample, LinkNotice, LinkState
from firmware_host.reports import ANGLE
from hardware.clock import Clock
from hardware.readings import DialSource, Magnet, Proof, Reading, Sample, Trouble, TroubleKind

NamedSample = tuple[str, Sample]
"""A dial's name and one sample of it."""

MAGNETS: Final = {wire.GOOD: Magnet.GOOD, wire.TOO_WEAK: Magnet.TOO_WEAK, wire.TOO_STRONG: Magnet.TOO_STRONG}

TROUBLES: Final[Mapping[int, tuple[TroubleKind, str]]] = {
    wire.NO_MAGNET: (
        TroubleKind.NO_MAGNET,
        "sees no magnet. Check that the magnet sits in the dial, 0.5 to 3 mm above the chip.",
    ),
    wire.SILENT: (TroubleKind.SILENT, "does not answer. Plug its lead in at both ends."),
    wire.STUCK: (
        TroubleKind.STUCK,
        "holds the hub's bus. Pull the plug of {dial}, look for a short between its wires, and plug it in again.",
    ),
    wire.IMPLAUSIBLE: (
        TroubleKind.IMPLAUSIBLE,
        "sends values that an AS5600 cannot send. Pull the plug of {dial} and plug it in again.",
    ),
    wire.NOT_WIRED: (
        TroubleKind.SILENT,
        "is on a channel that the hub does not read. Add channel {channel} to board.py on the hub, or move the dial to "
        "another channel.",
    ),
}
"""Trouble of one dial for each read result."""

NO_MUX: Final = "mux of {channels} ({place}) does not answer. Check its supply and its address on the hub."

LOST_SAMPLES: Final = (
    "dial {dial} ({place}) jumped in lost samples, so its path is unknown. If this happens again, use a shorter or "
    "better USB cable."
)

NO_DATA: Final = "hub {hub} (USB) sends nothing. Check its cable at both ends, and its board's lamp."

NOT_YET: Final = "dial {dial} ({place}) was not read yet. Wait a moment."

LATE_NS: Final = 20_000_000
"""Reports arrive in bunches: a report may be this much later than the gap limit before its dials count as unread."""


class HubLink(Protocol):
    """A link to a hub."""

    def take(self) -> Sequence[HubReport | LinkNotice]:
        """Events since the last call, in order. Never blocks. Raises the exception that ended the link."""

    def close(self) -> None:
        """Close the port."""


RATE_NS: Final = 1_000_000_000
"""Period over which good samples are counted."""


@dataclass(slots=True)
class _HubDial:
    """State of one dial. `last_ns`: time of the last delivered sample."""

    name: str
    channel: int
    last_ns: int = -1
    held_until_ns: int = -1
    held_words: str = ""


class _Rates:
    """Good samples per second of each channel of a hub, by whole seconds of hub reports."""

    def __init__(self) -> None:
        self._began_ns: int | None = None
        self._reads: list[int] = []
        self.by_channel: tuple[float, ...] = ()

    def add(self, report: HubReport) -> None:
        if self._began_ns is None or len(self._reads) != len(report.reads):
            self._began_ns, self._reads = report.at_ns, [0] * len(report.reads)
            return
        self._reads = [all_ + new for all_, new in zip(self._reads, report.reads, strict=True)]
        passed_ns = report.at_ns - self._began_ns
        if passed_ns >= RATE_NS:
            self.by_channel = tuple(reads * 1e9 / passed_ns for reads in self._reads)
            self._began_ns, self._reads = report.at_ns, [0] * len(report.reads)


@dataclass(slots=True)
class HubDials:
    """The dials of one hub. `channels`: the channel of each, 0 to 15. One thread calls `take`; the link has its own."""

    hub: str
    channels: Mapping[str, int]
    link: HubLink
    clock: Clock
    gap_ns: int
    _dials: list[_HubDial] = field(init=False)
    _notice: LinkNotice | None = None
    _last_report_ns: int = field(init=False)
    _reports: deque[HubReport] = field(default_factory=deque)
    """Reports that were not delivered yet."""
    _rates: _Rates = field(default_factory=_Rates)
    _results: dict[int, int] = field(default_factory=dict)
    """The last read result of each channel, also of those that the settings do not use."""

    def __post_init__(self) -> None:
        self._dials = [_HubDial(name, channel) for name, channel in self.channels.items()]
        self._last_report_ns = self.clock.now_ns()

    @property
    def dials(self) -> Sequence[str]:
        """Their names, in the order of the settings."""
        return tuple(self.channels)

    def take(self) -> Sequence[NamedSample]:
        """The samples since the last call, none later than now. Each dial's times increase. Empty without new data."""
        samples: list[NamedSample] = []
        for event in self.link.take():
            if isinstance(event, LinkNotice):
                self._notice = event
            else:
                self._hold(event)
                self._reports.append(event)
        now_ns = self.clock.now_ns()
        while self._reports and self._reports[0].at_ns <= now_ns:
            report = self._reports.popleft()
            self._last_report_ns = report.at_ns
            self._rates.add(report)
            samples += self._samples_of(report)
        return samples or self._silence()

    @property
    def notice(self) -> LinkNotice | None:
        """The link's last notice."""
        return self._notice

    @property
    def rates(self) -> Mapping[str, float]:
        """Good samples per second of each dial, over the last whole second; empty in the first second. They count all
        reads of the hub, including those merged for a dial at rest."""
        rates = self._rates.by_channel
        return {dial.name: rates[dial.channel] for dial in self._dials if dial.channel < len(rates)}

    def close(self) -> None:
        """Close the port."""
        self.link.close()

    # ------------------------------------------------------------------ samples

    def _samples_of(self, report: HubReport) -> list[NamedSample]:
        dials = {dial.channel: dial for dial in self._dials}
        self._results |= {sample.dial: sample.value >> 12 for sample in report.samples}
        samples: list[NamedSample] = []
        for sample in report.samples:
            dial = dials.get(sample.dial)
            if dial is not None and sample.at_ns > dial.last_ns:  # otherwise it was reported as lost already
                dial.last_ns = sample.at_ns
                samples.append((dial.name, self._sample(dial, sample)))
        for dial in self._dials:
            if not report.wired >> dial.channel & 1 and report.at_ns > dial.last_ns:
                dial.last_ns = report.at_ns
                samples.append((dial.name, self._trouble(dial, wire.NOT_WIRED, report.at_ns)))
        return samples

    def _sample(self, dial: _HubDial, sample: HubSample) -> Sample:
        value, at_ns = sample.value, sample.at_ns
        magnet = MAGNETS.get(value >> 12)
        if magnet is None:
            return self._trouble(dial, value >> 12, at_ns)
        if at_ns < dial.held_until_ns:
            return Trouble(TroubleKind.GLITCH, at_ns, dial.held_words)
        if sample.agc < 0:
            return Reading(value & ANGLE, at_ns, magnet)
        return Reading(value & ANGLE, at_ns, magnet, proof=Proof(sample.agc, sample.magnitude))

    def _trouble(self, dial: _HubDial, status: int, at_ns: int) -> Trouble:
        if status == wire.NO_MUX:
            mux = dial.channel // 8
            gone = {
                channel for channel, result in self._results.items() if channel // 8 == mux and result == wire.NO_MUX
            }
            words = NO_MUX.format(channels=_channels(sorted(gone | {dial.channel})), place=f"hub {self.hub}")
            return Trouble(TroubleKind.SILENT, at_ns, words)
        if status not in TROUBLES:
            return Trouble(TroubleKind.NOT_READ, at_ns, NOT_YET.format(dial=dial.name, place=self._place(dial)))
        kind, words = TROUBLES[status]
        problem = words.format(dial=dial.name, channel=dial.channel)
        return Trouble(kind, at_ns, f"dial {dial.name} ({self._place(dial)}) {problem}")

    def _place(self, dial: _HubDial) -> str:
        return f"hub {self.hub} channel {dial.channel}"

    # ------------------------------------------------------------------ lost samples

    def _hold(self, report: HubReport) -> None:
        """Withhold the angles of a dial with an unknown path for longer than the gap limit: then the usual rule for a
        gap makes its path unknown."""
        for dial in self._dials:
            if dial.channel in report.unknown:
                dial.held_until_ns = max(dial.last_ns, report.samples[0].at_ns) + self.gap_ns + 1_000_000
                dial.held_words = LOST_SAMPLES.format(dial=dial.name, place=self._place(dial))

    def _silence(self) -> list[NamedSample]:
        """Troubles of all dials after a while without data, with the link's message."""
        now_ns, notice = self.clock.now_ns(), self._notice
        if notice is not None and notice.state is not LinkState.RUNNING:
            words = notice.words
        elif now_ns - self._last_report_ns > self.gap_ns + LATE_NS:
            words = NO_DATA.format(hub=self.hub)
        else:
            return []
        samples: list[NamedSample] = []
        for dial in self._dials:
            if now_ns > dial.last_ns:
                dial.last_ns = now_ns
                samples.append((dial.name, Trouble(TroubleKind.SILENT, now_ns, words)))
        return samples


def _channels(numbers: Sequence[int]) -> str:
    return f"channel {numbers[0]}" if len(numbers) == 1 else f"channels {numbers[0]} to {numbers[-1]}"


HubSource = HubDials | DialSource
"""A hub's dials: sampled by the hub, or, without a board, by a scan in virtual time."""
