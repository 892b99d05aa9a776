"""What a station does while the recorder listens: robot visitors play group after group, and between them its records
are put aside and pruned, to a budget of some games. Troubles are noted, hours changed, wrong PINs counted, starts
counted, and settings accepted.

A life begins with what lies in the state folder, which may be what a power cut left there.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections import Counter as Counted
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest import mock

import msgspec

from pi_app.journal import machine_stamp, writing
from pi_app.play.loop.session import GameSession
from pi_app.play.seats_and_dials import TableSeat
from pi_app.report.pictures import ShowFace
from pi_app.settings.load import example_path
from pi_app.simulated.simulated_station import SimulatedStation
from pi_app.simulated.visitors import Visitors
from pi_app.station import build
from pi_app.station.service.boot_settings import NAME, ChosenSettings, accepted, choose
from pi_app.station.service.recovery import Counter
from pi_app.station.service.service import STARTS
from pi_app.station.staff.door import Tries
from pi_app.station.staff.opening_hours import OpeningHours
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.station.visits.visit import SECOND_NS, State
from pi_app.text.errors import UserFileError
from tests.crash.disk import Image, Kept, Op, Shown
from tests.crash.recorder import Recorder, recording
from tests.crash.runs import CHECKPOINT_AFTERS, folder_with, telling

BUDGET_MB: Final = 50
MEGABYTE: Final = 5_000
"""In a life: so its budget holds some six games."""

PAUSES_S: Final = (5.0, 20.0)
TIDIES_S: Final = 30
"""So long nobody comes after the last group, and what is due is pruned."""

GARBAGE: Final = b"\x00idle_s = = 3\xff"


def text(name: str) -> str:
    """The settings of a table with this name; every second name keeps only heads."""
    keep = ("records", "heads")[name.endswith("2")]
    example = example_path("2x2").read_text(encoding="utf-8").replace('name = "', f'name = "{name} ', 1)
    return f'{example}\n[station]\nidle_s = 30\nbudget_mb = {BUDGET_MB}\nkeep = "{keep}"\n'


NAMES: Final = ("One", "Two 2")
"""Two tables whose settings an owner may put on the card."""


@contextlib.contextmanager
def card_with(data: bytes) -> Iterator[Path]:
    """The card's boot partition, with these settings."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / NAME).write_bytes(data)
        yield Path(folder)


def small_budget() -> contextlib.AbstractContextManager[object]:
    """A budget of some games instead of megabytes."""
    return mock.patch.object(build, "MEGABYTE", MEGABYTE)


# ------------------------------------------------------------------------------------------- beside the record


@dataclass(frozen=True, slots=True)
class Beside:
    """The small files of a state folder. `read` gives the value of each by its name."""

    state: Path

    def read(self) -> dict[str, str]:
        """Return what a start reads of them."""
        ready = [start.boot for start in self.starts("").known.starts if start.ready]
        newest = self.ring().entries()[:1]
        return {
            "hours": msgspec.json.encode(self.hours().hours).decode(),
            "ring": str(newest[0].number if newest else -1),
            "tries": str(self.tries().wrong),
            "ready": ready[-1] if ready else "",
            "settings": self.good_settings(),
        }

    def starts(self, boot: str) -> Counter:
        """The counts of starts, in this boot."""
        return Counter(self.state / STARTS, lambda: (boot, 0))

    def hours(self) -> OpeningHours:
        """The opening hours."""
        return OpeningHours(self.state, {})

    def ring(self) -> TroubleRing:
        """The ring of troubles."""
        return TroubleRing(self.state, machine_stamp)

    def tries(self) -> Tries:
        """The wrong PINs."""
        return Tries(self.state, 0)

    def good_settings(self) -> str:
        """The name of the table that runs with garbage on the card; empty if there are no last good settings."""
        with card_with(GARBAGE) as card:
            try:
                return choose(self.state, "", [card]).settings.table.name
            except UserFileError:
                return ""


# -------------------------------------------------------------------------------------------------------- a life


