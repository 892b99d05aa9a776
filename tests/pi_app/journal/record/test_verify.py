"""Verdicts on honest records, and on every kind of change, with and without a witness."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.journal import Journal
from pi_app.journal.record.heads import Head
from pi_app.journal.record.verdict import Damage, RecordState
from pi_app.journal.record.words import sentences
from pi_app.play import mage_knight
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started, table_with
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import STAMP, forget_head, write
from tests.pi_app.journal.record.forging import edit, opened, put, rewrite, rows


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Two games: entries 1 to 6 and 7 to 12."""
    path = tmp_path / "journal.db"
    for game in ("g1", "g2"):
        write(path, (*PLAY, ev.Ended()), game)
    return path


def told(path: Path, *witnesses: Head) -> list[str]:
    return list(sentences("journal.db", jn.verify(path, witnesses)))


def test_a_whole_record(path: Path) -> None:
    verdict = jn.verify(path)
    assert (verdict.state, verdict.size, verdict.damage) == (RecordState.WHOLE, 12, None)
    assert [(game.first, game.last, game.opened) for game in verdict.games] == [(1, 6, 6), (7, 12, 6)]
    assert told(path)[0] == (
        "journal.db: WHOLE. 12 entries, all bound to each other, every game with its beginning and its end."
    )
    assert told(path)[1] == (
        "Game g1 (entries 1 to 6): all 6 sealed halves open with its key; trap tables, rules and start positions "
        "match its commitments."
    )
    assert told(path)[4] == (
        "No witness was named for it: the holder of the device's key could have rewritten it, and an older copy "
        "would look as good."
    )


def test_a_witness_confirms_the_entries_that_it_saw(path: Path) -> None:
    head = jn.head(path)
    write(path, PLAY, "g3")
    verdict = jn.verify(path, [head])
    assert (verdict.state, verdict.good_until, verdict.size) == (RecordState.INTERRUPTED, 12, 17)
    assert told(path, head)[0] == (
        "journal.db: INTERRUPTED. 17 entries, all bound to each other; the last game has no end: interrupted after "
        "entry 17."
    )
    assert told(path, head)[3:7] == [
        "Game g3 (entries 13 to 17) has no end: interrupted after 5; what is sealed stays sealed.",
        told(path)[4],
        "Up to entry 12 it is what a witness saw: it has not been changed since, not even with the device's key.",
        "No witness was named for entries 13 to 17: the holder of the device's key could have rewritten it, and an "
        "older copy would look as good.",
    ]


