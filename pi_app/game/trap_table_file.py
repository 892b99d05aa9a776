"""A trap table's file: read with every problem at once, and written.

`parse` takes text; `load`, `check` and `load_sample` take a file.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal, cast

import msgspec
from msgspec import Meta

from pi_app.game.trap_table import (
    DISARM_PATTERN,
    DISARM_WORDS,
    FEWEST_CLICKS,
    KINDS,
    MOST_CLICKS,
    PROVENANCES,
    REACH_OF_A_DIE,
    TRAP_IDS,
    USUAL_FEWEST_CLICKS,
    Disarm,
    Face,
    FaceKind,
    Provenance,
    Trap,
    TrapTable,
)
from pi_app.text.errors import UserFileError
from pi_app.text.suggest import did_you_mean, one_of
from pi_app.text.user_file import (
    Complaints,
    Problem,
    built,
    errors_of,
    is_whole,
    read_text,
    read_toml,
    read_values,
    seen_as,
)


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """The table, unless there were errors, and every problem."""

    table: TrapTable | None
    problems: tuple[Problem, ...]


# --------------------------------------------------------------------------------- from text to a table


def parse(text: str, file: str) -> ParsedTable:
    """Read one trap table. `file` is its name in problems. Raises nothing."""
    complaints = Complaints(file)
    raw = read_toml(text, complaints)
    table = None if raw is None else _read_table(raw, complaints)
    problems = tuple(complaints.found)
    return ParsedTable(None if errors_of(problems) else table, problems)


def check(path: Path) -> ParsedTable:
    """Read one trap table from disk. Raises UserFileError if there is no text to check."""
    return parse(read_text(path), str(path))


def load(path: Path) -> TrapTable:
    """The table in a file. Raises UserFileError with every error of the file."""
    return _only_good(check(path))


FORMAT_PAGE: Final = "`trapdial docs trap_tables` says what a trap table's file holds"
"""Ends every message about a file that cannot be used."""

SAMPLES: Final = ("SAMPLE-A", "SAMPLE-B", "SAMPLE-12")


def load_sample(name: str) -> TrapTable:
    """One of the tables that ship with the program; all their numbers are made up."""
    return _only_good(check(sample_path(name)))


def sample_path(name: str) -> Path:
    """The file of a shipped sample. Raises UserFileError, with a guess, for any other name."""
    if name not in SAMPLES:
        raise UserFileError([f"sample:{name}: there is no such sample table; {did_you_mean(name, SAMPLES)}"])
    return Path(__file__).with_name("samples") / f"{name}.toml"


def _only_good(checked: ParsedTable) -> TrapTable:
    if checked.table is None:
        errors = errors_of(checked.problems)
        raise UserFileError([*(str(problem) for problem in errors), f"{errors[0].file}: {FORMAT_PAGE}."])
    return checked.table


# ---------------------------------------------------------------------------------------------- the head


class TableHead(msgspec.Struct, kw_only=True):
    name: Annotated[str, Meta(pattern=r"^\S(.{0,38}\S)?\Z", max_length=40, description="a text of 1 to 40 characters")]
    provenance: Annotated[Provenance, Meta(description=one_of(PROVENANCES))]
    transcribed_by: Annotated[str, Meta(max_length=60, description="a name of at most 60 characters")] = ""
    checked_by: Annotated[str, Meta(max_length=60, description="a name of at most 60 characters")] = ""
    date: Annotated[datetime.date | None, Meta(description="a day such as 2025-03-09")] = None
    clicks: Annotated[
        int,
        Meta(ge=FEWEST_CLICKS, le=MOST_CLICKS, description="a whole number from 8 to 36, usually 12"),
    ] = 12
    expose_direction: Annotated[
        Literal["ccw"], Meta(description="'ccw': dials are exposed counter-clockwise (T-DIAL-8)")
    ] = "ccw"
    note: Annotated[str, Meta(max_length=500, description="a text of at most 500 characters")] = ""


SETTINGS_INSTEAD: Final = "these are a table's settings, not a trap table; check them with `trapdial settings check -s`"


def _read_table(raw: Mapping[str, object], complaints: Complaints) -> TrapTable | None:
    if "face" not in raw and ("square" in raw or "seat" in raw):
        complaints.error("", "", SETTINGS_INSTEAD)
        return None
    good = read_values(TableHead, raw, "", complaints, elsewhere=["face"], many_lines=["note"], explain=_explain_head)
    head = built(TableHead, good) if is_whole(TableHead, good) else None
    _check_head(raw, good, complaints)
    clicks = head.clicks if head else cast("int", good.get("clicks", 12))  # T-DIAL-9
    clicks_known = "clicks" in good or "clicks" not in raw
    faces = _read_faces(raw.get("face"), clicks if clicks_known else None, complaints)
    if head is None or faces is None:
        return None
    return TrapTable(
        name=head.name,
        provenance=head.provenance,
        transcribed_by=head.transcribed_by,
        checked_by=head.checked_by,
        date=head.date.isoformat() if head.date else "",
        clicks=head.clicks,
        expose_direction=head.expose_direction,
        note=head.note,
        faces=faces,
    )


def fault_in_head(key: str, value: str) -> str | None:
    """Why a value of a key in a table's head is refused, or None."""
    complaints = Complaints("")
    read_values(TableHead, {key: value}, "", complaints, explain=_explain_head)
    return next((problem.reason for problem in complaints.found if problem.seen), None)


