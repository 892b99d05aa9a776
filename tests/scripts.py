"""Texts at the limit of their bytes, in every script that Python's Unicode tables have."""

from __future__ import annotations

import functools
import random
import re
import sys
import unicodedata

from pi_app.text.lengths import most_bytes, text_bytes
from pi_app.text.printed import shown

TWO_WORDS = ("OLD", "NEW", "TAI", "LINEAR", "INSCRIPTIONAL", "MEETEI", "SORA", "PAU", "LATIN", "GREEK")
"""First words that several scripts share, or under which common and rare letters stand."""


@functools.cache
def scripts() -> dict[str, str]:
    """Script, by the first word of its characters' names -> its printable letters, with their combining marks; and the
    emoji."""
    found: dict[str, list[str]] = {}
    for letter in map(chr, range(0x21, sys.maxunicode + 1)):
        if unicodedata.category(letter)[0] not in "LM" or shown(letter) != letter:  # some letters are invisible
            continue
        first, *more = unicodedata.name(letter, "").split() or [""]
        found.setdefault(f"{first} {more[0]}" if first in TWO_WORDS and more else first, []).append(letter)
    emoji = [letter for letter in map(chr, range(0x1F300, 0x1FAF9)) if letter.isprintable()]
    return {name: "".join(letters[:400]) for name, letters in sorted(found.items()) if name} | {"EMOJI": "".join(emoji)}


def script_of(seed: int) -> str:
    """Return the letters of one script for each seed; as many seeds as there are scripts take each once."""
    names = random.Random("scripts").sample(list(scripts()), len(scripts()))
    return scripts()[names[seed % len(names)]]


def at_the_limit(letters: str, characters: int, draw: random.Random) -> str:
    """Return a text of these letters that is as long as a text of so many characters may be."""
    text = ""
    while len(text) < characters:
        letter = draw.choice(letters)
        if text_bytes(text + letter) > most_bytes(characters):
            return text + "x" * min(characters - len(text), most_bytes(characters) - text_bytes(text))
        text += letter
    return text


def hero_at_the_limit(letters: str, draw: random.Random) -> str:
    """Return the beginning of a Hero's name, with room for one digit; without a letter that a name may begin with, an
    English one."""
    usable = "".join(letter for letter in letters if re.fullmatch(r"[^\W\d_]", letter))
    text = "" if usable else "Zoe"
    while usable and len(text) < 11:
        letter = draw.choice(usable)
        if text_bytes(text + letter) > most_bytes(12) - 1:
            break
        text += letter
    return text
