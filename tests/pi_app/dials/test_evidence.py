from __future__ import annotations

import pytest

from hardware.readings import Proof
from pi_app.dials.evidence import ACCEPT_NS, SUSPECT_NS, SUSPECT_TIMES, Evidence, fits

GOOD = Proof(64, 2150)


@pytest.mark.parametrize(
    ("now", "same"),
    [
        (Proof(64, 2150), True),
        (Proof(64, 1700), True),
        (Proof(80, 2150), True),
        (Proof(64, 1400), False),
        (Proof(64, 2900), False),
        (Proof(30, 2150), False),
        (Proof(120, 2150), False),
        (Proof(None, None), True),
        (Proof(64, None), True),
        (Proof(None, 1000), False),
    ],
)
def test_a_full_read_fits_if_gain_and_field_are_unchanged(now: Proof, same: bool) -> None:
    assert fits(GOOD, now) is same
    assert fits(now, now)


def test_the_gain_of_a_chip_at_five_volts_has_twice_the_range() -> None:
    assert fits(Proof(150, 2150), Proof(190, 2150))
    assert not fits(Proof(150, 2150), Proof(200, 2150))


def test_a_chip_that_is_never_read_in_full_needs_no_full_read() -> None:
    evidence = Evidence()
    evidence.jumped()
    assert evidence.suffices


def test_a_jump_needs_a_full_read_of_its_own_that_fits() -> None:
    evidence = Evidence()
    evidence.rested(GOOD)
    evidence.read(GOOD)
    evidence.jumped()
    assert not evidence.suffices
    evidence.read(GOOD)
    assert evidence.suffices


def test_one_full_read_that_does_not_fit_speaks_against_a_hand_for_good() -> None:
    evidence = Evidence()
    evidence.rested(GOOD)
    evidence.jumped()
    evidence.read(Proof(64, 900))
    evidence.read(GOOD)
    assert (evidence.contradicts, evidence.suffices) == (True, False)
    evidence.jumped()
    evidence.read(GOOD)
    assert evidence.suffices


def test_after_a_glitch_a_dial_is_accepted_later_for_a_minute() -> None:
    evidence = Evidence()
    assert evidence.needed_ns(5) == ACCEPT_NS
    evidence.caught(5)
    assert evidence.needed_ns(6) == ACCEPT_NS * SUSPECT_TIMES
    assert evidence.needed_ns(5 + SUSPECT_NS) == ACCEPT_NS
