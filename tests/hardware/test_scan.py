"""The scan above the twins: true readings, cheap failures, fair screens."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hardware.bus import Bus, Read
from hardware.chips.as5600 import NEAR_LAST_COUNTS
from hardware.errors import BusStuck, HardwareError, NoAnswer
from hardware.readings import Magnet, Reading, Sample, Trouble, TroubleKind
from hardware.scan import Scan
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.tca9548a import Tca9548aTwin
from tests.hardware.table import Table
from tests.properties import costly

KINDS = ("bcm2835", "designware", "i2c-gpio")
MS = 1_000_000


def raws(samples: object) -> list[object]:
    """Each sample: the angle, or the kind of trouble."""
    assert isinstance(samples, list)
    return [sample.raw if isinstance(sample, Reading) else sample.kind for sample in samples]


def words(sample: Sample) -> str:
    assert isinstance(sample, Trouble)
    return sample.words


# --- without faults


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dials", "muxed"), [(1, False), (1, True), (8, True), (20, True)])
def test_every_dial_reads_true_on_every_controller(kind: str, dials: int, muxed: bool) -> None:
    table = Table(dials, kind, muxed=muxed).settled()
    for turn in range(5):
        table.raws = [(raw + 30 * turn) % 4096 for raw in table.raws]
        assert raws(table.scan.scan()) == table.raws


def test_before_the_first_read_there_is_trouble_and_no_angle() -> None:
    table = Table(2)
    samples = table.scan.scan()
    assert raws(samples) == [TroubleKind.NOT_READ] * 2
    assert words(samples[1]) == (
        "dial T01 (simulated /dev/i2c-1 mux 0x70 channel 1, chip 0x36) was not read yet. Wait a moment."
    )
    assert table.scan.age_ns("T01") is None


def test_a_table_of_sixteen_reads_within_150_ms() -> None:
    table = Table(16)
    table.scan_until_all_read(most_ms=150)


def test_readings_carry_their_own_time() -> None:
    table = Table(8).settled()
    began_ns = table.clock.now_ns()
    samples = table.scan.scan()
    times = [sample.at_ns for sample in samples]
    assert times == sorted(times)
    assert len(set(times)) == 8
    assert began_ns < times[0]
    assert times[-1] <= table.clock.now_ns()
    table.clock.advance(7 * MS)
    assert table.scan.age_ns("T00") == table.clock.now_ns() - times[0]


@pytest.mark.parametrize("speed_hz", [100_000, 400_000])
@pytest.mark.parametrize("dials", [1, 8, 16, 64])
def test_at_full_speed_a_scan_reaches_the_wires_limit_with_screens_busy(dials: int, speed_hz: int) -> None:
    screen = Slices(lambda: None, cost_ns=308 * 1_000_000_000 // speed_hz)
    table = Table(dials, speed_hz=speed_hz, muxed=dials > 1, screens=[screen]).settled()
    screen.send = lambda: table.clock.advance(screen.cost_ns)
    scan, wire = table.scan, table.wire
    scan.reset_counts()
    began_ns, rounds = table.clock.now_ns(), 3000 // dials + 60
    for _ in range(rounds):
        scan.scan()
        scan.use_gap(table.clock.now_ns())
    took_ns = (table.clock.now_ns() - began_ns) / rounds
    limit_ns = scan.wire_bits_per_scan() * wire.bit_ns + scan.transactions_per_scan() * wire.bus_free_ns
    assert limit_ns / took_ns >= 0.95
    if dials <= 8:
        assert max(scan.counts(dial).longest_gap_ns for dial in scan.dials) <= 35 * MS


def test_each_dial_is_verified_again_and_again() -> None:
    table = Table(8).settled()
    verified: set[int] = set()
    for _ in range(800):
        for n, sample in enumerate(table.scan.scan()):
            if isinstance(sample, Reading) and sample.magnet is Magnet.GOOD:
                verified.add(n)
    assert verified == set(range(8))


# --- plugs


def test_a_scan_is_calm_if_no_dial_needed_more_than_a_quick_sample() -> None:
    table = Table(4)
    assert not table.scan.calm
    table.settled()
    calm = [table.scan.calm for _ in range(1000) if table.scan.scan()]
    assert 950 < sum(calm) < 1000, "now and then a dial is read in full"
    table.twins[3].unplug()
    for _ in range(20):
        table.scan.scan()
        assert not table.scan.calm


def test_an_unplugged_dial_is_reported_and_costs_the_others_almost_nothing() -> None:
    table = Table(8).settled()
    table.twins[3].unplug()
    samples = table.scan.scan()
    assert raws(samples) == [*table.raws[:3], TroubleKind.SILENT, *table.raws[4:]]
    assert words(samples[3]) == (
        "dial T03 (simulated /dev/i2c-1 mux 0x70 channel 3, chip 0x36) gave no answer (errno 121). "
        "Check its plug, then its power, then SDA and SCL."
    )
    began_ns = table.clock.now_ns()
    for _ in range(500):
        assert raws(table.scan.scan())[4:] == table.raws[4:]
    limit_ns = table.scan.wire_bits_per_scan() * table.wire.bit_ns
    assert (table.clock.now_ns() - began_ns) / 500 < limit_ns
    assert table.scan.counts("T03").losses == 1
    assert table.scan.counts("T04").losses == 0


def test_plugged_in_again_it_recovers_and_is_set_up_again() -> None:
    table = Table(8).settled()
    table.twins[3].unplug()
    for _ in range(400):
        table.scan.scan()
    table.twins[3].plug_in()
    table.raws[3] = 3000
    plugged_ns = table.clock.now_ns()
    table.scan_until_all_read()
    assert table.clock.now_ns() - plugged_ns < 400 * MS
    assert raws(table.scan.scan())[3] == 3000
    assert table.twins[3].conf == 0x0204


@pytest.mark.parametrize("kind", KINDS)
def test_a_dial_replugged_between_two_scans_is_noticed(kind: str) -> None:
    table = Table(8, kind).settled()
    table.twins[5].plug_in()
    table.raws[5] = 40
    samples = table.scan.scan()
    assert raws(samples) == [*table.raws[:5], TroubleKind.IMPLAUSIBLE, *table.raws[6:]]
    assert words(samples[5]) == (
        "dial T05 (simulated /dev/i2c-1 mux 0x70 channel 5, chip 0x36) forgot its settings: it was unplugged, or "
        "its supply dipped. It is set up again automatically; if this recurs, check its plug and its 3.3 V."
    )
    table.scan_until_all_read(most_ms=300)
    assert raws(table.scan.scan())[5] == 40


def test_one_glitch_is_retried_in_the_same_scan_and_counted() -> None:
    table = Table(8).settled()
    for fault in (table.twins[2].nack_once, table.twins[2].glitch_once):
        fault()
        assert raws(table.scan.scan()) == table.raws
    assert table.scan.counts("T02").retries == 2
    assert table.scan.counts("T02").losses == 0


def test_a_spike_is_verified_before_it_is_accepted() -> None:
    table = Table(8).settled()
    table.twins[2].spike_once(570)
    assert raws(table.scan.scan()) == table.raws
    assert table.scan.counts("T02").retries == 0


def test_a_dial_lifted_off_is_no_magnet_and_rests_cheaply() -> None:
    table = Table(8).settled()
    table.twins[6].field = MagnetField.MISSING
    for _ in range(3):
        samples = table.scan.scan()
    assert raws(samples) == [*table.raws[:6], TroubleKind.NO_MAGNET, *table.raws[7:]]
    assert words(samples[6]) == (
        "dial T06 (simulated /dev/i2c-1 mux 0x70 channel 6, chip 0x36) answers, but sees no magnet. Put the dial "
        "back, or check that its magnet sits 0.5 to 3 mm above the chip."
    )
    began_ns = table.clock.now_ns()
    for _ in range(300):
        table.scan.scan()
    assert (table.clock.now_ns() - began_ns) / 300 < table.scan.wire_bits_per_scan() * table.wire.bit_ns
    table.twins[6].field = MagnetField.GOOD
    table.scan_until_all_read(most_ms=400)


def test_no_words_of_trouble_hold_an_angle() -> None:
    table = Table(8).settled()
    table.raws = [2741.0] * 8
    table.scan.scan()
    table.twins[0].unplug()
    table.twins[1].plug_in()
    table.twins[2].field = MagnetField.MISSING
    for _ in range(3):
        for sample in table.scan.scan():
            assert isinstance(sample, Reading) or ("2741" not in sample.words and "AB5" not in sample.words.upper())


# --- muxes


def test_a_mux_that_falls_silent_takes_only_its_own_dials_along() -> None:
    table = Table(16).settled()
    table.mux_twins[0].unplug()
    samples = table.scan.scan()
    assert raws(samples) == [*[TroubleKind.SILENT] * 8, *table.raws[8:]]
    assert words(samples[7]) == (
        "mux 0x70 (simulated /dev/i2c-1) gave no answer (errno 121), so T00, T01, T02, T03, T04, T05, T06 and T07 "
        "cannot be read. Check the mux's plug and its power first, then its straps A0 to A2, and that RESET is pulled "
        "up to 3.3 V."
    )
    assert {words(sample) for sample in samples[:8]} == {words(samples[7])}
    for _ in range(50):
        assert raws(table.scan.scan())[8:] == table.raws[8:]
    table.mux_twins[0].plug_in()
    table.scan_until_all_read(most_ms=1000)
    assert raws(table.scan.scan()) == table.raws


def test_a_mux_that_was_reset_unnoticed_costs_one_retry() -> None:
    table = Table(1).settled()
    table.mux_twins[0].reset()
    assert raws(table.scan.scan()) == table.raws
    assert table.scan.counts("T00").retries == 1


def test_two_open_channels_are_never_read_as_an_angle() -> None:
    table = Table(3)
    table.raws = [0b1111_0000_1111, 0b0000_1111_1111, 0b0101_0101_0101]
    table.settled()
    table.mux_twins[0].keeps = 1 << 1
    for _ in range(40):
        for n, sample in enumerate(table.scan.scan()):
            assert isinstance(sample, Trouble) or sample.raw == table.raws[n]
    samples = table.scan.scan()
    assert raws(samples) == [TroubleKind.STUCK, table.raws[1], TroubleKind.STUCK]
    assert words(samples[0]) == (
        "mux 0x70 (simulated /dev/i2c-1) does not close channel 1 (T01), so T00 and T02 cannot be read. Its RESET did "
        "not help: switch its power off and on, and if this stays, replace the mux."
    )
    assert words(samples[2]) == words(samples[0])
    table.mux_twins[0].keeps = 0
    table.scan_until_all_read()


def test_two_open_channels_are_detected_even_if_their_dials_agree() -> None:
    table = Table(3)
    table.raws = [1000.0] * 3
    table.settled()
    table.mux_twins[0].keeps = 1 << 1
    kinds = {sample.kind for _ in range(250) for sample in table.scan.scan() if isinstance(sample, Trouble)}
    assert kinds == {TroubleKind.STUCK}


def deafen(mux: Tca9548aTwin, after: int) -> Iterator[bool]:
    """Let the mux miss its address once, after so many times. Return the counter."""
    to_come = iter([True] * after + [False])

    def start(reading: bool) -> bool:
        return next(to_come, True)

    mux.start = start  # type: ignore[method-assign]
    return to_come


@pytest.mark.parametrize("kind", KINDS)
def test_after_a_failed_selection_no_neighbour_is_read_instead(kind: str) -> None:
    table = Table(8, kind)
    table.raws = [1000.0 + 10 * n for n in range(8)]
    table.settled()
    to_come = deafen(table.mux_twins[0], 4)
    assert raws(table.scan.scan()) == table.raws
    assert next(to_come, None) is None
    assert [table.scan.counts(dial).losses for dial in table.scan.dials] == [0] * 8


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("deaf_at", range(12))
def test_no_moment_is_wrong_for_a_mux_to_miss_its_selection(kind: str, deaf_at: int) -> None:
    table = Table(10, kind)
    table.raws = [1000.0 + 6 * n for n in range(10)]  # close enough to each other to be accepted
    table.settled()
    for mux in table.mux_twins:
        deafen(mux, deaf_at)
    for _ in range(30):
        assert raws(table.scan.scan()) == table.raws


# --- held lines


def test_a_hung_tile_behind_a_mux_with_reset_costs_the_others_one_time_out() -> None:
    table = Table(8).settled()
    table.mux_twins[0].channels[3].held = True
    table.scan.reset_counts()
    samples = table.scan.scan()
    assert raws(samples) == [*table.raws[:3], TroubleKind.STUCK, *table.raws[4:]]
    assert words(samples[3]) == (
        "dial T03 (simulated /dev/i2c-1 mux 0x70 channel 3, chip 0x36) never ended a transfer (errno 110). It "
        "is set aside and retried now and then; the others are read without it. Pull the plug of T03, look for a "
        "short between its wires, and plug it in again."
    )
    assert table.wire.timeouts == 1
    for _ in range(300):
        assert raws(table.scan.scan()) == [*table.raws[:3], TroubleKind.STUCK, *table.raws[4:]]
    assert max(table.scan.counts(dial).longest_gap_ns for dial in ("T00", "T02", "T04", "T07")) <= 35 * MS
    table.mux_twins[0].channels[3].held = False
    table.scan_until_all_read()


def test_a_wire_that_corrupts_read_after_read_is_treated_as_held() -> None:
    table = Table(8).settled()
    resets = table.mux_twins[0].resets
    for times in (1, 2):
        for _ in range(times):
            table.twins[2].glitch_once()
        table.scan.scan()
        assert table.mux_twins[0].resets - resets == times - 1
    table.scan_until_all_read()


@pytest.mark.parametrize("kind", KINDS)
def test_a_held_trunk_is_reported_and_raises_nothing(kind: str) -> None:
    table = Table(8, kind, reset=False).settled()
    table.wire.trunk.held = True
    samples = table.scan.scan()
    assert raws(samples) == [TroubleKind.STUCK] * 8
    assert table.wire.timeouts <= 4  # not one per dial
    for _ in range(100):
        assert raws(table.scan.scan()) == [TroubleKind.STUCK] * 8
    table.wire.trunk.held = False
    table.scan_until_all_read()
    assert raws(table.scan.scan()) == table.raws


def test_with_everything_lost_a_loop_of_scans_does_not_spin() -> None:
    table = Table(2)
    for twin in table.twins:
        twin.unplug()
    began_ns = table.clock.now_ns()
    for _ in range(100):
        table.scan.scan()
    assert table.clock.now_ns() - began_ns > 50 * MS


# --- anything at all


FAULTS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                "turn",
                "unplug",
                "plug_in",
                "nack",
                "glitch",
                "lift",
                "put back",
                "mux out",
                "mux in",
                "hold",
                "let go",
                "mux reset",
                "mux deaf",
                "wait",
                "nudge",
                "screen",
            ]
        ),
        st.integers(0, 9),
    ),
    max_size=25,
)


@example("bcm2835", False, [("turn", 0), ("lift", 0)], 244)
@costly
@given(st.sampled_from(KINDS), st.booleans(), FAULTS, st.integers(0, 2**16))
def test_whatever_happens_a_reading_is_true_and_everything_comes_back(
    kind: str, reset: bool, faults: list[tuple[str, int]], seed: int
) -> None:
    table = Table(10, kind, 400_000, reset=reset)
    table.raws = [1000.0 + 6 * n for n in range(10)]  # a neighbour's angle would be accepted
    table.settled()
    accepted = list(table.raws)
    dice = random.Random(seed)
    for what, n in faults:
        _happen(table, what, n, dice)
        for _ in range(dice.randint(1, 6)):
            for at, sample in enumerate(table.scan.scan()):
                if isinstance(sample, Reading):
                    if table.twins[at].field is MagnetField.MISSING:  # a made-up angle may be near the last one
                        assert _off(sample.raw, accepted[at]) <= NEAR_LAST_COUNTS
                    else:
                        assert sample.raw == table.raws[at]
                    accepted[at] = sample.raw
    for n in range(10):
        for what in ("plug_in", "put back", "mux in", "let go"):
            _happen(table, what, n, dice)
    table.scan_until_all_read()
    assert raws(table.scan.scan()) == table.raws


def _off(raw: int, other: float) -> float:
    """The difference of two angles, in counts."""
    return abs((raw - other + 2048) % 4096 - 2048)


def test_a_made_up_angle_near_the_last_one_passes_until_the_field_is_read() -> None:
    table = Table(10, "bcm2835", 400_000)
    table.raws[0] = 3392.0
    table.settled()
    table.twins[0].field = MagnetField.MISSING
    first = table.scan.scan()[0]
    assert isinstance(first, Reading)
    assert (first.raw, _off(first.raw, 3392.0) <= NEAR_LAST_COUNTS) == (3403, True)
    second = table.scan.scan()[0]
    assert isinstance(second, Trouble)
    assert second.kind is TroubleKind.NO_MAGNET


def _happen(table: Table, what: str, n: int, dice: random.Random) -> None:
    twin, mux = table.twins[n], table.mux_twins[n // 8]
    actions: dict[str, Callable[[], object]] = {
        "turn": lambda: table.raws.__setitem__(n, dice.randrange(4096)),
        "nudge": lambda: table.raws.__setitem__(n, (table.raws[n] + dice.randint(-40, 40)) % 4096),
        "mux deaf": lambda: deafen(mux, dice.randrange(12)),
        "screen": lambda: _others_business(table.muxes[n // 8].channel(n % 8)),
        "unplug": twin.unplug,
        "plug_in": twin.plug_in,
        "nack": twin.nack_once,
        "glitch": twin.glitch_once,
        "lift": lambda: setattr(twin, "field", MagnetField.MISSING),
        "put back": lambda: setattr(twin, "field", MagnetField.GOOD),
        "mux out": mux.unplug,
        "mux in": mux.plug_in,
        "mux reset": mux.reset,
        "hold": lambda: setattr(mux.channels[n % 8], "held", True),
        "let go": lambda: setattr(mux.channels[n % 8], "held", False),
        "wait": lambda: table.clock.advance(50 * MS),
    }
    actions[what]()


def _others_business(channel: Bus) -> None:
    """The traffic of a screen or `doctor` on a channel between two scans."""
    with contextlib.suppress(HardwareError):
        channel.transfer((Read(0x3C, 1),))


# --- screens


class Slices:
    """A screen with `left` slices to send, each costing `cost_ns`."""

    def __init__(self, send: Callable[[], None], cost_ns: int = 3 * MS, left: int = 1 << 30) -> None:
        self.send, self.cost_ns, self.left, self.sent = send, cost_ns, left, 0

    def waiting(self) -> bool:
        return self.left > 0

    def slice_cost_ns(self) -> int:
        return self.cost_ns

    def send_slice(self) -> None:
        self.send()
        self.left -= 1
        self.sent += 1


def screens_on(table: Table, *screens: Slices) -> Scan:
    """A scan of no dials: only gaps. Each slice takes its time."""
    for screen in screens:
        screen.send = lambda screen=screen: table.clock.advance(screen.cost_ns)  # type: ignore[misc]
    return Scan("bus", [], table.clock, screens)


def test_slices_are_sent_while_they_fit_and_no_longer() -> None:
    table = Table(0)
    screen = Slices(lambda: None)
    scan = screens_on(table, screen)
    scan.use_gap(table.clock.now_ns() + 10 * MS)
    assert screen.sent == 3
    assert table.clock.now_ns() == 9 * MS


def test_screens_take_turns() -> None:
    table = Table(0)
    one, other = Slices(lambda: None), Slices(lambda: None)
    scan = screens_on(table, one, other)
    for _ in range(3):
        scan.use_gap(table.clock.now_ns() + 4 * MS)
    scan.use_gap(table.clock.now_ns() + 10 * MS)
    assert (one.sent, other.sent) == (3, 3)


def test_without_a_gap_screens_still_get_their_share_of_the_time() -> None:
    table = Table(0)
    one, other = Slices(lambda: None), Slices(lambda: None, cost_ns=MS)
    scan = screens_on(table, one, other)
    for _ in range(1000):
        table.clock.advance(4 * MS)
        scan.use_gap(table.clock.now_ns())
    share = (one.sent * one.cost_ns + other.sent * other.cost_ns) / table.clock.now_ns()
    assert 0.035 < share <= 0.04
    assert abs(one.sent - other.sent) <= 1


def test_an_idle_hour_earns_only_one_slice() -> None:
    table = Table(0)
    screen = Slices(lambda: None, left=0)
    scan = screens_on(table, screen)
    table.clock.advance(3600 * 1000 * MS)
    screen.left = 100
    scan.use_gap(table.clock.now_ns())
    scan.use_gap(table.clock.now_ns())
    assert screen.sent == 1


def test_a_failing_screen_does_not_disturb_the_scan() -> None:
    table = Table(0)

    def fail() -> None:
        raise NoAnswer("screen", "there", "gave no answer", "Check it.")

    good, bad = Slices(lambda: None, cost_ns=MS), Slices(lambda: None, cost_ns=MS)
    scan = screens_on(table, bad, good)
    bad.send = fail
    scan.use_gap(table.clock.now_ns() + 5 * MS)
    assert (good.sent, bad.sent, scan.screen_failures) == (5, 0, 1)


def test_a_screen_that_hangs_the_bus_makes_the_scan_recover() -> None:
    table = Table(8)

    def hang() -> None:
        raise BusStuck("screen", "there", "never ended a transfer", "Unplug it.")

    screen = Slices(hang, left=1)
    table = Table(8, screens=[screen]).settled()
    table.scan.use_gap(table.clock.now_ns() + 100 * MS)
    assert table.mux_twins[0].register == 0
    assert raws(table.scan.scan()) == table.raws


def test_without_screens_a_gap_costs_nothing() -> None:
    table = Table(1, muxed=False)
    table.scan.use_gap(1000 * MS)
    assert table.clock.now_ns() == 0


def test_a_scan_of_no_dials_is_empty() -> None:
    assert Table(0).scan.scan() == []
