"""The messages between the table and its page process, over a socket pair.

Each is msgpack with its length in front: 4 bytes, big endian. The page process is not trusted with a secret, and what
it sends is not trusted at all: `Unpacker` refuses what is too long or is no message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

POST_BYTES: Final = 128
"""The body of everything that a phone sends."""

GREETING_BYTES: Final = 48

MOST_BYTES: Final = 2_000_000
"""The longest message: 64 frames of 16 KiB, twice."""

MOST_FROM_PAGES: Final = 1_000
"""The longest message that the page process sends; the table reads none that is longer."""

GAME_BYTES: Final = 16
NO_GAME: Final = bytes(GAME_BYTES)
"""What stands for the game before there is one."""

PUBLIC_BYTES: Final = 64_000
"""The longest public state."""

ASK_BYTES: Final = 512
"""The body of everything that a staff page sends."""

ANSWER_BYTES: Final = 8_192
"""The body of everything that it gets."""

STATUS_BYTES: Final = 32_000
"""The longest status of a station."""

_LENGTH_BYTES: Final = 4

Conn = Annotated[int, Meta(ge=0, le=2**53)]
"""The number of one stream, given by the page process; never used again."""

Body = Annotated[bytes, Meta(min_length=POST_BYTES, max_length=POST_BYTES)]
GameName = Annotated[bytes, Meta(min_length=GAME_BYTES, max_length=GAME_BYTES)]
"""Public and random: the table draws it for each game, and a join counts in that game alone."""

Word = Literal["code", "disk", "full", "game", "moved", "over", "twice"]
"""Why a stream ends: an unknown code or slot; the table's disk refuses to write; too many streams; no game is on;
another phone has the seat; the game is over; the same phone has a newer stream."""


class Setup(msgspec.Struct, frozen=True, tag="setup"):
    """The page process serves these hosts, such as `10.77.0.1` or `localhost:8080`; `address` is the one that people
    are told. `first`: the number of its first stream, unless it was started with one."""

    hosts: tuple[str, ...]
    address: str
    demo: bool = False
    game: GameName = NO_GAME
    first: Conn = 0


class NamedGame(msgspec.Struct, frozen=True, tag="named_game"):
    """Another game has begun: the page that is served from now on names it."""

    game: GameName


class Admitted(msgspec.Struct, frozen=True, tag="admitted"):
    """A stream may stay: its first event is the greeting. `seat`: a number that is the same for all streams of a seat;
    the page process keeps a few places for each."""

    conn: Conn
    greeting: Annotated[bytes, Meta(min_length=GREETING_BYTES, max_length=GREETING_BYTES)]
    seat: Annotated[int, Meta(ge=0, le=255)] = 0


class Refused(msgspec.Struct, frozen=True, tag="refused"):
    """A stream that knocked is told why not, and ends."""

    conn: Conn
    word: Word


class Frames(msgspec.Struct, frozen=True, tag="frames"):
    """One frame for each stream, all of one length, to be written in this order."""

    frames: tuple[tuple[Conn, bytes], ...]


class Dropped(msgspec.Struct, frozen=True, tag="dropped"):
    """A stream that was admitted ends."""

    conn: Conn
    word: Word


class Stop(msgspec.Struct, frozen=True, tag="stop"):
    """The page process ends."""


class DemoShown(msgspec.Struct, frozen=True, tag="shown"):
    """Demo only: what the page of all seats shows of the table, as JSON for `demo.js`. It holds no secret."""

    text: Annotated[str, Meta(max_length=200_000)]


class Public(msgspec.Struct, frozen=True, tag="public"):
    """A station's public state with its scene, as one line of JSON: what `/public` shows everybody. It holds no secret,
    and the page process hands it on as it is."""

    line: Annotated[bytes, Meta(max_length=PUBLIC_BYTES)]


class SentStatus(msgspec.Struct, frozen=True, tag="status"):
    """A station's status, as JSON (`station_status.StationStatus`). It holds no secret."""

    line: Annotated[bytes, Meta(max_length=STATUS_BYTES)]


