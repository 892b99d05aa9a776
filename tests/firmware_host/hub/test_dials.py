"""Read results when a dial, its mux or the whole bus fails."""

from __future__ import annotations

import itertools

import pytest

from firmware_host.hub import wire
from firmware_host.hub.dials import CONF, STATUS
from firmware_host.hub.muxes import DIAL
from hardware.sims import faults
from hardware.sims.encoder_twin import MagnetField
from tests.firmware_host.hub.bench import MS, Bench, records, results

ALL_GOOD = [wire.GOOD] * 8


def settled(muxes: int = 1) -> Bench:
    bench = Bench(muxes)
    bench.stream()
    assert bench.statuses(300) == [wire.GOOD] * 8 * muxes
    return bench


def test_the_angles_are_those_of_the_dials() -> None:
    bench = settled(muxes=2)
    values = bench.last(30)
    assert [values[n] for n in range(16)] == [200 + 100 * n for n in range(16)]


def test_the_settings_are_those_that_the_pi_gives_them() -> None:
    bench = settled()
    assert {tile.encoder.conf for tile in bench.tiles} == {0x0204}
    assert all(not tile.encoder.burn_commands and not tile.encoder.blank_bits_changed for tile in bench.tiles)


def test_unnamed_bits_of_the_settings_stay_as_they_are() -> None:
    bench = Bench()
    for n in range(8):
        bench.muxes.open(n)
        bench.bus.write(DIAL, bytes((CONF, 0xC0, 0x00)))
    bench.stream()
    assert bench.statuses() == ALL_GOOD
    assert {tile.encoder.conf for tile in bench.tiles} == {0xC204}


def test_a_sweep_of_eight_stays_within_the_budget() -> None:
    """On the wire alone; wiring_docs/hub.md adds the interpreter's time."""
    bench = settled()
    took = []
    for _ in range(100):
        bench.hub.step()
        took.append(bench.hub.sampler.took_us)
    assert max(took) <= 3100
    assert sum(took) / len(took) <= 2300


def test_channels_that_are_not_wired_are_never_read() -> None:
    bench = Bench(wired=[0, 5])
    bench.stream()
    expected = [wire.NOT_WIRED] * 8
    expected[0] = expected[5] = wire.GOOD
    assert bench.statuses() == expected
    assert bench.bus.failed == 0
    assert bench.send(wire.DIAG, wire.DIAG_BODY, 1)[0][2][1] == wire.NOT_WIRED


@pytest.mark.parametrize(
    ("field", "gives"),
    [(MagnetField.MISSING, wire.NO_MAGNET), (MagnetField.WEAK, wire.TOO_WEAK), (MagnetField.STRONG, wire.TOO_STRONG)],
)
def test_the_magnet(field: MagnetField, gives: int) -> None:
    bench = settled()
    bench.tiles[2].encoder.field = field
    value = bench.last(60)[2]
    assert value == gives << 12 | (0 if gives == wire.NO_MAGNET else 400)
    assert bench.send(wire.DIAG, wire.DIAG_BODY, 2)[0][2][1] == gives
    bench.tiles[2].encoder.field = MagnetField.GOOD
    assert bench.last(60)[2] == wire.GOOD << 12 | 400


def test_an_unplugged_dial_costs_only_itself_and_less_over_time() -> None:
    bench = settled()
    bench.tiles[4].unplug()
    expected = list(ALL_GOOD)
    expected[4] = wire.SILENT
    assert bench.statuses(100) == expected
    bench.run_ms(2000)
    failed = bench.bus.failed
    reports = bench.run_ms(3200)
    assert 8 <= bench.bus.failed - failed <= 11  # every 32 units of 10 ms
    assert all(list(results(reports, n)) == [wire.GOOD] for n in range(4))


def test_a_dial_that_comes_back_is_set_up_again() -> None:
    bench = settled()
    bench.tiles[4].unplug()
    bench.run_ms(1000)
    bench.tiles[4].plug_in()
    assert bench.statuses(500) == ALL_GOOD
    assert bench.tiles[4].encoder.conf == 0x0204


def test_one_missed_acknowledge_costs_one_sample() -> None:
    bench = settled()
    faults.strike(bench.tiles[4], "nack-once")
    result = results(bench.run_ms(100), 4)
    assert result[wire.SILENT] == 1
    assert result[wire.GOOD] == result.total() - 1 > 30


@pytest.mark.parametrize("fault", ["re-plugged", "power-dip", "settings-lost"])
def test_a_dial_that_lost_its_settings_gives_no_wrong_angle(fault: str) -> None:
    """The next read reaches a dial that sleeps or has other filter settings."""
    bench = settled()
    bench.raws[4] = 2600
    faults.strike(bench.tiles[4], fault)
    seen = [value for record in records(bench.run_ms(800), 4) for value in (record.first, record.value)]
    angles = {value & 0xFFF for value in seen if value >> 12 == wire.GOOD}
    assert angles <= {600, 2600}  # 600 may be in a report that began before
    assert seen[-1] == wire.GOOD << 12 | 2600
    assert bench.tiles[4].encoder.conf == 0x0204


def test_settings_are_verified_in_turn_even_of_a_dial_at_rest() -> None:
    bench = settled()
    faults.strike(bench.tiles[4], "settings-lost")
    result = [record.value >> 12 for record in records(bench.run_ms(200), 4)]
    assert wire.IMPLAUSIBLE in result
    assert result[-1] == wire.GOOD
    assert bench.tiles[4].encoder.conf == 0x0204


def test_a_forgotten_pointer_does_not_matter() -> None:
    bench = settled()
    faults.strike(bench.tiles[4], "pointer-lost")
    assert {record.value for record in records(bench.run_ms(100), 4)} == {wire.GOOD << 12 | 600}


