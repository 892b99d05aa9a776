"""Shared chips, channels and pins, and wires on 5 V: loading would refuse them, so the tests build them."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import msgspec
import pytest

from pi_app.plans.check import Sign
from pi_app.plans.wiring.checks import checks
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import PartPin, Wiring
from pi_app.settings.model import Settings
from pi_app.settings.wiring_section import WiringSettings
from tests.pi_app.plans.wiring.checked import EXAMPLES, bad


def moved(label: str, **changes: object) -> Settings:
    """The small example with a square changed after loading."""
    small = EXAMPLES["2x2"]
    squares = dict(small.squares)
    squares[label] = msgspec.structs.replace(squares[label], **changes)
    return replace(small, squares=MappingProxyType(squares))


def test_two_chips_at_one_address_fail_twice() -> None:
    assert [line for line in bad(moved("T02", channel=0)) if "pull-ups" not in line] == [
        "!!  addresses ([square.T02]): 1 of 5 chips answer together with another, at most 0 (NXP UM10204 section "
        "3.1.10). 0x36 at bus dials mux 0x70 channel 0 is already used by [square.T01]; move one.",
        "!!  channels (dials mux 0x70 channel 0): 1 of 1 used twice with one address, at most 0 (TI SCPS207). Give "
        "each a channel of its own.",
    ]


def test_three_kinds_of_encoder_may_share_a_channel() -> None:
    assert bad(moved("T02", channel=0, chip="mt6701", address=0x06)) == []


def with_wire(label: str, near: PartPin) -> tuple[Wiring, Settings]:
    """The small example with the first wire of a lead at another pin."""
    settings = EXAMPLES["2x2"]
    drawn = wired(settings)
    leads = [
        replace(lead, wires=(replace(lead.wires[0], near=near), *lead.wires[1:])) if lead.label == label else lead
        for lead in drawn.leads
    ]
    return replace(drawn, leads=tuple(leads)), settings


@pytest.mark.parametrize("pin", ["2", "4"])
def test_nothing_may_take_5_v(pin: str) -> None:
    drawn, settings = with_wire("B-dials-70", PartPin("pi", pin, "5 V"))
    assert [str(check) for check in checks(drawn, settings) if check.sign is not Sign.GOOD] == [
        "!!  levels (B-dials-70): 1 of 33 wires on 5 V, at most 0 (Raspberry Pi documentation, GPIO). Move this wire "
        "to a 3.3 V pin: 5 V on any signal destroys the Pi's pins."
    ]


def test_a_pin_has_one_job() -> None:
    drawn, settings = with_wire("S-ANN", PartPin("pi", "3", "GPIO 2"))
    assert [str(check) for check in checks(drawn, settings) if check.sign is not Sign.GOOD] == [
        "!!  pins (pi GPIO 2): 1 of 8 in use have two jobs, at most 0 (Raspberry Pi documentation, GPIO). Give one of "
        "them another pin."
    ]


@pytest.mark.parametrize(("ohm", "line"), [(90, "??  pin current (each lamp's pin): 14.4 mA"), (70, "!!  pin current")])
def test_a_lamp_without_enough_resistance(ohm: int, line: str) -> None:
    settings = EXAMPLES["2x2"]
    drawn = replace(wired(settings), chosen=WiringSettings(lamp_ohm=ohm))
    (said, *_) = [str(check) for check in checks(drawn, settings) if check.sign is not Sign.GOOD]
    assert said.startswith(line)