def test_an_older_game_without_an_end_is_never_complete(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write(path, PLAY, "left")
    write(path, (*PLAY, ev.Ended()), "whole")
    assert jn.verify(path).state is RecordState.INTERRUPTED


Attack = Callable[[Path], object]


def attack(statement: str) -> Attack:
    return lambda path: edit(path, statement)


def exchange_a_table(path: Path) -> None:
    """Replace the trap afterwards, with all keys."""
    part, hidden = opened(path, 7)
    other = msgspec.json.encode(started(table_with(Trap.CAGE), table_with(None)))
    put(path, 7, part, msgspec.structs.replace(hidden, event=msgspec.Raw(other)))
    rewrite(path, 7)


def exchange_the_start(path: Path) -> None:
    part, hidden = opened(path, 8)
    put(path, 8, part, msgspec.structs.replace(hidden, event=msgspec.Raw(b'{"kind":"set-up checked","stands":{}}')))
    rewrite(path, 8)


def put_in_an_event_that_is_none(path: Path) -> None:
    part, hidden = opened(path, 9)
    put(path, 9, part, msgspec.structs.replace(hidden, event=msgspec.Raw(b'{"kind":"claimed","seat":"ANN"}')))
    rewrite(path, 9)


def say_another_seat_outside(path: Path) -> None:
    part, hidden = opened(path, 9)
    put(path, 9, msgspec.structs.replace(part, seat="BEN"), hidden)
    rewrite(path, 9)


def go_back_in_time(path: Path) -> None:
    part, hidden = opened(path, 10)
    put(path, 10, msgspec.structs.replace(part, mono_ns=4_999), hidden)
    rewrite(path, 10)


@pytest.mark.parametrize(
    ("change", "seq", "seen"),
    [
        (attack("UPDATE entries SET public = replace(public, 'Ann', 'Ben') WHERE seq = 10"), 10, "has lost a half"),
        (
            attack("UPDATE entries SET public = CAST(replace(public, 'ANN', 'BEN') AS BLOB) WHERE seq = 10"),
            10,
            "does not match its hash",
        ),
        (attack("UPDATE entries SET sealed = zeroblob(680) WHERE seq = 9"), 9, "does not match its hash"),
        (attack("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 9"), 9, "does not match its hash"),
        (attack("UPDATE entries SET leaf = x'00' WHERE seq = 9"), 9, "has no hash"),
        (attack("UPDATE entries SET sealed = NULL WHERE seq = 9"), 9, "has lost a half"),
        (
            attack("UPDATE entries SET public = NULL, sealed = NULL WHERE seq = 9"),
            9,
            "was deleted, and no entry records it",
        ),
        (attack("UPDATE entries SET public = NULL, sealed = NULL"), 1, "was deleted, and no entry records it"),
        (attack("DELETE FROM entries WHERE seq = 8"), 8, "is missing"),
        (attack("DELETE FROM entries WHERE seq <= 6"), 1, "is missing"),
        (attack("DELETE FROM entries"), 0, "holds no entry"),
        (
            attack("UPDATE entries SET signature = zeroblob(64) WHERE seq = 12"),
            12,
            "does not have the signature of the device that began the record",
        ),
        (attack("UPDATE entries SET signature = x'00' WHERE seq = 12"), 12, "has a malformed signature"),
        (attack("UPDATE entries SET signature = zeroblob(64)"), 1, "is signed, and only the last entry is"),
        (attack("UPDATE entries SET signature = x'' WHERE seq = 5"), 5, "is signed, and only the last entry is"),
        (
            attack("UPDATE entries SET signature = NULL"),
            12,
            "is the last one and not signed: the entries after it were cut off",
        ),
        (
            attack("DELETE FROM entries WHERE seq > 6"),
            6,
            "is the last one and not signed: the entries after it were cut off",
        ),
        (
            attack("INSERT INTO entries SELECT 13, public, sealed, leaf, signature FROM entries WHERE seq = 12"),
            12,
            "is signed, and only the last entry is",
        ),
        (exchange_a_table, 7, "began with a trap table under T01 that does not match its commitment"),
        (exchange_the_start, 8, "has dial positions that do not match its commitment"),
        (put_in_an_event_that_is_none, 9, "has a sealed half that cannot be read"),
        (say_another_seat_outside, 9, "names another seat outside than inside"),
        (go_back_in_time, 10, "is earlier than the entry before it"),
    ],
)
def test_a_change_is_located(path: Path, change: Attack, seq: int, seen: str) -> None:
    forget_head(path)
    change(path)
    verdict = jn.verify(path)
    assert verdict.state is RecordState.DAMAGED
    assert verdict.damage is not None
    assert (verdict.damage.seq, verdict.damage.seen) == (seq, seen)


CUT = "is the last one and not signed: the entries after it were cut off"


def test_an_end_that_was_cut_off_shows_wherever_the_cut_is(path: Path) -> None:
    forget_head(path)
    for size in range(11, 0, -1):
        edit(path, "DELETE FROM entries WHERE seq > ?", size)
        assert jn.verify(path).damage == Damage(size, CUT)
    assert told(path)[0] == f"journal.db: DAMAGED. Entry 1 {CUT}."


def test_a_cut_where_a_head_was_handed_out_cannot_be_signed_with_it(path: Path) -> None:
    early = head_at(path, 6)
    forget_head(path)
    edit(path, "DELETE FROM entries WHERE seq > 6")
    edit(path, "UPDATE entries SET signature = ? WHERE seq = 6", early.signature)
    verdict = jn.verify(path, [early])
    assert verdict.damage == Damage(6, "does not have the signature of the device that began the record")
    assert verdict.good_until == 6, "what is there is what the witness saw; what is not there, it did not see"


def test_an_older_copy_shows_by_a_witness_alone(tmp_path: Path) -> None:
    path, older = tmp_path / "journal.db", tmp_path / "older.db"
    write(path, (*PLAY, ev.Ended()), "g1")
    shutil.copy(path, older)
    write(path, (*PLAY, ev.Ended()), "g2")
    assert jn.verify(older).state is RecordState.WHOLE, "the file alone does not show it"
    assert told(older, jn.head(path))[:2] == [
        "journal.db: FORKED. It is consistent in itself (6 entries), but a witness saw another record.",
        "Witness 1 saw 12 entries: this record has 6. Its end was cut off, or it was rewritten.",
    ]


def test_a_record_rewritten_with_the_stolen_key_shows_by_a_witness_alone(path: Path) -> None:
    early, late = head_at(path, 6), jn.head(path)
    forget_head(path)
    part, hidden = opened(path, 9)
    put(path, 9, msgspec.structs.replace(part, wall="2020-01-01T00:00:00+00:00"), hidden)
    rewrite(path, 9)
    assert jn.verify(path, [early]).state is RecordState.WHOLE
    verdict = jn.verify(path, [early, late])
    assert (verdict.state, verdict.good_until) == (RecordState.FORKED, 6)
    assert verdict.against == (
        "Witness 2 saw 12 entries: other ones than stand here. Something from entry 7 to 12 was changed.",
    )


def head_at(path: Path, size: int) -> Head:
    """The head that the device handed out behind this entry."""
    from pi_app.journal.record.merkle import root_of

    return Head.made(jn.keys_of(path).device(), size, root_of([row[3] for row in rows(path)[:size]]))


def test_without_the_devices_key_nothing_can_be_rewritten(path: Path) -> None:
    part, hidden = opened(path, 9)
    put(path, 9, msgspec.structs.replace(part, wall="2020-01-01T00:00:00+00:00"), hidden)
    (jn.keys_of(path).folder / "device.key").unlink()
    forget_head(path)
    rewrite(path, 9)
    verdict = jn.verify(path)
    assert verdict.damage is not None
    assert (verdict.damage.seq, verdict.damage.seen) == (
        12,
        "does not have the signature of the device that began the record",
    )


def test_a_witness_of_another_device_and_one_that_was_made_up(path: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = tmp_path / "other" / "journal.db"
    write(other, (*PLAY, ev.Ended()))
    foreign, true = jn.head(other), jn.head(path)
    invented = Head(true.device, 12, bytes(32), true.signature)
    assert jn.verify(path, [foreign, invented]).against == (
        "Witness 1 saw 6 entries: it was signed by another device.",
        "Witness 2 saw 12 entries: its signature does not fit, so it was misread or made up.",
    )


def test_after_damage_a_witness_does_not_count(path: Path) -> None:
    head = jn.head(path)
    edit(path, "UPDATE entries SET sealed = NULL WHERE seq = 9")
    assert jn.verify(path, [head]).state is RecordState.DAMAGED
    assert told(path, head)[0] == (
        "journal.db: DAMAGED. Entry 9 has lost a half. The 8 before it are bound to each other."
    )


def test_the_last_entry_alone_is_signed_after_every_one(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as journal:
        moment = NO_GAME
        for size, event in enumerate((*PLAY, ev.Ended()), 1):
            moment = journal.append("g1", moment, event)
            signatures = [row[4] for row in rows(path)]
            assert [bool(signature) for signature in signatures] == [False] * (size - 1) + [True]
            assert jn.verify(path).state is (RecordState.WHOLE if size == 6 else RecordState.INTERRUPTED)
            assert jn.head(path) == journal.head() == head_at(path, size)
            assert signatures[-1] != journal.head().signature


def test_a_copy_without_keys_hands_out_a_head_too(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    head, theirs = jn.head(copy), jn.head(path)
    assert (head.device, head.size, head.root) == (theirs.device, theirs.size, theirs.root)
    assert head.signature == rows(path)[-1][4]
    assert jn.verify(path, [head]).good_until == 12


def test_a_table_shown_by_another_program_is_bound_in_too(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with Journal(path, MAGE_KNIGHT, lambda: STAMP) as journal:
        moment = journal.append("g1", NO_GAME, started())
        mage_knight.record_shown(path, ev.TableShown(table="SAMPLE-12"), lambda: STAMP)
        journal.append("g1", moment, ev.Ended())
    assert jn.verify(path).state is RecordState.WHOLE


def test_a_file_that_cannot_be_read_to_its_end(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[8192:12288] = bytes(4096)
    path.write_bytes(data)
    with contextlib.suppress(jn.JournalFileError):
        assert jn.verify(path).state is RecordState.DAMAGED
