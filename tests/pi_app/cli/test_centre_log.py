"""`trapdial centre log`, with a centre that runs, and another one that is its log's witness."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.centre.key_file import read_key
from pi_app.centre.settings import load
from pi_app.centre.store.opening import open_store
from pi_app.cli.main import main
from pi_app.journal import Journal
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.notes import VerifierKey
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender.client import HttpClient
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import RecordSender
from tests.pi_app.centre.records import a_game
from tests.pi_app.centre.running import new_centre, running
from tests.pi_app.sender.shop import Shop, until_idle


def log(*words: object) -> Result:
    return CliRunner().invoke(main, ["centre", "log", *map(str, words)])


def said(*words: object) -> str:
    done = log(*words)
    assert done.exit_code == 0, done.output
    return done.stdout


def keyed(settings: Path) -> VerifierKey:
    read = load(settings)
    return read_key(read.beside(read.key), read.name).verifier


def asked(until: Callable[[], bool]) -> None:
    """Ask again until it is so: a log is kept in the background."""
    assert any(until() for _ in range(5_000))


@dataclass
class LoggedCentre:
    """A centre with a log, the witness of the log, and a table that has handed over."""

    settings: Path
    witness: Path
    shop: Shop
    key: str

    @property
    def address(self) -> str:
        return f"{load(self.settings).url}log/"

    def hands_over(self) -> None:
        with running(self.settings) as here:
            sender = RecordSender(Outbox(self.shop.path, self.shop.key), HttpClient(here.address), keyed(self.settings))
            until_idle(sender)

    def is_published(self) -> bool:
        return bool(json.loads(said("status", "--json", "-s", self.settings))["witnesses"][0]["entries"])


@pytest.fixture
def logged(tmp_path: Path) -> Iterator[LoggedCentre]:
    settings, witness = new_centre(tmp_path / "centre"), new_centre(tmp_path / "witness")
    witness.write_text(witness.read_text().replace('name = "test/c1"', 'name = "witness/w1"'))
    text = settings.read_text() + '\n[own_log]\norigin = "test/log"\n'
    settings.write_text(text)
    key = said("key", "-s", settings).strip()
    more = f'\n[[own_log.witness]]\nkey = "{keyed(witness).text()}"\naddress = "{load(witness).url}"\n'
    settings.write_text(text + more)
    witness.write_text(witness.read_text() + f'\n[[witness_only]]\nkey = "{key}"\n')
    shop = Shop(tmp_path)
    store = open_store(load(settings))
    store.add_code(b"code", "Table 1", "", 10_000)
    store.enrol(b"code", origin_of(shop.key.public), 1)
    store.close()
    yield LoggedCentre(settings, witness, shop, key)
    shop.close()


def test_a_log_is_witnessed_and_checked_from_outside(logged: LoggedCentre) -> None:
    assert said("status", "-s", logged.settings).splitlines() == [
        f"test/log has 0 entries. Its key: {logged.key}", "witness/w1 has cosigned nothing of it."
    ]  # fmt: skip
    witness_key = keyed(logged.witness).text()
    with running(logged.witness):
        logged.hands_over()
        with running(logged.settings):
            asked(logged.is_published)
            first, second = said("status", "-s", logged.settings).splitlines()
            assert first == f"test/log has 1 entry. Its key: {logged.key}"
            assert second.startswith("witness/w1 cosigned 1 entry on ")
            words = ("verify", logged.address, "--key", logged.key, "--witness-key", witness_key)
            lines = said(*words).splitlines()
            assert lines[0] == "test/log has 1 entry, and its key has signed that."
            assert lines[1].startswith("witness/w1 vouches for that: it saw them on ")
            assert lines[2:] == ["All of it was read: its entries are of 1 table, and fit each other."]
            assert said(*words, "--journal", logged.shop.path).splitlines()[2:] == [
                f"{logged.shop.path}: the log has its first 8 entries, and they are the same."
            ]
            logged.shop.play("g2")
            assert said(*words, "--journal", logged.shop.path).splitlines()[2:] == [
                f"{logged.shop.path}: the log has its first 8 entries, and they are the same."
            ]
            forked = logged.shop.folder / "forked.db"
            with Journal(forked, MAGE_KNIGHT) as journal:
                a_game(journal, "other", 9)
            stranger = log(*words, "--journal", forked)
            assert (stranger.exit_code, stranger.output.splitlines()[2:]) == (
                1, [f"{forked}: the log has no checkpoint of it up to now."],
            )  # fmt: skip
            missing = log("verify", logged.address, "--key", logged.key, "--witness-key", keyed(logged.settings).text())
            assert (missing.exit_code, missing.output.splitlines()[-1]) == (1, "test/c1 does not vouch for that.")


def test_a_journal_that_is_not_what_the_log_has_is_forked(logged: LoggedCentre) -> None:
    logged.hands_over()
    with running(logged.witness), running(logged.settings):
        asked(logged.is_published)
        path = logged.shop.path
        keys = path.with_name("other.db.keys")
        path.with_name("journal.db.keys").rename(keys)
        (keys / "last.head").unlink()
        with Journal(path.with_name("other.db"), MAGE_KNIGHT) as journal:
            a_game(journal, "g9", 8)
        assert jn.keys_of(path.with_name("other.db")).known_device() == logged.shop.key
        done = log("verify", logged.address, "--key", logged.key, "--journal", path.with_name("other.db"))
        assert done.exit_code == 5
        assert done.output.splitlines()[1].startswith(f"{path.with_name('other.db')}: Witness")


NOWHERE = "http://127.0.0.1:1/"


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["key"], 2, "has no section [own_log]. Write one, with an origin such as 'centre.example/log'; "),
        (["verify", "nowhere", "--key", "KEY"], 2, "'nowhere' is no address of a web server. Write one such as https://"),
        (["verify", NOWHERE, "--key", "x"], 2, "--key: "),
        (["verify", NOWHERE, "--key", "COSIGNER"], 2, "it is the key of a witness, and not that of a log: "),
        (["verify", NOWHERE, "--key", "KEY", "--witness-key", "KEY"], 2, "it is the key of a log, and not"),
        (["verify", NOWHERE, "--key", "KEY", "--authority", "none.pem"], 2, "none.pem: is no certificate that can be "),
        (["verify", NOWHERE, "--key", "KEY"], 1, f"{NOWHERE} does not answer (Connection refused)."),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(tmp_path: Path, words: list[str], code: int, line: str) -> None:
    settings = new_centre(tmp_path / "centre")
    own = VerifierKey("test/log", 1, b"k" * 32).text()
    given = {"KEY": own, "COSIGNER": keyed(settings).text()}
    named = ["-s", settings] if words == ["key"] else []
    done = log(*(given.get(each, each) for each in words), *named)
    assert (done.exit_code, line in done.output) == (code, True), done.output
