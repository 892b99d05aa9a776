"""Faults by name, injected into a simulated tile or its mux and wire: the worst ones look like good data.

Lasting faults stay until they are mended; the others happen once. Some take an amount. Apart from these, the twins
always behave as the real parts do: a mux switches at a STOP and never at a repeated START, and an adapter
refuses what its kernel driver refuses (`hardware.sims.adapter`).

Not modelled: faults of screens, lamps and buttons, a plug that makes contact pin by pin, and a lead that
works only while it is not moved.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Callable
from dataclasses import dataclass

from hardware.sims.as5600 import As5600Twin
from hardware.sims.encoder_twin import MagnetField
from hardware.sims.table import Tile
from hardware.sims.tca9548a import Tca9548aTwin
from hardware.sims.wire import BusSegment, TwinChip

NS_PER_MS = 1_000_000
SWAPPING_NS = 200_000_000
"""Swapping two plugs takes at least so long."""
SCREENS = frozenset({0x3C, 0x3D})
"""Addresses of chips that may share a tile's channel, but not its lead."""


class UnknownFault(ValueError):
    """No fault has this name; the message suggests one."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: how to inject it into a tile, and how to mend it.

    `amount`: the default of its number, None if it takes none; `unit`: the unit of that number; `mend` is None for
    a fault that happens once.
    """

    name: str
    line: str
    strike: Callable[[Tile, float], None]
    mend: Callable[[Tile], None] | None = None
    amount: float | None = None
    unit: str = ""

    @property
    def lasts(self) -> bool:
        """Whether it stays until it is mended."""
        return self.mend is not None


def _once(do: Callable[[Tile], None]) -> Callable[[Tile, float], None]:
    return lambda tile, _: do(tile)


def _replug(tile: Tile, _: float) -> None:
    tile.unplug()
    tile.plug_in()


def _hold(tile: Tile, _: float) -> None:
    tile.segment.held, tile.segment.clocks_to_free = True, None


def _release(tile: Tile) -> None:
    tile.segment.held, tile.segment.clocks_to_free = False, None


def _hold_clock(tile: Tile, _: float) -> None:
    tile.segment.clock_held = True


def _release_clock(tile: Tile) -> None:
    tile.segment.clock_held = False


def _magnet(field: MagnetField) -> Callable[[Tile, float], None]:
    def strike(tile: Tile, _: float) -> None:
        tile.encoder.field = field

    return strike


def _good_magnet(tile: Tile) -> None:
    tile.encoder.field = MagnetField.GOOD


# ------------------------------------------------------------------------------------------------ its mux


def _mux(tile: Tile, name: str) -> Tca9548aTwin:
    if tile.mux is None:
        raise ValueError(f"the fault '{name}' needs a tile behind a mux")
    return tile.mux


def _keep_open(tile: Tile, _: float) -> None:
    _mux(tile, "two-channels-open").keeps |= 1 << tile.channel


def _stop_keeping(tile: Tile) -> None:
    if tile.mux is not None:
        tile.mux.keeps &= ~(1 << tile.channel)


def _deafen(tile: Tile, _: float) -> None:
    _mux(tile, "mux-not-switched").deaf = True


def _listen(tile: Tile) -> None:
    if tile.mux is not None:
        tile.mux.deaf = False


def _mux_in(tile: Tile) -> None:
    if tile.mux is not None:
        tile.mux.plug_in()


def _mux_reset(tile: Tile) -> None:
    if tile.mux is not None:
        tile.mux.reset()


# ------------------------------------------------------------------------------------------- two leads


def _swap(tile: Tile, channel: float) -> None:
    """Swap the tile's lead with that of `channel`, or with the next one that has a tile (-1)."""
    mux = _mux(tile, "leads-swapped")
    _swap_back(tile)
    number = round(channel)
    if number >= len(mux.channels):
        raise ValueError(f"the fault 'leads-swapped' needs a channel from 0 to {len(mux.channels) - 1}, not {number}")
    others = [mux.channels[(tile.channel + off) % len(mux.channels)] for off in range(1, len(mux.channels))]
    if number >= 0:
        others = [mux.channels[number]]
    other = next((segment for segment in others if segment is not tile.segment and _on_lead(segment)), None)
    if other is None:
        raise ValueError("the fault 'leads-swapped' needs a second tile on the mux")
    _exchange(tile.segment, other)
    tile.segment.swapped_with, other.swapped_with = other, tile.segment


