"""A phone without a phone: what the page's script does with a code, a greeting, frames and posts, in Python."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from typing import Any, Final

import msgspec

from pi_app.pages import sealing
from pi_app.pages.messages import GREETING_BYTES, NO_GAME, POST_BYTES
from pi_app.pages.sealing import KEY_BYTES, NONCE_BYTES, NUMBER_BYTES, PLAIN_BYTES, Random, Session
from pi_app.text.sealed import Sealed

_LENGTH: Final = struct.Struct(">I")
_decode: Final = msgspec.json.Decoder().decode


class PhoneSession(Sealed):
    """One phone that holds one seat. Prints as `(sealed)`."""

    def __init__(self, session: Session, random: Random = os.urandom) -> None:
        self.keys, self._random = session, random
        self.number = 0
        """The number of the newest frame that opened."""
        self.counter = 0
        """The number of the last post."""

    @property
    def slot(self) -> bytes:
        return self.keys.slot

    def open_frame(self, frame: bytes) -> dict[str, Any] | None:
        """Return what a frame says; None if it does not open, or if one that was made later has been opened before."""
        plain = plain_of(self.keys, frame)
        number = int.from_bytes(frame[:NUMBER_BYTES], "big")
        if plain is None or number <= self.number:
            return None
        self.number = number
        (length,) = _LENGTH.unpack_from(plain)
        said = _decode(plain[_LENGTH.size : _LENGTH.size + length])
        if not isinstance(said, dict):
            return None
        self.counter = max(self.counter, said.get("after", 0))
        return said

    def post(self, kind: int) -> bytes:
        """Seal one gesture, `sealing.TAP` and so on."""
        self.counter += 1
        return sealed_post(self.keys, self.counter, kind, self._random)

    def resume(self) -> bytes:
        """Return what the phone sends to open its stream again."""
        return self.post(sealing.OPEN_STREAM)


def knock(
    code: bytes, random: Random = os.urandom, *, game: bytes = NO_GAME
) -> tuple[bytes, Callable[[bytes], PhoneSession]]:
    """Return what a phone with this code sends to join this game, and the function that takes the greeting."""
    secret, nonce = random(KEY_BYTES), random(NONCE_BYTES)
    public = sealing.public_of(secret)
    box = sealing.sealed(sealing.code_key(code), nonce, bytes(PLAIN_BYTES), sealing.JOIN + game + public)
    body = public + nonce + box

    def finish(greeting: bytes) -> PhoneSession:
        """Raises ValueError for a greeting that no table sends."""
        shared = sealing.exchanged(secret, greeting[:KEY_BYTES]) if len(greeting) == GREETING_BYTES else None
        if shared is None:
            raise ValueError("This is no greeting of a table.")
        return PhoneSession(sealing.derived(code, shared, greeting[KEY_BYTES:]), random)

    return body + random(POST_BYTES - len(body)), finish


def plain_of(session: Session, frame: bytes) -> bytes | None:
    """Open a frame; None if it is not one of this session."""
    named = frame[:NUMBER_BYTES]
    nonce, box = frame[NUMBER_BYTES : NUMBER_BYTES + NONCE_BYTES], frame[NUMBER_BYTES + NONCE_BYTES :]
    if len(frame) < sealing.FRAME_OVERHEAD + _LENGTH.size:
        return None
    return sealing.opened(session.down, nonce, box, sealing.FRAME + session.slot + named)


def sealed_post(session: Session, counter: int, kind: int, random: Random = os.urandom) -> bytes:
    """Seal a post of this counter and kind."""
    nonce = random(NONCE_BYTES)
    plain = struct.pack(">QB", counter, kind).ljust(PLAIN_BYTES, b"\0")
    body = session.slot + nonce + sealing.sealed(session.up, nonce, plain, sealing.POST + session.slot)
    return body + random(POST_BYTES - len(body))
