"""The trap tables that the squares of the settings name. Which square holds which table is a secret (S-9): problems
name the square or the number of problems, and no table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from hardware.encoders import ENCODERS, STEPS_PER_TURN
from pi_app.game import trap_table_file as tables
from pi_app.game.trap_table import TrapTable
from pi_app.game.trap_table_file import ParsedTable
from pi_app.settings.wiring import Section
from pi_app.text.errors import UserFileError
from pi_app.text.suggest import one_of
from pi_app.text.user_file import Complaints, Severity

SAMPLE_PREFIX: Final = "sample:"

ReadTable = Callable[[str], ParsedTable]
"""Reads the table that a square's `table` names. Raises UserFileError if there is no text to check."""


def tables_beside(folder: Path) -> ReadTable:
    """Read `sample:NAME` from what ships, and any other name as a file in `folder`."""

    def read_table(source: str) -> ParsedTable:
        if source.startswith(SAMPLE_PREFIX):
            return tables.check(tables.sample_path(source.removeprefix(SAMPLE_PREFIX)))
        return tables.check(folder / source)

    return read_table


def read_trap_tables(
    squares: Mapping[str, Section], read_table: ReadTable, complaints: Complaints
) -> dict[str, TrapTable]:
    """Read each trap table once. Errors name the square and no table, warnings name neither: `tables check` lists the
    problems of a table."""
    sources = {label: str(good["table"]) for label, good in squares.items() if "table" in good}
    found: dict[str, TrapTable] = {}
    bad: dict[str, str] = {}
    warned = 0
    for source in dict.fromkeys(sources.values()):
        try:
            checked = read_table(source)
        except UserFileError as refused:
            bad[source] = _without_name(refused, source)
            continue
        if checked.table is not None:
            found[source] = checked.table
            warned += sum(problem.severity is Severity.WARNING for problem in checked.problems)
        else:
            bad[source] = f"its trap table has errors; `trapdial tables check` lists them, and {tables.FORMAT_PAGE}"
    bad |= _same_names(found)
    for label, source in sources.items():
        if source in bad:
            complaints.error(f"[square.{label}]", "table", bad[source])
    if warned:
        reason = f"{warned} warning{'s' if warned > 1 else ''} in the trap tables; `trapdial tables check` lists them"
        complaints.warning("", "", reason)
    if any(table.is_sample for table in found.values()):
        reason = "SAMPLE tables are in use; their numbers are made up, and every display says so"
        complaints.warning("", "", reason)
    return found


def _without_name(refused: UserFileError, source: str) -> str:
    """Return why there is no text to read, without the name of the table."""
    if source.startswith(SAMPLE_PREFIX):
        return f"there is no sample table of this name; there is {one_of(tables.SAMPLES)}"
    reasons = (problem.partition(f"{source}: ")[2] or "its trap table cannot be read" for problem in refused.problems)
    return f"{'; '.join(reasons)}; {tables.FORMAT_PAGE}"


def check_steps(squares: Mapping[str, Section], found: Mapping[str, TrapTable], complaints: Complaints) -> None:
    """Warn if an encoder that counts steps does not count as many as the dial's clicks make in one turn."""
    for label, good in squares.items():
        kind = ENCODERS[str(good.get("chip", "as5600"))]
        table = found.get(str(good.get("table")))
        place, per_click = f"[square.{label}]", good.get("steps_per_click", 2)
        if kind.absolute:
            if "steps_per_click" in good:
                reason = "only an encoder that counts steps has it; leave it out"
                complaints.error(place, f"steps_per_click = {per_click}", reason)
        elif table is not None and isinstance(per_click, int) and table.clicks * per_click != STEPS_PER_TURN:
            made = f"{table.clicks} clicks make {table.clicks * per_click} steps in a turn"
            reason = f"{made}; the {kind.part} has {STEPS_PER_TURN}"
            complaints.warning(place, f"steps_per_click = {per_click}", reason)


def _same_names(found: Mapping[str, TrapTable]) -> dict[str, str]:
    """Return the tables that differ and share a name, with the reason: the journal and `tables show` use the name."""
    by_name: dict[str, TrapTable] = {}
    return {
        source: "its trap table has the name of another one and differs; give each table a name of its own"
        for source, table in found.items()
        if by_name.setdefault(table.name, table) != table
    }
