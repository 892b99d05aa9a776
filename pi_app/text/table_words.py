"""The words of the table's command line in the table's language, beside the English ones.

Each word is a message of the catalogues with a slash before it, so that no sentence of one word has the same key. The
grammar itself is English: `in_english` translates a typed line before it is parsed, `in_language` a line to type.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from pi_app.text import suggest
from pi_app.text.language import N_, Words

VERBS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "claim": N_("/claim"),
        "drop": N_("/drop"),
        "rolled": N_("/rolled"),
        "roll": N_("/roll"),
        "phone": N_("/phone"),
        "expose": N_("/expose"),
        "trigger": N_("/trigger"),
        "pass": N_("/pass"),
        "enter": N_("/enter"),
        "hits": N_("/hits"),
        "start": N_("/start"),
        "shockwave": N_("/shockwave"),
        "break": N_("/break"),
        "disarm": N_("/disarm"),
        "share": N_("/share"),
        "jaws": N_("/jaws"),
        "xp": N_("/xp"),
        "kill": N_("/kill"),
        "chest": N_("/chest"),
        "artifact": N_("/artifact"),
        "keep": N_("/keep"),
        "put": N_("/put"),
        "refresh": N_("/refresh"),
        "activate": N_("/activate"),
        "fallen": N_("/fallen"),
        "artifacts": N_("/artifacts"),
        "convert": N_("/convert"),
        "ledger": N_("/ledger"),
        "rule": N_("/rule"),
        "rules": N_("/rules"),
        "home": N_("/home"),
        "accept": N_("/accept"),
        "check": N_("/check"),
        "status": N_("/status"),
        "end": N_("/end"),
        "new": N_("/new"),
        "help": N_("/help"),
        "quit": N_("/quit"),
        "hero": N_("/hero"),
        "undo": N_("/undo"),
    }
)
"""The first word of a line."""

OPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "entered": N_("/entered"),
        "diagonal": N_("/diagonal"),
        "other": N_("/other"),
        "nimble": N_("/nimble"),
        "flying": N_("/flying"),
        "flight": N_("/flight"),
        "stops": N_("/stops"),
        "carrying": N_("/carrying"),
        "seen": N_("/seen"),
        "beside": N_("/beside"),
        "pay4": N_("/pay4"),
        "toughness": N_("/toughness"),
        "invulnerability": N_("/invulnerability"),
        "dodge": N_("/dodge"),
        "speed": N_("/speed"),
        "movement": N_("/movement"),
        "quick": N_("/quick"),
        "slow": N_("/slow"),
        "stealth": N_("/stealth"),
        "sneak": N_("/sneak"),
        "sneak_attack": N_("/sneak_attack"),
        "levitation": N_("/levitation"),
        "sweep": N_("/sweep"),
        "anyway": N_("/anyway"),
        "harmed": N_("/harmed"),
        "unharmed": N_("/unharmed"),
        "correction": N_("/correction"),
        "spawn": N_("/spawn"),
        "mage": N_("/mage"),
        "token": N_("/token"),
        "figure": N_("/figure"),
        "by": N_("/by"),
        "attack": N_("/attack"),
        "pole_arm": N_("/pole_arm"),
        "venom": N_("/venom"),
        "poison": N_("/poison"),
        "retaliation": N_("/retaliation"),
        "ram": N_("/ram"),
        "trap": N_("/trap"),
        "critical_miss": N_("/critical_miss"),
        "shuffle": N_("/shuffle"),
        "printed": N_("/printed"),
        "yellow": N_("/yellow"),
        "blue": N_("/blue"),
        "red": N_("/red"),
        "n": N_("/n"),
        "e": N_("/e"),
        "s": N_("/s"),
        "w": N_("/w"),
        "ne": N_("/ne"),
        "se": N_("/se"),
        "sw": N_("/sw"),
        "nw": N_("/nw"),
        "figures": N_("/figures"),
        "points": N_("/points"),
        "point": N_("/point"),
        "place": N_("/place"),
        "back": N_("/back"),
        "level": N_("/level"),
        "roll": VERBS["roll"],
        "shockwave": VERBS["shockwave"],
        "chest": VERBS["chest"],
        "artifact": VERBS["artifact"],
        "kill": VERBS["kill"],
    }
)
"""Every other word, which says how."""

PLACEHOLDERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "SEAT": N_("/SEAT"),
        "SQUARE": N_("/SQUARE"),
        "WHO": N_("/WHO"),
        "HERO": N_("/HERO"),
        "NAME": N_("/NAME"),
        "DIE": N_("/DIE"),
        "ATTACK": N_("/ATTACK"),
        "N": N_("/N"),
        "SIDE": N_("/SIDE"),
        "NUMBER": N_("/NUMBER"),
        "MEANS": N_("/MEANS"),
        "LABEL": N_("/LABEL"),
        "COLOUR": N_("/COLOUR"),
        "FIGURES": N_("/FIGURES"),
        "POINTS": N_("/POINTS"),
        "ID": N_("/ID"),
        "WORD": N_("/WORD"),
        "ABILITY": N_("/ABILITY"),
    }
)
"""Stand for a name or a number in a usage line. They are shown, never typed."""

WORDS: Final[Mapping[str, str]] = MappingProxyType({**VERBS, **OPTIONS, **PLACEHOLDERS})
"""Every word of the grammar, with its message."""

AS_TYPED: Final[Mapping[str, int]] = MappingProxyType({"rule": 99, "hero": 2})
"""Verb -> the number of words after it that are never the table's: what `rule` searches for, and a new Hero's name."""

_SPELLED: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


@dataclass(frozen=True, slots=True)
class _Spoken:
    """The words of one language: English to its own, and what may be typed (see `plain`) to English."""

    own: Mapping[str, str]
    verbs: Mapping[str, str]
    options: Mapping[str, str]


@cache
def _spoken(words: Words) -> _Spoken:
    own = {word: _own(word, words(message)) for word, message in WORDS.items()}
    verbs, options = ({key: word for word in group for key in keys(own[word])} for group in (VERBS, OPTIONS))
    return _Spoken(own, verbs, options)


def _own(word: str, translated: str) -> str:
    """The translation without its slash. A message that is not one word with a slash leaves the word in English."""
    return translated[1:] if re.fullmatch(r"/\w+", translated) else word


def plain(word: str) -> str:
    """The word in small letters without accents, as any keyboard has it."""
    apart = unicodedata.normalize("NFD", word.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


def keys(word: str) -> frozenset[str]:
    """What may be typed for a word, as `plain` has it: an umlaut also as two letters."""
    return frozenset({plain(word), plain(unicodedata.normalize("NFC", word.casefold()).translate(_SPELLED))})


def in_english(line: str, words: Words, keep: Collection[str] = ()) -> str:
    """The line with each word of the table's language replaced by its English one, and one blank between words.

    `keep`: names of seats, players, squares, Heroes and artifacts in small letters (`casefold`); these, numbers and
    English words stay as they are. The first word can only be a verb, the others only options.
    """
    spoken = _spoken(words)
    verb, *rest = line.split() or [""]
    verb = verb if verb.lower() in VERBS else spoken.verbs.get(plain(verb), verb)
    names = AS_TYPED.get(verb.lower(), 0)
    options = (each if _stays(each, keep) else spoken.options.get(plain(each), each) for each in rest[names:])
    return " ".join((verb, *rest[:names], *options))


def _stays(word: str, keep: Collection[str]) -> bool:
    return word.casefold() in keep or word.lower() in OPTIONS


def is_taken(name: str, words: Words) -> bool:
    """Whether a name would hide a word of the table, in its language or in English."""
    spoken = _spoken(words)
    return name.lower() in {**VERBS, **OPTIONS} or plain(name) in {**spoken.verbs, **spoken.options}


def in_language(line: str, words: Words) -> str:
    """An English line, or a usage line, as the table types it. Capitals are placeholders; any other word stays."""
    own, count = _spoken(words).own, 0
    names = AS_TYPED.get((line.split() or [""])[0], 0)

    def said(found: re.Match[str]) -> str:
        nonlocal count
        word, named = found[0], 0 < count <= names
        group = VERBS if count == 0 else PLACEHOLDERS if named else {**OPTIONS, **PLACEHOLDERS}
        count += 1
        return own[word] if word in group else word

    return re.sub(r"[^\s\[\]|.,:;]+", said, line)


def to_type(line: str, words: Words, values: Mapping[str, object]) -> str:
    """A line for `type: {line}` in a sentence: `hits {square} DIE DIE` in the reader's language, with the values
    filled in as they are."""
    own = in_language(line, words)
    return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), own)


def with_english(usage: str, words: Words) -> str:
    """A usage line for a list: in the table's language, with the English verb in brackets where it differs."""
    own, verb = in_language(usage, words), usage.split()[0]
    return own if own.split()[0] == verb else f"{own} ({verb})"


LISTS_ALL: Final = N_("'{help}' lists all.")
"""The end of a sentence that refuses a word that is close to none of many."""


def hint(word: str, known: Collection[str], words: Words) -> str:
    """The end of a sentence that refuses an unknown verb: the closest of these verbs, in the table's language or in
    English as it was typed, or the one that lists them: they are many."""
    own = [_spoken(words).own[verb] for verb in known]
    near = suggest.guess(word, [*own, *known])
    if near is None:
        return words(LISTS_ALL).format(help=_spoken(words).own["help"])
    return suggest.hint(word, [near], words)
