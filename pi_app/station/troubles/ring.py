"""The last 200 troubles of a station, in a file of fixed size that survives cuts of the power and any garbage.

Each entry has a slot of 256 bytes, which lies within one block of a disk; a write touches that slot alone and is
synced. So a cut can spoil the slot that is written, which held the oldest entry, and no other. A slot:

    check 4, the CRC-32 of the rest | length 2 | text: msgpack, then zeros

An entry names a trouble, the parts that have it, and when it was: the boot, the monotonic clock, the date, and who kept
the date right. It has no secret, and nothing of a visitor.
"""

from __future__ import annotations

import contextlib
import os
import stat
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.journal.record.entry import ClockSource
from pi_app.journal.stamps import Stamp, machine_stamp
from pi_app.station.troubles.troubles import PLACE_LETTERS, StationTrouble, TroubleFound
from pi_app.text.private_files import FILE_MODE, sync_folder

SLOTS: Final = 200
SLOT_BYTES: Final = 256
FILE_NAME: Final = "troubles.ring"

_CHECK_BYTES: Final = 4
_LENGTH_BYTES: Final = 2
_HEAD_BYTES: Final = _CHECK_BYTES + _LENGTH_BYTES
_MOST_PLACES: Final = 8
_PLACE_BYTES: Final = 100
_BETWEEN: Final = ", "
_SAFE: Final = r"^[\w .,:\[\]-]*\Z"


class RingEntry(msgspec.Struct, frozen=True, array_like=True):
    """One trouble that began, or that ended (`over`). `number` grows by one with each entry; `code` is
    `StationTrouble.code`; `place` names parts, such as `T02, T04`. The others are a `Stamp`."""

    number: Annotated[int, Meta(ge=0, le=2**53)]
    code: Annotated[str, Meta(max_length=40)]
    place: Annotated[str, Meta(max_length=PLACE_LETTERS, pattern=_SAFE)]
    over: bool
    boot: Annotated[str, Meta(max_length=40, pattern=_SAFE)]
    mono_ns: Annotated[int, Meta(ge=0, le=2**62)]
    wall: Annotated[str, Meta(max_length=40, pattern=r"^[0-9T:.+ Z-]*\Z")]
    clock: ClockSource

    @property
    def found(self) -> TroubleFound | None:
        """The trouble; None for one that this version does not know."""
        trouble = _BY_CODE.get(self.code)
        return None if trouble is None else TroubleFound(trouble, tuple(filter(None, self.place.split(_BETWEEN))))


_BY_CODE: Final = {each.code: each for each in StationTrouble}
_decoder: Final = msgspec.msgpack.Decoder(RingEntry)


class TroubleRing:
    """The ring file in a folder. Reading gives what is whole; writing never raises: a disk that refuses is a trouble of
    its own, which the station shows all the same."""

    def __init__(self, folder: Path, stamp: Callable[[], Stamp] = machine_stamp) -> None:
        self.path, self._stamp = folder / FILE_NAME, stamp

    def entries(self) -> tuple[RingEntry, ...]:
        """Return the entries, the newest first; none if the file cannot be read."""
        try:
            handle = self._opened(os.O_RDONLY)
        except OSError:
            return ()
        try:
            data = os.pread(handle, SLOTS * SLOT_BYTES, 0)
        except OSError:
            return ()
        finally:
            os.close(handle)
        return tuple(sorted(_whole(data), key=lambda entry: -entry.number))

    def lasting(self) -> tuple[RingEntry, ...]:
        """Return the troubles that have begun and are not over, the newest first."""
        newest: dict[str, RingEntry] = {}
        for entry in self.entries():
            newest.setdefault(entry.code, entry)
        return tuple(entry for entry in newest.values() if not entry.over)

    def end_lasting(self) -> None:
        """Write that every trouble is over: for a new start, which finds its own."""
        for entry in self.lasting():
            if entry.found is not None:
                self.note(entry.found, over=True)

    def note(self, found: TroubleFound, *, over: bool) -> bool:
        """Write that a trouble has begun, or is over. Return whether it is on disk."""
        newest = max((entry.number for entry in self.entries()), default=-1)
        entry = entry_of(newest + 1, found, over=over, at=self._stamp())
        try:
            handle = self._opened(os.O_RDWR | os.O_CREAT)
        except OSError:
            return False
        try:
            is_new = os.fstat(handle).st_size == 0
            os.pwrite(handle, slot_of(entry), entry.number % SLOTS * SLOT_BYTES)
            os.fsync(handle)
            if is_new:
                sync_folder(self.path.absolute().parent)
        except OSError:
            return False
        finally:
            os.close(handle)
        return True

    def _opened(self, flags: int) -> int:
        """Open the ring, if it is a plain file. Raises OSError."""
        handle = os.open(self.path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY, FILE_MODE)
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise OSError("the ring is not a plain file")
        return handle


def entry_of(number: int, found: TroubleFound, *, over: bool, at: Stamp) -> RingEntry:
    """Return the entry of a trouble. Letters of a place that a ring does not keep are left out."""
    named = _BETWEEN.join(found.places[:_MOST_PLACES])
    place = "".join(letter for letter in named if letter.isalnum() or letter in " .:[]-_,")
    return RingEntry(number, found.trouble.code, _cut(place), over, at.boot, at.mono_ns, at.wall, at.clock)


def _cut(place: str) -> str:
    return place[:PLACE_LETTERS].encode()[:_PLACE_BYTES].decode(errors="ignore")


def slot_of(entry: RingEntry) -> bytes:
    """Return the bytes of an entry's slot."""
    text = msgspec.msgpack.encode(entry)
    rest = (len(text).to_bytes(_LENGTH_BYTES, "big") + text).ljust(SLOT_BYTES - _CHECK_BYTES, b"\0")
    return zlib.crc32(rest).to_bytes(_CHECK_BYTES, "big") + rest


def _whole(data: bytes) -> Iterator[RingEntry]:
    """The entries of all slots that are whole, each in the slot of its number."""
    for place in range(len(data) // SLOT_BYTES):
        slot = data[place * SLOT_BYTES : (place + 1) * SLOT_BYTES]
        check, rest = slot[:_CHECK_BYTES], slot[_CHECK_BYTES:]
        length = int.from_bytes(rest[:_LENGTH_BYTES], "big")
        if int.from_bytes(check, "big") != zlib.crc32(rest) or length > SLOT_BYTES - _HEAD_BYTES:
            continue
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):
            entry = _decoder.decode(rest[_LENGTH_BYTES : _LENGTH_BYTES + length])
            if entry.number % SLOTS == place:
                yield entry
