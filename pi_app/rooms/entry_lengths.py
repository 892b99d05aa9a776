"""How long the entries of a game of rooms can get: the longest possible event of each kind, built from the game's first
event and encoded. Only a combat card is secret, and its number has one digit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, get_args

import msgspec

from hardware.readings import TroubleKind
from pi_app.dials.steady import MOST_COUNTED
from pi_app.journal.record import entry as rec
from pi_app.journal.record.longest import MOST_NS, json_bytes, longest_event, sealed_text
from pi_app.journal.recorded_game import RULESET, SQUARE
from pi_app.rooms import events as ev
from pi_app.rooms.spelling import spelled
from pi_app.rooms.state import LINE

MOTIONS_AT_ONCE: Final = 4
STANDS_AT_ONCE: Final = 16
MOST_FIGHTERS: Final = 8
"""How many rooms, dials and characters one event has at most."""

LONGEST_VERSION: Final = "0" * 40
"""A later version may resume the game."""
MOST_QUARTERS: Final = -(10**7 - 1)


def _longest(texts: Iterable[str]) -> str:
    return max(texts, key=json_bytes, default="")


def lengths(start: ev.AnyEvent) -> dict[str, int]:
    """Return the bytes of the longest sealed text of each kind of event after this first one."""
    assert isinstance(start, ev.Started)
    labels = sorted((square.label for square in start.squares), key=json_bytes)
    seats = [player.seat for player in start.players]
    characters = [f"{seat}.{each.kind}" for seat in seats for each in start.characters]
    objects = [f"{seat}.{each.name}" for seat in seats for each in start.objects]
    character, room_ = _longest(characters), labels[-1]
    motion = ev.Motion(room=room_, quarters=MOST_QUARTERS, stands=3, start_ns=MOST_NS, end_ns=MOST_NS)
    known: dict[str, object] = {
        "square": room_,
        "seat": _longest(seats),
        "character": character,
        "other": character,
        "what": _longest([*characters, *objects]),
        "to": _longest([*labels, LINE]),
        "attackers": [character] * (MOST_FIGHTERS - 1),
        "defenders": [character],
        "motions": msgspec.to_builtins((motion,) * min(len(labels), MOTIONS_AT_ONCE)),
        "DialsChecked.stands": dict.fromkeys(labels[-STANDS_AT_ONCE:]),
        "Resumed.stands": dict.fromkeys(labels[-STANDS_AT_ONCE:]),
        "stands": 3,
        "q": 3,
        "points": 9,
        "steps": 99,
        "card": 9,
        "times": MOST_COUNTED,
        "version": LONGEST_VERSION,
        "trouble": _longest(kind.value for kind in TroubleKind),
        "add_ms": -(MOST_NS // 10**6),
    }
    typed = (msgspec.convert(longest_event(kind, known), ev.AnyEvent) for kind in get_args(ev.Word))
    known["word"] = _longest(spelled(event) for event in typed)
    events = (longest_event(kind, known) for kind in get_args(ev.AnyEvent) if kind is not ev.Started)
    return {str(event["kind"]): sealed_text(event, {}, None) for event in events}


def room(start: ev.AnyEvent) -> int:
    """Return the bytes that the first entry reserves. It has no secret."""
    assert isinstance(start, ev.Started)
    names = (RULESET, *(SQUARE + square.label for square in start.squares))
    length = sealed_text(msgspec.to_builtins(start), dict.fromkeys(names, rec.LONGEST_SALT), None)
    usual = 1024 * (1 + len(start.squares))
    while usual < length:
        usual *= 2
    return usual
