"""One ended game, opened: every finding in whole sentences, every turn, rest and claim, and who could have known. Pure.

The rules' findings are those of `pi_app.game.findings`, made anew from the events. What the device says of itself
(magnets, tiles, detents, clock) is added here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Final

from msgspec.structs import replace

from pi_app.audit import values as av
from pi_app.audit.drawn import Drawn, dealt
from pi_app.audit.sealed import verdicts
from pi_app.audit.stamps import Times, clock_steps, dated
from pi_app.audit.who_knew import WhoKnew
from pi_app.game import events as ev
from pi_app.game import findings as audit
from pi_app.game.finding import Finding
from pi_app.game.game import apply
from pi_app.game.objections import FOUND
from pi_app.game.state import Game
from pi_app.journal.record.entry import PublicPart

Opened = tuple[PublicPart, ev.AnyEvent]
"""An entry's public half, and its event."""

DRIFT_DEG: Final = 2.0
"""A calibrated dial that rests this far from its centres, all detents taken together, has drifted: four times as far as
one that was calibrated today is from them by chance."""

DRIFT_RESTS: Final = 4
"""So many rests it takes to say so."""

KINDS: Final[dict[str, av.Kind]] = {
    audit.NOT_AT_START: "not at start",
    audit.NO_CLAIM: "no claim",
    audit.CLOCKWISE: "wrong direction",
    audit.TOO_FAR: "wrong count",
    audit.NOT_BY_THE_DIE: "wrong count",
    audit.NO_DISTANCE: "wrong count",
    audit.NOT_FROM_START: "not from start",
    audit.OUT_OF_TURN: "out of turn",
    audit.WHILE_OFF: "moved while off",
    audit.PATH_UNKNOWN: "unknown path",
    audit.BETWEEN: "between two detents",
    audit.SECOND_TURN: "second turn",
    audit.NOT_DISARMED_MARK: "not to the disarmed mark",
    audit.DISARMED_MOVED: "disarmed dial moved",
    audit.UNSEEN: "not seen",
    audit.NOT_HOMED: "not homed",
    audit.COUNT_LOST: "count lost",
    audit.USED_TWICE: "artifact used twice",
    audit.TABLE_SHOWN: "trap table shown",
    **dict.fromkeys(FOUND, "done anyway"),
}

_CONDITIONS: Final[dict[ev.Condition, tuple[av.Kind, str, str, ev.Condition]]] = {
    "magnet too weak": ("magnet weakened", av.MAGNET, "the magnet was too far from its chip", "magnet good"),
    "magnet too strong": ("magnet too near", av.MAGNET, "the magnet was too near to its chip", "magnet good"),
    "angle hops": ("angle hops", av.HOPS, "the angle hopped although no hand turned it", "angle stands still"),
}


class UnplayableError(ValueError):
    """An event names what its game does not have. `entry` is its number."""

    def __init__(self, entry: int) -> None:
        self.entry = entry
        super().__init__("names a seat, a square or a click that its game does not have")


@dataclass(slots=True)
class _Seen:
    """What was gathered so far."""

    squares: dict[str, ev.SquareSetup]
    times: Times
    game: Game = field(default_factory=Game)
    found: list[av.Found] = field(default_factory=list)
    turns: list[av.TurnSeen] = field(default_factory=list)
    rests: list[av.Rest] = field(default_factory=list)
    claims: list[av.ClaimSeen] = field(default_factory=list)
    open: dict[str, tuple[ev.Claimed, float]] = field(default_factory=dict)
    dice: list[int] = field(default_factory=list)
    turn_dice: list[av.DieSeen] = field(default_factory=list)
    knew: WhoKnew = field(default_factory=WhoKnew)
    drawn: Drawn = field(default_factory=Drawn)


