"""A witness cosigns a log that only grows, and answers everything else with the status that the protocol names."""

from __future__ import annotations

from dataclasses import replace
from http import HTTPStatus

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.journal.record.checkpoints import Checkpoint, record_key, signed_checkpoint
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import consistency_proof, leaf_hash, root_of
from pi_app.journal.record.notes import SignedNote
from pi_app.journal.record.witness_protocol import AddCheckpoint, NotCosignedError, checked, read_request

SPECIFIED = b"""old 20852014
PlRNCrwHpqhGrupue0L7gxbjbMiKA9temvuZZDDpkaw=
jrJZDmY8Y7SyJE0MWLpLozkIVMSMZcD5kvuKxPC3swk=
5+pKlUdi2LeF/BcMHBn+Ku6yhPGNCswZZD1X/6QgPd8=
/6WVhPs2CwSsb5rYBH5cjHV/wSmA79abXAwhXw3Kj/0=

example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\xe2\x80\x94 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
\xe2\x80\x94 example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=
"""  # noqa: E501 - the example of C2SP tlog-witness

KEY, OTHER = device_key(bytes(32)), device_key(bytes(range(32)))
KEYS = [record_key(KEY.public)]
LEAVES = [leaf_hash(bytes((number,))) for number in range(20)]


def asked(old: int, size: int, leaves: list[bytes] = LEAVES, proof: tuple[bytes, ...] | None = None) -> AddCheckpoint:
    steps = tuple(consistency_proof(leaves[:size], old)) if 0 < old <= size else ()
    return AddCheckpoint(old, steps if proof is None else proof, signed_checkpoint(KEY, size, root_of(leaves[:size])))


def latest(size: int, leaves: list[bytes] = LEAVES) -> Checkpoint | None:
    return Checkpoint(KEYS[0].name, size, root_of(leaves[:size])) if size else None


def test_the_example_of_the_specification_is_read_and_written_again() -> None:
    request = read_request(SPECIFIED)
    assert (request.old, len(request.proof), len(request.note.signatures)) == (20_852_014, 4, 2)
    assert request.written() == SPECIFIED


@given(some.integers(0, 20), some.integers(0, 20))
def test_a_log_that_grows_is_cosigned(one: int, other: int) -> None:
    old, new = sorted((one, other))
    request = read_request(asked(old, new).written())
    assert checked(request, KEYS, latest(old)).size == new


def refused(request: AddCheckpoint, known: Checkpoint | None) -> NotCosignedError:
    with pytest.raises(NotCosignedError) as raised:
        checked(request, KEYS, known)
    return raised.value


@given(some.integers(0, 20), some.integers(0, 20), some.integers(0, 20))
def test_another_old_size_is_a_conflict_that_names_the_right_one(old: int, new: int, known: int) -> None:
    if old > new or old == known:
        return
    found = refused(asked(old, new), latest(known))
    assert (found.status, found.size, found.contradicts) == (HTTPStatus.CONFLICT, known, False)


@given(some.integers(1, 19), some.data())
def test_entries_that_were_written_anew_are_evidence(known: int, data: some.DataObject) -> None:
    new = data.draw(some.integers(known, 20))
    changed = [*LEAVES]
    changed[data.draw(some.integers(0, known - 1))] = leaf_hash(b"another")
    found = refused(asked(known, new, changed), latest(known))
    is_shown = new == known or known.bit_count() > 1
    assert (found.status, found.contradicts) == (HTTPStatus.UNPROCESSABLE_ENTITY, is_shown)


@given(some.integers(1, 19), some.integers(0, 3), some.data())
def test_a_wrong_proof_is_no_evidence(known: int, more: int, data: some.DataObject) -> None:
    good = asked(known, min(20, known + more))
    proof = tuple(data.draw(some.lists(some.sampled_from([*good.proof, b"x" * 32]), max_size=5)))
    if proof != good.proof:
        found = refused(replace(good, proof=proof), latest(known))
        assert (found.status, found.contradicts) == (HTTPStatus.UNPROCESSABLE_ENTITY, False)


