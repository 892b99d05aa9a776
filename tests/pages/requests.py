"""Mutated requests against the page process: `python -m tests.pages.requests --count 100000`.

Every request has to end in one clear line of a known refusal, an ordinary answer, or a closed connection. Two phones
keep their streams open meanwhile and must get every frame that the table sends, in its order; the process must write
nothing to its standard error and must not grow.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.pages.link import ProcessLink
from pi_app.pages.listening import listen, port_of
from pi_app.pages.messages import Admitted, Frames, Knock, Refused, Setup
from pi_app.pages.process.answers import LINES, PROBES

PATHS: Final = ("/", "/join", "/stream", "/up", "/status.json", "/demo", "/demo/table", "/demo/hand", "/favicon.ico",
                "/..%2f", "/%00", "//", "/join?x=1", "/up/", "*", "http://evil.example/", *sorted(PROBES))  # fmt: skip
METHODS: Final = ("GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "A" * 300, "")
HOSTS: Final = ("HOST", "localhost", "evil.example", "", "HOST, evil.example", "a" * 3_000, "captive.apple.com", "\xff")
EXTRA: Final = ("Transfer-Encoding: chunked", "Transfer-Encoding: identity, chunked", "Content-Length: 128",
                "Content-Length: 0", "Content-Length: -1", "Content-Length: 128, 128", "Content-Length : 128",
                "Expect: 100-continue", "Upgrade: websocket", "Connection: upgrade, keep-alive", "X: " + "b" * 9_000,
                " folded: yes", "Accept-Encoding: gzip", "Range: bytes=0-5", "Cookie: seat=ANN", "Host: evil.example",
                "Content-Type: application/json", "X\x00: y", ": empty", "no colon", "Origin: null")  # fmt: skip
VERSIONS: Final = (*("1.1",) * 15, "1.0", "2.0", "9")
ENDS: Final = (b"\r\n", b"\r\n", b"\r\n", b"\n", b"\r", b"\r\n\r\n")
ANSWER_SECONDS: Final = 30.0
WITHOUT_ANSWER_SECONDS: Final = 0.3
"""A request that is not whole gets no answer before the process gives up on it."""

REFUSALS: Final = re.compile(
    "|".join(re.escape(words) for words in LINES.values())
    + r"|This table's page has another address\. Open \S+ or scan .*"
)


def mutated(draw: random.Random, host: str) -> bytes:
    """One request: a good one with up to four things wrong, or rubbish."""
    kind = draw.random()
    if kind < 0.05:
        return draw.randbytes(draw.randrange(1, 400))
    path = draw.choice(PATHS[:8]) if draw.random() < 0.7 else draw.choice(PATHS)
    method = draw.choice(METHODS[:2]) if draw.random() < 0.8 else draw.choice(METHODS)
    size = draw.choice((128, 128, 128, 0, 1, 127, 129, 5_000))
    named = draw.choice(HOSTS) if draw.random() < 0.2 else "HOST"
    lines = [f"{method} {path} HTTP/{draw.choice(VERSIONS)}", f"Host: {named}"]
    if method == "POST" or draw.random() < 0.1:
        lines.append(f"Content-Length: {size if draw.random() < 0.9 else draw.randrange(10**6)}")
    for _ in range(draw.choice((0, 0, 0, 1, 2, 4))):
        lines.insert(draw.randrange(1, len(lines) + 1), draw.choice(EXTRA))
    end = draw.choice(ENDS) if draw.random() < 0.1 else b"\r\n"
    text = end.join(line.replace("HOST", host).encode("latin-1") for line in (*lines, "", ""))
    data = text + (draw.randbytes(size) if method == "POST" else b"")
    for _ in range(draw.choice((0, 0, 0, 1, 3))):
        place = draw.randrange(len(data))
        data = data[:place] + draw.randbytes(1) + data[place + draw.randrange(2) :]
    if draw.random() < 0.1:
        data = data[: draw.randrange(1, len(data) + 1)]
    return data * draw.choice((1, 1, 1, 1, 2, 5))


def judged(answer: bytes) -> str:
    """What an answer was, `closed`, a status or `BAD ...`. Of several on one connection, the last one counts."""
    if not answer:
        return "closed"
    heads = list(re.finditer(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n", answer))
    if not heads or heads[0].start() != 0:
        return f"BAD {answer[:80]!r}"
    status = int(heads[-1][1])
    _, _, body = answer[heads[-1].start() :].partition(b"\r\n\r\n")
    if b"Traceback" in answer or b"  File " in answer:
        return f"BAD {answer[:200]!r}"
    if status in (*LINES,) and body and not REFUSALS.fullmatch(body.decode().removesuffix("\n")):
        return f"BAD {body[:80]!r}"
    return str(status) if status in (100, 200, 204, *LINES) else f"BAD {status}"


async def send(port: int, data: bytes, address: str, *, slow: bool = False) -> str:
    """Send one mutated request and judge the answer."""
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    except OSError:
        return "closed"
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            if slow:
                for each in data[:5]:
                    writer.write(bytes([each]))
                    await asyncio.sleep(0.01)
            else:
                writer.write(data)
            first = await _answer(reader, writer)
            return judged(first)
    except TimeoutError:
        return "BAD no end"
    except OSError:
        return "closed"
    finally:
        writer.transport.abort()


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """All that comes, once this end has said that it sends no more: after the first bytes, or when none come."""
    try:
        async with asyncio.timeout(WITHOUT_ANSWER_SECONDS):
            data = await reader.read(65_536)
    except TimeoutError:
        data = b""
    writer.write_eof()
    while more := await reader.read(65_536):
        data = (data + more)[:200_000]
    return data


async def watched(port: int, numbers: list[int], opened: asyncio.Event) -> None:
    """A real phone: note the number in each frame."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.9.9", 0))
    writer.write(
        b"POST /join HTTP/1.1\r\nHost: localhost:%d\r\nContent-Length: 128\r\n\r\n" % port + b"phone".ljust(128)
    )
    try:
        while line := await reader.readline():
            if line.startswith(b"data: ") and len(line) < 40:
                numbers.append(int.from_bytes(base64.b64decode(line[6:]), "big"))
            elif line.startswith(b"data: "):
                opened.set()
    finally:
        writer.transport.abort()


