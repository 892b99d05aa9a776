"""What a staff page and its table say to each other: an exchange that proves the PIN to both ends, then sealed
messages.

    ask, 512        kind 1 | rest                        answer, 8192     kind 1 | rest
    SHARE           sid 16 | share 32 | host 1 + n       SHARE            share 32
    SHARE_AT_TABLE  number 4 | as SHARE                  SHARE
    PROVE           sid 16 | proof 32                    PROVE            proof 32
    SEALED          sid 16 | nonce 24 | box 471          SEALED           nonce 24 | box 8167
                                                         REFUSED          reason 1 | seconds 4

What is left is random. The number is what a person at the table reads on its screens while the door is shut
(`pi_app.station.staff.door`).

The exchange is `cpace`, with the page as initiator; its session id names the session after it, and the host that the
page was loaded from is part of the key, so that no other station with the same PIN can be put in this one's place
unnoticed, if its address is another one. After the exchange:

    proofs          the first halves of SHA-512 of (PAGE or TABLE, sid, key)
    keys            SHA-512 of (KEYS, sid, key): down 32 | up 32
    box of an ask   number 8 | text | zeros, bound to ASK and sid
    of an answer    length 4 | text | zeros, bound to ANSWER, sid and the number of its ask

Strings under SHA-512 are joined with their lengths, as in the draft. `pi_app/pages/page/staff.js` is the page's end.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import Final

from nacl import bindings as sodium

from pi_app.pages import cpace
from pi_app.pages.cpace import SHARE_BYTES, SID_BYTES
from pi_app.pages.messages import ANSWER_BYTES, ASK_BYTES
from pi_app.pages.sealing import (
    KEY_BYTES,
    MOST_NUMBER,
    NONCE_BYTES,
    NUMBER_BYTES,
    TAG_BYTES,
    Random,
    exchanged,
    opened,
    sealed,
)
from pi_app.pages.staff_kinds import (
    PROVE,
    SEALED,
    SHARE,
    SHARE_AT_TABLE,
    TABLES_NUMBER_BYTES,
    Reason,
    read_number,
    refusal_start,
)
from pi_app.text.sealed import Sealed

PROOF_BYTES: Final = 32
CHANNEL: Final = b"trapdial staff 1"
SIDE: Final = b"table"
PAGE_PROOF: Final = b"trapdial staff page 1"
TABLE_PROOF: Final = b"trapdial staff table 1"
KEYS: Final = b"trapdial staff keys 1"
ASK: Final = b"trapdial staff ask 1"
ANSWER: Final = b"trapdial staff answer 1"

_LENGTH_BYTES: Final = 4
_ASK_PLAIN: Final = ASK_BYTES - 1 - SID_BYTES - NONCE_BYTES - TAG_BYTES
_ANSWER_PLAIN: Final = ANSWER_BYTES - 1 - NONCE_BYTES - TAG_BYTES
MOST_TEXT: Final = _ANSWER_PLAIN - _LENGTH_BYTES
"""The longest text of an answer."""
MOST_ASKED_TEXT: Final = _ASK_PLAIN - NUMBER_BYTES
"""The longest text of an ask."""


@dataclass(frozen=True, slots=True, repr=False)
class StaffKeys(Sealed):
    """The keys of one staff page."""

    sid: bytes
    down: bytes
    up: bytes


@dataclass(frozen=True, slots=True, repr=False)
class Exchange(Sealed):
    """An exchange that the table has answered: it waits for the page's proof."""

    sid: bytes
    isk: bytes

    def is_proved(self, proof: bytes) -> bool:
        """Whether the page knows the PIN."""
        return bool(sodium.sodium_memcmp(proof, proof_of(PAGE_PROOF, self)))

    @property
    def keys(self) -> StaffKeys:
        """The keys that both ends have."""
        both = cpace.sha512(cpace.joined(KEYS, self.sid, self.isk))
        return StaffKeys(self.sid, both[:KEY_BYTES], both[KEY_BYTES:])


def proof_of(side: bytes, exchange: Exchange) -> bytes:
    """Return the proof that a side knows the key."""
    return cpace.sha512(cpace.joined(side, exchange.sid, exchange.isk))[:PROOF_BYTES]


# -------------------------------------------------------------------------------------------------- the table's half


def answer_share(
    pin: str, body: bytes, hosts: tuple[str, ...], random: Random = os.urandom
) -> tuple[Exchange, bytes] | None:
    """Return the exchange and the table's share, for a page's first ask; None for a bad one, and for a page that was
    loaded from a host which is none of this table's."""
    sid, theirs = body[1 : 1 + SID_BYTES], body[1 + SID_BYTES : 1 + SID_BYTES + SHARE_BYTES]
    at = 1 + SID_BYTES + SHARE_BYTES
    host = body[at + 1 : at + 1 + min(body[at], 127)]
    if host not in {each.encode() for each in hosts}:
        return None
    scalar = random(SHARE_BYTES)
    mine = cpace.share(scalar, cpace.generator(pin.encode(), CHANNEL, sid))
    point = exchanged(scalar, theirs)
    if point is None:
        return None
    return Exchange(sid, cpace.key(sid, point, (theirs, host), (mine, SIDE))), mine


