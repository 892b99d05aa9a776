"""One hub's cable, in a thread of its own: opens the port, runs the session, reopens the port. The only import of
pyserial.

pyserial raises SerialException (an OSError), the kernel a bare OSError, and termios raises termios.error, which is not
an OSError. A write to a hub that does not read ends after a tenth of a second; the session repeats the request.
"""

from __future__ import annotations

import contextlib
import errno
import os
import select
import termios
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Self

import serial

from firmware_host import messages, ports
from firmware_host.commands import HubReply, LinkEvent
from firmware_host.link_events import HubReport, LinkNotice, LinkState, Welcome
from firmware_host.port_owners import PortOwners
from firmware_host.requirements import HubRequirements
from firmware_host.session import OVER, HubSession
from hardware.clock import Clock

MS_NS: Final = 1_000_000
POLL_NS: Final = 250 * MS_NS
LIST_NS: Final = 1_000 * MS_NS
BUSY_NS: Final = 2_000 * MS_NS
OVER_NS: Final = 30_000 * MS_NS
WRITE_S: Final = 0.1
MOST_READ: Final = 4096
MOST_KEPT: Final = 4096
"""Most undelivered reports. Beyond that all are dropped: the hole is much longer than any gap limit."""

PORT_ERRORS: Final = (OSError, termios.error)

GONE: Final = frozenset((errno.ENOENT, errno.ENODEV, errno.ENXIO, errno.EIO, errno.ENOTDIR))
FORBIDDEN: Final = frozenset((errno.EACCES, errno.EPERM))
TAKEN: Final = frozenset((errno.EBUSY, errno.EAGAIN))


