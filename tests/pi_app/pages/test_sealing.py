"""The cipher against published vectors, libsodium and fixed bytes; what does not fit never opens."""

from __future__ import annotations

import json
import os
import pprint

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nacl import bindings as sodium

from pi_app.pages import sealing
from pi_app.pages.messages import GREETING_BYTES, POST_BYTES
from pi_app.pages.sealing import Session, answer_join, hchacha20, open_post, seal_frame, slot_of
from pi_app.simulated.phone import PhoneSession, knock, plain_of, sealed_post
from tests.pi_app.pages import vectors
from tests.pi_app.pages.vectors import GOLDEN, LOW_ORDER, fixed, run

keys = st.binary(min_size=32, max_size=32)
CODE = run(0x10, 16)


def joined(code: bytes = CODE) -> tuple[Session, PhoneSession]:
    body, finish = knock(code)
    answer = answer_join(code, body)
    assert answer is not None
    return answer[0], finish(answer[1])


def test_hchacha20_gives_the_published_vector() -> None:
    """draft-irtf-cfrg-xchacha-03, 2.2.1."""
    found = hchacha20(run(0, 32), bytes.fromhex("000000090000004a0000000031415927"))
    assert found.hex() == "82413b4227b27bfed30e42508a877d73a0f9e4d58a74a853c12ec41326d3ecdc"


@given(keys, st.binary(min_size=24, max_size=24), st.binary(max_size=200), st.binary(max_size=40))
def test_libsodiums_xchacha_is_chacha_after_our_hchacha20(
    key: bytes, nonce: bytes, plain: bytes, public: bytes
) -> None:
    inner = bytes(4) + nonce[16:]
    ours = sodium.crypto_aead_chacha20poly1305_ietf_encrypt(plain, public, inner, hchacha20(key, nonce[:16]))
    assert ours == sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, public, nonce, key)


def test_x25519_gives_the_published_vector() -> None:
    """RFC 7748, 6.1."""
    alice = bytes.fromhex("77076d0a7318a57d3c16c17251b26645b8c6d8a8e7ac4f6b3b5b5a0b8d4e0a0a")
    bob = bytes.fromhex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb")
    assert sealing.exchanged(bob, sealing.public_of(alice)) == sealing.exchanged(alice, sealing.public_of(bob))
    secret = bytes.fromhex("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4")
    public = bytes.fromhex("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c")
    shared = sealing.exchanged(secret, public)
    assert shared is not None
    assert shared.hex() == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"


@pytest.mark.parametrize("public", LOW_ORDER)
def test_an_exchange_that_comes_out_as_zero_is_refused(public: str) -> None:
    phone = bytes.fromhex(public)
    assert sealing.exchanged(os.urandom(32), phone) is None
    box = sealing.sealed(sealing.code_key(CODE), bytes(24), bytes(32), sealing.JOIN + phone)
    assert answer_join(CODE, (phone + bytes(24) + box).ljust(POST_BYTES, b"\0")) is None
    with pytest.raises(ValueError, match=r"This is no greeting of a table\."):
        knock(CODE)[1](phone + bytes(16))


def test_the_golden_bytes_are_what_both_halves_give() -> None:
    assert json.loads(GOLDEN.read_text(encoding="utf-8")) == vectors.golden()


def test_the_golden_frames_and_posts_open() -> None:
    told = json.loads(GOLDEN.read_text(encoding="utf-8"))
    greeting = {name: bytes.fromhex(value) for name, value in told["greeting"].items()}
    session = Session(greeting["slot"], greeting["down"], greeting["up"])
    phone = PhoneSession(session)
    assert [phone.open_frame(bytes.fromhex(each["frame"])) for each in told["frames"]] == [
        json.loads(each["text"]) for each in told["frames"]
    ]
    assert [open_post(session, bytes.fromhex(each["body"])) for each in told["posts"]] == [
        (each["counter"], each["kind"]) for each in told["posts"]
    ]


def test_the_random_lines_open_and_begin_with_a_join() -> None:
    lines = list(vectors.lines(201, seed=1))
    assert [number for number, line in enumerate(lines) if "join" in line] == [0, 100, 200]
    for line in lines:
        session = Session(*(bytes.fromhex(line[name]) for name in ("slot", "down", "up")))
        plain = plain_of(session, bytes.fromhex(line["frame"]))
        assert plain is not None
        assert plain.hex() == line["text"]
        assert open_post(session, bytes.fromhex(line["post"])) == (line["counter"], line["kind"])


