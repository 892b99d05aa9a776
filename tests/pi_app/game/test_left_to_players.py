"""Rules about what the device cannot see: it asks nothing about that, and judges nothing of it."""

from __future__ import annotations

import msgspec
import pytest

from pi_app.game.rules import SquareState
from pi_app.plans.printed.square import PrintedSquare
from pi_app.settings.load import example_path, parse
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import tables_beside
from tests.pi_app.games import played
from tests.pi_app.told import Told, eight_squares


def exposed(*lines: str) -> Told:
    """Return a table at which Ann has exposed T04, and these lines were typed."""
    at = Told(eight_squares())
    at.expose("T04", "Ann")
    for line in lines:
        at.say(line)
    return at


def test_t_dial_1_a_square_without_a_dial_is_no_square() -> None:
    """T-DIAL-1."""
    text = example_path("2x2").read_text(encoding="utf-8")
    at = text.index("[square.T01]")
    without = "\n".join(line for line in text[at:].splitlines() if not line.startswith(("bus", "mux", "channel")))
    found = parse(text[:at] + without, "trapdial.toml", tables_beside(example_path("2x2").parent))
    assert not isinstance(found, Settings)
    assert any("[square.T01]" in str(problem) for problem in found)


def test_t_dial_13_a_printed_square_is_two_inches_wide() -> None:
    """T-DIAL-13."""
    assert PrintedSquare().outline == pytest.approx(2 * 25.4)


def test_t_dial_7_g_5_what_the_filter_shows_of_shuffled_dials_is_said_to_be_wrong() -> None:
    """T-DIAL-7, G-5."""
    shuffled = msgspec.structs.replace(eight_squares(), shuffled=True)
    told = played(shuffled).report("public").lines["table"]
    assert "Trap tables are shuffled: the printed ones do not apply." in told


@pytest.mark.parametrize("where", ["beside", "n", "facing"])
@pytest.mark.parametrize("line", ["claim ann {}", "expose T04 ben {}", "disarm T04 ann quick {} 3 4 2"])
def test_t_exp_2_t_dis_1_where_a_hero_stands_and_faces_is_not_asked(line: str, where: str) -> None:
    """T-EXP-2, T-DIS-1."""
    at = exposed()
    assert at.say(line.format(where))[0].startswith("REFUSED Usage: ")
    assert not (at.say(" ".join(line.format("").split())) or [""])[0].startswith("REFUSED")


def test_a_carry_1_a_hero_that_carries_furniture_is_neither_nimble_nor_stealthy() -> None:
    at = exposed("hero ann Aria nimble stealth")
    assert at.say("pass T05 aria") == ["The corner of T05 is cut without a roll (A-NIM-1, A-FLY-3)."]
    assert at.say("pass T05 aria carrying") == ["REFUSED T05 needs one die now. Type: pass T05 Aria carrying DIE"]
    at.say("disarm T04 aria quick 1 1 1 carrying")
    assert at.events[-1].abilities == ()  # type: ignore[union-attr]


def test_a_see_1_stealth_does_not_help_in_the_segment_of_an_all_seeing_column() -> None:
    at = exposed("hero ann Aria nimble stealth", "disarm T04 aria quick 1 1 1 seen")
    assert at.events[-1].abilities == ("nimble",)  # type: ignore[union-attr]


def test_q_26_of_a_prisoner_the_device_says_that_it_is_out_of_play_and_no_more() -> None:
    """Q-26."""
    at = exposed("hero ann Aria", "enter T02 aria")
    at.turn("T02")
    assert at.public("T02") == "T02: triggered; The Cage; Aria is locked in, out of play."
    assert (at.xp("Ann"), at.moment.game.heroes["Aria"].fallen) == (0, False)


def test_q_27_a_cage_never_holds_two_so_none_waits_for_a_free_square() -> None:
    """Q-27."""
    at = exposed("hero ann Aria", "enter T02 aria")
    at.turn("T02")
    at.say("enter T02 ben")
    at.say("trigger T02 ben anyway")
    assert at.square("T02").prisoner == "Aria"
    at.say("disarm T02 cal quick 6 6 1")
    assert at.square("T02").state is SquareState.DISARMED
    assert sum("comes back" in line for line in at.lines) == 1