class Invited(msgspec.Struct, frozen=True, tag="invited"):
    """The number that the table's screens show to its staff now: a page that sends it passes all strangers. It opens
    nothing without the PIN."""

    number: Annotated[int, Meta(ge=0, lt=2**32)]


class StaffAnswer(msgspec.Struct, frozen=True, tag="staff_answer"):
    """The answer to a `StaffAsk`: sealed for the staff, or a step of their exchange."""

    conn: Conn
    body: Annotated[bytes, Meta(min_length=ANSWER_BYTES, max_length=ANSWER_BYTES)]


ToPages = (
    Setup
    | NamedGame
    | Admitted
    | Refused
    | Frames
    | Dropped
    | Stop
    | DemoShown
    | Public
    | SentStatus
    | Invited
    | StaffAnswer
)


class Knock(msgspec.Struct, frozen=True, tag="knock"):
    """A stream wants to be admitted."""

    conn: Conn
    kind: Literal["join", "stream"]
    body: Body


class Posted(msgspec.Struct, frozen=True, tag="posted"):
    """A phone has sent something."""

    body: Body


class StaffAsk(msgspec.Struct, frozen=True, tag="staff_ask"):
    """A staff page has sent something: it waits for one answer. `conn` is a number of its own, as a stream has."""

    conn: Conn
    body: Annotated[bytes, Meta(min_length=ASK_BYTES, max_length=ASK_BYTES)]


class Left(msgspec.Struct, frozen=True, tag="left"):
    """A stream is over."""

    conn: Conn


class Counts(msgspec.Struct, frozen=True, tag="counts"):
    """Totals since the page process began: pages asked for, joins asked for, requests refused by their rate; and the
    streams that are open now."""

    pages: int
    joins: int
    refused: int
    streams: int


class Hand(msgspec.Struct, frozen=True, tag="hand"):
    """Demo only: somebody turned a dial on the page of all seats."""

    square: Annotated[str, Meta(max_length=20)]
    clicks: Annotated[int, Meta(ge=-24, le=24)]


class Confined(msgspec.Struct, frozen=True, tag="confined"):
    """What keeps the page process from the table's files, memory and keys, and what this system does not have of it.
    The link keeps it for `doctor`; it is no message of a phone's."""

    holds: tuple[str, ...] = ()
    lacks: tuple[str, ...] = ()


FromPages = Knock | Posted | Left | Counts | Hand | StaffAsk
FromProcess = FromPages | Confined
AnyMessage = ToPages | FromProcess

_encoder: Final = msgspec.msgpack.Encoder()


def packed(message: AnyMessage) -> bytes:
    """The message with its length in front."""
    text = _encoder.encode(message)
    return len(text).to_bytes(_LENGTH_BYTES, "big") + text


class BadMessageError(Exception):
    """The other end sent no message: a broken or a foreign program."""


class Unpacker:
    """Takes bytes as they come, and gives the whole messages in them."""

    def __init__(self, expected: Any, most: int = MOST_BYTES) -> None:
        """`expected`: `ToPages` in the page process, `FromProcess` at the table. `most`: the longest message."""
        self._most = most
        self._decoder = msgspec.msgpack.Decoder(expected)
        self._waiting = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """Yield the messages that are complete with these bytes. Raises BadMessageError; then close the socket."""
        self._waiting += data
        while len(self._waiting) >= _LENGTH_BYTES:
            size = int.from_bytes(self._waiting[:_LENGTH_BYTES], "big")
            if size > self._most:
                raise BadMessageError(f"a message of {size} bytes")
            if len(self._waiting) < _LENGTH_BYTES + size:
                return
            text = bytes(self._waiting[_LENGTH_BYTES : _LENGTH_BYTES + size])
            del self._waiting[: _LENGTH_BYTES + size]
            try:
                yield self._decoder.decode(text)
            except msgspec.MsgspecError as error:
                raise BadMessageError(str(error)) from error