def _swap_back(tile: Tile) -> None:
    other = tile.segment.swapped_with
    if other is not None:
        _exchange(tile.segment, other)
        tile.segment.swapped_with = other.swapped_with = None


def _exchange(one: BusSegment, other: BusSegment) -> None:
    """Pull both leads and plug them in again after a moment, so that every chip on them powers up."""
    from_one, from_other = _on_lead(one), _on_lead(other)
    for chip in from_one:
        one.remove(chip)
        other.hang(chip)
    for chip in from_other:
        other.remove(chip)
        one.hang(chip)
    for chip in (*from_one, *from_other):
        if isinstance(chip, As5600Twin):
            chip.dip(SWAPPING_NS)


def _on_lead(segment: BusSegment) -> list[TwinChip]:
    return [chip for address, chips in segment.chips.items() if address not in SCREENS for chip in chips]


# ---------------------------------------------------------------------------------------------- the list

FAULTS: dict[str, Fault] = {
    fault.name: fault
    for fault in (
        Fault(
            "unplugged",
            "the tile's lead is pulled: it does not acknowledge",
            lambda tile, _: tile.unplug(),
            lambda tile: tile.plug_in(),
        ),
        Fault("re-plugged", "the lead was out and in again: pointer 0, no settings, 10 ms without an angle", _replug),
        Fault(
            "power-dip",
            "the tile has no power for a moment, then wakes up having forgotten everything",
            lambda tile, ms: tile.encoder.dip(round(ms * NS_PER_MS)),
            amount=5,
            unit="ms",
        ),
        Fault(
            "settings-lost",
            "a brown-out takes the encoder's settings and leaves its pointer",
            _once(lambda tile: tile.encoder.lose_settings()),
        ),
        Fault(
            "pointer-lost",
            "the encoder's pointer goes back to 0: a short read brings register bytes that look like a small angle",
            _once(lambda tile: tile.encoder.lose_pointer()),
        ),
        Fault(
            "leads-swapped",
            "the leads of two tiles are swapped: each square shows the other's dial",
            _swap,
            _swap_back,
            amount=-1,
            unit="the other's channel, -1 for the next",
        ),
        Fault(
            "stuck-low",
            "the tile holds its data line low: while its channel is open nothing gets through",
            _hold,
            _release,
        ),
        Fault(
            "stuck-mid-byte",
            "the encoder stopped in the middle of a byte and holds the data line low until it gets enough clocks",
            lambda tile, clocks: tile.segment.hold_until(round(clocks)),
            _release,
            amount=9,
            unit="clocks, 1 to 9",
        ),
        Fault(
            "clock-held",
            "the tile holds its clock line low: no clocks can free it, only its mux or its plug",
            _hold_clock,
            _release_clock,
        ),
        Fault(
            "mux-hung",
            "the mux itself holds the bus low until its RESET line is pulsed or its power goes",
            lambda tile, _: _mux(tile, "mux-hung").hang(),
            _mux_reset,
        ),
        Fault(
            "mux-silent",
            "the mux has no power: it and all dials behind it do not acknowledge",
            lambda tile, _: _mux(tile, "mux-silent").unplug(),
            _mux_in,
        ),
        Fault(
            "mux-reset",
            "a brown-out of the mux: it forgets which channel is open",
            lambda tile, _: _mux(tile, "mux-reset").reset(),
        ),
        Fault(
            "mux-not-switched",
            "the mux acknowledges a selection and does not switch, as after a repeated START in place of a STOP",
            _deafen,
            _listen,
        ),
        Fault(
            "two-channels-open",
            "the mux never closes this tile's channel: other tiles read as a wired-AND",
            _keep_open,
            _stop_keeping,
        ),
        Fault(
            "nack-once",
            "one address byte is not acknowledged (errno 121, bit-banged 6)",
            _once(lambda tile: tile.encoder.nack_once()),
        ),
        Fault("eio-once", "one transfer breaks off half way (errno 5)", _once(lambda tile: tile.encoder.glitch_once())),
        Fault(
            "eagain-once",
            "one transfer loses arbitration, because something else pulls a line (errno 11)",
            _once(lambda tile: tile.encoder.lose_arbitration_once()),
        ),
        Fault(
            "timeout-once",
            "one transfer never ends: the adapter waits out its whole time-out (errno 110)",
            _once(lambda tile: tile.encoder.hang_once()),
        ),
        Fault(
            "shape-refused",
            "the adapter promised to take several transactions per call, and refuses them",
            lambda tile, number: setattr(tile.wire, "refuses_joined", round(number)),
            lambda tile: setattr(tile.wire, "refuses_joined", 0),
            amount=errno.EOPNOTSUPP,
            unit="the errno, 95 or 22",
        ),
        Fault(
            "slow-bus",
            "the whole wire runs slower than it was set; a Pi 3 or 4 at 0.5 or 0.625",
            lambda tile, factor: tile.wire.set_slowness(factor),
            lambda tile: tile.wire.set_slowness(1.0),
            amount=0.625,
            unit="part of its speed",
        ),
        Fault(
            "gap",
            "something else keeps the wire busy: a whole screen at 100 kHz takes 93 ms",
            lambda tile, ms: tile.wire.clock.advance(round(ms * NS_PER_MS)),
            amount=93,
            unit="ms",
        ),
        Fault(
            "spike",
            "one sample is off",
            lambda tile, counts: tile.encoder.spike_once(round(counts)),
            amount=569,
            unit="counts of 4096; 569 are 50 degrees",
        ),
        Fault(
            "jumps",
            "the angle jumps: each sample is off with a probability of one half",
            lambda tile, counts: tile.encoder.jump(round(counts)),
            lambda tile: tile.encoder.jump(0),
            amount=592,
            unit="counts of 4096",
        ),
        Fault("false-zero", "one sample is 0 for no reason", _once(lambda tile: tile.encoder.zero_once())),
        Fault(
            "stale-repeat",
            "one read returns the bytes of the read before",
            _once(lambda tile: tile.encoder.repeat_once()),
        ),
        Fault(
            "torn",
            "the two bytes of one sample belong to two measurements: bits of the low one are wrong",
            lambda tile, bits: tile.encoder.tear_once(round(bits)),
            amount=255,
            unit="bits to flip, 0 to 255",
        ),
        Fault("magnet-weak", "the magnet is too far away (ML)", _magnet(MagnetField.WEAK), _good_magnet),
        Fault("magnet-strong", "the magnet is too near (MH)", _magnet(MagnetField.STRONG), _good_magnet),
        Fault(
            "magnet-missing",
            "there is no magnet (no MD): the angle is garbage",
            _magnet(MagnetField.MISSING),
            _good_magnet,
        ),
        Fault(
            "agc-drift",
            "heat or a creeping magnet moves the encoder's gain; at its end the magnet is too weak or too strong",
            lambda tile, steps: tile.encoder.drift_gain(round(steps)),
            lambda tile: tile.encoder.drift_gain(0),
            amount=64,
            unit="steps of the gain, -64 to 64",
        ),
    )
}


def find(name: str) -> Fault:
    """The fault of that name. Raises UnknownFault with a suggestion."""
    if name in FAULTS:
        return FAULTS[name]
    near = difflib.get_close_matches(name, FAULTS, n=1, cutoff=0.4)
    guess = f"; did you mean '{near[0]}'?" if near else ""
    raise UnknownFault(f"no fault called '{name}'{guess} (known: {', '.join(FAULTS)})")


def strike(tile: Tile, name: str, amount: float | None = None) -> None:
    """Inject a fault by name. Raises UnknownFault, and ValueError for an amount that it does not take."""
    fault = find(name)
    if amount is not None and fault.amount is None:
        raise ValueError(f"the fault '{name}' takes no amount")
    chosen = fault.amount if amount is None else amount
    fault.strike(tile, 0.0 if chosen is None else chosen)


def mend(tile: Tile, name: str) -> None:
    """Mend a lasting fault; one that happens once needs none. Raises UnknownFault."""
    fault = find(name)
    if fault.mend is not None:
        fault.mend(tile)
