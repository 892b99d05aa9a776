"""CPace over X25519 and SHA-512: two ends that know one short secret agree on a key, and a listener learns nothing that
lets it try secrets on its own (draft-irtf-cfrg-cpace-21, initiator and responder).

The generator follows the draft byte for byte, and so does the key: `tests/pi_app/pages/test_cpace.py` has its figures.
Python's arithmetic of the map to the curve does not take a constant time. The session id is new for each exchange, and
the caller answers at the beginning of a round of its loop, not at once.
"""

from __future__ import annotations

from typing import Final

from nacl import bindings as sodium

from pi_app.pages.sealing import exchanged

SHARE_BYTES: Final = 32
SID_BYTES: Final = 16

_DSI: Final = b"CPace255"
_BLOCK_BYTES: Final = 128
"""The input block of SHA-512."""

_P: Final = 2**255 - 19
_J: Final = 486_662
_LOW_BITS: Final = 0x7F
_LONGEST: Final = 127
"""A length of one byte: all strings here are shorter."""


def sha512(data: bytes) -> bytes:
    """Return the SHA-512 of some bytes."""
    digest: bytes = sodium.crypto_hash_sha512(data)
    return digest


def with_length(data: bytes) -> bytes:
    """Return a string of at most 127 bytes with its length in front (the draft's `prepend_len`)."""
    if len(data) > _LONGEST:
        raise ValueError(f"a string of {len(data)} bytes")
    return bytes([len(data)]) + data


def joined(*parts: bytes) -> bytes:
    """Return strings one after the other, each with its length (the draft's `lv_cat`)."""
    return b"".join(map(with_length, parts))


def generator(secret: bytes, channel: bytes, sid: bytes) -> bytes:
    """Return the generator for a secret, a channel identifier and a session id. Raises ValueError for strings above 127
    bytes, and for a secret above 100."""
    padding = _BLOCK_BYTES - 1 - len(with_length(secret)) - len(with_length(_DSI))
    if padding < 0:
        raise ValueError("the secret is too long")
    digest = sha512(joined(_DSI, secret, bytes(padding), channel, sid))
    return elligator2(digest[:SHARE_BYTES])


def elligator2(field: bytes) -> bytes:
    """Map 32 bytes to a point of Curve25519, by its u coordinate (RFC 9380, 6.7.1)."""
    u = int.from_bytes(field[:-1] + bytes([field[-1] & _LOW_BITS]), "little") % _P
    bottom = (1 + 2 * u * u) % _P
    x = -_J * pow(bottom, _P - 2, _P) % _P if bottom else -_J % _P
    squared = (x * x * x + _J * x * x + x) % _P
    is_square = pow(squared, (_P - 1) // 2, _P) in (0, 1)
    return (x if is_square else (-x - _J) % _P).to_bytes(SHARE_BYTES, "little")


def share(scalar: bytes, point: bytes) -> bytes:
    """Return what one end sends: its random scalar times the generator."""
    made = exchanged(scalar, point)
    return made if made is not None else bytes(SHARE_BYTES)


def key(sid: bytes, secret_point: bytes, first: tuple[bytes, bytes], second: tuple[bytes, bytes]) -> bytes:
    """Return the key of both ends (`ISK`). `first` and `second`: the share and the associated data of the initiator and
    of the responder."""
    return sha512(joined(_DSI + b"_ISK", sid, secret_point) + joined(*first) + joined(*second))
