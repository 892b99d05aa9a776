"""A centre as a process: its log lines and its certificate."""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hardware.notify import Notify
from pi_app.centre.service import process
from pi_app.centre.service.app import CentreApp
from pi_app.centre.service.centre import Centre
from pi_app.centre.service.process import LogLines, check_tls, log_briefly, serve, status_line
from pi_app.centre.settings import CentreSettings, TlsSettings
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.sender.client import HttpClient
from pi_app.text.errors import UserFileError
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.centre.service.certificates import make_certificates


@pytest.fixture
def centre(tmp_path: Path) -> Iterator[Centre]:
    store, reading = SqliteStore(tmp_path / "centre.db"), SqliteStore(tmp_path / "centre.db")
    yield Centre(CENTRE, store, reading, lambda: 1_000.0)
    store.close()
    reading.close()


def test_the_same_line_is_written_again_after_some_minutes() -> None:
    written: list[str] = []
    now = [0.0]
    say = LogLines(written.append, lambda: now[0])
    for now[0] in (0.0, 1.0, process.SAID_AGAIN_S - 1, process.SAID_AGAIN_S):
        say("The database is away.")
        say("Table 1 is enrolled.")
    assert written == ["The database is away.", "Table 1 is enrolled."] * 2


def test_many_different_lines_are_all_written_and_not_all_remembered() -> None:
    written: list[str] = []
    say = LogLines(written.append, lambda: 0.0)
    lines = [f"line {number}" for number in range(3 * process.MOST_LINES)]
    for line in lines:
        say(line)
    assert written == lines


def test_a_library_logs_the_place_of_an_error_alone(capsys: pytest.CaptureFixture[str]) -> None:
    log_briefly()
    logger = logging.getLogger("uvicorn.error")
    logger.warning("Invalid request from 10.0.0.9")
    try:
        raise ValueError("10.0.0.9 secret")
    except ValueError:
        logger.exception("GET /secret")
        line = sys.exc_info()[2]
    assert line is not None
    assert capsys.readouterr().err == f"ValueError at test_process.py:{line.tb_lineno}\n"


# ----------------------------------------------------------------------------------------------------------------- TLS


@pytest.fixture(scope="module")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two certificates of this machine, each signed by itself, and their keys."""
    folder = tmp_path_factory.mktemp("tls")
    make_certificates(folder, "one", "two")
    return folder


def with_tls(folder: Path, certificate: str, key: str) -> CentreSettings:
    return CentreSettings(where=folder / "centre.toml", name="c", tls=TlsSettings(certificate=certificate, key=key))


def test_a_table_reaches_a_centre_with_its_own_certificate(centre: Centre, certificates: Path) -> None:
    settings = with_tls(certificates, "one.pem", "one.key")
    check_tls(settings)

    async def work() -> int:
        stopped = asyncio.Event()
        port = socket.create_server(("127.0.0.1", 0))
        server = asyncio.create_task(
            serve(settings, CentreApp(centre), port, stopped, Notify(), lambda: status_line(centre, "today"))
        )
        client = HttpClient(f"https://127.0.0.1:{port.getsockname()[1]}/", certificates / "one.pem")
        reply = await asyncio.to_thread(client.post, "hand-over", b"x")
        stopped.set()
        await server
        port.close()
        return reply.status

    assert asyncio.run(work()) == 400
    refused = "0 entries taken, 0 cosignatures, 1 requests refused, 0 contradictions kept."
    assert status_line(centre, "today") == f"Since today: {refused}"


def test_a_certificate_that_cannot_be_used_is_named(certificates: Path) -> None:
    with pytest.raises(UserFileError) as raised:
        check_tls(with_tls(certificates, "one.pem", "two.key"))
    assert str(raised.value) == (
        f"{certificates}/one.pem: the key in {certificates}/two.key does not fit the certificate, or one of them is no "
        "PEM file. Name both as they were issued: the whole chain, and its key without a passphrase."
    )
    with pytest.raises(UserFileError, match="does not fit the certificate, or one of them is no PEM file"):
        check_tls(with_tls(certificates, "one.key", "one.key"))
    with pytest.raises(UserFileError, match="it cannot be read \\(No such file or directory\\)"):
        check_tls(with_tls(certificates, "one.pem", "none.key"))