def test_bytes_that_no_chip_can_send() -> None:
    bench = settled()
    read = bench.bus.read_register

    def garbled(address: int, register: int, into: bytearray) -> None:
        read(address, register, into)
        if register == STATUS and into[1:] == (600).to_bytes(2, "big"):
            into[1:] = b"\x12\x34"

    bench.bus.read_register = garbled  # type: ignore[method-assign]
    assert bench.last(40)[4] == wire.IMPLAUSIBLE << 12
    bench.bus.read_register = read  # type: ignore[method-assign]
    assert bench.statuses(1000) == ALL_GOOD


def test_a_mux_without_power_costs_its_own_dials() -> None:
    bench = settled(muxes=2)
    faults.strike(bench.tiles[0], "mux-silent")
    assert bench.statuses(200) == [wire.NO_MUX] * 8 + ALL_GOOD
    bench.run_ms(2000)
    failed = bench.bus.failed
    assert bench.statuses(3200) == [wire.NO_MUX] * 8 + ALL_GOOD
    assert bench.bus.failed - failed <= 60  # it is retried every 320 ms, with the reads that verify its absence
    faults.mend(bench.tiles[0], "mux-silent")
    assert bench.statuses(1000) == [wire.GOOD] * 16


def test_a_mux_that_hangs_open_without_answering_stops_the_other_too() -> None:
    """Its dial answers together with the other's, so the angle is meaningless."""
    bench = settled(muxes=2)
    bench.bus.write(0x70, b"\x01")
    bench.on_mux[0].mux.start = lambda reading: False  # type: ignore[method-assign]
    bench.on_mux[0].mux.stop = lambda: None  # type: ignore[method-assign]
    assert bench.statuses(300) == [wire.NO_MUX] * 16


def test_a_mux_that_does_not_switch_gives_no_angle() -> None:
    bench = settled()
    faults.strike(bench.tiles[0], "mux-not-switched")
    assert wire.GOOD not in bench.statuses(300)[:7]
    faults.mend(bench.tiles[0], "mux-not-switched")
    assert bench.statuses(1000) == ALL_GOOD


def test_a_channel_that_never_closes_gives_no_angle() -> None:
    bench = settled(muxes=2)
    faults.strike(bench.tiles[3], "two-channels-open")
    result = bench.statuses(300)
    assert wire.GOOD not in result[:3] + result[4:8]
    assert wire.GOOD not in result[8:]
    faults.mend(bench.tiles[3], "two-channels-open")
    assert bench.statuses(1000) == [wire.GOOD] * 16


def test_a_dial_interrupted_in_a_byte_is_clocked_free() -> None:
    bench = settled()
    faults.strike(bench.tiles[2], "stuck-mid-byte", 9)
    bench.run_ms(100)
    assert bench.bus.freed >= 1
    assert bench.statuses(1500) == ALL_GOOD


@pytest.mark.slow
def test_a_bus_that_stays_held_is_freed_once_a_second_and_costs_little_time() -> None:
    bench = settled()
    faults.strike(bench.tiles[2], "stuck-low")
    assert set(bench.statuses(200)) == {wire.STUCK}
    freed = bench.bus.freed
    bench.run_ms(5000)
    assert 3 <= bench.bus.freed - freed <= 5
    faults.mend(bench.tiles[2], "stuck-low")
    bench.bus.free()
    assert bench.statuses(15_000) == ALL_GOOD


@pytest.mark.slow
def test_with_the_muxes_reset_a_dial_that_holds_the_bus_costs_only_itself() -> None:
    bench = settled()
    bench.bus.resets_muxes = True
    faults.strike(bench.tiles[2], "stuck-low")
    bench.run_ms(12_000, 500)
    reports = bench.run_ms(8000, 500)
    for n in (0, 1, 3, 7):
        result = results(reports, n)
        assert result[wire.GOOD] >= 0.8 * result.total(), n
    faults.mend(bench.tiles[2], "stuck-low")
    bench.run_ms(12_000, 500)
    assert bench.statuses(100)[2] == wire.GOOD


def test_a_bus_held_at_the_start_recovers() -> None:
    bench = Bench()
    bench.bus.write(0x70, b"\x04")
    bench.tiles[2].segment.held = True
    bench.stream()
    assert set(bench.statuses(100)) == {wire.STUCK, wire.NOT_READ}
    bench.tiles[2].segment.held = False
    assert bench.statuses(3000) == ALL_GOOD


def test_bad_samples_are_no_jumps_and_jumps_are_counted() -> None:
    bench = settled()
    assert bench.run_ms(40)[-1].jumps == bytes(8)
    bench.raws[1] += 1593
    bench.raws[2] += 1592
    bench.raws[3] -= 1593
    assert bench.run_ms(60)[-1].jumps == bytes([0, 1, 0, 1, 0, 0, 0, 0])
    bench.tiles[5].unplug()
    bench.run_ms(100)
    assert bench.run_ms(60)[-1].jumps[5] == 0
    bench.tiles[5].plug_in()
    assert bench.run_ms(600)[-1].jumps == bytes([0, 1, 0, 1, 0, 1, 0, 0])


def test_jumps_wrap_at_256() -> None:
    bench = settled()
    for raw in itertools.islice(itertools.cycle((2300, 300)), 260):
        bench.raws[1] = raw
        bench.run_ms(10)
    assert bench.run_ms(40)[-1].jumps[1] == 4


def test_a_pause_longer_than_the_limit_is_a_jump() -> None:
    bench = settled()
    bench.clock.advance(36 * MS)
    assert bench.run_ms(40)[-1].jumps == bytes([1] * 8)
