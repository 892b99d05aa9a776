"""The encoder above its twin: golden bytes, settings, and which quick reads are accepted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus import Read, Transaction, Write, wire_bits
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import ADDRESS, NO_MAGNET, SETTINGS_LOST, As5600
from hardware.chips.dial_chip import Complaint, ReadMode, implausible_bytes
from hardware.errors import HardwareError, NoAnswer, WrongChip
from hardware.readings import Magnet, Reading, TroubleKind
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5600 import As5600Twin
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.wire import SimWire


class Rig:
    """One twin and one driver on a bus of their own; `raw`: the dial's angle."""

    def __init__(self, raw: float = 1234, blank_bits: int = 0) -> None:
        self.clock = VirtualClock()
        self.wire = SimWire(self.clock)
        self.raw = raw
        self.twin = As5600Twin(self.clock, lambda _ns: self.raw, conf_factory_bits=blank_bits)
        self.wire.trunk.hang(self.twin)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.chip = As5600(self.bus)
        self.clock.advance(20_000_000)

    def started(self) -> Rig:
        """Set up, and read until quick reads are due."""
        self.chip.start()
        self.read(3)
        return self

    def read(self, times: int = 1) -> Reading | Complaint | None:
        """The result of the read that is due."""
        verdict: Reading | Complaint | None = None
        for _ in range(times):
            due = self.chip.due
            got = [self.bus.transfer(each) for each in self.chip.transactions(due)]
            verdict = self.chip.decode(due, got, self.clock.now_ns())
        return verdict

    def accepted(self) -> Reading | Complaint | None:
        """The result that a scan would report: a doubtful read is verified at once."""
        return self.read() or self.read()


def raw_of(verdict: Reading | Complaint | None) -> int:
    assert isinstance(verdict, Reading)
    return verdict.raw


# --- golden bytes


def test_golden_bytes() -> None:
    chip = Rig().started().chip
    assert chip.transactions(ReadMode.QUICK) == ((Read(0x36, 2),),)
    assert chip.transactions(ReadMode.FRESH) == ((Write(0x36, b"\x0c"), Read(0x36, 2)),)
    assert chip.transactions(ReadMode.VERIFIED) == (
        (Write(0x36, b"\x0b"), Read(0x36, 3)),
        (Write(0x36, b"\x07"), Read(0x36, 2)),
    )
    assert chip.transactions(ReadMode.FIELD) == ((Write(0x36, b"\x0b"), Read(0x36, 3)),)
    assert chip.transactions(ReadMode.FULL) == (
        (Write(0x36, b"\x0b"), Read(0x36, 3)),
        (Write(0x36, b"\x1a"), Read(0x36, 3)),
        (Write(0x36, b"\x07"), Read(0x36, 2)),
    )
    assert [sum(map(wire_bits, chip.transactions(read))) for read in ReadMode] == [29, 48, 57, 105, 162]


class Scripted:
    """A bus whose registers answer from a script; it keeps writes."""

    name = "/dev/i2c-1"

    def __init__(self, answers: dict[int, list[bytes]]) -> None:
        self.answers = answers
        self.written: list[bytes] = []

    def transfer(self, transaction: Transaction) -> bytes:
        first, *reads = transaction
        assert isinstance(first, Write)
        if not reads:
            self.written.append(first.data)
            return b""
        answers = self.answers[first.data[0]]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def prepare(self, transactions: object) -> object:
        raise AssertionError("not used here")


GOOD = {0x00: [b"\x00\x00"], 0x0B: [b"\x27\x04\xd2"], 0x0C: [b"\x04\xd2"]}


@pytest.mark.parametrize(
    ("conf", "written"),
    [
        (b"\x00\x00", b"\x07\x02\x04"),  # power-up: SF 4x, HYST 1 LSB
        (b"\x3f\x0f", b"\x07\x02\x04"),  # watchdog, fast filter, 2x, 3 LSB and LPM3 all taken back
        (b"\xc0\xb0", b"\x07\xc2\xb4"),  # blank bits, PWMF and OUTS stay as they are
    ],
)
def test_conf_is_read_modified_and_written(conf: bytes, written: bytes) -> None:
    bus = Scripted({**GOOD, 0x07: [conf, written[1:]]})
    chip = As5600(bus)  # type: ignore[arg-type]
    chip.start()
    assert bus.written == [written]
    assert chip.started


