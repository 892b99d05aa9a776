"""What a table signs to be enrolled."""

from __future__ import annotations

import msgspec
import pytest

from pi_app.journal.record.checkpoints import cosign, origin_of, signed_checkpoint
from pi_app.journal.record.enrolment import Enrolment, code_letters, read_enrolment, sign_enrolment
from pi_app.journal.record.heads import Head, is_last, last_signature
from pi_app.journal.record.keys import device_key, signed_by
from pi_app.journal.record.notes import COSIGNS, VerifierKey
from pi_app.journal.record.succession import vouched

KEY, OTHER = device_key(b"k" * 32), device_key(b"o" * 32)
CENTRE = VerifierKey("centre.example/c1", COSIGNS, OTHER.public)
CHALLENGE = "ab" * 32
ROOT = bytes(32)


def signed(code: str = "KQ7M-R2XA-5DHC") -> Enrolment:
    return sign_enrolment(KEY, CENTRE, code, CHALLENGE)


def test_an_enrolment_is_signed_over_all_that_it_says() -> None:
    asked = signed()
    assert read_enrolment(msgspec.json.encode(asked)) == asked
    assert asked.is_signed(CENTRE)
    changed = [
        msgspec.structs.replace(asked, code="KQ7MR2XA5DHD"),
        msgspec.structs.replace(asked, challenge="ab" * 31 + "ac"),
        msgspec.structs.replace(asked, origin=origin_of(OTHER.public)),
        msgspec.structs.replace(asked, origin="trapdial.invalid/record/12"),
        msgspec.structs.replace(asked, signature="00" * 64),
    ]
    assert [each.is_signed(CENTRE) for each in changed] == [False] * 5
    others = [VerifierKey("centre.example/c2", COSIGNS, OTHER.public), VerifierKey(CENTRE.name, COSIGNS, KEY.public)]
    assert [asked.is_signed(each) for each in others] == [False, False]


def test_the_text_is_that_of_the_page() -> None:
    text = f"trapdial enrol 1\n{CENTRE.text()}\nKQ7MR2XA5DHC\n{CHALLENGE}\n"
    assert signed_by(KEY.public, text.encode(), bytes.fromhex(signed().signature))


def test_no_other_text_that_a_device_signs_is_an_enrolment() -> None:
    head = Head.made(KEY, 3, ROOT)
    signatures = (
        head.signature.hex(),
        last_signature(KEY, 3, ROOT).hex(),
        signed_checkpoint(KEY, 3, ROOT).signatures[0].data.hex(),
        vouched(KEY, head, OTHER.public).by,
        cosign(KEY, CENTRE.name, signed_checkpoint(KEY, 3, ROOT).text, 5).data[8:].hex(),
    )
    for signature in signatures:
        assert not msgspec.structs.replace(signed(), signature=signature).is_signed(CENTRE)


def test_an_enrolment_is_no_head_and_no_last_signature() -> None:
    signature = bytes.fromhex(signed().signature)
    assert not Head(KEY.public, 3, ROOT, signature).genuine
    assert not is_last(KEY.public, 3, ROOT, signature)


@pytest.mark.parametrize("typed", ["obij-klmn-opqr", " 0B1J KLMN  OPQR ", "O81JKLMNOPQR", "OBIJ·KLMN—OPQR\udc80"])
def test_a_code_may_be_typed_as_it_is_read(typed: str) -> None:
    assert code_letters(typed) == "OBIJKLMNOPQR"
    assert signed(typed).signature == signed("OBIJ-KLMN-OPQR").signature


def test_a_code_of_any_length_makes_a_request() -> None:
    asked = signed("A" * 10_000)
    assert read_enrolment(msgspec.json.encode(asked)).is_signed(CENTRE)


@pytest.mark.parametrize("body", [b"", b"{}", b"\xff", b"[" * 5_000, b'{"enrolment":2}', b"null"])
def test_what_is_no_enrolment_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_enrolment(body)


def test_an_unknown_name_or_a_signature_that_is_no_hex_is_refused() -> None:
    whole = msgspec.json.encode(signed())
    for body in (whole[:-1] + b',"more":1}', whole.replace(signed().signature[:2].encode(), b"xy", 1)):
        with pytest.raises(ValueError, match=r"."):
            read_enrolment(body)
