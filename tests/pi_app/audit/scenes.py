"""What hands and faults do at a simulated table so that an audit finds it: one scene for each kind of finding, played
through the real loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pi_app.game import events as ev
from pi_app.journal import Stamp
from pi_app.journal.record.entry import ClockSource
from pi_app.play.mage_knight import record_shown
from pi_app.settings import load as st
from pi_app.settings.model import ArtifactSettings
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo, Twins
from tests.pi_app.playing import Played, settings, table
from tests.pi_app.small_tables import counting, learnt_table, swap

BEGAN = datetime(2026, 5, 16, 14, 0, tzinfo=UTC)


@contextmanager
def plain(folder: Path) -> Iterator[Played]:
    with table(folder) as at:
        yield at


@contextmanager
def learnt(folder: Path) -> Iterator[Played]:
    """Calibrated, with a memory in each tile."""
    with table(folder, learnt_table(folder)) as at:
        yield at


@contextmanager
def slid(folder: Path) -> Iterator[Played]:
    """Calibrated; then the magnet of T01 slid by three degrees in its glue."""
    learnt_table(folder)
    file = folder / "calibration.toml"
    text = file.read_text(encoding="utf-8")
    head, rest = text.split("centres = [", 1)
    centres, tail = rest.split("]", 1)
    shifted = ", ".join(str((int(each) - 34) % 4096) for each in centres.split(",") if each.strip())
    file.write_text(f"{head}centres = [{shifted}]{tail}", encoding="utf-8")
    with table(folder, st.load(folder / "trapdial.toml")) as at:
        yield at


@contextmanager
def steps(folder: Path) -> Iterator[Played]:
    """T01 only counts steps."""
    with table(folder, counting()) as at:
        yield at


@contextmanager
def turned_while_off(folder: Path) -> Iterator[Played]:
    with table(folder) as at:
        at.expose("ANN", "T01", 3)
    with table(folder, resume=True, stands={"T01": 5}) as at:
        yield at


@contextmanager
def not_at_start(folder: Path) -> Iterator[Played]:
    with table(folder, stands={"T01": 2}) as at:
        yield at


class Dates:
    """A machine's clock that can be set. The twin's own time goes on evenly."""

    def __init__(self) -> None:
        self.off_s = 0.0
        self.clock: ClockSource = "ntp"
        self.now_ns: Callable[[], int] = lambda: 1

    def __call__(self) -> Stamp:
        now_ns = self.now_ns()
        wall = BEGAN + timedelta(seconds=now_ns / 1e9 + self.off_s)
        return Stamp("a real boot", now_ns, wall.isoformat(), self.clock)


class Dated(Played):
    """A table whose machine has a date."""

    def __init__(self, demo: Demo, journal: Path, dates: Dates) -> None:
        super().__init__(demo, journal)
        self.dates = dates


@contextmanager
def with_dates(folder: Path, off_s: float = 0.0, clock: ClockSource = "ntp") -> Iterator[Dated]:
    dates = Dates()
    dates.off_s, dates.clock = off_s, clock
    demo = Demo(settings(), folder / "journal.db", seed=5, twins=Twins(stamp=dates))
    dates.now_ns = demo.table.clock.now_ns
    with demo:
        while not demo.loop.ready:
            demo.step()
        yield Dated(demo, folder / "journal.db", dates)


def without_date(folder: Path) -> AbstractContextManager[Played]:
    """Nothing has set the clock since the machine was started."""
    return with_dates(folder, -86_400.0 * 200, "none")


@dataclass(frozen=True)
class Scene:
    """The play and its table; the findings while the game runs (rule, square, claim), and after it (kind,
    rule, sentence)."""

    play: Callable[[Played], None]
    live: list[tuple[str, str | None, str | None]]
    after: list[tuple[str, str, str]]
    at: Callable[[Path], AbstractContextManager[Played]] = plain


def wrong_count(at: Played) -> None:
    at.expose("ANN", "T01", 8)


def wrong_direction(at: Played) -> None:
    at.expose("ANN", "T01", -2)


def second_turn(at: Played) -> None:
    at.expose("ANN", "T01", 3)
    at.turn("T01", 2)
    at.run(1.0)


def no_claim(at: Played) -> None:
    at.turn("T02", 2)
    at.run(1.0)


def out_of_turn(at: Played) -> None:
    at.tap("ANN")
    at.turn("T01", 3)
    at.turn("T02", 2)
    at.run(1.0)
    at.press("ANN")
    at.let_go("ANN")


def nothing(at: Played) -> None:
    at.run(1.0)


def not_as_rolled(at: Played) -> None:
    at.tap("ANN")
    at.say("rolled ANN 4")
    at.turn("T01", 3)
    at.press("ANN")
    at.let_go("ANN")


def die_corrected(at: Played) -> None:
    """Turned as reported; then another number is reported."""
    at.tap("ANN")
    at.say("rolled ANN 3")
    at.turn("T01", 3)
    at.press("ANN")
    at.say("rolled ANN 4")
    at.let_go("ANN")


def exposed(at: Played) -> None:
    at.expose("ANN", "T01", 3)


def between(at: Played) -> None:
    at.demo.table.tiles["T02"].hand.stop_between(at.demo.table.clock.now_ns(), 0.5)
    at.run(2.0)


def unknown_path(at: Played) -> None:
    at.tap("ANN")
    at.demo.act(actions.TurnDial("T01", 1, ()))
    at.run(0.3)
    at.demo.act(actions.InjectFault("T01", "unplugged"))
    at.run(0.5)
    at.turn("T01", 3)
    at.demo.act(actions.ClearFault("T01", "unplugged"))
    at.run(2.0)
    at.press("ANN")
    at.let_go("ANN")


def magnet(fault: str) -> Callable[[Played], None]:
    def play(at: Played) -> None:
        at.demo.act(actions.InjectFault("T02", fault))
        at.run(12.0)
        at.demo.act(actions.ClearFault("T02", fault))
        at.run(12.0)

    return play


def hops(at: Played) -> None:
    at.demo.act(actions.InjectFault("T02", "jumps"))
    at.run(4.0)


def swapped(at: Played) -> None:
    swap(at)
    at.run(1.0)
    swap(at)
    at.run(1.0)


def drift(at: Played) -> None:
    for _ in range(3):
        at.say("check")
    at.expose("ANN", "T01", 3)


def set_by_hand(at: Played) -> None:
    assert isinstance(at, Dated)
    at.dates.off_s, at.dates.clock = -90.0, "none"
    at.expose("ANN", "T01", 3)


def came_right(at: Played) -> None:
    """Off since the machine was started; the network finds it in the middle of the game."""
    at.expose("ANN", "T01", 3)
    assert isinstance(at, Dated)
    at.dates.off_s, at.dates.clock = 0.0, "ntp"
    at.expose("BEN", "T02", 3)


def disarm_elsewhere(at: Played) -> None:
    at.expose("ANN", "T01", 1)
    at.say("disarm T01 ANN quick 6 6 6")
    at.turn("T01", 3)
    at.run(1.0)


def disarmed_moved(at: Played) -> None:
    at.expose("ANN", "T01", 1)
    at.say("disarm T01 ANN quick 6 6 6")
    at.turn("T01", 10)
    at.run(1.0)
    at.turn("T01", 1)
    at.run(1.0)


def unseen(at: Played) -> None:
    at.demo.act(actions.InjectFault("T02", "unplugged"))
    at.run(2.0)
    at.demo.act(actions.ClearFault("T02", "unplugged"))
    at.run(1.0)


def shown(at: Played) -> None:
    record_shown(at.journal, ev.TableShown(table="SAMPLE-12"))
    at.run(2.0)


def recorded(at: Played) -> None:
    record_shown(at.journal, ev.TableShown(how="samples"))
    at.run(2.0)


def calibrated(at: Played) -> None:
    record_shown(at.journal, ev.TableShown(how="calibrated"))
    at.run(2.0)


def in_a_demo(at: Played) -> None:
    record_shown(at.journal, ev.TableShown(how="demo"))
    at.run(2.0)


def done_anyway(at: Played) -> None:
    at.expose("ANN", "T01", 1)
    at.say("disarm T01 BEN quick 1 1 1")
    at.say("disarm T01 BEN quick 1 1 1 anyway")


@contextmanager
def treasures(folder: Path) -> Iterator[Played]:
    """A statue with two tokens that take effect at once."""
    (folder / "pool.toml").write_text(
        '[[yellow]]\nname = "Stumble"\ncount = 3\n[[artifact]]\nlabel = "STATUE"\nyellow = 2\n', encoding="utf-8"
    )
    private = ArtifactSettings(pool="pool.toml", draw="private")
    used = replace(settings(), where=str(folder / "t.toml"), artifacts=private)
    with table(folder, used) as at:
        yield at


def used_twice(at: Played) -> None:
    for line in ("artifact STATUE ann", "put ann", "artifact STATUE ann"):
        at.say(line)


def kept(at: Played) -> None:
    at.say("artifact STATUE ann")
    at.say("keep ann")


def power_lost(at: Played) -> None:
    at.say("home T01")
    at.run(0.5)
    at.demo.act(actions.InjectFault("T01", "re-plugged"))
    at.run(2.0)


SCENES: dict[str, Scene] = {
    "wrong count": Scene(
        wrong_count,
        [("T-AUD-2", "T01", "button")],
        [
            (
                "wrong count",
                "T-AUD-2",
                "T01 was turned further than one die allows: 8 clicks counter-clockwise, from position 0 to 8.",
            ),
        ],
    ),
    "not as rolled": Scene(
        not_as_rolled,
        [("T-AUD-2", "T01", "button")],
        [
            (
                "wrong count",
                "T-AUD-2",
                "T01 was not turned by the number rolled: 3 clicks counter-clockwise, from position 0 to "
                "3; the die was 4, as reported at the table.",
            ),
        ],
    ),
    "die corrected": Scene(
        die_corrected,
        [],
        [
            (
                "die corrected",
                "REC-DIE",
                "The die of Ann for T01 was reported as 3, and as 4 after the turn; it was turned by 3 clicks.",
            ),
        ],
    ),
    "done anyway": Scene(
        done_anyway,
        [("T-DIS-10", "T01", None)],
        [("done anyway", "T-DIS-10", "T01 disarm attempted by a player who had not exposed it.")],
    ),
    "wrong direction": Scene(
        wrong_direction,
        [("T-AUD-4", "T01", "button")],
        [
            ("wrong direction", "T-AUD-4", "T01 was turned clockwise: 2 clicks clockwise, from position 0 to 10."),
        ],
    ),
    "second turn": Scene(
        second_turn,
        [("T-AUD-4", "T01", "none")],
        [
            (
                "second turn",
                "T-AUD-4",
                "T01 was turned again after it had been read: 2 clicks counter-clockwise, from position 3 to 5.",
            ),
        ],
    ),
    "no claim": Scene(
        no_claim,
        [("T-AUD-4", "T02", "none")],
        [
            (
                "no claim",
                "T-AUD-4",
                "T02 was turned without a claim: 2 clicks counter-clockwise, from position 0 to 2.",
            ),
        ],
    ),
    "out of turn": Scene(
        out_of_turn,
        [("T-AUD-4", "T02", "none")],
        [
            (
                "no claim",
                "T-AUD-4",
                "T02 was turned without a claim: 2 clicks counter-clockwise, from position 0 "
                "to 2; the open claim was that of Ann.",
            ),
            (
                "out of turn",
                "T-AUD-4",
                "T02 was turned while another player's claim was open: 2 clicks counter-clockwise, from "
                "position 0 to 2; the open claim was that of Ann.",
            ),
        ],
    ),
    "moved while off": Scene(
        nothing,
        [("T-AUD-4", "T01", "none"), ("T-AUD-5", "T01", "none")],
        [
            (
                "second turn",
                "T-AUD-4",
                "T01 was turned again after it had been read: from position 3 to 5 by an unknown path.",
            ),
            (
                "moved while off",
                "T-AUD-4",
                "T01 was moved while the program was off: from position 3 to 5 by an unknown path.",
            ),
            (
                "unknown path",
                "T-AUD-5",
                "T01 moved, but its path is unknown: from position 3 to 5 by an unknown path.",
            ),
        ],
        turned_while_off,
    ),
    "between two detents": Scene(
        between,
        [("T-AUD-4", "T02", "none"), ("T-AUD-5", "T02", "none")],
        [
            (
                "no claim",
                "T-AUD-4",
                "T02 was turned without a claim: no click in all, from position 0 to between 0 and 1.",
            ),
            (
                "between two detents",
                "T-AUD-5",
                "T02 rests between two clicks: no click in all, from position 0 to between 0 and 1.",
            ),
        ],
    ),
    "unknown path": Scene(
        unknown_path,
        [("T-AUD-5", "T01", None), ("T-AUD-5", "T01", "button")],
        [
            ("not seen", "T-AUD-5", "T01 could not be read for a while: 1.6 s."),
            (
                "unknown path",
                "T-AUD-5",
                "T01 moved, but its path is unknown: from position 0 to 4 by an unknown path.",
            ),
        ],
    ),
    "magnet weakened": Scene(
        magnet("magnet-weak"),
        [("DEV", None, None)],
        [
            ("magnet weakened", "DEV-MAGNET", "T02: the magnet was too far from its chip, for 12 s, until entry 4."),
        ],
    ),
    "magnet too near": Scene(
        magnet("magnet-strong"),
        [("DEV", None, None)],
        [
            ("magnet too near", "DEV-MAGNET", "T02: the magnet was too near to its chip, for 12 s, until entry 4."),
        ],
    ),
    "angle hops": Scene(
        hops,
        [("DEV", None, None)],
        [
            (
                "angle hops",
                "DEV-HOPS",
                "T02: the angle jumped although no hand did it, until the end of the game.",
            ),
        ],
    ),
    "tile swapped": Scene(
        swapped,
        [("DEV", None, None), ("T-AUD-5", "T01", None), ("T-AUD-5", "T02", None)],
        [
            (
                "tile swapped",
                "DEV-TILE",
                "T01 had the tile of another square on its lead; its moves were not counted.",
            ),
            (
                "tile swapped",
                "DEV-TILE",
                "T02 had the tile of another square on its lead; its moves were not counted.",
            ),
            ("not seen", "T-AUD-5", "T01 could not be read for a while: 1.8 s."),
            ("not seen", "T-AUD-5", "T02 could not be read for a while: 1.8 s."),
        ],
        learnt,
    ),
    "calibration drift": Scene(
        drift,
        [],
        [
            (
                "calibration drift",
                "DEV-DRIFT",
                "T01 rested 3.0 degrees counter-clockwise of its calibrated centres: the median of 5 "
                "rests in 2 detents. Calibrate this dial again.",
            ),
        ],
        slid,
    ),
    "clock stepped": Scene(
        set_by_hand,
        [("REC-CLOCK", None, None)],
        [
            (
                "clock stepped",
                "REC-CLOCK",
                "The date was set back by 1:30 between entries 2 and 3; its source went from ntp to none.",
            ),
        ],
        with_dates,
    ),
    "clock came right": Scene(came_right, [], [], without_date),
    "not at start": Scene(
        nothing,
        [("T-AUD-1", "T01", None)],
        [
            ("not at start", "T-AUD-1", "T01 is not at its start mark: it stood at position 2."),
        ],
        not_at_start,
    ),
    "not from start": Scene(
        exposed,
        [("T-AUD-1", "T01", None), ("T-AUD-2", "T01", "button")],
        [
            ("not at start", "T-AUD-1", "T01 is not at its start mark: it stood at position 2."),
            (
                "not from start",
                "T-AUD-2",
                "T01 was not at its start mark when the turn began: 3 clicks counter-clockwise, from position 2 to 5.",
            ),
        ],
        not_at_start,
    ),
    "not to the disarmed mark": Scene(
        disarm_elsewhere,
        [("T-AUD-3", "T01", "none")],
        [
            (
                "not to the disarmed mark",
                "T-AUD-3",
                "T01 was not turned to its disarmed mark: 3 clicks counter-clockwise, from position 1 to 4.",
            ),
        ],
    ),
    "disarmed dial moved": Scene(
        disarmed_moved,
        [("T-AUD-4", "T01", "none")],
        [
            (
                "disarmed dial moved",
                "T-AUD-4",
                "T01 was moved after it had been disarmed: 1 click counter-clockwise, from position 11 to 0.",
            ),
        ],
    ),
    "not seen": Scene(
        unseen,
        [("T-AUD-5", "T02", None)],
        [
            ("not seen", "T-AUD-5", "T02 could not be read for a while: 2.4 s."),
        ],
    ),
    "artifact used twice": Scene(
        used_twice,
        [("AR-GEN-2", None, None)],
        [
            ("artifact used twice", "AR-GEN-2", "An artifact was used twice in one activation: by Ann."),
        ],
        treasures,
    ),
    "token kept": Scene(
        kept,
        [],
        [
            ("token kept", "AR-USE-7", "Ann kept Stumble, which takes effect at once; it went back into its pile."),
        ],
        treasures,
    ),
    "trap table shown": Scene(
        shown,
        [("S-9", None, None)],
        [
            ("trap table shown", "S-9", "A trap table was shown during the game: SAMPLE-12."),
        ],
    ),
    "dials recorded": Scene(
        recorded,
        [("S-9", None, None)],
        [("dials recorded", "S-9", "The dials' samples were recorded during the game.")],
    ),
    "dial calibrated": Scene(
        calibrated,
        [("S-9", None, None)],
        [("dial calibrated", "S-9", "A dial was calibrated during the game.")],
    ),
    "tables in a demo": Scene(
        in_a_demo,
        [("S-9", None, None)],
        [("tables in a demo", "S-9", "A demo was played with the trap tables of this table during the game.")],
    ),
    "count lost": Scene(
        power_lost,
        [("T-AUD-1", "T01", None), ("T-AUD-5", "T01", None)],
        [
            (
                "not homed",
                "T-AUD-1",
                "T01 counts steps and has not been homed, so its position is unknown: its position was unknown.",
            ),
            ("count lost", "T-AUD-5", "T01 counts steps and lost power, so its position is unknown."),
            ("not homed", "T-AUD-5", "T01 counts steps and has not been homed, so its position is unknown."),
        ],
        steps,
    ),
}
