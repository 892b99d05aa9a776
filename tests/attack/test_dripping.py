"""A centre, a witness or a proxy before it that means to hold a table for ever: nothing waits longer than one deadline
for a whole exchange, and nobody else waits at all.

Every connection is real, and the deadline is short. No test looks at a clock: an attack that works holds its thread
until the test gives it up.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.journal.cosigned import PinnedWitness, cosigned, keep_cosigned, pin
from pi_app.journal.record.checkpoints import cosign
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import COSIGNS, SignedNote, VerifierKey
from pi_app.sender import by_hand
from pi_app.sender import client as client_module
from pi_app.sender import turns as turns_module
from pi_app.sender.client import CentreReply, HttpClient, UnreachableError
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders
from pi_app.sender.outbox import Outbox
from pi_app.sender.records import cosigned_size
from pi_app.sender.turns import turns_of
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.sender.dripping import ENDLESS, SLOW_HANDS, WAYS, answers, bomb, dripping
from tests.pi_app.sender.http_centre import HttpCentre
from tests.pi_app.sender.one_witness import WITNESS, Witness
from tests.pi_app.sender.shop import Shop

ILL: Final = VerifierKey("ill.example/w1", COSIGNS, device_key(b"i" * 32).public)
"""A witness that is pinned, and holds whoever asks it."""

DEADLINE_S: Final = 0.2
HELD_S: Final = 20.0
"""Whoever waits so long is held for ever."""


def done(work: Callable[[], object]) -> object:
    """Return what came of it, an error too. Fails if it is held."""
    results: list[object] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as error:  # noqa: BLE001 - the error is what a test looks at
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(HELD_S)
    assert results, "it is held"
    return results[0]


def client_of(address: str) -> HttpClient:
    return HttpClient(address, exchange_s=DEADLINE_S)


@pytest.mark.parametrize("way", WAYS)
def test_whatever_drips_is_given_up_at_the_deadline_and_asked_again_over_another_connection(way: str) -> None:
    with dripping(WAYS[way]) as other:
        client = client_of(other.address)
        first = done(lambda: client.post("hand-over", b"x" * 900_000))
        assert isinstance(first, UnreachableError)
        assert str(first) == f"{other.address} did not answer in full within 0.2 seconds."
        assert first.connected, "so less is handed over the next time"
        other.way = answers(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        client.exchange_s = HELD_S
        while isinstance(again := done(lambda: client.post("hand-over", b"x")), UnreachableError):
            assert "an earlier request still hangs" in str(again)
        assert again == CentreReply(200, b"ok")


@pytest.mark.parametrize("way", ENDLESS)
def test_what_has_no_end_is_not_read_to_the_deadline(way: str) -> None:
    with dripping(ENDLESS[way]) as other:
        error = done(lambda: HttpClient(other.address, exchange_s=2 * HELD_S).post("hand-over", b"x"))
        assert isinstance(error, UnreachableError)
        ends = ("answers with more than 65,536 bytes.", "does not answer (")
        assert str(error).startswith(tuple(f"{other.address} {end}" for end in ends))


def test_a_handshake_of_tls_that_drips_is_given_up_too() -> None:
    with dripping(SLOW_HANDS) as other:
        client = client_of(f"https://127.0.0.1:{other.port}/")
        error = done(lambda: client.post("hand-over", b"x"))
        assert isinstance(error, UnreachableError)
        assert "did not answer in full" in str(error)


def test_a_small_answer_that_unpacks_to_much_is_left_packed() -> None:
    with dripping(answers(bomb(20_000_000))) as other:
        reply = done(lambda: HttpClient(other.address).post("hand-over", b"x"))
        assert isinstance(reply, CentreReply)
        assert len(reply.body) < 40_000


def test_a_redirect_is_an_answer_and_nobody_goes_there() -> None:
    with dripping(answers(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) as elsewhere:
        head = f"HTTP/1.1 307 Elsewhere\r\nLocation: {elsewhere.address}\r\nContent-Length: 0\r\n\r\n"
        with dripping(answers(head.encode())) as other:
            reply = done(lambda: HttpClient(other.address).post("hand-over", b"x"))
        assert isinstance(reply, CentreReply)
        assert (reply.status, elsewhere.asked) == (307, 0)


# ----------------------------------------------------------------------------------------- a table and those it asks


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


@contextlib.contextmanager
def served_desk(shop: Shop) -> Iterator[str]:
    centre = HttpCentre(shop.client)
    try:
        yield centre.address
    finally:
        centre.close()


def pausing(over: threading.Event) -> Callable[[float], None]:
    """Return a pause that ends its thread when the test is over."""

    def pause(seconds: float) -> None:
        if over.wait(seconds):
            raise SystemExit

    return pause


@pytest.mark.slow
def test_a_witness_that_drips_delays_neither_the_centre_nor_another_witness_and_the_staff_reads_its_name(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The turns are those of the sender's process, in this one."""
    monkeypatch.setattr(turns_module, "PATIENCE", 1)
    good = HttpCentre(Witness(shop))
    with dripping(WAYS["drips a header"]) as ill, served_desk(shop) as centre:
        pin(shop.path, PinnedWitness(key=ILL.text(), address=ill.address))
        pin(shop.path, PinnedWitness(key=WITNESS.text(), address=good.address))
        orders = SenderOrders(journal=str(shop.path), address=centre, key=CENTRE.verifier.text(), spread=False)
        made = turns_of(shop.path, orders, Outbox(shop.path, shop.key), HttpClient)
        made.begin(pause := pausing(over := threading.Event()))
        good.until(lambda: cosigned_size(shop.path, WITNESS) == shop.here == 8 and ill.asked == 1)
        assert made.troubles == (), "the one that drips is held in its own turn alone, for a minute"
        assert cosigned_size(shop.path, CENTRE.verifier) == 8, "neither cosignature took the other's place"
        made = turns_of(shop.path, orders, Outbox(shop.path, shop.key), client_of)
        made.begin(pause)
        good.until(lambda: bool(made.troubles))
        over.set()
        (trouble,) = made.troubles
        assert trouble.text(str) == (
            f"Witness ill.example/w1 was not reached: {ill.address} did not answer in full within 0.2 seconds."
        )
    good.close()


