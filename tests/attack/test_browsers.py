"""A player's phone is a real browser, while strangers in the same network attack the page process: the page joins,
shows its secret while it is held and no longer, and comes back.

Real page process with a table's own limits, network namespaces, a simulated table whose time goes as the clock does.
"""

from __future__ import annotations

import json
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from pi_app.game.trap_words import trap_name
from pi_app.pages.address import code_text
from pi_app.settings.model import Settings
from tests.pages.engines import Engine, engine
from tests.pages.namespaces import ADDRESS, Room, add_addresses, inside, room
from tests.pages.strangers import Crowd
from tests.pages.whole import WholeTable, settings
from tests.pages.wire import PORT
from tests.programs import CannotRun
from tests.twin_games import with_tables

pytestmark = pytest.mark.slow

STRANGERS = tuple(f"10.77.0.{number}" for number in range(100, 124))
"""Addresses, of which each asks up to four times a second."""

HOARDED = 200
"""Connections that one stranger opens and leaves alone."""

LONG_MS = 45_000
"""A machine with two cores runs the browser, the table and all strangers."""

STEP_NS = 20_000_000
IS_ANN = "document.getElementById('you').textContent.includes('Ann')"
GLASS = "document.getElementById('glass').innerText"


@pytest.fixture(scope="module")
def made() -> Iterator[Room]:
    try:
        with room(2) as found:
            add_addresses(found.phones[1], STRANGERS)
            yield found
    except CannotRun as reason:
        pytest.skip(str(reason))


@dataclass
class RunningTable:
    """A table that runs by the clock, wholly in a thread of its own; `do` hands it something to do there, and waits."""

    make: Callable[[], WholeTable]
    whole: WholeTable = field(init=False)
    _asked: queue.SimpleQueue[tuple[Callable[[], None], threading.Event]] = field(default_factory=queue.SimpleQueue)
    _began: threading.Event = field(default_factory=threading.Event)
    _over: threading.Event = field(default_factory=threading.Event)

    def _run(self) -> None:
        self.whole = self.make()
        try:
            self.whole.browsers = 1
            self.whole.begin()
            self._began.set()
            while not self._over.is_set():
                with suppress(queue.Empty):
                    work, done = self._asked.get_nowait()
                    work()
                    done.set()
                self.whole.link.poll()
                self.whole.go(STEP_NS)
                time.sleep(STEP_NS / 1e9)
        finally:
            self.whole.phones.clear()
            self.whole.close()

    def do(self, work: Callable[[], None]) -> None:
        done = threading.Event()
        self._asked.put((work, done))
        assert done.wait(60), "the table does nothing any more"

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        assert self._began.wait(60), "the table did not begin"
        try:
            yield
        finally:
            self._over.set()
            thread.join(60)


@contextmanager
def attacked(made: Room) -> Iterator[list[int]]:
    """Strangers who ask on and on, and one who opens connections and says nothing. The list gets how often they asked,
    at the end."""
    asked: list[int] = []
    with ExitStack() as undo:
        strangers = Crowd(made.phones[1], STRANGERS, (), "")
        with inside(strangers.namespace):
            for _ in range(HOARDED):
                idle = undo.enter_context(socket.socket())
                idle.setblocking(False)
                idle.connect_ex((ADDRESS, PORT))
        words = [sys.executable, "-m", "tests.pages.strangers"]
        crowd = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        undo.callback(crowd.kill)
        assert crowd.stdin is not None
        assert crowd.stdout is not None
        crowd.stdin.write(msgspec.json.encode(strangers) + b"\n")
        crowd.stdin.flush()
        assert crowd.stdout.readline() == b"ready\n"
        yield asked
        crowd.send_signal(signal.SIGTERM)
        asked.append(sum(json.loads(crowd.communicate(timeout=60)[0]).values()))


def a_trap(dealt: Settings) -> tuple[str, int, str]:
    """Return a square, the clicks to a trap on it, and the trap's name."""
    return next(
        (label, clicks, trap_name(face.trap))
        for label, square in dealt.squares.items()
        for clicks in range(1, 7)
        if (face := square.table.faces[clicks]).trap is not None
    )


def looks(browser: Engine, name: str) -> None:
    """A finger down shows the trap, and nothing is left when it is lifted."""
    browser.press("#hold")
    assert browser.until(f"{GLASS}.includes({json.dumps(name)})", LONG_MS), browser.text("body")
    browser.lift()
    assert browser.until(f"{GLASS} === ''", LONG_MS)
    assert name not in browser.run("return document.documentElement.outerHTML.split('<script>')[0]")


@pytest.mark.parametrize("which", ["chromium", "firefox", "webkit"])
def test_a_phones_page_stays_usable_while_strangers_attack(which: str, made: Room, tmp_path: Path) -> None:
    dealt = with_tables(settings(), 7000)
    square, clicks, name = a_trap(dealt)
    table = RunningTable(lambda: WholeTable(made, dealt, tmp_path, seed=1, demo=False))
    with table.running(), attacked(made) as asked, inside(made.phones[0]), engine(which) as browser:
        browser.go(f"http://{ADDRESS}/#{code_text(table.whole.codes['ANN'])}")
        assert browser.until(IS_ANN, LONG_MS), browser.text("body")
        browser.tap("#tap")
        assert browser.until("document.getElementById('tap').className === 'on'", LONG_MS)
        table.do(lambda: table.whole.turn(square, clicks))
        looks(browser, name)
        browser.reload()
        assert browser.until(IS_ANN, LONG_MS), "the page did not come back"
        looks(browser, name)
    assert asked[0] > 50
