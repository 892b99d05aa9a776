"""Writes the output to each viewer to a file: text lines, screen bytes and lamp edges, with times.

Two games that differ only in their trap tables must give the same files for everyone without a secret; that is how
secrecy is tested (S-6). The head that is published at a game's end is another for every record.

Only the owner can read the files. A file holds one JSON object per line, and every line is flushed before the next.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from pi_app.text.errors import UserFileError
from pi_app.text.printed import shown_json
from pi_app.text.private_files import emptied_file, make_folder


class Streams:
    """Writes `seat-KEY.jsonl`, `public.jsonl`, `referee.jsonl` and `log.jsonl` into a folder."""

    def __init__(self, folder: Path, seats: Iterable[str]) -> None:
        """`seats` are the seats' keys. Every file is created at once, also for a stream that stays empty."""
        viewers = [f"seat {seat}" for seat in seats] + ["public", "referee", "log"]
        self._files: dict[str, TextIO] = {}
        try:
            make_folder(folder)
            for viewer in viewers:
                handle = emptied_file(folder / f"{viewer.replace(' ', '-')}.jsonl")
                self._files[viewer] = os.fdopen(handle, "w", encoding="utf-8")
        except OSError as error:
            self.close()
            raise _unwritten(folder, error) from error
        self._folder = folder

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Write a sentence for one viewer."""
        self._write(viewer, at_ns, line=line)

    def screen(self, seat: str, data: bytes, at_ns: int) -> None:
        """Write the bytes of one transfer to a seat's screen."""
        self._write(f"seat {seat}", at_ns, screen=data.hex())

    def lamp(self, seat: str, on: bool, at_ns: int) -> None:
        """Write that a seat's lamp went on or off."""
        self._write(f"seat {seat}", at_ns, lamp=on)

    def _write(self, viewer: str, at_ns: int, **what: object) -> None:
        file = self._files[viewer]
        try:
            file.write(shown_json(json.dumps({"at_ns": at_ns, **what}, ensure_ascii=False)) + "\n")
            file.flush()
        except OSError as error:
            raise _unwritten(self._folder, error) from error

    def close(self) -> None:
        """Close every file. Closing twice is harmless."""
        for file in self._files.values():
            with contextlib.suppress(OSError):  # a refused write was reported before
                file.close()


def _unwritten(folder: Path, error: OSError) -> UserFileError:
    seen = f"{folder} (folder for streams) cannot be written ({error.strerror})"
    return UserFileError([f"{seen}. Choose another with --streams."])