def _explain_head(key: str, value: object) -> str | None:
    if key == "provenance" and isinstance(value, str):
        return f"there is no such provenance; {did_you_mean(value, PROVENANCES)}"
    return None


def _check_head(raw: Mapping[str, object], good: Mapping[str, object], complaints: Complaints) -> None:
    clicks = good.get("clicks")
    if isinstance(clicks, int) and clicks < USUAL_FEWEST_CLICKS:
        reason = "fewer than 8: six that a die reaches, the start and the disarmed mark (T-DIAL-10)"
        complaints.warning("", seen_as("clicks", clicks), reason)
    if good.get("provenance") == "transcribed":
        _check_transcribers(raw, good, complaints)


def _check_transcribers(raw: Mapping[str, object], good: Mapping[str, object], complaints: Complaints) -> None:
    reader, checker = (str(good.get(key, "")).strip() for key in ("transcribed_by", "checked_by"))
    for key, who, job in (("transcribed_by", reader, "read"), ("checked_by", checker, "checked")):
        if not who and (key not in raw or key in good):
            complaints.error("", "", f"{key!r} is missing; a transcribed table names who {job} the dial")
    if reader and reader.casefold() == checker.casefold():
        complaints.error("", seen_as("checked_by", checker), "must be another person than transcribed_by")
    if "date" not in raw:
        complaints.error("", "", "'date' is missing; a transcribed table says on which day it was read")


# --------------------------------------------------------------------------------------------- the faces


class FaceRow(msgspec.Struct, kw_only=True):
    pos: Annotated[int, Meta(ge=0, lt=MOST_CLICKS, description="a whole number from 0 to clicks - 1")]
    kind: Annotated[FaceKind, Meta(description=one_of(KINDS))]
    click_number: Annotated[int, Meta(ge=0, le=99, description="a whole number from 0 to 99")] | None = None
    trap: Annotated[Trap, Meta(description=one_of(TRAP_IDS))] | None = None
    disarm: (
        Annotated[
            Annotated[int, Meta(ge=0, le=99)] | Annotated[str, Meta(pattern=DISARM_PATTERN)],
            Meta(description=DISARM_WORDS),
        ]
        | None
    ) = None
    xp: Annotated[int, Meta(ge=0, le=9999, description="a whole number from 0 to 9999")] | None = None


def _read_faces(rows: object, clicks: int | None, complaints: Complaints) -> tuple[Face, ...] | None:
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        reason = "there are no faces; write one [[face]] section for each position"
        complaints.error("" if rows is None else "face", "", reason)
        return None
    if len(rows) > 2 * MOST_CLICKS:
        complaints.error("[[face]]", f"{len(rows)} times", f"a dial has at most {MOST_CLICKS} positions")
        return None
    read = [_read_row(row, place, complaints) for place, row in zip(_places(rows), rows, strict=True)]
    _check_positions(rows, clicks, complaints)
    _check_marks(rows, complaints)
    faces = [face for face in read if face is not None]
    return tuple(sorted(faces, key=lambda face: face.position)) if len(faces) == len(rows) else None


def _places(rows: Sequence[Mapping[str, object]]) -> list[str]:
    """The name of each row in messages: its number in the file, and its position if it has one."""
    return [
        f"[[face]] {number}" + (f" (pos {pos})" if _is_number(pos := row.get("pos")) else "")
        for number, row in enumerate(rows, 1)
    ]


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -1000 < value < 1000


def _read_row(raw: Mapping[str, object], place: str, complaints: Complaints) -> Face | None:
    before = len(complaints.found)
    good = read_values(FaceRow, raw, place, complaints, explain=_explain_row)
    _check_trap_fields(raw, good, place, complaints)
    _check_reach(good, place, complaints)
    _check_click_number(good, place, complaints)
    _check_hand(good, place, complaints)
    if errors_of(complaints.found[before:]):
        return None
    row = built(FaceRow, good)
    return Face(
        position=row.pos,
        kind=row.kind,
        click_number=row.click_number,
        trap=row.trap,
        disarm=None if row.disarm is None else Disarm.parse(str(row.disarm)),
        xp=row.xp,
    )


def _explain_row(key: str, value: object) -> str | None:
    if key == "trap" and isinstance(value, str):
        return f"there is no such trap; {did_you_mean(value, TRAP_IDS)}"
    if key == "kind" and isinstance(value, str):
        if value in TRAP_IDS:
            return f"write kind = 'trap' and trap = {value!r}"
        return f"there is no such kind; {did_you_mean(value, KINDS)}"
    return None


