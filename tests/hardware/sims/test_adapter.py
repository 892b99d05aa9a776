from __future__ import annotations

import errno

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.adapter import I2C_FUNC_I2C, I2C_FUNC_PROTOCOL_MANGLING, Adapter, KernelMessage
from hardware.sims.adapter import CONTROLLERS, SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.tca9548a import Tca9548aTwin
from tests.hardware.sims.rig import Echo, Rig, sent, wanted

KINDS = tuple(CONTROLLERS)
WITH_ERRNOS = tuple(kind for kind in KINDS if kind != "virtio")


def failed(rig: Rig, *messages: KernelMessage) -> int:
    with pytest.raises(OSError) as caught:  # noqa: PT011 - the errno is checked
        rig.call(*messages)
    assert caught.value.errno is not None
    return caught.value.errno


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_says_that_it_is_simulated(kind: str) -> None:
    adapter: Adapter = Rig(kind).adapter
    assert adapter.name == "simulated /dev/i2c-1"


def test_only_the_bit_banged_bus_knows_mangling() -> None:
    known = {kind: Rig(kind).adapter.functions() for kind in KINDS}
    assert all(bits & I2C_FUNC_I2C for bits in known.values())
    assert [kind for kind in KINDS if known[kind] & I2C_FUNC_PROTOCOL_MANGLING] == ["i2c-gpio"]


def test_a_wrong_kind_is_refused_with_a_suggestion() -> None:
    rig = Rig()
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - compared whole below
        SimAdapter(rig.wire, rig.clock, "bcm2711")
    assert str(caught.value) == (
        "no adapter of kind 'bcm2711'; did you mean 'bcm2835'? (known: bcm2835, designware, i2c-gpio, virtio)"
    )


@pytest.mark.parametrize(("kind", "number"), [("bcm2835", 121), ("designware", 121), ("i2c-gpio", 6)])
def test_an_absent_chip_costs_eleven_bits(kind: str, number: int) -> None:
    rig = Rig(kind)
    assert failed(rig, wanted(0x36, 2)) == number
    assert rig.wire.bits == 11
    assert rig.clock.now_ns() == 110_000 + 4_700


def test_a_virtual_controller_reports_an_absent_chip_only_by_its_count() -> None:
    rig = Rig("virtio")
    here = Echo(rig.clock, 0x36, answer=0x12)
    rig.wire.trunk.hang(here)
    answer = wanted(0x36, 2)
    assert rig.call(answer) == 1
    assert bytes(answer.buffer) == b"\x12\x12"
    lost, gone = KernelMessage(0x37, 1, bytearray(b"old")), KernelMessage(0x36, 1, bytearray(b"old"))
    assert rig.call(sent(0x36, 1), lost, gone) == 1
    assert (bytes(lost.buffer), bytes(gone.buffer)) == (b"old", b"old")
    assert rig.call(lost) == 0


def test_a_virtual_controller_has_no_errno_for_a_held_line_or_a_glitch() -> None:
    rig = Rig("virtio")
    rig.wire.trunk.hang(Echo(rig.clock, 0x36, accepts=1))
    assert rig.call(sent(0x36, 1, 2)) == 0
    rig.wire.trunk.held = True
    assert rig.call(wanted(0x36, 2)) == 0


@pytest.mark.parametrize(("kind", "number"), [("bcm2835", 121), ("designware", 121), ("i2c-gpio", 5)])
def test_a_byte_that_is_not_acknowledged_ends_the_transfer(kind: str, number: int) -> None:
    rig = Rig(kind)
    chip = Echo(rig.clock, 0x36, accepts=1)
    rig.wire.trunk.hang(chip)
    assert failed(rig, sent(0x36, 1, 2, 3)) == number
    assert [what for what, _, _ in chip.seen] == ["write", "byte", "byte", "stop"]


def test_bcm2835_reads_only_at_the_end() -> None:
    rig = Rig("bcm2835")
    rig.wire.trunk.hang(Echo(rig.clock, 0x36, 0x5A))
    rig.wire.trunk.hang(Echo(rig.clock, 0x70))
    assert failed(rig, wanted(0x36, 2), sent(0x36, 1)) == 95
    assert failed(rig, wanted(0x36, 2), wanted(0x36, 2)) == 95
    assert rig.wire.bits == 0
    rig.call(sent(0x70, 1), sent(0x36, 12), last := wanted(0x36, 2))
    assert bytes(last.buffer) == b"\x5a\x5a"


def test_designware_keeps_to_one_address_and_sends_nothing_empty() -> None:
    rig = Rig("designware")
    rig.wire.trunk.hang(Echo(rig.clock, 0x36, 0x5A))
    rig.wire.trunk.hang(Echo(rig.clock, 0x70))
    assert failed(rig, sent(0x70, 1), wanted(0x36, 2)) == 22
    assert failed(rig, sent(0x36)) == 95
    rig.call(first := wanted(0x36, 1), sent(0x36, 1), wanted(0x36, 2))
    assert bytes(first.buffer) == b"\x5a"


@pytest.mark.parametrize("kind", ["bcm2835", "designware"])
def test_a_stop_flag_without_mangling_is_refused_not_ignored(kind: str) -> None:
    rig = Rig(kind)
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    assert failed(rig, sent(0x36, 1, stop=True), wanted(0x36, 2)) == 95


@pytest.mark.parametrize("kind", KINDS)
def test_unmodelled_flags_are_refused(kind: str) -> None:
    rig = Rig(kind)
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    assert failed(rig, KernelMessage(0x36, 0x4000, bytearray(1))) == 95


