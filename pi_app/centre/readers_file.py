"""The readers of a running centre: those of `centre.toml` as it is now, and one more line in it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from pi_app.centre.settings import NO_SETTINGS, CentreSettings, ReaderSettings, load, parse
from pi_app.text.errors import UserFileError
from pi_app.text.private_files import replace_file
from pi_app.text.user_file import errors_of, read_text, refused


class ReadersFile:
    """The readers, read again when the file has changed. One that is damaged or gone changes nothing, and `says` a
    sentence once."""

    def __init__(self, settings: CentreSettings, says: Callable[[str], None]) -> None:
        self._path, self._says = settings.where, says
        self._readers = settings.readers
        self._seen = _mark(self._path)

    def __call__(self) -> tuple[ReaderSettings, ...]:
        mark = _mark(self._path)
        if mark != self._seen:
            self._seen = mark
            try:
                self._readers = load(self._path).readers
            except UserFileError as error:
                self._says(f"The readers stay as they were. {error}")
        return self._readers


def _mark(path: Path) -> tuple[int, ...]:
    """Return what changes with a file."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return found.st_ino, found.st_size, found.st_mtime_ns


def add_reader(path: Path, reader: ReaderSettings) -> None:
    """Add a reader to the settings of a centre, below what is there; the file keeps its owner and mode. Raises
    UserFileError, and then changes nothing."""
    with _alone(path):
        whole = f"{read_text(path).rstrip()}\n{_section(reader)}"
        read = parse(whole, path)
        if not isinstance(read, CentreSettings):
            raise UserFileError([str(problem) for problem in errors_of(read)])
        file = path.resolve()
        there = file.stat()
        replace_file(file, whole.encode(), mode=there.st_mode & 0o777)
        if there.st_uid != os.geteuid():
            os.chown(file, there.st_uid, there.st_gid)


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Let one program at a time change the settings in a folder. Raises UserFileError if the disk refuses a change."""
    try:
        folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        raise refused(path, NO_SETTINGS) from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    except OSError as error:
        raise refused(path, f"it cannot be written ({error.strerror}); check the folder and the disk") from error
    finally:
        os.close(folder)


def _section(reader: ReaderSettings) -> str:
    values = [("name", reader.name), ("role", reader.role), ("shop", reader.shop)]
    values.append(("token_sha256", reader.token_sha256))
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values if value]
    return f"\n[[reader]]\n{''.join(lines)}"
