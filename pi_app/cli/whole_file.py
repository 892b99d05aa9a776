"""Replace a file whole or not at all, even if the power fails. Only its owner can read it."""

from __future__ import annotations

from pathlib import Path

from pi_app.text.errors import UserFileError
from pi_app.text.private_files import FILE_MODE, replace_file


def write_whole(path: Path, text: str, *, mode: int = FILE_MODE) -> None:
    """Do as `write_whole_bytes`, in UTF-8."""
    write_whole_bytes(path, text.encode(), mode=mode)


def write_whole_bytes(path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Replace the file with `data`, and return when it is on disk. Raises UserFileError and keeps the old file if the
    disk refuses."""
    try:
        replace_file(path, data, mode=mode)
    except OSError as trouble:
        seen = f"it cannot be written ({trouble.strerror or trouble})"
        raise UserFileError.at(str(path), "", seen, "Check the folder, who may write there, and the disk") from None
