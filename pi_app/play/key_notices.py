"""Notices for the referee about the keys of the record, if they are on a disk of their own."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pi_app.journal.record.key_ring import DEVICE, KeyRing
from pi_app.text.language import N_, Words

GONE: Final = N_(
    "keys ({place}): cannot be reached. The game goes on, because its key is in memory. Put the disk back before the "
    "next start."
)
BACK: Final = N_("keys ({place}): can be reached again.")
SET_ASIDE: Final = N_(
    "keys ({place}): the note of how many entries the journal had cannot be read; a power cut can do that. It is now "
    "called {name}, and play goes on. Only a witness's head would show that the journal is an older copy."
)


def set_aside_notes(file: Path | None, words: Words) -> list[str]:
    """Return a notice if `last.head` could not be read and has this name now."""
    return [] if file is None else [words(SET_ASIDE).format(place=file.parent, name=file.name)]


class KeyNotices:
    """Reports once when the disk with the keys is pulled, and once when it is back."""

    def __init__(self, ring: KeyRing, words: Words, devices: Path = Path("/sys/dev/block")) -> None:
        """`devices`: the kernel's list of disks."""
        self._file, self._place, self._words = ring.folder / DEVICE, ring.folder, words
        self._devices = devices
        self._disk = self._disk_now()
        self._was_there = self._is_gone = False

    def poll(self) -> Sequence[str]:
        """Return what changed since the last call. The first game of a journal creates the key: before that nothing is
        missing."""
        here = self._reached()
        self._was_there |= here
        gone = self._was_there and not here
        if gone == self._is_gone:
            return ()
        self._is_gone = gone
        return (self._words(GONE if gone else BACK).format(place=self._place),)

    def _reached(self) -> bool:
        """Whether the key file is there, and so is its disk: the kernel remembers the names on a pulled disk."""
        if not self._file.exists():
            return False
        if self._disk is not None and self._disk.exists():
            return True
        another = self._disk_now()
        pulled = self._disk is not None and another is None
        self._disk = another or self._disk
        return not pulled

    def _disk_now(self) -> Path | None:
        """Return the kernel's entry of the disk; None for a file system without a disk of its own."""
        try:
            number = os.stat(self._file).st_dev
        except OSError:
            return None
        disk = self._devices / f"{os.major(number)}:{os.minor(number)}"
        return disk if disk.exists() else None
