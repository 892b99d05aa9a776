"""The first hour: its wires are those of the settings that it uses, and its picture is the program's own."""

from __future__ import annotations

import math

from hardware.readings import Magnet, Proof, Reading
from pi_app.cli.record_drawing import MAGNETS, WatchedDial, draw_dials
from pi_app.plans.wiring.nets import wired
from pi_app.settings import load as settings
from tests.docs.pages import blocks, tables, text

PAGE = "wiring_docs/first_hour.md"


def pencil() -> WatchedDial:
    """A pencil that rests, is turned once round counter-clockwise and by a little more, and rests again."""
    dial = WatchedDial("T01", "AS5600", 4096, 1)
    for n in range(1000):
        share = min(1.0, max(0.0, (n - 250) / 500))
        raw = 600 + round(4200 * (1 - math.cos(math.pi * share)) / 2)
        dial.take(Reading(raw % 4096, n * 10_000_000, Magnet.GOOD, proof=Proof(61, 1600)))
    return dial


def test_the_wires_are_those_of_the_starters_settings() -> None:
    table = wired(settings.load(settings.example_path("starter")))
    (lead,) = (lead for lead in table.leads if lead.label == "D-T01")
    (rows,) = tables(PAGE, "jumper wire", "pin of the Pi", "its name", "pin of the board")
    told = {(row["jumper wire"], row["pin of the Pi"], row["its name"], row["pin of the board"]) for row in rows}
    assert told == {(wire.colour.value, wire.near.name, wire.near.called, wire.far.name) for wire in lead.wires}
    assert len(rows) == 4


def test_the_picture_is_what_record_draws() -> None:
    assert blocks(PAGE, "text")[0].splitlines() == draw_dials([pencil()], 80, 24)


def test_it_explains_each_state_of_the_magnet_in_the_programs_own_words() -> None:
    for magnet in (Magnet.GOOD, Magnet.TOO_WEAK, Magnet.TOO_STRONG):
        assert f"`{MAGNETS[magnet]}`" in text(PAGE).replace("\n", " ")


def test_the_starter_leads_to_it_and_it_leads_to_the_starter() -> None:
    assert "(first_hour.md)" in text("wiring_docs/starter.md")
    assert "(starter.md)" in text(PAGE)
