"""Parsing byte by byte: messages, damage that never costs the next message, and constant memory."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub.reader import CAPACITY, Reader
from firmware_host.hub.wire import MOST_COMMAND, PING, line

Message = tuple[int, int, bytes]
PING_MESSAGE = (PING, 9, b"\x00\x00\x00\x01")
LINE = line(*PING_MESSAGE)


def read(data: bytes, reader: Reader | None = None) -> list[Message]:
    reader = reader or Reader()
    return [found for byte in data if (found := reader.feed(byte)) is not None]


@pytest.mark.parametrize(
    "data",
    [
        LINE,
        LINE.upper(),
        LINE[:-1] + b"\r\n",
        b"\r\n" + LINE,
        b"AT+GMM\r" + LINE,
        LINE[:10] + LINE,
        b"::::" + LINE,
        b":" + b"0" * 500 + LINE,
        b"x" * 500 + LINE,
    ],
    ids=repr,
)
def test_garbage_in_front_costs_nothing(data: bytes) -> None:
    assert read(data) == [PING_MESSAGE]


@pytest.mark.parametrize("at", range(1, len(LINE) - 1))
@pytest.mark.parametrize("bit", range(8))
def test_one_flipped_bit_never_makes_another_message(at: int, bit: int) -> None:
    damaged = LINE[:at] + bytes((LINE[at] ^ 1 << bit,)) + LINE[at + 1 :]
    assert read(damaged) in ([], [PING_MESSAGE])  # a flipped case bit leaves the same digit


@pytest.mark.parametrize("length", range(len(LINE) - 1))
def test_half_a_line_is_no_message_and_costs_no_other(length: int) -> None:
    assert read(LINE[:length] + b"\n" + LINE) == [PING_MESSAGE]


def test_the_longest_command_and_one_more() -> None:
    longest = (PING, 0, bytes((MOST_COMMAND - 2) // 2 - 6))
    assert len(line(*longest)) == MOST_COMMAND
    assert read(line(*longest)) == [longest]
    reader = Reader()
    assert read(line(PING, 0, bytes((MOST_COMMAND - 2) // 2 - 5)), reader) == []
    assert (reader.good, reader.damaged) == (0, 1)


def test_good_and_damaged_lines_are_counted() -> None:
    reader = Reader()
    read(LINE + b"console text\n" + b":nonsense\n" + b":\n" + LINE[:-3] + b"\n" + LINE, reader)
    assert (reader.good, reader.damaged) == (2, 3)


@given(st.lists(st.one_of(st.binary(max_size=200), st.just(LINE), st.just(b":"))))
def test_it_never_grows_and_never_fails(parts: list[bytes]) -> None:
    reader = Reader()
    found = read(b"".join(parts), reader)
    assert len(found) == reader.good
    assert len(reader.buffer) == CAPACITY
    assert read(b"\n" + LINE, reader)[-1:] == [PING_MESSAGE]
