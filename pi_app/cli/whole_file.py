"""A file that is replaced whole or not at all, also when the plug is pulled."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from pi_app.text.errors import UserFileError


def write_whole(path: Path, text: str) -> None:
    """As `write_whole_bytes`, in UTF-8."""
    write_whole_bytes(path, text.encode())


def write_whole_bytes(path: Path, data: bytes) -> None:
    """Put `data` in place of the file, and return when it is on disk. Raises UserFileError if the disk refuses; the
    old file then stays as it was."""
    try:
        _replace(path, data)
    except OSError as trouble:
        seen = f"it cannot be written ({trouble.strerror or trouble})"
        raise UserFileError.at(str(path), "", seen, "Check the folder, who may write there, and the disk") from None


def _replace(path: Path, data: bytes) -> None:
    draft_fd, draft = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(draft_fd, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    folder_fd = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder_fd)  # the new name, too, must survive
    finally:
        os.close(folder_fd)