@pytest.mark.slow
def test_the_real_process_hands_over_while_a_witness_drips(shop: Shop) -> None:
    good = HttpCentre(shop.client)
    with dripping(WAYS["drips its body"]) as ill:
        pin(shop.path, PinnedWitness(key=ILL.text(), address=ill.address))
        keeper = SenderKeeper(
            SenderOrders(journal=str(shop.path), address=good.address, key=CENTRE.verifier.text(), spread=False)
        )
        good.until(lambda: ill.asked == 1)
        shop.play("g2")
        good.until(lambda: cosigned_size(shop.path, CENTRE.verifier) == 16)
        assert ill.asked == 1, "it still drips"
        keeper.close()
    good.close()


def test_a_centre_that_drips_ends_a_hand_over_by_hand_with_a_line_for_each_try(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "EXCHANGE_S", 1.0)
    monkeypatch.setattr(by_hand, "LONGEST_PAUSE_S", 0.0)
    with dripping(WAYS["drips its body"]) as ill:
        words = ["journal", "hand-over", "--journal", str(shop.path), "--to", ill.address]
        result = done(lambda: CliRunner().invoke(main, [*words, "--key", CENTRE.verifier.text()]))
    assert isinstance(result, Result)
    assert (result.exit_code, result.stdout) == (1, "")
    why = f"{shop.path}: {ill.address} did not answer in full within 1 seconds."
    assert result.stderr == f"{why} Trying again.\n" * (by_hand.TRIES - 1) + f"{why}\n"
    assert ill.asked == by_hand.TRIES


def test_cosignatures_that_come_together_are_all_kept(shop: Shop) -> None:
    """Each witness is asked in a thread of its own, and another program may hand the record over meanwhile."""
    outbox, keys = Outbox(shop.path, shop.key), [device_key(bytes([number]) * 32) for number in range(12)]
    asked = outbox.consistency(0, 8)
    assert asked is not None
    note, ready = asked[0], threading.Barrier(len(keys))

    def keep(number: int) -> None:
        key, name = keys[number], f"w{number}.example"
        line = cosign(key, name, note.text, 1_000)
        ready.wait()
        keep_cosigned(
            shop.path, SignedNote(note.text, (*note.signatures, line)), VerifierKey(name, COSIGNS, key.public)
        )

    threads = [threading.Thread(target=keep, args=(number,)) for number in range(len(keys))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(cosigned(shop.path)) == len(keys)
