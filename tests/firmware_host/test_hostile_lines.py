"""Mutated lines against the session and the decoder: no crash, no wrong angle, no growing memory.

`TRAPDIAL_FUZZ_LINES` sets how many (`make hub-fuzz-test`: a million); everyday tests use ten thousand.
"""

from __future__ import annotations

import gc
import os
import random
import tracemalloc

import pytest

from firmware_host.commands import HubReply
from firmware_host.decode import decoded
from firmware_host.hub import wire
from firmware_host.lines import LineSplitter
from firmware_host.link_events import HubReport, LinkNotice
from firmware_host.requirements import HubRequirements
from firmware_host.session import HubSession
from firmware_host.sims.scripted_hub import ScriptedHub
from tests.everyday import first

LINES = int(os.environ.get("TRAPDIAL_FUZZ_LINES", "10000"))
SHARES = 4
"""Tests that can run in parallel."""
DIALS = 8
STEP_US = 10_000
TEXT = (b">>> ", b"Traceback (most recent call last):\r\n", b'  File "main.py", line 3\r\n', b"MPY: soft reboot\r\n")


def angles_at(at_us: int) -> tuple[int, ...]:
    return tuple((at_us // 1000 * 7 + dial * 300) % 4096 for dial in range(DIALS))


class Wire:
    """A wire that damages lines. `kept`: earlier lines, to be replayed."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.kept: list[bytes] = []
        self.lines = 0

    def damage(self, line: bytes) -> bytes:
        draw = self.draw
        self.lines += 1
        self.kept = [*self.kept[-20:], line]
        damaged = bytearray(line)
        for _ in range(draw.choice((0, 1, 1, 1, 2, 5, 20))):
            self._mutate(damaged)
        return bytes(damaged)

    def _mutate(self, damaged: bytearray) -> None:
        draw = self.draw
        at = draw.randrange(len(damaged) + 1)
        match draw.randrange(11):
            case 0 | 1 if at < len(damaged):
                damaged[at] ^= 1 << draw.randrange(8)
            case 2 if at < len(damaged):
                del damaged[at]
            case 3:
                del damaged[at : at + draw.randrange(1, 40)]
            case 4:
                damaged[at:at] = draw.randbytes(draw.randrange(1, 60))
            case 5:
                damaged[at:at] = draw.choice(TEXT)
            case 6:
                damaged[at:at] = draw.choice(self.kept)
            case 7:
                damaged[at:at] = draw.choice((b":", b"\n", b"\r", b"\0", b"\x03", b"::", b"\n\n"))
            case 8 if at < len(damaged):
                damaged[at] = draw.choice(b"0123456789abcdefABCDEF")
            case 9:
                damaged += draw.choice(self.kept)[: draw.randrange(40)]
            case 10:
                kind = draw.choice((*range(0x80, 0x88), draw.randrange(256)))
                damaged[at:at] = wire.line(kind, draw.randrange(256), draw.randbytes(draw.randrange(12)))


KEY = bytes(range(32))


def run_session(share: int, lines: int, key: bytes = b"") -> tuple[int, int, int]:
    """Delivered reports, wrong samples among them, and lines sent. Some lines of `_mutate` are intact messages; a
    generated report has the wrong number of dials."""
    draw = random.Random(f"hostile lines {share}")
    wire_ = Wire(draw)
    hub = ScriptedHub(angles_at, DIALS, key=key)
    required = HubRequirements("north", dials=DIALS, key_of=(lambda uid: key) if key else None)
    session = HubSession(required, lambda: draw.getrandbits(32))
    now_us = 1_000_000
    session.opened("SIMULATED", now_us * 1000)
    reports = wrong = 0
    shown: dict[tuple[int, int], int] = {}
    while wire_.lines < lines:
        now_us += STEP_US
        while len(shown) > 400 * DIALS:
            del shown[next(iter(shown))]
        asks = session.poll(now_us * 1000)
        if draw.random() < 0.3:
            asks = wire_.damage(asks)
        sent = hub.feed(asks, now_us) + tick(hub, now_us, shown)
        spared = 0.9 if key else 0.0  # one false line ends a keyed session
        arrived = b"".join(
            line if draw.random() < spared else wire_.damage(line) for line in sent.splitlines(keepends=True)
        )
        for start in range(0, len(arrived), 200):
            for event in session.feed(arrived[start : start + 200], now_us * 1000):
                assert isinstance(event, HubReport | LinkNotice | HubReply | str)
                if isinstance(event, HubReport):
                    reports += 1
                    wrong += sum((sample.dial, sample.value) not in shown for sample in event.samples)
        if session.reopen or session.due_ns() == 1 << 62:
            session.opened("SIMULATED", now_us * 1000)
    return reports, wrong, wire_.lines


def tick(hub: ScriptedHub, now_us: int, shown: dict[tuple[int, int], int]) -> bytes:
    """Consecutive sweeps, each noted in `shown`."""
    sent = b""
    while (due_us := hub.due_us()) is not None and due_us <= now_us:
        shown |= dict.fromkeys(enumerate(angles_at(due_us)), due_us)
        sent += hub.tick(due_us)
    return sent


@pytest.mark.parametrize("share", first(1, range(SHARES)))
def test_the_session_survives_and_accepts_no_wrong_angle(share: int) -> None:
    reports, wrong, lines = run_session(share, LINES // SHARES)
    assert lines >= LINES // SHARES
    assert wrong == 0
    assert reports > lines // 20


@pytest.mark.parametrize("share", range(SHARES))
def test_a_keyed_session_survives_and_accepts_no_wrong_angle(share: int) -> None:
    reports, wrong, lines = run_session(share, LINES // SHARES // 10, KEY)
    assert lines >= LINES // SHARES // 10
    assert wrong == 0
    assert reports > lines // 20


@pytest.mark.parametrize("share", range(SHARES))
def test_the_decoder_describes_everything(share: int) -> None:
    draw = random.Random(f"pasted {share}")
    wire_ = Wire(draw)
    kinds = (*range(1, 10), *range(0x81, 0x88), *range(0x41, 0x4A), *range(0xC1, 0xC8))
    good = [wire.line(kind, 1, draw.randbytes(40)) for kind in kinds]
    for _ in range(LINES // SHARES):
        text = decoded(wire_.damage(draw.choice(good)).decode("latin-1"))
        assert text
        assert "\n" not in text


def held() -> int:
    """Bytes, without the small objects that CPython caches."""
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


@pytest.mark.slow
def test_memory_stays_constant() -> None:
    run_session(99, 1_000)  # one-time allocations
    tracemalloc.start()
    try:
        run_session(99, 500)
        before = held()
        run_session(99, max(1_500, LINES // 20))
        after = held()
    finally:
        tracemalloc.stop()
    assert after - before < 20_000


def test_one_endless_line_is_not_kept() -> None:
    lines = LineSplitter()
    for _ in range(200):
        lines.feed(random.Random(7).randbytes(5_000).replace(b"\n", b""))
    assert lines.held <= wire.MOST_LINE
