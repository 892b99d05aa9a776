"""The keys and the cipher of one phone: XChaCha20-Poly1305, after an X25519 exchange that only a code's holder makes.

A *code* is the 16-byte secret in a QR. From it and a fresh exchange both ends derive a `Session`: one key for frames to
the phone, another for its posts. Who learns a code later opens no recorded stream.

    code key        code, 16 zeros
    join, 128       phone's public key 32 | nonce 24 | 32 zeros sealed by the code key, bound to JOIN, the game and that
                    key 48 | 24 random bytes
    greeting, 48    table's public key 32 | slot 16
    keys            root = HChaCha20(HChaCha20(code key, shared[:16]), shared[16:]);
                    down = HChaCha20(root, DOWN); up = HChaCha20(root, UP)
    frame           number 8 | nonce 24 | plain text sealed by down, bound to FRAME, slot and number, with its tag 16
    post, 128       slot 16 | nonce 24 | counter 8, kind 1, 23 zeros sealed by up, bound to POST and slot 48 |
                    40 random bytes

The *game* is 16 public random bytes, which the table draws for each game and the page carries: a join that somebody
recorded in one game is none in another. A code does not depend on it.

Numbers are big endian. The first frame that opens proves the table: only who knows the code has the same keys.
Libsodium does the arithmetic, but for HChaCha20, which PyNaCl leaves out. `pi_app/pages/page/crypto.js` is the phone's
end of the same; `tests/pi_app/pages/golden.json` has the bytes that both must give.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from nacl import bindings as sodium
from nacl.exceptions import RuntimeError as SodiumError

from pi_app.journal.record.keys import unseal
from pi_app.pages.messages import GREETING_BYTES, NO_GAME, POST_BYTES
from pi_app.text.sealed import Sealed

CODE_BYTES: Final = 16
KEY_BYTES: Final = 32
NONCE_BYTES: Final = 24
TAG_BYTES: Final = 16
SLOT_BYTES: Final = 16
NUMBER_BYTES: Final = 8

FRAME_OVERHEAD: Final = NUMBER_BYTES + NONCE_BYTES + TAG_BYTES
"""What a frame has besides its plain text: number, nonce and tag."""

PLAIN_BYTES: Final = 32
"""The plain text of a join and of a post."""

BOX: Final = slice(KEY_BYTES + NONCE_BYTES, KEY_BYTES + NONCE_BYTES + PLAIN_BYTES + TAG_BYTES)
POST_BOX: Final = slice(SLOT_BYTES + NONCE_BYTES, SLOT_BYTES + NONCE_BYTES + PLAIN_BYTES + TAG_BYTES)

JOIN: Final = b"trapdial join 2"
FRAME: Final = b"trapdial frame 1"
POST: Final = b"trapdial post 1"
DOWN: Final = b"trapdial down 1\0"
UP: Final = b"trapdial up 1\0\0\0"

TAP, HOLD, LET_GO, OPEN_STREAM, LEAVE = 1, 2, 3, 4, 5
KINDS: Final = (TAP, HOLD, LET_GO, OPEN_STREAM, LEAVE)
"""What a post says."""

MOST_NUMBER: Final = 2**53 - 1
"""The highest number of a frame and of a post: a browser's numbers are exact up to here."""

Random = Callable[[int], bytes]


@dataclass(frozen=True, slots=True, repr=False)
class Session(Sealed):
    """The keys of one phone for one seat, and `slot`, the public name that its posts bear."""

    slot: bytes
    down: bytes
    up: bytes


# -------------------------------------------------------------------------------------------------- the table's half


def answer_join(
    code: bytes, body: bytes, random: Random = os.urandom, game: bytes = NO_GAME
) -> tuple[Session, bytes] | None:
    """Return the session and the greeting for a phone that knocked with this code in this game; None for another."""
    phone = body[:KEY_BYTES]
    nonce = body[KEY_BYTES : KEY_BYTES + NONCE_BYTES]
    if len(body) != POST_BYTES or opened(code_key(code), nonce, body[BOX], JOIN + game + phone) != bytes(PLAIN_BYTES):
        return None
    secret, slot = random(KEY_BYTES), random(SLOT_BYTES)
    shared = exchanged(secret, phone)
    return None if shared is None else (derived(code, shared, slot), public_of(secret) + slot)


