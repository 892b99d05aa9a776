"""The guide goes through the first turn, from what the table shows."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from pi_app.settings import load as settings
from pi_app.settings.model import LampSettings, Settings
from pi_app.simulated.live import guide
from pi_app.simulated.live.cells import width_of
from pi_app.simulated.live.guide import GLOWING, SENTENCES, GuideStep, guidance, step_after
from pi_app.simulated.live.keys import KEYS
from pi_app.simulated.live.lamp_reading import card_rows
from pi_app.simulated.live.table import LiveTable
from pi_app.simulated.live.values import Claiming, Snapshot
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests import catalogues
from tests.pi_app.simulated.live.views import ANN, BEN, EN, T01, T02, TABLE

OPEN = replace(TABLE, seats=(replace(ANN, claiming=Claiming.OPEN), BEN))
BOUND = replace(ANN, claiming=Claiming.BOUND, square="T01")
TURNING = replace(TABLE, seats=(BOUND, BEN), squares=(replace(T01, moving=True, turned=1.5), T02))
RESTS = replace(TABLE, seats=(BOUND, BEN), squares=(replace(T01, turned=2.0), T02))
EXPOSED = (replace(T01, turned=2.0, state="EXPOSED"), T02)
LOOKS = replace(TABLE, seats=(replace(ANN, held=True, pixels=b"\xff" * 1024), BEN), squares=EXPOSED)
AFTERWARDS = replace(TABLE, squares=EXPOSED)


def test_a_turn_goes_through_every_step_in_order() -> None:
    step, steps = GuideStep.TAP, []
    for table in (TABLE, OPEN, TURNING, RESTS, LOOKS, AFTERWARDS, TABLE):
        step = step_after(step, table)
        steps.append(step)
    assert steps == [
        GuideStep.TAP,
        GuideStep.TURN,
        GuideStep.WAIT,
        GuideStep.HOLD,
        GuideStep.LOOK,
        GuideStep.DONE,
        GuideStep.DONE,
    ]


def test_a_tap_that_is_taken_back_is_asked_for_again() -> None:
    assert step_after(GuideStep.TURN, TABLE) is GuideStep.TAP


def test_a_button_held_too_soon_is_no_look() -> None:
    held = replace(BOUND, held=True, pixels=b"\xff" * 1024)
    assert step_after(GuideStep.WAIT, replace(TURNING, seats=(held, BEN))) is GuideStep.WAIT


def test_the_keys_that_glow_are_keys_and_their_sentences_name_them() -> None:
    shown = {key.action: key.shown for key in KEYS}
    assert [shown[GLOWING[step]] for step in (GuideStep.TAP, GuideStep.TURN, GuideStep.HOLD, GuideStep.LOOK)] == [
        "c",
        "r",
        "l",
        "l",
    ]
    assert all(f"`{shown[action]}`" in SENTENCES[step] for step, action in GLOWING.items())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_fits_the_smallest_window(language: str) -> None:
    marked = catalogues.marks(Path(guide.__file__))
    assert len(marked) == len(SENTENCES) + 2
    for mark in marked:
        sentence = words(language)(ast.literal_eval(mark.args[0]))
        shown = sentence.format(seat="Ann", square="T01", number=2).replace("`", "")
        assert width_of(f" » {shown}") <= 80, shown


# ------------------------------------------------------------------------------------- seats without a screen

SCREEN = [GuideStep.TAP, GuideStep.TURN, GuideStep.HOLD, GuideStep.LOOK, GuideStep.DONE]
LAMP = [*SCREEN[:3], GuideStep.COUNT, GuideStep.COUNTED, GuideStep.END]


def in_colour(lamp: LampSettings | None, gpio: int | None) -> Settings:
    """The table 2x2, whose second seat has only a lamp, of three colours or one."""
    table = settings.load(settings.example_path("2x2"))
    seat = msgspec.structs.replace(table.seats["BEN"], screen=None, lamp_code="dealt", lamp=lamp, lamp_gpio=gpio)
    return replace(table, seats={**table.seats, "BEN": seat})


RED = LampSettings(red_gpio=12, green_gpio=13, blue_gpio=18, colour="red", common="anode")
TABLES = {
    **{name: settings.load(settings.example_path(name)) for name in settings.EXAMPLES},
    "a lamp and a dealt card": in_colour(None, 21),
    "a lamp of three colours": in_colour(RED, None),
}


def guided(table: LiveTable, seat: str, square: str, look_s: float) -> tuple[list[GuideStep], list[Snapshot]]:
    """Play a turn as the guide says, look for so many seconds, and return its steps with what the table showed. A dial
    that is turned by one click may rest before it is seen to turn."""
    steps, shown = [GuideStep.TAP], []

    def wait(seconds: float) -> None:
        for _ in range(round(seconds / 0.05)):
            table.pass_s(0.05)
            assert table.snapshot is not None
            step = step_after(steps[-1], table.snapshot)
            if step is not steps[-1]:
                steps.append(step)
                shown.append(table.snapshot)

    table.tap(seat)
    wait(0.5)
    table.roll(seat, square)
    wait(6.0)
    table.hold(seat)
    wait(look_s)
    table.hold(seat)
    wait(6.0)
    return [step for step in steps if step is not GuideStep.WAIT], shown


@pytest.mark.parametrize("name", TABLES)
def test_the_guide_ends_for_every_seat_of_every_example(tmp_path: Path, name: str) -> None:
    of = TABLES[name]
    with LiveTable(of, tmp_path / "journal.db", seed=3).opened() as table:
        table.pass_s(0.5)
        for number, (seat, square) in enumerate(zip(of.seats, of.squares, strict=False)):
            if number:
                table.say("end")
                table.pass_s(1.0)
                table.new_game()
                table.pass_s(15.0)
            steps, _ = guided(table, seat, square, 5.0)
            assert steps == (LAMP if of.seats[seat].screen is None else SCREEN), seat


def test_who_lets_go_early_still_counts_to_five(tmp_path: Path) -> None:
    """A lamp finishes its word, and the guide waits for it."""
    with LiveTable(TABLES["starter"], tmp_path / "journal.db", seed=3).opened() as table:
        table.pass_s(0.5)
        steps, shown = guided(table, "ANN", "T01", 1.0)
        assert steps == [*LAMP[:4], GuideStep.END]
        seat = shown[-1].seats[0]
        (meaning,) = (meaning for flashes, meaning in seat.card if flashes == seat.flashes)
        assert meaning in {meaning for _, meaning in card_rows("")}
        table.hold("ANN")
        table.pass_s(0.1)
        assert table.snapshot is not None
        assert step_after(GuideStep.END, table.snapshot) is GuideStep.DONE


def test_the_guide_speaks_of_the_lamp_only_where_there_is_no_screen() -> None:
    def hint(card: bool) -> str:
        ann = replace(BOUND, card=card_rows("") if card else ())
        return guidance(GuideStep.HOLD, replace(RESTS, seats=(ann, BEN)), 0, "T02", EN)

    assert hint(False) == "3 of 3, hold: press `l`. Only the screen of Ann shows what lies at T01."
    assert hint(True) == "3 of 3, hold: press `l`. Ann's lamp flashes what lies at T01."


def test_whose_turn_it_is_is_named_when_another_seat_is_chosen() -> None:
    assert guidance(GuideStep.HOLD, RESTS, 1, "T01", EN) == "Ann is in a turn: `1` chooses that seat."
    assert guidance(GuideStep.TAP, TABLE, 1, "T01", EN).endswith("Ben claims the next dial that moves.")
    assert guidance(GuideStep.DONE, RESTS, 1, "T01", EN) == ""
