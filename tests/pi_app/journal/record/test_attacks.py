"""Two verifiers, written apart from each other, judge random records, honest and attacked: they agree, they find every
attack that the page says they find, at its place, and they say nothing against an honest record.

`make attack-test` does it 10^5 times.
"""

from __future__ import annotations

import collections
import contextlib
import functools
import os
import random
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from hardware.host import memory_folder
from pi_app import journal as jn
from pi_app.journal.record import entry as rec
from pi_app.journal.record.heads import Head, last_signature
from pi_app.journal.record.merkle import Tree
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.verdict import Damage, RecordState, RecordVerdict
from pi_app.journal.record.verify import verify
from pi_app.journal.record.witnesses import strangers, witnesses_of
from pi_app.journal.recorded_game import read_event
from tests.pi_app.journal.keeping import forget_head
from tests.pi_app.journal.record import attacking
from tests.pi_app.journal.record.attacking import (
    ATTACKS,
    SEEN_ONCE_THE_GAME_HAS_ENDED,
    UNSEEN_WITHOUT_A_WITNESS,
    Attack,
    NoSuchPlace,
    Record,
    Rows,
    attack,
    play,
)
from wiring_docs.journal_verifier import NoJournalError, head_from, judge, judge_file

RECORDS = int(os.environ.get("TRAPDIAL_ATTACKS", "300"))
PER_CHUNK = 2_500
CHUNKS = range(-(-RECORDS // PER_CHUNK))
POOL = 12
SOUND = (RecordState.WHOLE, RecordState.INTERRUPTED)


@functools.cache
def pool(seed: int) -> list[Record]:
    """Honest records, played for this seed; one at least has a tombstone with entries in front of its game."""
    with tempfile.TemporaryDirectory(dir=memory_folder()) as inside:
        records: list[Record] = []
        while len(records) < POOL or not any(has_room_before_a_tombstone(record) for record in records):
            name = f"{seed} {len(records)}"
            records.append(play(Path(inside) / f"{name}.db", random.Random(name)))
        return records


def has_room_before_a_tombstone(record: Record) -> bool:
    return any((record.part(seq).first or 0) >= 4 for seq in record.of_kind("game deleted"))


def both(rows: Rows, heads: Sequence[Head] = ()) -> RecordVerdict:
    """The first verifier's verdict, once the second has come to the same."""
    first = verify(rows, heads, again=lambda: rows)
    second = judge(lambda: rows, [head_from(head.text()) for head in heads])
    place = None if first.damage is None else first.damage.seq
    assert (int(first.state), place) == (second.code, second.damaged), (first, second)
    return first


def honest_state(record: Record) -> RecordState:
    games = {record.part(seq).game for seq in record.of_kind("started")}
    return RecordState.WHOLE if games <= record.ended else RecordState.INTERRUPTED


@pytest.mark.parametrize("chunk", CHUNKS)
def test_an_honest_record_passes(chunk: int) -> None:
    draw, records = random.Random(f"honest {chunk}"), pool(chunk)
    for _ in range(min(RECORDS, PER_CHUNK)):
        record = draw.choice(records)
        if not record.of_kind("game deleted"):
            record = record.until(draw.randrange(1, record.size + 1))
        heads = [record.head(draw.randrange(1, record.size + 1)) for _ in range(draw.randrange(3))]
        verdict = both(record.rows, heads)
        assert verdict.state is honest_state(record), verdict
        assert verdict.good_until == max((head.size for head in heads), default=0)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", CHUNKS)
def test_every_attack_is_found_at_its_place(chunk: int) -> None:
    draw, records = random.Random(f"attacked {chunk}"), pool(chunk)
    made: collections.Counter[str] = collections.Counter()
    for number in range(min(RECORDS, PER_CHUNK)):
        make = ATTACKS[number % len(ATTACKS)]
        record, done = attacked(make, draw, records)
        name = make.__name__
        made[name] += 1
        alone = both(done.rows)
        if done.told:
            assert alone.state is RecordState.DAMAGED, (name, done, alone)
            assert alone.damage is not None
            assert alone.damage.seq in done.told, (name, done.place, done.told, alone)
        else:
            assert name in UNSEEN_WITHOUT_A_WITNESS | SEEN_ONCE_THE_GAME_HAS_ENDED
            assert alone.state in SOUND, (name, done, alone)
        if done.place > record.size:
            continue
        late = record.head(draw.randrange(done.place, record.size + 1))
        early = [record.head(draw.randrange(1, done.place))] if done.place > 1 and draw.random() < 0.5 else []
        seen = both(done.rows, [*early, late])
        located(seen, done.place, late.size, done.told)
        assert seen.good_until < done.place or done.told
        if not done.told:
            assert seen.state is RecordState.FORKED, (name, done, seen)
    assert set(made) == {make.__name__ for make in ATTACKS}, "every attack was made"


def attacked(make: Callable[..., Attack], draw: random.Random, records: Sequence[Record]) -> tuple[Record, Attack]:
    """The first record that this attack changes, in a random order."""
    for record in draw.sample(records, len(records)):
        with contextlib.suppress(NoSuchPlace):
            done = attack(make, record, draw, records)
            if done.rows != record.rows:
                return record, done
    raise AssertionError(f"no record has a place for {make.__name__}")


def located(seen: RecordVerdict, place: int, witnessed: int, told: range) -> None:
    """Found, and the place is the damaged entry, or lies between two witnesses."""
    assert seen.state not in SOUND
    if seen.damage is not None and seen.damage.seq in told:
        return
    assert seen.state is RecordState.FORKED
    assert seen.good_until < place <= witnessed


@pytest.mark.parametrize("chunk", CHUNKS)
def test_both_agree_about_records_that_were_attacked_twice(chunk: int) -> None:
    draw, records = random.Random(f"twice {chunk}"), pool(chunk)
    for _ in range(min(RECORDS, PER_CHUNK) // 2):
        record = draw.choice(records)
        try:
            once = attack(draw.choice(ATTACKS), record, draw, records).rows
            changed = Record(once, record.device, record.keys, record.ended)
            rows = attack(draw.choice(attacking.PLAIN), changed, draw, records).rows
        except NoSuchPlace:
            continue
        both(rows, [record.head(draw.randrange(1, record.size + 1)) for _ in range(draw.randrange(3))])


@pytest.mark.slow
def test_files_are_judged_as_their_rows(tmp_path: Path) -> None:
    draw, records, path = random.Random("files"), pool(0), tmp_path / "journal.db"
    play(path, draw)
    forget_head(path)
    for number in range(3 * len(ATTACKS)):
        record = draw.choice(records)
        try:
            attacked = attack(ATTACKS[number % len(ATTACKS)], record, draw, records).rows
            with contextlib.closing(sqlite3.connect(path)) as db, db:
                db.execute("DELETE FROM entries")
                db.executemany("INSERT INTO entries VALUES (?, ?, ?, ?, ?)", attacked)
        except (NoSuchPlace, sqlite3.IntegrityError):
            continue
        rows = sorted(attacked, key=lambda row: int(str(row[0])))  # a file keeps its rows by number
        heads = [record.head(draw.randrange(1, record.size + 1))]
        theirs = [head_from(heads[0].text())]
        before = path.read_bytes()
        of_file, of_rows = judge_file(path, theirs), judge(lambda: rows, theirs)  # noqa: B023
        assert (of_file.code, of_file.damaged) == (of_rows.code, of_rows.damaged)
        if int(str(rows[0][0])) > 0:  # a file's number below 1 is called none
            assert of_file.words == of_rows.words
        with jn.raw(path) as journal:
            verdict = verify(journal.rows(), heads, again=journal.rows)
        assert (int(verdict.state), verdict.damage and verdict.damage.seq) == (of_file.code, of_file.damaged)
        assert path.read_bytes() == before


def test_the_last_entry_alone_is_signed() -> None:
    for record in pool(0):
        assert [row[4] for row in record.rows] == [None] * (record.size - 1) + [record.last_signature(record.size)]


@pytest.mark.parametrize("seq", [1, 2, 3])
def test_an_earlier_signature_is_damage_at_its_entry(seq: int) -> None:
    record = next(record for record in pool(0) if record.size > 3)
    rows = (*record.rows[: seq - 1], (*record.rows[seq - 1][:4], record.last_signature(seq)), *record.rows[seq:])
    verdict = both(rows, [record.head(record.size)])
    assert verdict.damage == Damage(seq, "is signed, and only the last entry is")


def test_an_end_cut_off_shows_without_a_witness_though_a_head_was_handed_out_there() -> None:
    record = next(record for record in pool(0) if record.size > 6 and not record.of_kind("game deleted"))
    for size in range(1, record.size):
        rows = record.rows[:size]
        assert both(rows).damage == Damage(size, "is the last one and not signed: the entries after it were cut off")
        forged = (*rows[:-1], (*rows[-1][:4], record.head(size).signature))
        assert both(forged).damage == Damage(size, "does not have the signature of the device that began the record")


def test_a_game_deleted_with_the_stolen_key_is_listed_though_every_witness_fits() -> None:
    record = next(record for record in pool(0) if not record.of_kind("game deleted"))
    game = record.part(1).game
    verdict = both(attacking.taken_out(record, game).rows, [record.head(record.size)])
    assert verdict.good_until == record.size
    assert [one.game for one in verdict.games if one.deleted] == [game]


def test_an_event_that_the_program_cannot_read_is_damage_to_the_first_alone() -> None:

    records = pool(0)
    draw = random.Random(1)
    record = next(one for one in records if one.ended and one.size > 6 and not one.of_kind("game deleted"))
    while not record.is_open((done := attacking.unknown_kind(record, draw)).place):
        pass
    assert both(done.rows).state in SOUND
    first = verify(done.rows, (), read_event, again=lambda: done.rows)
    assert first.damage is not None
    assert (first.damage.seq, first.damage.seen) == (done.place, "has a sealed half that cannot be read")


# ---------------------------------------------------------------------------------------------- archives of several


def test_the_pool_has_the_events_of_a_long_life() -> None:
    kinds = {record.part(seq).kind for record in pool(0) for seq in record.standing()}
    assert {"clock corrected", "game deleted", "ended"} <= kinds


def in_archive(logs: dict[int, Rows]) -> Rows:
    """As an archive holds them, in the order of its table."""
    rows: list[RawRow] = [
        (log * jn.LOG_STEP + int(str(row[0])), *row[1:]) for log, part in logs.items() for row in part
    ]
    return tuple(sorted(rows, key=lambda row: int(str(row[0]))))


def of_archive(rows: Rows, heads: Sequence[Head]) -> tuple[int, int | None]:
    """State and first damage as `trapdial journal verify` puts them together from the logs."""
    logs: dict[int, list[RawRow]] = collections.defaultdict(list)
    for row in rows:
        log, seq = divmod(int(str(row[0])), jn.LOG_STEP)
        logs[log].append((seq, *row[1:]))

    def verdict(log: int, heads: Sequence[Head]) -> RecordVerdict:
        return verify(logs[log], heads, again=lambda: logs[log])

    devices = {log: verdict(log, ()).device for log in logs}
    several = len(logs) > 1
    found = {
        log: verdict(log, witnesses_of(devices[log], devices.values(), heads) if several else heads) for log in logs
    }
    worst = max(int(one.state) for one in found.values())
    if strangers(devices.values(), heads):
        worst = int(RecordState.FORKED)
    places = [log * jn.LOG_STEP + one.damage.seq for log, one in found.items() if one.damage is not None]
    return worst, min(places, default=None)


@pytest.mark.slow
@pytest.mark.parametrize("chunk", CHUNKS)
def test_both_agree_about_archives_of_several_devices(chunk: int) -> None:
    """Honest ones, and those of whose logs one was attacked, or two; with witnesses of any device."""
    draw, records = random.Random(f"archives {chunk}"), pool(chunk)
    states: collections.Counter[int] = collections.Counter()
    for _ in range(max(80, min(RECORDS, PER_CHUNK) // 4)):
        chosen = draw.sample(records, draw.randrange(1, 4))
        logs = {log: record.rows for log, record in enumerate(chosen, 1)}
        for log in draw.sample(sorted(logs), draw.randrange(min(3, len(logs) + 1))):
            with contextlib.suppress(NoSuchPlace):
                logs[log] = attack(draw.choice(ATTACKS), chosen[log - 1], draw, records).rows
        rows = in_archive({log: part for log, part in logs.items() if are_of_one_log(part)})
        if not rows:
            continue
        some = [draw.choice((*chosen, draw.choice(records))) for _ in range(draw.randrange(4))]
        heads = [record.head(draw.randrange(1, record.size + 1)) for record in some]
        second = judge(lambda: rows, [head_from(head.text()) for head in heads], archive=True)  # noqa: B023
        assert (second.code, second.damaged) == of_archive(rows, heads), second
        states[second.code] += 1
    assert len(states) == 4, states


def are_of_one_log(rows: Rows) -> bool:
    """Whether SQLite would take them into one log: whole numbers that differ, none of another log's."""
    numbers = [row[0] for row in rows]
    return len(set(numbers)) == len(numbers) and all(type(n) is int and 0 <= n < jn.LOG_STEP for n in numbers)


def test_an_archive_is_judged_as_its_rows(tmp_path: Path) -> None:
    draw, records = random.Random("archive files"), pool(0)
    for number in range(4):
        path = tmp_path / f"{number}.db"
        chosen = draw.sample(records, 3)
        logs = {log: record.rows for log, record in enumerate(chosen, 1)}
        if number % 2:
            logs[2] = attacking.edit_of_a_byte(chosen[1], draw).rows
        with contextlib.closing(sqlite3.connect(path)) as db, db:
            db.execute(f"PRAGMA application_id={jn.ARCHIVE_ID}")
            db.execute(f"PRAGMA user_version={jn.FORMAT}")
            db.execute(jn.SCHEMA)
            db.executemany(jn.INSERT, in_archive(logs))
        of_file = judge_file(path, [])
        assert (of_file.code, of_file.damaged) == of_archive(in_archive(logs), ())
        assert max(int(jn.verify(path, log=log).state) for log in jn.logs(path)) == of_file.code


def test_an_archive_with_entries_of_no_log_is_none() -> None:
    rows = pool(0)[0].rows
    with pytest.raises(NoJournalError, match="it holds entries that are of no log"):
        judge(lambda: rows, archive=True)


@pytest.mark.parametrize(
    "written", ["null", "true", '"640"', "640.5", "1e3", "[640]", "0", "-640", "1920", "10240", "9" * 30]
)
def test_a_size_of_sealed_halves_that_no_game_has_is_damage_for_both_verifiers(written: str) -> None:
    record = next(record for record in pool(0) if b'"sealed"' not in (record.public(1) or b'"sealed"'))
    public, sealed = record.rows[0][1], record.rows[0][2]
    assert isinstance(public, bytes)
    assert isinstance(sealed, bytes)
    text = public.rstrip().replace(b'"squares":{', b'"sealed":' + written.encode() + b',"squares":{', 1)
    public = text.ljust(1024 * (1 + (len(text) > 1024)))
    leaf = rec.leaf(public, sealed)
    signature = last_signature(record.device, 1, Tree([leaf]).root())
    verdict = both(((1, public, sealed, leaf, signature),))
    assert (verdict.state, verdict.damage and verdict.damage.seq) == (RecordState.DAMAGED, 1)
