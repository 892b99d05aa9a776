"""The encoder above its twin: golden bytes, settings, and what of a quick look is believed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus import Read, Transaction, Write, wire_bits
from hardware.bus_linux import LinuxBus
from hardware.chips.as5600 import FORGOT, NO_MAGNET, NONSENSE, As5600
from hardware.chips.dial_chip import Complaint, Look
from hardware.errors import HardwareError, NoAnswer, WrongChip
from hardware.readings import Magnet, Reading, TroubleKind
from hardware.sims.adapter import SimAdapter
from hardware.sims.as5600 import As5600Twin, Field
from hardware.sims.clock import VirtualClock
from hardware.sims.wire import Wire


class Rig:
    """One twin and one driver on a bus of their own; `raw` is where the dial stands."""

    def __init__(self, raw: float = 1234, blank_bits: int = 0) -> None:
        self.clock = VirtualClock()
        self.wire = Wire(self.clock)
        self.raw = raw
        self.twin = As5600Twin(self.clock, lambda _ns: self.raw, conf_factory_bits=blank_bits)
        self.wire.trunk.hang(self.twin)
        self.bus = LinuxBus(SimAdapter(self.wire, self.clock))
        self.chip = As5600(self.bus)
        self.clock.advance(20_000_000)

    def started(self) -> Rig:
        """Set up, and looked at until quick looks are due."""
        self.chip.start()
        self.look(3)
        return self

    def look(self, times: int = 1) -> Reading | Complaint | None:
        """What the look that is due gives."""
        verdict: Reading | Complaint | None = None
        for _ in range(times):
            due = self.chip.due
            got = [self.bus.transfer(each) for each in self.chip.transactions(due)]
            verdict = self.chip.hear(due, got, self.clock.now_ns())
        return verdict

    def believed(self) -> Reading | Complaint | None:
        """What a scan would hand up: in doubt it looks again at once, proven."""
        return self.look() or self.look()


def raw_of(verdict: Reading | Complaint | None) -> int:
    assert isinstance(verdict, Reading)
    return verdict.raw


# --- golden bytes


def test_what_stands_on_the_wire() -> None:
    chip = Rig().started().chip
    assert chip.transactions(Look.QUICK) == ((Read(0x36, 2),),)
    assert chip.transactions(Look.FRESH) == ((Write(0x36, b"\x0c"), Read(0x36, 2)),)
    assert chip.transactions(Look.PROVEN) == (
        (Write(0x36, b"\x0b"), Read(0x36, 3)),
        (Write(0x36, b"\x07"), Read(0x36, 2)),
    )
    assert chip.transactions(Look.FIELD) == ((Write(0x36, b"\x0b"), Read(0x36, 3)),)
    assert chip.transactions(Look.FULL) == (
        (Write(0x36, b"\x0b"), Read(0x36, 3)),
        (Write(0x36, b"\x1a"), Read(0x36, 3)),
        (Write(0x36, b"\x07"), Read(0x36, 2)),
    )
    assert [sum(map(wire_bits, chip.transactions(look))) for look in Look] == [29, 48, 57, 105, 162]


class Scripted:
    """A bus on which each register answers what the script says; writes are kept."""

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
    assert chip.transactions(Look.PROVEN) == (
        (Write(0x36, b"\x0b"), Read(0x36, 1)),
        (Write(0x36, b"\x0c"), Read(0x36, 2)),
        (Write(0x36, b"\x07"), Read(0x36, 2)),
    )
    assert chip.hear(Look.PROVEN, [b"\x20", b"\x04\xd2", b"\x02\x04"], 5) == Reading(1234, 5, Magnet.GOOD)


# --- setting up the twin


@pytest.mark.parametrize("blank_bits", [0x00, 0xC0])
def test_starting_never_burns_and_leaves_factory_bits_alone(blank_bits: int) -> None:
    rig = Rig(blank_bits=blank_bits).started()
    assert rig.twin.conf == blank_bits << 8 | 0x0204
    assert rig.twin.burn_commands == []
    assert not rig.twin.blank_bits_spoilt
    assert raw_of(rig.look()) == 1234


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


# --- which look is due


def test_from_proven_to_quick() -> None:
    rig = Rig()
    rig.chip.start()
    dues = []
    for _ in range(4):
        dues.append(rig.chip.due)
        assert raw_of(rig.look()) == 1234
    assert dues == [Look.PROVEN, Look.FRESH, Look.QUICK, Look.QUICK]


def test_a_small_step_is_believed_and_a_large_one_is_proven_first() -> None:
    rig = Rig().started()
    rig.raw += 64
    assert raw_of(rig.look()) == 1298
    rig.raw -= 65
    assert rig.look() is None
    assert rig.chip.due is Look.PROVEN
    assert rig.look() == Reading(1233, rig.clock.now_ns(), Magnet.GOOD)


def test_the_wrap_is_no_large_step() -> None:
    rig = Rig(4090).started()
    rig.raw = 20
    assert raw_of(rig.look()) == 20


def test_while_the_dial_moves_fast_every_look_is_proven_and_afterwards_quick_again() -> None:
    rig = Rig(1000).started()
    dues = []
    for raw in (1200, 1400, 1600, 1600, 1600, 1600):
        rig.raw = raw
        assert raw_of(rig.believed()) == raw
        dues.append(rig.chip.due)
    assert dues == [Look.PROVEN, Look.PROVEN, Look.PROVEN, Look.FRESH, Look.QUICK, Look.QUICK]


def test_a_single_spike_is_never_handed_up() -> None:
    rig = Rig().started()
    rig.twin.spike_once(570)
    assert raw_of(rig.believed()) == 1234


@pytest.mark.parametrize("raw", [0, 1, 3, 4093, 4095])
def test_a_dial_at_rest_where_a_forgotten_pointer_points_shows_its_magnet_every_time(raw: int) -> None:
    rig = Rig(raw).started()
    for _ in range(5):
        assert rig.chip.due is Look.FIELD
        assert raw_of(rig.look()) == raw


def test_a_dial_that_leaves_zero_is_looked_at_quickly_again() -> None:
    rig = Rig(2).started()
    rig.raw = 20
    dues = []
    for _ in range(3):
        dues.append(rig.chip.due)
        assert raw_of(rig.look()) == 20
    assert dues == [Look.FIELD, Look.FRESH, Look.QUICK]


@pytest.mark.parametrize("raw", [0, 1, 50, 4090])
def test_a_chip_that_still_wakes_up_says_zero_and_is_not_believed(raw: int) -> None:
    rig = Rig(raw).started()
    for due in (Look.QUICK, Look.FRESH, Look.FIELD):
        rig.chip.due = due
        rig.twin.plug_in()
        rig.raw = raw + 30
        assert rig.believed() == FORGOT
        rig.clock.advance(15_000_000)
        rig.raw = raw
        rig.chip.start()
        rig.look(3)


# --- the re-plugged chip


@pytest.mark.parametrize("raw", [0, 2, 60, 700, 2048, 4095])
def test_a_chip_replugged_between_two_looks_never_passes_for_a_small_angle(raw: int) -> None:
    rig = Rig(raw).started()
    rig.twin.plug_in()
    rig.raw = (raw + 900) % 4096
    rig.clock.advance(15_000_000)
    assert rig.believed() == FORGOT
    assert not rig.chip.started
    rig.chip.start()
    assert raw_of(rig.look()) == rig.raw


def test_a_burnt_zero_position_is_expected_too() -> None:
    rig = Rig(0x0110)
    rig.twin._settings[0:2] = b"\x01\x02"  # burnt once; a forgotten pointer would read 0x0102
    rig.started()
    rig.twin._pointer, rig.twin._sticky = 0, False
    assert rig.look() is None
    assert raw_of(rig.look()) == 0x0110


def test_a_plug_pulled_in_the_middle_of_a_proven_look_is_no_angle() -> None:
    rig = Rig().started()
    got = [b"\x20\x04\xff", b"\xff\xff"]  # power goes away in the low byte: ones from there on
    assert rig.chip.hear(Look.PROVEN, got, 0) == FORGOT


@pytest.mark.parametrize("got", [[b"\x20\x14\xd2", b"\x02\x04"], [b"\x38\x04\xd2", b"\x02\x04"]])
def test_bytes_that_cannot_be_are_no_angle(got: list[bytes]) -> None:
    rig = Rig().started()
    assert rig.chip.hear(Look.PROVEN, got, 0) == NONSENSE
    assert not rig.chip.started


def test_a_high_nibble_is_never_cut_off() -> None:
    rig = Rig().started()
    assert rig.chip.hear(Look.QUICK, [b"\x14\xd2"], 0) is None
    assert rig.chip.hear(Look.FRESH, [b"\xf4\xd2"], 0) is None


STEPS = st.lists(
    st.one_of(st.integers(-2100, 2100), st.sampled_from(["replug", "spike", "nack", "to zero", "wait"])), max_size=30
)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 4095), STEPS)
def test_no_reading_is_ever_wrong_whatever_happens_between_two_looks(raw: int, steps: list[int | str]) -> None:
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
            verdict = rig.believed()
        except HardwareError:
            rig.chip.forget()
            verdict = FORGOT
        if isinstance(verdict, Reading):
            assert verdict.raw in {rig.raw, (rig.raw + 600) % 4096 if step == "spike" else rig.raw}
        else:
            rig.clock.advance(15_000_000)
            try:
                rig.chip.start()
            except HardwareError:
                rig.chip.start()
            rig.clock.advance(rig.chip.settle_ns)
            assert raw_of(rig.look()) % 4096 in {rig.raw, (rig.raw + 600) % 4096}


# --- the magnet


@pytest.mark.parametrize(
    ("field", "magnet"), [(Field.GOOD, Magnet.GOOD), (Field.WEAK, Magnet.TOO_WEAK), (Field.STRONG, Magnet.TOO_STRONG)]
)
def test_a_poor_magnet_is_said_with_the_angle(field: Field, magnet: Magnet) -> None:
    rig = Rig().started()
    rig.twin.field = field
    rig.chip.distrust()
    assert rig.look() == Reading(1234, rig.clock.now_ns(), magnet)


def test_without_a_magnet_there_is_no_angle() -> None:
    rig = Rig().started()
    rig.twin.field = Field.MISSING
    verdicts = [rig.believed() for _ in range(5)]
    assert NO_MAGNET in verdicts
    assert verdicts[-1] == NO_MAGNET
    assert NO_MAGNET.kind is TroubleKind.NO_MAGNET
    rig.twin.field = Field.GOOD
    assert raw_of(rig.look()) == 1234


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
def test_health_is_said_in_words(status: int, agc: int, words: str) -> None:
    bus = Scripted({0x0B: [bytes((status,))], 0x1A: [bytes((agc,))], 0x1B: [b"\x08\x4b"]})
    health = As5600(bus).health()  # type: ignore[arg-type]
    assert (health.agc, health.magnitude, health.words) == (agc, 2123, words)


def test_asking_for_health_does_not_spoil_the_next_look() -> None:
    rig = Rig().started()
    assert rig.chip.health().magnet is Magnet.GOOD
    assert rig.chip.due is Look.PROVEN
    assert raw_of(rig.look()) == 1234


def test_one_look_by_itself() -> None:
    rig = Rig()
    rig.chip.start()
    assert rig.chip.look(77) == Reading(1234, 77, Magnet.GOOD)
