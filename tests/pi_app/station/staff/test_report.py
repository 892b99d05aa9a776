"""The report that a stick carries out of the shop holds no secret of the table, of its phones, or of its settings."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.pages import staff_kinds as kinds
from pi_app.pages import staff_sealing as sealing
from pi_app.pages.address import code_text
from pi_app.station.staff.staff import StationStaff
from pi_app.station.troubles.ring import TroubleRing
from pi_app.station.troubles.start_errors import trouble_of
from pi_app.station.troubles.troubles import StationTrouble, TroubleFound
from pi_app.text.errors import UserFileError
from tests.pages.canaries import Canaries, trap_texts
from tests.pi_app.hosts import put
from tests.pi_app.playing import Played
from tests.pi_app.station.staff.at_staff import HOST, PASSPHRASE, PIN, station

CODE = bytes(range(101, 117))
"""The code of Ann's card."""
PIECE = 12
"""Bytes of a key that are searched for: a third of one is too much in a report."""
KEYS = "/media/pi/owners-stick"
MOUNTS = "/dev/sda1 /media/stick vfat rw 0 0\n"


def secrets(at: Played, keys: sealing.StaffKeys) -> Iterator[str]:
    """What no report may hold: the traps, the codes and keys of phones and staff, all keys of the record, and what the
    settings say in confidence."""
    yield from trap_texts()
    yield from (PIN, PASSPHRASE, KEYS, code_text(CODE))
    found = [CODE, keys.up, keys.down, *_keys_of_record(at.journal.parent)]
    for key in found:
        for start in range(0, len(key) - PIECE + 1, PIECE):
            piece = key[start : start + PIECE]
            yield from (piece.hex(), piece.hex().upper(), base64.b64encode(piece).decode(), piece.decode("latin-1"))


def _keys_of_record(folder: Path) -> list[bytes]:
    files = [path for path in folder.rglob("*.key*") if path.is_file()]
    assert files, "a record has keys"
    return [path.read_bytes() for path in files]


def ask(staff: StationStaff, keys: sealing.StaffKeys, number: int, what: str) -> str:
    body = staff.answer(sealing.seal_ask(keys, number, json.dumps({"do": what}).encode()), number)
    text = sealing.open_answer(keys, number, body)
    assert text is not None
    said: str = json.loads(text)["said"]
    return said


def enter(staff: StationStaff) -> sealing.StaffKeys:
    page = sealing.begin(PIN, HOST)
    proved = page.proved(staff.answer(page.body, 0))
    assert proved is not None
    assert staff.answer(proved[1], 0)[0] == kinds.PROVE
    return proved[0].keys


def reported(folder: Path) -> tuple[str, Canaries]:
    """The report of a station in the middle of a game, with every trouble in its ring; and what must not be in it."""
    put(folder, "proc/mounts", MOUNTS)
    (folder / "media/stick").mkdir(parents=True)
    with station(folder, {"ANN": CODE}) as (staff, at, _):
        at.tap("ANN")
        at.turn("T01", 3)
        at.press("ANN")
        assert "The Cage" in at.screens["ANN"], "there is something to tell"
        for number, trouble in enumerate(StationTrouble):
            staff.ring.note(TroubleFound(trouble, ("T01",)), over=bool(number % 2))
        keys = enter(staff)
        said = ask(staff, keys, 1, "report")
        assert said == "Written to the stick: trapdial-report-1.txt. You may pull it out now."
        canaries = Canaries(secrets(at, keys))
    return (folder / "media/stick/trapdial-report-1.txt").read_text(encoding="utf-8"), canaries


def test_a_report_has_no_secret_and_one_that_had_would_be_found(tmp_path: Path) -> None:
    text, canaries = reported(tmp_path)
    assert len(canaries) > 100
    assert canaries.found_in(text.encode()) == []
    assert all(each.code in text for each in StationTrouble)
    for planted in (PIN, PASSPHRASE, KEYS, code_text(CODE), CODE.hex()[:24], "The Cage"):
        assert planted in canaries.found_in(f"{text}\n{planted}\n".encode())


def test_what_a_trouble_names_goes_into_the_report_so_a_secret_there_would_be_found(tmp_path: Path) -> None:
    """The ring is the only free text in a report."""
    TroubleRing(tmp_path).note(TroubleFound(StationTrouble.SETTINGS_BROKEN, (PASSPHRASE,)), over=False)
    text, canaries = reported(tmp_path)
    assert canaries.found_in(text.encode()) == [PASSPHRASE]


@pytest.mark.parametrize("secret", [PIN, PASSPHRASE])
def test_a_mistake_beside_a_secret_names_its_line_and_not_the_secret(secret: str) -> None:
    problem = f"trapdial.toml line 4, column 9: this is not TOML: pin = {secret}"
    section = f"trapdial.toml [station] pin: {secret} has too few digits."
    for each in (problem, section):
        found = trouble_of(UserFileError([each]))
        assert found is not None
        assert secret not in found.places[0]
