"""What can go wrong with the wires: one family, branches by what a person has to do about it.

Every message has four parts: which part, where it is, what was seen, what to try next. Where a
player may read it, "what was seen" never holds an angle or a click.
"""

from __future__ import annotations


class HardwareError(Exception):
    """Anything that the wires, the chips or the Pi's settings did wrong.

    Attributes keep the facts apart: `part` (which), `place` (where), `seen` (what was seen), `advice`.
    """

    def __init__(self, part: str, place: str, seen: str, advice: str) -> None:
        self.part, self.place, self.seen, self.advice = part, place, seen, advice
        super().__init__(f"{part} ({place}) {seen}. {advice}")


class NoAnswer(HardwareError):
    """A chip did not acknowledge its address or a byte: unplugged, unpowered, wrong address."""


class BusStuck(HardwareError):
    """A line is held down or the transfer never ended: the whole segment is blocked."""


class BusGlitch(HardwareError):
    """One transfer was spoilt (EIO, arbitration lost); the next may well be good."""


class ShapeRefused(HardwareError):
    """The adapter refuses this form of transfer (errno 95 or 22): use another form, not another wire."""


class NoBus(HardwareError):
    """The bus device is missing, or this user may not open it."""


class WrongChip(HardwareError):
    """Something answered, but it is not the chip that the settings name."""


class WrongTile(WrongChip):
    """The chip is right, and the memory beside it says that its tile belongs elsewhere."""


class NoPins(HardwareError):
    """The Pi's pins cannot be used: library missing, wrong chip, no permission."""
