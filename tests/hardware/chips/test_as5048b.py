"""The AS5048B: golden bytes, and every bit of its diagnostics."""

from __future__ import annotations

import pytest

from hardware.bus import Read, Write, wire_bits
from hardware.chips.as5048b import NO_ANGLE, As5048b
from hardware.chips.dial_chip import Complaint, ReadMode
from hardware.errors import WrongChip
from hardware.readings import Magnet, Reading
from hardware.sims.encoder_twin import MagnetField
from tests.contract.encoders import KINDS, Rig

KIND = next(kind for kind in KINDS if kind.name == "as5048b")
ANGLE = (Write(0x41, b"\xfe"), Read(0x41, 2))


def test_golden_bytes() -> None:
    chip = Rig(KIND).started().chip
    assert chip.transactions(ReadMode.QUICK) == (ANGLE,)
    assert chip.transactions(ReadMode.VERIFIED) == (ANGLE, (Write(0x41, b"\xfb"), Read(0x41, 1)), ANGLE)
    assert [sum(map(wire_bits, chip.transactions(mode))) for mode in (ReadMode.QUICK, ReadMode.VERIFIED)] == [48, 135]


def test_the_angle_is_fourteen_bits_over_two_bytes() -> None:
    chip = Rig(KIND).chip
    assert isinstance(chip, As5048b)
    assert chip.angle(b"\xff\x3f") == 16383
    assert chip.angle(b"\x80\x01") == 0b10_0000_0000_0001
    assert chip.angle(b"\x80\x41") is None, "an idle line or another chip"


@pytest.mark.parametrize(
    ("diagnostics", "magnet"), [(0x01, Magnet.GOOD), (0x09, Magnet.TOO_WEAK), (0x05, Magnet.TOO_STRONG)]
)
def test_the_magnets_state_comes_with_the_angle(diagnostics: int, magnet: Magnet) -> None:
    chip = Rig(KIND).started().chip
    got = [b"\x10\x00", bytes((diagnostics,)), b"\x10\x01"]
    assert chip.decode(ReadMode.VERIFIED, got, 7) == Reading(1025, 7, magnet)


@pytest.mark.parametrize(
    ("diagnostics", "seen"),
    [
        (0x03, NO_ANGLE.seen),
        (0x00, "seems to have restarted just now: it was unplugged, or its supply dipped"),
        (0x0D, "sent bytes that an AS5048B cannot mean"),
        (0xFF, "sent bytes that an AS5048B cannot mean"),
    ],
)
def test_diagnostics_that_contradict_the_angle(diagnostics: int, seen: str) -> None:
    chip = Rig(KIND).started().chip
    verdict = chip.decode(ReadMode.VERIFIED, [b"\x10\x00", bytes((diagnostics,)), b"\x10\x01"], 7)
    assert isinstance(verdict, Complaint)
    assert verdict.seen == seen


def test_a_chip_that_is_still_starting_is_rejected() -> None:
    rig = Rig(KIND)
    rig.twin.plug_in()
    with pytest.raises(WrongChip, match="does not report that it has finished its start"):
        rig.started()


@pytest.mark.parametrize(
    ("field", "words"),
    [
        (MagnetField.GOOD, "magnet good (gain 128 of 255)"),
        (
            MagnetField.WEAK,
            "magnet too weak (gain 255 of 255): bring it closer, and check that it is magnetised across its diameter",
        ),
        (MagnetField.STRONG, "magnet too strong (gain 0 of 255): move it away from the chip"),
        (
            MagnetField.MISSING,
            "no magnet seen (gain 255 of 255): put the dial in, with its magnet 0.5 to 3 mm above the chip",
        ),
    ],
)
def test_health_in_words(field: MagnetField, words: str) -> None:
    rig = Rig(KIND).started()
    rig.twin.field = field
    assert rig.chip.health().words == words
