"""The pages of a simulated station: a visitor who plays along over HTTP, the strip of dials, and robots that leave."""

from __future__ import annotations

import contextlib
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from pi_app.game.trap_table import TRAP_IDS
from pi_app.pages.address import read_code
from pi_app.pages.link import MemoryLink
from pi_app.pages.messages import DemoShown, Hand
from pi_app.play.seats_and_dials import TableSeat
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.settings.station_section import StationSettings
from pi_app.simulated import visitors
from pi_app.simulated.demo_pages import Opened, open_port
from pi_app.simulated.http_phone import HttpPhone
from pi_app.simulated.page_stream import Address
from pi_app.simulated.simulated_station import SimulatedStation, StationDoors
from pi_app.simulated.station_pages import StationPages
from pi_app.simulated.visitors import GroupKind, Script, Visitor
from pi_app.station.table import Hooks
from pi_app.station.visits.guide import TurnStep
from pi_app.station.visits.visit import State
from pi_app.text.languages import LANGUAGES
from tests.pi_app.games import EVERY_KIND
from tests.twin_games import random_table

KEY = "T7T4PNWZBJVW6EPEHKZTRKU5KM"
NEVER = (36_000.0, 36_000.0)
LIMIT_S = 300


class Visited:
    """A station with pages, and its rounds. `display`: the sentences that everybody was shown."""

    def __init__(self, at: SimulatedStation, pages: StationPages, display: list[str]) -> None:
        self.at, self.pages, self.display = at, pages, display
        self.phones: list[HttpPhone] = []

    def step(self) -> None:
        self.at.step()
        self.pages.step(self.at)
        for phone in self.phones:
            phone.take(0.001)

    def run(self, seconds: float) -> None:
        until_ns = self.at.now_ns() + round(seconds * 1e9)
        while self.at.now_ns() < until_ns:
            self.step()

    def act(self, script: Script) -> None:
        """Let a visitor do this."""
        for pause_s in script:
            self.run(pause_s)

    def ask(self, address: Address, method: str, path: str, body: bytes | None = None) -> tuple[int, bytes]:
        """Send a request as a browser does, while the station goes on; return the status and the body."""

        def exchange() -> tuple[int, bytes]:
            with contextlib.closing(HTTPConnection(*address, timeout=LIMIT_S)) as connection:
                connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
                answer = connection.getresponse()
                return answer.status, answer.read()

        with ThreadPoolExecutor(1) as pool:
            answered = pool.submit(exchange)
            self.until(answered.done, f"an answer to {path}")
            return answered.result()

    def scan(self, address: Address) -> HttpPhone:
        """Open the address of the seat that is left to people."""
        self.phones.append(HttpPhone(address, read_code(self.pages.code)))
        return self.phones[-1]

    def table(self, address: Address) -> dict[str, Any]:
        """Return what `/demo` shows of the table."""
        return dict(json.loads(self.ask(address, "GET", "/demo/table")[1]))

    def hint(self, phone: HttpPhone) -> str:
        """Return the words that a phone shows."""
        return " ".join((phone.shown.get("picture") or {}).get("lines", ()))

    @property
    def seats(self) -> list[TableSeat]:
        return [*self.at.station.loop.session.seats.values()]

    def until(self, condition: Callable[[], object], what: str) -> None:
        end_s = time.monotonic() + LIMIT_S
        while not condition():
            assert time.monotonic() < end_s, f"never: {what}"
            self.step()


def settings_of(tables: int | None = None, idle_s: int = 600) -> Settings:
    """A station of two squares and two seats; with other trap tables of one name for each number."""
    made = load(example_path("2x2"))
    draw = random.Random(f"tables {tables}")
    squares = {
        label: square if tables is None else msgspec.structs.replace(square, table=random_table(draw, EVERY_KIND.name))
        for label, square in made.squares.items()
    }
    return replace(made, squares=MappingProxyType(squares), station=StationSettings(idle_s=idle_s))


