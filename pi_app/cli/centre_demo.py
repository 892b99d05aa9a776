"""`trapdial centre demo`: a centre and simulated tables that hand over to it, on this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.centre_options import refusing_in_words
from pi_app.cli.printing import echo, echo_lines, is_terminal
from pi_app.text.language import count_entries, count_of

if TYPE_CHECKING:
    import socket

    from pi_app.centre.service.app import CentreApp
    from pi_app.centre.service.centre import Centre
    from pi_app.centre.settings import CentreSettings
    from pi_app.centre.store.store import CentreStore
    from pi_app.cli.stopping import Request
    from pi_app.journal.record.notes import VerifierKey
    from pi_app.sender.sender import RecordSender
    from pi_app.settings.model import Settings
    from pi_app.simulated.fleet import FleetMember, FleetPlan

WELCOME: Final = (
    "SIMULATED: {tables} in play on this machine. No real dial is read: chips, hands and clocks are simulated. "
    "Their journals, keys and hand-overs, and the centre and its database are real, and are deleted at the end."
)
POSTGRES: Final = "The database: a PostgreSQL of its own, in a temporary folder."
SQLITE: Final = "The database: SQLite. {why}"
NO_POSTGRES: Final = "No PostgreSQL is installed here, which a centre of many tables uses (apt install postgresql)."
ODD: Final = {
    "worn": "the dial of its first square rests between two clicks after each turn",
    "silent": "it was last seen 40 minutes ago",
    "cloned": "its memory card is copied, and both copies play on with the same keys",
    "no clock": "its clock was never set: it believes that this is 1970",
}
OPEN: Final = "Open this in a browser on this machine, as its auditor:"
FILES: Final = "While it runs, ask from another terminal what stands out, and what one table's record proves:"
HAND_OVER: Final = "{name} of {shop}: {entries}, cosigned."
ALL_THERE: Final = "All tables have handed over, and play on. Ctrl-C ends the demo."
OVER: Final = "SIMULATED: {tables} handed {entries} over, and the centre cosigned {times}."

FIRST_EXPOSES: Final = 5
WORN_EXPOSES: Final = 24
"""A dial is called worn when several games say so, and when it stands out from all others."""

EXPOSES: Final = 2
LOOK_EVERY: Final = 20
"""After so many turns the centre looks for findings; a centre that is no demo does so every five minutes."""
MOST_STEPS: Final = 1_000
PAUSE_S: Final = 1.0
"""Between two turns of tables that play on: the demo leaves this machine some time for others."""

LOOK_S: Final = 0.1
PORTS: Final = 20


@click.command()
@click.option("--tables", type=click.IntRange(1, 200), default=20, show_default=True, help="How many tables play.")
@click.option("--port", type=click.IntRange(1, 65_535), default=None, help="The centre's port; 8460, or the next free.")
@click.option("--sqlite", is_flag=True, help="Use SQLite, also where PostgreSQL is installed.")
@click.option("--browser/--no-browser", default=None, help="Open the page in a browser; done by itself at a terminal.")
@click.option("--auto", is_flag=True, help="End when all tables have handed over, and print what the centre knows.")
def demo(tables: int, port: int | None, sqlite: bool, browser: bool | None, auto: bool) -> None:
    """Run a centre with SIMULATED tables on this machine, and open its page.

    Each table plays games on simulated dials and hands its journal over. Four of them are odd: one dial is worn, one
    table is silent, one memory card was copied, and one clock was never set. A temporary PostgreSQL keeps the entries,
    or SQLite where none is installed. Nothing is left behind.
    """
    import sys

    from pi_app.cli.stopping import requesting
    from pi_app.simulated.fleet import fleet_plans

    plans = fleet_plans(tables)
    with contextlib.ExitStack() as closing:
        request = closing.enter_context(requesting())
        closing.enter_context(refusing_in_words())
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="trapdial-centre-")))
        echo(WELCOME.format(tables=count_of(tables, "table")))
        store = closing.enter_context(_database(folder, sqlite=sqlite))
        hall = closing.enter_context(_served(folder / "centre", store, port, plain=auto))
        fleet = DemoFleet(folder / "tables", hall, request)
        closing.callback(fleet.close)
        for plan in plans:
            if plan.oddity:
                echo(f"{plan.name} of {plan.shop} is odd: {ODD[plan.oddity]}.")
        echo_lines(["", OPEN, f"  {hall.page}", ""])
        if not auto:
            echo_lines([FILES, *_questions(hall, fleet.folder), ""])
        fleet.come([each for each in plans if each.oddity == "silent"], hall.clock, ago_s=SILENT_S)
        if browser if browser is not None else (not auto and is_terminal(sys.stdout)):
            _open_page(hall.page)
        fleet.come([each for each in plans if each.oddity != "silent"], hall.clock)
        fleet.copy_card()
        hall.look()
        if request.number is None:
            echo_lines(_known(hall) if auto else [ALL_THERE])
        while request.number is None and not auto:
            fleet.play_on()
        counts = hall.centre.counts
        told = {"tables": count_of(fleet.tables, "table"), "entries": count_entries(counts.entries)}
        echo(OVER.format(**told, times=count_of(counts.cosignatures, "time")))


SILENT_S: Final = 2_400.0


def _open_page(address: str) -> None:
    import webbrowser

    with contextlib.suppress(webbrowser.Error):
        webbrowser.open(address)


# ---------------------------------------------------------------------------------------------------------- the centre


@dataclass
class DemoClock:
    """The centre's clock, which can be behind for a while."""

    behind_s: float = 0.0

    def __call__(self) -> float:
        return time.time() - self.behind_s


