"""What a table hands over arrives as it stands in its record, and nothing else is read as a hand-over."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint
from pi_app.journal.record.handover import LARGEST_BODY, MOST_ENTRIES, HandOver, read_handover
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import root_of
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started, turned

KEY = device_key(bytes(32))


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[bytes | None, bytes | None, bytes]]:
    """Those of a short game, with public halves of both lengths."""
    path = tmp_path_factory.mktemp("record") / "journal.db"
    with Journal(path, MAGE_KNIGHT) as journal:
        moment = journal.append("g1", NO_GAME, started())
        for clicks in (3, 4):
            moment = journal.append("g1", moment, turned("T01", clicks, "ANN"))
        journal.append("g1", moment, ev.Ended())
    with jn.raw(path) as rows:
        return [(public, sealed, leaf) for _, public, sealed, leaf, _ in rows.rows()]  # type: ignore[misc]


def handed(entries: list[tuple[bytes | None, bytes | None, bytes]], first: int = 1, since: str = "") -> HandOver:
    root = root_of([leaf for *_, leaf in entries])
    note = signed_checkpoint(KEY, first - 1 + len(entries), root)
    return HandOver(origin_of(KEY.public), first, tuple(entries), note, since)


def test_entries_arrive_as_they_stand_in_the_record(entries: list[tuple[bytes | None, bytes | None, bytes]]) -> None:
    sent = handed(entries, 5, "since")
    body = sent.written()
    assert read_handover(body) == sent
    assert len(body) < sum(len(public or b"") + len(sealed or b"") for public, sealed, _ in entries), (
        "no filling is sent"
    )
    assert [row[0] for row in sent.rows()] == [5, 6, 7, 8]
    assert sent.last == 8


def test_a_deleted_entry_has_its_hash_alone(entries: list[tuple[bytes | None, bytes | None, bytes]]) -> None:
    sent = handed([entries[0], (None, None, entries[1][2]), entries[2]])
    assert read_handover(sent.written()) == sent


def test_what_waits_at_the_table_is_said(entries: list[tuple[bytes | None, bytes | None, bytes]]) -> None:
    sent = replace(handed(entries), more=17)
    assert read_handover(sent.written()) == sent
    assert b"more" not in handed(entries).written().splitlines()[0]


def test_no_entries_are_a_checkpoint_alone() -> None:
    sent = handed([], 9)
    assert read_handover(sent.written()) == sent
    assert sent.last == 8


def lines(header: bytes, rest: bytes = b"") -> bytes:
    return header + b"\n" + rest


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "its first line is missing or too long"),
        (b"x" * 500_000, "its first line is missing or too long"),
        (lines(b"{}"), "its first line is not one of a hand-over"),
        (lines(b'{"handover":2,"origin":"a","first":1,"count":0}'), "its first line is not one of a hand-over"),
        (lines(b'{"handover":1,"origin":"a","first":0,"count":0}'), "its first line is not one of a hand-over"),
        (lines(b'{"handover":1,"origin":"a","first":1,"count":2001}'), "its first line is not one of a hand-over"),
        (lines(b'{"handover":1,"origin":"a","first":1,"count":0,"x":1}'), "its first line is not one of a hand-over"),
        (lines(b'{"handover":1,"origin":"a","first":1,"count":0}'), "its checkpoint is no signed note"),
        (lines(b'{"handover":1,"origin":"a","first":7,"count":1}'), "it ends in entry 7"),
        (lines(b'{"handover":1,"origin":"a","first":7,"count":1}', b"\0\0\0\5ab"), "it ends in entry 7"),
        (lines(b'{"handover":1,"origin":"a","first":7,"count":1}', b"\0\0\0\2{}"), "half of entry 7 cannot be read"),
        (b"x" * (LARGEST_BODY + 1), "at most 4,194,304 bytes"),
    ],
)
def test_what_is_no_hand_over_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_handover(body)


def test_a_public_half_with_filling_or_words_after_it_is_refused(
    entries: list[tuple[bytes | None, bytes | None, bytes]],
) -> None:
    public, _, _ = entries[0]
    assert public is not None
    header = lines(b'{"handover":1,"origin":"a","first":1,"count":1}')
    for wrong in (public, public.rstrip() + b" ", b" " + public.rstrip()):
        with pytest.raises(ValueError, match="the public half of entry 1 is not written as one is"):
            read_handover(header + len(wrong).to_bytes(4, "big") + wrong)


@given(
    some.binary(max_size=400)
    | some.binary(max_size=60).map(lambda more: lines(b'{"handover":1,"origin":"a","first":1,"count":1}', more))
)
def test_bytes_are_a_hand_over_or_a_reason(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        read_handover(body)


@given(some.data())
def test_a_flipped_bit_or_a_cut_is_found_or_changes_what_was_handed_over(
    entries: list[tuple[bytes | None, bytes | None, bytes]], data: some.DataObject
) -> None:
    sent = handed(entries)
    body = bytearray(sent.written())
    at = data.draw(some.integers(0, len(body) - 1))
    body[at] ^= 1 << data.draw(some.integers(0, 7))
    del body[data.draw(some.integers(at + 1, len(body))) :]
    try:
        read = read_handover(bytes(body))
    except ValueError:
        return
    assert read != sent


def test_a_table_sends_no_more_than_a_centre_takes() -> None:
    sent = HandOver("a", 1, ((None, None, bytes(32)),) * (MOST_ENTRIES + 1), signed_checkpoint(KEY, 1, bytes(32)))
    with pytest.raises(ValueError, match="its first line is not one of a hand-over"):
        read_handover(sent.written())
