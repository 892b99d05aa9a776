"""A game of two rooms, event by event."""

from __future__ import annotations

from pi_app.play.first_event import version
from pi_app.rooms import events as ev
from pi_app.rooms.game import apply
from pi_app.rooms.state import Game


def begun(arrows: tuple[ev.Arrow, ev.Arrow] = (1, -1), ruleset: ev.Ruleset | None = None) -> Game:
    rooms = tuple(
        ev.RoomSetup(label=f"R{n}", table=ev.RoomPlan(pair=1, arrow=arrow)) for n, arrow in enumerate(arrows, 1)
    )
    players = (ev.PlayerSetup(seat="ann", name="Ann"), ev.PlayerSetup(seat="ben", name="Ben"))
    return apply(
        Game(),
        ev.Started(
            version=version(),
            table_name="Rooms",
            simulated=True,
            ruleset=ruleset or ev.Ruleset(),
            players=players,
            squares=rooms,
        ),
    )


def played(game: Game, *events: ev.AnyEvent) -> Game:
    for event in events:
        game = apply(game, event)
    return game


def cards(*played_: tuple[str, int]) -> list[ev.AnyEvent]:
    """Turns that end without an action; the last one goes on."""
    events: list[ev.AnyEvent] = []
    for seat, points in played_:
        events += [ev.TurnEnded(seat=events[-1].seat)] if events and isinstance(events[-1], ev.CardPlayed) else []
        events.append(ev.CardPlayed(seat=seat, points=points))
    return events