def examine(entries: Sequence[Opened]) -> av.GameAudit:
    """The audit of a game's entries, from its `Started` on. Raises UnplayableError."""
    part, started = entries[0]
    if not isinstance(started, ev.Started):
        raise UnplayableError(part.seq)
    as_recorded = [part for part, _ in entries]
    entries = [(part, event) for part, (_, event) in zip(dated(as_recorded), entries, strict=True)]
    part = entries[0][0]
    seen = _Seen({square.label: square for square in started.squares}, Times(part))
    for part, event in entries:
        try:
            _take(seen, part, event)
        except (LookupError, ValueError, ArithmeticError) as error:
            raise UnplayableError(part.seq) from error
    length_s = seen.times.at(entries[-1][0])
    _close_claims(seen, length_s)
    seen.found += [*_conditions(entries), *_drifts(seen, entries), *clock_steps(as_recorded)]
    seen.found.sort(key=lambda found: found.entry)
    first, last = entries[0][0], entries[-1][0]
    return av.GameAudit(
        game=first.game,
        sealed=False,
        first=first.seq,
        last=last.seq,
        entries=len(entries),
        began=first.wall,
        ended=last.wall,
        length_s=round(length_s, 3),
        table_name=started.table_name,
        simulated=started.simulated,
        seats={seat.seat: seat.name for seat in started.seats},
        verdicts=verdicts(tuple(seen.squares), seen.found),
        findings=tuple(seen.found),
        known=tuple(sorted(seen.knew.known.values(), key=lambda known: (known.square, known.entry, known.seat))),
        dials=tuple(_dial(square) for square in started.squares),
        turns=tuple(seen.turns),
        rests=tuple(seen.rests),
        claims=tuple(sorted(seen.claims, key=lambda claim: (claim.from_s, claim.seat))),
        disarm_dice=tuple(seen.dice),
        turn_dice=tuple(seen.turn_dice),
        dealt=dealt(started),
        draws=tuple(seen.drawn.draws),
    )


def _take(seen: _Seen, part: PublicPart, event: ev.AnyEvent) -> None:
    ev.to_json(event)  # refuses numbers that no other program could be told either
    at_s = seen.times.at(part)
    before = seen.game
    seen.game = after = apply(before, event)
    made = after.findings if isinstance(event, ev.Started) else after.findings[len(before.findings) :]
    seen.found += [_found(finding, part, event, after, at_s) for finding in made]
    seen.knew.happened(before, event, after, entry=part.seq, wall=part.wall, at_s=at_s)
    if kept := seen.drawn.happened(before, event, part, at_s):
        seen.found.append(_device("token kept", "AR-USE-7", None, part, at_s, kept))
    match event:
        case ev.SetupChecked(stands=stands, raws=raws):
            for label, position in stands.items():
                _rest(seen, label, position, raws.get(label), part.seq, at_s)
        case ev.Turned():
            _turned(seen, part, event, at_s)
        case ev.Claimed(seat=seat) if seat not in after.seats:
            raise UnplayableError(part.seq)
        case ev.Claimed(seat=seat):
            seen.open[seat] = (event, at_s)
        case ev.ClaimDropped(seat=seat, why=why):
            _claim_ended(seen, seat, None, at_s, why)
        case ev.Rolled():
            _rolled(seen, before, part, event, at_s)
        case ev.DisarmTried(dice=dice, plus_die=plus_die):
            seen.dice += [*dice, plus_die]
        case _:
            pass


def _dial(square: ev.SquareSetup) -> av.DialSeen:
    dial = square.dial
    return av.DialSeen(
        square=square.label,
        table=square.table.name,
        clicks=square.table.clicks,
        absolute=square.absolute,
        calibrated=dial is not None and dial.calibrated,
        seated_deg=None if dial is None else round(dial.seated * 360 / dial.counts_per_turn, 2),
        tile="" if dial is None else dial.tile,
    )


# ------------------------------------------------------------------------------------------------------------- turns


def _turned(seen: _Seen, part: PublicPart, event: ev.Turned, at_s: float) -> None:
    motion = event.motion
    start_s, end_s = seen.times.of(motion.start_ns), seen.times.of(motion.end_ns)
    lasted_s = (motion.end_ns - motion.start_ns) / 1e9
    clicks = motion.clicks
    error = _rest(seen, event.square, motion.to_position, motion.end_raw, part.seq, end_s)
    seen.turns.append(
        av.TurnSeen(
            square=event.square,
            seat=event.seat,
            purpose=event.purpose,
            claim=event.grade or "none",
            entry=part.seq,
            start_s=round(start_s, 3),
            end_s=round(end_s, 3),
            from_position=motion.from_position,
            to_position=motion.to_position,
            between=motion.between,
            clicks=clicks,
            rolled=None if (hand := seen.game.turn_of(event.seat)) is None else hand.die,
            clicks_per_s=round(abs(clicks) / lasted_s, 2) if clicks and lasted_s > 0 else None,
            error_deg=error,
            while_off=motion.while_off,
            samples=motion.samples,
            failed_reads=motion.failed_reads,
            longest_gap_ms=round(motion.longest_gap_ns / 1e6, 1),
        )
    )
    if event.seat is not None:
        _claim_ended(seen, event.seat, event.square, at_s, "turned")


