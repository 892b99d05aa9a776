"""The typed word of an event, for a correction that names it. It omits a combat card."""

from __future__ import annotations

from typing import Final

from pi_app.rooms import events as ev

EDGES: Final[dict[str, int]] = {"top": 0, "right": 1, "bottom": 2, "left": 3}
"""Where the edge of a room is that was at the top when it was revealed -> quarter turns clockwise since then."""


def spelled(event: ev.Word) -> str:
    """Return the word of an event as it is typed."""
    return " ".join(part for part in _parts(event) if part)


def _parts(event: ev.Word) -> tuple[str, ...]:
    match event:
        case ev.CardPlayed():
            return "card", event.seat, str(event.points)
        case ev.Revealed():
            return "reveal", event.square
        case ev.Geared():
            how = "remote" if event.remote else "", "mekanork" if event.mekanork else ""
            return "gear", event.character or event.seat, event.square, *how
        case ev.Spent():
            return event.use, event.character or ""
        case ev.TurnEnded():
            return "end", "turn"
        case ev.CharacterMoved():
            steps = "" if event.steps is None else str(event.steps)
            return "move", event.character, event.to, "gear" if event.on_gear else "", steps
        case ev.Carried(what=None):
            return "drop", event.character, "pit" if event.pit else ""
        case ev.Carried():
            return "take", event.character, event.what or ""
        case ev.Swapped():
            return "give", event.character, event.other
        case ev.ObjectUsed():
            return "use", event.character
        case ev.ExitReached():
            return "exit", event.character
        case ev.CombatBegun():
            return "combat", "+".join(event.attackers), "+".join(event.defenders)
        case ev.CombatCardPlayed():
            return "play", event.seat
        case ev.Tended():
            return "lies", event.character, "wounded" if event.wounded else "well"
        case ev.SetRight():
            return "lies", event.square, next(edge for edge, q in EDGES.items() if q == event.q)