@contextlib.contextmanager
def visited(
    folder: Path,
    opened: Opened,
    link: MemoryLink | None = None,
    *,
    tables: int | None = None,
    pauses_s: tuple[float, float] = NEVER,
    idle_s: int = 600,
) -> Iterator[Visited]:
    """A station that robots visit after these pauses. The seat of Ben, P2, is left to a person."""
    display: list[str] = []
    with contextlib.closing(StationPages(opened, "BEN", link=link)) as pages:
        hooks = Hooks(published=lambda state: display.append(state.says["en"]))
        doors = StationDoors(hooks, pages.pages, phone=pages.open, free=1, pauses_s=pauses_s)
        with SimulatedStation(settings_of(tables, idle_s), folder / "journal.db", seed=5, doors=doors) as at:
            at.visitors.leave()
            made = Visited(at, pages, display)
            yield made
            for phone in made.phones:
                phone.cut()


def in_memory() -> tuple[Opened, MemoryLink]:
    return Opened((), ("127.0.0.1", 8080), KEY), MemoryLink()


def strip(link: MemoryLink) -> list[dict[str, Any]]:
    """All that `/demo` was shown."""
    return [json.loads(message.text) for message in link.sent if isinstance(message, DemoShown)]


def test_a_visitor_wakes_the_station_rolls_turns_a_dial_and_reads_the_trap(tmp_path: Path) -> None:
    """Over HTTP, with a page process: as the page `/demo` does it."""
    with open_port(None) as opened, visited(tmp_path, opened) as station:
        at, asked = station.at, opened.address

        def table() -> dict[str, Any]:
            return station.table(asked)

        assert station.ask(asked, "GET", "/demo")[0] == 200
        station.until(table, "the strip of dials")
        assert table() == {
            "table": "Small table",
            "game": "station 0",
            "marks": ["SIMULATED", "SAMPLE"],
            "seats": [{"seat": "BEN", "name": "P2"}],
            "squares": [{"label": name, "clicks": 12, "turned": 0.0, "moving": False} for name in ("T01", "T02")],
            "robots": False,
            "station": True,
        }
        assert station.pages.url == f"http://localhost:{asked[1]}/demo#{opened.key}"

        early = station.scan(asked)
        station.until(lambda: at.state is State.JOINING, "the knock of a phone wakes the station")
        station.until(lambda: at.state is State.GUIDED, "the guide")
        assert early.word == "game"
        phone = station.scan(asked)
        station.until(lambda: phone.joined, "the phone has a seat")
        assert phone.shown["name"] == "P2"

        def hint() -> str:
            return station.hint(phone)

        station.until(lambda: hint() == "Tap “My turn” once.", "the first step names the button")
        phone.tap()
        station.until(lambda: hint() == "Something for you. Hold to see it.", "the number waits")
        phone.hold()
        station.until(lambda: phone.shown["held"], "the look")
        number = int(re.findall(r"[0-9]+", hint())[0])
        phone.let_go()
        station.until(lambda: station.display[-1] == "Turn one dial by that many clicks.", "the step with the dial")
        body = json.dumps({"square": "T01", "clicks": number}).encode()
        assert station.ask(asked, "POST", "/demo/hand", body)[0] == 204
        station.until(lambda: table()["squares"][0]["turned"] == number, "the dial is turned")
        station.until(lambda: hint() == "Something for you. Hold to see it.", "the trap waits")
        phone.hold()
        station.until(lambda: phone.shown["picture"]["kind"] == "face", "the face")
        face = phone.shown["picture"]
        assert face["label"] == "T01"
        assert face["symbol"] in TRAP_IDS
        seen = json.dumps(table())
        assert face["title"] not in seen
        assert face["symbol"] not in seen
        phone.let_go()
        station.until(lambda: hint() == "This is what the others saw: nothing.", "the end of the guide")
        assert not at.visitors.groups, "no robot came near"


def test_the_strip_of_dials_shows_the_same_whatever_lies_under_them(tmp_path: Path) -> None:
    shown = []
    for tables in (1, 2):
        opened, link = in_memory()
        (tmp_path / str(tables)).mkdir()
        with visited(tmp_path / str(tables), opened, link, tables=tables) as station:
            ann = Visitor(station.at, "ANN", random.Random(3))
            station.run(2)
            station.act(ann.tap())
            station.until(lambda: station.at.state is State.GUIDED, "the guide")
            station.act(ann.tap())
            link.incoming.append(Hand("T01", 3))
            station.run(4)
            station.act(ann.hold(2))
            link.incoming.append(Hand("T02", -1))
            station.run(3)
        shown.append(strip(link))
    assert [square["turned"] for square in shown[0][-1]["squares"]] == [3.0, -1.0]
    assert shown[0] == shown[1]


