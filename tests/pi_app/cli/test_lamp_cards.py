"""The cards of dealt lamp codes, written beside the journal for seats without a screen."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.lamp_cards import LampCards
from pi_app.cli.main import main
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError

BLIND = """
[seat.CAL]
name = "Cal"
button_gpio = 23
lamp_gpio = 22
lamp_code = "dealt"
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The small example with a third seat, which has no screen and a dealt code."""
    path = tmp_path / "trapdial.toml"
    path.write_text(example_path("2x2").read_text(encoding="utf-8") + BLIND, encoding="utf-8")
    return path


def words_of(card: Path) -> list[str]:
    return [html.unescape(text) for text in re.findall(r">([^<>]+)</text>", card.read_text(encoding="utf-8"))]


def cards(settings: Settings, folder: Path, said: list[str]) -> LampCards:
    return LampCards(settings, folder / "journal.db", said.append)


def test_a_seat_without_a_screen_gets_a_page(table: Path, tmp_path: Path) -> None:
    said: list[str] = []
    made = cards(load(table), tmp_path, said)
    for key in ("ANN", "CAL"):
        made.dealt(key, "jihgfedcba")
    (card,) = (tmp_path / "lamp_cards").iterdir()
    assert said == [f"{card}: Cal's lamp card for this game. Print it for Cal alone."]
    assert card.name == "lamp_card_CAL.svg"
    shown = words_of(card)
    assert "For this game only. Keep it to yourself." in shown
    first = shown.index("Look again")
    assert shown[first : first + 3] == ["Look again", "Clear", "Spiked Pit"], "the dealt order, not the public one"


def test_only_the_user_may_read_it(table: Path, tmp_path: Path) -> None:
    made = cards(load(table), tmp_path, [])
    card = tmp_path / "lamp_cards" / "lamp_card_CAL.svg"
    card.write_text("an older one")
    card.chmod(0o644)
    made.dealt("CAL", "jihgfedcba")
    assert (card.parent.stat().st_mode & 0o777, card.stat().st_mode & 0o777) == (0o700, 0o600)


def test_a_public_code_has_no_page_and_no_folder(tmp_path: Path) -> None:
    made = cards(load(example_path("2x2")), tmp_path, [])
    for key in ("ANN", "BEN"):
        made.dealt(key, "")
    assert [*tmp_path.iterdir()] == []


def test_a_game_that_resumes_after_the_settings_changed_keeps_its_card(table: Path, tmp_path: Path) -> None:
    table.write_text(table.read_text(encoding="utf-8").replace('lamp_code = "dealt"\n', ""), encoding="utf-8")
    said: list[str] = []
    cards(load(table), tmp_path, said).dealt("CAL", "jihgfedcba")
    assert "Look again" in words_of(tmp_path / "lamp_cards" / "lamp_card_CAL.svg")


def test_a_folder_that_cannot_be_made_is_said_before_play(table: Path, tmp_path: Path) -> None:
    (tmp_path / "lamp_cards").write_text("a file is in the way")
    with pytest.raises(UserFileError, match="this folder for lamp cards cannot be made"):
        cards(load(table), tmp_path, [])


def test_a_card_that_cannot_be_written_is_said_and_play_goes_on(table: Path, tmp_path: Path) -> None:
    said: list[str] = []
    made = cards(load(table), tmp_path, said)
    (tmp_path / "lamp_cards" / "lamp_card_CAL.svg").mkdir()
    made.dealt("CAL", "jihgfedcba")
    (line,) = said
    assert "lamp_card_CAL.svg: it cannot be written (" in line


def test_play_writes_it_and_says_none_of_its_words(table: Path, tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    command = ["play", "--simulated", "--settings", str(table), "--journal", str(journal)]
    result = CliRunner().invoke(main, command, input="end\nquit\n")
    assert result.exit_code == 0, result.output
    assert "lamp_card_CAL.svg: Cal's lamp card for this game. Print it for Cal alone." in result.output
    assert "Your lamp in this game" not in result.output
    assert "Spiked Pit" in words_of(tmp_path / "lamp_cards" / "lamp_card_CAL.svg")
