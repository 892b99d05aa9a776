"""One ended game: every finding in whole sentences, every turn, rest and claim, and who could have known. Pure.

The rules' findings are those of `pi_app.game.findings`, computed again from the events. `pi_app.audit.device_findings`
adds those about the device, and `pi_app.audit.stamps` those about the clock.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from pi_app.audit import values as av
from pi_app.audit.device_findings import Opened, conditions, drifts, unread
from pi_app.audit.drawn import DrawnTokens, dealt
from pi_app.audit.stamps import Times, clock_steps, dated
from pi_app.audit.taken_back import TakenBack
from pi_app.audit.verdicts import square_verdicts
from pi_app.audit.who_knew import WhoKnew
from pi_app.game import events as ev
from pi_app.game import findings as audit
from pi_app.game.finding import Finding
from pi_app.game.game import apply
from pi_app.game.objections import FOUND
from pi_app.game.state import Game
from pi_app.journal.record.entry import PublicPart

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
    audit.FLAPPED: "not seen",
    audit.NOT_HOMED: "not homed",
    audit.START_UNKNOWN: "not homed",
    audit.COUNT_LOST: "count lost",
    audit.USED_TWICE: "artifact used twice",
    audit.TABLE_SHOWN: "trap table shown",
    audit.RECORDED: "dials recorded",
    audit.CALIBRATED: "dial calibrated",
    audit.DEMO_PLAYED: "tables in a demo",
    **dict.fromkeys(FOUND, "done anyway"),
}


class UnplayableError(ValueError):
    """An event names a seat, a square or a click that its game does not have. `entry` is its number."""

    def __init__(self, entry: int) -> None:
        self.entry = entry
        super().__init__("names a seat, a square or a click that its game does not have")


@dataclass(slots=True)
class _Gathered:
    """The results so far."""

    squares: dict[str, ev.SquareSetup]
    times: Times
    game: Game = field(default_factory=Game)
    found: list[av.FindingSeen] = field(default_factory=list)
    """Findings about players and device faults, both."""
    turns: list[av.TurnSeen] = field(default_factory=list)
    rests: list[av.RestSeen] = field(default_factory=list)
    claims: list[av.ClaimSeen] = field(default_factory=list)
    open: dict[str, tuple[ev.Claimed, float]] = field(default_factory=dict)
    dice: list[int] = field(default_factory=list)
    turn_dice: list[av.DieSeen] = field(default_factory=list)
    knew: WhoKnew = field(default_factory=WhoKnew)
    drawn: DrawnTokens = field(default_factory=DrawnTokens)
    taken_back: TakenBack = field(default_factory=TakenBack)


def examine(entries: Sequence[Opened]) -> av.GameAudit:
    """Return the audit of a game's entries, from its `Started` on. Raises UnplayableError."""
    part, started = entries[0]
    if not isinstance(started, ev.Started):
        raise UnplayableError(part.seq)
    as_recorded = [part for part, _ in entries]
    entries = [(part, event) for part, (_, event) in zip(dated(as_recorded), entries, strict=True)]
    part = entries[0][0]
    seen = _Gathered({square.label: square for square in started.squares}, Times(part))
    for part, event in entries:
        try:
            _take(seen, part, event)
        except (LookupError, ValueError, ArithmeticError) as error:
            raise UnplayableError(part.seq) from error
    length_s = seen.times.at(entries[-1][0])
    _close_claims(seen, length_s)
    seen.found += [*conditions(entries), *drifts(seen.squares, seen.rests, entries), *clock_steps(as_recorded)]
    seen.found.sort(key=lambda found: found.entry)
    findings = [found for found in seen.found if not av.is_fault(found.rules[0].rule)]
    faults = [found for found in seen.found if av.is_fault(found.rules[0].rule)]
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
        verdicts=square_verdicts(tuple(seen.squares), findings, faults, {turn.square for turn in seen.turns}),
        findings=tuple(findings),
        faults=tuple(faults),
        known=tuple(sorted(seen.knew.known.values(), key=lambda known: (known.square, known.entry, known.seat))),
        dials=tuple(_dial(square, seen.game) for square in started.squares),
        turns=tuple(seen.turns),
        rests=tuple(seen.rests),
        claims=tuple(sorted(seen.claims, key=lambda claim: (claim.from_s, claim.seat))),
        disarm_dice=tuple(seen.dice),
        turn_dice=tuple(seen.turn_dice),
        dealt=dealt(started),
        draws=tuple(seen.drawn.draws),
        taken_back=tuple(seen.taken_back.words),
    )


def _take(seen: _Gathered, part: PublicPart, event: ev.AnyEvent) -> None:
    ev.to_json(event)  # refuses numbers that other programs cannot read
    at_s = seen.times.at(part)
    before = seen.game
    seen.game = after = apply(before, event)
    made = after.findings if isinstance(event, ev.Started) else after.findings[len(before.findings) :]
    seen.found += _movements(made, part, event, after, at_s)
    seen.knew.take(before, event, after, entry=part.seq, wall=part.wall, at_s=at_s)
    seen.taken_back.take(before, event, after, part, at_s)
    if kept := seen.drawn.take(before, event, part, at_s):
        seen.found.append(av.FindingSeen.about(part, at_s, "token kept", "AR-USE-7", kept))
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
            seen.dice += [*dice, plus_die] if plus_die else dice
        case _:
            pass


