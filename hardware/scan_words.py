"""What a scan says of a dial that it could not read: who is to blame, and what to do first. Pure.

A dial that fails by itself gets a sentence of its own. What fails for many at once, a mux or a whole bus, gets one
sentence that is the same for each of them, so that whoever tells it can tell it once.
"""

from __future__ import annotations

from collections.abc import Sequence

from hardware.chips.tca9548a import CHANNELS, Tca9548a, WrongChannel
from hardware.errors import BusStuck, HardwareError
from hardware.scan_plan import Slot

HANGS = (
    "It is set aside and asked again now and then, the others are read without it. Pull the plug of {name}, look for a "
    "short between its wires, and plug it in again."
)
HELD = "Pull the plug of {name}; if that does not help, unplug tile after tile."
HELD_AT_MUX = (
    "Pull the plug of {name}, whose channel was open then; if that does not help, switch the power of {mux} off and on."
)
NOTHING_YET = "Nothing to do yet: what can be done for it is done by itself."
NOT_ASKED = "was not asked, because others held the bus up too often. Wait: it is asked again by itself."
OPENS_NOTHING = "acknowledges and does not switch: no channel is open"
OFF_AND_ON = "Switch the power of {mux} off and on."
RESET_IN_VAIN = "Its RESET did not help: switch its power off and on, and if this stays take another mux."
NO_RESET = "Switch its power off and on, and wire its RESET pin: then this is done by itself."


def listed(names: Sequence[str]) -> str:
    """`T01, T02 and T03`."""
    *before, last = names
    return f"{', '.join(before)} and {last}" if before else last


def own(slot: Slot, error: HardwareError) -> str:
    """A dial whose own chip failed."""
    advice = HANGS.format(name=slot.name) if isinstance(error, BusStuck) else error.advice
    return f"dial {slot.name} ({slot.place}) {error.seen}. {advice}"


def not_asked(slot: Slot) -> str:
    """A dial that had no turn, since others cost this scan its time."""
    return f"dial {slot.name} ({slot.place}) {NOT_ASKED}"


def behind(mux: Tca9548a, slots: Sequence[Slot], error: HardwareError) -> str:
    """A mux that fails: one sentence for all dials that cannot be read for it."""
    names = [slot.name for slot in slots if slot.channel is not None and slot.channel.mux is mux]
    seen, advice = error.seen, error.advice
    if isinstance(error, WrongChannel):
        beside = [number for number in CHANNELS if error.beside >> number & 1]
        names = [slot.name for slot in slots if not _on(slot, mux, beside)] or names
        seen = f"does not close channel {_channels(mux, beside, slots)}" if beside else OPENS_NOTHING
        advice = RESET_IN_VAIN if mux.has_reset else NO_RESET
    return f"{mux.part} ({mux.bus.name}) {seen}, so {listed(names)} cannot be read. {advice}"


def _on(slot: Slot, mux: Tca9548a, numbers: Sequence[int]) -> bool:
    return slot.channel is not None and slot.channel.mux is mux and slot.channel.number in numbers


def _channels(mux: Tca9548a, numbers: Sequence[int], slots: Sequence[Slot]) -> str:
    named = []
    for number in numbers:
        here = [slot.name for slot in slots if _on(slot, mux, [number])]
        named.append(f"{number} ({listed(here)})" if here else str(number))
    return listed(named)


def free(began: Slot, mux: Tca9548a | None) -> str:
    """What to do about a bus that is held down. `began`: whose look was the first that did not end; with `mux`, whose
    channel was open when that mux did not let itself be asked."""
    return HELD.format(name=began.name) if mux is None else HELD_AT_MUX.format(name=began.name, mux=mux.part)


def held(bus: str, place: str, slots: Sequence[Slot], by: tuple[Slot, Tca9548a | None] | None, advice: str) -> str:
    """A bus on which nothing gets through: one sentence for all its dials. `by` is what `free` takes, if anything was
    read before."""
    names = listed([slot.name for slot in slots])
    lamed = f"{names} cannot be read; it is tried again by itself"
    if by is None:
        seen = f"is held down, so {lamed}"
    else:
        began, mux = by
        seen = f"is held down since {began.name if mux is None else mux.part} was asked, so {lamed}"
    return f"bus {bus} ({place}) {seen}. {advice}"