def test_dials_count_from_where_they_stood_when_the_game_began(tmp_path: Path) -> None:
    opened, link = in_memory()
    with visited(tmp_path, opened, link) as station:
        station.run(2)
        link.incoming.append(Hand("T02", 2))
        station.until(lambda: station.at.state is State.JOINING, "a dial wakes the station")
        station.run(2)
        assert strip(link)[-1]["squares"][1]["turned"] == 2.0
        station.until(lambda: station.at.state is State.GUIDED, "the guide")
        station.run(1)
        assert strip(link)[-1]["squares"][1]["turned"] == 0.0


def test_robots_leave_when_a_person_turns_a_dial(tmp_path: Path) -> None:
    opened, link = in_memory()
    with visited(tmp_path, opened, link, pauses_s=(1.0, 1.0), idle_s=60) as station:
        robots = station.at.visitors
        station.until(lambda: any(seat.gestures.pressed for seat in station.seats), "a robot presses a button")
        assert not robots.gone
        link.incoming.append(Hand("T01", 1))
        station.step()
        assert robots.gone
        groups = robots.groups
        station.run(20)
        assert not any(seat.gestures.pressed for seat in station.seats), "they let go of the buttons"
        assert (robots.gone, robots.groups) == (True, groups), "none comes before the visit is over"


def spanish_turn(who: Visitor) -> Script:
    """Chooses Spanish, taps, and walks away from the dial."""
    yield from who.tap()
    for _ in LANGUAGES[: LANGUAGES.index("es")]:
        yield 1.0
        yield from who.tap()
    yield 5.0
    yield from who.tap()
    yield 6.0


def holds_a_number(station: Visited) -> bool:
    step = station.at.station.visit.guided.step
    return step is TurnStep.TURN and station.at.station.language == "es" and not station.at.visitors.gone


STAGES: dict[str, Callable[[Visited], bool]] = {
    "they choose a language": lambda station: station.at.station.language == "es",
    "one of them has a number to turn": holds_a_number,
    "they have walked away": lambda station: station.at.state is State.GUIDED and station.at.visitors.gone,
    "they are thanked": lambda station: station.at.state is State.THANKS,
}


@pytest.mark.parametrize("stage", STAGES)
def test_a_phone_that_comes_among_robots_is_guided_within_five_seconds_in_the_first_language(
    tmp_path: Path, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visitors, "TEMPERS", {"Spanish": GroupKind((spanish_turn,))})
    with open_port(None) as opened, visited(tmp_path, opened, pauses_s=(1.0, 1.0), idle_s=30) as station:
        at, asked = station.at, opened.address
        station.until(lambda: STAGES[stage](station), stage)
        number, before_ns = at.station.visit.number, at.now_ns()
        early = station.scan(asked)
        station.until(lambda: early.over, "the visit of the robots is over for the phone too")
        station.until(lambda: station.table(asked)["game"] == "station 1", "the page scans again")
        phone = station.scan(asked)
        station.until(lambda: station.hint(phone) == "Tap “My turn” once.", "the first step, in English")
        assert at.now_ns() - before_ns <= 5e9
        assert (at.visitors.gone, at.station.visit.number) == (True, number + 1)

        phone.tap()
        station.until(lambda: station.hint(phone) == "Something for you. Hold to see it.", "the number waits")
        phone.hold()
        station.until(lambda: phone.shown["held"], "the look")
        clicks = int(re.findall(r"[0-9]+", station.hint(phone))[0])
        phone.let_go()
        body = json.dumps({"square": "T01", "clicks": clicks}).encode()
        assert station.ask(asked, "POST", "/demo/hand", body)[0] == 204
        station.until(lambda: at.station.visit.guided.step is TurnStep.HOLD, "the dial is turned")
        station.until(lambda: station.hint(phone) == "Something for you. Hold to see it.", "the trap waits")
        phone.hold()
        station.until(lambda: phone.shown["picture"]["kind"] == "face", "the face")
        assert phone.shown["picture"]["label"] == "T01"
        assert at.station.visit.number == number + 1, "a visit of one's own goes on"
