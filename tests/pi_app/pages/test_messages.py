"""The messages between the table and its page process: each goes through whole, and what is too long or strange is
refused."""

from __future__ import annotations

import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.pages import messages as ms
from pi_app.pages.messages import BadMessageError, Unpacker, packed

BODY, FRAME = bytes(ms.POST_BYTES), bytes(64)
SENT: tuple[ms.ToPages, ...] = (
    ms.Setup(("10.77.0.1",), "10.77.0.1", demo=True, game=bytes(range(16)), first=7),
    ms.NamedGame(bytes(range(16))),
    ms.Admitted(1, bytes(ms.GREETING_BYTES)),
    ms.Refused(1, "moved"),
    ms.Frames(((1, FRAME), (2, FRAME))),
    ms.Dropped(2, "over"),
    ms.Stop(),
    ms.DemoShown("{}"),
    ms.Public(b'{"state":"attract","scene":{}}\n'),
    ms.SentStatus(b'{"version":1}'),
    ms.Invited(123_456),
    ms.StaffAnswer(3, bytes(ms.ANSWER_BYTES)),
)
"""One of each message of the table."""

CAME: tuple[ms.FromProcess, ...] = (
    ms.Knock(1, "join", BODY),
    ms.Posted(BODY),
    ms.Left(1),
    ms.Counts(1, 2, 3, 4),
    ms.StaffAsk(3, bytes(ms.ASK_BYTES)),
    ms.Hand("T01", 1),
    ms.Confined(("a user of its own",)),
)
"""One of each message of the page process."""


def test_there_is_one_of_each() -> None:
    assert {type(each) for each in SENT} == set(typing.get_args(ms.ToPages))
    assert {type(each) for each in CAME} == set(typing.get_args(ms.FromProcess))


@pytest.mark.parametrize("expected", [ms.ToPages, ms.FromProcess])
def test_each_goes_through_whole_and_the_other_end_s_are_refused(expected: object) -> None:
    own, other = (SENT, CAME) if expected is ms.ToPages else (CAME, SENT)
    unpacker = Unpacker(expected)
    assert [*unpacker.feed(b"".join(map(packed, own)))] == [*own]
    for each in other:
        with pytest.raises(BadMessageError):
            [*Unpacker(expected).feed(packed(each))]


@given(st.lists(st.sampled_from(SENT), max_size=6), st.lists(st.integers(1, 40), min_size=1))
def test_it_does_not_matter_in_which_pieces_they_come(sent: list[ms.ToPages], sizes: list[int]) -> None:
    data, unpacker, got = b"".join(map(packed, sent)), Unpacker(ms.ToPages), list[ms.ToPages]()
    at, turn = 0, 0
    while at < len(data):
        size = sizes[turn % len(sizes)] * 37
        got += unpacker.feed(data[at : at + size])
        at, turn = at + size, turn + 1
    assert got == sent


def test_a_public_state_of_the_longest_line_goes_through_and_a_longer_one_is_refused() -> None:
    longest = ms.Public(b"x" * ms.PUBLIC_BYTES)
    assert [*Unpacker(ms.ToPages).feed(packed(longest))] == [longest]
    with pytest.raises(BadMessageError, match="64000"):
        [*Unpacker(ms.ToPages).feed(packed(ms.Public(b"x" * (ms.PUBLIC_BYTES + 1))))]


def test_the_table_reads_no_long_message_whatever_it_says() -> None:
    unpacker = Unpacker(ms.FromProcess, ms.MOST_FROM_PAGES)
    with pytest.raises(BadMessageError, match=r"^a message of 1001 bytes$"):
        [*unpacker.feed((ms.MOST_FROM_PAGES + 1).to_bytes(4, "big"))]


@given(st.binary(min_size=1, max_size=200).filter(lambda data: data[0] not in range(0x80, 0xB0)))
def test_garbage_of_a_whole_length_is_refused(garbage: bytes) -> None:
    """All that is no array and no map in MessagePack."""
    with pytest.raises(BadMessageError):
        [*Unpacker(ms.FromProcess, ms.MOST_FROM_PAGES).feed(len(garbage).to_bytes(4, "big") + garbage)]
