"""The board's files in both interpreters: the same lines, no crash from any line, and constant memory."""

from __future__ import annotations

import hmac
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from firmware_host.hub import wire
from firmware_host.sims.interpreter import Interpreter
from tests.firmware_host.hub.golden import GOLDEN
from tests.firmware_host.sims.port import interpreters, real

SCRIPT = Path(__file__).with_name("on_board.py")
FIRMWARE = Path(wire.__file__).resolve().parents[1]
LINES = int(os.environ.get("TRAPDIAL_FUZZ_LINES", "10000"))
REPORTS = int(os.environ.get("TRAPDIAL_HUB_REPORTS", "200000"))
LONGEST_S = 3600


@pytest.fixture(params=interpreters())
def interpreter(request: pytest.FixtureRequest) -> Interpreter:
    found: Interpreter = request.param
    return found


def run(interpreter: Interpreter, *words: str, stdin: str = "") -> dict[str, Any]:
    paths = f"{FIRMWARE / 'sims' / 'on_board'}:{FIRMWARE}"
    done = subprocess.run(
        (*interpreter.command, str(SCRIPT), *words),
        env=os.environ | {interpreter.paths: paths},
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST_S,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(("name", "kind", "seq", "body", "line"), GOLDEN)
def test_golden_lines(name: str, kind: int, seq: int, body: str, line: str) -> None:
    assert kind == getattr(wire, name)
    assert wire.line(kind, seq, bytes.fromhex(body)) == line.encode() + b"\n"
    assert wire.message(line[1:].encode()) == (kind, seq, bytes.fromhex(body))


def test_both_interpreters_make_the_golden_lines(interpreter: Interpreter) -> None:
    found = run(interpreter, "golden", stdin=json.dumps([golden[1:] for golden in GOLDEN]))
    assert found["made"] == [f"{line}\n" for *_, line in GOLDEN]
    assert found["read"] == [[kind, seq, body] for _, kind, seq, body, _ in GOLDEN]


def test_no_line_crashes_the_hub(interpreter: Interpreter) -> None:
    """CPython reads all lines, MicroPython a tenth. One counts its objects, the other its bytes."""
    count = max(LINES // 10, 2000) if interpreter.micro else LINES
    found = run(interpreter, "fuzz", str(count), "1")
    assert found["good"] > count // 10
    assert found["damaged"] > count // 20
    assert found["sent"] > count // 10
    assert found["wanted"] == 0
    assert abs(found["after"] - found["before"]) <= 0.05 * found["before"]


def test_both_interpreters_seal_alike(interpreter: Interpreter) -> None:
    """The expected lines are computed with Python's own `hmac`."""
    key, transcript = bytes(range(32)), bytes(range(72))
    asked = [(int(kind) | wire.SEALED, int(seq), str(body)) for _, kind, seq, body, _ in GOLDEN]
    session = hmac.digest(key, b"seals of a hub 1" + transcript, "sha256")
    expected = []
    for counter, (kind, seq, body) in enumerate(asked, 1):
        sealed = bytes.fromhex(body) + counter.to_bytes(4, "big")
        check = hmac.digest(session, bytes((kind, seq)) + sealed, "sha256")[:8]
        expected.append(wire.line(kind, seq, sealed + check).decode())
    stdin = json.dumps({"key": key.hex(), "transcript": transcript.hex(), "lines": asked})
    found = run(interpreter, "sealed", stdin=stdin)
    assert found["made"] == expected
    assert found["read"] == [body for *_, body in asked]
    assert found["proof"] == hmac.digest(key, b"proof of a hub 1" + transcript, "sha256")[:16].hex()
    assert found["made"][2] == SEALED_PING


SEALED_PING = ":430200000001000000034c58f4fe73ad24306f23c2c2\n"
"""Worked out once, never regenerated."""


def soaked(reports: int, *how: str) -> None:
    found = run(real(), "soak", str(reports), *how)
    assert found["kind"] == wire.DIAGNOSIS | (wire.SEALED if how else 0)
    assert found["refused"] == 0
    assert found["reports"] == reports
    assert found["state"] == 2
    assert found["good"]
    assert found["after"] >= 0.9 * found["before"] > 0


@pytest.mark.slow
def test_memory_stays_constant_over_reports() -> None:
    soaked(1000)
    soaked(1000, "keyed")


@pytest.mark.slow
def test_memory_stays_constant_over_200000_reports() -> None:
    soaked(REPORTS)


@pytest.mark.slow
def test_memory_stays_constant_over_200000_keyed_reports() -> None:
    soaked(REPORTS, "keyed")
