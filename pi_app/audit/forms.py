"""An audit as JSON and as CSV, for other programs. Pure; returns text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from pi_app.audit.statistics import Statistics
from pi_app.audit.values import DrawSeen, FileAudit, FindingSeen, GameAudit, Known, Verdict, WordTakenBack
from pi_app.audit.verdicts import not_proven, over_all
from pi_app.text.printed import in_csv

FORMAT: Final = 2

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


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """The program and the date (UTC) of an audit."""

    program: str
    date: str


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The output of `--json`. `verdict`: the worst of the files."""

    verdict: Verdict
    format: int
    made: Made | None
    files: tuple[FileAudit, ...]
    statistics: Statistics | None = None


def to_json(files: Sequence[FileAudit], statistics: Statistics | None = None, made: Made | None = None) -> str:
    """Return one JSON object, indented, with a newline at its end."""
    document = Document(verdict=over_all(files), format=FORMAT, made=made, files=tuple(files), statistics=statistics)
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


def to_csv(files: Iterable[FileAudit]) -> str:
    """Return one table: a line per file with its verdict, per square's verdict, per finding and fault, per seat that
    could know a square, per token drawn."""
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
    return "" if cell is None else in_csv(cell)


def _rows(file: FileAudit) -> Iterator[dict[str, Cell]]:
    why = not_proven(file)
    at = None if file.damage is None else file.damage.entry
    yield {"section": "file", "file": file.file, "entry": at, "kind": file.verdict, "words": why}
    for game in file.games:
        for row in _game_rows(game):
            yield {"file": file.file, "game": game.game, **row}


def _game_rows(game: GameAudit) -> Iterator[dict[str, Cell]]:
    for verdict in game.verdicts:
        yield {"section": "verdict", "square": verdict.square, "kind": verdict.verdict}
    for section, found in (("finding", game.findings), ("fault", game.faults)):
        yield from (_row(section, each, ", ".join(each.kinds)) | {"rule": ", ".join(each.rule_ids)} for each in found)
    yield from (_row("known", known, known.by) for known in game.known)
    yield from (_row("drawn", draw, draw.went) for draw in game.draws)
    yield from (_row("taken back", word, "word") for word in game.taken_back)


def _row(section: str, value: FindingSeen | Known | DrawSeen | WordTakenBack, kind: str) -> dict[str, Cell]:
    """Return one line of a section: the columns that this value has."""
    same = ("entry", "wall", "clock", "square", "seat", "claim", "words")
    columns = {name: getattr(value, name) for name in same if hasattr(value, name)}
    return {"section": section, "seconds": value.at_s, "kind": kind, **columns}
