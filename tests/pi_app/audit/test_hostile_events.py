"""Hostile records, sealed and signed correctly: whatever their events are, the audit gives its verdict or names the
entry, in every form.

`TRAPDIAL_FUZZ` says how many files the hostile-file fuzz has; for each fifteen of them a game is made here.
"""

from __future__ import annotations

import csv
import io
import json
import os
import random
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest
from rich.console import Console

from pi_app.audit.device_findings import Opened
from pi_app.audit.examine import UnplayableError, examine
from pi_app.audit.forms import to_csv, to_json
from pi_app.audit.page import page
from pi_app.audit.sealed import audit_sealed
from pi_app.audit.statistics import statistics
from pi_app.audit.values import FileAudit, GameAudit
from pi_app.cli.audit_output import print_audits
from pi_app.game import events as ev
from tests.pi_app.audit.calibrated import calibrated
from tests.pi_app.audit.records import part
from tests.pi_app.games import exposes, rolled, turned

GAMES = max(20, int(os.environ.get("TRAPDIAL_FUZZ", "300")) // 15)
PER_CHUNK = 400
PAGES = min(GAMES // 30, 12)
"""For each chunk: a page takes as long as fifty games without one."""

FORMULAS = ("=", "+", "-", "@")

HOSTILE: tuple[object, ...] = (
    0, -1, 1, 2, 13, 10**6, 2**31, 2**63 - 1, -(2**63), 10**30, 10**400, -(10**400), 1e308, 0.5, None, True, [], {},
    "", "<script>", "=1+1", "+1", "-1", "@x", " =1", "\t=1", "\x1b[31m", "\x00", "[bold]x", "T01", "T02", "ANN",
)  # fmt: skip

HONEST: tuple[ev.AnyEvent, ...] = (
    calibrated(),
    ev.SetupChecked(stands={"T01": 0, "T02": 0}, raws={"T01": 10, "T02": None}),
    *exposes("T01", 3, "ANN"),
    rolled(4),
    rolled(3),
    ev.Looked(seat="ANN", square="T01"),
    ev.Exposed(seat="BEN", square="T01", grade="table"),
    ev.Claimed(seat="BEN", grade="button"),
    ev.ClaimDropped(seat="BEN", why="ran out"),
    turned("T02", 8),
    ev.DisarmTried(seat="ANN", square="T01", way="quick", dice=(6, 6), plus_die=1),
    ev.DialNoted(square="T01", condition="magnet too weak"),
    ev.DialNoted(square="T01", condition="leads likely swapped", other="T02"),
    ev.DialLost(square="T02", trouble="silent"),
    ev.DialBack(square="T02", unseen_s=2.5),
    ev.CountLost(square="T01"),
    ev.TableShown(table="SAMPLE-12"),
    ev.TableShown(how="samples"),
    ev.ClockCorrected(add_ms=5, was="none", now="ntp"),
    ev.Triggered(seat="ANN", square="T02", cause="entered"),
    ev.JawsAnswered(square="T02", harmed=True, anyway=True),
    ev.Moved(square="T02", verb="enter", who="BEN", added=("flying",), numbers=(2, 3), speed=1, anyway=True),
    ev.Shared(seat="ANN", square="T01"),
    ev.Homed(square="T01"),
    ev.Resumed(version="test"),
    ev.Ended(),
)


def places(value: object, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each value inside."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield (*here, name)
        yield from places(each, (*here, name))


def changed(value: Any, draw: random.Random) -> Any:
    """The same with something else in one place."""
    value = json.loads(json.dumps(value))
    if not (ways := list(places(value))):
        return value  # an event of which nothing is left
    *way, last = draw.choice(ways)
    inner = value
    for name in way:
        inner = inner[name]
    choice = draw.random()
    if choice < 0.1:
        del inner[last]
    elif choice < 0.2 and isinstance(inner, dict):
        inner[draw.choice(["T02", "<b>", "=x"])] = inner.pop(last)
    else:
        inner[last] = draw.choice(HOSTILE)
    return value


def hostile(draw: random.Random) -> list[Opened]:
    """A game that began honestly, as a list of what can be read of it."""
    told = [json.loads(ev.to_json(event)) for event in HONEST]
    for _ in range(draw.randint(1, 4)):
        at, choice = draw.randrange(len(told)), draw.random()
        if choice < 0.1 and at:
            del told[at]
        elif choice < 0.2:
            told.insert(at + 1, told[at])
        else:
            told[at] = changed(told[at], draw)
    found: list[Opened] = []
    for each in told:
        try:
            event = ev.from_json(json.dumps(each).encode())
        except msgspec.MsgspecError:
            continue
        public = part(len(found) + 1, event)
        if isinstance(event, ev.ClockCorrected):
            public = msgspec.structs.replace(public, add_ms=event.add_ms)
        if draw.random() < 0.1:
            public = msgspec.structs.replace(public, mono_ns=draw.choice([0, 2**63, 10**30, 10**400]))
        if draw.random() < 0.1:
            public = msgspec.structs.replace(public, wall=draw.choice(["", "=1", "9999-12-31T23:59:59+00:00", "1\n2"]))
        found.append((public, event))
    return found


class Text(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)


def told(game: GameAudit, *, drawn: bool) -> None:
    """In every form."""
    files = [FileAudit(verdict="pass", file="=<script>.db", state="whole", entries=1, damage=None, games=(game,))]
    over_all = statistics([game])
    json.loads(to_json(files, over_all))
    for row in csv.reader(io.StringIO(to_csv(files), newline="")):
        assert not [cell for cell in row if cell.lstrip().startswith(FORMULAS) and not number(cell)], row
        assert all(cell.isprintable() for cell in row), row
    console = Console(file=io.StringIO(), width=100, highlight=False)
    print_audits(console, files, over_all, rules=True)
    assert "\x1b" not in console.file.getvalue()  # type: ignore[attr-defined]
    if drawn:
        text = Text()
        text.feed(page(files, over_all))
        assert text.elements.isdisjoint({"script", "b", "img", "a"})


def number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize("chunk", range(-(-GAMES // PER_CHUNK)))
def test_no_event_crashes_the_audit(chunk: int) -> None:
    pages = audited = 0
    for seed in range(chunk * PER_CHUNK, min(GAMES, (chunk + 1) * PER_CHUNK)):
        entries = hostile(random.Random(f"events {seed}"))
        if not entries:
            continue
        told(audit_sealed([part for part, _ in entries]), drawn=False)
        try:
            game = examine(entries)
        except UnplayableError as error:
            examine([each for each in entries if each[0].seq < error.entry] or opened_honestly())
            continue
        audited += 1
        told(game, drawn=(drawn := pages < PAGES and seed % 5 == 0))
        pages += drawn
    assert audited > 10


def opened_honestly() -> list[Opened]:
    return [(part(seq, event), event) for seq, event in enumerate(HONEST, 1)]
