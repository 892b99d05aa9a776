"""Simulated dials, as facts: what a fleet would say after some games, without playing them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from pi_app.centre.facts import ended_game as of
from pi_app.centre.facts.values import FACES, DialFacts

CLICKS = 12
FAIR = (1 / 6,) * FACES

RATES = {
    of.BETWEEN: 0.01,
    of.DIRECTION: 0.005,
    of.DIE_COUNT: 0.02,
    of.START: 0.03,
    of.MAGNET: 0.002,
    of.UNREAD: 0.01,
    of.DRIFT_LEFT: 0.001,
    of.DRIFT_RIGHT: 0.001,
}
"""In how many games something happens at a fair dial, on average."""


@dataclass
class SimulatedDial:
    """A dial that is used. `faces`: how likely each click is; `rates`: how likely something happens in a game."""

    label: str
    faces: tuple[float, ...] = FAIR
    rates: dict[str, float] = field(default_factory=lambda: dict(RATES))
    starts_found: bool = False
    prefers: int | None = None
    """In so many of its turns that can end at detent 5, it does so more often than a fair one."""
    facts: DialFacts = field(init=False)
    _at: int = 0

    def __post_init__(self) -> None:
        self.facts = DialFacts(square=self.label, faces=[0] * FACES, reach=[0] * CLICKS, hits=[0] * CLICKS)

    def plays(self, games: int, draw: np.random.Generator) -> None:
        """Play so many games with one first turn in each."""
        if self.starts_found:
            for _ in range(games):
                self._turn(draw)
        else:
            counts = draw.multinomial(games, self.faces)
            for face, count in enumerate(counts):
                self.facts.faces[face] += int(count)
                self.facts.reach[face + 1] += games
                self.facts.hits[face + 1] += int(count)
        self.facts.games += games
        self.facts.turns += games
        for test, rate in self.rates.items():
            tally = self.facts.now
            tally.trials[test] = tally.trials.get(test, 0) + games
            tally.events[test] = tally.events.get(test, 0) + int(draw.binomial(games, rate))

    def _turn(self, draw: np.random.Generator) -> None:
        """Turn it from where it stood last."""
        likely = np.array(self.faces)
        if self.prefers is not None and 1 <= (distance := (5 - self._at) % CLICKS) <= FACES:
            likely = np.full(FACES, (1 - self.prefers / 100) / (FACES - 1))
            likely[distance - 1] = self.prefers / 100
        clicks = int(draw.choice(FACES, p=likely)) + 1
        for each in range(1, FACES + 1):
            self.facts.reach[(self._at + each) % CLICKS] += 1
        self._at = (self._at + clicks) % CLICKS
        self.facts.hits[self._at] += 1
        self.facts.faces[clicks - 1] += 1


def fair_dials(count: int, draw: np.random.Generator) -> list[SimulatedDial]:
    """Dials that differ as real ones do: each does everything half to one and a half times as often as the average."""
    return [
        SimulatedDial(
            f"T{number % 8 + 1:02}", rates={test: rate * draw.uniform(0.5, 1.5) for test, rate in RATES.items()}
        )
        for number in range(count)
    ]


def by_table(dials: list[SimulatedDial]) -> dict[int, list[DialFacts]]:
    """Eight dials to a table."""
    return {at // 8: [each.facts for each in dials[at : at + 8]] for at in range(0, len(dials), 8)}