@dataclass(frozen=True)
class Outcome:
    """What a run has shown."""

    seen: Counter[str]
    frames_sent: int
    frames_got: tuple[int, ...]
    in_order: bool
    newest_came: bool
    """A newer frame may take the place of one that waits, so not all come; the newest always does."""

    grown_kb: int
    held_kb: int
    trouble: str | None
    last_words: str

    @property
    def good(self) -> bool:
        bad = any(kind.startswith("BAD") for kind in self.seen)
        return not (bad or self.trouble or self.last_words) and self.in_order and self.newest_came


def resident_kb(process: int | None) -> int:
    text = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    return int(text.partition("VmRSS:")[2].split()[0])


async def run(count: int, seed: int, at_once: int = 24) -> Outcome:
    listeners = listen("127.0.0.1", 0)
    port = port_of(listeners)
    link = ProcessLink(Setup((f"localhost:{port}",), f"http://localhost:{port}/", demo=True), listeners)
    draw, seen, conns, sent = random.Random(seed), Counter[str](), list[int](), 0
    warm = begun = 0
    finished = asyncio.Event()

    async def table() -> None:
        nonlocal sent
        while not finished.is_set():
            for message in link.take():
                if isinstance(message, Knock) and message.body.startswith(b"phone"):
                    link.send(Admitted(message.conn, bytes(48)))
                    conns.append(message.conn)
                elif isinstance(message, Knock):
                    link.send(Refused(message.conn, "code"))
            if len(conns) == 2:
                sent += 1
                link.send(Frames(tuple((conn, sent.to_bytes(8, "big")) for conn in conns)))
            await asyncio.sleep(0.01)

    async def stranger(number: int) -> None:
        nonlocal begun, warm
        while begun < count:
            begun += 1
            if begun == count // 5:
                warm = resident_kb(link.process_id)
            data = mutated(draw, f"localhost:{port}")
            seen[await send(port, data, f"127.0.{number}.{draw.randrange(1, 250)}", slow=draw.random() < 0.002)] += 1

    got: tuple[list[int], list[int]] = ([], [])
    ready = [asyncio.Event(), asyncio.Event()]
    tasks = [asyncio.ensure_future(table())]
    tasks += [asyncio.ensure_future(watched(port, numbers, event)) for numbers, event in zip(got, ready, strict=True)]
    for event in ready:
        await event.wait()
    await asyncio.gather(*(stranger(number) for number in range(1, at_once + 1)))
    finished.set()
    await tasks[0]
    for _ in range(1_000):
        if newest_came := all(numbers[-1:] == [sent] for numbers in got):
            break
        link.take()
        await asyncio.sleep(0.01)
    held, trouble = resident_kb(link.process_id), link.trouble
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    link.close()
    in_order = all(numbers == sorted(set(numbers)) for numbers in got)
    return Outcome(seen, sent, tuple(map(len, got)), in_order, newest_came, held - warm, held, trouble, link.last_words)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--count", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=19)
    given = options.parse_args()
    outcome = asyncio.run(run(given.count, given.seed))
    lines = [f"{kind:>8} {number:>8,}" for kind, number in sorted(outcome.seen.items())]
    lines.append(f"frames sent {outcome.frames_sent:,}, got by the two phones {outcome.frames_got}, "
                 f"in order: {outcome.in_order}, the newest: {outcome.newest_came}")  # fmt: skip
    lines.append(
        f"page process: {outcome.held_kb / 1024:.1f} MB, grown by {outcome.grown_kb} kB since a fifth of the run"
    )
    lines += [f"trouble: {outcome.trouble}, last words: {outcome.last_words!r}", "PASSED" if outcome.good else "FAILED"]
    sys.stdout.write("\n".join(lines) + "\n")
    sys.exit(0 if outcome.good else 1)


if __name__ == "__main__":
    main()
