"""What the sender's process says is read strictly, and shown to people as letters alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.sender.orders import SenderOrders, SenderSays, keep_said, kept_said, said_in, sending_file


@given(some.text(max_size=60), some.text(max_size=60), some.text(max_size=60))
def test_whatever_it_says_becomes_one_line_of_letters(trouble: str, why: str, name: str) -> None:
    said = said_in(msgspec.json.encode(SenderSays(trouble=trouble, why=why, name=name)))
    assert said is not None
    assert said.sentence(str).isprintable()


def test_a_sentence_is_translated_before_its_blanks_are_filled() -> None:
    said = SenderSays(trouble="Witness {name} waits: {why}", why="no answer", name="w1")
    assert said.sentence(lambda text: text.replace("waits", "wartet")) == "Witness w1 wartet: no answer"
    assert SenderSays().sentence(str) == ""


@pytest.mark.parametrize("line", [b"", b"{", b"[1]", b"\xff", b'{"trouble":5}', b'{"trouble":"%s"}' % (b"x" * 500)])
def test_anything_else_is_nothing(line: bytes) -> None:
    assert said_in(line) is None


def test_how_it_goes_is_kept_beside_the_journal_and_taken_away(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert kept_said(journal) is None
    said = SenderSays(trouble="x", confined=False)
    keep_said(journal, said)
    assert kept_said(journal) == said
    sending_file(journal).write_bytes(b"x" * 9_000)
    assert kept_said(journal) is None
    keep_said(journal, None)
    keep_said(journal, None)
    assert not sending_file(journal).exists()


def test_orders_do_not_print_the_key() -> None:
    assert repr(SenderOrders(journal="j.db", seed="ab" * 32)) == "SenderOrders(j.db)"
