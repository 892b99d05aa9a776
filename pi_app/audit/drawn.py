"""The tokens of an ended game: which lay under which artifact, who drew which, and where it went. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from msgspec.structs import replace

from pi_app.audit.values import DrawSeen, clock_text
from pi_app.game import artifacts as art
from pi_app.game import events as ev
from pi_app.game.state import Game
from pi_app.journal.record.entry import PublicPart


def dealt(started: ev.Started) -> dict[str, tuple[str, ...]]:
    """Return artifact -> the tokens that lay under it when the game began."""
    if started.artifacts is None:
        return {}
    now = art.begun(started.artifacts)
    return {
        label: tuple(_named(now, (colour, token)) for colour, tokens in colours.items() for token in tokens)
        for label, colours in now.lies.items()
    }


def _named(now: art.Artifacts, held: art.Held) -> str:
    token = now.token(held)
    return f"{held[0]} {'token that the pool does not have' if token is None else token.name}"


@dataclass(slots=True)
class DrawnTokens:
    """Takes every event in order, and keeps the draws."""

    draws: list[DrawSeen] = field(default_factory=list)
    open: dict[str, int] = field(default_factory=dict)
    """Figure -> the index of the draw that it has in hand."""

    def take(self, before: Game, event: ev.AnyEvent, part: PublicPart, at_s: float) -> str | None:
        """Take one more event. Return a sentence for a token that was kept although it goes back (AR-USE-7)."""
        if before.artifacts is None:
            return None
        if isinstance(event, ev.Drawn):
            self._drawn(before, before.artifacts, event, part, at_s)
        elif isinstance(event, ev.TokenMoved) and event.way != "fallen" and ev.figure_of(event) in self.open:
            return self._moved(before.artifacts, event)
        return None

    def _drawn(self, game: Game, now: art.Artifacts, event: ev.Drawn, part: PublicPart, at_s: float) -> None:
        name, token = game.name_of(ev.figure_of(event)), _named(now, (event.colour, event.token))
        openly = now.laid.draw == "public"
        seen_by = "openly" if openly else "for this player alone"
        self.open[ev.figure_of(event)] = len(self.draws)
        self.draws.append(
            DrawSeen(
                seat=event.seat,
                name=name,
                artifact=event.artifact,
                colour=event.colour,
                token=token,
                entry=part.seq,
                wall=part.wall,
                at_s=round(at_s, 3),
                known_to="everyone" if openly else "its player",
                went="nowhere, in hand at the end",
                words=f"{name} ({event.seat}) drew a {token} at {event.artifact} in entry {part.seq} "
                f"({clock_text(at_s)}), {seen_by}.",
            )
        )

    def _moved(self, now: art.Artifacts, event: ev.TokenMoved) -> str | None:
        figure = ev.figure_of(event)
        at, held = self.open.pop(figure), now.hands.get(figure)
        token = None if held is None else now.token(held)
        back = event.way == "returned" or (token is not None and token.acts_at_once)
        self.draws[at] = replace(self.draws[at], went="back" if back else "with its player")
        if event.way == "returned" or not back or token is None:
            return None
        return f"{self.draws[at].name} kept {token.name}, which takes effect at once; it went back into its pile."
