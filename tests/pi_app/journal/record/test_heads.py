"""Heads as text: read back as people write them, or refused with the reason."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.journal.record.checkpoints import signed_checkpoint
from pi_app.journal.record.heads import Head, head_in, read_head, read_heads
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import SignedNote

HEAD = Head.made(device_key(bytes(range(32))), 186, bytes(range(100, 132)))


def test_golden_text() -> None:
    assert HEAD.text().startswith("TRAPDIAL1 ")
    assert len(HEAD.text().replace(" ", "")) == 227
    assert re.fullmatch("[A-Z2-7 ]+", HEAD.text().removeprefix("TRAPDIAL1"))


@given(st.randoms(use_true_random=False))
def test_blanks_line_ends_and_small_letters_are_allowed(draw: random.Random) -> None:
    text = "".join(letter + draw.choice(["", "", " ", "\n"]) for letter in HEAD.text().replace(" ", ""))
    assert read_head(draw.choice([text, text.lower()])) == HEAD


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a head begins with TRAPDIAL1"),
        ("hello", "a head begins with TRAPDIAL1"),
        (HEAD.text().replace(" ", "")[:-8], "a head has 218 letters after TRAPDIAL1, not 210"),
        (HEAD.text()[:-4] + "0189", "a head is written with the letters A to Z and the digits 2 to 7"),
        (HEAD.text()[:40] + ("A" if HEAD.text()[40] != "A" else "B") + HEAD.text()[41:], "its signature does not fit"),
    ],
)
def test_a_text_that_is_not_a_head_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_head(text)


def test_a_head_of_another_size_or_root_is_not_genuine() -> None:
    assert HEAD.genuine
    assert not Head(HEAD.device, 187, HEAD.root, HEAD.signature).genuine
    assert not Head(HEAD.device, 186, bytes(32), HEAD.signature).genuine


def test_a_checkpoint_has_its_head_if_the_device_has_signed_it() -> None:
    key = device_key(bytes(range(32)))
    note = signed_checkpoint(key, 186, HEAD.root)
    head = head_in(note)
    assert (head.device, head.size, head.root, head.genuine) == (HEAD.device, 186, HEAD.root, True)
    other = signed_checkpoint(device_key(bytes(32)), 186, HEAD.root)
    for wrong, why in (
        (SignedNote(note.text, other.signatures), "its device has not signed it"),
        (SignedNote(note.text.replace("186", "187"), note.signatures), "its device has not signed it"),
        (SignedNote(note.text + "more\n", note.signatures), "which is no record of this program"),
        (
            SignedNote("example.com/log\n" + note.text.partition("\n")[2], note.signatures),
            "a checkpoint of 'example.com/log'",
        ),
        (SignedNote("a\n", note.signatures), "a checkpoint has three lines at least"),
    ):
        with pytest.raises(ValueError, match=why):
            head_in(wrong)


LATER = Head.made(device_key(bytes(range(32))), 190, bytes(range(200, 232)))


def test_a_text_with_several_heads_gives_each_once_in_their_order() -> None:
    lines = [LATER.text(), HEAD.text().lower(), LATER.text().replace(" ", "")]
    for between in ("\n", "\r\n", " ", ""):
        assert read_heads(between.join(lines) + between) == [LATER, HEAD]


def test_one_head_may_still_be_broken_anywhere() -> None:
    text = HEAD.text().replace(" ", "")
    assert read_heads("\n".join(text)) == [HEAD], "also within its first word"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "a head begins with TRAPDIAL1"),
        ("my heads\n" + HEAD.text(), "head 1 of 2: a head begins with TRAPDIAL1"),
        (
            f"{HEAD.text()}\n{LATER.text().replace(' ', '')[:-8]}\n",
            "head 2 of 2: a head has 218 letters after TRAPDIAL1, not 210",
        ),
        ("TRAPDIAL1" * 3, "head 1 of 3: a head has 218 letters after TRAPDIAL1, not 0"),
    ],
)
def test_which_of_several_is_no_head_is_said(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{why}$"):
        read_heads(text)