def test_mangling_puts_a_real_stop_between_messages() -> None:
    """[mux write][encoder read] in one call works only with I2C_M_STOP (SCPS207F p.17)."""
    rig = Rig("i2c-gpio")
    mux = Tca9548aTwin()
    rig.wire.trunk.hang(mux)
    mux.channels[0].hang(Echo(rig.clock, 0x36, 0x11))
    mux.channels[1].hang(Echo(rig.clock, 0x36, 0x22))
    assert failed(rig, sent(0x70, 1), wanted(0x36, 1)) == 6, "a repeated START does not switch the mux"
    rig.call(
        sent(0x70, 1, stop=True),
        first := wanted(0x36, 1, stop=True),
        sent(0x70, 2, stop=True),
        second := wanted(0x36, 1),
    )
    assert (bytes(first.buffer), bytes(second.buffer)) == (b"\x11", b"\x22")


def test_mangling_charges_the_same_bits_as_single_calls() -> None:
    batched, single = Rig("i2c-gpio"), Rig("i2c-gpio")
    for rig in (batched, single):
        rig.wire.trunk.hang(Echo(rig.clock, 0x36))
        rig.wire.trunk.hang(Echo(rig.clock, 0x70))
    batched.call(*[part for _ in range(21) for part in (sent(0x70, 1, stop=True), wanted(0x36, 2, stop=True))])
    for _ in range(21):
        single.write(0x70, 1)
        single.read(0x36, 2)
    assert batched.wire.bits == single.wire.bits == 21 * 49
    assert batched.clock.now_ns() == single.clock.now_ns() == 21 * (49 * 10_000 + 2 * 4_700)
    assert (batched.adapter.calls, single.adapter.calls) == (1, 42)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [0, 43])
def test_a_call_has_1_to_42_messages(kind: str, count: int) -> None:
    rig = Rig(kind)
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    assert failed(rig, *[sent(0x36, 1)] * count) == 22
    rig.call(*[sent(0x36, 1)] * 42)


def test_messages_end_at_8192_bytes_and_addresses_at_7_bits() -> None:
    rig = Rig()
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    assert failed(rig, wanted(0x36, 8193)) == 22
    assert failed(rig, wanted(0x80, 1)) == 22
    assert len(rig.read(0x36, 8192)) == 8192


@pytest.mark.parametrize("kind", WITH_ERRNOS)
def test_a_stuck_line_costs_the_whole_time_out(kind: str) -> None:
    rig = Rig(kind)
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    rig.wire.trunk.held = True
    assert failed(rig, wanted(0x36, 2)) == 110
    assert rig.clock.now_ns() == 1_000_000_000
    rig.adapter.set_timeout_ms(25)
    assert failed(rig, wanted(0x36, 2)) == 110
    assert rig.clock.now_ns() == 1_030_000_000, "I2C_TIMEOUT counts whole tens of milliseconds"
    rig.wire.trunk.held = False
    assert rig.read(0x36, 1) == b"\xff"


def test_a_time_out_below_one_millisecond_is_refused() -> None:
    with pytest.raises(OSError) as caught:  # noqa: PT011
        Rig().adapter.set_timeout_ms(0)
    assert caught.value.errno == errno.EINVAL


def test_a_glitch_is_eio_and_the_next_transfer_succeeds() -> None:
    rig = Rig()
    chip = As5600Twin(rig.clock, lambda _: 5.0)
    rig.wire.trunk.hang(chip)
    chip.glitch_once()
    assert failed(rig, sent(0x36, 0x0C), wanted(0x36, 2)) == 5
    assert (rig.wire.transactions, rig.wire.bits) == (1, 11), "START, address, and a STOP that ends it"
    assert rig.ask(0x36, 0x0C, 2) == b"\x00\x05"


def test_after_close_everything_is_ebadf_and_closing_again_is_harmless() -> None:
    rig = Rig()
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    before = rig.adapter.prepare([wanted(0x36, 1)])
    before()
    rig.adapter.close()
    rig.adapter.close()
    for do in (
        before,
        rig.adapter.prepare([wanted(0x36, 1)]),
        rig.adapter.functions,
        lambda: rig.adapter.set_timeout_ms(50),
    ):
        with pytest.raises(OSError) as caught:  # noqa: PT011
            do()
        assert caught.value.errno == errno.EBADF


def test_a_prepared_call_runs_many_times_with_what_its_buffers_hold_then() -> None:
    rig = Rig()
    chip = Echo(rig.clock, 0x36, 0x01)
    rig.wire.trunk.hang(chip)
    out, back = sent(0x36, 0x0A), wanted(0x36, 1)
    call = rig.adapter.prepare([out, back])
    call()
    chip.answer, out.buffer[0] = 0x02, 0x0B
    call()
    assert bytes(back.buffer) == b"\x02"
    assert [byte for what, byte, _ in chip.seen if what == "byte"] == [0x0A, 0x0B]


def test_each_call_costs_what_the_kernel_takes() -> None:
    rig = Rig(call_cost_ns=80_000)
    rig.wire.trunk.hang(Echo(rig.clock, 0x36))
    rig.read(0x36, 2)
    assert rig.clock.now_ns() == 80_000 + 29 * 10_000 + 4_700
    assert rig.wire.busy_ns == 29 * 10_000 + 4_700


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=40), st.data())
def test_any_chopping_into_messages_gives_the_chip_the_same_bytes(data: bytes, draw: st.DataObject) -> None:
    cuts = sorted(draw.draw(st.sets(st.integers(1, len(data)), max_size=6)))
    pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    rig = Rig("i2c-gpio")
    chip = Echo(rig.clock, 0x36)
    rig.wire.trunk.hang(chip)
    rig.call(*[sent(0x36, *piece) for piece in pieces])
    assert bytes(byte for what, byte, _ in chip.seen if what == "byte") == data
    assert rig.wire.bits == 1 + len(pieces) + 9 * (len(data) + len(pieces))