def test_settings_that_are_right_are_not_written() -> None:
    bus = Scripted({**GOOD, 0x07: [b"\x02\x04"]})
    As5600(bus).start()  # type: ignore[arg-type]
    assert bus.written == []


@pytest.mark.parametrize(
    ("answers", "seen"),
    [
        ({0x07: [b"\x00\x00"]}, "did not take its settings"),
        ({0x07: [b"\xff\xff"]}, "answers with ones only"),
        ({0x07: [b"\x00\x00"], 0x0B: [b"\x38\x04\xd2"]}, "sent bytes that an AS5600 cannot mean"),
        ({0x07: [b"\x00\x00"], 0x0C: [b"\x14\xd2"]}, "sent bytes that an AS5600 cannot mean"),
    ],
)
def test_another_chip_at_the_address_is_refused(answers: dict[int, list[bytes]], seen: str) -> None:
    chip = As5600(Scripted({**GOOD, **answers}))  # type: ignore[arg-type]
    with pytest.raises(WrongChip) as caught:
        chip.start()
    assert str(caught.value) == (
        f"chip 0x36 (/dev/i2c-1) {seen}. Check that an AS5600 is wired here and nothing else has its address."
    )
    assert not chip.started


@pytest.mark.parametrize("burst", [b"\x20\x04\x04", b"\x20\xff\xff", b"\x20\x00\x00"])
def test_a_chip_without_the_three_byte_burst_is_asked_twice(burst: bytes) -> None:
    chip = As5600(Scripted({**GOOD, 0x0B: [burst], 0x07: [b"\x02\x04"]}))  # type: ignore[arg-type]
    chip.start()
    assert chip.transactions(ReadMode.VERIFIED) == (
        (Write(0x36, b"\x0b"), Read(0x36, 1)),
        (Write(0x36, b"\x0c"), Read(0x36, 2)),
        (Write(0x36, b"\x07"), Read(0x36, 2)),
    )
    assert chip.decode(ReadMode.VERIFIED, [b"\x20", b"\x04\xd2", b"\x02\x04"], 5) == Reading(1234, 5, Magnet.GOOD)


# --- setting up the twin


@pytest.mark.parametrize("blank_bits", [0x00, 0xC0])
def test_starting_never_burns_and_leaves_factory_bits_alone(blank_bits: int) -> None:
    rig = Rig(blank_bits=blank_bits).started()
    assert rig.twin.conf == blank_bits << 8 | 0x0204
    assert rig.twin.burn_commands == []
    assert not rig.twin.blank_bits_changed
    assert raw_of(rig.read()) == 1234


def test_starting_goes_in_steps_between_which_others_can_be_read() -> None:
    rig = Rig()
    costs = []
    steps = rig.chip.starting()
    while True:
        before = rig.wire.bits
        ended = next(steps, "ended") == "ended"
        costs.append(rig.wire.bits - before)
        if ended:
            break
    assert costs == [96, 105, 38, 48]
    assert rig.chip.started


def test_a_silent_chip_cannot_be_started() -> None:
    rig = Rig()
    rig.twin.unplug()
    with pytest.raises(NoAnswer):
        rig.chip.start()
    assert not rig.chip.started


# --- which read is due


def test_from_verified_to_quick_reads() -> None:
    rig = Rig()
    rig.chip.start()
    dues = []
    for _ in range(4):
        dues.append(rig.chip.due)
        assert raw_of(rig.read()) == 1234
    assert dues == [ReadMode.VERIFIED, ReadMode.FRESH, ReadMode.QUICK, ReadMode.QUICK]


def test_a_small_step_is_accepted_and_a_large_one_is_verified_first() -> None:
    rig = Rig().started()
    rig.raw += 64
    assert raw_of(rig.read()) == 1298
    rig.raw -= 65
    assert rig.read() is None
    assert rig.chip.due is ReadMode.VERIFIED
    assert rig.read() == Reading(1233, rig.clock.now_ns(), Magnet.GOOD)


