"""The one rule for text that leaves the program: characters that could act on the reader, or deceive him, are shown.

A control character, an escape sequence, a change of the writing direction, an invisible character, a line separator, a
lone surrogate, and what Unicode leaves to private use or has not assigned: each is written as its code, such as `\\x1b`
or `\\u202e`. Letters of every script stay, also those that are written from right to left, and so do spaces of other
widths and the variation selector of an emoji. Joiners (U+200C, U+200D) are shown: settings refuse them in a name, so
that two names that look the same are the same.

Showing a text twice changes nothing. A backslash is no special character: the result is for reading, not for decoding.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Final

_IGNORED: Final = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    r"\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_EMOJI: Final = (
    r"#*0-9\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u24c2\u25aa-\u27bf\u2934\u2935\u2b05-\u2b55"
    r"\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_MAYBE_UNSEEN: Final = re.compile(rf"[{_IGNORED}\ufe0e\ufe0f]")
_UNSEEN: Final = re.compile(rf"[{_IGNORED}]|(?<![{_EMOJI}])[\ufe0e\ufe0f]")
"""Unicode's Default_Ignorable_Code_Point, of which `str.isprintable` accepts some; and a variation selector without an
emoji before it. The first one finds more, and is quicker."""

_SHORT: Final = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
_SPACES: Final = "Zs"
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]<>|~&#!])")
_STARTS_LINE: Final = re.compile(r"^(\s*)(?:([-+=])|(\d+)([.)]))")
_FORMULA: Final = ("=", "+", "-", "@")


def shown(text: str) -> str:
    """Return one line that is safe to print; a line feed or a tab in it is shown too."""
    return text if _is_safe(text) else _safe(text, "", _escape)


def shown_lines(text: str) -> str:
    """Return text of several lines that is safe to print: line feeds and tabs stay."""
    return text if _is_safe(text.replace("\n", "")) else _safe(text, "\n\t", _escape)


def shown_json(text: str) -> str:
    """Return a JSON text with the same value that is safe to print."""
    return text if _is_safe(text.replace("\n", "")) else _safe(text, "\n\t\r", _json_escape)


def _is_safe(line: str) -> bool:
    return line.isprintable() and (line.isascii() or _MAYBE_UNSEEN.search(line) is None)


def in_markdown(text: str) -> str:
    """Return a line that Markdown shows as it is: no markup, no HTML, no end of a table's cell."""
    escaped = _MARKDOWN.sub(r"\\\1", shown(text))
    return _STARTS_LINE.sub(lambda found: f"{found[1]}{found[3] or ''}\\{found[2] or found[4]}", escaped)


def in_csv(text: str) -> str:
    """Return a cell on one line that no spreadsheet takes for a formula. A sign alone is none."""
    safe = shown(text)
    return f"'{safe}" if safe.lstrip().startswith(_FORMULA) and len(safe) > 1 else safe


def _safe(text: str, kept: str, escape: Callable[[str], str]) -> str:
    visible = _UNSEEN.sub(lambda found: escape(found[0]), text)
    letters = {letter for letter in set(visible) if not letter.isprintable()} - set(kept)
    return visible.translate({ord(letter): escape(letter) for letter in letters if not _is_space(letter)})


def _is_space(letter: str) -> bool:
    return unicodedata.category(letter) == _SPACES


def _escape(letter: str) -> str:
    code = ord(letter)
    if code < 0x100:
        return _SHORT.get(letter) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(letter: str) -> str:
    units = letter.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
