"""What a frame says: the contract with the page, field by field."""

from __future__ import annotations

import base64
import json
import pprint
from dataclasses import replace

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.trap_table import Trap
from pi_app.pages.content import (
    CardContent,
    DieContent,
    FaceContent,
    SaidContent,
    SeatView,
    encoded,
    picture_of,
    qr_code,
    seat_view,
)
from pi_app.pages.page_words import PAGE_WORDS, page_words
from pi_app.report.lamp_code import PATTERNS
from pi_app.report.moment import Moment
from pi_app.report.pictures import Dark, Say, ShowCard, ShowDie, ShowFace
from pi_app.report.public_lines import PublicLines
from pi_app.report.seat_screen import PHONE_SENTENCES, Attention, seat_card, seat_looks, seat_says
from pi_app.text.language import words as words_of
from pi_app.text.languages import LANGUAGES
from tests.pi_app.games import exposes, played, started, table_with, turned

FACE = ShowFace(
    label="T03",
    kind="trap",
    trap="spiked_pit",
    click_number=5,
    disarm="6+ = 9",
    xp=25,
    quick_of_36=21,
    slow_of_36=33,
    effect="2 damage. Later too, unless you pay 4 speed.",
    sample=True,
    simulated=True,
)


def shown(moment: Moment, seat: str = "ANN") -> SeatView:
    return seat_view(moment.game, seat, PublicLines([]), marks=("SIMULATED",), news=("Ann turns.",))


def test_a_frame_has_exactly_these_fields() -> None:
    view = shown(played(started(), *exposes("T01", 1, "ANN")))
    said = json.loads(encoded(view))
    ui = said.pop("ui")
    assert said == {
        "v": 1,
        "seat": "ANN",
        "name": "Ann",
        "table": "Test table",
        "lang": "en",
        "phase": "playing",
        "marks": ["SIMULATED"],
        "state": "Test table. The game is on. SIMULATED: no real dial was read.",
        "squares": [["T01", "T01: exposed by Ann.", "EXPOSED"], ["T02", "T02: concealed.", "CONCEALED"]],
        "news": ["Ann turns."],
        "mine": {"claim": "", "knows": ["T01"], "may_tap": True},
        "held": False,
        "picture": None,
        "head": "",
        "qr": None,
        "after": 0,
    }
    assert ui["you"] == "You are Ann."


def test_the_others_frame_does_not_say_what_was_exposed() -> None:
    trap, clear = (
        played(started(table_with(content), table_with(None)), *exposes("T01", 1, "ANN"))
        for content in (Trap.CAGE, None)
    )
    assert encoded(shown(trap, "BEN")) == encoded(shown(clear, "BEN"))
    assert encoded(shown(trap, "ANN")) == encoded(shown(clear, "ANN"))


def test_a_claim_is_open_or_names_its_square() -> None:
    claimed = played(started(), ev.Claimed(seat="ANN", grade="button"))
    bound = played(ev.Bound(seat="ANN", square="T02"), moment=claimed)
    assert [shown(each).claim for each in (played(started()), claimed, bound)] == ["", "open", "T02"]
    assert "Ann is about to turn a dial." in shown(claimed, "BEN").state


def test_only_a_game_that_is_on_may_be_tapped() -> None:
    over = played(started(), ev.Ended())
    assert [(shown(each).phase, shown(each).may_tap) for each in (played(started()), over)] == [
        ("playing", True),
        ("ended", False),
    ]


def test_the_eight_newest_sentences_are_told() -> None:
    view = replace(shown(played(started())), news=tuple(f"{number}." for number in range(12)))
    assert json.loads(encoded(view))["news"] == [f"{number}." for number in range(4, 12)]


def test_what_stands_in_the_news_does_not_stand_in_the_state_too() -> None:
    game = played(started(), *exposes("T01", 1, "ANN")[:1]).game
    quiet, told = "Test table. The game is on. SIMULATED: no real dial was read.", "Ann is about to turn a dial."
    assert seat_view(game, "ANN", PublicLines([])).state == f"{quiet} {told}"
    assert seat_view(game, "ANN", PublicLines([]), news=(told,)).state == quiet


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("attention", PHONE_SENTENCES)
def test_a_sentence_on_a_phone_names_its_buttons_by_their_words(language: str, attention: Attention) -> None:
    words = words_of(language)
    content = picture_of(seat_says(attention, words), words, None)
    assert isinstance(content, SaidContent)
    buttons = page_words(language, "Ann")
    text = " ".join(content.lines)
    assert buttons["turn"] in text
    assert (buttons["hold"] in text) == (attention is Attention.SHARE)
    assert "{" not in text


def test_a_seat_reads_its_own_language() -> None:
    first = started()
    seats = (ev.SeatSetup(seat="ANN", name="Ann", language="de"), first.seats[1])
    game = played(msgspec.structs.replace(first, seats=seats), *exposes("T01", 1, "ANN"))
    ann, ben = shown(game, "ANN"), shown(game, "BEN")
    assert (ann.language, ann.squares[0][1], ann.ui["you"]) == ("de", "T01: aufgedeckt von Ann.", "Du bist Ann.")
    assert (ben.language, ben.squares[0][1], ben.ui["you"]) == ("en", "T01: exposed by Ann.", "You are Ben.")