def test_the_wrap_is_no_large_step() -> None:
    rig = Rig(4090).started()
    rig.raw = 20
    assert raw_of(rig.read()) == 20


def test_reads_are_verified_while_the_dial_moves_fast_and_then_quick_again() -> None:
    rig = Rig(1000).started()
    dues = []
    for raw in (1200, 1400, 1600, 1600, 1600, 1600):
        rig.raw = raw
        assert raw_of(rig.accepted()) == raw
        dues.append(rig.chip.due)
    assert dues == [
        ReadMode.VERIFIED,
        ReadMode.VERIFIED,
        ReadMode.VERIFIED,
        ReadMode.FRESH,
        ReadMode.QUICK,
        ReadMode.QUICK,
    ]


def test_a_single_spike_is_never_reported() -> None:
    rig = Rig().started()
    rig.twin.spike_once(570)
    assert raw_of(rig.accepted()) == 1234


@pytest.mark.parametrize("raw", [0, 1, 3, 4093, 4095])
def test_a_dial_at_rest_at_a_lost_pointers_value_has_its_magnet_read_every_time(raw: int) -> None:
    rig = Rig(raw).started()
    for _ in range(5):
        assert rig.chip.due is ReadMode.FIELD
        assert raw_of(rig.read()) == raw


def test_a_dial_that_leaves_zero_is_read_quickly_again() -> None:
    rig = Rig(2).started()
    rig.raw = 20
    dues = []
    for _ in range(3):
        dues.append(rig.chip.due)
        assert raw_of(rig.read()) == 20
    assert dues == [ReadMode.FIELD, ReadMode.FRESH, ReadMode.QUICK]


@pytest.mark.parametrize("raw", [0, 1, 50, 4090])
def test_a_zero_from_a_chip_that_is_waking_up_is_rejected(raw: int) -> None:
    rig = Rig(raw).started()
    for due in (ReadMode.QUICK, ReadMode.FRESH, ReadMode.FIELD):
        rig.chip.due = due
        rig.twin.plug_in()
        rig.raw = raw + 30
        assert rig.accepted() == SETTINGS_LOST
        rig.clock.advance(15_000_000)
        rig.raw = raw
        rig.chip.start()
        rig.read(3)


# --- the re-plugged chip


@pytest.mark.parametrize("raw", [0, 2, 60, 700, 2048, 4095])
def test_a_chip_replugged_between_two_reads_never_passes_for_a_small_angle(raw: int) -> None:
    rig = Rig(raw).started()
    rig.twin.plug_in()
    rig.raw = (raw + 900) % 4096
    rig.clock.advance(15_000_000)
    assert rig.accepted() == SETTINGS_LOST
    assert not rig.chip.started
    rig.chip.start()
    assert raw_of(rig.read()) == rig.raw


def test_a_zero_position_is_expected_at_a_lost_pointer_too() -> None:
    rig = Rig(0x0010)
    rig.bus.transfer((Write(0x36, b"\x01\x02"),))  # ZPOS: a lost pointer would read 0x0002
    rig.started()
    rig.twin.lose_pointer()
    assert rig.read() is None
    assert raw_of(rig.read()) == 0x0010


def test_a_plug_pulled_in_the_middle_of_a_verified_read_gives_no_angle() -> None:
    rig = Rig().started()
    got = [b"\x20\x04\xff", b"\xff\xff"]  # power goes away in the low byte: ones from there on
    assert rig.chip.decode(ReadMode.VERIFIED, got, 0) == SETTINGS_LOST


@pytest.mark.parametrize("got", [[b"\x20\x14\xd2", b"\x02\x04"], [b"\x38\x04\xd2", b"\x02\x04"]])
def test_implausible_bytes_give_no_angle(got: list[bytes]) -> None:
    rig = Rig().started()
    assert rig.chip.decode(ReadMode.VERIFIED, got, 0) == implausible_bytes("AS5600", ADDRESS)
    assert not rig.chip.started


