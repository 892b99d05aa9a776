"""The public feed: a Unix socket on which the station writes its public state to whoever listens, as lines of JSON.

Each line is a public state with its scene: what a display draws. The writer never waits: a reader that does not keep up
is dropped, and may come back. The reader never waits either.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from pi_app.pages.messages import Public
from pi_app.station.public.scene import PublicScene, scene
from pi_app.station.public.state import MOST_BYTES, PublicState, encoded

NAME: Final = "public.sock"
MODE: Final = 0o660
RUNTIME: Final = Path("/run/trapdial")
MOST_READERS: Final = 8
EVERY_NS: Final = 900_000_000
"""A state that stays the same is written again after so long: the station shows one at least every second."""

SILENT_NS: Final = 5_000_000_000
"""A reader that got nothing for so long has lost the table."""

RETRY_NS: Final = 1_000_000_000
_READ: Final = 65_536
TOO_LONG: Final = f"a line is longer than {MOST_BYTES} bytes"


def feed_path(environment: Mapping[str, str], journal: Path) -> Path:
    """Where the feed's socket is: in the service's runtime folder, in /run/trapdial if there is one, else beside the
    journal."""
    given = environment.get("RUNTIME_DIRECTORY", "").split(":")[0]
    if given:
        return Path(given) / NAME
    return (RUNTIME if os.access(RUNTIME, os.W_OK) else journal.parent) / NAME


def line_of(state: PublicState) -> bytes:
    """A public state with its scene, as one line of JSON with its line feed. `public.decoded` reads the state from
    it, and `scene_of` the scene."""
    return b"%s,%s}\n" % (encoded(state).rstrip()[:-1], _encode(_Scened(scene(state)))[1:-1])


class _Scened(msgspec.Struct):
    scene: PublicScene


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(_Scened).decode


def scene_of(line: bytes) -> PublicScene:
    """Return the scene of a line. Raises ValueError if it holds none."""
    if len(line) > MOST_BYTES:
        raise ValueError(f"a line of {len(line)} bytes is longer than {MOST_BYTES}")
    try:
        return _decode(line).scene
    except msgspec.MsgspecError as error:
        raise ValueError(f"no scene: {error}") from error


# ---------------------------------------------------------------------------------------------------- the writer


class PublicFeed:
    """Shows public states to everybody: on the socket, and to the page process."""

    def __init__(self, path: Path | None, pages: Callable[[Public], None] | None = None) -> None:
        """`path`: of the socket, or None for none. `pages`: sends a message to the page process.

        A socket that cannot be opened is no reason to stop a table: `trouble` then says why, and nobody listens."""
        self.trouble = ""
        self._path, self._pages = path, pages
        self._listener: socket.socket | None = None
        self._readers: list[socket.socket] = []
        self._state: PublicState | None = None
        self._line = b""
        self._sent_ns = 0
        if path is not None:
            self._listen(path)

    def _listen(self, path: Path) -> None:
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            os.fchmod(listener.fileno(), MODE)  # before `bind`: nobody else can connect in between
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
            listener.bind(os.fspath(path))
            path.chmod(MODE)
            listener.listen(MOST_READERS)
        except OSError as error:
            listener.close()
            why = TOO_LONG_PATH if error.errno is None else error.strerror
            self.trouble = f"{path}: the public feed cannot be opened ({why}); displays on this machine stay dark."
            return
        self._listener = listener

    def show(self, state: PublicState, now_ns: int) -> None:
        """Write this state if it is another one than before, and at least every second. Never waits, never fails."""
        unnumbered = msgspec.structs.replace(state, seq=0)
        changed = unnumbered != self._state
        if changed:
            self._state, self._line = unnumbered, line_of(state)
        due = changed or now_ns - self._sent_ns >= EVERY_NS
        self._write(self._accepted() if not due else [*self._readers, *self._accepted()])
        if due:
            self._sent_ns = now_ns
            if self._pages is not None:
                self._pages(Public(self._line))

    def _accepted(self) -> list[socket.socket]:
        """Take in those who have come since; one too many is turned away."""
        new: list[socket.socket] = []
        while self._listener is not None:
            try:
                reader, _ = self._listener.accept()
            except OSError:
                break
            reader.setblocking(False)
            if len(self._readers) >= MOST_READERS:
                reader.close()
                continue
            self._readers.append(reader)
            new.append(reader)
        return new

    def _write(self, readers: list[socket.socket]) -> None:
        for reader in readers:
            try:
                whole = reader.send(self._line) == len(self._line)
            except OSError:
                whole = False
            if not whole and reader in self._readers:
                self._readers.remove(reader)
                reader.close()

    @property
    def readers(self) -> int:
        """How many listen now."""
        return len(self._readers)

    def close(self) -> None:
        """End the feed and take its socket away."""
        for each in (*self._readers, *filter(None, [self._listener])):
            each.close()
        if self._listener is not None and self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink()
        self._readers, self._listener = [], None


# ---------------------------------------------------------------------------------------------------- the reader


class FeedReader:
    """Reads the newest scene of a feed, and reconnects after it was gone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._socket: socket.socket | None = None
        self._waiting = b""
        self._tried_ns: int | None = None
        self._heard_ns: int | None = None
        self.scene: PublicScene | None = None
        """The newest one; it stays while the feed is gone."""
        self.why = ""
        """Why the feed cannot be read, for a person who sets it up."""

    def read(self, now_ns: int) -> bool:
        """Take what has come; return whether there is a new scene. Never waits, never fails."""
        self._heard_ns = now_ns if self._heard_ns is None else self._heard_ns
        self._connect(now_ns)
        if self._socket is None:
            return False
        try:
            data = self._socket.recv(_READ)
            while data and len(self._waiting) <= MOST_BYTES:
                self._waiting += data
                data = self._socket.recv(_READ)
            return self._lose(TOO_LONG if data else "the station has closed it")
        except BlockingIOError:
            return self._lose(TOO_LONG) if len(self._waiting) > 4 * MOST_BYTES else self._taken(now_ns)
        except OSError as error:
            return self._lose(error.strerror or str(error))

    def _taken(self, now_ns: int) -> bool:
        *lines, self._waiting = self._waiting.split(b"\n")
        if not lines:
            return False
        try:
            new = scene_of(lines[-1])
        except ValueError as error:
            return self._lose(str(error))
        self._heard_ns, self.why = now_ns, ""
        changed, self.scene = new != self.scene, new
        return changed

    def _connect(self, now_ns: int) -> None:
        early = self._tried_ns is not None and now_ns - self._tried_ns < RETRY_NS
        if self._socket is not None or early:
            return
        self._tried_ns = now_ns
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        try:
            made.connect(os.fspath(self._path))
        except OSError as error:
            made.close()
            self.why = f"{self._path}: {_why(error)}"
            return
        self._socket, self._waiting = made, b""

    def _lose(self, why: str) -> bool:
        if self._socket is not None:
            self._socket.close()
        self._socket, self._waiting, self.why = None, b"", why
        return False

    def lost(self, now_ns: int) -> bool:
        """Whether the table has said nothing for a while, since the last line or since the first `read`."""
        return self._heard_ns is not None and now_ns - self._heard_ns >= SILENT_NS

    def close(self) -> None:
        self._lose("")


def _why(error: OSError) -> str:
    """Why a socket cannot be reached. Python raises an error without a number for a path that is too long."""
    return TOO_LONG_PATH if error.errno is None else _WHY.get(error.errno, error.strerror or str(error))


TOO_LONG_PATH: Final = "the path is too long for a socket"
_WHY: Final = {
    errno.ENOENT: "no station has opened it",
    errno.ECONNREFUSED: "no station listens there",
    errno.EACCES: "permission denied: run the display as the station's user or in its group",
}
