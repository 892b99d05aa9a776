"""The phone's half of the cipher: published vectors, the golden bytes of the table's half, and libsodium's messages."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest
from nacl import bindings as sodium

from pi_app.pages import sealing
from tests.pi_app.pages import node, vectors

needs_node = pytest.mark.skipif(node.NODE is None, reason=node.MISSING)
pytestmark = needs_node

SUNSCREEN = (
    b"Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, "
    b"sunscreen would be it."
)


def hexed(text: str) -> bytes:
    return bytes.fromhex(text.replace(":", "").replace(" ", ""))


@pytest.fixture(scope="module")
def js() -> Iterator[node.CryptoJs]:
    with node.CryptoJs() as running:
        yield running


def test_chacha20_gives_the_published_vector(js: node.CryptoJs) -> None:
    """RFC 8439, 2.4.2."""
    found = js.call("chacha20", vectors.run(0, 32), hexed("000000000000004a00000000"), 1, SUNSCREEN)
    assert found.hex().startswith("6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b")
    assert found.hex().endswith("5af90bbf74a35be6b40b8eedf2785e42874d")


def test_poly1305_gives_the_published_vector(js: node.CryptoJs) -> None:
    """RFC 8439, 2.5.2."""
    key = hexed("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b")
    assert js.call("poly1305", key, b"Cryptographic Forum Research Group").hex() == "a8061dc1305136c6c22b8baf0c0127a9"


@pytest.mark.parametrize(
    ("r", "s", "data", "tag"),
    [
        ("02" + "00" * 15, "00" * 16, "ff" * 16, "03" + "00" * 15),
        ("02" + "00" * 15, "ff" * 16, "02" + "00" * 15, "03" + "00" * 15),
        ("01" + "00" * 15, "00" * 16, "ff" * 16 + "f0" + "ff" * 15 + "11" + "00" * 15, "05" + "00" * 15),
        ("01" + "00" * 15, "00" * 16, "ff" * 16 + "fb" + "fe" * 15 + "01" * 16, "00" * 16),
        ("02" + "00" * 15, "00" * 16, "fd" + "ff" * 15, "fa" + "ff" * 15),
    ],
)
def test_poly1305_carries_as_the_published_vectors_do(js: node.CryptoJs, r: str, s: str, data: str, tag: str) -> None:
    """RFC 8439, A.3, vectors 7 to 11."""
    assert js.call("poly1305", hexed(r + s), hexed(data)).hex() == tag


def test_the_whole_cipher_gives_the_published_vector(js: node.CryptoJs) -> None:
    """draft-irtf-cfrg-xchacha-03, A.3.1."""
    key, nonce, ad = vectors.run(0x80, 32), vectors.run(0x40, 24), hexed("50515253c0c1c2c3c4c5c6c7")
    box = js.call("seal", key, nonce, ad, SUNSCREEN)
    assert box.hex().startswith("bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa644")
    assert box.hex().endswith("c0875924c1c7987947deafd8780acf49")
    assert js.call("open", key, nonce, ad, box) == SUNSCREEN


def test_x25519_gives_the_published_vectors(js: node.CryptoJs) -> None:
    """RFC 7748, 5.2 (both, and the first thousand rounds) and 6.1."""
    first = js.call(
        "x25519",
        hexed("a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4"),
        hexed("e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c"),
    )
    assert first.hex() == "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    second = js.call(
        "x25519",
        hexed("4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d"),
        hexed("e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493"),
    )
    assert second.hex() == "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
    nine = b"\x09" + bytes(31)
    assert js.call("x25519", nine, nine).hex() == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"
    alice = hexed("77076d0a7318a57d3c16c17251b26645b8c6d8a8e7ac4f6b3b5b5a0b8d4e0a0a")[:32]
    assert js.call("x25519", alice, nine) == sodium.crypto_scalarmult_base(alice)


def test_an_exchange_that_comes_out_as_zero_is_refused(js: node.CryptoJs) -> None:
    for point in vectors.LOW_ORDER:
        assert js.call("x25519", vectors.run(1, 32), hexed(point)) is None
    join = {"key": bytes(32), "secret": vectors.run(1, 32)}
    assert js.call("session", join, hexed(vectors.LOW_ORDER[0]) + bytes(16)) is None


def test_a_code_is_read_in_capital_and_small_letters_and_nothing_else(js: node.CryptoJs) -> None:
    join = json.loads(vectors.GOLDEN.read_text())["join"]
    assert js.call("fromBase32", join["fragment"]).hex() == join["code"]
    assert js.call("fromBase32", join["fragment"].lower()).hex() == join["code"]
    for bad in ("", join["fragment"][:-1], join["fragment"] + "A", "1" + join["fragment"][1:], "Ä" * 26):
        assert js.call("fromBase32", bad) is None


def test_a_greeting_of_another_length_or_a_frame_that_is_no_text_is_refused(js: node.CryptoJs) -> None:
    assert js.call("session", {"key": bytes(32), "secret": vectors.run(1, 32)}, vectors.run(0, 47)) is None
    assert js.call("fromBase64", "&&&") is None
    keys = sealing.Session(bytes(16), bytes(32), bytes(32))
    frame = sealing.seal_frame(keys, 1, vectors.padded("{not json", 512))
    assert js.call("openFrame", {"slot": bytes(16), "down": bytes(32)}, frame, 0) is None


def test_both_halves_make_the_golden_bytes(js: node.CryptoJs) -> None:
    golden = json.loads(vectors.GOLDEN.read_text())
    join, greeting = golden["join"], golden["greeting"]
    block = golden["hchacha20"]
    assert js.call("hchacha20", hexed(block["key"]), hexed(block["in"])).hex() == block["out"]
    sent = js.call("newJoin", *(hexed(join[name]) for name in ("code", "game", "phone_secret", "nonce", "tail")))
    assert sent["body"].hex() == join["body"]
    keys = js.call("session", sent, hexed(greeting["greeting"]))
    assert {name: keys[name].hex() for name in ("slot", "down", "up")} == {
        name: greeting[name] for name in ("slot", "down", "up")
    }
    last = 0
    for frame in golden["frames"]:
        opened = js.call("openFrame", keys, hexed(frame["frame"]), last)
        assert opened == {"number": frame["number"], "content": json.loads(frame["text"])}
        assert js.call("openFrame", keys, hexed(frame["frame"]), frame["number"]) is None, "a number twice"
        last = frame["number"]
    for made in golden["posts"]:
        found = js.call("post", keys, made["counter"], made["kind"], hexed(made["nonce"]), hexed(made["tail"]))
        assert found.hex() == made["body"]


def test_a_frame_with_one_changed_bit_does_not_open(js: node.CryptoJs) -> None:
    golden = json.loads(vectors.GOLDEN.read_text())
    keys = {name: hexed(golden["greeting"][name]) for name in ("slot", "down", "up")}
    frame = hexed(golden["frames"][0]["frame"])
    assert js.call("openFrame", keys, frame, 0) is not None
    for bit in random.Random(7).sample(range(8 * len(frame)), 40):
        changed = bytearray(frame)
        changed[bit // 8] ^= 1 << bit % 8
        assert js.call("openFrame", keys, bytes(changed), 0) is None


def packed(draw: random.Random, count: int, longest: int) -> bytes:
    parts: list[bytes] = []
    for _ in range(count):
        key, nonce = draw.randbytes(32), draw.randbytes(24)
        ad, plain = draw.randbytes(draw.randrange(48)), draw.randbytes(draw.randrange(longest))
        box = sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, ad, nonce, key)
        parts += (key, nonce, len(ad).to_bytes(2, "big"), len(plain).to_bytes(2, "big"), ad, plain, box)
    return b"".join(parts)


def test_messages_of_libsodium_open_and_are_sealed_to_the_same_bytes(js: node.CryptoJs) -> None:
    assert js.messages(packed(random.Random(19), 300, 400)) == 300
    assert js.messages(packed(random.Random(20), 4, 5000)) == 4


def test_a_message_that_differs_is_found(js: node.CryptoJs) -> None:
    right = packed(random.Random(19), 3, 40)
    assert js.messages(right[:-1] + bytes([right[-1] ^ 1])) == "message 2 differs"


def test_what_the_phone_makes_the_table_opens(js: node.CryptoJs) -> None:
    for line in vectors.lines(20, 19):
        compared(js, line)


@pytest.mark.slow
def test_messages_of_libsodium_open(js: node.CryptoJs) -> None:
    """TRAPDIAL_MESSAGES is how many: a million in `make pages-test`."""
    batches = int(os.environ.get("TRAPDIAL_MESSAGES", "100000")) // 5_000
    draw = random.Random(1919)
    assert sum(js.messages(packed(draw, 5_000, 120)) for _ in range(batches)) == batches * 5_000 > 0


def compared(js: node.CryptoJs, line: dict[str, Any]) -> None:
    """One line of `vectors`: the script makes the same post, and the same join if there is one."""
    keys = {name: hexed(line[name]) for name in ("slot", "down", "up")}
    found = js.call("post", keys, line["counter"], line["kind"], hexed(line["nonce"]), hexed(line["tail"]))
    assert found.hex() == line["post"]
    if "code" in line:
        names = ("code", "game", "phone_secret", "join_nonce", "join_tail")
        join = js.call("newJoin", *(hexed(line[name]) for name in names))
        assert join["body"].hex() == line["join"]
        assert js.call("session", join, hexed(line["greeting"])) == keys
