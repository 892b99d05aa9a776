"""Real processes under a stand-in for the service manager: each failure is found, and cured by a restart.

`python -m tests.pi_app.station.service.test_supervised` prints how long each took: found, and ready again.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.pages.listening import listen, port_of
from pi_app.settings.load import example_path
from pi_app.station.service.recovery import FAILURES, Why
from pi_app.station.service.watchdog import Stalled
from tests.pi_app.station.service.supervisor import Supervised

PYTHON = (sys.executable, "-P", "-m")
ROOT = str(Path(__file__).resolve().parents[4])


def settings_in(folder: Path, port: int = 0) -> Path:
    pages = f'\n[pages]\nport = {port}\naddress = "127.0.0.1"\n' if port else ""
    path = folder / "trapdial.toml"
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(example_path("2x2").read_text(encoding="utf-8") + f"\n[station]\n{pages}", encoding="utf-8")
    return path


def station(folder: Path, port: int = 0) -> Supervised:
    for name in ("state", "run"):
        (folder / name).mkdir(parents=True)
    environment = {
        "STATE_DIRECTORY": str(folder / "state"),
        "RUNTIME_DIRECTORY": str(folder / "run"),
        "PYTHONPATH": ROOT,
        **({"TRAPDIAL_PAGES": str(folder / "run" / "pages.sock")} if port else {}),
    }
    command = [*PYTHON, "tests.pi_app.station.faulty_station", "-s", str(settings_in(folder, port))]
    return Supervised(command, folder / "service", environment)


HANDED_OVER = """
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1")
os.execv(sys.executable, [sys.executable, "-P", "-m", "pi_app.pages.process", "meet", sys.argv[2]])
"""
"""As the service manager does: the open port is handle 3, and LISTEN_PID the program's own number."""


def pages(folder: Path, listener: socket.socket) -> Supervised:
    """The page process as its own unit."""
    command = [sys.executable, "-c", HANDED_OVER, str(listener.fileno()), str(folder / "run" / "pages.sock")]
    return Supervised(command, folder / "pages", {"PYTHONPATH": ROOT}, [listener.fileno()])


@contextlib.contextmanager
def running(*services: Supervised) -> Iterator[None]:
    try:
        yield
    finally:
        for service in services:
            service.close()


def strike(service: Supervised, folder: Path, fault: str) -> float:
    """Strike a service that is ready; return when."""
    now = time.monotonic()
    if fault == "stopped":
        assert service.process is not None
        os.kill(service.process.pid, signal.SIGSTOP)
    else:
        (folder / "run" / f"fault-{fault}").touch()
    return now


def cured(folder: Path, faults: tuple[str, ...]) -> dict[str, tuple[float, float, Supervised]]:
    """Strike one station each with a fault, all at once: when it was found, and when it was ready again."""
    services = {fault: station(folder / fault) for fault in faults}
    with running(*services.values()):
        for service in services.values():
            service.wait_for("READY=1", 1)
        struck = {fault: strike(service, folder / fault, fault) for fault, service in services.items()}
        again = {fault: service.wait_for("READY=1", 2) for fault, service in services.items()}
        found = {fault: service.said("ENDED")[0] for fault, service in services.items()}
        for service in services.values():
            service.wait_for("WATCHDOG=1", service_feeds(service) + 2)
    return {fault: (found[fault] - at, again[fault] - at, services[fault]) for fault, at in struck.items()}


def service_feeds(service: Supervised) -> int:
    return len(service.said("WATCHDOG=1"))


WORDS = {"scan": Stalled.SCAN.value, "journal": Stalled.JOURNAL.value}


