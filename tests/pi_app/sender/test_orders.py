"""What the sender's process says is read strictly, and shown to people as letters alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.sender.orders import (
    MOST_TROUBLES,
    SenderOrders,
    SenderSays,
    SenderTrouble,
    keep_said,
    kept_said,
    said_in,
    sending_file,
)


@given(some.text(max_size=60), some.text(max_size=60), some.text(max_size=60))
def test_whatever_it_says_becomes_one_line_of_letters(trouble: str, why: str, name: str) -> None:
    said = said_in(msgspec.json.encode(SenderSays(troubles=(SenderTrouble(sentence=trouble, why=why, name=name),))))
    assert said is not None
    assert said.sentences(str)[0].isprintable()


def test_a_sentence_is_translated_before_its_blanks_are_filled() -> None:
    trouble = SenderTrouble(sentence="Witness {name} waits: {why}", why="no answer", name="w1")
    assert trouble.text(lambda text: text.replace("waits", "wartet")) == "Witness w1 wartet: no answer"
    since = SenderTrouble(sentence="It waits since {since}: {why}", why="no answer", since_s=1_000)
    assert since.text(str) == "It waits since 1970-01-01 00:16:40 UTC: no answer"
    assert SenderSays(troubles=(trouble, since)).sentences(str) == (trouble.text(str), since.text(str))


LONG = b'{"troubles":[{"sentence":"%s"}]}' % (b"x" * 500)


@pytest.mark.parametrize("line", [b"", b"{", b"[1]", b"\xff", b'{"troubles":5}', LONG])
def test_anything_else_is_nothing(line: bytes) -> None:
    assert said_in(line) is None


MOST = tuple(
    SenderTrouble(sentence="é" * 400, why='"' * 400, name="\U0001f600" * 400, since_s=2**53)
    for _ in range(MOST_TROUBLES)
)


def test_how_it_goes_is_kept_beside_the_journal_and_taken_away(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert kept_said(journal) is None
    said = SenderSays(troubles=MOST, confined=False)
    keep_said(journal, said)
    assert kept_said(journal) == said
    sending_file(journal).write_bytes(b"x" * 70_000)
    assert kept_said(journal) is None
    keep_said(journal, None)
    keep_said(journal, None)
    assert not sending_file(journal).exists()


def test_orders_do_not_print_the_key() -> None:
    assert repr(SenderOrders(journal="j.db", seed="ab" * 32)) == "SenderOrders(j.db)"
