"""The sender's real process: it hands over whatever happens to it, follows the record, and ends with its table."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pi_app import journal as jn
from pi_app.journal import Journal
from pi_app.journal.cosigned import cosigned
from pi_app.journal.past import past_logs
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.heads import head_in
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.sender import keeper as keeper_module
from pi_app.sender.client import CentreReply
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders, kept_said, sending_file
from pi_app.sender.sender import NOT_COSIGNED, NOT_ENROLLED
from tests.pi_app.centre.records import CENTRE, a_game, entries_of
from tests.pi_app.sender.http_centre import HttpCentre
from tests.pi_app.sender.shop import Shop


@dataclass
class KeptShop:
    """A table whose sender's process runs, and its centre."""

    shop: Shop
    journal: Journal[Any, Any]
    centre: HttpCentre
    keeper: SenderKeeper

    @property
    def said(self) -> str:
        said = kept_said(self.shop.path)
        return said.troubles[0].sentence if said is not None and said.troubles else ""

    def until_here(self, entries: int) -> None:
        """Wait until the centre has so many entries, and the table its cosignature."""
        self.centre.until(lambda: any(head_in(note).size == entries for note in cosigned(self.shop.path)))
        assert self.shop.here == entries


def orders_of(shop: Shop, centre: HttpCentre) -> SenderOrders:
    return SenderOrders(journal=str(shop.path), address=centre.address, key=CENTRE.verifier.text(), spread=False)


@pytest.fixture
def at(tmp_path: Path) -> Iterator[KeptShop]:
    shop = Shop(tmp_path)
    centre = HttpCentre(shop.client)
    with Journal(shop.path, MAGE_KNIGHT) as journal:
        keeper = SenderKeeper(orders_of(shop, centre))
        yield KeptShop(shop, journal, centre, keeper)
        keeper.close()
    centre.close()
    shop.close()


@pytest.mark.slow
def test_entries_go_over_while_the_table_plays_and_after_each_kill(at: KeptShop) -> None:
    at.until_here(8)
    first = at.keeper.process_id
    a_game(at.journal, "g2", 6)
    at.until_here(16)
    assert at.keeper.process_id == first, "one process stays with one record"
    assert first is not None
    os.kill(first, signal.SIGKILL)
    a_game(at.journal, "g3", 6)
    at.until_here(24)
    assert at.keeper.process_id not in (None, first)
    record = at.shop.client.desk.record(origin_of(at.shop.key.public))
    assert [(row[1], row[2], row[3]) for row in at.shop.client.desk.store.rows(record.number)] == entries_of(
        at.shop.path
    )
    assert at.said == ""


def test_it_waits_for_every_other_program(at: KeptShop) -> None:
    at.until_here(8)
    number = at.keeper.process_id
    assert number is not None
    assert os.getpriority(os.PRIO_PROCESS, number) >= 10
    assert os.sched_getscheduler(number) == os.SCHED_BATCH
    assert int(Path(f"/proc/{number}/oom_score_adj").read_text()) >= 500


@pytest.mark.slow
def test_it_follows_a_record_that_is_put_aside_and_leaves_none_of_its_end(at: KeptShop) -> None:
    a_game(at.journal, "g2", 6)
    at.until_here(16)
    at.centre.answers = lambda path, body: None
    a_game(at.journal, "g3", 6)
    at.centre.until(at.journal.begin_new_log)
    a_game(at.journal, "g4", 6)
    (past,) = past_logs(at.shop.path)
    second = jn.keys_of(at.shop.path).known_device()
    assert second is not None
    at.shop.client.desk.store.add_code(b"other", "Table 1", "", 10_000)
    at.shop.client.desk.store.enrol(b"other", origin_of(second.public), 1)
    at.centre.answers = at.centre.from_desk
    at.centre.until(lambda: at.shop.client.desk.record(origin_of(second.public)).known.size == 8)
    assert at.shop.here == 24, "the past record came first, with its last entries"
    assert [head_in(note).size for note in cosigned(past)] == [24]


@pytest.mark.slow
def test_its_trouble_is_written_down_for_the_staff_and_taken_back(at: KeptShop) -> None:
    at.until_here(8)
    at.centre.answers = lambda path, body: CentreReply(404, b"")
    a_game(at.journal, "g2", 6)
    at.centre.until(lambda: at.said == NOT_ENROLLED)
    at.centre.answers = at.centre.from_desk
    number = at.keeper.process_id
    assert number is not None
    os.kill(number, signal.SIGKILL)  # else it waits for a minute after a refusal
    at.until_here(16)
    at.centre.until(lambda: at.said == "")
    at.keeper.close()
    assert not sending_file(at.shop.path).exists()


def test_a_centre_with_another_key_gets_no_more_than_its_lie(at: KeptShop) -> None:
    at.centre.answers = lambda path, body: CentreReply(200, b"\xe2\x80\x94 centre.example/c1 AAAA\n")
    a_game(at.journal, "g2", 6)
    at.centre.until(lambda: at.said == NOT_COSIGNED)
    assert at.shop.here in (0, 8)
    assert all(head_in(note).size <= 8 for note in cosigned(at.shop.path))


def test_a_process_that_cannot_start_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeper_module, "FIRST_PAUSE_S", 0.01)
    shop = Shop(tmp_path)
    centre = HttpCentre(shop.client)
    keeper = SenderKeeper(
        orders_of(shop, centre), command=(sys.executable, "-c", "raise SystemExit('no module named x')")
    )
    centre.until(lambda: (said := kept_said(shop.path)) is not None and "no module named x" in str(said.sentences(str)))
    keeper.close()
    centre.close()
    shop.close()


PARENT = """
import sys, time
from pi_app.sender.keeper import SenderKeeper
from pi_app.sender.orders import SenderOrders
keeper = SenderKeeper(SenderOrders(journal=sys.argv[1], address=sys.argv[2], key=sys.argv[3], spread=False))
while keeper.process_id is None:
    pass
print(keeper.process_id, flush=True)
sys.stdin.read()
"""


def test_it_ends_with_a_table_that_was_killed(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    centre = HttpCentre(shop.client)
    command = [sys.executable, "-c", PARENT, str(shop.path), centre.address, CENTRE.verifier.text()]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as table:
        assert table.stdout is not None
        child = int(table.stdout.readline())
        centre.until(lambda: shop.here == 8)
        table.kill()
    centre.until(lambda: not _runs(child))
    centre.close()
    shop.close()


def _runs(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
