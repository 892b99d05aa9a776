"""A sender that is killed at any call of a hand-over goes on by itself: nothing is lost, and nothing is double."""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_app.journal.cosigned import cosigned
from pi_app.journal.record.checkpoints import origin_of
from pi_app.journal.record.heads import head_in
from pi_app.sender.client import CentreReply
from tests.pi_app.centre.records import CENTRE, Desk, DeskClient, entries_of
from tests.pi_app.sender.http_centre import HttpCentre
from tests.pi_app.sender.shop import Shop

ENTRIES = 8
Life = Callable[[Path, str, int], tuple[int, int]]


class Desks:
    """A centre of its own for each life, all behind one port."""

    def __init__(self) -> None:
        self.client: DeskClient

    def post(self, path: str, body: bytes) -> CentreReply:
        return self.client.post(path, body)


@contextlib.contextmanager
def lives() -> Iterator[Life]:
    command = [sys.executable, "-m", "tests.pi_app.sender.killed_sender", CENTRE.verifier.text(), str(ENTRIES)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None

        def life(journal: Path, address: str, killed_at: int) -> tuple[int, int]:
            assert program.stdin is not None
            assert program.stdout is not None
            program.stdin.write(f"{journal} {address} {killed_at}\n")
            program.stdin.flush()
            ended, calls = program.stdout.readline().split()
            return int(ended), int(calls)

        yield life
        program.stdin.close()


def killed_everywhere(folder: Path, step: int) -> tuple[int, int]:
    """Kill the sender at each `step`th of its calls; return how many calls it has, and at how many it was killed."""
    shop = Shop(folder)
    desks = Desks()
    centre = HttpCentre(desks)
    expected, killed = entries_of(shop.path), 0
    with lives() as life:
        desks.client = DeskClient(Desk(shop.new_store("count.db")))
        there = _copy(shop, folder / "count")
        ended, calls = life(there, centre.address, 0)
        assert ended == 0
        for killed_at in range(1, calls + 1, step):
            desk = Desk(shop.new_store(f"{killed_at}.db"))
            desks.client = DeskClient(desk)
            there = _copy(shop, folder / str(killed_at))
            ended, _ = life(there, centre.address, killed_at)
            assert ended == -signal.SIGKILL
            killed += 1
            before = desk.record(origin_of(shop.key.public)).known.size
            assert all(head_in(note).size <= before for note in cosigned(there)), "no cosignature without its entries"
            assert life(there, centre.address, 0)[0] == 0, "it goes on by itself"
            record = desk.record(origin_of(shop.key.public))
            assert [(row[1], row[2], row[3]) for row in desk.store.rows(record.number)] == expected
            assert [head_in(note).size for note in cosigned(there)] == [ENTRIES]
            assert [each.name for each in there.with_name("journal.db.cosigned").iterdir()] == ["notes"]
            desk.store.close()
    centre.close()
    shop.close()
    return calls, killed


def _copy(shop: Shop, folder: Path) -> Path:
    folder.mkdir()
    shutil.copytree(shop.path.with_name("journal.db.keys"), folder / "journal.db.keys")
    shutil.copy(shop.path, folder / "journal.db")
    return folder / "journal.db"


def test_some_calls(tmp_path: Path) -> None:
    calls, killed = killed_everywhere(tmp_path, 7)
    assert calls > 50
    assert killed >= 8


@pytest.mark.slow
def test_every_call(tmp_path: Path) -> None:
    calls, killed = killed_everywhere(tmp_path, 1)
    assert killed == calls
