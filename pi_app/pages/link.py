"""The table's side of the link to the page process: messages both ways, and a process that is started again.

The table's loop calls `take` and `send` once a round; neither waits, whatever the page process does. A thread of its
own starts the process, and starts it again with a growing pause when it ends. Of frames, of what the demo shows, of
public states and of a station's status only the newest waits: each holds the whole state, so a dropped one costs
nothing.
"""

from __future__ import annotations

import contextlib
import select
import socket
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, Protocol

import msgspec

from pi_app.pages.messages import (
    MOST_FROM_PAGES,
    BadMessageError,
    Confined,
    DemoShown,
    Frames,
    FromPages,
    FromProcess,
    Knock,
    Left,
    NamedGame,
    Public,
    Refused,
    SentStatus,
    Setup,
    Stop,
    ToPages,
    Unpacker,
    packed,
)
from pi_app.pages.supervisor import PageProcess, PageSource, Supervisor
from pi_app.text.language import N_

MOST_A_ROUND: Final = 16
"""So many messages are taken in one round of the loop."""

MOST_WAITING: Final = 512
"""So many short messages wait for the page process at most; more means that it does not read, and it is replaced."""

MOST_CONNS: Final = 256
"""More streams than the page process keeps open; a process that names more is broken, and is replaced."""

SILENT_SECONDS: Final = 30.0
"""A process that has sent nothing for so long is replaced: it sends its counts every second."""

CLOSING_SECONDS: Final = 1.0

STOPPED: Final = N_("The page process stopped. It starts again on its own; phones come back without a new scan.")
SILENT: Final = N_("The page process does not answer, so it was stopped. It starts again on its own.")

_READ: Final = 16_384
_LARGE: Final = (Frames, DemoShown, Public, SentStatus)
"""Of each of these, only the newest waits."""

_KEPT: Final = (DemoShown, Public, SentStatus)
"""These are for whichever process reads them."""


class PagesLink(Protocol):
    """What the table knows of the page process."""

    @property
    def trouble(self) -> str | None:
        """What is wrong with the page process, as a sentence for the referee that the caller translates; or None."""

    def take(self) -> Sequence[FromPages]:
        """Return what came since the last round, at most `MOST_A_ROUND` messages. Never waits."""

    def send(self, message: ToPages) -> None:
        """Send a message, now or in a later round. Never waits, and never fails."""

    def close(self) -> None:
        """End the page process and close its port."""


Link = PagesLink


class MemoryLink:
    """A link without a process, for tests and twin games: `incoming` is what the phones send, `sent` what they get."""

    def __init__(self, incoming: Iterable[FromPages] = ()) -> None:
        self.incoming: deque[FromPages] = deque(incoming)
        self.sent: deque[ToPages] = deque()
        self.trouble: str | None = None
        self.closed = False

    def take(self) -> Sequence[FromPages]:
        return [self.incoming.popleft() for _ in range(min(MOST_A_ROUND, len(self.incoming)))]

    def send(self, message: ToPages) -> None:
        self.sent.append(message)

    def close(self) -> None:
        self.closed = True


