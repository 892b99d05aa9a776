"""`trapdial centre clock`, as it is typed: what it shows, and what a person's word does."""

from __future__ import annotations

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from pi_app.centre.clock import machine
from pi_app.centre.clock.machine import ClockReading
from pi_app.centre.key_file import read_key
from pi_app.centre.settings import load
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.centre.taking.decision import LookUps, decide
from pi_app.play.power import Date
from tests.pi_app.centre.clocked import DAY, NOW, dated_table
from tests.pi_app.cli.typed_centre import centre

CLOCK = ClockReading(now_s=NOW, up_s=100.0, boot="b", source=Date.SET, from_network=True)
LATER = NOW + 800 * DAY


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> list[ClockReading]:
    """The clock of the machine, the last of these."""
    shown = [CLOCK]
    monkeypatch.setattr(machine, "this_clock", lambda: shown[-1])
    return shown


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    assert centre("new", tmp_path / "shop", "--name", "centre.example/c1")[0] == 0
    return tmp_path / "shop" / "centre.toml"


@pytest.fixture
def stuck(settings: Path, tmp_path: Path) -> Path:
    """A centre that has cosigned a record two years from now."""
    table = dated_table(tmp_path / "table.db", NOW)
    key = read_key(settings.with_name("centre.key"), load(settings).name)
    with contextlib.closing(SqliteStore(settings.with_name("centre.db"))) as store:
        store.add_code(b"code", "Table 1", "", 10_000)
        record = store.enrol(b"code", table.origin, 1)
        assert record is not None
        commit = decide(
            table.hands(1, 3), record, key, LookUps.of(store, record.number), int(LATER), present=True
        ).commit
        assert commit is not None
        assert store.commit([commit]) == [True]
    return settings


DOUBT = (
    "This centre does not cosign: its clock is in doubt. It shows 2026-11-28 12:00:00 UTC. The newest cosignature "
    "names 2029-02-05 12:00:00 UTC, which is 2 years later. If the date is right, type: "
    "trapdial centre clock --accept\n"
)


def test_a_clock_in_order(settings: Path) -> None:
    assert centre("clock", "-s", settings) == (
        0,
        "This machine shows 2026-11-28 12:00:00 UTC. Its date: set by the network.\n"
        "Nothing was cosigned yet.\n"
        "The clock is in no doubt: the centre cosigns.\n",
        "",
    )
    assert centre("clock", "--accept", "-s", settings) == (
        0, "The clock is in no doubt, so there is nothing to accept.\n", "",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("keeps_none", "words", "code"),
    [(False, "the machine's own, for no network has set it since the start", 0), (True, "not set since the start", 1)],
)
def test_a_clock_that_no_network_has_set(
    settings: Path, clock: list[ClockReading], keeps_none: bool, words: str, code: int
) -> None:
    clock.append(replace(CLOCK, source=Date.UNSET, from_network=False, keeps_none=keeps_none))
    found, output, _ = centre("clock", "-s", settings)
    assert (found, output.splitlines()[0]) == (code, f"This machine shows 2026-11-28 12:00:00 UTC. Its date: {words}.")


def test_a_clock_in_doubt_is_shown_and_accepted_with_what_that_means(stuck: Path) -> None:
    code, output, _ = centre("clock", "-s", stuck)
    assert (code, output) == (
        1,
        "This machine shows 2026-11-28 12:00:00 UTC. Its date: set by the network.\n"
        f"The newest cosignature names 2029-02-05 12:00:00 UTC.\n{DOUBT}",
    )
    assert centre("status", "-s", stuck)[1] == f"1 table: 1 plays. 3 entries, 0 findings.\n{DOUBT}"
    assert json.loads(centre("status", "--json", "-s", stuck)[1])["clock"] == DOUBT.strip()
    code, output, errors = centre("clock", "--accept", "-s", stuck)
    assert (code, errors) == (0, "")
    assert output == (
        "Accepted: this clock is right, until the machine starts again. A running centre cosigns within seconds.\n"
        "1 newest cosignature named a time that has not come yet, up to 2029-02-05 12:00:00 UTC, and was made again "
        "with the time of now.\n"
        "The earlier cosignatures still prove the entries, and their dates prove nothing. They remain in the journals "
        "of tables, in the centre's own log and with its witnesses. A table without a clock may have taken its date "
        "from one, and keeps that until its machine starts again. From now on `trapdial centre clock` shows this to "
        "auditors.\n"
        "From now on the centre signs the date that this machine shows. If that is wrong, each cosignature is.\n"
    )
    assert centre("clock", "-s", stuck) == (
        0,
        "This machine shows 2026-11-28 12:00:00 UTC. Its date: set by the network.\n"
        "The newest cosignature names 2026-11-28 12:00:00 UTC.\n"
        "A person has accepted this clock. That counts until the machine starts again.\n"
        "Accepted on 2026-11-28 12:00:00 UTC: cosignatures had named times up to 2029-02-05 12:00:00 UTC. One that "
        "names a time between these two proves its entries, and not its date.\n"
        "The clock is in no doubt: the centre cosigns.\n",
        "",
    )
    assert "clock" not in centre("status", "-s", stuck)[1]
    facts = json.loads(centre("clock", "--json", "-s", stuck)[1])
    assert facts == {
        "now_s": NOW, "source": "set by the network", "newest_s": NOW, "accepted": True, "doubt": "",
        "acceptances": [{"at_s": NOW, "until_s": LATER, "renewed": 1}],
    }  # fmt: skip


def test_a_date_that_cannot_be_right_is_not_accepted(settings: Path, clock: list[ClockReading]) -> None:
    clock.append(replace(CLOCK, now_s=1_000.0, source=Date.WRONG))
    code, output, errors = centre("clock", "--accept", "-s", settings)
    assert (code, output) == (2, "")
    assert errors == (
        "--accept: this machine shows 1970-01-01 00:16:40 UTC, which cannot be right. Set the date, or connect the "
        "machine to the network.\n"
    )


def test_what_a_running_centre_doubts_is_shown_and_can_be_accepted(settings: Path) -> None:
    with contextlib.closing(SqliteStore(settings.with_name("centre.db"))) as store:
        store.clock.keep_doubt("another", int(NOW - 4_000), "An old doubt.")
        store.clock.keep_doubt("b", int(NOW - 5), "The tables say another date.")
    code, output, _ = centre("clock", "-s", settings)
    assert (code, output.splitlines()[-1]) == (1, "The tables say another date.")
    assert centre("clock", "--accept", "-s", settings)[1].startswith("Accepted: ")
    assert centre("clock", "-s", settings)[0] == 0


def test_a_stick_is_taken_without_a_cosignature_while_the_clock_is_in_doubt(settings: Path, tmp_path: Path) -> None:
    from click.testing import CliRunner

    from pi_app.cli.main import main

    with contextlib.closing(SqliteStore(settings.with_name("centre.db"))) as store:
        store.clock.keep_doubt("b", int(NOW), "The centre does not cosign.")
    dated_table(tmp_path / "journal.db", NOW)
    export = tmp_path / "table.jsonl"
    words = ["journal", "export", str(tmp_path / "journal.db"), "--for-centre", "-o", str(export)]
    assert CliRunner().invoke(main, words).exit_code == 0
    code, output, errors = centre("take", export, "--enrol", "Table 1", "-s", settings)
    assert (code, errors) == (0, "The centre does not cosign.\n")
    assert output == f"{export}: Table 1: the centre has all 30 entries; 30 of them are new.\n"
    assert not export.with_name("table.jsonl.cosigned").exists()
