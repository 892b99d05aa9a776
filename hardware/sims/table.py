"""Tiles on a mux: the commonest part of a simulated table, connected to a wire in one call.

Not modelled: leads of different lengths, and a plug that makes contact pin by pin.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from hardware.sims.as5600 import As5600Twin
from hardware.sims.encoder_twin import EncoderTwin
from hardware.sims.hand import SimHand, SimMagnet
from hardware.sims.tca9548a import CHANNELS, Tca9548aTwin
from hardware.sims.tile_memory import TileMemoryTwin
from hardware.sims.wire import BusSegment, SimWire

Encoder = As5600Twin | EncoderTwin


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """One printed tile: an encoder on a mux channel (without a mux: on the trunk), and a hand on its dial."""

    channel: int
    encoder: Encoder
    hand: SimHand
    segment: BusSegment
    mux: Tca9548aTwin | None
    wire: SimWire
    memory: TileMemoryTwin | None = None

    @property
    def plugged(self) -> bool:
        return self.encoder.powered

    def unplug(self) -> None:
        """Pull the lead, which frees a line that the tile held low."""
        self.encoder.unplug()
        if self.memory is not None:
            self.memory.unplug()
        self.segment.held = False

    def plug_in(self) -> None:
        """Put the lead back: the encoder powers up without its pointer and settings."""
        self.encoder.plug_in()
        if self.memory is not None:
            self.memory.plug_in()


@dataclass(frozen=True, slots=True, eq=False)
class TiledMux:
    """A mux and its tiles, in the order of the given channels."""

    mux: Tca9548aTwin
    tiles: tuple[Tile, ...]


def tiles_on_mux(
    wire: SimWire,
    mux_address: int = 0x70,
    channels: Iterable[int] = range(CHANNELS),
    *,
    seed: int = 0,
    clicks: int = 12,
    position: int = 0,
    ideal: bool = False,
    trunk: BusSegment | None = None,
) -> TiledMux:
    """Connect a mux with one tile on each of `channels` to the wire.

    It is connected to the wire's trunk, or to `trunk`, which may be a channel of another mux. The seeds of hands and
    magnets follow from `seed`, mux address and channel. `ideal` leaves noise and eccentricity out.
    Raises ValueError for a wrong address or a channel outside 0 to 7.
    """
    mux = Tca9548aTwin(mux_address)
    (wire.trunk if trunk is None else trunk).hang(mux)
    return TiledMux(
        mux,
        tuple(
            _tile(
                wire,
                mux,
                channel,
                seed=(seed << 16) + (mux_address << 4) + channel,
                clicks=clicks,
                position=position,
                ideal=ideal,
            )
            for channel in channels
        ),
    )


def _tile(
    wire: SimWire, mux: Tca9548aTwin, channel: int, *, seed: int, clicks: int, position: int, ideal: bool
) -> Tile:
    if not 0 <= channel < CHANNELS:
        raise ValueError(f"a TCA9548A has channels 0 to 7, not {channel}")
    hand = SimHand(seed, clicks, position)
    angle_at = hand.angle_counts if ideal else SimMagnet(hand.angle_counts, seed)
    encoder = As5600Twin(wire.clock, angle_at)
    mux.channels[channel].hang(encoder)
    return Tile(channel, encoder, hand, mux.channels[channel], mux, wire)
