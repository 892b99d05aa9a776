"""The drawing is complete: nothing hides anything, and every wire ends at its two pins."""

from __future__ import annotations

from collections import Counter
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trying

from pi_app.plans.pictures.marks import Text
from pi_app.plans.wiring.drawing import Badge, BadgeKind, drawn, scene_of
from pi_app.plans.wiring.drawing.badges import badge
from pi_app.plans.wiring.drawing.layout import DrawingLayout, laid_out
from pi_app.plans.wiring.drawing.strands import USB
from pi_app.plans.wiring.drawing.style import CODE
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import PartKind, Wiring
from pi_app.settings.load import EXAMPLES
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.drawing import looking
from tests.pi_app.plans.wiring.tables import any_settings, example, read, text_of


def check_sheet(wiring: Wiring) -> None:
    """Everything that must hold for every drawing."""
    layout, scene = laid_out(wiring), scene_of(wiring)
    boxes = [(part, placed.rect) for part, placed in layout.boxes.items()]
    labels = [(sleeve.lead, sleeve.rect) for sleeve in layout.sleeves]
    labels += [("wire", rect) for coded in layout.codes for rect in (coded.rect, *coded.series)]
    assert set(layout.boxes) == {part.id for part in wiring.parts}
    assert looking.overlapping([*boxes, *labels]) == []
    assert looking.slanted(layout) == []
    assert looking.through_boxes(layout) == []
    assert looking.on_top_of_each_other(layout) == []
    assert looking.under_foreign_labels(layout) == []
    assert looking.words_on_words(scene) == []
    assert looking.words_across_edges(scene, layout) == []
    assert looking.outside(scene) == []
    check_ends(wiring, layout)
    check_soldered(wiring, layout)


def check_ends(wiring: Wiring, layout: DrawingLayout) -> None:
    """Every wire is drawn once, from the row of its near pin to that of its far pin."""
    wanted = Counter((lead.label, wire.near, wire.far) for lead in wiring.leads for wire in lead.wires)
    strands = [wire.strand for wire in layout.wires]
    assert Counter((each.lead.label, each.near, each.far) for each in strands if each.colour) == wanted
    cables = [each.lead.label for each in strands if not each.colour]
    assert cables == [lead.label for lead in wiring.leads if lead.usb]
    for number, wire in enumerate(layout.wires):
        for pin, at in ((wire.strand.near, wire.points[0]), (wire.strand.far, wire.points[-1])):
            placed = layout.boxes[pin.part]
            rows = [(side, n) for side, n, row in placed.box.rows() if (row.strand, row.pin.name) == (number, pin.name)]
            assert [(placed.edge(side), placed.row_y(n)) for side, n in rows] == [at]


def check_soldered(wiring: Wiring, layout: DrawingLayout) -> None:
    """Every resistor and capacitor is drawn once, in a wire or at a pin."""
    in_wires = [(coded.strand.series, coded.series) for coded in layout.codes if coded.series]
    assert all(len(fitted) == len(rects) for fitted, rects in in_wires)
    drawn_there = Counter(one.value for fitted, _ in in_wires for one in fitted)
    for placed in layout.boxes.values():
        drawn_there += Counter(extra.value for _, _, row in placed.box.rows() for extra in row.extras)
    assert drawn_there == Counter(one.value for one in wiring.fitted)


@pytest.mark.parametrize("size", EXAMPLES)
def test_the_examples_can_be_built_from(size: str) -> None:
    check_sheet(example(size))


