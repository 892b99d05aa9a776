"""Where the table meets a page process that the service manager starts, as another user: a socket in the run folder.

The table then needs no right to open a port, and neither process can start, end or trace the other one. Only the page
process's own user is let in. What is said on the connection is the same as between parent and child (`link`).
"""

from __future__ import annotations

import contextlib
import os
import pwd
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pi_app.pages.supervisor import CONNS_A_PROCESS, SEND_BUFFER, PageProcess
from pi_app.text.errors import UserFileError

VARIABLE: Final = "TRAPDIAL_PAGES"
"""In the environment of a service: the path of the socket."""

USER: Final = "trapdial-pages"
MISSING_SECONDS: Final = 10.0
"""A page process that has not come after so long is missed."""

MISSED: Final = "no page process has come; `systemctl status trapdial-pages` says why"

_CREDENTIALS: Final = struct.Struct("=iII")
"""struct ucred: process, user, group."""


def users() -> frozenset[int]:
    """The numbers of the users that may be the page process: its own, if there is one, or else this process's."""
    with contextlib.suppress(KeyError):
        return frozenset({pwd.getpwnam(USER).pw_uid})
    return frozenset({os.geteuid()})


class Meeting:
    """Waits for page processes, and hands the newest one to the link. Its name is free for it: the run folder is this
    process's own."""

    def __init__(
        self, path: Path, allowed: frozenset[int] | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Raises UserFileError if the socket cannot be made."""
        self._path, self._allowed, self._clock = path, users() if allowed is None else allowed, clock
        self._listening: socket.socket | None = _bound(path)
        self._began, self._met = clock(), 0

    def new_channel(self) -> PageProcess | None:
        """Return the newest process that has come since the last call, if any. Never waits."""
        newest = None
        while self._listening is not None:
            try:
                connection, _ = self._listening.accept()
            except OSError:  # nobody waits, or no handle is free
                return newest
            found = self._admitted(connection)
            if found is not None and newest is not None:
                newest.socket.close()
            newest = found or newest
        return newest

    @property
    def last_words(self) -> str:
        """Why there is no page process; empty while one may still come."""
        return MISSED if self._met == 0 and self._clock() - self._began > MISSING_SECONDS else ""

    def stop_restarting(self) -> None:
        """Let no other process in."""
        if self._listening is not None:
            self._listening.close()
            self._listening = None
            self._path.unlink(missing_ok=True)

    def close(self) -> None:
        self.stop_restarting()

    def _admitted(self, connection: socket.socket) -> PageProcess | None:
        data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        process, user, _ = _CREDENTIALS.unpack(data)
        if user not in self._allowed:
            connection.close()
            return None
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        self._met += 1
        return PageProcess(connection, process, None, first=self._met * CONNS_A_PROCESS + 1)


def _bound(path: Path) -> socket.socket:
    handle = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        handle.bind(str(path))
        path.chmod(0o666)  # whoever connects is asked for its user
        handle.listen(4)
        handle.setblocking(False)
    except OSError as error:
        handle.close()
        seen = f"the socket for the page process cannot be made ({error.strerror})"
        advice = f"Let the service have its run folder, or start it without {VARIABLE}"
        raise UserFileError.at(str(path), "", seen, advice) from error
    return handle
