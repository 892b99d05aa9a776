"""Which wire goes to which pin."""

from __future__ import annotations

from hypothesis import given, settings

from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.pin_table import FREE, NEVER, by_board_pin, by_gpio, of_part, pages, pi_pin
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.tables import any_settings, example


def test_the_header_as_it_lies() -> None:
    rows = by_board_pin(example("2x2")).rows
    assert [row[0] for row in rows] == [str(number) for number in range(1, 41)]
    assert rows[0] == ("1", "3.3 V", "red", "supply strip", "3.3 V", "P-supply-strip")
    assert rows[1] == ("2", "5 V", "", NEVER, "", "")
    assert rows[3] == ("4", "5 V", "", NEVER, "", "")
    assert rows[10] == ("11", "GPIO 17", "white", "mux 0x70 of bus dials", "RESET", "B-dials-70")
    assert rows[16] == ("17", "3.3 V", "", FREE, "", "")
    assert rows[35] == ("36", "GPIO 16", "green", "button of seat ANN", "1", "S-ANN")


def test_gpios_by_number() -> None:
    assert [row[:2] for row in by_gpio(example("2x2")).rows] == [
        ("GPIO 2", "3"),
        ("GPIO 3", "5"),
        ("GPIO 16", "36"),
        ("GPIO 17", "11"),
        ("GPIO 20", "38"),
        ("GPIO 21", "40"),
        ("GPIO 22", "15"),
        ("GPIO 23", "16"),
        ("GPIO 26", "37"),
    ]


def test_a_mux_pin_by_pin() -> None:
    wiring = example("2x2")
    assert [row[:4] for row in of_part(wiring, wiring.part("mux dials 0x70")).rows] == [
        ("VIN", "red", "supply strip", "3.3 V"),
        ("GND", "black", "supply strip", "ground"),
        ("SDA", "blue", "Raspberry Pi", "3 (GPIO 2)"),
        ("SCL", "yellow", "Raspberry Pi", "5 (GPIO 3)"),
        ("RESET", "white", "Raspberry Pi", "11 (GPIO 17)"),
        ("SD0", "blue", "tile T01", "SDA"),
        ("SC0", "yellow", "tile T01", "SCL"),
        ("SD1", "blue", "tile T02", "SDA"),
        ("SC1", "yellow", "tile T02", "SCL"),
    ]


def test_every_pin_of_the_header_has_a_name() -> None:
    names = [pi_pin(number) for number in range(1, 41)]
    assert sorted(name for name in names if name.startswith("GPIO")) == sorted(f"GPIO {gpio}" for gpio in range(28))
    assert (names.count("3.3 V"), names.count("5 V"), names.count("ground")) == (2, 2, 8)


@given(any_settings())
@settings(max_examples=6, deadline=None)
def test_every_wire_is_in_the_tables(given_settings: Settings) -> None:
    wiring = wired(given_settings)
    at_pi = [wire for lead in wiring.leads for wire in lead.wires if wire.near.part == "pi"]
    rows = by_board_pin(wiring).rows
    assert len([row for row in rows if row[2]]) == len(at_pi)
    told = pages(wiring)
    for part in wiring.parts:
        ends = [
            end for lead in wiring.leads for wire in lead.wires for end in (wire.near, wire.far) if end.part == part.id
        ]
        assert len(of_part(wiring, part).rows) == len(ends)
    assert all(f"| {lead.label} |" in told for lead in wiring.leads if lead.wires)
