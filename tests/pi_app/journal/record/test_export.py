"""An export has its own proofs: every change in it is found and located."""

from __future__ import annotations

import io
import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app import journal as jn
from pi_app.game import events as ev
from pi_app.journal import archive
from pi_app.journal.record import entry as rec
from pi_app.journal.record.export import compared, verify_export
from pi_app.journal.record.export_lines import ExportLines
from pi_app.journal.record.heads import Head
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.verdict import RecordState, RecordVerdict, fingerprint
from pi_app.journal.record.words import sentences
from pi_app.journal.recorded_game import read_event
from tests.pi_app.journal.keeping import EVENTS as PLAY
from tests.pi_app.journal.keeping import write
from tests.pi_app.journal.record.forging import rows


@cache
def honest() -> tuple[bytes, ...]:
    """The second of two games."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        write(path, (*PLAY, ev.Ended()))
        write(path, (*PLAY, ev.Ended()), "g2")
        out = io.BytesIO()
        archive.export(path, out, ["g2"])
        return tuple(out.getvalue().splitlines(keepends=True))


def verdict(lines: list[bytes] | tuple[bytes, ...], *witnesses: Head) -> RecordVerdict:
    (found,) = verify_export(ExportLines(io.BytesIO(b"".join(lines))), read_event)
    return compared(found, witnesses)


def changed(number: int, **values: Any) -> list[bytes]:
    line = json.loads(honest()[number]) | values
    return [*honest()[:number], json.dumps(line).encode() + b"\n", *honest()[number + 1 :]]


def test_an_honest_export_is_whole_and_says_what_it_proves() -> None:
    first, game, *rest = sentences("e.jsonl", verdict(honest()))
    assert first == (
        "e.jsonl: WHOLE. 6 of 12 entries, each proven to be in the record under its head, every game that is here "
        "with its beginning and its end."
    )
    assert game.startswith("Game g2 (entries 7 to 12): all 6 sealed halves open with its key;")
    assert rest[0].startswith("Signed by the device ")


@given(st.data())
def test_any_byte_that_is_changed_is_found(data: st.DataObject) -> None:
    lines = list(honest())
    number = data.draw(st.integers(0, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[number]) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte not in (lines[number][at], 10)))
    before = json.loads(lines[number])
    lines[number] = lines[number][:at] + bytes([byte]) + lines[number][at + 1 :]
    try:
        after = json.loads(lines[number])
    except ValueError:
        after = None
    if _same(before, after):
        return
    assert verdict(lines).state is RecordState.DAMAGED


def _same(before: dict[str, Any], after: Any) -> bool:
    """Whether a line says the same in other letters: hex and a head may be written large or small."""
    if not isinstance(after, dict) or set(before) != set(after):
        return False
    loud = {"leaf", "proof", "head"}
    return all(
        str(before[name]).upper() == str(after[name]).upper() if name in loud else before[name] == after[name]
        for name in before
    )


def test_an_entry_of_another_record_is_not_proven() -> None:
    line = json.loads(honest()[4])
    public = line["public"].replace("Ann", "Ben", 1) if "Ann" in line["public"] else line["public"].replace("g2", "g3")
    import base64

    leaf = rec.leaf(public.encode(), base64.b64decode(line["sealed"])).hex()
    found = verdict(changed(4, public=public, leaf=leaf))
    assert found.damage is not None
    assert (found.damage.seq, found.damage.seen) == (10, "is not proven to be under the head")


@pytest.mark.parametrize(
    ("lines", "seq", "seen"),
    [
        ([], 0, "is empty"),
        ([b"{}\n"], 0, "does not begin with a head (line 1)"),
        (list(honest()[:1]), 0, "holds no entry"),
        ([*honest()[:3], b"rubbish\n"], 8, "is followed by a line that cannot be read"),
        ([*honest()[:3], honest()[2]], 8, "is out of order"),
        ([*honest()[:3], *honest()[4:]], 9, "is missing"),
        ([honest()[0], *honest()[2:]], 8, "belongs to a game that has not begun"),
        (changed(3, leaf="00" * 32), 9, "does not match its hash"),
        (changed(3, proof=[]), 9, "is not proven to be under the head"),
    ],
)
def test_damage_is_located(lines: list[bytes], seq: int, seen: str) -> None:
    damage = verdict(lines).damage
    assert damage is not None
    assert (damage.seq, damage.seen) == (seq, seen)


def test_a_witness_counts_if_it_saw_as_many_entries() -> None:
    found = verdict(honest())
    key = device_key(bytes(32))
    same = Head(found.device or b"", found.size, found.root, b"")
    assert verdict(honest(), same).good_until == 12
    other = Head(found.device or b"", found.size, bytes(32), b"")
    against = verdict(honest(), other)
    assert against.state is RecordState.FORKED
    assert against.against == ("Witness 1 saw 12 entries: other ones than those that this head is over.",)
    older = Head(found.device or b"", 5, bytes(32), b"")
    stranger = Head(key.public, found.size, bytes(32), b"")
    for head in (older, stranger):
        told = list(sentences("e.jsonl", verdict(honest(), head)))
        assert (
            "No witness saw exactly 12 entries: an older head can be compared with the record, or with an export that "
            "was made with it."
        ) in told


def test_the_journals_numbers_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write(path, PLAY)
    out = io.BytesIO()
    assert archive.export(path, out) == 5
    assert [json.loads(line)["seq"] for line in out.getvalue().splitlines()[1:]] == [1, 2, 3, 4, 5]
    assert json.loads(out.getvalue().splitlines()[0])["head"] == jn.head(path).text()


# --------------------------------------------------------------------------------------------------- older heads


@cache
def with_heads() -> tuple[tuple[bytes, ...], tuple[Head, ...]]:
    """The second of two games, with the proofs that its record continues its heads of 1 to 12 entries; and those."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "journal.db"
        write(path, (*PLAY, ev.Ended()))
        write(path, (*PLAY, ev.Ended()), "g2")
        heads = older_heads(path)
        out = io.BytesIO()
        archive.export(path, out, ["g2"], heads)
        return tuple(out.getvalue().splitlines(keepends=True)), heads


