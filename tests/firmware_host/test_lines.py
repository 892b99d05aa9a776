"""Bytes of a port become messages and harmless text, however they are chunked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_host.hub.wire import MOST_LINE, PONG, line
from firmware_host.lines import LONGEST_TEXT, LineSplitter, Message, harmless

PING_LINE = b":830300000001000005148df8ef39\n"
PING_MESSAGE = (0x83, 3, bytes.fromhex("0000000100000514"))


def messages(data: bytes) -> list[Message]:
    return [found for found in LineSplitter().feed(data) if not isinstance(found, str)]


def texts(data: bytes) -> list[str]:
    return [found for found in LineSplitter().feed(data) if isinstance(found, str)]


def test_a_message() -> None:
    assert LineSplitter().feed(PING_LINE) == [PING_MESSAGE]


@pytest.mark.parametrize(
    "data",
    [
        PING_LINE.upper(),
        PING_LINE.replace(b"\n", b"\r\n"),
        b"\xff\x00rubbish" + PING_LINE,
        b":8402000004e600" + PING_LINE,
        b">>> " + PING_LINE,
        b"\n\n" + PING_LINE + b"\n",
        b"x" * 5000 + PING_LINE,
        b":" * 5000 + PING_LINE,
    ],
)
def test_garbage_before_a_message_never_costs_it(data: bytes) -> None:
    assert messages(data) == [PING_MESSAGE]


@pytest.mark.parametrize("at", range(1, len(PING_LINE) - 1))
def test_every_flipped_bit_and_every_cut_is_noticed(at: int) -> None:
    for bit in range(8):
        damaged = bytearray(PING_LINE)
        damaged[at] ^= 1 << bit
        assert messages(bytes(damaged)) in ([], [PING_MESSAGE])  # the other case of a digit is the same digit
    assert messages(PING_LINE[:at] + b"\n") == []
    assert messages(PING_LINE[:at] + PING_LINE[at + 1 :]) == []


def test_damaged_lines_are_counted() -> None:
    lines = LineSplitter()
    lines.feed(PING_LINE.replace(b"5", b"6") + PING_LINE + b"hello\n")
    assert (lines.damaged, lines.texts) == (1, 1)


@given(st.lists(st.one_of(st.binary(max_size=40), st.sampled_from([PING_LINE, b"\n", b":"])), max_size=12), st.data())
def test_any_chunks_give_the_same_messages(parts: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=8)))
    lines = LineSplitter()
    found = [
        item
        for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)
        for item in lines.feed(whole[start:end])
        if not isinstance(item, str)
    ]
    assert found == messages(whole)


def test_it_holds_one_line_at_most() -> None:
    lines = LineSplitter()
    for _ in range(10_000):
        lines.feed(b"x" * 100)
    assert lines.held <= MOST_LINE
    assert lines.feed(b":" + PING_LINE)[-1] == PING_MESSAGE


def test_a_message_after_endless_garbage_may_come_in_pieces() -> None:
    lines = LineSplitter()
    assert lines.feed(b"x" * 5_000 + PING_LINE[:9]) == []
    assert lines.feed(b"") == []
    assert lines.feed(PING_LINE[9:]) == [PING_MESSAGE]


def test_the_longest_message_may_come_in_pieces() -> None:
    longest = line(PONG, 1, bytes(240))
    lines = LineSplitter()
    assert [found for byte in longest for found in lines.feed(bytes((byte,)))] == [(PONG, 1, bytes(240))]


def test_text_is_one_harmless_line() -> None:
    assert texts(b'  File "main.py", line 3\x1b[31m\x07\r\n') == ['File "main.py", line 3 [31m']
    assert texts(b">>> \n") == [">>>"]
    assert texts(b"Traceback (most recent call last):\n") == ["Traceback (most recent call last):"]
    assert len(texts(b"so much " * 1000 + b"\n")[0]) <= LONGEST_TEXT


@pytest.mark.parametrize(
    "line",
    [
        b":8402000004e60008000002000400060008001a000c0040008a25da24",
        b"000004e60008000002000400060008001a000c0040008a25da24",
        b":8402000004e60008\xff00020004000600:08001a000c0040008a25da25",
        b"04c0 0040",
        b"04000600:",
        b"",
    ],
)
def test_pieces_of_reports_are_no_text(line: bytes) -> None:
    assert harmless(line) == ""


def test_a_piece_behind_text_is_left_out() -> None:
    assert harmless(b"OSError: [Errno 5] EIO:8402000004e600080000") == "OSError: [Errno 5] EIO..."


@given(st.from_regex(r"[0-9a-f]*[0-9][0-9a-f]{5,}|[0-9a-f]{5,}[0-9]|[a-f]{8}", fullmatch=True))
def test_no_row_of_hex_digits_is_ever_shown(row: str) -> None:
    assert row not in harmless(f"some text, {row} more text".encode())