def decoy_greeting(random: Random = os.urandom) -> bytes:
    """A greeting for a phone that comes back: it has its keys already, so this says nothing."""
    return random(GREETING_BYTES)


def seal_frame(session: Session, number: int, plain: bytes, random: Random = os.urandom) -> bytes:
    """Seal a frame's plain text (`sizes.padded`) for one phone. `number` must be higher than any before it."""
    named, nonce = number.to_bytes(NUMBER_BYTES, "big"), random(NONCE_BYTES)
    return named + nonce + sealed(session.down, nonce, plain, FRAME + session.slot + named)


def slot_of(body: bytes) -> bytes:
    """The slot that a post names, which anybody can write there: `open_post` checks it."""
    return body[:SLOT_BYTES]


def open_post(session: Session, body: bytes) -> tuple[int, int] | None:
    """Return the counter and the kind of a post of this phone; None for anything else."""
    if len(body) != POST_BYTES or slot_of(body) != session.slot:
        return None
    nonce = body[SLOT_BYTES : SLOT_BYTES + NONCE_BYTES]
    plain = opened(session.up, nonce, body[POST_BOX], POST + session.slot)
    if plain is None:
        return None
    counter, kind = struct.unpack_from(">QB", plain)
    right = counter <= MOST_NUMBER and kind in KINDS and not any(plain[NUMBER_BYTES + 1 :])
    return (counter, kind) if right else None


# ------------------------------------------------------------------------------------------------- what both halves do


def code_key(code: bytes) -> bytes:
    """The key of a code: its 16 bytes, and zeros."""
    return code.ljust(KEY_BYTES, b"\0")


def derived(code: bytes, shared: bytes, slot: bytes) -> Session:
    """The session of both ends: from the code and from what they exchanged."""
    half = KEY_BYTES // 2
    root = hchacha20(hchacha20(code_key(code), shared[:half]), shared[half:])
    return Session(slot, hchacha20(root, DOWN), hchacha20(root, UP))


def public_of(secret: bytes) -> bytes:
    """The half of an exchange that is sent."""
    return sodium.crypto_scalarmult_base(secret)


def exchanged(secret: bytes, public: bytes) -> bytes | None:
    """What both ends know after an exchange (X25519). None if that is zero: no honest end sends such a `public`."""
    try:
        return sodium.crypto_scalarmult(secret, public)
    except SodiumError:
        return None


def sealed(key: bytes, nonce: bytes, plain: bytes, public: bytes) -> bytes:
    """Encrypt, and bind to what is public."""
    return sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, public, nonce, key)


def opened(key: bytes, nonce: bytes, box: bytes, public: bytes) -> bytes | None:
    """Decrypt; None if anything was changed, or the key is another one."""
    return unseal(key, public, nonce + box)


# ---------------------------------------------------------------------------------------------------------- HChaCha20

_CONSTANTS: Final = struct.unpack("<4I", b"expand 32-byte k")
_COLUMNS: Final = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS: Final = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
_DOUBLE_ROUNDS: Final = 10


def hchacha20(key: bytes, block: bytes) -> bytes:
    """Derive a key of 32 bytes from a key and 16 bytes (draft-irtf-cfrg-xchacha, 2.2)."""
    words = [*_CONSTANTS, *struct.unpack("<8I", key), *struct.unpack("<4I", block)]
    for _ in range(_DOUBLE_ROUNDS):
        for quarter in (*_COLUMNS, *_DIAGONALS):
            _quarter_round(words, *quarter)
    return struct.pack("<8I", *words[:4], *words[12:])


def _quarter_round(words: list[int], a: int, b: int, c: int, d: int) -> None:
    for to, plus, turned, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        words[to] = (words[to] + words[plus]) & 0xFFFFFFFF
        mixed = words[turned] ^ words[to]
        words[turned] = (mixed << by | mixed >> (32 - by)) & 0xFFFFFFFF
