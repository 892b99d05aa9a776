"""The codes of the printed cards, in the folder of the journal's keys."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pi_app.journal.record.key_ring import KeyRing, ring_at
from pi_app.pages import card_codes
from pi_app.pages.address import code_text
from pi_app.pages.card_codes import CardCodes
from pi_app.text.errors import UserFileError

ANN, BEN = bytes(range(16)), bytes(range(16, 32))
LINES = f"10.77.0.1\nANN {code_text(ANN)}\nBEN {code_text(BEN)}\n"
AGAIN = "Make new ones, and print the cards again: trapdial pages cards --new."


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "journal.db.keys"
    folder.mkdir(mode=0o700)
    return folder


def test_kept_codes_are_loaded_and_for_the_owner_alone(tmp_path: Path) -> None:
    place = tmp_path / "journal.db.keys"
    card_codes.keep(KeyRing(place), CardCodes("10.77.0.1", {"ANN": ANN, "BEN": BEN}))
    assert card_codes.load(place) == {"ANN": ANN, "BEN": BEN}
    assert card_codes.printed(KeyRing(place)).host == "10.77.0.1"
    file = place / "card.codes"
    assert file.read_text() == LINES
    assert (stat.S_IMODE(place.stat().st_mode), stat.S_IMODE(file.stat().st_mode)) == (0o700, 0o600)


def test_no_folder_and_no_file_are_no_cards(tmp_path: Path, place: Path) -> None:
    assert card_codes.load(tmp_path / "none") == {}
    assert card_codes.load(place) == {}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LINES.replace("BEN", "ANN"), " line 3: the seat has two codes."),
        (LINES + "CAL short\n", " line 4: a code has 26 letters and digits, and this has 5."),
        (LINES + f"CAL {'0' * 26}\n", " line 4: a code has only the letters A to Z and the digits 2 to 7."),
        (LINES + f"CAL {'A' * 25}B\n", " line 4: a code ends in A, E, I, M, Q, U, Y or 4."),
        (LINES + f"CAL {code_text(ANN).lower()}\n", ": two seats have the same code."),
        ("10.77.0.1\n" + "\x1b[31m\n", " line 2: a code has 26 letters and digits, and this has 0."),
    ],
)
def test_garbage_is_refused_in_a_sentence_without_a_code(place: Path, text: str, said: str) -> None:
    (place / "card.codes").write_text(text)
    with pytest.raises(UserFileError) as refused:
        card_codes.load(place)
    assert str(refused.value) == f"{place / 'card.codes'}{said} {AGAIN}"


def test_bytes_that_are_no_text_are_refused(place: Path) -> None:
    (place / "card.codes").write_bytes(b"\xff\xfe")
    with pytest.raises(UserFileError, match=r"could not be read \(it is no text\)"):
        card_codes.load(place)


def test_a_folder_that_others_can_read_is_refused(place: Path) -> None:
    (place / "card.codes").write_text(LINES)
    place.chmod(0o755)
    with pytest.raises(UserFileError) as refused:
        card_codes.load(place)
    assert str(refused.value) == f"{place} can be read by other users (mode 755). Type: chmod 700 {place}."


def test_only_missing_codes_are_new() -> None:
    made = card_codes.renewed(["ANN", "BEN"], {"ANN": ANN})
    assert made["ANN"] == ANN
    assert len(made["BEN"]) == 16
    assert card_codes.renewed(["BEN"], {}) != card_codes.renewed(["BEN"], {})


def test_they_move_with_the_keys(tmp_path: Path, place: Path) -> None:
    ring = KeyRing(place)
    ring.device()
    card_codes.keep(ring, CardCodes("10.77.0.1", {"ANN": ANN}))
    stick = ring.move_to(tmp_path / "stick")
    assert card_codes.printed(stick).codes == {"ANN": ANN}
    assert card_codes.load(ring_at(stick.folder, place).folder) == {"ANN": ANN}
    assert not (place / "card.codes").exists()


def test_no_text_of_an_object_shows_a_code() -> None:
    assert repr(CardCodes("10.77.0.1", {"ANN": ANN})) == "CardCodes('10.77.0.1', 1 sealed)"