def test_a_face_on_a_phone() -> None:
    found = picture_of(FACE, words_of("de"), PATTERNS[5])
    assert json.loads(msgspec.json.encode(found)) == {
        "kind": "face",
        "label": "T03",
        "title": "Speer-Fallgrube",
        "symbol": "spiked_pit",
        "lines": ["Klick 5", "entschärf. 6+ = 9", "EP 25", "schnell 21/36", "langsam 33/36"],
        "effect": words_of("de")("2 damage. Later too, unless you pay 4 speed."),
        "marks": ["MUSTER", "SIMULIERT"],
        "lamp": [0, 1, 0, 1, 0],
    }


def test_a_clear_square_and_a_mark_on_a_phone() -> None:
    clear = ShowFace(
        label="T03",
        kind="clear",
        trap=None,
        click_number=None,
        disarm=None,
        xp=None,
        quick_of_36=None,
        slow_of_36=None,
        effect="No trap. Free to walk until the game ends.",
        sample=True,
        simulated=True,
        note="Look again",
    )
    found = picture_of(clear, words_of("en"), None)
    assert isinstance(found, FaceContent)
    assert (found.title, found.symbol, found.lines, found.lamp) == ("Clear", "clear", ("Look again",), None)
    mark = picture_of(replace(clear, kind="other"), words_of("en"), None)
    assert isinstance(mark, FaceContent)
    assert (mark.title, mark.symbol, mark.effect) == (
        "No face",
        "other",
        "The dial stands on a mark: start or disarmed.",
    )


def test_words_dice_cards_and_darkness_on_a_phone() -> None:
    words = words_of("en")
    assert picture_of(Say(("One.", "Two."), "T01"), words, None) == SaidContent(("One.", "Two."), "T01")
    assert picture_of(Say(("One.",)), words, None) == SaidContent(("One.",), "")
    assert picture_of(ShowDie(("Turn it 3 clicks.",), "T01"), words, None) == DieContent(("Turn it 3 clicks.",), "T01")
    card = picture_of(ShowCard("Your lamp", "1/4", ((PATTERNS[0], "Clear"),)), words, None)
    assert card == CardContent("Your lamp", "1/4", (((1, 1, 0, 0, 0), "Clear"),))
    assert json.loads(msgspec.json.encode(card))["rows"] == [[[1, 1, 0, 0, 0], "Clear"]]
    assert picture_of(Dark(), words, None) is None


def test_every_trap_has_the_name_of_its_symbol() -> None:
    for trap in Trap:
        game = played(started(table_with(trap)), *exposes("T01", 1, "ANN")).game
        found = picture_of(seat_looks(game, "ANN", "T01", words_of("en")), words_of("en"), None)
        assert isinstance(found, FaceContent)
        assert found.symbol == trap.value


def test_a_dealt_card_comes_page_by_page() -> None:
    first = started()
    seats = (msgspec.structs.replace(first.seats[0], lamp="jihgfedcba"), first.seats[1])
    game = played(msgspec.structs.replace(first, seats=seats)).game
    pages = [seat_card(game, "ANN", page, words_of("fr")) for page in range(4)]
    found = [picture_of(page, words_of("fr"), None) for page in pages if page is not None]
    assert [each.page for each in found if isinstance(each, CardContent)] == ["1/4", "2/4", "3/4", "4/4"]
    assert sum(len(each.rows) for each in found if isinstance(each, CardContent)) == 10


def test_a_qr_code_is_one_run_of_bits() -> None:
    rows = ((True, False, True), (False, False, False), (True, True, True))
    found = qr_code(rows)
    assert (found.size, base64.b64decode(found.rows)) == (3, bytes([0b10100011, 0b10000000]))
    view = replace(shown(played(started())), qr=found, head="TRAPDIAL1 AB")
    said = json.loads(encoded(view))
    assert (said["qr"], said["head"]) == ({"size": 3, "rows": "o4A="}, "TRAPDIAL1 AB")


def test_no_picture_is_printed() -> None:
    contents = [picture_of(FACE, words_of("en"), PATTERNS[0]), DieContent(("Turn it 3 clicks.",), "T01")]
    view = replace(shown(played(started())), picture=contents[0])
    printed = f"{contents} {view} {pprint.pformat([*contents, view])}"
    assert "Pit" not in printed
    assert "3 clicks" not in printed
    assert printed.count("(sealed)") == 6


# ------------------------------------------------------------------------------------------------- the page's words


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_of_the_page_are_finished_in_every_language(language: str) -> None:
    found = page_words(language, "Zoë {x}")
    assert [*found] == [*PAGE_WORDS]
    assert "Zoë {x}" in found["you"]
    assert not any("{" in text for key, text in found.items() if key != "you")
    if language != "en":
        assert not [key for key, message in PAGE_WORDS.items() if found[key] == message]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_words_leave_room_for_the_rest_of_a_short_frame(language: str) -> None:
    assert len(msgspec.json.encode(dict(page_words(language, "Ann")))) < 1300


# ------------------------------------------------------------------------------------------------- the public lines


def test_public_lines_are_built_once_for_each_game() -> None:
    public, moment = PublicLines(["en", "de"]), played(started(), *exposes("T01", 1, "ANN"))
    assert public.lines(moment.game, "en") is public.lines(moment.game, "en")
    assert public.of(moment.game, "T01") == {"en": "exposed by Ann", "de": "aufgedeckt von Ann"}


def test_a_turn_that_is_not_claimed_changes_no_line_of_the_public() -> None:
    public, before = PublicLines([]), played(started())
    after = played(turned("T01", 3), moment=before)
    assert {**public.lines(before.game, "en")} == {**public.lines(after.game, "en")}
