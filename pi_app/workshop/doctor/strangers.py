"""Checks for chips that are not in the settings: other chips, and encoders in the wrong socket."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from hardware.bus import Bus, Read
from hardware.chips.as5600 import ADDRESS
from hardware.chips.tca9548a import ADDRESSES
from hardware.errors import BusStuck, HardwareError
from pi_app.plans.check import Check, Sign, Symptom
from pi_app.workshop.doctor.bus_wiring import PI, BusWiring, answers
from pi_app.workshop.doctor.encoders import SCREEN_ADDRESSES, encoders_at

ANY_ADDRESS: Final = range(0x08, 0x78)
"""Addresses that a chip may have (NXP UM10204 table 4)."""

KNOWN: Final[Mapping[int, tuple[str, ...]]] = {
    **dict.fromkeys(SCREEN_ADDRESSES, ("a screen",)),
    **dict.fromkeys(range(0x40, 0x44), ("a PCA9685", "an INA219")),
    **dict.fromkeys(range(0x49, 0x50), ("a quad seesaw encoder",)),
    0x50: ("an EEPROM", "a quad seesaw encoder"),
    0x68: ("a real-time clock",),
    **dict.fromkeys(ADDRESSES, ("a mux", "an HT16K33 display")),
    0x70: ("a mux", "an HT16K33 display", "an SHTC3", "the all-call of a PCA9685"),
}
"""Chips that may have each address, beside encoders."""


def known_at(address: int) -> str:
    """Which chips may have an address: `an AS5600 or a seesaw encoder`."""
    *some, last = (*encoders_at().get(address, ()), *KNOWN.get(address, ())) or ("not one of our chips",)
    return f"{', '.join(some)} or {last}" if some else last


def unnamed_answers(bus: Bus, named: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield each unnamed address that answers, with its byte. Raises BusStuck."""
    for address in ANY_ADDRESS:
        if address in named:
            continue
        try:
            (answer,) = bus.transfer((Read(address, 1),))
        except BusStuck:
            raise
        except HardwareError:
            continue
        yield address, answer


def stranger(wiring: BusWiring, address: int, answer: int) -> Check:
    """Report an unnamed chip on the trunk, which answers together with every channel."""
    part, place = f"stranger 0x{address:02X}", wiring.place(address)
    what = f"something answers that the settings do not name ({known_at(address)})"
    if address in wiring.behind_muxes():
        return Check(
            Sign.FAILS,
            part,
            place,
            f"{what}, at the address of chips behind a mux: it answers together with them",
            "Take it off the bus, or put it behind a channel of its own.",
            refuses=True,
            about=PI,
            found=Symptom.ELSEWHERE,
            address=address,
        )
    if address in ADDRESSES and answer:
        return Check(
            Sign.FAILS,
            part,
            place,
            f"{what}; if it is a mux, it has channels open",
            f"Add a [[bus.{wiring.name}.mux]] for it, or take it off the bus.",
            refuses=True,
            about=PI,
            found=Symptom.ELSEWHERE,
            address=address,
        )
    advice = "Name it in the settings, or take it off the bus."
    return Check(Sign.UNSURE, part, place, what, advice, about=PI, found=Symptom.ELSEWHERE, address=address)


def encoder_without_square(channel: Bus) -> Check | None:
    """Check a channel without a square for an encoder: often a plug in the wrong socket."""
    if not answers(channel, ADDRESS):
        return None
    return Check(
        Sign.UNSURE,
        "encoder without a square",
        channel.name,
        "answers, but the settings have no square there",
        "If a square is silent, its plug is in the wrong socket; otherwise add a section for this one.",
        found=Symptom.ELSEWHERE,
        address=ADDRESS,
    )
