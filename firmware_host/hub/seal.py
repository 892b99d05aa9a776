"""Keyed checks: a hub proves that it has the key of its installation, and each line proves that it is the hub's.

The check is HMAC-SHA256 (RFC 2104). MicroPython has no `hmac`, but its `hashlib` has SHA-256 in C. Both ends use this
file. `wiring_docs/hub_wire.md` is the specification.

    proof        HMAC(key, "proof of a hub 1" + transcript), 16 bytes
    session key  HMAC(key, "seals of a hub 1" + transcript), 32 bytes
    check        HMAC(session key, kind, seq, body, counter), 8 bytes

The transcript is the body of WELCOME, the Pi's challenge, and the hub's challenge with its time.
"""

import struct

from .wire import CHALLENGE_BYTES, COUNTER, KEY_BYTES, PROOF_BYTES, PROOF_HEAD, SEAL_BYTES, SEALED

PROOF_LABEL, SESSION_LABEL = b"proof of a hub 1", b"seals of a hub 1"
BLOCK = 64
COUNTER_BYTES = 4
CHECK_BYTES = SEAL_BYTES - COUNTER_BYTES
LAST = 0xFFFF_FFFF


class Hmac:
    """HMAC-SHA256 with one key of at most 64 bytes."""

    def __init__(self, key: bytes) -> None:
        from hashlib import sha256  # here: on the Pi it loads OpenSSL, which a table without hubs does not need

        self._sha256 = sha256
        padded = key + bytes(BLOCK - len(key))
        self._inner = bytes(each ^ 0x36 for each in padded)
        self._outer = bytes(each ^ 0x5C for each in padded)

    def of(self, first: "bytes | bytearray", second: "bytes | bytearray") -> bytes:
        """The 32 bytes for both parts, one behind the other."""
        inner, outer = self._sha256(self._inner), self._sha256(self._outer)
        inner.update(first)
        inner.update(second)
        outer.update(inner.digest())
        return outer.digest()


class Seal:
    """One end of a keyed session. `lost`: lines of the other end that were missing before the last one."""

    def __init__(self, key: bytes, transcript: bytes) -> None:
        self._hmac = Hmac(Hmac(key).of(SESSION_LABEL, transcript))
        self._sent = self._received = 0
        self.lost = 0

    def close(self, kind: int, seq: int, body: "bytes | bytearray") -> bytes:
        """The body of this message with counter and check behind it. Its kind must have SEALED."""
        self._sent += 1
        if self._sent > LAST:
            raise ValueError("a keyed session ends after 2^32 lines")
        sealed = bytes(body) + struct.pack(COUNTER, self._sent)
        return sealed + self._hmac.of(bytes((kind, seq)), sealed)[:CHECK_BYTES]

    def open(self, kind: int, seq: int, body: bytes) -> "bytes | None":
        """The body without counter and check; None if the line is not the other end's, or not newer than the last."""
        end = len(body) - CHECK_BYTES
        if not kind & SEALED or end < COUNTER_BYTES:
            return None
        if self._hmac.of(bytes((kind, seq)), body[:end])[:CHECK_BYTES] != body[end:]:
            return None
        (counter,) = struct.unpack_from(COUNTER, body, end - COUNTER_BYTES)
        if counter <= self._received:
            return None
        self.lost = counter - self._received - 1
        self._received = counter
        return body[: end - COUNTER_BYTES]


def transcript_of(welcome: bytes, challenge: bytes, proof_head: bytes) -> bytes:
    """What both ends must have seen alike."""
    return welcome + challenge + proof_head


def proof_of(key: bytes, transcript: bytes) -> bytes:
    """What only a hub with this key can answer."""
    return Hmac(key).of(PROOF_LABEL, transcript)[:PROOF_BYTES]


def answer(key: bytes, welcome: bytes, challenge: bytes, mine: bytes, now_us: int) -> "tuple[bytes, Seal]":
    """The hub's side: the body of PROOF for this challenge, and the seal of the session. `mine`: the hub's own
    challenge, so that no session has the key of an earlier one."""
    head = struct.pack(PROOF_HEAD, mine, now_us)
    transcript = transcript_of(welcome, challenge, head)
    return head + proof_of(key, transcript), Seal(key, transcript)


def accepted(key: bytes, welcome: bytes, challenge: bytes, proof: bytes) -> "Seal | None":
    """The Pi's side: the seal of the session, or None if the proof is wrong."""
    head = proof[: struct.calcsize(PROOF_HEAD)]
    transcript = transcript_of(welcome, challenge, head)
    if len(key) != KEY_BYTES or len(challenge) != CHALLENGE_BYTES:
        return None
    if proof[len(head) : len(head) + PROOF_BYTES] != proof_of(key, transcript):
        return None
    return Seal(key, transcript)
