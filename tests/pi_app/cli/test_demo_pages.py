"""`trapdial demo --pages`, as a newcomer runs it: with robots, and by hand in a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.simulated.demo_pages import codes_of
from pi_app.simulated.http_phone import HttpPhone
from pi_app.simulated.page_stream import exchange, request
from tests.terminal import Terminal

SEATS = ("ANN", "BEN", "CAL", "DEE")
LISTENING = "0A"


def demo(*words: str) -> Result:
    return CliRunner().invoke(main, ["demo", "--pages", *words], prog_name="trapdial")


def is_free(port: int) -> bool:
    """Whether the port can be opened again."""
    with socket.create_server(("127.0.0.1", port), reuse_port=False):
        return True


def page_processes(port: int) -> list[int]:
    """The page processes that listen on a port, by the sockets that the kernel lists for them."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    sockets = {f"socket:[{line[9]}]" for line in lines if line[1].endswith(f":{port:04X}") and line[3] == LISTENING}
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"pi_app.pages.process" in (process / "cmdline").read_bytes() and sockets & {
                os.readlink(each) for each in (process / "fd").iterdir()
            }:
                found.append(int(process.name))
    return found


def test_robots_with_phones_play_to_the_end_of_a_game() -> None:
    done = demo("--auto", "--exposes", "2")
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0] == "SIMULATED: no real dial is read; chips, pins and hands are simulated."
    robots = next(line for line in lines if "robots play" in line)
    assert robots == "4 robots play, each with a simulated phone that joins, taps and holds over HTTP. Watch the dials:"
    address = re.search(r"^  http://localhost:(\d+)/demo$", done.stdout, re.MULTILINE)
    assert address is not None
    assert sum("reads on a phone now." in line for line in lines) == 4
    assert sum(": exposed by " in line for line in lines) == 2
    seen = next(line for line in lines if line.startswith("robots     |"))
    assert re.fullmatch(
        r"robots     \| Their phones opened \d+ sealed frames and showed 2 faces, each on one phone alone\. "
        r"Frames that did not open: 0\.",
        seen,
    )
    assert any("The game is over, so its secrets are open now:" in line for line in lines)
    assert any(line.startswith("TRAPDIAL1 ") for line in lines)
    assert is_free(int(address[1]))


@pytest.mark.slow
def test_squares_behind_a_hub_are_played_with_phones_too() -> None:
    done = demo("--auto", "--hub", "--exposes", "2", "--size", "2x2")
    assert done.exit_code == 0, done.output
    assert {line.split("|")[1].split(":")[0] for line in done.stdout.splitlines() if ": exposed by " in line} == {
        " T01",
        " T02",
    }, "one of them is behind the hub"
    assert "Frames that did not open: 0." in done.stdout


@pytest.mark.slow
def test_robots_join_again_when_all_squares_are_exposed_and_come_back_after_a_cut() -> None:
    done = demo("--auto", "--exposes", "3", "--size", "2x2")
    assert done.exit_code == 0, done.output
    assert done.stdout.count("The game is on.") == 2
    assert done.stdout.count(": exposed by ") == 3


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--fault", "unplugged@T02", "--auto"], "--fault and --resume need a person at a terminal"),
        (["--journal", "j.db", "--resume", "--auto"], "--fault and --resume need a person at a terminal"),
        (["--streams", "s"], "--streams cannot be used with --pages; phones get sealed frames."),
        (["--port", "0"], "0 is not in the range 1<=x<=65535"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], said: str) -> None:
    done = demo(*words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_port_without_pages_is_refused() -> None:
    done = CliRunner().invoke(main, ["demo", "--port", "8080"], prog_name="trapdial")
    assert done.exit_code == 2
    assert "--port needs --pages: it is the port of the pages." in done.stderr


def test_a_taken_port_is_one_sentence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = demo("--auto", "--port", str(port))
    assert done.exit_code == 2
    assert done.stderr.splitlines() == [
        f"--port {port}: another program has this port, or this user may not open it. Leave --port out, and the demo "
        "takes a free one."
    ]


def turn(port: int, square: str, clicks: int) -> bytes:
    """Turn a dial as the page does; return the first line of the answer."""
    body = json.dumps({"square": square, "clicks": clicks}).encode()
    asked = request("POST", "/demo/hand", ("127.0.0.1", port), body, close=True)
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(asked.replace(b"application/octet-stream", b"application/json"))
        return connection.recv(65_536).split(b"\r\n")[0]


@pytest.mark.slow
def test_a_person_at_a_terminal_plays_in_the_browser_and_stops_with_ctrl_c(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pi_app", "demo", "--pages", "--language", "en", "--seed", "7"]
    with contextlib.ExitStack() as closing:
        terminal = closing.enter_context(Terminal(command, tmp_path, {**os.environ}))
        terminal.wait_for("is on.")
        found = re.search(r"http://localhost:(\d+)/demo#([A-Z2-7]{26})", terminal.letters)
        assert found is not None, str(terminal)
        assert "Ctrl-C ends the demo." in terminal.text
        port, codes = int(found[1]), codes_of(found[2], SEATS)
        phones = {seat: HttpPhone(("127.0.0.1", port), codes[seat]) for seat in SEATS}
        for phone in phones.values():
            closing.callback(phone.cut)
        assert [phone.wait(lambda shown: True)["name"] for phone in phones.values()] == ["Ann", "Ben", "Cal", "Dee"]
        status, page = exchange(("127.0.0.1", port), "GET", "/demo")
        assert status == 200
        assert found[2].encode() not in page
        assert json.loads(exchange(("127.0.0.1", port), "GET", "/demo/table")[1].split(b"\r\n\r\n")[1])["marks"] == [
            "SIMULATED",
            "SAMPLE",
        ]
        ann = phones["ANN"]
        ann.tap()
        ann.wait(lambda shown: bool(shown["mine"]["claim"] == "open"))
        assert turn(port, "T03", 3) == b"HTTP/1.1 204 No Content"
        ann.wait(lambda shown: bool(shown["mine"]["claim"] == "T03"))
        ann.hold()
        picture = ann.wait(lambda shown: (shown["picture"] or {}).get("kind") == "face")["picture"]
        assert (picture["label"], picture["marks"]) == ("T03", ["SAMPLE", "SIMULATED"])
        for seat in ("BEN", "CAL", "DEE"):
            phones[seat].take(0.5)
            assert phones[seat].shown["picture"] is None
        ann.let_go()
        ann.wait(lambda shown: shown["picture"] is None)
        (process,) = page_processes(port)
        terminal.type("end\n")
        over = ann.wait(lambda shown: bool(shown["head"]))
        terminal.wait_for("head.txt")
        assert over["head"].split()[1] in terminal.text
        terminal.settle()
        os.kill(terminal.pid, signal.SIGINT)
        assert terminal.wait() == 130
        terminal.wait_for("Stopped: Ctrl-C.")
    assert page_processes(port) == []
    assert not Path(f"/proc/{process}").exists()
    assert is_free(port)
