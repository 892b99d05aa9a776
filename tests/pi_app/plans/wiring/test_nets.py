"""From the settings to the wiring."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import pytest
from hypothesis import given, settings

from pi_app.plans.wiring.nets import mux_straps, wired
from pi_app.plans.wiring.values import Colour, Fitted, Lead, PartKind, PartPin, Wiring
from pi_app.settings.load import EXAMPLES, example_path, load
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from tests.pi_app.plans.wiring.tables import any_settings, example, read, text_of


def lead(wiring: Wiring, label: str) -> Lead:
    return next(each for each in wiring.leads if each.label == label)


def ends(each: Lead) -> list[tuple[str, str, str, str]]:
    """Colour, near part and pin, far pin."""
    return [
        (wire.colour.value, wire.near.part, wire.near.called or wire.near.name, wire.far.name) for wire in each.wires
    ]


def test_a_tile_goes_to_its_channel_and_to_the_supply() -> None:
    tile = lead(example("2x2"), "D-T02")
    assert (tile.near, tile.far, tile.length_m) == ("dials mux 0x70 channel 1 and supply strip", "tile T02", 0.5)
    assert ends(tile) == [
        ("red", "supply strip", "3.3 V", "VCC"),
        ("black", "supply strip", "ground", "GND"),
        ("blue", "mux dials 0x70", "SD1", "SDA"),
        ("yellow", "mux dials 0x70", "SC1", "SCL"),
    ]
    assert tile.twisted == ((Colour.BLUE, Colour.BLACK), (Colour.YELLOW, Colour.RED))


def test_two_muxes_of_a_bus_have_a_reset_each() -> None:
    """If a strip joined them, one pin would drive against the other."""
    wiring = wired(read(text_of(9, 1)))
    resets = [ends(lead(wiring, label))[-1] for label in ("B-dials-70", "B-dials-71")]
    assert resets == [("white", "pi", "GPIO 17", "RESET"), ("white", "pi", "GPIO 4", "RESET")]
    assert not any(wire.near.name == "RESET" for each in wiring.leads for wire in each.wires)


def test_a_mux_goes_to_its_bus_and_its_reset() -> None:
    trunk = lead(example("2x2"), "B-dials-70")
    assert ends(trunk)[2:] == [
        ("blue", "pi", "GPIO 2", "SDA"),
        ("yellow", "pi", "GPIO 3", "SCL"),
        ("white", "pi", "GPIO 17", "RESET"),
    ]
    assert [wire.near.name for wire in trunk.wires[2:]] == ["3", "5", "11"]


def test_two_screens_share_a_strip() -> None:
    wiring = example("2x2")
    assert ends(lead(wiring, "P-screens-strip")) == [
        ("blue", "pi", "GPIO 22", "SDA"),
        ("yellow", "pi", "GPIO 23", "SCL"),
    ]
    for seat in ("ANN", "BEN"):
        assert ends(lead(wiring, f"O-{seat}"))[2:] == [
            ("blue", "screens strip", "SDA", "SDA"),
            ("yellow", "screens strip", "SCL", "SCL"),
        ]


def test_a_seat_has_one_lead_for_button_and_lamp() -> None:
    seat = lead(example("2x2"), "S-ANN")
    assert seat.twisted == ()
    assert ends(seat) == [
        ("green", "pi", "GPIO 16", "1"),
        ("black", "supply strip", "ground", "2"),
        ("orange", "pi", "GPIO 20", "+"),
        ("black", "supply strip", "ground", "-"),
    ]


LONE = """
[table]
name = "One"
[bus.dials]
device = "/dev/i2c-1"
[square.T01]
bus = "dials"
table = "sample:SAMPLE-A"
lead_m = 0.3
[seat.ANN]
name = "Ann"
button_gpio = 16
lamp_gpio = 20
lead_m = 1.5
"""


def test_a_lone_dial_needs_no_strip() -> None:
    wiring = wired(read(LONE))
    assert not wiring.of(PartKind.STRIP)
    assert ends(lead(wiring, "D-T01")) == [
        ("red", "pi", "3.3 V", "VCC"),
        ("black", "pi", "ground", "GND"),
        ("blue", "pi", "GPIO 2", "SDA"),
        ("yellow", "pi", "GPIO 3", "SCL"),
    ]
    assert lead(wiring, "S-ANN").length_m == 1.5
    assert [(segment.length_m, segment.chips) for segment in wiring.segments] == [(0.3, 2)]


def test_a_lead_takes_the_ground_in_the_row_of_its_signals() -> None:
    """Its wires lie side by side then, and none of them runs around the header in the drawing."""
    leads = {lead.label: {wire.near.name for wire in lead.wires} for lead in example("starter").leads}
    assert leads == {"D-T01": {"1", "3", "5", "9"}, "S-ANN": {"36", "34", "38", "30"}}


def test_dir_is_wired_so_that_counts_grow_as_the_settings_say() -> None:
    """Datasheet v1-06, page 30: with DIR at 3.3 V counts grow counter-clockwise, seen from above."""
    turned = wired(read(LONE.replace("lead_m = 0.3", "invert = true")))
    assert wired(read(LONE)).part("T01").set_to == "VDD5V and VDD3V3 joined, DIR to 3.3 V, OUT and PGO left open"
    assert turned.part("T01").set_to == "VDD5V and VDD3V3 joined, DIR to ground, OUT and PGO left open"


def test_a_screen_may_be_farther_away() -> None:
    wiring = wired(read(text_of(1, 2) + "lead_m = 0.9\n"))
    assert [lead(wiring, label).length_m for label in ("O-S0", "O-S1")] == [0.5, 0.9]


def test_a_switch_takes_the_power_of_tiles_and_screens_and_not_of_muxes() -> None:
    text = text_of(3, 1, more="").replace("speed_hz = 400000", "speed_hz = 400000\npower_gpio = 27")
    wiring = wired(read(text))
    assert ends(lead(wiring, "P-switch-dials")) == [
        ("red", "supply strip", "3.3 V", "IN"),
        ("black", "supply strip", "ground", "GND"),
        ("brown", "pi", "GPIO 27", "ON"),
    ]
    assert ends(lead(wiring, "P-dials-switched-strip")) == [("red", "switch dials", "OUT", "3.3 V switched")]
    assert ends(lead(wiring, "D-T02"))[0] == ("red", "dials switched strip", "3.3 V switched", "VCC")
    assert ends(lead(wiring, "B-dials-70"))[0] == ("red", "supply strip", "3.3 V", "VIN")


def test_a_regulator_feeds_the_strip_and_the_pi_does_not() -> None:
    wiring = wired(read(text_of(1, 1, more='[wiring]\nsupply = "regulator"\nsupply_ma = 800\n')))
    assert wiring.part("regulator").model == "3.3 V regulator for 800 mA or more"
    assert ends(lead(wiring, "P-regulator")) == [
        ("red", "supply strip", "3.3 V", "OUT"),
        ("black", "supply strip", "ground", "GND"),
    ]
    assert ends(lead(wiring, "P-supply-strip")) == [("black", "pi", "ground", "ground")]
    assert not [wire for each in wiring.leads for wire in each.wires if wire.near.called == "3.3 V"]


def test_a_lamp_of_three_colours() -> None:
    lamp = "lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 13, common = 'anode'}"
    wiring = wired(read(LONE.replace("lamp_gpio = 20", lamp)))
    assert ends(lead(wiring, "S-ANN"))[2:] == [
        ("orange", "pi", "GPIO 5", "R"),
        ("violet", "pi", "GPIO 6", "G"),
        ("grey", "pi", "GPIO 13", "B"),
        ("red", "pi", "3.3 V", "common"),
    ]
    resistors = [each for each in wiring.fitted if each.value == "330 Ohm"]
    assert [(each.ends[0].called, each.ends[1].name) for each in resistors] == [
        ("GPIO 5", "R"),
        ("GPIO 6", "G"),
        ("GPIO 13", "B"),
    ]


def test_three_dials_on_one_channel_share_it_by_a_strip() -> None:
    text = LONE + "[[bus.dials.mux]]\naddress = 0x71\nreset_gpio = 17\n"
    on = "mux = 0x71\nchannel = 3\n"
    text = text.replace('table = "sample:SAMPLE-A"\n', f'table = "sample:SAMPLE-A"\n{on}')
    text += f'[square.T02]\nbus = "dials"\nchip = "mt6701"\ntable = "sample:SAMPLE-A"\nmemory = "24aa025e48"\n{on}'
    wiring = wired(read(text))
    strip = "dials 0x71 channel 3 strip"
    assert [wire.near for wire in lead(wiring, "D-T02").wires[2:]] == [PartPin(strip, "SDA"), PartPin(strip, "SCL")]
    assert ends(lead(wiring, "P-dials-0x71-channel-3-strip")) == [
        ("blue", "mux dials 0x71", "SD3", "SDA"),
        ("yellow", "mux dials 0x71", "SC3", "SCL"),
    ]
    channel = wiring.segments[-1]
    assert (channel.place, channel.chips, channel.length_m) == ("bus dials mux 0x71 channel 3", 5, 0.95)


def test_a_hub_is_a_host_of_its_own() -> None:
    wiring = example("16x4")
    trunk = lead(wiring, "H-west-70")
    assert [(wire.near.part, wire.near.name, wire.near.called) for wire in trunk.wires[2:]] == [
        ("hub west", "6", "GP4"),
        ("hub west", "7", "GP5"),
        ("hub west", "12", "GP9"),
    ]
    cable = lead(wiring, "U-west")
    assert cable.usb
    assert (cable.near, cable.far, cable.length_m) == ("Raspberry Pi", "hub west", 1.5)
    assert lead(wiring, "D-T16").near == "hub west mux 0x70 channel 7 and hub west supply strip"


def test_a_second_mux_of_a_hub() -> None:
    wiring = wired(read(text_of(1, 1, hub_tiles=9)))
    assert lead(wiring, "D-H08").near == "hub west mux 0x71 channel 0 and hub west supply strip"
    resets = [wire.near for each in wiring.leads for wire in each.wires if wire.far.name == "RESET"]
    assert Counter(resets)[PartPin("hub west bus strip", "RESET")] == 2


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (0x70, "A2, A1 and A0 to ground"),
        (0x71, "A0 to 3.3 V, A2 and A1 to ground"),
        (0x75, "A2 and A0 to 3.3 V, A1 to ground"),
        (0x77, "A2, A1 and A0 to 3.3 V"),
    ],
)
def test_straps_of_a_mux(address: int, told: str) -> None:
    assert mux_straps(address) == told


def test_lines_without_pull_ups_get_them() -> None:
    wiring = example("2x2")
    assert [segment.pull_ups for segment in wiring.segments if segment.channel is None] == [
        (wiring.segments[0].pull_ups[0],),
        (wiring.segments[-1].pull_ups[0],),
    ]
    assert [(each.ohm, each.at) for each in wiring.segments[1].pull_ups] == [
        (1800, "the Pi itself"),
        (4700, "mux 0x70 of bus dials channel 0"),
    ]
    fitted = [each for each in wiring.fitted if each.why == "pull-up of SDA"]
    assert [(each.value, each.ends[0]) for each in fitted] == [
        ("2.2 kOhm", PartPin("screens strip", "SDA")),
        ("4.7 kOhm", PartPin("mux dials 0x70", "SD0")),
        ("4.7 kOhm", PartPin("mux dials 0x70", "SD1")),
    ]


def test_hot_plugged_tiles_get_resistors_and_diodes() -> None:
    plain, hot = (wired(read(text_of(2, 1, more=f"[wiring]\nhot_plug = {word}\n"))) for word in ("false", "true"))
    added = Counter(each.value for each in hot.fitted) - Counter(each.value for each in plain.fitted)
    assert added == {"100 Ohm": 4, "TVS diode, 3.3 V": 4}


# ----------------------------------------------------------------------------------------------- what must hold


@given(any_settings())
@settings(max_examples=15, deadline=None)
def test_properties_of_every_table(given_settings: Settings) -> None:
    wiring = wired(given_settings)
    parts = {part.id: part for part in wiring.parts}
    assert len(parts) == len(wiring.parts)
    labels = [each.label for each in wiring.leads]
    assert len(set(labels)) == len(labels)
    assert {label for label in labels if label.startswith("D-")} == {f"D-{label}" for label in given_settings.squares}

    wires = [wire for each in wiring.leads for wire in each.wires]
    pins = Counter(pin for wire in wires for pin in (wire.near, wire.far))
    for pin, count in pins.items():
        strip = parts[pin.part].kind is PartKind.STRIP
        assert count == 1 or strip, f"{pin} has {count} wires"
        if parts[pin.part].kind is PartKind.PI:
            assert pin.name not in ("2", "4"), "5 V"
    for part in wiring.of(PartKind.MUX, PartKind.TILE, PartKind.SCREEN):
        names = Counter(wire.far.name for wire in wires if wire.far.part == part.id)
        power = "VIN" if part.kind is PartKind.MUX else "VCC"
        assert all(names[name] == 1 for name in (power, "GND", "SDA", "SCL"))
    _check_fitted(wiring, parts)
    assert {part for segment in wiring.segments for part in segment.parts} == {
        part.id for part in wiring.of(PartKind.PI, PartKind.HUB, PartKind.MUX, PartKind.TILE, PartKind.SCREEN)
    }


def _check_fitted(wiring: Wiring, parts: Mapping[str, object]) -> None:
    seen: set[Fitted] = set()
    for each in wiring.fitted:
        assert each not in seen
        seen.add(each)
        assert each.ends[0] != each.ends[1]
        assert all(end.part in parts for end in each.ends)


@pytest.mark.parametrize("size", EXAMPLES)
def test_every_pin_of_the_settings_is_wired(size: str) -> None:
    given_settings = load(example_path(size))
    wired_gpios = {
        wire.near.called for each in wired(given_settings).leads for wire in each.wires if wire.near.part == "pi"
    }
    wanted = {f"GPIO {gpio}" for seat in given_settings.seats.values() for gpio in seat.gpios}
    assert wanted <= wired_gpios


# -------------------------------------------------------------------------------------------------- refusals


def test_all_problems_are_reported_at_once() -> None:
    with pytest.raises(UserFileError) as refused:
        wired(read(text_of(1, 2, more='[wiring]\npi = "3"\n')))
    assert refused.value.problems == (
        "trapdial.toml [bus.screens] device = '/dev/i2c-6': the pins of this bus on a Raspberry Pi 3 are not known; "
        "set sda_gpio and scl_gpio, or the right `pi` in [wiring]",
        "trapdial.toml [bus.others] device = '/dev/i2c-4': the pins of this bus on a Raspberry Pi 3 are not known; "
        "set sda_gpio and scl_gpio, or the right `pi` in [wiring]",
    )


def test_a_pin_of_an_overlays_bus_with_another_job() -> None:
    with pytest.raises(UserFileError) as refused:
        wired(read(text_of(1, 2).replace("button_gpio = 7", "button_gpio = 22")))
    assert refused.value.problems == (
        "trapdial.toml [seat.S1] button_gpio = 22: GPIO 22 is already SDA of [bus.screens]; move one",
    )
