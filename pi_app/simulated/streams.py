"""Everything that each viewer was given, one file per viewer: text lines, screen bytes and lamp edges with times.

Two games played alike over other trap tables must give the same files for everyone who was not told a secret; that is
how secrecy is compared (S-6). A file holds one JSON object per line, and every line is on disk-side before the next.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from pi_app.text.errors import UserFileError


class Streams:
    """Writes `seat-KEY.jsonl`, `public.jsonl`, `referee.jsonl` and `log.jsonl` into a folder."""

    def __init__(self, folder: Path, seats: Iterable[str]) -> None:
        """`seats` are the seats' keys; the files are made at once, so that an empty stream is a file too."""
        viewers = [f"seat {seat}" for seat in seats] + ["public", "referee", "log"]
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._files: dict[str, TextIO] = {
                viewer: (folder / f"{viewer.replace(' ', '-')}.jsonl").open("w", encoding="utf-8") for viewer in viewers
            }
        except OSError as error:
            raise _unwritten(folder, error) from error
        self._folder = folder

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """A sentence for one viewer."""
        self._write(viewer, at_ns, line=line)

    def screen(self, seat: str, data: bytes, at_ns: int) -> None:
        """The bytes of one write to a seat's screen, as they left for the bus."""
        self._write(f"seat {seat}", at_ns, screen=data.hex())

    def lamp(self, seat: str, on: bool, at_ns: int) -> None:
        """A seat's lamp went on or off."""
        self._write(f"seat {seat}", at_ns, lamp=on)

    def _write(self, viewer: str, at_ns: int, **what: object) -> None:
        file = self._files[viewer]
        try:
            file.write(json.dumps({"at_ns": at_ns, **what}, ensure_ascii=False) + "\n")
            file.flush()
        except OSError as error:
            raise _unwritten(self._folder, error) from error

    def close(self) -> None:
        """Close every file; closing twice is harmless."""
        for file in self._files.values():
            with contextlib.suppress(OSError):  # what it still holds was refused before, and said then
                file.close()


def _unwritten(folder: Path, error: OSError) -> UserFileError:
    seen = f"{folder} (folder for streams) cannot be written ({error.strerror})"
    return UserFileError([f"{seen}. Choose another with --streams."])
