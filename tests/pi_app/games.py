"""Ready-made games for tests: two seats, two squares, tables that show every kind of face."""

from __future__ import annotations

from pi_app.game import events as ev
from pi_app.game import trap_table_file as tables
from pi_app.game.trap_table import Disarm, Face, Trap, TrapTable
from pi_app.play.first_event import version
from pi_app.report.moment import NO_GAME, Moment, advance

EVERY_KIND = tables.load_sample("SAMPLE-12")
"""0 start; 1 buzz_saw 7; 2 clear; 3 cage 6+; 4 falling_weight; ... 7 monstrous_hand 9; 11 disarmed."""


def table_with(trap: Trap | None, *, disarm: str = "7", xp: int = 22) -> TrapTable:
    """Return twelve clicks whose positions 1 to 6 show the same content."""
    value = Disarm(int(disarm.rstrip("+")), variable=disarm.endswith("+"))
    content = {"kind": "clear"} if trap is None else {"kind": "trap", "trap": trap, "disarm": value, "xp": xp}
    faces = [Face(position=0, kind="start")]
    faces += [Face(position=n, click_number=n, **content) for n in range(1, 7)]
    faces += [Face(position=n, kind="clear", click_number=n) for n in range(7, 11)]
    faces += [Face(position=11, kind="disarmed")]
    return TrapTable(name="TEST", provenance="house", clicks=12, faces=tuple(faces))


def started(*contents: TrapTable, reexpose: str = "view_only", rules: ev.Ruleset | None = None) -> ev.Started:
    """Return the first event of a game of Ann and Ben with these tables on T01, T02, ..."""
    return ev.Started(
        version=version(),
        table_name="Test table",
        simulated=True,
        ruleset=rules or ev.Ruleset(reexpose=reexpose),  # type: ignore[arg-type]
        seats=(ev.SeatSetup(seat="ANN", name="Ann"), ev.SeatSetup(seat="BEN", name="Ben")),
        squares=tuple(
            ev.SquareSetup(label=f"T{n:02}", table=table)
            for n, table in enumerate(contents or (EVERY_KIND, EVERY_KIND), 1)
        ),
    )


def turned(
    square: str,
    clicks: int | None,
    seat: str | None = None,
    *,
    start: int = 0,
    to: int | None = -1,
    purpose: ev.Purpose = "expose",
) -> ev.Turned:
    """Return a turn from `start` by `clicks`; `to` is its end if that does not follow."""
    end = to if to != -1 else (start + (clicks or 0)) % 12
    motion = ev.Motion(from_position=start, to_position=end, clicks=clicks, between=(3, 4) if end is None else None)
    return ev.Turned(
        square=square,
        motion=motion,
        seat=seat,
        purpose=None if seat is None else purpose,
        grade=None if seat is None else "button",
    )


def rolled(die: int, seat: str = "ANN", how: ev.How = "said", square: str | None = None) -> ev.Rolled:
    """Return a roll for a seat's turn."""
    return ev.Rolled(seat=seat, square=square, die=die, how=how, grade="table")


def exposes(square: str, clicks: int, seat: str) -> tuple[ev.AnyEvent, ...]:
    """Return all events of one clean expose (T-EXP-4)."""
    return (
        ev.Claimed(seat=seat, grade="button"),
        ev.Bound(seat=seat, square=square),
        turned(square, clicks, seat),
    )


def played(*events: ev.AnyEvent, moment: Moment = NO_GAME) -> Moment:
    """Return the moment after these events."""
    for event in events:
        moment = advance(moment, event)
    return moment
