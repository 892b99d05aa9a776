"""Replace a file whole or not at all, even if the power fails. Only its owner can read it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pi_app.text.errors import UserFileError
from pi_app.text.private_files import FILE_MODE, make_folder, replace_file


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


def check_are_new(paths: Iterable[Path]) -> None:
    """Raise UserFileError if one of the files is already there."""
    from pi_app.play.samples_csv import check_is_new

    for path in paths:
        check_is_new(path)


def make_folder_of(path: Path) -> None:
    """Make the folder of a file that `-o` named, if it is not there. Raises UserFileError."""
    try:
        make_folder(path.parent)
    except OSError as error:
        seen = f"this folder cannot be made ({error.strerror})"
        raise UserFileError.at(str(path.parent), "", seen, "Name another one with -o") from error
