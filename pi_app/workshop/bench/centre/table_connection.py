"""A table's connection to a centre, one of many in one process: HTTP/1.1, kept, one request at a time."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from typing import Final

from pi_app.journal.record.presence import CHALLENGE_HEADER
from pi_app.sender.client import CentreReply

ANSWER_S: Final = 30.0
CONNECT_S: Final = 5.0


@dataclass
class ConnectionLog:
    """When connections were tried, in seconds of the monotonic clock."""

    tried_s: list[float] = field(default_factory=list)

    def most_per_second(self) -> int:
        """Return the largest number of tries within any second."""
        most, first = 0, 0
        for at, now_s in enumerate(self.tried_s):
            while self.tried_s[first] <= now_s - 1.0:
                first += 1
            most = max(most, at - first + 1)
        return most


class KeptConnection:
    """Posts to one address, and connects again when the connection was lost."""

    def __init__(self, host: str, port: int, log: ConnectionLog) -> None:
        self._host, self._port, self._log = host, port, log
        self._head = f"host: {host}:{port}\r\ncontent-type: application/octet-stream\r\n"
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: bytes) -> CentreReply:
        """Post a body. Raises OSError if no answer came."""
        try:
            if self._streams is None:
                self._log.tried_s.append(time.monotonic())
                async with asyncio.timeout(CONNECT_S):
                    self._streams = await asyncio.open_connection(self._host, self._port)
            reader, writer = self._streams
            head = f"POST /{path} HTTP/1.1\r\n{self._head}content-length: {len(body)}\r\n\r\n".encode()
            writer.writelines((head, body))
            async with asyncio.timeout(ANSWER_S):
                return await self._answer(reader)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as error:
            self.close()
            raise OSError(f"no answer: {error!r}") from error
        except BaseException:
            self.close()
            raise

    async def _answer(self, reader: asyncio.StreamReader) -> CentreReply:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("ascii").split("\r\n")
        fields = dict(line.lower().split(": ", 1) for line in head[1:] if line)
        body = await reader.readexactly(int(fields["content-length"]))
        if fields.get("connection") == "close":
            self.close()
        return CentreReply(
            int(head[0].split(" ", 2)[1]),
            body,
            fields.get("content-type", ""),
            int(fields.get("retry-after", "0")),
            fields.get(CHALLENGE_HEADER, ""),
        )

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._streams is not None:
            self._streams[1].transport.abort()
            self._streams = None
