"""One row for each table, in words: what an auditor reads first."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Literal

from pi_app.audit.stamps import SIMULATED
from pi_app.centre.facts.values import RecordFacts, unpacked_facts
from pi_app.centre.findings.chains import chains, cloned, is_silent, plays
from pi_app.centre.findings.fleet import CUTS, WEEK_S, cuts_since
from pi_app.centre.findings.found import CHANGED, SHORT, FleetFinding, kept_findings
from pi_app.centre.store.evidence_rows import Contradictions
from pi_app.centre.store.store import CentreStore, KeptRecord
from pi_app.text.language import count_entries

BEHIND: Final = 50
"""Fewer entries than this wait at a table that plays: they come with its next hand-over."""

UNSEEN: Final = "enrolled, and not seen yet"
BROUGHT: Final = f"{UNSEEN}: its entries came on a stick, or from somebody else"

DAY_S: Final = 86_400

PAUSE_S: Final = 1_800
"""A table whose newest entry is older than this does not play now, though its game has no end yet."""

RowLevel = Literal["well", "look", "stop"]
"""Nothing to do; look at it when you can; stop, and look before this table plays on."""

_LEVELS: Final[tuple[RowLevel, ...]] = ("well", "look", "stop")


@dataclass(frozen=True, slots=True)
class RowWord:
    """A phrase about a table, and how much it matters."""

    text: str
    level: RowLevel = "well"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A table. `words`: phrases such as "plays" and "its clock is not set", the most important first; `level`: that of
    the worst of them; `size`: the entries of its newest record here; `seen_s`: POSIX seconds, 0 if never."""

    name: str
    shop: str
    origin: str
    words: tuple[str, ...]
    level: RowLevel
    size: int
    seen_s: int


def table_rows(store: CentreStore, now_s: int) -> list[TableRow]:
    """Return a row for each table, in the order of their enrolment. A table that began another record has one row, for
    its newest record. Raises StoreError."""
    against, found = store.evidence.counts(), chains(store.records())
    facts = {number: unpacked_facts(kept.data) or RecordFacts() for number, kept in store.all_facts().items()}
    by_origin: dict[str, list[FleetFinding]] = {}
    for each in kept_findings(store):
        by_origin.setdefault(each.origin, []).append(each)
    seen = _Seen(against, cloned(found), facts, by_origin)
    return [_row(chain, seen, now_s) for chain in found]


@dataclass(frozen=True, slots=True)
class _Seen:
    """What was seen of all tables. `against`: what came against an origin; `twice`: copied records; `facts`:
    by a record's number; `found`: of each origin, what was found last."""

    against: Mapping[str, Contradictions]
    twice: Collection[str]
    facts: Mapping[int, RecordFacts]
    found: Mapping[str, Sequence[FleetFinding]]


def _row(chain: Sequence[KeptRecord], seen: _Seen, now_s: int) -> TableRow:
    newest = chain[0]
    words = sorted(_words(chain, seen, now_s), key=lambda each: -_LEVELS.index(each.level))
    return TableRow(
        name=newest.name,
        shop=newest.shop,
        origin=newest.origin,
        words=tuple(each.text for each in words),
        level=words[0].level,
        size=newest.known.size,
        seen_s=newest.seen_s,
    )


def _words(chain: Sequence[KeptRecord], seen: _Seen, now_s: int) -> Iterator[RowWord]:
    newest, facts = chain[0], seen.facts.get(chain[0].number, RecordFacts())
    for each in chain:
        if each.origin in seen.against:
            yield RowWord(
                f"forked: its record has two histories, seen {when(seen.against[each.origin].newest_s, now_s)}", "stop"
            )
        if each.origin in seen.twice:
            yield RowWord("cloned: another table continues the same older record", "stop")
        if any(found.kind == CHANGED for found in seen.found.get(each.origin, ())):
            yield RowWord("changed: a game is not what its beginning promised", "stop")
    if newest.revoked:
        yield RowWord("revoked: nothing more is taken from it", "look")
        return
    yield _heard(newest, facts, now_s)
    if newest.behind >= BEHIND:
        yield RowWord(f"behind by {count_entries(newest.behind)}", "look" if is_silent(newest, now_s) else "well")
    if facts.clock == "none":
        yield RowWord("its clock is not set", "look")
    if cuts := cuts_since(facts, now_s - WEEK_S):
        often = "once" if cuts == 1 else f"{cuts} times"
        yield RowWord(f"its power was cut in a game {often} this week", "look" if cuts >= CUTS else "well")
    yield from _of_dials(seen.found.get(newest.origin, ()))
    if newest.known.boot.startswith(SIMULATED):
        yield RowWord("SIMULATED")


def _of_dials(found: Sequence[FleetFinding]) -> Iterator[RowWord]:
    """Yield what was found at dials: those with the same words together."""
    together: dict[str, list[str]] = {}
    for each in found:
        if each.kind in SHORT and each.square not in (names := together.setdefault(SHORT[each.kind], [])):
            names.append(each.square)
    for words, names in together.items():
        yield RowWord(f"{words}: dial{'s' * (len(names) > 1)} {', '.join(sorted(names))}", "look")


def _heard(record: KeptRecord, facts: RecordFacts, now_s: int) -> RowWord:
    if not record.seen_s:
        return RowWord(BROUGHT if record.known.size else UNSEEN, "look")
    if is_silent(record, now_s):
        return RowWord(f"silent since {when(record.seen_s, now_s)}", "look")
    if not plays(record):
        return RowWord("idle")
    if facts.entries == record.known.size and facts.clock != "none" and record.seen_s - facts.wall_s > PAUSE_S:
        return RowWord(f"idle, with a game open since {when(facts.wall_s, now_s)}")
    return RowWord("plays")


def when(time_s: int, now_s: int) -> str:
    """Write a POSIX time: the hour alone if that is clear."""
    at = datetime.fromtimestamp(time_s, UTC)
    recent = 0 <= now_s - time_s < DAY_S
    return f"{at:%H:%M} UTC" if recent else f"{at:%Y-%m-%d %H:%M} UTC"