class Link:
    """A hub of the settings, on whatever port it is plugged in. Starts at once.

    `owners`: shared by all links of a table. `arrived` is called in the link's thread whenever `take` has something.
    Raises nothing for a cable, a port or a board: those are LinkNotices.
    """

    def __init__(
        self,
        required: HubRequirements,
        clock: Clock,
        *,
        owners: PortOwners | None = None,
        listed: Callable[[], Sequence[ports.SerialPort]] | None = None,
        arrived: Callable[[], None] = lambda: None,
    ) -> None:
        self.required = required
        self.session = HubSession(required, lambda: int.from_bytes(os.urandom(4)), self._claim)
        """Read-only for others; only the link's thread may change it."""
        self._clock, self._listed, self._arrived = clock, listed or ports.listed, arrived
        self._owners = owners or PortOwners()
        self._there = threading.Condition()
        self._events: deque[HubReport | LinkNotice] = deque()
        self._texts: deque[str] = deque(maxlen=100)
        self._answers: deque[HubReply] = deque()
        self._questions: deque[tuple[int, bytes]] = deque()
        self._asking = threading.Lock()
        self._retry_at_ns: dict[str, int] = {}
        self._list_at_ns = 0
        self._forbidden = ""
        self._stop = False
        self._died: BaseException | None = None
        self._wake_out, self._wake_in = os.pipe()
        os.set_blocking(self._wake_out, False)
        os.set_blocking(self._wake_in, False)
        self._thread = threading.Thread(target=self._run, name=f"hub {required.name}", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------ for others

    def take(self) -> Sequence[HubReport | LinkNotice]:
        """Events since the last call, in order. Raises the exception that ended the thread, if there is one."""
        if self._died is not None:
            raise self._died
        with self._there:
            taken = tuple(self._events)
            self._events.clear()
        return taken

    def wait(self, until_ns: int) -> bool:
        """Wait until `take` has something (or would raise), or until `until_ns`; return whether it has."""
        with self._there:
            while not self._events and self._died is None:
                left_ns = until_ns - self._clock.now_ns()
                if left_ns <= 0:
                    return False
                self._there.wait(left_ns / 1e9)
            return True

    def texts(self) -> Sequence[str]:
        """Lines of the hub's console since the last call: at most the last hundred, none with an angle in it."""
        with self._there:
            taken = tuple(self._texts)
            self._texts.clear()
        return taken

    def ask(self, kind: int, body: bytes = b"", patience_s: float = 2.0) -> HubReply:
        """Send DIAG, STATS or MAINT and wait for the reply; its body is None without an answer or a greeted hub."""
        with self._asking:
            with self._there:
                self._answers.clear()
                self._questions.append((kind, body))
            self._wake()
            with self._there:
                self._there.wait_for(lambda: self._answers or self._died is not None, patience_s)
                return self._answers.popleft() if self._answers else HubReply(kind, None)

    @property
    def state(self) -> LinkState:
        """The current state of the link."""
        return self.session.state

    @property
    def hub(self) -> Welcome | None:
        """The hub's last WELCOME."""
        return self.session.hub

    def close(self) -> None:
        """Say BYE to the hub and end the thread."""
        self._stop = True
        self._wake()
        self._thread.join(timeout=5.0)
        if not self._thread.is_alive() and self._wake_in >= 0:
            os.close(self._wake_in)
            os.close(self._wake_out)
            self._wake_in = self._wake_out = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _wake(self) -> None:
        with contextlib.suppress(OSError):  # full: the thread wakes anyway; closed: the thread has ended
            os.write(self._wake_in, b"!")

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            while not self._stop:
                path = self._find()
                if path is not None:
                    self._use(path)
                if not self._stop:
                    self._pause(POLL_NS)
        except BaseException as error:  # noqa: BLE001 - a bug must stop the table, not one thread in silence
            self._died = error
            with self._there:
                self._there.notify_all()
            self._arrived()
        finally:
            self._owners.release(self.required.name)

    def _pause(self, for_ns: int) -> None:
        waiting = select.poll()
        waiting.register(self._wake_out, select.POLLIN)
        waiting.poll(for_ns // MS_NS)
        self._awake()

    def _awake(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._wake_out, 4096)
        if not self.session.greeted:
            self._take_questions()

    def _find(self) -> str | None:
        """A port to open now. Notify if there is none."""
        required, now_ns = self.required, self._clock.now_ns()
        there = ports.candidates(required.uid, required.port, () if required.port else self._listed())
        self._retry_at_ns = {path: until_ns for path, until_ns in self._retry_at_ns.items() if path in there}
        if not there:
            self._forbidden = ""
            self._owners.release(required.name)
            if self.session.state is not LinkState.NO_PORT:
                self._notify(LinkState.NO_PORT, messages.no_port(required.name, required.uid, required.port))
        if there and self._is_twice():
            return None
        return next((path for path in there if now_ns >= self._retry_at_ns.get(path, 0)), None)

    def _use(self, path: str) -> None:
        """Open a port and run the session until there is a reason to close it."""
        name = self.required.name
        if other := self._owners.acquire(str(Path(path).resolve()), name):
            self._owners.release(name)
            self._retry_later(path, BUSY_NS)
            self._notify(LinkState.BUSY, messages.shared(name, path, other))
            return
        again = True
        while again and not self._stop:
            again = False
            port = self._open(path)
            if port is not None:
                with _closing(port, self.session):
                    again = self._talk(port, path)
        hub, disputed = self.session.hub, self.session.state is LinkState.WRONG_BOARD
        # a disputed board stays claimed until its port vanishes, so that neither hub gets it
        self._owners.release(name, but=_board(hub.uid) if disputed and hub is not None else "")

    def _open(self, path: str) -> Any:
        name = self.required.name
        try:
            port = serial.Serial(path, exclusive=True, timeout=0, write_timeout=WRITE_S)
        except PORT_ERRORS as error:
            code = _code(error)
            if code in FORBIDDEN:
                if self._forbidden == path:  # udev may be about to give a new port to its group
                    self._notify(LinkState.NO_PERMISSION, messages.no_permission(name, path))
                self._forbidden = path
            elif code in TAKEN:
                self._retry_later(path, BUSY_NS)
                self._notify(LinkState.BUSY, messages.busy(name, path))
            elif code in GONE:
                self._notify(LinkState.NO_PORT, messages.unplugged(name, path))
            else:
                self._retry_later(path, BUSY_NS)
                self._notify(LinkState.NO_PORT, messages.cannot_open(name, path, os.strerror(code)))
            return None
        self._forbidden = ""
        return port

    def _talk(self, port: Any, path: str) -> bool:
        """Run the session until the link is closed or the port fails; return whether to reopen the port."""
        session, clock = self.session, self._clock
        session.opened(path, clock.now_ns())
        waiting = select.poll()
        data = b""
        try:
            waiting.register(port.fileno(), select.POLLIN)
            waiting.register(self._wake_out, select.POLLIN)
            while not self._stop:
                now_ns = clock.now_ns()
                self._put(session.feed(data, now_ns))
                if session.state in OVER:
                    self._retry_later(path, OVER_NS)
                    return False
                if session.greeted and self._is_disputed(path):
                    return False
                if session.reopen:
                    return True
                if outgoing := session.poll(now_ns):
                    _write(port, outgoing)
                    now_ns = clock.now_ns()
                data = self._read(port, waiting, session.due_ns() - now_ns)
            _write(port, session.bye())
        except PORT_ERRORS:
            self._notify(LinkState.NO_PORT, messages.unplugged(self.required.name, path))
        return False

    def _read(self, port: Any, waiting: select.poll, for_ns: int) -> bytes:
        """Received bytes, at the latest after `for_ns`; empty if the link was woken for another reason."""
        ready = waiting.poll(min(max(0, -(-for_ns // MS_NS)), 1_000))
        data = b""
        for descriptor, _ in ready:
            if descriptor == self._wake_out:
                self._awake()
                self._take_questions()
            else:
                data = _received(port)
        return data

    def _take_questions(self) -> None:
        while self._questions:
            kind, body = self._questions.popleft()
            if self.session.greeted:
                self.session.ask(kind, body)
            else:
                self._put([HubReply(kind, None)])

    def _claim(self, uid: str) -> str:
        """Reserve a board before anything of it counts; return the name of another hub that has it, or ""."""
        return self._owners.acquire(_board(uid), self.required.name)

    def _is_disputed(self, path: str) -> bool:
        """Whether this board may be another one: another port claims to be it, and no key tells which is right."""
        required, hub = self.required, self.session.hub
        if required.key_of is not None or hub is None:
            return False
        other = self._owners.other(_board(hub.uid), required.name)
        if other:
            self._retry_later(path, BUSY_NS)
            self._notify(LinkState.WRONG_BOARD, messages.shared(required.name, path, other))
            return True
        return self._is_twice()

    def _is_twice(self) -> bool:
        """Notify if several ports claim to be the board of the settings, which has no key. Checked once a second."""
        required, now_ns = self.required, self._clock.now_ns()
        if required.port or not required.uid or required.key_of is not None or now_ns < self._list_at_ns:
            return False
        self._list_at_ns = now_ns + LIST_NS
        there = [port.path for port in self._listed() if port.uid == required.uid.lower()]
        if len(there) > 1:
            self._list_at_ns = now_ns
            self._notify(LinkState.WRONG_BOARD, messages.twice(required.name, required.uid, there))
        return len(there) > 1

    def _retry_later(self, path: str, for_ns: int) -> None:
        """Do not retry this port before `for_ns` has passed, unless it vanishes and comes back."""
        self._retry_at_ns[path] = self._clock.now_ns() + for_ns

    def _notify(self, state: LinkState, message: str) -> None:
        self._put(self.session.no_port(state, message, self._clock.now_ns()))

    def _put(self, events: Iterable[LinkEvent]) -> None:
        events = tuple(events)
        if not events:
            return
        with self._there:
            for event in events:
                if isinstance(event, HubReply):
                    self._answers.append(event)
                elif isinstance(event, str):
                    self._texts.append(event)
                else:
                    self._events.append(event)
            if len(self._events) > MOST_KEPT:
                notices = [event for event in self._events if isinstance(event, LinkNotice)]
                self._events = deque(notices[-MOST_KEPT // 2 :])
            self._there.notify_all()
        self._arrived()


@contextlib.contextmanager
def _closing(port: Any, session: HubSession) -> Iterator[None]:
    """Always close the port, and ignore the errors of a dead one. For a hub that does not read, the kernel would wait
    half a minute until it has read everything sent: discard that first."""
    try:
        yield
    finally:
        if not session.greeted:
            with contextlib.suppress(*PORT_ERRORS):
                port.reset_output_buffer()
        with contextlib.suppress(*PORT_ERRORS):
            port.close()


def _board(uid: str) -> str:
    return f"board {uid}"


def _code(error: BaseException | None) -> int:
    """The kernel's number of an error; pyserial hides some in a text and chains the first error behind it."""
    while error is not None:
        if error.args and isinstance(error.args[0], int):
            return error.args[0]
        error = error.__context__
    return errno.EIO


def _received(port: Any) -> bytes:
    """Read after the kernel reported data. This bypasses pyserial, whose read needs two more system calls; pyserial
    opens ports non-blocking."""
    if data := os.read(port.fileno(), MOST_READ):
        return data
    raise OSError(errno.EIO, "the other end is gone")


def _write(port: Any, data: bytes) -> None:
    """Send, or give up after WRITE_S: half a line does no harm, and the session repeats the request."""
    if data:
        with contextlib.suppress(serial.SerialTimeoutException):
            port.write(data)
