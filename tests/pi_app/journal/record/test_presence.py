"""A device signs that it is there: for one centre, one challenge, one checkpoint, and how much waits."""

from __future__ import annotations

import msgspec
import pytest

from pi_app.journal.record.handover import HandOver, read_handover, show_presence
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.journal.record.presence import sign_presence

KEY, OTHER = device_key(b"k" * 32), device_key(b"o" * 32)
CENTRE = VerifierKey("centre.example/c1", COSIGNS, device_key(b"c" * 32).public)
CHALLENGE = "ab" * 56
TEXT = "origin\n3\nroot\n"


def test_it_is_signed_by_its_device_for_what_it_says_alone() -> None:
    made = sign_presence(KEY, CENTRE, CHALLENGE, 7, TEXT)
    assert made.is_signed(KEY.public, CENTRE, 7, TEXT)
    named = VerifierKey("centre.example/c2", COSIGNS, CENTRE.public)
    assert not made.is_signed(OTHER.public, CENTRE, 7, TEXT)
    assert not made.is_signed(KEY.public, named, 7, TEXT)
    assert not made.is_signed(KEY.public, CENTRE, 8, TEXT)
    assert not made.is_signed(KEY.public, CENTRE, 7, TEXT.replace("3", "4"))
    assert not msgspec.structs.replace(made, challenge="cd" * 56).is_signed(KEY.public, CENTRE, 7, TEXT)


@pytest.mark.parametrize("challenge", ["", "x" * 64, "ab" * 15, "ab" * 101, "ab" * 32 + "\n" + "ab" * 32, "AB" * 32])
def test_a_challenge_that_others_chose_is_not_signed(challenge: str) -> None:
    with pytest.raises(ValueError, match=r"it is no challenge of a centre"):
        sign_presence(KEY, CENTRE, challenge, 0, TEXT)


def test_it_goes_with_a_hand_over_and_is_read_again(handed: HandOver) -> None:
    shown = show_presence(handed, KEY, CENTRE, CHALLENGE)
    assert read_handover(shown.written()) == shown
    assert shown.present == sign_presence(KEY, CENTRE, CHALLENGE, handed.more, handed.checkpoint.text)
    assert b"present" not in handed.written()


@pytest.mark.parametrize(("name", "value"), [("signature", "ab"), ("signature", "AB" * 64), ("challenge", "a" * 201)])
def test_another_form_is_no_hand_over(handed: HandOver, name: str, value: str) -> None:
    shown = show_presence(handed, KEY, CENTRE, CHALLENGE)
    assert shown.present is not None
    wrong = msgspec.structs.replace(shown.present, **{name: value})
    body = shown.written().replace(msgspec.json.encode(shown.present), msgspec.json.encode(wrong))
    with pytest.raises(ValueError, match=r"its first line is not one of a hand-over"):
        read_handover(body)


@pytest.fixture
def handed() -> HandOver:
    from pi_app.journal.record.checkpoints import origin_of, signed_checkpoint

    return HandOver(origin_of(KEY.public), 4, (), signed_checkpoint(KEY, 3, bytes(32)), more=7)
