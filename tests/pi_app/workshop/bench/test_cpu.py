"""`bench cpu`: the program in real time above wires that sleep. The figures themselves are not tested."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace as changed

from hardware.adapter import I2C_M_RD, KernelMessage
from pi_app.dials.sampling import Sampling
from pi_app.game.state import Game
from pi_app.settings import load as st
from pi_app.text.errors import WiringRefusedError
from pi_app.workshop.bench import cpu
from pi_app.workshop.bench.cpu_wires import CLICK_NS, PITCH, RESTS_AT, SNAP_NS, THERE, SleepingAdapter, hand_counts

SMALL = st.load(st.example_path("2x2"))
FAST_HZ = 400_000


@pytest.mark.slow
def test_every_activity_has_its_figure_and_its_target() -> None:
    shown: list[str] = []
    bench = cpu.run(SMALL, 0.1, speeds_hz=(FAST_HZ,), settling_s=0.1, progress=shown.append)
    assert [(figure.name, figure.target) for figure in bench.figures] == [
        ("2 dials, 400 kHz, all dials at rest: CPU", 10.0),
        ("2 dials, 400 kHz, one dial turned: CPU", 25.0),
        ("2 dials, 400 kHz, an open claim: CPU", 25.0),
        ("2 dials, 400 kHz, an open claim, its dial turned: CPU", 25.0),
    ]
    assert [f"{name}: CPU" for name in shown] == [figure.name for figure in bench.figures]
    assert all(figure.value > 0 and figure.note.endswith(" samples/s of each dial") for figure in bench.figures)


def test_another_ceiling_is_another_target() -> None:
    table = replace(SMALL, table=changed(SMALL.table, max_cpu=0.5))
    assert [activity.most_percent for activity in cpu.activities(table)] == [10.0, 50.0, 50.0, 50.0]


@pytest.mark.slow
def test_each_activity_is_what_its_name_says() -> None:
    rest, turned, claim, claim_turned = cpu.activities(SMALL)
    with cpu.running_table(cpu.at_speed(SMALL, FAST_HZ)) as table:
        first = next(iter(SMALL.squares))

        def game() -> Game:
            return table.loop.moment.game

        def dial_moves() -> bool:
            return table.loop.session.dials[first].tracker.off_rest

        table.enter(rest, 0.1)
        assert (table.loop.feed.sampling, dial_moves(), game().claims) == (Sampling.STEADY, False, ())
        table.enter(turned, 0.3)
        assert (table.loop.feed.sampling, dial_moves(), game().claims) == (Sampling.DENSE, True, ())
        table.enter(claim, 1.5)
        assert (table.loop.feed.sampling, dial_moves()) == (Sampling.DENSE, False)
        assert game().open_claim is not None
        table.enter(claim_turned, 0.3)
        assert game().open_claim is None
        assert [each.square for each in game().claims] == [first]


def test_all_buses_have_the_wanted_speed() -> None:
    assert {bus.speed_hz for bus in cpu.at_speed(SMALL, 123_000).buses.values()} == {123_000}


def test_dials_that_are_no_as5600_are_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "READY_S", 0.05)
    squares = {label: changed(square, chip="mt6701", address=0x06) for label, square in SMALL.squares.items()}
    with pytest.raises(WiringRefusedError) as refused, cpu.running_table(replace(SMALL, squares=squares)):
        pass
    assert "a dial of these settings is no AS5600 behind a mux: try other settings" in str(refused.value)


# -------------------------------------------------------------------------------------------------------- the wires


@given(some.integers(0, 10**11))
def test_a_hand_that_never_stops_goes_five_clicks_there_and_five_back(at_ns: int) -> None:
    there_and_back_ns = 2 * THERE * CLICK_NS
    assert hand_counts(at_ns) == hand_counts(at_ns + there_and_back_ns)
    assert 0 <= hand_counts(at_ns) <= round(THERE * PITCH)
    assert abs(hand_counts(at_ns + 1_000_000) - hand_counts(at_ns)) <= PITCH * 2_000_000 / SNAP_NS


def test_a_hand_rests_in_every_detent() -> None:
    stands = [round(hand_counts(n * CLICK_NS) / PITCH) for n in range(11)]
    assert stands == [0, 1, 2, 3, 4, 5, 4, 3, 2, 1, 0]
    assert all(abs(hand_counts(n * CLICK_NS) - stands[n] * PITCH) <= 0.5 for n in range(11))


def test_the_dial_of_the_open_channel_answers() -> None:
    turned = {1: 100, 2: 0}
    adapter = SleepingAdapter("stub", FAST_HZ, lambda mask: turned[mask])
    answer = bytearray(2)
    read = adapter.prepare([KernelMessage(0x36, I2C_M_RD, answer)])
    angles = []
    for mask in (1, 2):
        adapter.prepare([KernelMessage(0x70, 0, bytearray([mask]))])()
        read()
        angles.append(int.from_bytes(answer, "big"))
        register = bytearray(1)
        adapter.prepare([KernelMessage(0x70, I2C_M_RD, register)])()
        assert register[0] == mask
    assert abs(angles[0] - RESTS_AT - 100) <= 1
    assert abs(angles[1] - RESTS_AT) <= 1


def test_a_call_sleeps_for_its_bits_and_its_cost_less_what_the_last_one_slept_too_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now_ns, slept = [0], list[int]()

    def sleep(seconds: float) -> None:
        slept.append(round(seconds * 1e9))
        now_ns[0] += slept[-1] + 40_000

    monkeypatch.setattr("pi_app.workshop.bench.cpu_wires.time.sleep", sleep)
    monkeypatch.setattr("pi_app.workshop.bench.cpu_wires.time.monotonic_ns", lambda: now_ns[0])
    call = SleepingAdapter("stub", 100_000, lambda mask: 0).prepare([KernelMessage(0x3C, 0, bytearray(9))])
    for _ in range(3):
        call()
    bits = 1 + 1 + 9 * 10
    assert slept == [bits * 10_000 + 100_000, bits * 10_000 + 60_000, bits * 10_000 + 60_000]
