"""A hub's dials in the types of a scan: each sample with its time, each silence reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from firmware_host.hub import wire
from firmware_host.link_events import HubReport, HubSample, LinkNotice, LinkState
from firmware_host.source import HubDials
from hardware.readings import Magnet, Proof, Reading, Trouble, TroubleKind
from hardware.sims.clock import VirtualClock
from pi_app.dials.tracker import Tracker, Turn

MS = 1_000_000
GAP_NS = 35 * MS


@dataclass
class Came:
    """A link with prepared events."""

    waiting: list[HubReport | LinkNotice] = field(default_factory=list)
    closed: bool = False

    def take(self) -> Sequence[HubReport | LinkNotice]:
        taken, self.waiting = self.waiting, []
        return taken

    def close(self) -> None:
        self.closed = True


@pytest.fixture
def came() -> Came:
    return Came()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(1000 * MS)


@pytest.fixture
def dials(came: Came, clock: VirtualClock) -> HubDials:
    return HubDials("west", {"T01": 0, "T02": 3, "T03": 9}, came, clock, GAP_NS)


def report(*sweeps: tuple[int, dict[str, int]], unknown: frozenset[int] = frozenset(), wired: int = 0x3FF) -> HubReport:
    """Sweeps of ten channels, read 0.2 ms apart; unnamed channels are good at 100 counts."""
    samples = [
        HubSample(channel, at_ns + 200_000 * (channel + 1), values.get(f"c{channel}", 100))
        for at_ns, values in sweeps
        for channel in range(10)
        if wired >> channel & 1
    ]
    return HubReport(samples[-1].at_ns, tuple(samples), unknown, wired)


def sweep(at_ns: int, **values: int) -> tuple[int, dict[str, int]]:
    return at_ns, values


def status(which: int) -> int:
    return which << 12


def test_each_sample_has_the_time_of_its_read(came: Came, dials: HubDials) -> None:
    came.waiting = [report(sweep(900 * MS, c0=5, c3=4095), sweep(905 * MS, c0=6))]
    assert dials.take() == [
        ("T01", Reading(5, 900_200_000, Magnet.GOOD)),
        ("T02", Reading(4095, 900_800_000, Magnet.GOOD)),
        ("T03", Reading(100, 902_000_000, Magnet.GOOD)),
        ("T01", Reading(6, 905_200_000, Magnet.GOOD)),
        ("T02", Reading(100, 905_800_000, Magnet.GOOD)),
        ("T03", Reading(100, 907_000_000, Magnet.GOOD)),
    ]
    assert dials.dials == ("T01", "T02", "T03")


@pytest.mark.parametrize(("which", "magnet"), [(wire.TOO_WEAK, Magnet.TOO_WEAK), (wire.TOO_STRONG, Magnet.TOO_STRONG)])
def test_a_field_at_its_limits_still_gives_an_angle(came: Came, dials: HubDials, which: int, magnet: Magnet) -> None:
    came.waiting = [report(sweep(900 * MS, c0=status(which) | 7))]
    assert dials.take()[0] == ("T01", Reading(7, 900_200_000, magnet))


@pytest.mark.parametrize(
    ("which", "kind", "words"),
    [
        (
            wire.NO_MAGNET,
            TroubleKind.NO_MAGNET,
            "dial T02 (hub west channel 3) sees no magnet. Check that the magnet sits in the dial, 0.5 to 3 mm above "
            "the chip.",
        ),
        (
            wire.SILENT,
            TroubleKind.SILENT,
            "dial T02 (hub west channel 3) does not answer. Plug its lead in at both ends.",
        ),
        (
            wire.STUCK,
            TroubleKind.STUCK,
            "dial T02 (hub west channel 3) holds the hub's bus. Pull the plug of T02, look for a short between its "
            "wires, and plug it in again.",
        ),
        (
            wire.IMPLAUSIBLE,
            TroubleKind.IMPLAUSIBLE,
            "dial T02 (hub west channel 3) sends values that an AS5600 cannot send. Pull the plug of T02 and plug it "
            "in again.",
        ),
        (
            wire.NOT_WIRED,
            TroubleKind.SILENT,
            "dial T02 (hub west channel 3) is on a channel that the hub does not read. Add channel 3 to board.py on "
            "the hub, or move the dial to another channel.",
        ),
        (
            wire.NOT_READ,
            TroubleKind.NOT_READ,
            "dial T02 (hub west channel 3) was not read yet. Wait a moment.",
        ),
        (15, TroubleKind.NOT_READ, "dial T02 (hub west channel 3) was not read yet. Wait a moment."),
    ],
)
def test_a_failed_read_is_no_angle(came: Came, dials: HubDials, which: int, kind: TroubleKind, words: str) -> None:
    came.waiting = [report(sweep(900 * MS, c3=status(which)))]
    assert dials.take()[1] == ("T02", Trouble(kind, 900_800_000, words))


def test_a_failed_mux_is_one_sentence_for_all_its_dials(came: Came, dials: HubDials) -> None:
    gone = {f"c{channel}": status(wire.NO_MUX) for channel in range(8)}
    came.waiting = [report(sweep(900 * MS, **gone))]
    first, second, third = (sample for _, sample in dials.take())
    words = "mux of channels 0 to 7 (hub west) does not answer. Check its supply and its address on the hub."
    assert isinstance(first, Trouble)
    assert isinstance(second, Trouble)
    assert (first.kind, first.words, second.words) == (TroubleKind.SILENT, words, words)
    assert isinstance(third, Reading)


def test_a_channel_that_the_board_does_not_have_is_reported(came: Came, dials: HubDials) -> None:
    came.waiting = [report(sweep(900 * MS), wired=0xF)]
    (name, sample) = dials.take()[-1]
    assert name == "T03"
    assert isinstance(sample, Trouble)
    assert "Add channel 9 to board.py on the hub" in sample.words


def test_without_data_nothing_is_reported_until_the_dials_count_as_unread(
    came: Came, dials: HubDials, clock: VirtualClock
) -> None:
    came.waiting = [report(sweep(998 * MS))]
    assert len(dials.take()) == 3
    clock.advance(55 * MS)
    assert dials.take() == []
    clock.advance(MS)
    words = "hub west (USB) sends nothing. Check its cable at both ends, and its board's lamp."
    assert dials.take() == [(name, Trouble(TroubleKind.SILENT, 1056 * MS, words)) for name in ("T01", "T02", "T03")]
    assert dials.take() == []


def test_a_sample_is_delivered_when_its_time_has_come(came: Came, dials: HubDials, clock: VirtualClock) -> None:
    """A simulated table's clock may be behind the board's: no sample may be later than now."""
    came.waiting = [report(sweep(997 * MS)), report(sweep(999 * MS))]
    assert len(dials.take()) == 3
    assert dials.take() == []
    clock.advance(MS)
    assert [sample.at_ns // MS for _, sample in dials.take()] == [999, 999, 1001]


def test_a_missing_hub_is_reported_at_once_by_its_link(came: Came, dials: HubDials) -> None:
    came.waiting = [LinkNotice(LinkState.NO_PORT, 1000 * MS, "hub west (USB) is not plugged in. Plug it in.")]
    assert dials.take() == [
        (name, Trouble(TroubleKind.SILENT, 1000 * MS, "hub west (USB) is not plugged in. Plug it in."))
        for name in ("T01", "T02", "T03")
    ]


def test_a_late_sample_of_a_lost_dial_is_not_used(came: Came, dials: HubDials, clock: VirtualClock) -> None:
    came.waiting = [LinkNotice(LinkState.STALE, 1000 * MS, "gone")]
    dials.take()
    clock.advance(10 * MS)
    came.waiting = [LinkNotice(LinkState.RUNNING, 1001 * MS), report(sweep(990 * MS), sweep(1001 * MS, c0=8))]
    assert dials.take()[0] == ("T01", Reading(8, 1001_200_000, Magnet.GOOD))


def turned(dials: HubDials, came: Came, clock: VirtualClock, lost: frozenset[int]) -> list[Turn]:
    """A dial that rests, is turned by one click in samples of which some are lost, and rests again."""
    tracker = Tracker()
    turns = []
    for number in range(300):
        clock.advance(10 * MS)
        at_ns = clock.now_ns() - 2 * MS
        angle = min(max(number - 96, 0) * 43, 341)
        unknown = lost if number == 100 else frozenset[int]()
        came.waiting = [report(sweep(at_ns, c0=angle), unknown=unknown)]
        for name, sample in dials.take():
            if name == "T01":
                turn = tracker.feed(sample.at_ns, sample.raw if isinstance(sample, Reading) else None)
                turns += [turn] if turn is not None else []
    return turns


def test_a_jump_in_lost_samples_is_an_unknown_path(came: Came, dials: HubDials, clock: VirtualClock) -> None:
    (turn,) = turned(dials, came, clock, frozenset({0}))
    assert turn.path == "unknown"
    assert turn.to_position == 1


def test_a_loss_without_a_jump_is_followed(came: Came, dials: HubDials, clock: VirtualClock) -> None:
    (turn,) = turned(dials, came, clock, frozenset({3}))
    assert (turn.path, turn.clicks) == ("followed", 1)


def test_the_message_of_a_loss(came: Came, dials: HubDials) -> None:
    came.waiting = [report(sweep(990 * MS), unknown=frozenset({3}))]
    assert dials.take()[1] == (
        "T02",
        Trouble(
            TroubleKind.GLITCH,
            990_800_000,
            "dial T02 (hub west channel 3) jumped in lost samples, so its path is unknown. If this happens again, use "
            "a shorter or better USB cable.",
        ),
    )


def test_a_full_read_is_a_proof(came: Came, dials: HubDials) -> None:
    samples = (HubSample(0, 990 * MS, 5, 64, 2100), HubSample(0, 991 * MS, wire.TOO_WEAK << 12 | 5, 255, 900))
    came.waiting = [HubReport(991 * MS, samples, wired=0x209)]
    assert dials.take() == [
        ("T01", Reading(5, 990 * MS, Magnet.GOOD, proof=Proof(64, 2100))),
        ("T01", Reading(5, 991 * MS, Magnet.TOO_WEAK, proof=Proof(255, 900))),
    ]


def test_the_rates_count_the_reads_of_the_hub(came: Came, dials: HubDials, clock: VirtualClock) -> None:
    assert dials.rates == {}
    for _ in range(51):
        clock.advance(20 * MS)
        reads = (5, 0, 0, 9, 0, 0, 0, 0)
        came.waiting.append(HubReport(clock.now_ns(), (HubSample(0, clock.now_ns(), 7),), reads=reads))
    dials.take()
    assert dials.rates == {"T01": 250.0, "T02": 450.0}


def test_closing_closes_the_port(came: Came, dials: HubDials) -> None:
    dials.close()
    assert came.closed
