"""An audit as JSON and as CSV, for other programs. Pure; returns text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from pi_app.audit.statistics import Statistics
from pi_app.audit.values import FileAudit, GameAudit
from pi_app.text.errors import printable

FORMAT: Final = 1

COLUMNS: Final = (
    "section",
    "file",
    "game",
    "entry",
    "wall",
    "clock",
    "seconds",
    "kind",
    "rule",
    "square",
    "seat",
    "claim",
    "words",
)


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The output of `--json`."""

    format: int
    files: tuple[FileAudit, ...]
    statistics: Statistics | None = None


def to_json(files: Sequence[FileAudit], statistics: Statistics | None = None) -> str:
    """Return one JSON object, indented, with a newline at its end."""
    document = Document(format=FORMAT, files=tuple(files), statistics=statistics)
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def to_csv(files: Iterable[FileAudit]) -> str:
    """Return one table: a line per finding, per square's verdict, per seat that could know a square, per token drawn,
    per damage."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for file in files:
        for row in _rows(file):
            writer.writerow([_harmless(row.get(column)) for column in COLUMNS])
    return text.getvalue()


Cell = str | int | float | None


def _harmless(cell: Cell) -> str:
    """Return a cell on one line that no spreadsheet takes for a formula."""
    if isinstance(cell, int | float):
        return str(cell)
    text = "" if cell is None else printable(cell)
    return f"'{text}" if text.lstrip().startswith(("=", "+", "-", "@")) else text


def _rows(file: FileAudit) -> Iterator[dict[str, Cell]]:
    if file.damage is not None:
        yield {"section": "damage", "file": file.file, "entry": file.damage.entry, "words": file.damage.seen}
    for game in file.games:
        for row in _game_rows(game):
            yield {"file": file.file, "game": game.game, **row}


def _game_rows(game: GameAudit) -> Iterator[dict[str, Cell]]:
    for verdict in game.verdicts:
        yield {"section": "verdict", "square": verdict.square, "kind": "pass" if verdict.passed else "fail"}
    for found in game.findings:
        yield {
            "section": "finding",
            "entry": found.entry,
            "wall": found.wall,
            "clock": found.clock,
            "seconds": found.at_s,
            "kind": found.kind,
            "rule": found.rule,
            "square": found.square,
            "seat": found.seat,
            "claim": found.claim,
            "words": found.words,
        }
    for known in game.known:
        yield {
            "section": "known",
            "entry": known.entry,
            "wall": known.wall,
            "seconds": known.at_s,
            "kind": known.by,
            "square": known.square,
            "seat": known.seat,
            "words": known.words,
        }
    for draw in game.draws:
        yield {
            "section": "drawn",
            "entry": draw.entry,
            "wall": draw.wall,
            "seconds": draw.at_s,
            "kind": draw.went,
            "seat": draw.seat,
            "words": draw.words,
        }
