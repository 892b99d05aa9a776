"""What a game that has ended says about its dials. Pure.

The game is audited as `trapdial audit` does it. What happened at a dial is counted once for each game, however often it
happened there: turns of one game depend on each other, those of different games do not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import Final

import msgspec
from msgspec import UNSET

from pi_app.audit.device_findings import DRIFT_DEG, Opened
from pi_app.audit.examine import UnplayableError, examine
from pi_app.audit.values import DialSeen, GameAudit, Kind, TurnSeen
from pi_app.centre.facts.values import (
    FACES,
    MOST_CLICKS,
    MOST_DIALS,
    MOST_KEPT,
    STEPS,
    WINDOW,
    DialFacts,
    RateTally,
    RecordFacts,
    WrongGame,
    step_of,
)
from pi_app.game import events as ev
from pi_app.game.rules import DIE
from pi_app.journal.record import entry as rec
from pi_app.journal.record.row_checks import WrongRowError, read_part
from pi_app.journal.record.runs import RawRow
from pi_app.journal.record.sealed_halves import open_up
from pi_app.journal.record.verdict import GameSeen
from pi_app.journal.recorded_game import read_event

BETWEEN: Final = "between"
DIRECTION: Final = "direction"
DIE_COUNT: Final = "die"
START: Final = "start"
DRIFT_LEFT: Final = "drift ccw"
DRIFT_RIGHT: Final = "drift cw"
MAGNET: Final = "magnet"
UNREAD: Final = "unread"
"""What can happen at a dial in a game: a turn ended between two detents; it was turned clockwise from its start; its
clicks were not the die; it did not stand at its start mark; it rested beside its calibrated centres, counter-clockwise
or clockwise of them; its magnet was not good; it could not be read, or its path is unknown."""

_KINDS: Final[Mapping[str, frozenset[Kind]]] = {
    MAGNET: frozenset({"magnet weakened", "magnet too near", "angle hops"}),
    UNREAD: frozenset({"not seen", "unknown path"}),
}


def learn_ended(facts: RecordFacts, rows: Sequence[RawRow]) -> None:
    """Add a game that has ended; `rows`: from its first entry to its last one, also those of other games between."""
    wrong = _learnt(facts, rows)
    if wrong is not None:
        facts.wrong_count += 1
        facts.wrong = [*facts.wrong, wrong][-MOST_KEPT:]


def _learnt(facts: RecordFacts, rows: Sequence[RawRow]) -> WrongGame | None:
    """Add a game; return what is wrong with it, and then add nothing."""
    parts = [(read_part(row[1]), row) for row in rows if isinstance(row[1], bytes) and isinstance(row[2], bytes)]
    first, game = parts[0][0], parts[0][0].game
    its = [(part, row) for part, row in parts if part.game == game]
    last = its[-1][0]
    if last.key is None:  # the game was deleted while it was read
        return None
    key = bytes.fromhex(last.key)
    seen = GameSeen(game, first.seq, last.seq, len(its), first.opening, key)
    damage = open_up({game: seen}, [row for _, row in its], read_event)
    if damage is not None:
        return WrongGame(game=game[:60], entry=damage.seq, seen=damage.seen)
    try:
        opened = [(part, _event(row, key)) for part, row in its]
        audit = examine(opened)
    except (UnplayableError, msgspec.MsgspecError, WrongRowError) as error:
        entry = error.entry if isinstance(error, UnplayableError) else first.seq
        return WrongGame(game=game[:60], entry=entry, seen="does not fit its game")
    facts.ended += 1
    facts.play_s = round(facts.play_s + audit.length_s, 3)
    facts.clock_steps += sum("clock stepped" in each.kinds for each in audit.faults)
    for dial in audit.dials:
        if dial.clicks <= MOST_CLICKS:
            _dial(_facts_of(facts, dial), dial, audit, opened)
    return None


def _event(row: RawRow, key: bytes) -> ev.AnyEvent:
    _, public, sealed, *_ = row
    assert isinstance(public, bytes)
    assert isinstance(sealed, bytes)
    hidden = rec.read_sealed(sealed, key, public)
    if hidden is None:
        raise WrongRowError("is not opened by the game's key")
    return ev.from_json(hidden.event)


def _facts_of(facts: RecordFacts, dial: DialSeen) -> DialFacts:
    """Return the facts of a dial, new ones if it is a new one; the one seen last is the last of all."""
    square, tile = dial.square[:40], dial.tile[:40]
    name = f"{square}/{tile}" if tile else square
    found = facts.dials.pop(name, None)
    if found is None or len(found.reach) != dial.clicks:
        found = DialFacts(
            square=square,
            tile=tile,
            faces=[0] * FACES,
            reach=[0] * dial.clicks,
            hits=[0] * dial.clicks,
            starts=[0] * dial.clicks,
            gaps=[0] * STEPS,
            reads=[0] * STEPS,
        )
    facts.dials[name] = found
    while len(facts.dials) > MOST_DIALS:
        del facts.dials[next(iter(facts.dials))]
    return found


def _dial(facts: DialFacts, dial: DialSeen, audit: GameAudit, opened: Sequence[Opened]) -> None:
    turns = [turn for turn in audit.turns if turn.square == dial.square]
    if facts.now.games >= WINDOW:
        facts.before, facts.now = facts.now, RateTally()
    facts.now.games += 1
    facts.turns += len(turns)
    facts.between += sum(turn.between is not None for turn in turns)
    _first_turn(facts, dial, turns)
    _stood(facts, dial, opened)
    kinds = {kind for each in (*audit.findings, *audit.faults) if each.square == dial.square for kind in each.kinds}
    if turns:
        facts.games += 1
        facts.now.add(BETWEEN, any(turn.between is not None for turn in turns))
        facts.now.add(DIRECTION, "wrong direction" in kinds)
    for test, wanted in _KINDS.items():
        facts.now.add(test, not wanted.isdisjoint(kinds))
    errors = [rest.error_deg for rest in audit.rests if rest.square == dial.square]
    if errors and dial.calibrated:
        off = median(errors)
        facts.now.add(DRIFT_LEFT, off > DRIFT_DEG)
        facts.now.add(DRIFT_RIGHT, off < -DRIFT_DEG)
    for turn in turns:
        facts.gaps[step_of(turn.longest_gap_ms)] += 1
    for part, event in opened:
        if isinstance(event, ev.Turned) and event.square == dial.square and 0 < event.motion.end_ns <= part.mono_ns:
            facts.reads[step_of((part.mono_ns - event.motion.end_ns) / 1e6)] += 1


def _first_turn(facts: DialFacts, dial: DialSeen, turns: Sequence[TurnSeen]) -> None:
    """Count the clicks of the first turn, if a die should decide them (T-EXP-4)."""
    first = next((turn for turn in turns if turn.seat is not None), None)
    if first is None or first.from_position != 0 or first.clicks is None or first.clicks not in DIE:
        return
    facts.faces[first.clicks - 1] += 1
    if first.rolled is not None:
        facts.now.add(DIE_COUNT, first.rolled != first.clicks)
    start = 0 if dial.start is UNSET else dial.start
    if start is None or dial.clicks <= FACES:
        return
    for clicks in DIE:
        facts.reach[(start + clicks) % dial.clicks] += 1
    facts.hits[(start + first.clicks) % dial.clicks] += 1


def _stood(facts: DialFacts, dial: DialSeen, opened: Collection[Opened]) -> None:
    """Count where the dial stood when set-up was checked (T-AUD-1), in a game that begins at the printed marks."""
    stands = next((event.stands for _, event in opened if isinstance(event, ev.SetupChecked)), {})
    at = stands.get(dial.square)
    if dial.start is UNSET and at is not None and 0 <= at < dial.clicks:
        facts.starts[at] += 1
        facts.now.add(START, at != 0)