def _rolled(seen: _Seen, before: Game, part: PublicPart, event: ev.Rolled, at_s: float) -> None:
    hand = before.turn_of(event.seat)
    if hand is None:
        return
    die = av.DieSeen(seat=event.seat, entry=part.seq, at_s=round(at_s, 3), die=event.die, how=event.how)
    if hand.die is None:
        seen.turn_dice.append(die)
    else:
        last = max(n for n, other in enumerate(seen.turn_dice) if other.seat == event.seat)
        seen.turn_dice[last] = die
    if hand.square is None:
        return
    last = max(n for n, turn in enumerate(seen.turns) if turn.seat == event.seat)
    seen.turns[last] = replace(seen.turns[last], rolled=event.die)
    if hand.die not in (None, event.die):
        name = seen.game.seats[event.seat].name
        turned = "" if hand.clicks is None else f"; it was turned by {_count(hand.clicks)}"
        words = (
            f"What {name} rolled for {hand.square} was said to be {hand.die}, and to be {event.die} when the turn had "
            f"been made{turned}."
        )
        seen.found.append(_device("die corrected", av.DIE_AGAIN, hand.square, part, at_s, words))


def _rest(seen: _Seen, label: str, position: int | None, raw: int | None, entry: int, at_s: float) -> float | None:
    """How far from its detent's centre a dial rests, in degrees; None if nobody can tell."""
    dial = seen.squares[label].dial
    if dial is None or position is None or raw is None:
        return None
    turn = dial.counts_per_turn
    away = (raw - dial.centres[position] + turn / 2) % turn - turn / 2
    error = round((-away if dial.invert else away) * 360 / turn, 2)
    seen.rests.append(av.Rest(square=label, entry=entry, at_s=round(at_s, 3), position=position, error_deg=error))
    return error


# ------------------------------------------------------------------------------------------------------------ claims


def _claim_ended(seen: _Seen, seat: str, square: str | None, at_s: float, ended: str) -> None:
    claimed = seen.open.pop(seat, None)
    if claimed is not None:
        event, from_s = claimed
        seen.claims.append(
            av.ClaimSeen(
                seat=seat,
                name=seen.game.seats[seat].name,
                claim=event.grade,
                square=square,
                from_s=round(from_s, 3),
                to_s=round(at_s, 3),
                ended=ended,  # type: ignore[arg-type]
            )
        )


def _close_claims(seen: _Seen, at_s: float) -> None:
    for seat in tuple(seen.open):
        _claim_ended(seen, seat, None, at_s, "open at the end")


# ---------------------------------------------------------------------------------------------------------- sentences


def _found(finding: Finding, part: PublicPart, event: ev.AnyEvent, game: Game, at_s: float) -> av.Found:
    turn = event if isinstance(event, ev.Turned) else None
    told = f"{finding.square} {finding.words}" if finding.square else finding.words
    detail = _detail(event, finding, game)
    return av.Found(
        kind=KINDS[finding.words],
        rule=finding.rule,
        square=finding.square,
        seat=finding.seat,
        claim=None if turn is None else turn.grade or "none",
        entry=part.seq,
        wall=part.wall,
        clock=part.clock,
        at_s=round(at_s, 3),
        words=f"{told}{f': {detail}' if detail else ''}.",
    )


def _detail(event: ev.AnyEvent, finding: Finding, game: Game) -> str:
    match event:
        case ev.Turned():
            die = _die(game, event.seat) if finding.words == audit.NOT_BY_THE_DIE else ""
            return way(event.motion) + die + _meanwhile(event, game)
        case ev.Rolled():
            hand = game.turn_of(event.seat)
            return "" if hand is None or hand.clicks is None else f"{_count(hand.clicks)}{_die(game, event.seat)}"
        case ev.SetupChecked():
            position = event.stands.get(finding.square or "")
            return "where it stood could not be told" if position is None else f"it stood at position {position}"
        case ev.DialBack():
            return f"{event.unseen_s} s"
        case ev.TableShown():
            return event.table
        case ev.Drawn():
            return f"by {game.seats[event.seat].name}"
        case _:
            return ""


def _die(game: Game, seat: str | None) -> str:
    hand = game.turn_of(seat)
    if hand is None or hand.die is None:
        return ""
    return f"; the die was {hand.die}, " + ("rolled by the device" if hand.how == "device" else "as said at the table")


def _meanwhile(turn: ev.Turned, game: Game) -> str:
    others = "" if turn.seat is not None else ", ".join(game.seats[claim.seat].name for claim in game.claims)
    return f"; the open claim was that of {others}" if others else ""


