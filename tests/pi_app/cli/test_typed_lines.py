"""Bytes that are typed, as lines."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator

import pytest

from pi_app.cli.typed_lines import (
    LONGEST_BYTES,
    NOT_TEXT,
    TOO_LONG,
    UNPRINTABLE,
    LineReader,
    RefusedLineError,
    next_line,
)


def reader(*parts: bytes, encoding: str = "utf-8") -> LineReader:
    rest = iter(parts)
    return LineReader(lambda: next(rest, b""), encoding)


def lines(*parts: bytes, encoding: str = "utf-8") -> Iterator[str]:
    read = reader(*parts, encoding=encoding)
    while (line := read.next_line()) is not None:
        try:
            yield read.text(line)
        except RefusedLineError as refused:
            yield f"refused: {refused}"


@pytest.mark.parametrize(
    ("parts", "read"),
    [
        ((), []),
        ((b"a\nb\n",), ["a", "b"]),
        ((b"a", b"b\nc", b""), ["ab", "c"]),
        ((b"a\r\n\n",), ["a", ""]),
        (("é".encode()[:1], "é".encode()[1:], b"\n"), ["é"]),
        ((b"a\tb\n",), ["a b"]),
        ((b"x" * LONGEST_BYTES + b"\n",), ["x" * LONGEST_BYTES]),
        ((b"x" * LONGEST_BYTES, b"x\nb\n"), [f"refused: {TOO_LONG}", "b"]),
        ((b"\xff\nb\n",), [f"refused: {NOT_TEXT}", "b"]),
        ((b"\x00\nb\n",), [f"refused: {UNPRINTABLE}", "b"]),
        ((b"a\rb\nb\n",), [f"refused: {UNPRINTABLE}", "b"]),
    ],
)
def test_lines_in_parts_of_any_size(parts: tuple[bytes, ...], read: list[str]) -> None:
    assert list(lines(*parts)) == read
    assert list(lines(*(bytes([byte]) for part in parts for byte in part))) == read


def test_a_locale_that_is_not_utf_8_is_read_too() -> None:
    assert list(lines(b"\xe9\n\xc3\xa9\n", encoding="latin-1")) == ["é", "é"]
    assert list(lines(b"\xe9\n", encoding="ascii")) == [f"refused: {NOT_TEXT}"]
    assert list(lines(b"\xe9\n", encoding="no such encoding")) == [f"refused: {NOT_TEXT}"]


def test_a_pipe_is_read_without_losing_a_line_between_two_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    os.write(write, b"a\nb\n\xff\nc\nd")
    os.close(write)
    with open(read, encoding="utf-8") as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert next_line() == "a"
        assert next_line() == "b"
        with pytest.raises(RefusedLineError, match=re.escape(NOT_TEXT)):
            next_line()
        assert (next_line(), next_line(), next_line()) == ("c", "d", None)


def test_an_input_that_is_closed_or_missing_has_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert next_line() is None
    stream = io.TextIOWrapper(io.BytesIO(b"a\n"))
    stream.close()
    monkeypatch.setattr("sys.stdin", stream)
    assert next_line() is None


def test_a_stream_in_memory_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nb"))
    assert (next_line(), next_line(), next_line()) == ("a", "b", None)
