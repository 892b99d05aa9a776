"""What programs read of a centre: `/status.json`, and `/metrics` for Prometheus. Pure.

Nothing here is from inside a game. A shop's figures are made from its own rows alone, and no figure of the whole centre
is among them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import msgspec

from pi_app.centre.findings.tables import RowLevel, TableRow
from pi_app.centre.pages.kept_rows import RowsThen
from pi_app.centre.pages.rows import LEVELS, hashed, plays
from pi_app.centre.roles import ReaderRights
from pi_app.centre.service.bundles import Bundles
from pi_app.centre.service.counts import CentreCounts
from pi_app.centre.service.histogram import Histogram

METRICS_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class TableStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One table. `level`: "well", "look" or "stop"; `seen_s`: POSIX seconds, 0 for never; `page`: its page
    here; `findings`: whole sentences."""

    name: str
    shop: str
    origin: str
    level: RowLevel
    words: tuple[str, ...]
    entries: int
    seen_s: int
    page: str
    findings: tuple[str, ...]


class CentreStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The whole of `/status.json`, for one reader. `version`: of this form; a program ignores fields that it does not
    know. `at_s`: of what it says, POSIX seconds; `trouble`: why that is old, else empty; `clock`: why the centre does
    not cosign, else empty."""

    version: int = 1
    centre: str
    at_s: int
    trouble: str
    clock: str
    tables: tuple[TableStatus, ...]


def status(centre: str, seen: RowsThen, clock: str = "") -> bytes:
    """Return the JSON of what a reader sees. `clock`: why the centre does not cosign, empty if it does."""
    findings: dict[str, list[str]] = {}
    for each in seen.findings:
        findings.setdefault(each.origin, []).append(each.words)
    tables = tuple(
        TableStatus(
            name=row.name,
            shop=row.shop,
            origin=row.origin,
            level=row.level,
            words=tuple(row.words),
            entries=row.size,
            seen_s=row.seen_s,
            page=f"/table/{hashed(row.origin)}",
            findings=tuple(findings.get(row.origin, ())),
        )
        for row in seen.rows
    )
    found = CentreStatus(centre=centre, at_s=int(seen.at_s), trouble=seen.trouble, clock=clock, tables=tables)
    return msgspec.json.encode(found) + b"\n"


# --------------------------------------------------------------------------------------------------------- Prometheus


def metrics(
    rights: ReaderRights,
    seen: RowsThen,
    counts: CentreCounts,
    bundles: Bundles,
    *,
    in_doubt: bool = False,
) -> str:
    """Return the figures of a reader in Prometheus' text format 0.0.4. `in_doubt`: the clock is."""
    lines = list(_of_tables(rights, seen.rows, seen.at_s))
    counted = Counter(each.kind for each in seen.findings)
    kinds = {f"{{kind={_quoted(kind)}}}": number for kind, number in counted.items()}
    lines += _family("trapdial_centre_findings", "gauge", "Findings by kind.", kinds)
    if rights.role == "auditor":
        lines += _of_centre(counts, bundles)
        about = "1 while the centre does not cosign because its clock is in doubt."
        lines += _family("trapdial_centre_clock_in_doubt", "gauge", about, {"": int(in_doubt)})
    return "".join(f"{line}\n" for line in lines)


def _of_tables(rights: ReaderRights, rows: Sequence[TableRow], at_s: float) -> Iterator[str]:
    levels = {f'{{level="{level}"}}': sum(row.level == level for row in rows) for level in LEVELS}
    about = "Tables by level: stop needs a person now, look needs a look."
    yield from _family("trapdial_centre_tables", "gauge", about, levels)
    yield from _family("trapdial_centre_playing", "gauge", "Tables with a game on.", {"": sum(map(plays, rows))})
    every = [(_labels(rights, row), row) for row in rows]
    worst = {labels: LEVELS[::-1].index(row.level) for labels, row in every}
    about = "0 a table is well, 1 it needs a look, 2 it needs a person now."
    yield from _family("trapdial_centre_table_level", "gauge", about, worst)
    entries = {labels: row.size for labels, row in every}
    yield from _family("trapdial_centre_table_entries", "gauge", "Entries of a table that are here.", entries)
    silent = {labels: max(0, int(at_s) - row.seen_s) for labels, row in every if row.seen_s}
    yield from _family("trapdial_centre_table_silent_seconds", "gauge", "Since a table was seen.", silent)


def _labels(rights: ReaderRights, row: TableRow) -> str:
    labels = {"shop": row.shop, "table": row.name}
    if rights.role == "auditor":
        labels["origin"] = row.origin
    else:
        labels["page"] = hashed(row.origin)[:12]
    return f"{{{','.join(f'{name}={_quoted(value)}' for name, value in labels.items())}}}"


def _of_centre(counts: CentreCounts, bundles: Bundles) -> Iterator[str]:
    answers = {f'{{status="{status}"}}': number for status, number in sorted(counts.answers.items())}
    yield from _family("trapdial_centre_answers_total", "counter", "Answers by status.", answers)
    for name, number, about in (
        ("entries", counts.entries, "Entries that were taken."),
        ("cosignatures", counts.cosignatures, "Cosignatures that were given."),
        ("evidence", counts.evidence, "Requests that contradicted what is here."),
        ("lost_races", counts.lost_races, "Hand-overs that another centre was faster with."),
    ):
        yield from _family(f"trapdial_centre_{name}_total", "counter", about, {"": number})
    yield from _family("trapdial_centre_waiting", "gauge", "Commits that wait.", {"": bundles.waiting})
    yield from _histogram("trapdial_centre_bundle_commits", "Hand-overs in one transaction.", bundles.sizes)
    yield from _histogram("trapdial_centre_bundle_entries", "Entries in one transaction.", bundles.entries)
    yield from _histogram("trapdial_centre_commit_seconds", "Time of one transaction.", bundles.seconds)


def _family(name: str, kind: str, about: str, values: Mapping[str, float]) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
    yield from (f"{name}{labels} {value}" for labels, value in values.items())


def _histogram(name: str, about: str, counted: Histogram) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} histogram"
    for bound, number in counted.at_most():
        yield f'{name}_bucket{{le="{"+Inf" if math.isinf(bound) else f"{bound:g}"}"}} {number}'
    yield f"{name}_sum {counted.total}"
    yield f"{name}_count {counted.count}"


def _quoted(text: str) -> str:
    """Return a label's value as the format wants it."""
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
    return f'"{escaped}"'
