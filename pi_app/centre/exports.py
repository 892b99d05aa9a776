"""What a centre knows, as Parquet files for DuckDB and whatever else reads them.

Only games that have ended are opened. Names of players, seats and what a trap table says are in no file. A shop gets
its own tables. Everybody gets sums of whole steps: five games of a table in a row. A game stays in one step for ever,
so two such exports, of whatever dates, differ by whole steps: they cannot be subtracted to one evening.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pi_app.audit.values import FileAudit, TurnSeen
from pi_app.centre.facts import ended_game as of
from pi_app.centre.facts.values import DialFacts, RecordFacts, unpacked_facts
from pi_app.centre.findings.game_audit import NoAuditError, ended_audit
from pi_app.centre.findings.summary import GameRow, all_games, game_row
from pi_app.centre.findings.tables import TableRow, table_rows
from pi_app.centre.parquet import ParquetColumns, ParquetFolder
from pi_app.centre.roles import ReaderRights
from pi_app.centre.store.store import CentreStore, GameState, KeptGame, KeptRecord

STEP: Final = 5
"""The games of a table that everybody may have a sum of."""

TESTS: Final = (
    of.BETWEEN, of.DIRECTION, of.DIE_COUNT, of.START, of.DRIFT_LEFT, of.DRIFT_RIGHT, of.MAGNET, of.UNREAD,
)  # fmt: skip


def _test_columns() -> dict[str, str]:
    names = [test.replace(" ", "_") for test in TESTS]
    return {column: "BIGINT" for name in names for column in (f"{name}_games", f"{name}_of")}


_WHERE: Final = {"table_name": "VARCHAR", "shop": "VARCHAR", "origin": "VARCHAR"}

FILES: Final[Mapping[str, ParquetColumns]] = {
    "tables": _WHERE
    | {"level": "VARCHAR", "words": "VARCHAR[]", "entries": "BIGINT", "seen": "TIMESTAMP", "begun": "BIGINT"}
    | {"ended": "BIGINT", "play_s": "DOUBLE", "turns": "BIGINT", "boots": "BIGINT", "restarts": "BIGINT"}
    | {"power_cuts": "BIGINT", "clock": "VARCHAR", "clock_steps": "BIGINT", "learnt": "BIGINT"},
    "games": _WHERE
    | {"game": "VARCHAR", "state": "VARCHAR", "first": "BIGINT", "last": "BIGINT", "began": "TIMESTAMP"}
    | {"length_s": "DOUBLE", "simulated": "BOOLEAN", "verdict": "VARCHAR", "findings": "BIGINT", "faults": "BIGINT"}
    | {"turns": "BIGINT"},
    "dials": _WHERE
    | {"square": "VARCHAR", "tile": "VARCHAR", "games": "BIGINT", "turns": "BIGINT", "turns_between": "BIGINT"}
    | dict.fromkeys(("faces", "reach", "hits", "starts", "gap_steps", "read_steps"), "BIGINT[]")
    | _test_columns(),
    "turns": _WHERE
    | {"game": "VARCHAR", "entry": "BIGINT", "square": "VARCHAR", "purpose": "VARCHAR", "claim": "VARCHAR"}
    | {"start_s": "DOUBLE", "end_s": "DOUBLE", "from_position": "BIGINT", "to_position": "BIGINT"}
    | {"clicks": "BIGINT", "between": "BOOLEAN", "rolled": "BIGINT", "clicks_per_s": "DOUBLE", "error_deg": "DOUBLE"}
    | {"while_off": "BOOLEAN", "samples": "BIGINT", "failed_reads": "BIGINT", "longest_gap_ms": "DOUBLE"},
}
"""The columns of each file. `faces`, `reach`, `hits`, `starts`, `gap_steps` and `read_steps` are as in `DialFacts`;
`between_games` and `between_of`: in how many games of how many a dial rested between two detents, and so on."""

PUBLIC_FILES: Final[Mapping[str, ParquetColumns]] = {
    "months": {"shop": "VARCHAR", "month": "VARCHAR", "games": "BIGINT", "play_s": "DOUBLE", "turns": "BIGINT"}
}
"""For everybody: the steps of each shop and month. A step counts in the month in which its last game began."""


def export(store: CentreStore, folder: Path, rights: ReaderRights, now_s: int, since: str = "") -> dict[str, int]:
    """Write all that a reader with these rights may have into a folder; return how many lines each file has. `since`:
    only games that began on this day (2026-05-16) or later; for everybody, only months that did. Raises StoreError,
    UserFileError."""
    with ParquetFolder(folder, FILES if rights.sees_tables else PUBLIC_FILES) as files:
        if rights.sees_tables:
            _export_tables(store, files, rights, now_s, since)
        else:
            for line in _months(store, since):
                files.add("months", line)
        files.finish()
        return files.counts


def _export_tables(store: CentreStore, files: ParquetFolder, rights: ReaderRights, now_s: int, since: str) -> None:
    records = {each.origin: each for each in store.records() if rights.sees(each.shop)}
    facts = {number: unpacked_facts(kept.data) or RecordFacts() for number, kept in store.all_facts().items()}
    for row in table_rows(store, now_s):
        if row.origin in records:
            files.add("tables", _table(row, facts.get(records[row.origin].number, RecordFacts())))
    for record in records.values():
        for dial in facts.get(record.number, RecordFacts()).dials.values():
            files.add("dials", _where(record) | _dial(dial))
        for game in all_games(store, record):
            if (game.began or "") >= since:
                audit = _audited(store, record, game)
                files.add("games", _where(record) | _game(game, audit))
                for turn in audit.games[0].turns if audit is not None else ():
                    files.add("turns", _where(record) | {"game": game.game} | _turn(turn))


def _months(store: CentreStore, since: str) -> Iterator[dict[str, object]]:
    """Yield the sums of each shop and month that has a step."""
    sums: dict[tuple[str, str], list[float]] = {}
    for record in store.records():
        for step in _whole_steps(store.games(record.number)):
            games = [game_row(store, record, game) for game in step]
            month = (games[-1].began or "")[:7]
            if f"{month}-01" < since:
                continue
            total = sums.setdefault((record.shop, month), [0, 0.0, 0])
            for game in games:
                audit = _audited(store, record, game)
                total[0] += 1
                total[1] += game.length_s or 0.0
                total[2] += len(audit.games[0].turns) if audit is not None else 0
    for (shop, month), (games_in_all, play_s, turns) in sorted(sums.items()):
        yield {"shop": shop, "month": month, "games": games_in_all, "play_s": round(play_s, 3), "turns": turns}


def _whole_steps(games: Sequence[KeptGame]) -> Iterator[list[KeptGame]]:
    """Yield the steps of a record whose games have all ended, in order. A step that loses a game is gone for ever: no
    other game comes into its place, so what the lost one added is hidden among all five."""
    steps: dict[int, list[KeptGame]] = {}
    for game in sorted(games, key=lambda game: game.place):
        if game.state is GameState.ENDED:
            steps.setdefault((game.place - 1) // STEP, []).append(game)
    yield from (step for step in steps.values() if len(step) == STEP)


def _audited(store: CentreStore, record: KeptRecord, game: GameRow) -> FileAudit | None:
    """Return the audit of a game that has ended; None for any other, and for one that has none."""
    if game.state != GameState.ENDED.value:
        return None
    try:
        return ended_audit(store.rows(record.number, game.first, game.last), game.game, record.name)
    except NoAuditError:
        return None


def _where(record: KeptRecord) -> dict[str, object]:
    return {"table_name": record.name, "shop": record.shop, "origin": record.origin}


def _table(row: TableRow, facts: RecordFacts) -> dict[str, object]:
    return {
        "table_name": row.name,
        "shop": row.shop,
        "origin": row.origin,
        "level": row.level,
        "words": row.words,
        "entries": row.size,
        "seen": _date(row.seen_s) if row.seen_s else None,
        "begun": facts.begun,
        "ended": facts.ended,
        "play_s": facts.play_s,
        "turns": facts.turns,
        "boots": facts.boots,
        "restarts": facts.restarts,
        "power_cuts": facts.cut_count,
        "clock": facts.clock,
        "clock_steps": facts.clock_steps,
        "learnt": facts.entries,
    }


def _game(game: GameRow, audit: FileAudit | None) -> dict[str, object]:
    opened = None if audit is None else audit.games[0]
    return {
        "game": game.game,
        "state": game.state,
        "first": game.first,
        "last": game.last,
        "began": _dated(game.began),
        "length_s": game.length_s,
        "simulated": None if opened is None else opened.simulated,
        "verdict": None if audit is None else audit.verdict,
        "findings": None if opened is None else len(opened.findings),
        "faults": None if opened is None else len(opened.faults),
        "turns": None if opened is None else len(opened.turns),
    }


def _dial(dial: DialFacts) -> dict[str, object]:
    line: dict[str, object] = {
        "square": dial.square,
        "tile": dial.tile or None,
        "games": dial.games,
        "turns": dial.turns,
        "turns_between": dial.between,
        "faces": dial.faces,
        "reach": dial.reach,
        "hits": dial.hits,
        "starts": dial.starts,
        "gap_steps": dial.gaps,
        "read_steps": dial.reads,
    }
    for test in TESTS:
        name = test.replace(" ", "_")
        line |= {f"{name}_games": dial.events(test), f"{name}_of": dial.trials(test)}
    return line


def _turn(turn: TurnSeen) -> dict[str, object]:
    return {
        "entry": turn.entry,
        "square": turn.square,
        "purpose": turn.purpose,
        "claim": turn.claim,
        "start_s": turn.start_s,
        "end_s": turn.end_s,
        "from_position": turn.from_position,
        "to_position": turn.to_position,
        "clicks": turn.clicks,
        "between": turn.between is not None,
        "rolled": turn.rolled,
        "clicks_per_s": turn.clicks_per_s,
        "error_deg": turn.error_deg,
        "while_off": turn.while_off,
        "samples": turn.samples,
        "failed_reads": turn.failed_reads,
        "longest_gap_ms": turn.longest_gap_ms,
    }


def _date(time_s: int) -> str:
    return f"{datetime.fromtimestamp(time_s, UTC):%Y-%m-%d %H:%M:%S}"


def _dated(wall: str | None) -> str | None:
    """Write a date as it was recorded for a file, in UTC; None for one that is none."""
    try:
        at = datetime.fromisoformat(wall or "")
        return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S.%f}"
    except (ValueError, OverflowError):
        return None