def way(motion: ev.Motion) -> str:
    """How a dial moved, in words."""
    start = "an unknown place" if motion.from_position is None else f"position {motion.from_position}"
    if motion.to_position is not None:
        end = str(motion.to_position) if motion.from_position is not None else f"position {motion.to_position}"
    elif motion.between is not None:
        end = f"between {motion.between[0]} and {motion.between[1]}"
    else:
        end = "an unknown place"
    clicks = motion.clicks
    if clicks is None:
        return f"from {start} to {end} by a way that nobody saw"
    direction = (
        f"{_count(abs(clicks))} {'counter-clockwise' if clicks > 0 else 'clockwise'}" if clicks else "no click in all"
    )
    return f"{direction}, from {start} to {end}"


def _count(clicks: int) -> str:
    words = "1 click" if abs(clicks) == 1 else f"{abs(clicks)} clicks"
    return f"{words} clockwise" if clicks < 0 else words


# ---------------------------------------------------------------------------------------------- the device on itself


def _conditions(entries: Sequence[Opened]) -> Iterator[av.Found]:
    times = Times(entries[0][0])
    at = [times.at(part) for part, _ in entries]
    for number, (part, event) in enumerate(entries):
        if not isinstance(event, ev.DialNoted):
            continue
        if event.condition in _CONDITIONS:
            kind, rule, words, good = _CONDITIONS[event.condition]
            until = _until(entries, at, number, event, good)
            yield _device(kind, rule, event.square, part, at[number], f"{event.square}: {words}, {until}.")
        elif event.condition == "leads likely swapped":
            words = f"The leads of {event.square} and {event.other} were likely swapped: each dial rested where the"
            yield _device("tile swapped", av.TILE, event.square, part, at[number], f"{words} other one should.")
        elif event.condition == "another tile":
            words = f"{event.square} had the tile of another square on its lead; nothing that it did was counted."
            yield _device("tile swapped", av.TILE, event.square, part, at[number], words)
        elif event.condition in _TILES:
            words = _TILES[event.condition].format(square=event.square, other=event.other or "another square")
            yield _device("tile swapped", av.TILE, event.square, part, at[number], words)


_TILES: Final[Mapping[ev.Condition, str]] = {
    "tile does not fit": "The tile on the lead of {square} was likely that of {other}; nobody was shown what its dial "
    "showed.",
    "tile accepted": "Somebody at the table said that the tile on the lead of {square} was the right one.",
}
"""What is said of a tile that was in doubt; one that was verified again is no finding."""


def _until(entries: Sequence[Opened], at: Sequence[float], number: int, event: ev.DialNoted, good: ev.Condition) -> str:
    for later in range(number + 1, len(entries)):
        other = entries[later][1]
        if isinstance(other, ev.DialNoted) and (other.square, other.condition) == (event.square, good):
            return f"for {at[later] - at[number]:.0f} s, until entry {entries[later][0].seq}"
    return "until the end of the game"


def _drifts(seen: _Seen, entries: Sequence[Opened]) -> Iterator[av.Found]:
    parts = {part.seq: part for part, _ in entries}
    by_square: dict[str, list[av.Rest]] = defaultdict(list)
    for rest in seen.rests:
        by_square[rest.square].append(rest)
    for label, rests in by_square.items():
        dial = seen.squares[label].dial
        off = drift_deg([rest.error_deg for rest in rests])
        if dial is None or not dial.calibrated or off is None:
            continue
        detents = len({rest.position for rest in rests})
        side = "counter-clockwise" if off > 0 else "clockwise"
        words = (
            f"{label} rested {abs(off):.1f} degrees {side} of its calibrated centres: the middle one of {len(rests)} "
            f"rests in {detents} {'detent' if detents == 1 else 'detents'}. "
            "Calibrate this dial again."
        )
        last = rests[-1]
        yield _device("calibration drift", av.DRIFT, label, parts[last.entry], last.at_s, words)


def drift_deg(errors: Sequence[float]) -> float | None:
    """How far a dial has drifted from its calibration by these errors of its rests, in degrees; None if it has not, or
    if these are too few to tell."""
    if len(errors) < DRIFT_RESTS:
        return None
    middle = median(errors)
    return middle if abs(middle) > DRIFT_DEG else None


def _device(kind: av.Kind, rule: str, square: str | None, part: PublicPart, at_s: float, words: str) -> av.Found:
    return av.Found(
        kind=kind,
        rule=rule,
        square=square,
        seat=None,
        claim=None,
        entry=part.seq,
        wall=part.wall,
        clock=part.clock,
        at_s=round(at_s, 3),
        words=words,
    )