def life(image: Image, number: int, draw: random.Random) -> tuple[Image, Sequence[Op]]:
    """Let a station live on from an image: what lay in its state folder, and what was done."""
    after = draw.choice(CHECKPOINT_AFTERS)
    with folder_with(image) as state, small_budget(), mock.patch.object(writing, "CHECKPOINT_AFTER", after):
        kept = [Kept(what, value, True) for what, value in Beside(state).read().items()]
        with recording(state) as recorder, telling(recorder), showing(recorder):
            recorder.ops += kept
            with card_with(text(draw.choice(NAMES)).encode()) as card:
                StationLife(state, recorder, draw, f"boot {number}").run(card)
        return recorder.began, recorder.ops


@contextlib.contextmanager
def showing(recorder: Recorder) -> Iterator[None]:
    """Every face that a screen shows is noted."""
    show, shown = GameSession.show_face, Counted[tuple[str, str, str]]()

    def noted(session: GameSession, seat: TableSeat, label: str) -> None:
        show(session, seat, label)
        if isinstance(seat.routed.now, ShowFace):
            shown[session.game_id, seat.key, label] += 1
            times = shown[session.game_id, seat.key, label]
            recorder.ops.append(Shown(session.game_id, seat.key, label, times))

    with mock.patch.object(GameSession, "show_face", noted):
        yield


@dataclass
class StationLife:
    """One start of a station, and what happens until it ends."""

    state: Path
    recorder: Recorder
    draw: random.Random
    boot: str

    def run(self, card: Path) -> None:
        """Start, let some groups play, and end."""
        beside = Beside(self.state)
        starts = beside.starts(self.boot)
        if starts.begin().kind != "table":
            return
        chosen = choose(self.state, self.boot, [card])
        journal = chosen.settings.beside(chosen.settings.table.journal)
        with SimulatedStation(chosen.settings, journal, seed=self.draw.randrange(1, 10**6)) as at:
            at.visitors = Visitors(at, self.draw.randrange(10**6), PAUSES_S)
            at.station.step()
            self._becomes("ready", self.boot, starts.ready)
            self._accept(chosen)
            self._groups(at, beside)
        if self.draw.random() < 0.5:
            starts.ended()

    def _accept(self, chosen: ChosenSettings) -> None:
        self._becomes("settings", chosen.settings.table.name, lambda: accepted(self.state, chosen))

    def _groups(self, at: SimulatedStation, beside: Beside) -> None:
        groups, tries = self.draw.randint(2, 5), beside.tries()
        for _ in range(groups):
            before = at.station.visit.number
            while at.station.visit.number == before or at.state is not State.ATTRACT:
                at.stride()
            self.draw.choice((self._hours, self._trouble, self._pin))(beside, tries)
        until_ns = at.now_ns() + TIDIES_S * SECOND_NS
        while at.now_ns() < until_ns:
            at.table.clock.advance(SECOND_NS // 4)
            at.station.step()

    def _hours(self, beside: Beside, _: Tries) -> None:
        hours = {"mon": f"{self.draw.randint(8, 11):02}:00-19:00", "sun": ""}
        self._becomes("hours", msgspec.json.encode(hours).decode(), lambda: beside.hours().change(hours))

    def _trouble(self, beside: Beside, _: Tries) -> None:
        ring, found = beside.ring(), TroubleFound(StationTrouble.DIAL_UNREAD, ("T01",))
        newest = ring.entries()[:1]
        number = newest[0].number + 1 if newest else 0
        self._becomes("ring", str(number), lambda: ring.note(found, over=self.draw.random() < 0.5))

    def _pin(self, _: Beside, tries: Tries) -> None:
        right = self.draw.random() < 0.3
        value = "0" if right else str(tries.wrong + 1)
        self._becomes("tries", value, lambda: (tries.forget if right else tries.count_wrong)(0))

    def _becomes(self, what: str, value: str, change: Callable[[], object]) -> None:
        """Change something that must last once this is done."""
        self.recorder.ops.append(Kept(what, value, False))
        change()
        self.recorder.ops.append(Kept(what, value, True))
