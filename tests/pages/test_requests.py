"""A short run of the mutated requests; the long one is `python -m tests.pages.requests`."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.pages.requests import judged, mutated, run


def test_each_mutated_request_ends_in_one_line_or_a_closed_connection() -> None:
    outcome = asyncio.run(run(120, seed=7))
    assert {kind: number for kind, number in outcome.seen.items() if kind.startswith("BAD")} == {}
    assert {"200", "400", "405", "421", "closed"} <= set(outcome.seen)
    assert sum(outcome.seen.values()) >= 120
    assert (outcome.last_words, outcome.trouble, outcome.in_order, outcome.newest_came) == ("", None, True, True)
    assert outcome.good


def test_many_kinds_of_requests_are_made() -> None:
    draw = random.Random(1)
    made = [mutated(draw, "localhost:8080") for _ in range(2_000)]
    for part in (
        b"Transfer-Encoding: chunked",
        b"Content-Length: 128\r\n",
        b"Host: evil.example",
        b"\n\n",
        b"PUT",
        b"\x00",
    ):
        assert any(part in each for each in made), part
    assert len(set(made)) > 1_800


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (b"", "closed"),
        (b"HTTP/1.1 204 No Content\r\n\r\n", "204"),
        (b"HTTP/1.1 404 Not Found\r\n\r\nThere is no page here. Scan the code of your seat.\n", "404"),
        (b"HTTP/1.1 404 Not Found\r\n\r\nNot Found", "BAD b'Not Found'"),
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", "BAD 502"),
        (b"hello", "BAD b'hello'"),
        (b"HTTP/1.1 200 OK\r\n\r\nTraceback (most recent call last)", "BAD"),
    ],
)
def test_an_answer_that_is_not_clear_is_found(answer: bytes, verdict: str) -> None:
    assert judged(answer).startswith(verdict)
