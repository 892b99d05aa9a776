"""A pinned witness is asked with add-checkpoint, and what it cosigns is kept, whatever it answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from pi_app.journal.cosigned import cosigned
from pi_app.journal.record.checkpoints import cosign, origin_of, read_checkpoint
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import consistency_proof, root_of
from pi_app.journal.record.witness_protocol import read_request
from pi_app.sender import outbox as outbox_module
from pi_app.sender import witness_asker as asker_module
from pi_app.sender.client import CentreReply
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.records import cosigned_size
from pi_app.sender.sender import REFUSED_S
from pi_app.sender.witness_asker import WITNESS_EVERY_S, WITNESS_IDLE_S, WitnessAsker
from tests.pi_app.centre.records import entries_of
from tests.pi_app.sender.one_witness import WITNESS, Witness
from tests.pi_app.sender.shop import Shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


def asker(shop: Shop, witness: Witness, size: int | None = None) -> WitnessAsker:
    outbox = Outbox(shop.path, shop.key)
    return WitnessAsker(
        outbox,
        witness,
        WITNESS,
        outbox.last if size is None else lambda: size,
        SendingPace(random.Random(1)),
    )


def test_it_cosigns_what_the_record_has_and_its_growth(shop: Shop) -> None:
    witness = Witness(shop)
    asks = asker(shop, witness)
    assert asks.step().pause_s == WITNESS_EVERY_S
    assert cosigned_size(shop.path, WITNESS) == 8
    assert asks.step().pause_s == WITNESS_IDLE_S
    assert witness.asked == 1, "with nothing new it is not asked"
    shop.play("g2", "g3")
    asks.step()
    assert witness.seen == [8, 24]
    assert len(cosigned(shop.path)) == 1


def test_a_process_that_was_killed_goes_on_from_what_is_kept_or_from_what_the_witness_says(shop: Shop) -> None:
    witness = Witness(shop, lost=True)
    assert asker(shop, witness).step().trouble is None
    witness.lost = False
    shop.play("g2")
    asks = asker(shop, witness)
    first = asks.step()
    assert (first.pause_s, first.trouble) == (0.0, None), "the witness names the size that it has"
    asks.step()
    assert (witness.seen, cosigned_size(shop.path, WITNESS)) == ([8, 16], 16)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(some.lists(some.integers(1, 24), min_size=1, max_size=6), some.sampled_from([1, 3, 4096]))
def test_every_growth_has_its_proof(
    shared: Shop, monkeypatch: pytest.MonkeyPatch, sizes: list[int], at_once: int
) -> None:
    monkeypatch.setattr(outbox_module, "LEAVES_AT_ONCE", at_once)
    leaves = [leaf for *_, leaf in entries_of(shared.path)]
    outbox, old = Outbox(shared.path, shared.key), 0
    for size in sorted(sizes):
        found = outbox.consistency(old, size)
        assert found is not None
        note, proof = found
        checkpoint = read_checkpoint(note.text)
        assert (checkpoint.origin, checkpoint.size) == (origin_of(shared.key.public), size)
        assert checkpoint.root == root_of(leaves[:size])
        assert list(proof) == (consistency_proof(leaves[:size], old) if old else [])
        old = size
    assert outbox.consistency(1, 25) is None


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    shop = Shop(tmp_path_factory.mktemp("shop"))
    shop.play("g2", "g3")
    yield shop
    shop.close()


def test_a_witness_that_is_ahead_of_the_centre_is_no_trouble(shop: Shop) -> None:
    """The table lost its notes, so the centre is asked from the beginning, and the witness has more already."""
    witness = Witness(shop)
    asker(shop, witness).step()
    (shop.path.with_name("journal.db.cosigned") / "notes").unlink()
    step = asker(shop, witness, size=3).step()
    assert (step.trouble, step.pause_s) == (None, WITNESS_EVERY_S)


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (CentreReply(HTTPStatus.NOT_FOUND, b""), asker_module.UNKNOWN_HERE),
        (CentreReply(HTTPStatus.UNPROCESSABLE_ENTITY, b""), asker_module.CONTRADICTS),
        (CentreReply(HTTPStatus.CONFLICT, b"99\n"), asker_module.CONTRADICTS),
        (CentreReply(HTTPStatus.CONFLICT, b"x"), asker_module.WITNESS_REFUSES),
        (CentreReply(HTTPStatus.FORBIDDEN, b"no"), asker_module.WITNESS_REFUSES),
        (CentreReply(HTTPStatus.OK, b""), asker_module.OTHER_KEY),
        (CentreReply(HTTPStatus.OK, b"\xff"), asker_module.OTHER_KEY),
    ],
)
def test_what_a_person_must_mend_is_said_with_a_long_pause(shop: Shop, answer: CentreReply, trouble: str) -> None:
    asks = asker(shop, Witness(shop, answer=answer))
    step = asks.step()
    assert (step.trouble, step.pause_s >= REFUSED_S) == (trouble, True)
    assert cosigned(shop.path) == ()


@pytest.mark.parametrize("status", [429, 408, 500, 503])
def test_a_witness_that_is_busy_is_asked_again_later_and_later(shop: Shop, status: int) -> None:
    asks = asker(shop, Witness(shop, answer=CentreReply(status, b"busy", retry_s=7)))
    for number in range(1, 4):
        step = asks.step()
        assert (step.trouble, step.pause_s >= 7, asks.pace.failures) == (None, True, number)


def test_another_witness_under_the_same_name_is_not_kept(shop: Shop) -> None:
    stranger = device_key(b"x" * 32)
    witness = Witness(shop)

    class Lying:
        def post(self, path: str, body: bytes) -> CentreReply:
            witness.post(path, body)
            line = cosign(stranger, WITNESS.name, read_request(body).note.text, 1_000)
            return CentreReply(200, line.line().encode())

    asks = asker(shop, witness)
    asks.client = Lying()
    assert asks.step().trouble == asker_module.OTHER_KEY
    assert cosigned(shop.path) == ()