def number_in(body: bytes) -> tuple[int, bytes]:
    """Return the number of a SHARE_AT_TABLE, and the same ask as a SHARE."""
    at = 1 + TABLES_NUMBER_BYTES
    return read_number(body), bytes([SHARE]) + body[at:] + bytes(TABLES_NUMBER_BYTES)


def answer_body(kind: int, rest: bytes, random: Random = os.urandom) -> bytes:
    """Return an answer of ANSWER_BYTES."""
    return (bytes([kind]) + rest) + random(ANSWER_BYTES - 1 - len(rest))


def refusal_body(reason: Reason, seconds: int = 0, random: Random = os.urandom) -> bytes:
    """Return the answer that says why there is no other. Anybody on the way could write it: it opens nothing."""
    start = refusal_start(reason, seconds)
    return answer_body(start[0], start[1:], random)


def sid_of(body: bytes) -> bytes:
    """Return the session that an ask names."""
    return body[1 : 1 + SID_BYTES]


def proof_in(body: bytes) -> bytes:
    """Return the proof in an ask."""
    return body[1 + SID_BYTES : 1 + SID_BYTES + PROOF_BYTES]


def open_ask(keys: StaffKeys, body: bytes) -> tuple[int, bytes] | None:
    """Return the number and the text of a sealed ask; None if it is not this session's."""
    at = 1 + SID_BYTES
    plain = opened(keys.up, body[at : at + NONCE_BYTES], body[at + NONCE_BYTES :], ASK + keys.sid)
    if plain is None or len(plain) != _ASK_PLAIN:
        return None
    (number,) = struct.unpack_from(">Q", plain)
    return None if number > MOST_NUMBER else (number, plain[NUMBER_BYTES:].rstrip(b"\0"))


def seal_answer(keys: StaffKeys, number: int, text: bytes, random: Random = os.urandom) -> bytes:
    """Seal the answer to the ask with this number. Raises ValueError for a text above MOST_TEXT."""
    if len(text) > MOST_TEXT:
        raise ValueError(f"a text of {len(text)} bytes")
    plain = (len(text).to_bytes(_LENGTH_BYTES, "big") + text).ljust(_ANSWER_PLAIN, b"\0")
    nonce = random(NONCE_BYTES)
    bound = ANSWER + keys.sid + number.to_bytes(NUMBER_BYTES, "big")
    return answer_body(SEALED, nonce + sealed(keys.down, nonce, plain, bound))


# --------------------------------------------------------------------------------------------------- the page's half


@dataclass(frozen=True, slots=True, repr=False)
class PageExchange(Sealed):
    """The page's end before the table has answered: for tests and robots. `body`: its first ask."""

    sid: bytes
    scalar: bytes
    host: bytes
    share: bytes
    body: bytes

    def proved(self, answer: bytes) -> tuple[Exchange, bytes] | None:
        """Return the exchange and the second ask, for the table's share; None for a bad one."""
        theirs = answer[1 : 1 + SHARE_BYTES]
        point = exchanged(self.scalar, theirs)
        if answer[0] != SHARE or point is None:
            return None
        made = Exchange(self.sid, cpace.key(self.sid, point, (self.share, self.host), (theirs, SIDE)))
        return made, ask_body(PROVE, self.sid + proof_of(PAGE_PROOF, made))


def ask_body(kind: int, rest: bytes, random: Random = os.urandom) -> bytes:
    """Return an ask of ASK_BYTES."""
    return (bytes([kind]) + rest) + random(ASK_BYTES - 1 - len(rest))


def begin(pin: str, host: str, random: Random = os.urandom, number: int | None = None) -> PageExchange:
    """Begin an exchange as a page does. `number`: from the table's screens, if it was asked for."""
    sid, scalar, named = random(SID_BYTES), random(SHARE_BYTES), host.encode()
    mine = cpace.share(scalar, cpace.generator(pin.encode(), CHANNEL, sid))
    rest = sid + mine + cpace.with_length(named)
    if number is None:
        return PageExchange(sid, scalar, named, mine, ask_body(SHARE, rest, random))
    read = number.to_bytes(TABLES_NUMBER_BYTES, "big")
    return PageExchange(sid, scalar, named, mine, ask_body(SHARE_AT_TABLE, read + rest, random))


def seal_ask(keys: StaffKeys, number: int, text: bytes, random: Random = os.urandom) -> bytes:
    """Seal an ask as a page does."""
    plain = (number.to_bytes(NUMBER_BYTES, "big") + text).ljust(_ASK_PLAIN, b"\0")
    nonce = random(NONCE_BYTES)
    return ask_body(SEALED, keys.sid + nonce + sealed(keys.up, nonce, plain, ASK + keys.sid))


def open_answer(keys: StaffKeys, number: int, body: bytes) -> bytes | None:
    """Return the text of the answer to the ask with this number; None for any other bytes."""
    if body[0] != SEALED:
        return None
    bound = ANSWER + keys.sid + number.to_bytes(NUMBER_BYTES, "big")
    plain = opened(keys.down, body[1 : 1 + NONCE_BYTES], body[1 + NONCE_BYTES :], bound)
    if plain is None:
        return None
    length = int.from_bytes(plain[:_LENGTH_BYTES], "big")
    return plain[_LENGTH_BYTES : _LENGTH_BYTES + length]
