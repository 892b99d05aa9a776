"""A neighbour who shakes a plug, jams a button, spins a dial or pastes a file, to fill the record and the screens.

He touches what anybody at the table can touch, again and again: a lead, a mux, a hub's cable, a magnet, a button, a
dial, the keyboard, the clock. The record must stay small, nothing may be lost of the game, and a dial whose readings
come and go counts only while they stay.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pi_app.audit.files import audit_file
from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.journal import Stamp, read, verify
from pi_app.journal.budget import Budget
from pi_app.play import part_history
from pi_app.play.loop.players import PRESSES
from pi_app.play.loop.turns import UNCLAIMED
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.play.part_history import ALWAYS_FREE, ENTRIES
from pi_app.play.phones import JOINS
from pi_app.play.typing_pace import TYPED
from pi_app.settings import load as st
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo, Twins
from tests.docs.pages import tables
from tests.pi_app.exchanged import calibrated, exchange, plug, pull
from tests.pi_app.hosts import host, put
from tests.pi_app.hubs import TableWithHub, mixed
from tests.pi_app.playing import CAGE, UNREAD, Played, settings, table

ENTRY_BYTES = 1500
"""What one entry takes of the file, at most; measured below."""

HOUR_NS = 3_600_000_000_000

Step = Callable[[Played, int], None]


def lead(at: Played, _: int) -> None:
    at.demo.act(actions.InjectFault("T01", "unplugged"))
    at.run(0.15)
    at.demo.act(actions.ClearFault("T01", "unplugged"))
    at.run(0.15)


def slowly(at: Played, flaps: int) -> None:
    """Shake the lead so slowly that each failure and each recovery is seen."""
    for _ in range(flaps):
        at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(0.4)
        at.demo.act(actions.ClearFault("T01", "unplugged"))
        at.run(0.4)


def mux(at: Played, _: int) -> None:
    at.demo.act(actions.InjectFault("T01", "mux-silent"))
    at.run(0.15)
    at.demo.act(actions.ClearFault("T01", "mux-silent"))
    at.run(0.15)


def magnet(at: Played, number: int) -> None:
    fault = ("magnet-weak", "magnet-strong")[number % 2]
    at.demo.act(actions.InjectFault("T01", fault))
    at.run(0.15)
    at.demo.act(actions.ClearFault("T01", fault))
    at.run(0.15)


def angle(at: Played, _: int) -> None:
    at.demo.act(actions.InjectFault("T01", "jumps"))
    at.run(0.5)
    at.demo.act(actions.ClearFault("T01", "jumps"))
    at.run(1.5)


def tap(at: Played, _: int) -> None:
    at.demo.act(actions.Press("ANN"))
    at.run(0.02)
    at.demo.act(actions.Release("ANN"))
    at.run(0.02)


def look(at: Played, _: int) -> None:
    at.demo.act(actions.Press("ANN"))
    at.run(0.42)
    at.demo.act(actions.Release("ANN"))
    at.run(0.03)


def spin(at: Played, _: int) -> None:
    at.demo.act(actions.TurnDial("T01", 1, ()))
    at.run(0.8)


def lines_typed(at: Played, _: int) -> None:
    for _ in range(100):
        at.demo.loop.say("expose everything")
    at.run(0.2)


@dataclass(frozen=True)
class Harm:
    """What an attack left behind. `entries`: without those of the game's beginning and end."""

    lines: Counter[str]
    entries: int
    findings: int
    events: list[ev.AnyEvent]


def harmed(folder: Path, step: Step, seconds: float, before: Callable[[Played], None] | None = None) -> Harm:
    """Attack a table in play for so long, end the game, and check its record."""
    journal = folder / "journal.db"
    with table(folder) as at:
        if before is not None:
            before(at)
        had, said = len(at.events()), len(at.lines)
        clock, number = at.demo.table.clock, 0
        until_ns = clock.now_ns() + round(seconds * 1e9)
        while clock.now_ns() < until_ns:
            step(at, number)
            number += 1
        lines = Counter(viewer for viewer, _ in at.lines[said:])
        live = at.demo.loop.moment.common_digest
        reports = {name: dict(report.lines) for name, report in at.demo.loop.moment.reports.items()}
        assert live
        at.say("end")
        ended = at.demo.loop.moment
        findings = len(at.findings())
    events = [entry.event for entry in read(journal, MAGE_KNIGHT)]
    (game,) = replay(journal)
    assert game.moment.common_digest == ended.common_digest
    assert game.moment.game.findings == ended.game.findings
    assert reports["referee"]
    return Harm(lines, len(events) - had - 1, findings, events)