def test_what_the_phone_and_the_table_send_has_one_length() -> None:
    body, finish = knock(CODE)
    answer = answer_join(CODE, body)
    assert answer is not None
    phone = finish(answer[1])
    assert [len(each) for each in (body, phone.resume(), *(phone.post(kind) for kind in sealing.KINDS))] == [
        POST_BYTES
    ] * 7
    assert len(answer[1]) == len(sealing.decoy_greeting()) == GREETING_BYTES


def test_two_joins_with_one_code_share_no_key() -> None:
    (one, _), (two, _) = joined(), joined()
    assert not {one.slot, one.down, one.up} & {two.slot, two.down, two.up}


def test_another_code_is_no_join() -> None:
    body, _ = knock(CODE)
    assert answer_join(run(0x11, 16), body) is None


def test_what_is_too_short_or_too_long_is_no_join_and_no_post() -> None:
    body, finish = knock(CODE)
    answer = answer_join(CODE, body)
    assert answer is not None
    post = finish(answer[1]).post(sealing.TAP)
    for size in (0, 1, 31, 32, 104, 127, 129, 256):
        assert answer_join(CODE, body.ljust(size, b"\0")[:size]) is None
        assert open_post(answer[0], post.ljust(size, b"\0")[:size]) is None


@given(st.integers(0, sealing.POST_BOX.stop * 8 - 1))
def test_a_post_with_one_bit_changed_does_not_open(bit: int) -> None:
    session = Session(run(0, 16), run(1, 32), run(2, 32))
    post = bytearray(sealed_post(session, 1, sealing.TAP))
    post[bit // 8] ^= 1 << bit % 8
    assert open_post(session, bytes(post)) is None


@given(st.integers(0, 128 * 8 - 1))
def test_a_frame_with_one_bit_changed_does_not_open(bit: int) -> None:
    session = Session(run(0, 16), run(1, 32), run(2, 32))
    frame = bytearray(seal_frame(session, 1, vectors.padded("{}", 128)))
    frame[bit // 8] ^= 1 << bit % 8
    assert plain_of(session, bytes(frame)) is None


def test_a_frame_of_another_phone_or_an_older_one_does_not_open() -> None:
    (session, phone), (_, other) = joined(), joined()
    first, second = (seal_frame(session, number, vectors.padded("{}", 128)) for number in (1, 2))
    assert other.open_frame(first) is None
    assert phone.open_frame(second) == {}
    assert (phone.open_frame(first), phone.open_frame(second)) == (None, None)


@pytest.mark.parametrize("kind", [0, 6, 255])
def test_an_unknown_kind_is_no_post(kind: int) -> None:
    session, _ = joined()
    assert open_post(session, sealed_post(session, 1, kind)) is None


def test_a_post_with_more_than_counter_and_kind_or_a_counter_beyond_a_browsers_numbers_is_no_post() -> None:
    session, _ = joined()
    assert open_post(session, sealed_post(session, 2**53 - 1, sealing.TAP)) == (2**53 - 1, sealing.TAP)
    assert open_post(session, sealed_post(session, 2**53, sealing.TAP)) is None
    nonce, plain = bytes(24), bytes(7) + b"\1\1" + bytes(22) + b"\1"
    box = sealing.sealed(session.up, nonce, plain, sealing.POST + session.slot)
    assert open_post(session, (session.slot + nonce + box).ljust(POST_BYTES, b"\0")) is None


def test_a_frame_never_uses_a_nonce_twice() -> None:
    session, _ = joined()
    nonces = {seal_frame(session, 1, bytes(80))[8:32] for _ in range(1000)}
    assert len(nonces) == 1000


def test_no_key_is_printed() -> None:
    session, phone = joined()
    printed = f"{session} {session!r} {phone} {phone!r} {pprint.pformat([session, phone])}"
    assert printed.count("(sealed)") == 6
    assert not any(each.hex() in printed or repr(each) in printed for each in (session.slot, session.down, session.up))
    assert slot_of(phone.post(1)) == session.slot


def test_an_error_of_libsodium_names_no_key() -> None:
    session, _ = joined()
    with pytest.raises(Exception, match="bytes") as raised:
        seal_frame(Session(session.slot, session.down[:31], session.up), 1, bytes(80))
    assert session.down[:31].hex() not in str(raised.value)
    assert repr(session.down[:31]) not in str(raised.value)


def test_fixed_randomness_must_have_the_size_that_is_asked_for() -> None:
    with pytest.raises(AssertionError):
        fixed(b"1")(2)