class ProcessLink:
    """A link to a page process of its own, which serves the phones on sockets that this process has opened."""

    def __init__(
        self,
        setup: Setup,
        listeners: Sequence[socket.socket],
        *,
        clock: Callable[[], float] = time.monotonic,
        command: Sequence[str] | None = None,
        source: PageSource | None = None,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        """`listeners`: from `listening.listen`; this link closes them. `command`: another program, for tests.
        `source`: where processes come from if this link does not start them. `silent_seconds`: as SILENT_SECONDS."""
        self._setup = setup
        self._clock = clock
        self._channel: PageProcess | None = None
        self._unpacker = Unpacker(FromProcess, MOST_FROM_PAGES)
        self._waiting: deque[ToPages] = deque()
        self._begun = memoryview(b"")
        self._conns: set[int] = set()
        self._gone: deque[FromPages] = deque()
        self._heard = 0.0
        self._trouble: str | None = None
        self.confined = Confined()
        self._silent_seconds = silent_seconds
        self._supervisor: PageSource = source or Supervisor(listeners, command)

    @property
    def trouble(self) -> str | None:
        return self._trouble

    @property
    def answered_ns(self) -> int | None:
        """When the page process sent something last, on this machine's monotonic clock; None while there is none."""
        return round(self._heard * 1e9) if self._channel is not None else None

    @property
    def process_id(self) -> int | None:
        """The number of the page process that runs now, for `doctor` and tests."""
        return self._channel.process_id if self._channel else None

    @property
    def last_words(self) -> str:
        """The last line of the page process's standard error before it ended, for a person who mends it."""
        return self._supervisor.last_words

    # ------------------------------------------------------------------------------------------------ taking

    def take(self) -> Sequence[FromPages]:
        self._change_channels()
        taken: list[FromPages] = []
        while self._gone and len(taken) < MOST_A_ROUND:
            taken.append(self._gone.popleft())
        if self._channel is not None:
            try:
                self._read(self._channel, taken)
            except (BadMessageError, OSError):
                self._lose(STOPPED)
        elif self._supervisor.last_words and self._trouble is None:
            self._trouble = STOPPED
        self._flush()
        return taken

    def _read(self, channel: PageProcess, taken: list[FromPages]) -> None:
        data = b""
        while len(taken) < MOST_A_ROUND:
            for message in self._unpacker.feed(data):
                if isinstance(message, Confined):
                    self.confined = message
                    continue
                self._note(message)
                taken.append(message)
                if len(taken) >= MOST_A_ROUND:
                    break
            else:
                try:
                    data = channel.socket.recv(_READ)
                except BlockingIOError:
                    break
                if not data:
                    raise BadMessageError("the end")
                self._heard = self._clock()
                self._trouble = None
        if self._clock() - self._heard > self._silent_seconds:
            channel.kill()
            self._lose(SILENT)

    def _note(self, message: FromPages) -> None:
        if isinstance(message, Knock):
            self._conns.add(message.conn)
            if len(self._conns) > MOST_CONNS:
                raise BadMessageError("too many streams")
        elif isinstance(message, Left):
            self._conns.discard(message.conn)

    # ----------------------------------------------------------------------------------------------- sending

    def send(self, message: ToPages) -> None:
        self._change_channels()
        if isinstance(message, Setup):
            self._setup = message
        if isinstance(message, NamedGame):
            self._setup = msgspec.structs.replace(self._setup, game=message.game)
        if isinstance(message, Refused):
            self._conns.discard(message.conn)
        if isinstance(message, _LARGE):
            self._drop_older(type(message))
        if self._channel is None and not isinstance(message, _KEPT):
            return  # the streams that it is about have ended with their process
        self._waiting.append(message)
        self._flush()
        if len(self._waiting) > MOST_WAITING and self._channel is not None:
            self._channel.kill()
            self._lose(SILENT)

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts that the page process serves now."""
        return self._setup.hosts

    def readdress(self, hosts: tuple[str, ...], address: str) -> None:
        """Serve other hosts from now on: this machine has another address."""
        if (hosts, address) != (self._setup.hosts, self._setup.address):
            self.send(msgspec.structs.replace(self._setup, hosts=hosts, address=address))

    def _drop_older(self, kind: type[Frames | DemoShown | Public | SentStatus]) -> None:
        if any(isinstance(each, kind) for each in self._waiting):
            self._waiting = deque(each for each in self._waiting if not isinstance(each, kind))

    def _flush(self) -> None:
        """Write as much as the page process takes now."""
        channel = self._channel
        try:
            while channel is not None and (self._begun or self._waiting):
                if not self._begun:
                    self._begun = memoryview(packed(self._waiting.popleft()))
                self._begun = self._begun[channel.socket.send(self._begun) :]
        except BlockingIOError:
            return
        except OSError:
            self._lose(STOPPED)

    # ---------------------------------------------------------------------------------------------- channels

    def _change_channels(self) -> None:
        """Go over to the process that the supervisor has started, if there is a new one."""
        new = self._supervisor.new_channel()
        if new is None:
            return
        if self._channel is not None:
            self._lose(STOPPED)
        self._channel = new
        self._heard = self._clock()
        self._unpacker = Unpacker(FromProcess, MOST_FROM_PAGES)
        self._begun = memoryview(packed(msgspec.structs.replace(self._setup, first=new.first)))

    def _lose(self, why: str) -> None:
        """The process is gone or is not to be trusted: all its streams are over."""
        if self._channel is not None:
            self._channel.socket.close()  # the process ends when it sees this
            self._channel = None
        self._trouble = why
        self._begun = memoryview(b"")
        self._waiting = deque(each for each in self._waiting if isinstance(each, _KEPT))
        self._gone.extend(Left(conn) for conn in sorted(self._conns))
        self._conns.clear()

    def close(self) -> None:
        """End the page process, after what still waits has been written. This alone may take a second or two."""
        self._supervisor.stop_restarting()
        self._change_channels()
        self.send(Stop())
        until = time.monotonic() + CLOSING_SECONDS
        while self._channel is not None and (self._begun or self._waiting) and time.monotonic() < until:
            with contextlib.suppress(OSError):
                select.select([], [self._channel.socket], [], 0.1)
            self._flush()
        self._supervisor.close()
        if self._channel is not None:
            self._channel.socket.close()
            self._channel = None