def _dial(square: ev.SquareSetup, game: Game) -> av.DialSeen:
    """`game`: at its end, when every start that was found later is known."""
    dial, then = square.dial, game.squares[square.label]
    known = square.start is not None or then.homed
    return av.DialSeen(
        square=square.label,
        table=square.table.name,
        clicks=square.table.clicks,
        absolute=square.absolute,
        calibrated=dial is not None and dial.calibrated,
        seated_deg=None if dial is None else round(dial.seated * 360 / dial.counts_per_turn, 2),
        tile="" if dial is None else dial.tile,
        start=UNSET if not game.found_starts else then.start if known else None,
    )


# ------------------------------------------------------------------------------------------------------------- turns


def _turned(seen: _Gathered, part: PublicPart, event: ev.Turned, at_s: float) -> None:
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


def _rolled(seen: _Gathered, before: Game, part: PublicPart, event: ev.Rolled, at_s: float) -> None:
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
            f"The die of {name} for {hand.square} was reported as {hand.die}, and as {event.die} after the "
            f"turn{turned}."
        )
        seen.found.append(av.FindingSeen.about(part, at_s, "die corrected", av.DIE_AGAIN, words, square=hand.square))


def _rest(seen: _Gathered, label: str, position: int | None, raw: int | None, entry: int, at_s: float) -> float | None:
    """Note a rest. Return how far it is from its detent's centre, in degrees; None if unknown."""
    dial = seen.squares[label].dial
    if dial is None or position is None or raw is None:
        return None
    turn, start = dial.counts_per_turn, seen.game.squares[label].start
    detent = (position + start) % len(dial.centres) if start else position
    away = (raw - dial.centres[detent] + turn / 2) % turn - turn / 2
    error = round((-away if dial.invert else away) * 360 / turn, 2)
    seen.rests.append(
        av.RestSeen(
            square=label,
            entry=entry,
            at_s=round(at_s, 3),
            position=position,
            error_deg=error,
            detent=detent if start else UNSET,
        )
    )
    return error


# ------------------------------------------------------------------------------------------------------------ claims


def _claim_ended(seen: _Gathered, seat: str, square: str | None, at_s: float, ended: str) -> None:
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


def _close_claims(seen: _Gathered, at_s: float) -> None:
    for seat in tuple(seen.open):
        _claim_ended(seen, seat, None, at_s, "open at the end")


# ---------------------------------------------------------------------------------------------------------- sentences


def _movements(
    made: Sequence[Finding], part: PublicPart, event: ev.AnyEvent, game: Game, at_s: float
) -> Iterator[av.FindingSeen]:
    """Yield one finding for each square, with all its rules; a fault is apart from what its players did."""
    together: dict[tuple[bool, str | None], list[Finding]] = {}
    for finding in made:
        together.setdefault((av.is_fault(finding.rule), finding.square), []).append(finding)
    turn = event if isinstance(event, ev.Turned) else None
    for (_, square), its in together.items():
        rules = tuple(
            av.RuleSeen(kind=KINDS[each.words], rule=each.rule, words=_sentence([each], event, game)) for each in its
        )
        yield av.FindingSeen.of(
            part,
            at_s,
            rules,
            _sentence(its, event, game),
            square=square,
            seat=its[0].seat,
            claim=None if turn is None else turn.grade or "none",
        )


def _sentence(its: Sequence[Finding], event: ev.AnyEvent, game: Game) -> str:
    """Return one sentence about a movement: every rule, then how it moved."""
    *first, last = dict.fromkeys(each.words for each in its)
    broken = f"{', '.join(first)}, and {last}" if first else last
    detail = max((_detail(event, each, game) for each in its), key=len)
    square = its[0].square
    return f"{f'{square} ' if square else ''}{broken}{f': {detail}' if detail else ''}."


def _detail(event: ev.AnyEvent, finding: Finding, game: Game) -> str:
    match event:
        case ev.Turned():
            die = _die(game, event.seat) if finding.words == audit.NOT_BY_THE_DIE else ""
            return way(event.motion) + _in_turns(event.turns) + die + _meanwhile(event, game)
        case ev.Rolled():
            hand = game.turn_of(event.seat)
            return "" if hand is None or hand.clicks is None else f"{_count(hand.clicks)}{_die(game, event.seat)}"
        case ev.SetupChecked():
            position = event.stands.get(finding.square or "")
            return "its position was unknown" if position is None else f"it stood at position {position}"
        case ev.DialBack() | ev.DialLost():
            return unread(event)
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
    return f"; the die was {hand.die}, " + (
        "rolled by the device" if hand.how == "device" else "as reported at the table"
    )


def _meanwhile(turn: ev.Turned, game: Game) -> str:
    others = "" if turn.seat is not None else ", ".join(game.seats[claim.seat].name for claim in game.claims)
    return f"; the open claim was that of {others}" if others else ""


def way(motion: ev.Motion) -> str:
    """Return how a dial moved, in words."""
    start = "an unknown place" if motion.from_position is None else f"position {motion.from_position}"
    if motion.to_position is not None:
        end = str(motion.to_position) if motion.from_position is not None else f"position {motion.to_position}"
    elif motion.between is not None:
        end = f"between {motion.between[0]} and {motion.between[1]}"
    else:
        end = "an unknown place"
    clicks = motion.clicks
    if clicks is None:
        return f"from {start} to {end} by an unknown path"
    direction = (
        f"{_count(abs(clicks))} {'counter-clockwise' if clicks > 0 else 'clockwise'}" if clicks else "no click in all"
    )
    return f"{direction}, from {start} to {end}"


def _in_turns(turns: int) -> str:
    return "" if turns == 1 else f"; in {turns} turns, one after the other"


def _count(clicks: int) -> str:
    words = "1 click" if abs(clicks) == 1 else f"{abs(clicks)} clicks"
    return f"{words} clockwise" if clicks < 0 else words