@dataclass(frozen=True)
class DemoHall:
    """A centre that serves in a thread. `page`: the address of its auditor's page."""

    settings: CentreSettings
    centre: Centre
    key: VerifierKey
    store: CentreStore
    clock: DemoClock
    page: str

    def look(self) -> None:
        """Learn from all entries and look for findings now, instead of by and by."""
        from pi_app.centre.findings.watching import FleetWatch

        watch = FleetWatch(self.store, self.clock)
        while watch.step():
            pass


@contextlib.contextmanager
def _database(folder: Path, *, sqlite: bool) -> Iterator[str]:
    """Yield what the centre's settings have as `store`, and say which database it is."""
    from pi_app.centre.store.cluster import cluster, programs
    from pi_app.centre.store.store import StoreError

    with contextlib.ExitStack() as closing:
        why = "It was asked for." if sqlite else NO_POSTGRES
        if not sqlite and programs() is not None:
            try:
                import pi_app.centre.store.postgres  # noqa: F401 - only whether its library is there

                here = closing.enter_context(cluster({"fsync": "off"}))
            except ImportError:
                why = "psycopg, which reaches PostgreSQL, is not installed: trapdial extras install centre"
            except StoreError as error:
                why = str(error)
            else:
                echo(POSTGRES)
                yield here.url
                return
        echo(SQLITE.format(why=why))
        yield "centre.db"


@contextlib.contextmanager
def _served(folder: Path, store: str, port: int | None, *, plain: bool) -> Iterator[DemoHall]:
    """Make a centre and serve it in a thread. Raises UserFileError if the port is taken."""
    from pi_app.centre.key_file import read_key
    from pi_app.centre.making import make_centre
    from pi_app.centre.put_together import open_stores, put_together
    from pi_app.centre.readers_file import add_reader
    from pi_app.centre.roles import new_token, token_hash
    from pi_app.centre.service.process import log_briefly, status_line
    from pi_app.centre.settings import ReaderSettings, load

    log_briefly()
    with contextlib.ExitStack() as closing:
        listening = closing.enter_context(contextlib.closing(_port(port)))
        listen = f"127.0.0.1:{listening.getsockname()[1]}"
        made, _ = make_centre(folder, "demo.invalid/centre", listen, store)
        token = new_token()
        add_reader(made.where, ReaderSettings(name="Auditor", role="auditor", token_sha256=token_hash(token)))
        settings = load(made.where)
        stores = closing.enter_context(contextlib.closing(open_stores(settings)))
        key, clock = read_key(settings.beside(settings.key), settings.name), DemoClock()
        said = (lambda line: None) if plain else echo
        centre, app = put_together(settings, key, stores, clock, said)
        closing.enter_context(_thread(settings, app, listening, lambda: status_line(centre, "the start")))
        yield DemoHall(settings, centre, key.verifier, stores.pages, clock, f"{settings.url}enter#{token}")


def _port(wanted: int | None) -> socket.socket:
    """Open the wanted port, or the first free one. Raises UserFileError."""
    from pi_app.centre.service.serving import listening
    from pi_app.text.errors import UserFileError

    first = 8460 if wanted is None else wanted
    for port in range(first, first + (PORTS if wanted is None else 1)):
        with contextlib.suppress(OSError):
            return listening("127.0.0.1", port)
    seen = f"port {first} is taken" if wanted is not None else f"ports {first} to {first + PORTS - 1} are taken"
    raise UserFileError.at("--port", "", seen, "Name another port")


@contextlib.contextmanager
def _thread(settings: CentreSettings, app: CentreApp, port: socket.socket, line: Callable[[], str]) -> Iterator[None]:
    from hardware.notify import Notify
    from pi_app.centre.service.process import serve

    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []
    ready = threading.Event()

    async def serving() -> None:
        stopped = asyncio.Event()
        loops.append((asyncio.get_running_loop(), stopped))
        ready.set()
        await serve(settings, app, port, stopped, Notify(), line)

    thread = threading.Thread(target=lambda: asyncio.run(serving()), name="centre")
    thread.start()
    ready.wait()
    try:
        yield
    finally:
        loop, stopped = loops[0]
        loop.call_soon_threadsafe(stopped.set)
        thread.join()


