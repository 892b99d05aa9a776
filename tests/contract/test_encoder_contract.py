"""What every encoder owes the scan, asked of each kind: driver above twin, nothing known of registers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.bus_linux import LinuxBus
from hardware.chips.dial_chip import Complaint, ReadMode, start_up
from hardware.encoders import ENCODERS
from hardware.errors import HardwareError, NoAnswer, WrongChip
from hardware.readings import Magnet, Reading
from hardware.sims.adapter import SimAdapter
from hardware.sims.clock import VirtualClock
from hardware.sims.encoder_twin import MagnetField, TwinPlace
from hardware.sims.encoders import TWINS, encoder_twin
from hardware.sims.wire import SimWire
from tests.contract.encoders import KINDS, Kind, Rig, Stranger, still

each = pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
absolute = pytest.mark.parametrize(
    "kind",
    [kind for kind in KINDS if kind.listed.absolute],
    ids=[kind.name for kind in KINDS if kind.listed.absolute],
)


def test_every_kind_has_a_driver_of_its_name_and_a_twin() -> None:
    assert TWINS == tuple(ENCODERS) == tuple(kind.name for kind in KINDS)
    with pytest.raises(KeyError):
        ENCODERS["tca9548a"]
    with pytest.raises(ValueError, match="no simulated encoder is called 'sh1106'"):
        encoder_twin("sh1106", TwinPlace(VirtualClock(), still(0), still(0), 0))


@each
def test_it_is_what_the_list_of_encoders_says(kind: Kind) -> None:
    listed, chip = kind.listed, Rig(kind).chip
    assert chip.absolute == listed.absolute
    assert chip.address in listed.addresses
    assert chip.counts_per_turn == listed.counts_per_turn
    assert listed.address in listed.addresses
    assert listed.wakes_at is None or Rig(kind).twin.address == listed.wakes_at
    assert listed.most_ma > 0
    assert listed.order


@absolute
@settings(max_examples=40, deadline=None)
@given(turned=st.floats(-9000, 9000))
def test_every_angle_comes_through_in_its_own_counts(kind: Kind, turned: float) -> None:
    rig = Rig(kind, turned).started()
    counts = rig.chip.counts_per_turn
    assert rig.reads() == round(turned * counts / 4096) % counts


@absolute
def test_a_dial_that_turns_is_followed_through_the_wrap(kind: Kind) -> None:
    rig = Rig(kind, 4000).started()
    counts = rig.chip.counts_per_turn
    for turned in range(4000, 4400, 20):
        rig.turned = turned
        assert rig.reads() == turned * counts // 4096 % counts


@absolute
def test_a_dial_that_jumps_is_proven_and_then_believed(kind: Kind) -> None:
    rig = Rig(kind).started()
    rig.reads()
    rig.turned = 3000
    assert rig.reads() == 3000 * rig.chip.counts_per_turn // 4096


@each
def test_one_bad_sample_is_never_an_angle(kind: Kind) -> None:
    rig = Rig(kind).started()
    before = rig.reads()
    for _ in range(3):
        rig.read()
    for counts in (570, -570):
        rig.twin.spike_once(counts)
        assert rig.reads() == before


@each
def test_nothing_is_believed_before_it_is_started(kind: Kind) -> None:
    chip = Rig(kind).chip
    assert not chip.started
    assert chip.due is ReadMode.VERIFIED


@each
def test_after_any_failure_it_is_started_again_and_reads_again(kind: Kind) -> None:
    rig = Rig(kind).started()
    before = rig.reads()
    rig.chip.forget()
    assert not rig.chip.started
    assert rig.chip.due is ReadMode.VERIFIED
    rig.started()
    assert rig.chip.started
    assert rig.reads() == before


@absolute
def test_a_plug_pulled_and_put_back_never_gives_a_wrong_angle(kind: Kind) -> None:
    rig = Rig(kind).started()
    before = rig.reads()
    rig.twin.unplug()
    with pytest.raises(NoAnswer):
        rig.read()
    rig.chip.forget()
    rig.twin.plug_in()
    rig.clock.advance(50_000_000)
    rig.started()
    assert rig.reads() == before


@absolute
def test_a_supply_that_dipped_between_two_looks_never_gives_a_wrong_angle(kind: Kind) -> None:
    """The chip wakes up at 0 while nobody missed it: no look may bring that 0."""
    rig = Rig(kind).started()
    before = rig.reads()
    rig.twin.plug_in()
    for _ in range(200):
        try:
            verdict = rig.accepted() if rig.chip.started else None
        except NoAnswer:
            rig.chip.forget()
            verdict = None
        if isinstance(verdict, Reading):
            assert verdict.raw == before
        if not rig.chip.started:
            rig.clock.advance(50_000_000)
            rig.started()
    assert rig.reads() == before


@each
def test_a_silent_chip_is_no_answer(kind: Kind) -> None:
    rig = Rig(kind)
    rig.twin.unplug()
    with pytest.raises(NoAnswer):
        start_up(rig.chip, rig.clock)
    assert not rig.chip.started


@each
@pytest.mark.parametrize("answers", [(0xFF,), (0x3C, 0xC3, 0x81, 0x7E, 0x99, 0xE7, 0x18)], ids=["ones", "noise"])
def test_another_chip_at_its_address_is_named_and_never_written_to(kind: Kind, answers: tuple[int, ...]) -> None:
    clock = VirtualClock()
    wire = SimWire(clock)
    bus = LinuxBus(SimAdapter(wire, clock))
    chip = kind.chip(bus)
    stranger = Stranger(chip.address, answers)
    wire.trunk.hang(stranger)
    with pytest.raises(WrongChip) as refusal:
        start_up(chip, clock)
    error = refusal.value
    assert (error.part, error.place) == (f"chip 0x{chip.address:02X}", "simulated /dev/i2c-1")
    assert error.seen.startswith(("answers with ones only", "sent bytes that an ", "reports product "))
    assert error.advice.startswith("Check that an ")
    assert not chip.started
    assert {len(message) for message in stranger.heard} == {kind.register_bytes}


@each
def test_health_is_in_words(kind: Kind) -> None:
    rig = Rig(kind).started()
    health = rig.chip.health()
    assert health.words
    assert health.magnet is (Magnet.GOOD if kind.listed.tells_magnet else Magnet.UNKNOWN)


@absolute
def test_a_magnet_that_is_gone_is_said_or_at_least_no_angle(kind: Kind) -> None:
    rig = Rig(kind).started()
    rig.reads()
    rig.twin.field = MagnetField.MISSING
    if kind.listed.tells_magnet:
        assert rig.chip.health().magnet is Magnet.MISSING
    rig.chip.invalidate()
    assert isinstance(rig.accepted(), Complaint)


@absolute
@pytest.mark.parametrize(
    ("field", "magnet"), [(MagnetField.WEAK, Magnet.TOO_WEAK), (MagnetField.STRONG, Magnet.TOO_STRONG)]
)
def test_a_magnet_that_is_too_far_or_too_near_is_said(kind: Kind, field: MagnetField, magnet: Magnet) -> None:
    rig = Rig(kind).started()
    rig.twin.field = field
    assert rig.chip.health().magnet is (magnet if kind.listed.tells_magnet else Magnet.UNKNOWN)
    rig.chip.invalidate()
    verdict = rig.accepted()
    assert isinstance(verdict, Reading)
    assert verdict.magnet is (magnet if kind.listed.tells_magnet else Magnet.UNKNOWN)


@each
@settings(max_examples=25, deadline=None)
@given(faults=st.lists(st.sampled_from(("unplug", "plug_in", "nack_once", "glitch_once", "turn", "look")), max_size=25))
def test_whatever_happens_nothing_is_burnt(kind: Kind, faults: list[str]) -> None:
    rig = Rig(kind)
    for fault in faults:
        if fault == "turn":
            rig.turned += 300
        elif fault != "look":
            getattr(rig.twin, fault)()
        try:
            if not rig.chip.started:
                start_up(rig.chip, rig.clock)
            rig.accepted()
        except HardwareError:
            rig.chip.forget()
    rig.chip.forget()
    assert rig.twin.burn_commands == []
    assert not rig.twin.blank_bits_changed
