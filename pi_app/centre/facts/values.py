"""Facts of one record: sums that stay small, however long the record is."""

from __future__ import annotations

from typing import Final

import msgspec

MOST_DIALS: Final = 128
"""Of one record; a dial whose tile was exchanged counts as another one. The one that was seen first is forgotten."""

MOST_CLICKS: Final = 64
MOST_KEPT: Final = 20
"""So many power cuts and contradictions are kept with their place; all are counted."""

WINDOW: Final = 300
"""What may get better again, such as a worn dial that was replaced, is counted in windows of so many games: the one
under way and the one before it."""

STEPS: Final = 16
"""Of a histogram: below 1 ms, below 2 ms, below 4 ms and so on; the last one has all the rest."""

FACES: Final = 6


class RateTally(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Of each test (`pi_app.centre.facts.ended_game`): in how many games it could happen, and in how many it did."""

    games: int = 0
    trials: dict[str, int] = {}
    events: dict[str, int] = {}

    def add(self, test: str, happened: bool) -> None:
        """Count a game."""
        self.trials[test] = self.trials.get(test, 0) + 1
        if happened:
            self.events[test] = self.events.get(test, 0) + 1


class DialFacts(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A dial in the games that have ended. `tile`: the number in its tile's memory, if it has one; `games`: those in
    which it was turned; `faces`: how often a first turn under a claim, from its start, had 1 to 6 clicks; `reach` and
    `hits`: of each detent of the dial itself, how many of these turns could end there, and how many did; `starts`: at
    which position it stood when set-up was checked; `between`: turns that ended between two detents; `gaps` and
    `reads`: histograms of the longest time between two samples of a turn, and from its end to its entry on disk."""

    square: str
    tile: str = ""
    games: int = 0
    turns: int = 0
    between: int = 0
    faces: list[int] = []
    reach: list[int] = []
    hits: list[int] = []
    starts: list[int] = []
    now: RateTally = msgspec.field(default_factory=RateTally)
    before: RateTally = msgspec.field(default_factory=RateTally)
    gaps: list[int] = []
    reads: list[int] = []

    def trials(self, test: str) -> int:
        """In how many games of both windows it could happen."""
        return self.now.trials.get(test, 0) + self.before.trials.get(test, 0)

    def events(self, test: str) -> int:
        """In how many games of both windows it happened."""
        return self.now.events.get(test, 0) + self.before.events.get(test, 0)


class WrongGame(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has ended, and whose sealed halves are not what it promised: the entry, and what was seen."""

    game: str
    entry: int
    seen: str


class RecordFacts(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A record. `open`: of each game that is on, where it began and the boot of its newest entry; `ended`: games of
    Mage Knight that were opened; `play_s`: how long these took; `turns`: those of all games, also of running ones;
    `restarts`: of the program in a game; `cuts`: of the machine in a game, each with the POSIX second of the first
    entry after it (0: its clock was not set); `clock` and `wall_s`: of the newest entry; `clock_steps`: dates that were
    set in a game; `too_long`: games that were not opened because they are too long."""

    entries: int = 0
    begun: int = 0
    ended: int = 0
    play_s: float = 0.0
    turns: int = 0
    restarts: int = 0
    cut_count: int = 0
    cuts: list[int] = []
    boots: int = 0
    boot: str = ""
    clock: str = ""
    wall_s: int = 0
    clock_steps: int = 0
    too_long: int = 0
    wrong_count: int = 0
    wrong: list[WrongGame] = []
    open: dict[str, tuple[int, str]] = {}
    dials: dict[str, DialFacts] = {}


def packed_facts(facts: RecordFacts) -> bytes:
    """Write facts as a store keeps them."""
    return _VERSION + _packer.encode(facts)


def is_current(data: bytes) -> bool:
    """Return whether this version of the program wrote these facts."""
    return data[:1] == _VERSION


def unpacked_facts(data: bytes) -> RecordFacts | None:
    """Read them again; None if another version of the program wrote them: then they are learnt once more."""
    if not is_current(data):
        return RecordFacts() if not data else None
    try:
        return _decoder.decode(data[1:])
    except (msgspec.MsgspecError, RecursionError):
        return None


def step_of(ms: float) -> int:
    """Return the step of a histogram."""
    return min(STEPS - 1, max(0, int(ms)).bit_length())


def typical(steps: list[int], part: float) -> int:
    """Return below how many milliseconds this part of a histogram lies; 0 for an empty one."""
    wanted, seen = part * sum(steps), 0
    for step, count in enumerate(steps):
        seen += count
        if count and seen >= wanted:
            return 1 << step
    return 0


_VERSION: Final = b"\x01"
_packer = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(RecordFacts)
