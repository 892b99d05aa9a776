"""Replace a file whole or not at all, even if the power fails."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from pi_app.text.errors import UserFileError


def write_whole(path: Path, text: str) -> None:
    """Do as `write_whole_bytes`, in UTF-8."""
    write_whole_bytes(path, text.encode())


def write_whole_bytes(path: Path, data: bytes) -> None:
    """Replace the file with `data`, and return when it is on disk. Raises UserFileError and keeps the old file if the
    disk refuses."""
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
        if path.exists():
            shutil.copymode(path, draft)
        os.replace(draft, path)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise
    folder_fd = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder_fd)  # so that the new name survives too
    finally:
        os.close(folder_fd)
