"""An encoder whose tile is identified every time before its angle counts.

Two leads that were swapped unnoticed give good angles of the wrong tiles. A tile that is plugged in has to be
started, and here a start ends with the tile's own number: a tile that belongs elsewhere is refused, and the message
names both squares.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from hardware.bus import Bus, Transaction
from hardware.chips.dial_chip import Complaint, DialChip, Health, ReadMode
from hardware.chips.tile_memory import TileMemory
from hardware.errors import NoAnswer, WrongTile
from hardware.readings import Reading


@dataclass(frozen=True, slots=True)
class TileRegister:
    """The calibrated tile of each square; a square without one accepts any unknown tile."""

    tiles: Mapping[str, str]

    def refusal(self, square: str, tile: str) -> tuple[str, str] | None:
        """Why a tile does not belong on the lead of a square, and the advice; None if it belongs there."""
        if self.tiles.get(square) == tile:
            return None
        owner = next((label for label, known in self.tiles.items() if known == tile), None)
        if owner is not None:
            return (
                f"is the tile of {owner} on the lead of {square}",
                f"Swap the leads of {square} and {owner} back; if the tiles were meant to change places, run "
                f"`trapdial calibrate --square {square} --square {owner}`.",
            )
        if square not in self.tiles:
            return None
        return (
            f"is not the tile that {square} was calibrated with, nor that of any other square",
            f"Put the tile of {square} back; if this one is to stay, run `trapdial calibrate --square {square}`.",
        )


class KnownTile:
    """A DialChip that starts only if its tile's memory names the right tile.

    The encoder is set up first and the number read after it: a tile that is exchanged between the two has lost
    its settings, and the first read shows that.
    """

    def __init__(self, square: str, chip: DialChip, memory: TileMemory, register: TileRegister) -> None:
        """Sends nothing yet."""
        self.square, self.chip, self.memory, self.register = square, chip, memory, register
        self._identified = False

    @property
    def due(self) -> ReadMode:
        return self.chip.due

    @due.setter
    def due(self, mode: ReadMode) -> None:
        self.chip.due = mode

    @property
    def bus(self) -> Bus:
        return self.chip.bus

    @property
    def address(self) -> int:
        return self.chip.address

    @property
    def started(self) -> bool:
        return self._identified and self.chip.started

    @property
    def settle_ns(self) -> int:
        return self.chip.settle_ns

    @property
    def wait_ns(self) -> int:
        return self.chip.wait_ns

    @property
    def absolute(self) -> bool:
        return self.chip.absolute

    @property
    def counts_per_turn(self) -> int:
        return self.chip.counts_per_turn

    def health(self) -> Health:
        return self.chip.health()

    def starting(self) -> Iterator[None]:
        """Set the encoder up, then identify its tile. Raises WrongTile for a tile that belongs elsewhere, NoAnswer for
        one without its memory, and the encoder's errors."""
        self._identified = False
        yield from self.chip.starting()
        yield
        self._identify_tile()
        self._identified = True

    def transactions(self, mode: ReadMode) -> Sequence[Transaction]:
        return self.chip.transactions(mode)

    def decode(self, mode: ReadMode, got: Sequence[bytes], at_ns: int) -> Reading | Complaint | None:
        return self.chip.decode(mode, got, at_ns)

    def decode_quick(self, answer: bytes | bytearray, at_ns: int) -> Reading | None:
        return self.chip.decode_quick(answer, at_ns)

    def invalidate(self) -> None:
        self.chip.invalidate()

    def forget(self) -> None:
        self.chip.forget()

    def _identify_tile(self) -> None:
        part = f"chip 0x{self.address:02X}"
        try:
            tile = self.memory.number()
        except NoAnswer as error:
            raise NoAnswer(
                part,
                self.bus.name,
                f"answers, but the memory of its tile (0x{self.memory.address:02X}) does not",
                f"Check that this tile has a {self.memory.kind.part}, or remove `memory` from [square.{self.square}].",
            ) from error
        refusal = self.register.refusal(self.square, tile)
        if refusal is not None:
            raise WrongTile(part, self.bus.name, *refusal)
        self.memory.of_its_kind(tile)
