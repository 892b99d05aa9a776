"""Players with a button and a screen choose their combat cards there, each alone (D-CMB-2).

A tap shows another card on the player's own screen, a hold plays the one that is shown. The first card is a random one,
so the number of taps reveals nothing; the table sees no line before a card lies face down, and then the same for each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from pi_app.play.gestures import Gesture
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.pictures import Dark, Say, SeatPicture, ShowDie
from pi_app.rooms import events as ev
from pi_app.rooms.state import Game
from pi_app.text.language import N_, words
from pi_app.text.sealed import Sealed


@dataclass(slots=True, repr=False)
class _Choice(Sealed):
    """What one player is choosing. `index`: of the cards that are left; None before the first tap."""

    seat: TableSeat
    picture: SeatPicture
    index: int | None = None
    shown_until_ns: int = 0


class CombatSeats:
    """The buttons and screens of a table of rooms."""

    def __init__(self, seats: Sequence[TableSeat], show_ns: int, pick: Callable[[int], int] | None = None) -> None:
        """`show_ns`: how long a card is shown; `pick` picks the first one that is."""
        self._choices = [_Choice(seat, Dark()) for seat in seats]
        self._show_ns = show_ns
        self.pick = pick or random.SystemRandom().randrange

    def poll(self, game: Game, now_ns: int) -> Iterator[ev.CombatCardPlayed]:
        """Read every button, and yield the cards that are played."""
        for choice in self._choices:
            card = self._read(choice, game, now_ns)
            if card is not None:
                yield ev.CombatCardPlayed(seat=choice.seat.key, card=card)

    def _read(self, choice: _Choice, game: Game, now_ns: int) -> int | None:
        seat, fight = choice.seat, game.combat
        gesture = None if seat.button is None else seat.gestures.feed(seat.button.pressed, now_ns)
        if fight is None or seat.key not in fight.to_play:
            choice.index = None
            waits = fight is not None and seat.key in fight.cards
            self._show(choice, self._said(seat, N_("Your card lies face down.")) if waits else Dark(), now_ns)
            return None
        cards = cards_left(game, seat.key)
        shown = choice.index is not None and now_ns < choice.shown_until_ns
        if gesture is Gesture.HOLD and shown and choice.index is not None:
            return cards[choice.index]
        if gesture is Gesture.TAP:
            choice.index = self.pick(len(cards)) if choice.index is None else (choice.index + 1) % len(cards)
            choice.shown_until_ns = now_ns + self._show_ns
            shown = True
        self._show(choice, self._card(seat, cards[choice.index or 0]) if shown else self._said(seat, *HOW), now_ns)
        return None

    def _said(self, seat: TableSeat, *lines: str) -> Say:
        said = words(seat.language)
        return Say(tuple(said(line) for line in lines))

    def _card(self, seat: TableSeat, card: int) -> ShowDie:
        said = words(seat.language)
        return ShowDie((said(N_("Combat card +{card}")).format(card=card), *(said(line) for line in HOW)))

    def _show(self, choice: _Choice, picture: SeatPicture, now_ns: int) -> None:
        if picture != choice.picture:
            choice.picture = picture
            choice.seat.display.show(picture, now_ns)


HOW = (N_("Tap: another card"), N_("Hold: play it"))


def cards_left(game: Game, seat: str) -> tuple[int, ...]:
    """Return the values that a player can still choose; all of them where the table does not count the cards."""
    return tuple(sorted(set(game.players[seat].fighting))) or tuple(range(10))