@given(some.integers(1, 19), some.data())
def test_a_proof_with_a_wrong_step_is_refused(known: int, data: some.DataObject) -> None:
    good = asked(known, 20)
    at = data.draw(some.integers(0, len(good.proof)))
    kind = data.draw(some.sampled_from(["more", "less", "other"]))
    steps = list(good.proof)
    if kind == "more" or at == len(steps):
        steps.insert(at, bytes(32))
    elif kind == "less":
        del steps[at]
    else:
        steps[at] = bytes(32)
    assert refused(asked(known, 20, proof=tuple(steps)), latest(known)).status == HTTPStatus.UNPROCESSABLE_ENTITY


def test_each_status_of_the_protocol() -> None:
    good = asked(3, 7)
    with pytest.raises(
        NotCosignedError, match=r"^no log with the origin 'trapdial.invalid/record/[0-9a-f]{64}' is known here$"
    ):
        checked(good, [], None)
    with pytest.raises(NotCosignedError, match="no key that is trusted for this log has signed") as unsigned:
        checked(good, [record_key(OTHER.public)], latest(3))
    assert unsigned.value.status == HTTPStatus.FORBIDDEN
    assert refused(asked(9, 7), latest(9)).status == HTTPStatus.BAD_REQUEST
    assert refused(asked(0, 7, proof=(bytes(32),)), None).status == HTTPStatus.UNPROCESSABLE_ENTITY
    same_size = asked(7, 7, [leaf_hash(b"x"), *LEAVES[1:]])
    assert refused(same_size, latest(7)).status == HTTPStatus.UNPROCESSABLE_ENTITY
    empty = AddCheckpoint(0, (), signed_checkpoint(KEY, 0, bytes(32)))
    assert refused(empty, None).status == HTTPStatus.UNPROCESSABLE_ENTITY


def test_a_second_history_is_evidence_also_when_the_old_size_is_wrong() -> None:
    found = refused(asked(0, 7, [leaf_hash(b"x"), *LEAVES[1:]]), latest(7))
    assert (found.status, found.size, found.contradicts) == (HTTPStatus.CONFLICT, 7, True)


def test_a_wrong_line_beside_a_right_one_is_no_signature() -> None:
    good = asked(0, 3)
    own = good.note.signatures[0]
    wrong = type(own)(own.name, own.key_id, bytes(64))
    assert refused(AddCheckpoint(0, (), SignedNote(good.note.text, (own, wrong))), None).status == HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"", "no empty line stands before a checkpoint"),
        (b"old 1\n\n", "no empty line stands between a text and signatures"),
        (b"new 1\n\n", "its first line does not say which size is old"),
        (SPECIFIED.replace(b"old 2", b"old 02"), "is no number of entries"),
        (SPECIFIED.replace(b"old 2", b"old -2"), "is no number of entries"),
        (SPECIFIED.replace(b"PlRN", b"PlR"), "is no base64"),
        (SPECIFIED.replace(b"PlRN", b"Pl\xc3\xa9"), "are not ASCII"),
        (
            SPECIFIED.replace(b"old 20852014\n", b"old 1\n" + 60 * (b"A" * 43 + b"=\n")),
            "at most 63 lines, and this has 64",
        ),
        (SPECIFIED.replace(b"20852163", b"x"), "is no number of entries"),
        (b"x" * 300_000, "at most 262,144 bytes"),
    ],
)
def test_what_is_no_request_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_request(body)


@given(some.binary(max_size=300), some.integers(0, len(SPECIFIED) - 1), some.integers(0, 7))
def test_bytes_are_a_request_or_a_reason(garbage: bytes, at: int, bit: int) -> None:
    flipped = bytearray(SPECIFIED)
    flipped[at] ^= 1 << bit
    for body in (garbage, bytes(flipped)):
        try:
            written = read_request(body).written()
        except ValueError:
            written = body
        assert written == body
