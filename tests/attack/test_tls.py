"""An impostor between a table and its centre: its certificate has expired, is for another name, or comes from another
authority. Sender, hand-over and witness asker say which it is, and send no byte of a record.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.journal import Stamp
from pi_app.sender.client import HttpClient, UnreachableError
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import RecordSender
from pi_app.sender.turns import WAITS, WITNESS_WAITS, SenderTurn
from pi_app.sender.witness_asker import WitnessAsker
from tests.attack.certificates import Impostor, has_openssl, impostor, make_authority, make_certificate
from tests.pi_app.centre.records import CENTRE
from tests.pi_app.sender.one_witness import WITNESS
from tests.pi_app.sender.shop import Shop

VALID = ("20200101000000Z", "20910101000000Z")
PAST = ("20200101000000Z", "20210101000000Z")
FUTURE = ("20900101000000Z", "20910101000000Z")
HERE = "IP:127.0.0.1"
ELSEWHERE = "DNS:centre.example"

NOT_SENT = "Nothing of the record was sent."


@dataclass(frozen=True)
class Case:
    """A certificate, the authority that the table has pinned (empty: none), and what is said."""

    name: str
    signer: str
    subject: str
    dates: tuple[str, str]
    pinned: str
    words: str


CASES = (
    Case("expired", "own", HERE, PAST, "own", "a certificate that has expired. Its owner has to renew it."),
    Case("early", "own", HERE, FUTURE, "own", "a certificate that is not valid yet. Check the date of this machine."),
    Case("elsewhere", "own", ELSEWHERE, VALID, "own", "a certificate for another name. Check the address"),
    Case("foreign", "other", HERE, VALID, "own", "a certificate that own.pem did not sign. Ask its owner."),
    Case("unpinned", "own", HERE, VALID, "", "a certificate of an authority that this machine does not trust."),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not has_openssl():
        pytest.skip("openssl is not installed: it makes the certificates of these tests")
    folder = tmp_path_factory.mktemp("tls")
    for name in ("own", "other"):
        make_authority(folder, name, strict=name == "other")
    for case in CASES:
        make_certificate(folder, case.name, case.signer, case.subject, case.dates)
    make_certificate(folder, "good", "own", HERE, VALID)
    return folder


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def server(made: Path, case: Case) -> Iterator[Impostor]:
    with impostor(made / f"{case.name}.pem") as running:
        yield running


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


def authority(made: Path, case: Case) -> Path | None:
    return made / f"{case.pinned}.pem" if case.pinned else None


def said(server: Impostor, case: Case, why: str) -> None:
    """Whether a sentence says what is wrong with the certificate, and nothing was sent."""
    assert why.startswith(f"{server.address} shows {case.words}"), why
    assert why.endswith(NOT_SENT)
    assert server.connections > 0
    assert server.got == b""


def test_the_sender_says_what_is_wrong_and_sends_nothing(made: Path, case: Case, server: Impostor, shop: Shop) -> None:
    client = HttpClient(server.address, authority(made, case))
    sender = RecordSender(Outbox(shop.path, shop.key), client, CENTRE.verifier)
    turn = SenderTurn(sender.step, sender.pace)
    for _ in range(3):
        turn.take()
    trouble = turn.state.trouble
    assert trouble is not None
    assert trouble.sentence == WAITS
    said(server, case, trouble.why)
    assert not turn.state.refused


def test_the_witness_asker_says_so_too(made: Path, case: Case, server: Impostor, shop: Shop) -> None:
    client = HttpClient(server.address, authority(made, case))
    asker = WitnessAsker(Outbox(shop.path, shop.key), client, WITNESS, lambda: 8)
    turn = SenderTurn(asker.step, asker.pace, WITNESS.name)
    for _ in range(3):
        turn.take()
    trouble = turn.state.trouble
    assert trouble is not None
    assert trouble.sentence == WITNESS_WAITS
    said(server, case, trouble.why)


@pytest.mark.parametrize("command", ["hand-over", "enrol"])
def test_the_commands_say_so_and_end_with_a_code(
    command: str, made: Path, case: Case, server: Impostor, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pi_app.sender.by_hand.LONGEST_PAUSE_S", 0.0)
    monkeypatch.setattr("pi_app.journal.machine_stamp", lambda: Stamp("boot 1", 0, "2026-05-16T14:00:00+00:00", "ntp"))
    words = ["journal", command, *(["AAAA-BBBB-CCCC"] if command == "enrol" else []), "--journal", str(shop.path)]
    pinned = authority(made, case)
    words += ["--to", server.address, "--key", CENTRE.verifier.text()]
    done = CliRunner().invoke(main, [*words, *([] if pinned is None else ["--authority", str(pinned)])])
    assert done.exit_code in (1, 2), done.output
    assert f"{server.address} shows {case.words}"[:60] in " ".join(done.output.split())
    assert server.got == b""


def test_the_pinned_authority_is_enough_and_the_record_goes_over(made: Path, shop: Shop) -> None:
    with impostor(made / "good.pem") as server:
        HttpClient(server.address, made / "own.pem").post("hand-over", b"x")
        assert b"POST /hand-over" in server.got


def test_a_pinned_authority_alone_counts_and_not_the_systems(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate that the system trusts is refused where another authority is pinned."""
    monkeypatch.setenv("SSL_CERT_FILE", str(made / "other.pem"))
    with impostor(made / "foreign.pem") as server:
        HttpClient(server.address).post("hand-over", b"x")
        assert server.got != b""
        with pytest.raises(UnreachableError, match=r"a certificate that own\.pem did not sign"):
            HttpClient(server.address, made / "own.pem").post("hand-over", b"record")
        assert b"record" not in server.got


def test_a_machine_without_a_date_checks_all_but_the_dates(made: Path) -> None:
    for name, is_taken in (("expired", True), ("early", True), ("elsewhere", False), ("foreign", False)):
        with impostor(made / f"{name}.pem") as server:
            client = HttpClient(server.address, made / "own.pem", knows_time=False)
            if is_taken:
                assert client.post("hand-over", b"x").status == 200
            else:
                with pytest.raises(UnreachableError, match="Nothing of the record was sent"):
                    client.post("hand-over", b"x")
                assert server.got == b""


def test_an_impostor_without_tls_gets_no_request(made: Path, shop: Shop) -> None:
    """Port 80 behind an address with https: what comes there are the first bytes of TLS."""
    got = bytearray()
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        asked, _ = listener.accept()
        with asked:
            got.extend(asked.recv(65_536))
            asked.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    thread = threading.Thread(target=serve)
    thread.start()
    address = f"https://127.0.0.1:{listener.getsockname()[1]}/"
    sender = RecordSender(Outbox(shop.path, shop.key), HttpClient(address, made / "own.pem"), CENTRE.verifier)
    why = sender.step().why
    thread.join()
    listener.close()
    assert why == f"{address} does not speak TLS there. Nothing of the record was sent."
    assert b"hand-over" not in got
