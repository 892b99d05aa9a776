"""A staff door behind its page process, with a clock of the test's own: whoever asks has an address."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar, cast

from pi_app.pages import page
from pi_app.pages import staff_kinds as kinds
from pi_app.pages import staff_sealing as staff
from pi_app.pages.cpace import SID_BYTES
from pi_app.pages.messages import FromProcess, Setup, StaffAnswer, StaffAsk, Unpacker, packed
from pi_app.pages.process.routes import application
from pi_app.pages.process.streams import Table
from pi_app.station.staff.door import StaffDoor, Tries

HOST = "10.77.0.1"
PIN = "271828"
STAFF = "10.77.0.200"
T = TypeVar("T")


async def idle() -> None:
    """Nothing happens."""


class SetClock(asyncio.SelectorEventLoop):
    """A loop whose time is what the test says."""

    now_s = 1_000.0

    def time(self) -> float:
        return self.now_s


class TablesEnd(asyncio.Transport):
    """Hands what the page process sends to the door, and its answers back at once."""

    def __init__(self, table: Table, answer: Callable[[bytes], bytes]) -> None:
        super().__init__()
        self._table, self._answer, self._unpacker = table, answer, Unpacker(FromProcess)

    def is_closing(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        for message in self._unpacker.feed(bytes(data)):
            if isinstance(message, StaffAsk):
                answer = StaffAnswer(message.conn, self._answer(message.body))
                asyncio.get_running_loop().call_soon(self._table.data_received, packed(answer))


class StaffWifi:
    """`door`: of the table; `asked`: how many asks reached it."""

    def __init__(self, folder: Path, loop: SetClock) -> None:
        self._loop = loop
        self.door = StaffDoor(PIN, lambda: (HOST,), Tries(folder, self.now_ns), lambda text: b"{}")
        self.asked = 0
        self.table = Table(1)
        self.table.connection_made(TablesEnd(self.table, self._answer))
        self.table.data_received(packed(Setup((HOST,), HOST)))
        built = page.built()
        self._app = application(self.table, built, built, built, built)

    @property
    def now_ns(self) -> int:
        return round(self._loop.now_s * 1e9)

    def wait(self, seconds: float) -> None:
        self._loop.now_s += seconds

    def _answer(self, body: bytes) -> bytes:
        self.asked += 1
        return self.door.answer(body, self.now_ns)

    async def ask(self, address: str, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer to one request."""
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http",
            "path": "/staff/ask", "raw_path": b"/staff/ask", "query_string": b"", "root_path": "",
            "headers": [(b"host", HOST.encode()), (b"content-length", str(len(body)).encode())],
            "client": (address, 4_000), "server": (HOST, 80),
        }  # fmt: skip
        got: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            got.append(message)

        await self._app(scope, receive, cast("Any", send))
        return got[0]["status"], b"".join(part.get("body", b"") for part in got[1:])

    async def enter(
        self, address: str, pin: str = PIN, number: str = "", meanwhile: Callable[[], Coroutine[Any, Any, None]] = idle
    ) -> bool:
        """Whether a page at this address gets in, and its first ask is answered. `meanwhile`: what happens while the
        phone computes its proof."""
        begun = staff.begin(pin, HOST, number=int(number) if number else None)
        _, first = await self.ask(address, begun.body)
        if first[:1] != bytes([kinds.SHARE]):
            return False
        proved = begun.proved(first)
        assert proved is not None
        await meanwhile()
        _, second = await self.ask(address, proved[1])
        if second[:1] != bytes([kinds.PROVE]):
            return False
        keys = proved[0].keys
        _, third = await self.ask(address, staff.seal_ask(keys, 1, b"look"))
        return staff.open_answer(keys, 1, third) == b"{}"


def in_wifi(folder: Path, work: Callable[[StaffWifi], Coroutine[Any, Any, T]]) -> T:
    """Run a test in a Wi-Fi of its own."""
    loop = SetClock()

    async def whole() -> T:
        return await work(StaffWifi(folder, loop))

    try:
        return loop.run_until_complete(whole())
    finally:
        loop.close()


class BeginsOnly:
    """Strangers who begin an exchange each time, with a new session id, and never finish one."""

    def __init__(self, wifi: StaffWifi, addresses: list[str]) -> None:
        self._wifi, self._addresses, self._number = wifi, addresses, 0
        self._begun = staff.begin("111111", HOST).body
        self.answers: list[bytes] = []

    async def ask(self, kind: int = kinds.SHARE) -> None:
        """One ask of each."""
        for address in self._addresses:
            self._number += 1
            sid = self._number.to_bytes(SID_BYTES, "big")
            body = bytes([kind]) + sid + self._begun[1 + SID_BYTES :]
            self.answers.append((await self._wifi.ask(address, body))[1])
