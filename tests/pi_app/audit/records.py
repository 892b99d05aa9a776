"""Records made by hand: events with public halves around them, and journals that were really written."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from pi_app.audit.device_findings import Opened
from pi_app.audit.examine import examine
from pi_app.audit.values import FindingSeen, GameAudit, RuleSeen
from pi_app.game import events as ev
from pi_app.journal import Journal, Stamp
from pi_app.journal.record.entry import PublicPart
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from tests.pi_app.games import started

BEGAN = datetime(2026, 5, 16, 14, 0, tzinfo=UTC)
BASE_NS = 10_000_000_000


def part(seq: int, event: ev.AnyEvent, *, wall_s: float | None = None, boot: str = "boot") -> PublicPart:
    """The public half of an entry that was made `seq` seconds after the machine's tenth."""
    return PublicPart(
        format=2,
        kind=type(event).__struct_config__.tag,  # type: ignore[arg-type]
        seq=seq,
        game="g1",
        boot=boot,
        mono_ns=BASE_NS + seq * 1_000_000_000,
        wall=(BEGAN + timedelta(seconds=seq if wall_s is None else wall_s)).isoformat(),
        clock="ntp",
        before="",
    )


def opened(*events: ev.AnyEvent, begin: ev.Started | None = None) -> list[Opened]:
    """A game of these events, one each second."""
    every = [begin or started(), *events]
    return [(part(seq, event), event) for seq, event in enumerate(every, 1)]


def audited(*events: ev.AnyEvent, begin: ev.Started | None = None) -> GameAudit:
    return examine(opened(*events, begin=begin))


def rules_of(game: GameAudit) -> list[tuple[FindingSeen, RuleSeen]]:
    """Every rule of every finding and fault, in the order of the entries."""
    found = sorted((*game.findings, *game.faults), key=lambda each: each.entry)
    return [(each, rule) for each in found for rule in each.rules]


def sentences(found: Iterable[FindingSeen]) -> list[tuple[str, str, str | None]]:
    return [(rule.kind, rule.rule, rule.words) for each in found for rule in each.rules]


def write(path: Path, *events: ev.AnyEvent, begin: ev.Started | None = None, game: str = "g1") -> Path:
    """A real journal of a game of these events."""
    ticks = count(1)

    def stamp() -> Stamp:
        tick = next(ticks)
        wall = (BEGAN + timedelta(seconds=tick)).isoformat()
        return Stamp("boot", BASE_NS + tick * 1_000_000_000, wall, "ntp")

    with Journal(path, MAGE_KNIGHT, stamp) as journal:
        moment = NO_GAME
        for event in (begin or started(), *events):
            moment = journal.append(game, moment, event)
    return path
