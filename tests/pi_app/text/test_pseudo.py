"""A table that speaks no language: whatever of a game is read without brackets was never marked."""

from __future__ import annotations

import re
import sys

import pytest

from pi_app.displays.describe import describe
from pi_app.play.commands.words import USAGE
from pi_app.report.moment import NO_GAME
from pi_app.report.pictures import SeatPicture
from pi_app.settings.load import speaking
from pi_app.simulated.live.drawing import Chosen, draw, draw_too_small
from pi_app.simulated.live.key_row import draw_keys
from pi_app.simulated.live.keys import KEYS, TYPING_KEYS, offer_keys
from pi_app.simulated.live.layout import lay_out
from pi_app.simulated.live.pages import draw_help, draw_intro
from pi_app.text.errors import BrokenInstallationError
from pi_app.text.language import LOCALE, PSEUDO_LANGUAGE, words
from pi_app.text.pseudo import LONGER, bracketed, pseudo
from tests.pi_app.playing import Played, settings, table
from tests.pi_app.simulated.live.views import TABLE

SPEAK = words(PSEUDO_LANGUAGE)
PLAIN = re.compile(r"[^\W\d_]*[aceinouyACEINOUY][^\W\d_]*")
"""A word with a letter that the pseudo-language always accents: nothing translated it."""

HEAD = re.compile("TRAPDIAL1[A-Z2-7 ]+")


def escaped(line: str, *data: str) -> list[str]:
    """Words of a line that are in no message. `data`: names, labels and the table's own words, which stay."""
    line = HEAD.sub("", re.sub(r"`[^`]*`", "", line))
    for each in sorted((*data, *(usage for usage, _ in USAGE.values())), key=len, reverse=True):
        line = line.replace(each, "")
    line = re.sub(r"[A-Z]+(?:-[A-Z]+)*-[0-9]+", "", line)
    return [word for word in PLAIN.findall(line) if len(word) > 1]


def test_a_message_is_bracketed_accented_and_longer() -> None:
    assert bracketed("Turn {clicks} times,\nthen `l`.") == "[Türñ {clicks} tîmés,\nthéñ `l`. ---- ----]"
    assert bracketed(" The game is on.") == " [Thé gàmé îs öñ. ----]"
    assert len(bracketed("x" * 100)) >= 100 * (1 + LONGER)


def test_a_message_that_is_not_in_the_list_stays_as_it_is() -> None:
    assert SPEAK("The Cage") == "[Thé Çàgé ----]"
    assert SPEAK("The Maze") == "The Maze"


def test_the_sentence_of_a_missing_babel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "babel.messages.pofile", None)
    with pytest.raises(BrokenInstallationError) as broken:
        pseudo(LOCALE / "trapdial.pot")
    assert str(broken.value) == (
        "Babel, which reads the list of messages for the pseudo-language, cannot be loaded (import of "
        "babel.messages.pofile halted; None in sys.modules). It is a developers' tool: `make install-dev` "
        "in the folder of the source installs it."
    )


def test_what_escapes_is_found() -> None:
    assert escaped("[T01: [éxpösüréd].] and more", "T01") == ["and", "more"]
    assert escaped("Ann [türñs]", "Ann") == []


def play(at: Played) -> None:
    """Everything that two players and a referee come across without a broken wire."""
    at.expose("ANN", "T01", 3)
    for line in ("status", "help", "check", "expose T01 BEN", "disarm T01 ANN quick 1 1 1", "jaws T01 harmed"):
        at.say(line)
    for line in (
        "trigger T02 BEN entered",
        "hexpose",
        "claim CARL",
        "drop T09",
        "rolled BEN 9",
        "roll ANN",
        "home T01",
    ):
        at.say(line)
    at.press("ANN")
    at.let_go("ANN")
    at.turn("T02", -2)
    at.press("BEN")
    at.let_go("BEN")
    at.tap("BEN")
    at.tap("BEN")
    at.say("claim BEN")
    at.say("drop BEN")
    at.say("end")
    at.press("ANN")


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[tuple[str, str]], list[SeatPicture]]:
    pictures: list[SeatPicture] = []
    with table(tmp_path_factory.mktemp("pseudo"), speaking(settings(), [PSEUDO_LANGUAGE])) as at:
        shown = at.shown

        def noted(seat: str, picture: SeatPicture, at_ns: int) -> None:
            pictures.append(picture)
            shown(seat, picture, at_ns)

        at.shown = noted  # type: ignore[method-assign]
        play(at)
        return at.lines, pictures


DATA = (
    "Ann",
    "Ben",
    "ANN",
    "BEN",
    "T01",
    "T02",
    "Small table",
    "CARL",
    "hexpose",
    "T09",
    "SEAT",
    "'expose'",
    "(en)",
)


def test_nothing_of_a_game_escapes_translation(game: tuple[list[tuple[str, str]], list[SeatPicture]]) -> None:
    lines, _ = game
    assert {viewer for viewer, _ in lines} == {"public", "referee", "log", "seat ANN", "seat BEN"}
    assert len(lines) > 60
    assert {(line, *left) for _, line in lines if (left := escaped(line, *DATA))} == set()


def test_nothing_of_a_screen_escapes_translation(game: tuple[list[tuple[str, str]], list[SeatPicture]]) -> None:
    _, pictures = game
    told = {describe(picture, SPEAK) for picture in pictures}
    assert len(told) > 5
    assert {(line, *left) for line in told if (left := escaped(line, *DATA))} == set()


def test_nothing_of_the_live_screen_escapes_translation() -> None:
    layout = lay_out(160, 50, len(TABLE.squares), len(TABLE.seats), seat=0, square=0)
    assert layout is not None
    said = [line.line for line in TABLE.log]
    told = ("Trapdial", "concealed", "Small table", *said)
    lines = [*draw(TABLE, Chosen(), layout, 160, 50, SPEAK), *draw_help(160, SPEAK), *draw_too_small(80, 5, SPEAK)]
    lines += draw_intro(160, SPEAK)
    lines += [draw_keys(400, keys, SPEAK)[0] for keys in (offer_keys(TABLE, TABLE.squares[0]), TYPING_KEYS)]
    texts = ["".join(text for text, _ in line) for line in lines]
    keys = [name for key in (*KEYS, *TYPING_KEYS) for name in key.names.split(", ") if len(name) > 1]
    assert [text for text in texts if escaped(text, *told, *keys, *DATA)] == []


def test_before_a_game_a_seat_reads_its_own_language(tmp_path_factory: pytest.TempPathFactory) -> None:
    with table(tmp_path_factory.mktemp("before"), speaking(settings(), ["en", "de"])) as at:
        at.demo.loop.session.moment = NO_GAME
        at.press("BEN")
        assert at.screens["BEN"] == "Es läuft kein Spiel."
