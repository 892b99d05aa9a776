"""The MT6701: golden bytes, and which angles are accepted from a chip that reports so little."""

from __future__ import annotations

from hardware.bus import Read, Write, wire_bits
from hardware.chips.dial_chip import Complaint, ReadMode
from hardware.chips.mt6701 import Mt6701
from hardware.readings import Magnet, Reading, TroubleKind
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.mt6701 import Mt6701Twin
from tests.contract.encoders import KINDS, Rig

KIND = next(kind for kind in KINDS if kind.name == "mt6701")
ANGLE = (Write(0x06, b"\x03"), Read(0x06, 2))


def test_golden_bytes() -> None:
    chip = Rig(KIND).started().chip
    assert chip.transactions(ReadMode.QUICK) == chip.transactions(ReadMode.FRESH) == (ANGLE,)
    assert chip.transactions(ReadMode.VERIFIED) == (ANGLE, (Write(0x06, b"\x30"), Read(0x06, 5)), ANGLE, ANGLE, ANGLE)
    assert [sum(map(wire_bits, chip.transactions(mode))) for mode in (ReadMode.QUICK, ReadMode.VERIFIED)] == [48, 267]


def test_the_angle_is_fourteen_bits_over_two_bytes() -> None:
    chip = Rig(KIND).chip
    assert isinstance(chip, Mt6701)
    assert chip.angle(b"\xff\xfc") == 16383
    assert chip.angle(b"\x80\x04") == 0b10_0000_0000_0001
    assert chip.angle(b"\x00\x03") == 0, "the two low bits mean nothing"


def test_health_is_honest_about_the_magnet() -> None:
    assert Rig(KIND).started().chip.health().words == (
        "answers, but an MT6701 cannot report over I2C whether it sees its magnet: check that its magnet sits 0.5 to 3 "
        "mm above the chip; i2cdetect shows it with -a only"
    )


def test_two_contradicting_angles_give_no_angle() -> None:
    rig = Rig(KIND).started()
    rig.reads()
    got = [b"\x10\x00", b"\x03\xff\x00\x00\xc0", b"\x80\x00"]
    verdict = rig.chip.decode(ReadMode.VERIFIED, got, 5)
    assert verdict == Complaint(
        TroubleKind.IMPLAUSIBLE,
        "gave two angles in a row that contradict each other",
        "Check that its magnet is there, 0.5 to 3 mm above the chip, and then its plug.",
    )
    assert rig.chip.decode(ReadMode.VERIFIED, [b"\x10\x00", got[1], b"\x10\x04"], 7) == Reading(1025, 7, Magnet.UNKNOWN)


def test_another_configuration_is_another_chip() -> None:
    rig = Rig(KIND).started()
    verdict = rig.chip.decode(ReadMode.VERIFIED, [b"\x10\x00", b"\x03\xff\x00\x10\xc0", b"\x10\x00"], 5)
    assert verdict == Complaint(
        TroubleKind.IMPLAUSIBLE,
        "sent bytes that an MT6701 cannot mean",
        "Check its plug and SDA; look for a second chip with address 0x06 on the same wires.",
    )
    assert not rig.chip.started


def test_without_a_magnet_hardly_a_read_is_accepted() -> None:
    rig = Rig(KIND).started()
    assert isinstance(rig.twin, Mt6701Twin)
    rig.twin.field = MagnetField.MISSING
    verdicts = []
    for _ in range(400):
        verdicts.append(rig.accepted())
        if not rig.chip.started:
            rig.started()
    assert sum(isinstance(verdict, Reading) for verdict in verdicts) <= len(verdicts) / 100
