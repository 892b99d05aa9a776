"""An answer's head leaves with its body: the page fits the ten segments that TCP sends at first."""

from __future__ import annotations

import asyncio
from typing import cast

from pi_app.pages.process.protocol import HeadWithBody


class Wire:
    """Notes each write, and whether it was closed."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closed = False

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def close(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


HEAD = b"HTTP/1.1 200 OK\r\n\r\n"


def made() -> tuple[Wire, HeadWithBody]:
    wire = Wire()
    return wire, HeadWithBody(cast("asyncio.Transport", wire))


def test_a_head_waits_for_its_body_and_every_later_write_goes_out_alone() -> None:
    wire, transport = made()
    transport.write(HEAD)
    assert wire.written == []
    for part in (b"body", b"frame 1", b"frame 2", b""):
        transport.write(part)
    assert wire.written == [HEAD + b"body", b"frame 1", b"frame 2"]


def test_a_head_without_a_body_goes_out_with_the_empty_one() -> None:
    wire, transport = made()
    transport.write(HEAD)
    transport.write(b"")
    assert wire.written == [HEAD]


def test_nothing_is_kept_at_the_close_and_the_rest_is_the_transports_own() -> None:
    wire, transport = made()
    transport.write(HEAD)
    assert not transport.is_closing()
    transport.close()
    assert wire.written == [HEAD]
    assert wire.closed
