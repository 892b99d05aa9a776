"""Which seats a phone holds. Pure."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from pi_app.game.note import Note
from pi_app.game.phone_events import PhoneJoined, PhoneLeft
from pi_app.game.state import Game, Phone
from pi_app.text.language import N_

JOINED: Final = N_("{name} reads on a phone now.")
MOVED: Final = N_("{name}'s seat moved to another phone.")
LEFT: Final = N_("{name} no longer reads on a phone.")


def with_phone(game: Game, event: PhoneJoined | PhoneLeft) -> Game:
    """The game after a phone has joined or left, with the note that everyone reads. A seat that no phone holds has none
    to leave."""
    name = {"name": game.seats[event.seat].name}
    others = {seat: phone for seat, phone in game.phones.items() if seat != event.seat}
    if isinstance(event, PhoneJoined):
        note = Note(MOVED if event.moved else JOINED, name)
        phones = {**others, event.seat: Phone(event.session)}
    elif event.seat not in game.phones:
        return game
    else:
        note, phones = Note(LEFT, name), others
    return replace(game, phones=MappingProxyType(phones), rulings=game.rulings.with_note(note))
