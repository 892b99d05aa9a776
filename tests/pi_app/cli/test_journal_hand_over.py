"""`trapdial journal hand-over` and `enrol`, as they are typed, with a real centre behind a real connection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.centre.enrolment import code_hash
from pi_app.cli.main import main
from pi_app.journal import Journal
from pi_app.journal.cosigned import cosigned
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.heads import head_in
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender import by_hand
from pi_app.sender.client import CentreReply
from tests.pi_app.centre.records import CENTRE, STRANGER, a_game
from tests.pi_app.journal.record.forging import edit
from tests.pi_app.sender.http_centre import HttpCentre
from tests.pi_app.sender.served import served
from tests.pi_app.sender.shop import Shop

KEY = CENTRE.verifier.text()


def journal(*words: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["journal", *map(str, words)])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    shop = Shop(tmp_path)
    yield shop
    shop.close()


@pytest.fixture
def centre(shop: Shop) -> Iterator[HttpCentre]:
    centre = HttpCentre(shop.client)
    yield centre
    centre.close()


def handed(shop: Shop, centre: HttpCentre) -> tuple[int, str, str]:
    return journal("hand-over", "--journal", shop.path, "--to", centre.address, "--key", KEY)


def test_everything_goes_over_and_then_nothing_new(shop: Shop, centre: HttpCentre) -> None:
    said = f"{shop.path}: centre.example/c1 has all 8 entries; 8 of them are new.\n"
    assert handed(shop, centre) == (0, said, "")
    assert handed(shop, centre) == (0, f"{shop.path}: centre.example/c1 has all 8 entries; it had them before.\n", "")
    assert shop.here == 8
    assert "centre.example/c1 saw 8 entries on 1970-01-01 00:16:40 UTC" in journal("verify", shop.path)[1]


def test_past_records_go_first(shop: Shop, centre: HttpCentre) -> None:
    with Journal(shop.path, MAGE_KNIGHT) as record:
        assert record.begin_new_log()
        a_game(record, "g2", 6)
    code, output, errors = handed(shop, centre)
    past = shop.path.with_name("journal.db.past") / "000001.db"
    assert output == f"{past}: centre.example/c1 has all 8 entries; 8 of them are new.\n"
    assert (code, errors.startswith(f"{shop.path}: The centre does not know this table.")) == (1, True)
    assert [head_in(note).size for note in cosigned(past)] == [8]


def test_a_journal_without_an_entry_has_nothing_to_hand_over(tmp_path: Path, shop: Shop, centre: HttpCentre) -> None:
    empty = tmp_path / "empty" / "journal.db"
    code, output, _ = journal("hand-over", "--journal", empty, "--to", centre.address, "--key", KEY)
    assert (code, output) == (0, f"{empty} has no entry yet: there is nothing to hand over.\n")


@pytest.mark.parametrize(
    ("reply", "code", "why"),
    [
        (CentreReply(404, b""), 1, "The centre does not know this table."),
        (CentreReply(410, b""), 1, "The centre takes nothing more from this table: it was revoked."),
        (CentreReply(422, b""), 5, "The centre has other entries of this record than this table"),
        (CentreReply(200, b"x"), 1, "The centre answers without its own signature"),
        (CentreReply(503, b"The database is away."), 1, "The database is away."),
    ],
)
def test_what_the_centre_refuses_is_said(
    shop: Shop, centre: HttpCentre, monkeypatch: pytest.MonkeyPatch, reply: CentreReply, code: int, why: str
) -> None:
    monkeypatch.setattr(by_hand, "LONGEST_PAUSE_S", 0.0)
    centre.answers = lambda path, body: reply
    ended, output, errors = handed(shop, centre)
    assert (ended, output) == (code, "")
    assert errors.startswith(f"{shop.path}: {why}")
    if reply.status == 503:
        assert len(centre.asked) == by_hand.TRIES


def test_a_centre_that_is_gone_is_said(shop: Shop, centre: HttpCentre, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(by_hand, "LONGEST_PAUSE_S", 0.0)
    centre.answers = lambda path, body: None
    ended, _, errors = handed(shop, centre)
    assert (ended, errors.startswith(f"{shop.path}: {centre.address} does not answer (")) == (1, True)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE entries SET leaf = zeroblob(32) WHERE seq = 3",
        "UPDATE entries SET sealed = zeroblob(100) WHERE seq = 3",
        "DELETE FROM entries WHERE seq = 8",
        "DELETE FROM entries WHERE seq = 3",
    ],
)
def test_a_record_that_was_changed_is_not_signed(
    shop: Shop, centre: HttpCentre, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    monkeypatch.setattr(by_hand, "LONGEST_PAUSE_S", 0.0)
    edit(shop.path, change)
    code, output, errors = handed(shop, centre)
    assert (code, output, "Check with `trapdial journal verify`." in errors) == (4, "", True)
    assert (shop.here, centre.asked) == (0, [])


def test_a_table_is_enrolled_with_a_code_once_also_before_its_first_game(tmp_path: Path, shop: Shop) -> None:
    shop.client.desk.store.add_code(code_hash("ABCD-EFGH-JKLM"), "Table 4", "Cog", 10_000)
    fresh = tmp_path / "fresh"
    fresh.mkdir()
    with served(tmp_path) as address:
        words = ("--journal", fresh / "journal.db", "--to", address, "--key", KEY)
        assert journal("enrol", "abcd efgh jklm", *words) == (
            0,
            "centre.example/c1 knows this table as Table 4 of Cog from now on.\n",
            "",
        )
        assert journal("enrol", "abcd efgh jklm", *words) == (
            1,
            "",
            "centre.example/c1 does not enrol this table: This code is not known here, was used already, or is too "
            "old. Ask for a new one.\n",
        )
        with Journal(fresh / "journal.db", MAGE_KNIGHT) as record:
            a_game(record, "g1", 6)
        code, output, _ = journal("hand-over", *words)
        assert (code, output.endswith("has all 8 entries; 8 of them are new.\n")) == (0, True)
    key = jn.keys_of(fresh / "journal.db").known_device()
    assert key is not None
    assert shop.client.desk.record(origin_of(key.public)).known.size == 8


@pytest.mark.parametrize(
    ("challenge", "reply", "why"),
    [
        (CentreReply(200, b"x\n"), CentreReply(200, b""), "its answer is not that of a centre"),
        (CentreReply(200, b"\xff" * 40), CentreReply(200, b""), "its answer is not that of a centre"),
        (CentreReply(404, b"Not here.\n"), CentreReply(200, b""), "Not here."),
        (CentreReply(200, b"ab" * 32), CentreReply(200, b"{}"), "its answer is not that of a centre"),
        (CentreReply(200, b"ab" * 32), CentreReply(409, b"It has a name.\n"), "It has a name."),
    ],
)
def test_what_a_centre_answers_to_an_enrolment_is_said(
    tmp_path: Path, centre: HttpCentre, challenge: CentreReply, reply: CentreReply, why: str
) -> None:
    centre.answers = lambda path, body: reply if body else challenge
    words = ("--journal", tmp_path / "new.db", "--to", centre.address, "--key", KEY)
    said = f"centre.example/c1 does not enrol this table: {why}\n"
    assert journal("enrol", "abcd efgh jklm", *words) == (1, "", said)


def test_a_lost_key_is_not_made_again(tmp_path: Path, shop: Shop) -> None:
    (tmp_path / "journal.db.keys" / "device.key").unlink()
    code, _, errors = journal("enrol", "x", "--journal", shop.path, "--to", "http://127.0.0.1:9/", "--key", KEY)
    assert (code, "was written with a key that is not in" in errors) == (2, True)
    assert not (tmp_path / "journal.db.keys" / "device.key").exists()


def test_the_centre_is_that_of_the_settings(
    tmp_path: Path, shop: Shop, centre: HttpCentre, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = CliRunner().invoke(main, ["settings", "example", "2x2"]).stdout
    monkeypatch.chdir(tmp_path)
    assert journal("hand-over") == (
        2,
        "",
        "--to: no centre is named. Write [centre] into the settings, or --to ADDRESS --key KEY.\n",
    )
    (tmp_path / "trapdial.toml").write_text(f'{settings}\n[centre]\naddress = "{centre.address}"\nkey = "{KEY}"\n')
    code, output, _ = journal("hand-over")
    assert (code, output) == (0, "journal.db: centre.example/c1 has all 8 entries; 8 of them are new.\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--to", "https://c.example/"], "--to: an address and a key go together. Write --to ADDRESS --key KEY.\n"),
        (
            ["--to", "c.example", "--key", KEY],
            "--to: 'c.example' is no address of a web server. Write one such as https://centre.example/.\n",
        ),
        (
            ["--to", "https://c.example/", "--key", STRANGER.public.hex()],
            "--key: it is no Ed25519 key: such a key has 44 letters after its second +, of type 01 or 04. Copy it "
            "once more from where its owner publishes it.\n",
        ),
        (
            ["--to", "https://c.example/", "--key", KEY, "--authority", "gone.pem"],
            "gone.pem: is no certificate that can be read (No such file or directory). Name the file that the "
            "centre's owner publishes.\n",
        ),
    ],
)
def test_what_was_typed_wrong_is_said(shop: Shop, words: list[str], said: str) -> None:
    assert journal("hand-over", "--journal", shop.path, *words) == (2, "", said)
