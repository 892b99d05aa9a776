"""What an auditor should look at, over all tables: forks, copied cards, changed games, dead stations, dials."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from pi_app.centre.facts.values import RecordFacts, unpacked_facts
from pi_app.centre.findings.chains import chains, cloned, is_silent, plays
from pi_app.centre.findings.dials import dial_findings
from pi_app.centre.findings.found import CHANGED, CLOCK, CLONE, FORK, POWER, SILENT, FindingLevel, FleetFinding
from pi_app.centre.store.store import CentreStore, KeptFacts, KeptRecord

WEEK_S: Final = 7 * 86_400

CUTS: Final = 2
"""A machine that restarted so often in games within a week has trouble with its power. One restart may be a hand."""


def fleet_findings(store: CentreStore, now_s: int) -> list[FleetFinding]:
    """Look for findings in all records, the worst first. Raises StoreError."""
    records = store.records()
    facts = {number: _facts(kept) for number, kept in store.all_facts().items()}
    by_number = {each.number: each for each in records}
    found = [*_forks(store, records), *_of_tables(records, facts, now_s)]
    newest = [chain[0].number for chain in chains(records) if not chain[0].revoked]
    fleet = {number: list(facts[number].dials.values()) for number in newest if number in facts}
    for each in dial_findings(fleet):
        record = by_number[each.number]
        found.append(_found(record, each.test, f"{record.name}: {each.words}", square=each.square, p=each.p))
    return sorted(found, key=lambda each: each.level != "stop")


def _facts(kept: KeptFacts) -> RecordFacts:
    return unpacked_facts(kept.data) or RecordFacts()


def _forks(store: CentreStore, records: Sequence[KeptRecord]) -> Iterator[FleetFinding]:
    """Yield the newest evidence against each record, with the number of all."""
    against = store.evidence.counts()
    for record in records:
        if record.origin in against:
            (each,) = store.evidence.newest(record.origin, 1)
            seen = f"{date(each.at_s)}, from {each.address or 'a file'}"
            count = against[record.origin].count
            often = f" So did {count - 1:,} more." if count > 1 else ""
            advice = "Stop play there until you know which card is the copy: trapdial docs centre"
            words = f"{record.name}: its record has two histories. {each.why} It came on {seen}.{often} {advice}."
            yield _found(record, FORK, words, level="stop", at_s=each.at_s)


def _of_tables(records: Sequence[KeptRecord], facts: Mapping[int, RecordFacts], now_s: int) -> Iterator[FleetFinding]:
    found = chains(records)
    twice = cloned(found)
    for chain in found:
        for record in chain:
            if record.origin in twice:
                words = (
                    f"{record.name}: another table continues the same older record. One of the two runs on a copy of "
                    "the other's card. Give the copy a record of its own: trapdial docs centre."
                )
                yield _found(record, CLONE, words, level="stop")
            yield from _changed(record, facts.get(record.number, RecordFacts()))
        if not chain[0].revoked:
            yield from _of_table(chain[0], facts.get(chain[0].number, RecordFacts()), now_s)


def _changed(record: KeptRecord, facts: RecordFacts) -> Iterator[FleetFinding]:
    if facts.wrong:
        first = facts.wrong[0]
        more = f" So are {facts.wrong_count - 1} other games." if facts.wrong_count > 1 else ""
        words = (
            f"{record.name}: the game {first.game} is not what its beginning promised: entry {first.entry} "
            f"{first.seen}.{more} Ask who changed the program there."
        )
        yield _found(record, CHANGED, words, level="stop")


def _of_table(record: KeptRecord, facts: RecordFacts, now_s: int) -> Iterator[FleetFinding]:
    if record.seen_s and is_silent(record, now_s) and plays(record):
        words = f"{record.name}: it fell silent in a game, on {date(record.seen_s)}. Check its power and its network."
        yield _found(record, SILENT, words, at_s=record.seen_s)
    if facts.clock == "none":
        words = f"{record.name}: its clock is not set, so the dates of its entries are wrong. Check its network."
        yield _found(record, CLOCK, words)
    if (cuts := cuts_since(facts, now_s - WEEK_S)) >= CUTS:
        words = (
            f"{record.name}: its machine restarted {cuts} times in games within a week. Check its power supply and "
            "its plug."
        )
        yield _found(record, POWER, words, at_s=facts.cuts[-1])


def cuts_since(facts: RecordFacts, since_s: int) -> int:
    """Return how often the machine restarted in a game since then; those without a date do not count."""
    return sum(each >= since_s for each in facts.cuts)


def _found(
    record: KeptRecord,
    kind: str,
    words: str,
    *,
    level: FindingLevel = "look",
    square: str = "",
    p: float | None = None,
    at_s: int | None = None,
) -> FleetFinding:
    return FleetFinding(
        kind=kind,
        table=record.name,
        shop=record.shop,
        origin=record.origin,
        level=level,
        words=words,
        square=square,
        p=p,
        at_s=at_s,
    )


def date(time_s: int) -> str:
    """Write a POSIX time as date and time, UTC."""
    return f"{datetime.fromtimestamp(time_s, UTC):%Y-%m-%d %H:%M} UTC"