def older_heads(path: Path) -> tuple[Head, ...]:
    """Every head that this device could have handed out."""
    key, leaves = jn.keys_of(path).device(), [row[3] for row in rows(path)]
    return tuple(Head.made(key, size, root_of(leaves[:size])) for size in range(1, len(leaves) + 1))


def test_an_export_proves_that_it_continues_what_witnesses_keep() -> None:
    lines, heads = with_heads()
    for head in heads:
        found = verdict(lines, head)
        assert (found.state, found.good_until, found.continues) == (RecordState.WHOLE, head.size, tuple(range(1, 13)))
    told = list(sentences("e.jsonl", verdict(lines, heads[4])))
    assert (
        "It proves that the record continues older heads of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 12 entries; compare "
        "a witness's head with that."
    ) in told
    assert (
        "Up to entry 5 it is what a witness saw: it has not been changed since, not even with the device's key."
    ) in told


def test_a_genuine_head_of_another_record_is_distinguished_from_the_proven_one() -> None:
    """The record was rewritten with the device's key."""
    lines, heads = with_heads()
    other = Head(heads[4].device, 5, bytes(32), b"")
    found = verdict(lines, other)
    assert found.state is RecordState.FORKED
    assert found.against == ("Witness 1 saw 5 entries: other ones than those that this record begins with.",)


@given(st.data())
def test_a_consistency_proof_that_is_changed_is_found(data: st.DataObject) -> None:
    lines, _ = with_heads()
    first = json.loads(lines[0])
    number = data.draw(st.integers(0, len(first["continues"]) - 1))
    older = first["continues"][number]
    proof = older["consistency"]
    change = data.draw(st.sampled_from(("cut", "add", "digit", "head")))
    if change == "head":
        older["head"] = first["continues"][number - 1]["head"]
    elif change == "add":
        proof.append("00" * 32)
    elif proof and change == "cut":
        del proof[data.draw(st.integers(0, len(proof) - 1))]
    elif proof:
        step, at = data.draw(st.integers(0, len(proof) - 1)), data.draw(st.integers(0, 63))
        digit = data.draw(st.sampled_from("0123456789abcdefx").filter(lambda digit: digit != proof[step][at]))
        proof[step] = proof[step][:at] + digit + proof[step][at + 1 :]
    else:
        return
    damage = verdict([json.dumps(first).encode() + b"\n", *lines[1:]]).damage
    assert damage is not None
    assert (damage.seq, damage.seen) == (0, "begins with an older head that its own is not proven to continue")


def test_an_export_without_witnesses_is_as_it_was() -> None:
    assert set(json.loads(honest()[0])) == {"export", "head"}


def test_a_head_that_the_record_does_not_continue_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "journal.db", tmp_path / "other.db"
    write(path, PLAY)
    write(other, PLAY)
    key = jn.keys_of(path).device()
    stranger = jn.head(other)
    device = fingerprint(key.public)
    refusals = [
        (Head.made(key, 3, bytes(32)), f"saw 3 entries of device {device}, other ones than those that it begins with"),
        (Head.made(key, 9, bytes(32)), f"saw 9 entries of device {device}, and it has 5"),
        (Head.made(key, 0, root_of([])), f"saw 0 entries of device {device}, and it has 5"),
        (
            stranger,
            f"saw 5 entries of device {fingerprint(stranger.device)}, and no record here is of that device",
        ),
    ]
    for head, seen in refusals:
        with pytest.raises(jn.JournalFileError) as refused:
            archive.export(path, io.BytesIO(), (), [jn.head(path), head])
        assert str(refused.value) == (
            f"{path} (witness 2) {seen}. Nothing was written; check with `trapdial journal verify --witness`."
        )