def _questions(hall: DemoHall, tables: Path) -> list[str]:
    """Commands to type beside the demo."""
    findings = f"  trapdial centre findings -s {hall.settings.where}"
    return [findings, f"  trapdial journal verify {tables / 'table-1' / 'journal.db'}"]


def _known(hall: DemoHall) -> list[str]:
    """What the centre knows of each table, as an auditor reads it."""
    from pi_app.centre.findings.tables import table_rows

    rows = table_rows(hall.store, int(hall.clock()))
    return [f"{each.name} of {each.shop}: {'; '.join(each.words)}." for each in rows]


# ---------------------------------------------------------------------------------------------------------- the tables


@dataclass
class DemoFleet:
    """The tables that play and hand over, one after the other."""

    folder: Path
    hall: DemoHall
    request: Request
    opened: list[FleetMember] = field(default_factory=list)
    members: list[tuple[FleetMember, RecordSender]] = field(default_factory=list)
    _next: int = 0

    def come(self, plans: list[FleetPlan], clock: DemoClock, ago_s: float = 0.0) -> None:
        """Let tables play, enrol and hand over for the first time; `ago_s`: so long ago by the centre's clock."""
        from pi_app.simulated.fleet import FleetMember

        settings = self._settings()
        for plan in plans:
            if self.request.number is not None:
                return
            clock.behind_s = ago_s
            member = FleetMember(self.folder / f"table-{plan.number}", plan, settings, plan.number)
            self.opened.append(member)
            member.play(WORN_EXPOSES if plan.oddity == "worn" else FIRST_EXPOSES)
            self._add(member)
            self._enrol(member)
            size = _hand_over(self.members[-1][1])
            clock.behind_s = 0.0
            echo(HAND_OVER.format(name=plan.name, shop=plan.shop, entries=count_entries(size)))

    def copy_card(self) -> None:
        """Copy the memory card of a table; it and the copy play on and hand over."""
        for member, sender in list(self.members):
            if member.plan.oddity == "cloned" and self.request.number is None:
                copy = member.copied(self.folder / "copy", self._settings())
                self.opened.append(copy)
                self._add(copy)
                for each in (member, copy):
                    each.play(EXPOSES)
                _hand_over(sender)
                _hand_over(self.members[-1][1])

    def play_on(self) -> None:
        """Let the next table play a little and hand over; then wait a little."""
        playing = [each for each in self.members if each[0].plan.oddity != "silent"]
        odd = [each for each in playing if each[0].plan.oddity == "worn"]
        self._next += 1
        turn = odd if odd and self._next % 3 == 0 else playing
        member, sender = turn[self._next % len(turn)]
        member.play(EXPOSES)
        _hand_over(sender)
        if self._next % LOOK_EVERY == 0:
            self.hall.look()
        until_s = time.monotonic() + PAUSE_S
        while self.request.number is None and time.monotonic() < until_s:
            time.sleep(LOOK_S)

    @property
    def tables(self) -> int:
        """How many tables have handed over; a copy of one does not count."""
        return len({member.plan.number for member, _ in self.members})

    def close(self) -> None:
        """Close all tables."""
        for member in self.opened:
            member.close()

    def _add(self, member: FleetMember) -> None:
        from pi_app.sender.client import HttpClient

        self.members.append((member, member.sender(HttpClient(self.hall.settings.url), self.hall.key)))

    def _enrol(self, member: FleetMember) -> None:
        """Enrol a table with a code, as a person would."""
        from pi_app.centre.enrolment import VALID_S, code_hash, new_code
        from pi_app.sender.by_hand import enrol
        from pi_app.sender.client import HttpClient

        code, until_s = new_code(), int(self.hall.clock()) + VALID_S
        self.hall.store.add_code(code_hash(code), member.plan.name, member.plan.shop, until_s)
        enrol(code, member.key, self.hall.key, HttpClient(self.hall.settings.url))

    def _settings(self) -> Settings:
        from pi_app.settings import load as settings

        return settings.load(settings.example_path("2x2"))


def _hand_over(sender: RecordSender) -> int:
    """Hand over until there is nothing more, or something is in the way. Return how many entries are cosigned."""
    from pi_app.sender.sender import IDLE_S

    size = 0
    for _ in range(MOST_STEPS):
        step = sender.step()
        size = step.size
        if step.trouble is not None or step.why or step.pause_s == IDLE_S:
            break
    return size
