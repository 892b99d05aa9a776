"""A simulated table whose seats have pages on this machine: in real time with hands on `/demo`, or with robots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pi_app.pages.link import Link, ProcessLink
from pi_app.play.build import Outputs
from pi_app.play.loop import Loop
from pi_app.play.phones import TablePages
from pi_app.settings.model import Settings
from pi_app.simulated.actions import TableAction, TypeLine
from pi_app.simulated.demo import Demo, Twins
from pi_app.simulated.demo_pages import DemoLink, Opened, codes_of, setup_of, shown_text
from pi_app.simulated.dial_strip import DialStrip
from pi_app.simulated.fault_option import WantedFault
from pi_app.simulated.http_phone import HttpPhone
from pi_app.simulated.robots import Robots, StoppedTableError
from pi_app.simulated.wall_clock import WallClock


class PagesDemo:
    """One table with its page process. Close it, or use it as a context manager."""

    def __init__(
        self,
        settings: Settings,
        journal: Path,
        opened: Opened,
        *,
        seed: int = 0,
        resume: bool = False,
        outputs: Outputs | None = None,
        twins: Twins | None = None,
        link: Link | None = None,
    ) -> None:
        """`link`: instead of a page process, for tests."""
        self._settings, self._opened = settings, opened
        self.codes = codes_of(opened.key, tuple(settings.seats))
        self._link = DemoLink(link or ProcessLink(setup_of(opened.address), opened.listeners))
        host = setup_of(opened.address).address
        pages = TablePages(self._link, host, self.codes)
        try:
            self._demo = Demo(
                settings,
                journal,
                seed=seed,
                resume=resume,
                outputs=outputs,
                twins=replace(twins or Twins(), pages=pages),
            )
        except BaseException:
            self._link.close()
            raise
        self._strip = DialStrip(self._demo.table, self._link)
        self._robots = False

    def __enter__(self) -> PagesDemo:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the page process, and close the table."""
        try:
            self._link.close()
        finally:
            self._demo.close()

    @property
    def loop(self) -> Loop:
        """The table's loop."""
        return self._demo.loop

    def now_ns(self) -> int:
        """Return the table's time."""
        return self._demo.table.clock.now_ns()

    @property
    def running(self) -> bool:
        """Whether the table was not stopped."""
        return self.loop.running

    def will_roll(self, die: int) -> None:
        """Let a device that rolls roll this next."""
        self._demo.planned_dice.append(die)

    def inject(self, wanted: Sequence[WantedFault]) -> None:
        """Inject these faults when they are due."""
        self._demo.inject(wanted)

    def act(self, action: TableAction) -> None:
        """Do this at the table now."""
        self._demo.act(action)

    def step(self) -> None:
        """Run one round: the hands of `/demo`, the table, and what `/demo` shows of it."""
        for turn in self._strip.take_hands():
            if not self._robots:
                self.act(turn)
        self._demo.step()
        self._strip.show(self._text)

    def play(self) -> None:
        """Run the table in real time until it is stopped."""
        self.begin_real_time()
        while self.running:
            self.step()

    def begin_real_time(self) -> None:
        """From now on the table's time is that of the wall clock."""
        self._demo.table.clock.pace = self._demo.table.clock.pace or WallClock()

    def play_with_robots(self, exposes: int, seed: int) -> Robots:
        """Let robots expose so many squares and end the game; return them. The dials are theirs: hands on `/demo` turn
        nothing. Stops early if the table is stopped. Raises PageError."""
        self._robots = True
        while not self.loop.ready and self.running:
            self.step()
        seats = tuple(self._settings.seats)
        robots = Robots(self, lambda seat: HttpPhone(self._opened.address, self.codes[seat]), seats, seed)
        try:
            robots.play(exposes)
            self.act(TypeLine("end"))
            robots.see_the_end()
        except StoppedTableError:
            pass
        finally:
            robots.close()
        return robots

    def _text(self) -> str:
        return shown_text(self._settings, self._demo.table, self.loop.session.game_id, robots=self._robots)
