"""How long a text may be: in characters, and in the bytes that the record writes.

A character takes one to four bytes of UTF-8: one for an English letter, two for Greek or Arabic, three for Thai,
Devanagari or Chinese, four for an emoji and for some scripts. Each limit in characters is also one of three bytes for
each of them.
"""

from __future__ import annotations

from typing import Final

import msgspec

BYTES_PER_CHARACTER: Final = 3

_encode: Final = msgspec.json.Encoder().encode


def most_bytes(characters: int) -> int:
    """Return the most bytes of a text that may have so many characters."""
    return BYTES_PER_CHARACTER * characters


def text_bytes(text: str) -> int:
    """Return the bytes of a text inside the quotes of JSON: a quote, a backslash and a new line take two."""
    return len(_encode(text)) - 2
