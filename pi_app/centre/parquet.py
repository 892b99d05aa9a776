"""Writes Parquet files with DuckDB, from lines that come one after the other: they need not fit in memory."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import msgspec

from pi_app.text.errors import UserFileError
from pi_app.text.private_files import FILE_MODE, make_folder, new_file

NO_DUCKDB: Final = "Parquet files are written by DuckDB, which is not installed. Type: trapdial extras install centre"

MEMORY: Final = "256MB"

_CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": "1",
    "memory_limit": MEMORY,
    "autoinstall_known_extensions": "false",
}

ParquetColumns = Mapping[str, str]
"""The names of columns and their types, as DuckDB calls them."""


class ParquetFolder:
    """Files of one export. They appear in their folder all at once, when `finish` is called, or not at all."""

    def __init__(self, folder: Path, files: Mapping[str, ParquetColumns]) -> None:
        """`files`: the columns of each file, by its name without ".parquet". Raises UserFileError; if DuckDB is not
        installed nothing is made."""
        if find_spec("duckdb") is None:
            raise UserFileError([NO_DUCKDB])
        self._folder, self._files = folder, files
        self._encoder = msgspec.json.Encoder()
        self._closing = contextlib.ExitStack()
        with _refusing(folder):
            make_folder(folder)
            beside = tempfile.TemporaryDirectory(prefix=".export-", dir=folder)
            self._beside = Path(self._closing.enter_context(beside))
            self._lines = {
                name: self._closing.enter_context(os.fdopen(new_file(self._beside / f"{name}.jsonl"), "wb"))
                for name in files
            }
        self.counts = dict.fromkeys(files, 0)

    def add(self, name: str, line: Mapping[str, object]) -> None:
        """Add a line to a file. Raises UserFileError."""
        with _refusing(self._folder):
            self._lines[name].write(self._encoder.encode(line) + b"\n")
        self.counts[name] += 1

    def finish(self) -> None:
        """Write the files and put them into the folder, in place of older ones. Raises UserFileError."""
        import duckdb

        with _refusing(self._folder):
            for each in self._lines.values():
                each.close()
            opened = os.open(self._beside, os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                with duckdb.connect(":memory:", config=_CONFIG) as db:
                    for name, columns in self._files.items():
                        db.execute(_statement(opened, name, columns))
            except duckdb.Error as error:
                why = " ".join(str(error).split())[:300]
                advice = "Check its disk, or name another folder"
                raise UserFileError.at(str(self._folder), "", f"cannot be written ({why})", advice) from error
            finally:
                os.close(opened)
            for name in self._files:
                written = self._beside / f"{name}.parquet"
                written.chmod(FILE_MODE)
                written.replace(self._folder / f"{name}.parquet")

    def close(self) -> None:
        """Remove what is not a finished file."""
        self._closing.close()

    def __enter__(self) -> ParquetFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _statement(folder: int, name: str, columns: ParquetColumns) -> str:
    """Return what writes a file from its lines, in an open folder: DuckDB never reads the folder's own name, which may
    be no UTF-8 or have stars in it."""
    types = ", ".join(f"{column}: '{kind}'" for column, kind in columns.items())
    lines, file = (f"'/proc/self/fd/{folder}/{name}.{ending}'" for ending in ("jsonl", "parquet"))
    read = f"read_json({lines}, format='newline_delimited', columns={{{types}}}, maximum_object_size=67108864)"
    return f"COPY (SELECT * FROM {read}) TO {file} (FORMAT parquet, COMPRESSION zstd)"


@contextlib.contextmanager
def _refusing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        advice = "Name another folder, or free some space"
        raise UserFileError.at(str(folder), "", f"cannot be written ({error.strerror or error})", advice) from error
