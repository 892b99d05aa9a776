"""The public state: its JSON form comes back whole, and what is no state is refused."""

from __future__ import annotations

import re
import typing

import pytest

from pi_app.game.rules import SquareState
from pi_app.station.public import state as public
from pi_app.station.visits.visit import State

FULL = public.PublicState(
    seq=7,
    state="guided",
    visit=3,
    language="de",
    languages=("en", "de"),
    simulated=True,
    says={"en": "Tap your button.", "de": "Tippe deinen Knopf."},
    flags=(public.PublicFlag(language="de", name="Deutsch", says="Halten: los"),),
    guide=public.PublicGuide(steps=({"en": "Tap your button.", "de": "Tippe deinen Knopf."},), seat="P1"),
    warning_s=15,
    seats=(public.PublicSeat(name="P1", phone=True, xp=4, active=True),),
    squares=(public.PublicSquare(label="T01", state="clear for all", text="frei für alle"),),
    lines=("T01: frei für alle.",),
    results=(public.PublicResult(seats=2, exposed=3, triggered=1, disarmed=1, xp=4, head="TRAPDIAL1 x"),),
    join="http://10.77.0.1/",
    head="TRAPDIAL1 x",
    trouble={"en": "Dial T03 does not answer."},
)


def test_a_line_of_json_comes_back_whole() -> None:
    line = public.encoded(FULL)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert public.decoded(line) == FULL


def test_a_reader_ignores_what_it_does_not_know() -> None:
    line = b'{"state":"attract","language":"en","languages":["en"],"of_a_later_version":1}'
    assert public.decoded(line) == public.PublicState(state="attract", language="en", languages=("en",))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"", "no public state: Input data was truncated"),
        (
            b'{"state":"open","language":"en","languages":[]}',
            "no public state: Invalid enum value 'open' - at `$.state`",
        ),
        (b" " * 64_001, "a public state of 64001 bytes is longer than 64000"),
    ],
)
def test_what_is_no_state_is_refused(line: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(why)}$"):
        public.decoded(line)


def test_the_names_of_states_are_those_of_the_visit_and_of_the_rules() -> None:
    assert set(typing.get_args(public.StateName)) == {state.value for state in State}
    assert set(typing.get_args(public.SquareStateName)) == {state.value for state in SquareState}