MORE = """[wiring]
supply = "regulator"
hot_plug = true
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tiles", "seats", "hub_tiles"), [(1, 1, 0), (9, 3, 16), pytest.param(64, 4, 0, marks=pytest.mark.slow)]
)
def test_other_tables_can_be_built_from(tiles: int, seats: int, hub_tiles: int) -> None:
    check_sheet(wired(read(text_of(tiles, seats, hub_tiles=hub_tiles, more=MORE))))


ODD = """
[table]
name = "Odd table"
[wiring]
supply = "regulator"
hot_plug = true
[bus.dials]
device = "/dev/i2c-1"
power_gpio = 25
[[bus.dials.mux]]
address = 0x70
reset_gpio = 17
[[bus.dials.mux]]
address = 0x71
reset_gpio = 27
[bus.direct]
device = "/dev/i2c-4"
[bus.screens]
device = "/dev/i2c-6"
[square.T01]
bus = "dials"
mux = 0x70
channel = 0
memory = "24aa02uid"
table = "sample:SAMPLE-A"
[square.T02]
bus = "dials"
mux = 0x70
channel = 1
chip = "as5600l"
address = 0x41
table = "sample:SAMPLE-A"
[square.T03]
bus = "dials"
mux = 0x70
channel = 1
chip = "as5600l"
address = 0x42
table = "sample:SAMPLE-A"
[square.T04]
bus = "direct"
table = "sample:SAMPLE-A"
[seat.ANN]
name = "Ann"
button_gpio = 16
lamp = { red_gpio = 5, green_gpio = 6, blue_gpio = 13, common = "anode" }
screen = { bus = "screens" }
[seat.BEN]
name = "Ben"
button_gpio = 26
lamp_gpio = 21
screen = { bus = "dials", mux = 0x71, channel = 0 }
"""
"""A regulator, a load switch, two muxes, dials that share a channel, one without a mux, a screen behind one, a lamp of
three colours, protected leads."""


def test_an_odd_table_can_be_built_from() -> None:
    wiring = wired(read(ODD))
    check_sheet(wiring)
    layout = laid_out(wiring)
    kinds = {part.kind for part in wiring.parts}
    assert kinds == set(PartKind) - {PartKind.HUB}
    (shared,) = (part.id for part in wiring.parts if part.id.endswith("channel 1 strip"))
    assert layout.boxes["mux dials 0x70"].rect.right < layout.boxes[shared].rect.x < layout.boxes["T02"].rect.x
    assert layout.boxes["screen BEN"].rect.x > layout.boxes["mux dials 0x71"].rect.right


@pytest.mark.slow
@trying(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(any_settings())
def test_any_table_can_be_built_from(settings: Settings) -> None:
    check_sheet(wired(settings))


def test_the_pi_has_its_forty_pins_in_place() -> None:
    box = laid_out(example("2x2")).boxes["pi"].box
    odd = [row.pin.name for row in box.left if row is not None]
    even = [row.pin.name for row in box.right if row is not None]
    assert (odd, even) == ([str(n) for n in range(1, 40, 2)], [str(n) for n in range(2, 41, 2)])
    assert {row.pin.called for row in box.left if row is not None and row.pin.name == "3"} == {"GPIO 2"}
    wires = {row.pin.name for _, _, row in box.rows() if row.strand is not None}
    assert wires == {"1", "3", "5", "6", "11", "15", "16", "36", "37", "38", "40"}


def test_a_pico_has_its_forty_pins_in_place_and_a_cable() -> None:
    layout = laid_out(wired(read(text_of(1, 1, hub_tiles=2))))
    box = layout.boxes["hub west"].box
    assert [row.pin.name for row in box.left if row is not None] == [*map(str, range(1, 21)), USB]
    assert [row.pin.name for row in box.right if row is not None] == [*map(str, range(40, 20, -1))]
    (cable,) = [wire for wire in layout.wires if wire.strand.colour is None]
    assert (cable.strand.near.part, cable.strand.far.part) == ("pi", "hub west")


def test_a_mux_has_its_pins_as_printed() -> None:
    box = laid_out(example("2x2")).boxes["mux dials 0x70"].box
    assert [row.pin.name for row in box.right if row] == ["VIN", "GND", "SDA", "SCL", "RESET", "A0", "A1", "A2"]
    assert [row.pin.name for row in box.left if row][:6] == ["SD0", "SC0", "SD1", "SC1", "SD2", "SC2"]
    assert box.lines == ("mux 0x70", "TCA9548A, bus dials", "A2, A1 and A0 to ground")


def test_every_lead_has_its_label_at_both_ends() -> None:
    wiring = example("16x4")
    layout = laid_out(wiring)
    for lead in wiring.leads:
        there = {sleeve.part for sleeve in layout.sleeves if sleeve.lead == lead.label}
        wires = [wire.strand for wire in layout.wires if wire.strand.lead is lead]
        ends = {pin.part for strand in wires for pin in (strand.near, strand.far)}
        assert there == ends
        assert len(there) >= 2
    (tile,) = [sleeve for sleeve in layout.sleeves if sleeve.part == "T01"]
    assert tile.lines == ("D-T01", "0.5 m")


def test_no_reader_needs_to_see_colours() -> None:
    """Each wire has the letters of its colour at both ends, and no two colours share them."""
    assert len(set(CODE.values())) == len(CODE)
    wiring = example("8x4")
    wires = [wire for lead in wiring.leads for wire in lead.wires]
    texts = Counter(shape.text for shape in scene_of(wiring).marks if isinstance(shape, Text))
    colours = Counter(wire.colour for wire in wires)
    in_legend = 1
    assert {colour: texts[CODE[colour]] for colour in colours} == {c: 2 * n + in_legend for c, n in colours.items()}


def test_the_sheet_names_buses_addresses_channels_and_settings() -> None:
    texts = {shape.text for shape in scene_of(example("8x4")).marks if isinstance(shape, Text)}
    assert texts >= {
        "Great table: wiring",
        "Raspberry Pi 4; 8 dials, 4 seats; 20 leads. Drawn for A3. Everything is 3.3 V; connect nothing to pins 2 and "
        "4.",
        "dials: /dev/i2c-1, 100 kHz; SDA GPIO 2 (pin 3), SCL GPIO 3 (pin 5)",
        "dtparam=i2c_arm=on,i2c_arm_baudrate=100000",
        "Twist in each lead that has them: BU with BK and YE with RD.",
        "blue: SDA",
        "AS5600 0x36",
        "channel 7",
        "SSD1306 0x3D",
        "bus screensR",
        "330 Ohm",
        "screen ANN, screen CAL: its solder bridge at 0x3C",
    }
    assert not any("SIMULATED" in text for text in texts)


PAPERS = {
    "starter": ("297mm", "210mm"),
    "2x2": ("297mm", "210mm"),
    "8x4": ("420mm", "297mm"),
    "16x4": ("420mm", "297mm"),
    "station": ("420mm", "297mm"),
}
"""A4 or A3."""


@pytest.mark.parametrize("size", EXAMPLES)
def test_examples_are_readable_on_common_paper(size: str) -> None:
    root = ElementTree.fromstring(drawn(example(size)))
    assert (root.get("width"), root.get("height")) == PAPERS[size]
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.findtext("{http://www.w3.org/2000/svg}title") == f"Wiring of {example(size).name}"


def test_the_same_wiring_gives_the_same_drawing() -> None:
    assert drawn(example("2x2")) == drawn(example("2x2"))


AROUND = {"starter": 0, "2x2": 1, "8x4": 3, "16x4": 5, "station": 3}
"""Wires that leave a header on one side and go to a part on the other; before the dials stood on the side of their bus
6, 6, 8, 12 and 8."""


@pytest.mark.parametrize("size", EXAMPLES)
def test_few_wires_go_around_a_header(size: str) -> None:
    layout = laid_out(example(size))
    around = 0
    for placed in layout.boxes.values():
        if placed.box.form == "header":
            its = [wire for wire in layout.wires if placed.box.part.id in (wire.strand.near.part, wire.strand.far.part)]
            across = [[x for x, _ in wire.points] for wire in its]
            around += sum(min(xs) < placed.rect.x and max(xs) > placed.rect.right for xs in across)
    assert around == AROUND[size]


def test_dials_are_on_the_side_of_their_bus_and_seats_on_the_other() -> None:
    layout = laid_out(example("8x4"))
    middle = layout.boxes["pi"].rect
    for placed in layout.boxes.values():
        if placed.box.part.kind in (PartKind.SCREEN, PartKind.BUTTON, PartKind.LAMP):
            assert placed.rect.x > middle.right
        if placed.box.part.kind in (PartKind.MUX, PartKind.TILE):
            assert placed.rect.right < middle.x


def test_dials_are_on_the_right_where_that_saves_wires_around_the_header() -> None:
    """A bus on the even pins of the header, and seats on the odd ones."""
    layout = laid_out(wired(read(EVEN)))
    assert layout.boxes["button ANN"].rect.right < layout.boxes["pi"].rect.x
    assert layout.boxes["T01"].rect.x > layout.boxes["pi"].rect.right
    check_sheet(wired(read(EVEN)))


EVEN = """
[table]
name = "Even pins"
[wiring]
pi = "4"
[bus.dials]
device = "/dev/i2c-8"
sda_gpio = 23
scl_gpio = 24
[square.T01]
bus = "dials"
table = "sample:SAMPLE-A"
[seat.ANN]
name = "Ann"
button_gpio = 5
lamp_gpio = 6
"""


@pytest.mark.parametrize("seen", BadgeKind)
def test_marks_and_advice_hide_nothing(seen: BadgeKind) -> None:
    wiring = example("2x2")
    advice = "encoder of T01 (somewhere): gave no answer. Check its plug, then its power, then SDA and SCL. " * 2
    marks = {part.id: Badge(seen, advice=advice) for part in wiring.parts if part.kind is not PartKind.STRIP}
    scene = scene_of(wiring, marks, ["a note"], simulated=True)
    layout = laid_out(wiring, dict.fromkeys(marks, f"{seen.value}: see 10"))
    assert looking.words_on_words(scene) == []
    assert looking.words_across_edges(scene, layout) == []
    assert looking.outside(scene) == []


def test_every_badge_has_its_own_shape() -> None:
    def without_ink(shape: object) -> list[object]:
        return [type(shape), *(getattr(shape, name, None) for name in ("points", "rect", "text", "dash"))]

    shapes = [[without_ink(shape) for shape in badge(seen, (0, 0))] for seen in BadgeKind]
    assert [shape for shape in shapes if shapes.count(shape) > 1] == []
