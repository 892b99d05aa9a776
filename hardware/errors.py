"""Hardware errors: one family, with a class for each kind of remedy.

Every message has four parts: the part, its place, the observation, the advice. Where a player may read it, the
observation never holds an angle or a click.
"""

from __future__ import annotations


def with_article(part: str) -> str:
    """Write a part with its article, as it is spoken: `an AS5600`, `an ssd1306`, `a TLE5012`, `a seesaw encoder`."""
    is_spelt = part[1:2].isupper() or any(letter.isdigit() for letter in part)
    return f"{'an' if part[:1].lower() in ('aefhilmnorsx' if is_spelt else 'aeio') else 'a'} {part}"


class HardwareError(Exception):
    """A fault of the wires, the chips or the Pi's settings.

    Attributes: `part`, `place`, `seen` (the observation), `advice`.
    """

    def __init__(self, part: str, place: str, seen: str, advice: str) -> None:
        self.part, self.place, self.seen, self.advice = part, place, seen, advice
        super().__init__(f"{part} ({place}) {seen}. {advice}")


class NoAnswer(HardwareError):
    """A chip did not acknowledge its address or a byte: unplugged, unpowered, wrong address."""


class BusStuck(HardwareError):
    """A line is held down or the transfer never ended: the whole segment is blocked."""


class BusGlitch(HardwareError):
    """One transfer was corrupted (EIO, arbitration lost); the next may succeed."""


class ShapeRefused(HardwareError):
    """The adapter refuses this form of transfer (errno 95 or 22): the form is wrong, not the wire."""


class NoBus(HardwareError):
    """The bus device is missing, or this user may not open it."""


class WrongChip(HardwareError):
    """Another chip answered than the settings name."""


class WrongTile(WrongChip):
    """The chip is right, but its tile's memory names another square."""


class NoPins(HardwareError):
    """The Pi's pins cannot be used: library missing, wrong chip, no permission."""
