"""Keys in another place, and encrypted ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.journal.record import passphrase
from pi_app.journal.record.key_ring import KeyRing, key_ring
from pi_app.journal.record.keys import KeyFileError
from tests.layers import ROOT

PHRASE = "five words of a table"

USUAL = (passphrase.PASSES, passphrase.MEMORY_BYTES)
"""As the program has it, before the tests make it quick."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(passphrase, "MEMORY_BYTES", 8192)
    monkeypatch.setattr(passphrase, "PASSES", 1)
    yield
    passphrase.forget()


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    return tmp_path / "j.db.keys"


def test_moved_keys_are_found_from_beside_the_journal_and_move_back(beside: Path, tmp_path: Path) -> None:
    ring = key_ring(beside)
    device, game = ring.device(), ring.new_game("g1")
    ring.remember("TRAPDIAL1")
    there = ring.move_to(tmp_path / "stick")
    assert [path.name for path in beside.iterdir()] == ["place"]
    assert {path.name for path in there.folder.iterdir()} == {"device.key", "game-g1.key", "last.head"}
    again = key_ring(beside)
    assert (again.folder, again.beside) == (tmp_path / "stick", beside)
    assert (again.device(), again.game("g1"), again.remembered()) == (device, game, "TRAPDIAL1")
    back = again.move_to(beside)
    assert (back.folder, back.beside, key_ring(beside).beside) == (beside, None, None)
    assert list((tmp_path / "stick").iterdir()) == []
    assert key_ring(beside).device() == device


def test_keys_are_not_moved_over_those_of_another_journal(beside: Path, tmp_path: Path) -> None:
    key_ring(beside).device()
    KeyRing(tmp_path / "stick").device()
    before = (tmp_path / "stick" / "device.key").read_text()
    with pytest.raises(KeyFileError) as refused:
        key_ring(beside).move_to(tmp_path / "stick")
    assert str(refused.value) == f"{tmp_path}/stick holds the keys of another journal. Name another folder."
    assert (tmp_path / "stick" / "device.key").read_text() == before
    assert key_ring(beside).has_device


def test_a_move_that_was_interrupted_is_done_again(
    beside: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = key_ring(beside).device()
    point_to = KeyRing.point_to

    def full(ring: KeyRing, folder: Path) -> None:
        raise KeyFileError(ring.folder, "could not be written (No space left on device)", "Free some space")

    monkeypatch.setattr(KeyRing, "point_to", full)
    with pytest.raises(KeyFileError):
        key_ring(beside).move_to(tmp_path / "stick")
    assert key_ring(beside).device() == device
    monkeypatch.setattr(KeyRing, "point_to", point_to)
    assert key_ring(beside).move_to(tmp_path / "stick").device() == device


def test_no_key_is_written_where_the_stick_is_not(beside: Path, tmp_path: Path) -> None:
    ring = key_ring(beside)
    device = ring.device()
    there = ring.move_to(tmp_path / "stick")
    there.folder.rename(tmp_path / "pocket")
    for act in (
        lambda: there.new_game("g2"),
        lambda: there.put_back(device, {"g1": bytes(32)}),
        lambda: there.remember("x"),
        lambda: there.drop("g1"),
        there.device,
    ):
        with pytest.raises(KeyFileError, match="is not there, and it has the keys"):
            act()
    assert not there.folder.exists()


def test_encrypted_keys_move_as_they_are(beside: Path, tmp_path: Path) -> None:
    ring = key_ring(beside)
    device = ring.device()
    ring.set_passphrase(PHRASE)
    there = ring.move_to(tmp_path / "stick")
    assert there.is_locked
    assert there.device() == device
    assert (there.folder / "device.key").read_text().startswith("locked1 ")


def test_what_was_not_encrypted_is_overwritten(beside: Path) -> None:
    """An open file still shows the old content's place: zeros."""
    ring = key_ring(beside)
    ring.device()
    (beside / "game-g0.key.part").write_text("left by a power cut")
    with (beside / "device.key").open("rb") as old:
        before = old.read()
        ring.set_passphrase(PHRASE)
        old.seek(0)
        assert old.read() == bytes(len(before))
    assert {path.name for path in beside.iterdir()} == {"device.key", "passphrase.lock"}


def test_the_lock_says_how_it_was_made_and_holds_to_its_limits(beside: Path) -> None:
    ring = key_ring(beside)
    ring.set_passphrase(PHRASE)
    lock = (beside / "passphrase.lock").read_text()
    assert '"kdf":"argon2id13","passes":1,"memory":8192' in lock
    for dear in ('"passes":1,"memory":1099511627776', '"passes":999999,"memory":8192', '"passes":1,"memory":0'):
        (beside / "passphrase.lock").write_text(lock.replace('"passes":1,"memory":8192', dear))
        with pytest.raises(KeyFileError, match="asks for another way to stretch a passphrase"):
            ring.open_lock()


def test_the_usual_cost_is_the_one_of_the_page() -> None:
    assert USUAL == (3, 128 * 2**20)
    page = " ".join((ROOT / "wiring_docs" / "secrets.md").read_text(encoding="utf-8").split())
    assert "Each attempt costs 128 MB of memory" in page
    assert "(Argon2id, three passes)" in page