def test_a_high_nibble_is_never_masked() -> None:
    rig = Rig().started()
    assert rig.chip.decode(ReadMode.QUICK, [b"\x14\xd2"], 0) is None
    assert rig.chip.decode(ReadMode.FRESH, [b"\xf4\xd2"], 0) is None


STEPS = st.lists(
    st.one_of(st.integers(-2100, 2100), st.sampled_from(["replug", "spike", "nack", "to zero", "wait"])), max_size=30
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 4095), STEPS)
def test_no_reading_is_ever_wrong_whatever_happens_between_two_reads(raw: int, steps: list[int | str]) -> None:
    rig = Rig(raw).started()
    for step in steps:
        match step:
            case int():
                rig.raw = (rig.raw + step) % 4096
            case "replug":
                rig.twin.plug_in()
            case "spike":
                rig.twin.spike_once(600)
            case "nack":
                rig.twin.nack_once()
            case "to zero":
                rig.raw = 0
            case _:
                rig.clock.advance(15_000_000)
        try:
            verdict = rig.accepted()
        except HardwareError:
            rig.chip.forget()
            verdict = SETTINGS_LOST
        if isinstance(verdict, Reading):
            assert verdict.raw in {rig.raw, (rig.raw + 600) % 4096 if step == "spike" else rig.raw}
        else:
            rig.clock.advance(15_000_000)
            try:
                rig.chip.start()
            except HardwareError:
                rig.chip.start()
            rig.clock.advance(rig.chip.settle_ns)
            assert raw_of(rig.read()) % 4096 in {rig.raw, (rig.raw + 600) % 4096}


# --- the magnet


@pytest.mark.parametrize(
    ("field", "magnet"),
    [(MagnetField.GOOD, Magnet.GOOD), (MagnetField.WEAK, Magnet.TOO_WEAK), (MagnetField.STRONG, Magnet.TOO_STRONG)],
)
def test_a_poor_magnet_is_reported_with_the_angle(field: MagnetField, magnet: Magnet) -> None:
    rig = Rig().started()
    rig.twin.field = field
    rig.chip.invalidate()
    assert rig.read() == Reading(1234, rig.clock.now_ns(), magnet)


def test_without_a_magnet_there_is_no_angle() -> None:
    rig = Rig().started()
    rig.twin.field = MagnetField.MISSING
    verdicts = [rig.accepted() for _ in range(5)]
    assert NO_MAGNET in verdicts
    assert verdicts[-1] == NO_MAGNET
    assert NO_MAGNET.kind is TroubleKind.NO_MAGNET
    rig.twin.field = MagnetField.GOOD
    assert raw_of(rig.read()) == 1234


@pytest.mark.parametrize(
    ("status", "agc", "words"),
    [
        (0x20, 64, "magnet good (gain 64 of 128)"),
        (0x27, 150, "magnet good (gain 150 of 255)"),
        (0x20, 110, "magnet seen, but near a limit (gain 110 of 128): closer is better"),
        (0x20, 12, "magnet seen, but near a limit (gain 12 of 128): farther away is better"),
        (
            0x30,
            128,
            "magnet too weak (gain 128 of 128): bring it closer, and check that it is magnetised across its diameter",
        ),
        (0x28, 0, "magnet too strong (gain 0 of 128): move it away from the chip"),
        (0x10, 128, "no magnet seen (gain 128 of 128): put the dial in, with its magnet 0.5 to 3 mm above the chip"),
    ],
)
def test_health_has_words(status: int, agc: int, words: str) -> None:
    bus = Scripted({0x0B: [bytes((status,))], 0x1A: [bytes((agc,))], 0x1B: [b"\x08\x4b"]})
    health = As5600(bus).health()  # type: ignore[arg-type]
    assert (health.agc, health.magnitude, health.words) == (agc, 2123, words)


def test_reading_health_does_not_disturb_the_next_read() -> None:
    rig = Rig().started()
    assert rig.chip.health().magnet is Magnet.GOOD
    assert rig.chip.due is ReadMode.VERIFIED
    assert raw_of(rig.read()) == 1234


def test_one_read_without_a_scan() -> None:
    rig = Rig()
    rig.chip.start()
    assert rig.chip.read_now(77) == Reading(1234, 77, Magnet.GOOD)