# name, attack, seconds, most entries, most lines of the referee: before, these were 200 and 800 a minute for a lead
SHORT = [
    ("lead", lead, 10.0, 7, 20),
    ("mux", mux, 9.0, 14, 30),
    ("magnet", magnet, 10.0, 20, 20),
    ("button", tap, 5.6, 124, 124),
    ("typed", lines_typed, 4.0, 0, 604),
]


@pytest.mark.slow
@pytest.mark.parametrize(("step", "seconds", "entries", "lines"), [row[1:] for row in SHORT], ids=[r[0] for r in SHORT])
def test_what_flaps_leaves_a_few_entries_and_lines(
    tmp_path: Path, step: Step, seconds: float, entries: int, lines: int
) -> None:
    harm = harmed(tmp_path, step, seconds)
    assert harm.entries <= entries
    assert harm.lines["referee"] <= lines
    assert harm.lines["public"] <= entries // 2 + 2


def test_the_first_fault_is_recorded_and_told_as_ever(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(1.0)
        at.demo.act(actions.ClearFault("T01", "unplugged"))
        at.run(1.0)
        lost, back = at.events()[2:]
        assert ev.to_json(lost) == b'{"kind":"dial lost","square":"T01","trouble":"silent"}'
        assert ev.to_json(back) == b'{"kind":"dial back","square":"T01","unseen_s":1.1}'
        assert at.heard("referee")[-2:] == [
            "Finding T-AUD-5: T01 could not be read for a while.",
            "T01: its dial is responding again.",
        ]


def test_a_flapping_dial_is_lost_in_the_record_until_it_is_steady_and_its_count_is_told(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        slowly(at, 12)
        square = at.demo.loop.moment.game.squares["T01"]
        assert square.lost
        assert (
            "T01: its readings come and go. Check the plugs at both ends of its lead. The record notes that the dial "
            "is back when they stay for 10 s." in at.heard("referee")
        )
        at.run(9.0)
        assert at.demo.loop.moment.game.squares["T01"].lost
        at.run(2.0)
        assert not at.demo.loop.moment.game.squares["T01"].lost
        back = at.events()[-1]
        assert isinstance(back, ev.DialBack)
        assert back.times == 10
        assert 10 * 0.4 < back.unseen_s < back.over_s == pytest.approx(10 * 0.8, abs=1)
        assert "T01: lost and found again 10 times in 1 min. Check its lead and its plugs." in at.heard("referee")
        assert at.heard("referee")[-1] == "T01: its dial is responding again."
        assert "Finding T-AUD-5: T01 was lost and found again, over and over." in at.heard("log")


def test_everybody_reads_once_that_a_dial_has_no_room_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(part_history, "ENTRIES", Budget(at_once=ALWAYS_FREE + 1, every_ns=10_000_000_000))
    with table(tmp_path) as at:
        slowly(at, 5)
        told = (
            "T01: its parts fail and recover too often. The record counts that, and has an entry about it now and then."
        )
        assert at.heard("public").count(told) == 1
        assert not any("come and go" in line for line in at.heard("referee"))
        assert at.demo.loop.moment.game.squares["T01"].lost
        at.run(12.0)
        assert not at.demo.loop.moment.game.squares["T01"].lost
        back = at.events()[-1]
        assert isinstance(back, ev.DialBack)
        assert back.times == 5


def test_a_dial_that_is_lost_again_is_not_told_to_be_back(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        slowly(at, 2)
        at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(2.0)
        assert at.demo.loop.moment.game.squares["T01"].lost
        assert at.heard("referee").count("T01: its dial is responding again.") == 0


def flapping(at: Played, flaps: int) -> None:
    """Shake the lead so fast that its readings stay for less than they must to count."""
    for number in range(flaps):
        lead(at, number)


def test_nobody_is_shown_a_dial_that_flaps_and_a_claim_on_it_stays_right(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        flapping(at, 4)
        at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(0.2)
        at.demo.act(actions.Press("ANN"))
        flapping(at, 3)
        assert at.screens["ANN"] == UNREAD
        at.let_go("ANN")
        assert at.turns() == []
        at.run(1.0)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        (turn,) = at.turns()
        facts = (turn.seat, turn.motion.from_position, turn.motion.to_position, turn.motion.clicks, turn.turns)
        assert facts == ("ANN", 0, 3, None, 1)  # it could have been turned while its lead was out: its path is unknown


def test_readings_that_stay_can_be_played_with_and_the_record_has_them_back_before_the_look(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        slowly(at, 12)
        at.run(1.0)
        assert at.demo.loop.moment.game.squares["T01"].lost
        at.tap("ANN")
        at.turn("T01", 3)
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        kinds = [type(event) for event in at.events()]
        assert kinds[-4:] == [ev.Claimed, ev.Bound, ev.DialBack, ev.Turned]
        (turn,) = at.turns()
        assert (turn.motion.from_position, turn.motion.to_position, turn.motion.clicks) == (0, 3, 3)


def test_a_claim_does_not_get_what_was_turned_before_it_on_a_flapping_dial(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        slowly(at, 3)
        at.turn("T01", 2)
        at.run(1.5)
        assert at.turns() == []
        at.tap("ANN")
        assert [(turn.seat, turn.motion.to_position) for turn in at.turns()] == [(None, 2)]
        at.turn("T01", 3)
        at.run(15.0)
        at.press("ANN")
        mine = at.turns()[1]
        assert (mine.seat, mine.motion.from_position, mine.motion.clicks) == ("ANN", 2, 3)


def test_a_square_whose_tiles_are_exchanged_again_and_again_stays_hidden(tmp_path: Path) -> None:
    with table(tmp_path, calibrated(tmp_path)) as at:
        at.turn("T02", 5)
        at.run(2.0)
        had = len(at.events())
        for _ in range(4):
            exchange(at)
            pull(at, "T02")
            at.demo.act(actions.ClearFault("T01", "leads-swapped"))
            at.run(0.1)
            plug(at, "T01", "T02")
        square = at.demo.loop.moment.game.squares["T01"]
        assert square.withheld
        assert len(at.events()) - had <= 2 * ENTRIES.at_once
        at.run(12.0)
        assert not at.demo.loop.moment.game.squares["T01"].withheld
        (last,) = [event for event in at.events() if isinstance(event, ev.DialNoted)][-1:]
        assert (last.condition, last.times) == ("tile verified", 2)


@pytest.mark.slow
def test_a_dial_that_is_spun_loses_no_click(tmp_path: Path) -> None:
    harm = harmed(tmp_path, spin, 24.0)
    turns = [event for event in harm.events if isinstance(event, ev.Turned)]
    assert len(turns) <= UNCLAIMED.at_once + 3
    assert sum(turn.motion.clicks or 0 for turn in turns) == sum(turn.turns for turn in turns) == 30
    assert b'"turns"' not in ev.to_json(turns[0])
    joined = next(turn for turn in turns if turn.turns > 1)
    assert joined.motion.clicks == joined.turns
    (game,) = audit_file(tmp_path / "journal.db").games
    assert any(f"; in {joined.turns} turns, one after the other" in (found.words or "") for found in game.findings)


def test_a_jammed_button_says_so_and_frees_its_seat_again(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        for number in range(130):
            tap(at, number)
        told = "The button of Ann is pressed so often that some presses do not count. Check that it does not stick."
        assert at.heard("public").count(told) == 1
        assert at.screens["ANN"] == "Not recorded: wait. Tell the table."
        at.run(11.0)
        at.expose("ANN", "T01", 3)
        assert at.turns()[-1].seat == "ANN"


def test_the_clock_that_is_set_back_and_forth_adds_no_more_than_there_is(tmp_path: Path) -> None:
    wall = datetime.datetime(2026, 7, 1, 20, 0, tzinfo=datetime.UTC)
    count = iter(range(10**6))

    def stamp() -> Stamp:
        at_ns = demo.table.clock.now_ns()
        hours = next(count) % 2
        when = wall + datetime.timedelta(hours=hours, microseconds=at_ns // 1000)
        return Stamp("boot", at_ns, when.isoformat(), "ntp" if hours else "none")

    demo = Demo(settings(), tmp_path / "journal.db", seed=5, twins=Twins(stamp=stamp))
    at = Played(demo, tmp_path / "journal.db")
    demo.loop.session.listeners = (at,)
    with demo:
        at.run(1.0)
        for _ in range(20):
            at.tap("ANN")
        at.say("end")
    kinds = Counter(type(event).__name__ for event in at.events())
    assert kinds["ClockCorrected"] < sum(kinds.values()) / 2
    assert sum("clock (the date)" in line for line in at.heard("referee")) == 6
    (game,) = verify(at.journal).games
    assert game.ended


def test_a_hub_whose_cable_is_pulled_again_and_again(tmp_path: Path) -> None:
    used = mixed()
    twins = TableWithHub(used)
    with table(tmp_path, used, twins=twins) as at:
        had = len(at.events())
        for _ in range(10):
            twins.link.plug(False)
            at.run(0.3)
            twins.link.plug(True)
            at.run(0.3)
        assert len(at.events()) - had == 5
        at.run(11.0)
        back = at.events()[-1]
        assert isinstance(back, ev.DialBack)
        assert back.times == 8
        at.expose("BEN", "T02", 2)
        assert at.turns()[-1].motion.clicks == 2


def test_a_pasted_file_does_not_keep_the_dials_from_being_read(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.tap("ANN")
        for _ in range(20_000):
            at.demo.loop.say("expose everything")
        at.turn("T01", 3)
        at.press("ANN")
        assert at.turns()[-1].motion.clicks == 3
        assert at.turns()[-1].motion.longest_gap_ns < 15_000_000
        told = "More lines were typed than can be carried out. Those that come too fast do not count. Wait a moment, "
        assert [line for line in at.heard("public") if line.startswith(told)]
        assert len(at.heard("referee")) < 700
        at.say("end")
        assert at.heard("public")[-2].startswith("Small table. The game is over.")


# ------------------------------------------------------------------------------------------------- an hour, at length

HOUR = [
    ("lead", lead, 12, 30),
    ("mux", mux, 24, 60),
    ("magnet", magnet, 32, 32),
    ("angle", angle, UNCLAIMED.most_in(HOUR_NS) + 32, 350),
    ("button", tap, 850, 900),
    ("looks", look, 430, 10),
    ("spin", spin, UNCLAIMED.most_in(HOUR_NS), 450),
    ("typed", lines_typed, 0, 2450),
]


@pytest.mark.slow
@pytest.mark.parametrize(("step", "entries", "lines"), [row[1:] for row in HOUR], ids=[row[0] for row in HOUR])
def test_an_hour_of_each(tmp_path: Path, step: Step, entries: int, lines: int) -> None:
    def exposed(at: Played) -> None:
        at.expose("ANN", "T02", 3)

    harm = harmed(tmp_path, step, 3600, exposed)
    size = (tmp_path / "journal.db").stat().st_size
    assert harm.entries <= entries
    assert harm.lines["referee"] <= lines
    assert size < 60_000 + entries * 2000  # a turn with two findings has a longer public half


@pytest.mark.slow
def test_all_leads_of_the_largest_table_for_ten_minutes(tmp_path: Path) -> None:
    used = st.load(st.example_path("16x4"))
    with table(tmp_path, used) as at:
        had = len(at.events())
        until_ns = at.demo.table.clock.now_ns() + HOUR_NS // 6
        number = 0
        while at.demo.table.clock.now_ns() < until_ns:
            for label in used.squares:
                at.demo.act(actions.InjectFault(label, "unplugged"))
            at.run(0.3)
            for label in used.squares:
                at.demo.act(actions.ClearFault(label, "unplugged"))
            at.run(0.3 if number % 9 else 30.0)
            number += 1
        taken = len(at.events()) - had
        assert taken <= ENTRIES.most_in(HOUR_NS // 6) * len(used.squares)


@pytest.mark.slow
def test_heat_that_comes_and_goes(tmp_path: Path) -> None:
    machine = host(tmp_path)
    with table(tmp_path, host=machine) as at:
        for _ in range(60):
            put(machine.root, "sys/class/thermal/thermal_zone0/temp", "85000")
            at.run(15.0)
            put(machine.root, "sys/class/thermal/thermal_zone0/temp", "50000")
            at.run(45.0)
        heat = [line for line in at.heard("referee") if line.startswith("processor (the Pi)")]
        assert 6 < len(heat) <= 12
        assert any("more notices like these:" in line for line in heat)


def test_the_worst_hour_of_all_parts_is_bounded() -> None:
    dials = len(st.load(st.example_path("16x4")).squares)
    assert ENTRIES.most_in(HOUR_NS) == 32
    assert ENTRIES.most_in(HOUR_NS) * dials * ENTRY_BYTES < 800_000
    assert ENTRIES.most_in(HOUR_NS) * 64 * ENTRY_BYTES < 3_100_000


def test_the_journals_page_says_these_budgets() -> None:
    (rows,) = tables("wiring_docs/journal.md", "source", "entries at once", "then one in", "most in an hour", "over it")
    spans = {"s": 1, "min": 60}
    said = []
    for row in rows:
        number, unit = row["then one in"].split()
        every_ns = int(number) * spans[unit] * 1_000_000_000
        said.append((int(row["entries at once"]), every_ns, int(row["most in an hour"])))
    budgets = (ENTRIES, PRESSES, JOINS, UNCLAIMED, TYPED)
    assert said == [(each.at_once, each.every_ns, each.most_in(HOUR_NS)) for each in budgets]