@pytest.mark.slow
def test_each_failure_of_the_table_is_found_and_cured(tmp_path: Path) -> None:
    """How long it takes is printed by the lane; a busy machine starts slowly."""
    for fault, (_, _, service) in cured(tmp_path, ("scan", "journal", "stopped")).items():
        expected = "LATE" if fault == "stopped" else "TRIGGERED"
        assert len(service.said(expected)) == 1, (fault, service.errors())
        assert len(service.said("START")) == 2, (fault, service.errors())
        if fault in WORDS:
            assert service.said(f"STATUS={WORDS[fault]}"), service.errors()


@pytest.mark.slow
def test_a_disk_that_takes_ten_seconds_is_restarted_once_and_then_waited_for(tmp_path: Path) -> None:
    service = station(tmp_path)
    with running(service):
        service.wait_for("READY=1", 1)
        strike(service, tmp_path, "slow")
        service.wait_for("READY=1", 2)
        service.wait_for("WATCHDOG=1", service_feeds(service) + 3)
    assert len(service.said("START")) == 2, service.errors()
    assert len(service.said(f"STATUS={Stalled.JOURNAL.value}")) == 1


@pytest.mark.slow
def test_a_start_on_a_full_disk_is_tried_five_times_and_then_says_so(tmp_path: Path) -> None:
    """The recovery table says what failed, and tries again after ten minutes, or when it was unplugged."""
    service = station(tmp_path)
    strike(service, tmp_path, "full")
    with running(service):
        service.wait_for("READY=1", 1)
        starts = len(service.said("START"))
        service.wait_for("WATCHDOG=1", 3)
        assert len(service.said("START")) == starts <= FAILURES + 1, service.errors()
    assert service.said(f"STATUS={Why.FAILED.value}"), [each.words for each in service.heard]
    said = " ".join(each.words for each in service.heard)
    assert "No space left on device" in said, said


@contextlib.contextmanager
def with_pages(folder: Path) -> Iterator[tuple[Supervised, Supervised, int]]:
    """A table and its page process, both ready, and the port."""
    (listener,) = listen("127.0.0.1", 0)
    port = port_of((listener,))
    with listener:
        table, phones = station(folder, port), pages(folder, listener)
        with running(table, phones):
            table.wait_for("READY=1", 1)
            phones.wait_for("Serving phones", 1)
            ask(port)
            yield table, phones, port


def cured_pages(folder: Path) -> tuple[float, float, Supervised, Supervised]:
    """Stop a page process: when that was found, and when a phone got the page again."""
    with with_pages(folder) as (table, phones, port):
        struck_s = strike(phones, folder, "stopped")
        phones.wait_for("Serving phones", 2)
        ask(port)
        ready_s = time.monotonic()
    return phones.said("ENDED")[0] - struck_s, ready_s - struck_s, table, phones


@pytest.mark.slow
def test_a_stopped_page_process_is_replaced_and_the_table_plays_on(tmp_path: Path) -> None:
    _, _, table, phones = cured_pages(tmp_path)
    assert len(table.said("START")) == 1, table.errors()
    assert len(phones.said("LATE")) == 1


def ask(port: int) -> None:
    """Load the page, as a phone does."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as phone:
        phone.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % port)
        data = b""
        while more := phone.recv(65_536):
            data += more
    assert data.startswith(b"HTTP/1.1 200 OK"), data[:300]


def measured(folder: Path, faults: tuple[str, ...]) -> Iterator[str]:
    """Strike with these faults at once; say how long each took, and how much of it was the start."""
    for name, (found_s, ready_s, service) in cured(folder, faults).items():
        start_s = service.said("READY=1")[1] - service.said("START")[1]
        yield f"{name}: found after {found_s:.1f} s, ready again after {ready_s:.1f} s (start: {start_s:.1f} s)"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for fault in ("scan", "journal", "stopped"):
            for line in measured(Path(place) / fault, (fault,)):
                sys.stdout.write(f"{line}\n")
        found_s, again_s, _, _ = cured_pages(Path(place) / "pages")
        sys.stdout.write(f"page: found after {found_s:.1f} s, a phone has the page again after {again_s:.1f} s\n")