def _check_trap_fields(
    raw: Mapping[str, object], good: Mapping[str, object], place: str, complaints: Complaints
) -> None:
    """A trap carries its four fields and nothing else does (T-DIAL-2)."""
    kind = good.get("kind")
    if kind == "trap":
        for key in ("click_number", "trap", "disarm", "xp"):
            if key not in raw:
                complaints.error(place, "", f"{key!r} is missing; a trap carries all four (T-DIAL-2)")
    elif kind is not None:
        for key in ("trap", "disarm", "xp"):
            if key in raw:
                reason = f"only a trap has this, and kind is {kind!r} (T-DIAL-2)"
                complaints.error(place, seen_as(key, raw[key]), reason)


def _check_reach(good: Mapping[str, object], place: str, complaints: Complaints) -> None:
    if good.get("kind") in ("start", "disarmed") and good.get("pos") in REACH_OF_A_DIE:
        reason = "is within reach of one die, positions 1 to 6 (T-DIAL-10); check the dial again"
        complaints.warning(place, seen_as("kind", good["kind"]), reason)


def _check_click_number(good: Mapping[str, object], place: str, complaints: Complaints) -> None:
    pos, number = good.get("pos"), good.get("click_number")
    if pos is not None and number is not None and pos != number:
        reason = "differs from pos (T-DIAL-11); check whether a position was left out"
        complaints.warning(place, seen_as("click_number", number), reason)


def _check_hand(good: Mapping[str, object], place: str, complaints: Complaints) -> None:
    if good.get("trap") is Trap.MONSTROUS_HAND and "disarm" in good and good["disarm"] not in (10, "10"):
        reason = "the printed number holds until the hand is triggered, then it is 10 (E-HAND-6)"
        complaints.information(place, seen_as("disarm", good["disarm"]), reason)


def _check_positions(rows: Sequence[Mapping[str, object]], clicks: int | None, complaints: Complaints) -> None:
    """Positions run from 0 to clicks - 1, each exactly once."""
    positions = Counter(cast("int", row["pos"]) for row in rows if _is_number(row.get("pos")))
    for pos, times in sorted(positions.items()):
        if times > 1:
            complaints.error("[[face]]", f"pos = {pos}", f"appears {times} times; list each position once")
        if clicks is not None and not 0 <= pos < clicks and 0 <= pos < MOST_CLICKS:
            complaints.error("[[face]]", f"pos = {pos}", f"a dial of {clicks} clicks ends at {clicks - 1}")
    missing = [pos for pos in range(clicks or 0) if pos not in positions]
    if missing:
        listed = ", ".join(map(str, missing))
        reason = f"no face has pos {listed}; write one for every position from 0 to {(clicks or 0) - 1}"
        complaints.error("[[face]]", "", reason)


def _check_marks(rows: Sequence[Mapping[str, object]], complaints: Complaints) -> None:
    """One start, at position 0 (T-DIAL-4), and at least one disarmed (T-DIAL-5)."""
    starts = [row.get("pos") for row in rows if row.get("kind") == "start"]
    if starts != [0]:
        seen = f"{len(starts)} times kind = 'start'" if len(starts) != 1 else f"start at pos {starts[0]}"
        complaints.error("[[face]]", seen, "there must be exactly one start, at pos 0 (T-DIAL-4)")
    if not any(row.get("kind") == "disarmed" for row in rows):
        complaints.error("[[face]]", "", "no face is 'disarmed'; every dial has such a mark (T-DIAL-5)")


# --------------------------------------------------------------------------------- from a table to text


def write(table: TrapTable) -> str:
    """The table as the text of a file that `parse` reads back to an equal table."""
    head = {key: getattr(table, key) for key in ("name", "provenance", "transcribed_by", "checked_by")}
    lines = [f"{key} = {_quoted(value)}" for key, value in head.items() if value]
    lines += [f"date = {table.date}"] if table.date else []
    lines += [f"clicks = {table.clicks}", f"expose_direction = {_quoted(table.expose_direction)}"]
    lines += [f"note = {_quoted(table.note)}"] if table.note else []
    return "\n".join([*lines, *(f"\n[[face]]\n{_written(face)}" for face in table.faces)]) + "\n"


def _written(face: Face) -> str:
    values = {
        "pos": str(face.position),
        "kind": _quoted(face.kind),
        "click_number": None if face.click_number is None else str(face.click_number),
        "trap": None if face.trap is None else _quoted(face.trap.value),
        "disarm": None if face.disarm is None else _quoted(face.disarm.printed()),
        "xp": None if face.xp is None else str(face.xp),
    }
    return "\n".join(f"{key} = {value}" for key, value in values.items() if value is not None)


_NEEDS_ESCAPE = re.compile(r'[\x00-\x1f\x7f"\\]')


def _quoted(text: str) -> str:
    return '"' + _NEEDS_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04X}", text) + '"'
