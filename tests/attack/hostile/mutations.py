"""Honest inputs, made hostile: bytes, values, shapes and sizes, for text and for binary files."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from typing import Final

Draw = random.Random

CHARACTERS: Final = (
    *("\0", "\x07", "\x1b]0;owned\x07", "\x1b[2J", "\x9b31m", "\x7f", "\t", "\r", "\r\n", "\v", "\f", "\x85", "\u2028"),
    *("\u200b", "\u200e", "\u202e", "\u2066", "\u061c", "\ufeff", "\u0301" * 40, "\U000e0041", "\ufffe", "\U0010ffff"),
    *("é", "字" * 40, "😀" * 40, "\U0001f468\u200d\U0001f469\u200d\U0001f467", "ß", "İ", "\ufb01", "\u0663", "²", "Ⅻ"),
    *("ก็", "א", "\udcff", "%s%n", "{0.__class__}", "$(id)", "`id`", "; rm", "../../../etc/passwd", "<script>", "&amp;"),
    *("=1+1", "[red]", "'\"\\"),
)  # fmt: skip
"""Characters and words that end a line, turn it round, are invisible, or mean something to another program."""

VALUES: Final = (
    *("0", "-1", "1", "2", "255", "256", "65536", "-9223372036854775809", "9" * 400, "1e400", "-1e-400", "nan", "inf"),
    *("-inf", "0x7fffffffffffffff", "0b1", "1_000", "0.1", "1.", "true", "false", "null", '""', '"x"', "'x'", '"""x'),
    *("[]", "{}", "[[]]", "[1, [2, {a = 3}]]", "[1, 2", '{"a": 1}', "1979-05-27T07:32:00Z", "07:32:00", '"\\u0000"'),
    *('"' + "x" * 3_900 + '"', '"\\ud800"', '"\\U0010FFFF"', '"' + "\u202e" * 30 + '"', '"' + "字" * 40 + '"', '"-"'),
    *('"../../dev/zero"', '"/dev/zero"', '"/etc/shadow"', '"."', '"~"', '"\\n"', "[" * 300, "{a=" * 300),
    "[" + "1," * 5_000 + "]",
)  # fmt: skip
"""Values of the wrong type, at limits, or with names of files."""

LARGE: Final = (2_000, 20_000, 200_000, 1_100_000, 11_000_000)
"""Bytes of an input that is made long; the last is ten times the largest file that a reader of text accepts."""

_VALUE: Final = re.compile(r'"(?:[^"\\\n]|\\.)*"|-?\b\d[\d._]*\b|\btrue\b|\bfalse\b|\bnull\b')


def hostile(honest: bytes, others: tuple[bytes, ...], draw: Draw, *, most: int = LARGE[-1]) -> bytes:
    """Return an honest input made hostile, of at most `most` bytes. `others` are further honest ones, to mix in."""
    data = honest
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        data = draw.choice(KINDS)(data, others, draw)
    if draw.random() < 0.004:
        data = grown(data, draw, most)
    return data[:most]


def bytes_changed(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randrange(1, 6)):
        at = draw.randrange(len(changed) + 1)
        changed[at : at + draw.choice((0, 1, 1, 4, 64))] = draw.randbytes(draw.choice((0, 1, 1, 4, 64)))
    return bytes(changed)


def bits_flipped(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    changed = bytearray(data or b"\0")
    for _ in range(draw.randrange(1, 9)):
        changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def cut(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    return data[: draw.randrange(len(data) + 1)] if draw.random() < 0.5 else data[draw.randrange(len(data) + 1) :]


def spliced(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    other = draw.choice(others)
    return data[: draw.randrange(len(data) + 1)] + other[draw.randrange(len(other) + 1) :]


def character_put_in(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    at = draw.randrange(len(data) + 1)
    put = draw.choice(CHARACTERS).encode("utf-8", "surrogatepass")
    return data[:at] + put * draw.choice((1, 1, 1, 50)) + data[at:]


def value_changed(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    """Put another value in the place of one: a number, a text, true or false."""
    text = data.decode("utf-8", "surrogateescape")
    found = list(_VALUE.finditer(text))
    if not found:
        return character_put_in(data, others, draw)
    at = draw.choice(found)
    put = draw.choice((draw.choice(VALUES), json.dumps(draw.choice(CHARACTERS)), at[0] * 2, at[0] + draw.choice("09")))
    return (text[: at.start()] + put + text[at.end() :]).encode("utf-8", "surrogateescape")


def lines_changed(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    """Remove, repeat, exchange or shuffle lines, or take some from another input."""
    lines = data.splitlines(keepends=True) or [b""]
    at, until = sorted((draw.randrange(len(lines) + 1), draw.randrange(len(lines) + 1)))
    until = min(until, at + 30)
    match draw.randrange(5):
        case 0:
            del lines[at:until]
        case 1:
            lines[at:at] = lines[at:until] * draw.choice((1, 1, 3, 40))
        case 2:
            lines[at:until] = lines[at:until][::-1]
        case 3:
            part = lines[at:until]
            draw.shuffle(part)
            lines[at:until] = part
        case _:
            lines[at:until] = draw.choice(others).splitlines(keepends=True)[at:until]
    return b"".join(lines)


def word_changed(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    """Put a word of this or another input in the place of one."""
    words, from_there = data.split(b" "), (data + b" " + draw.choice(others)).split()
    if not from_there:
        return data
    words[draw.randrange(len(words))] = draw.choice(from_there)
    return b" ".join(words)


def encoded_otherwise(data: bytes, others: tuple[bytes, ...], draw: Draw) -> bytes:
    text = data.decode("utf-8", "replace")
    encoding = draw.choice(("utf-16", "utf-16-be", "utf-32", "latin-1", "utf-7", "cp037", "utf-8-sig"))
    return draw.choice((text, text.replace("\n", "\r\n"), text.replace("\n", "\r"))).encode(encoding, "replace")


KINDS: Final[tuple[Callable[[bytes, tuple[bytes, ...], Draw], bytes], ...]] = (
    bytes_changed,
    bits_flipped,
    cut,
    spliced,
    character_put_in,
    character_put_in,
    value_changed,
    value_changed,
    value_changed,
    lines_changed,
    lines_changed,
    word_changed,
    encoded_otherwise,
)


def grown(data: bytes, draw: Draw, most: int) -> bytes:
    """Make it long: one long line, one long word, many lines, deep brackets, or nothing but one byte."""
    size = min(draw.choice(LARGE), most)
    at = draw.randrange(len(data) + 1)
    lines = data.splitlines(keepends=True) or [b"\n"]
    units = (b"x", b"9", b"[", b"{a=", b'{"a":', b"[[a]]\n", b"[a.b", b"a=1\n", b",", b" ", b"\n", b"\0", b'"')
    unit = draw.choice((*units, draw.choice(lines), data or b"-"))
    return (data[:at] + unit * (size // len(unit)))[:size] + (data[at:] if size < 1_000_000 else b"")
