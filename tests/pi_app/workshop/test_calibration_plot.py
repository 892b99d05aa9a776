"""The picture of a calibration: on paper, in a dark theme, for any dial, and nothing outside its edges."""

from __future__ import annotations

import io
import random
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pi_app.dials.calibration import Calibration
from pi_app.plans.pictures.marks import CHART, Area, Areas, Block, Disc, Mark, Picture, Point, Polyline, Polylines, Text
from pi_app.plans.pictures.png import SCALE, png
from pi_app.plans.pictures.svg import svg
from pi_app.workshop.calibration_plot import plot
from tests.pi_app.dials.test_magnet_error import centres_of


def dial(seed: int, clicks: int = 12, turn: int = 4096) -> Calibration:
    draw = random.Random(seed)
    centres = centres_of(draw, clicks, turn)
    return Calibration.of_centres(
        centres, [draw.randrange(turn // 400) for _ in centres], counts_per_turn=turn, invert=False
    )


def worn() -> Calibration:
    sound = dial(8)
    centres = list(sound.centres)
    centres[5] = (centres[5] + 100) % 4096
    return Calibration.of_centres(centres, sound.spread, counts_per_turn=4096, invert=False)


DARK = CHART.dark or {}


def words(picture: Picture) -> list[str]:
    return [mark.text for mark in picture.marks if isinstance(mark, Text)]


def points(mark: Mark) -> list[Point]:
    match mark:
        case Polyline() | Area():
            return list(mark.points)
        case Polylines(ways) | Areas(ways):
            return [point for points_ in ways for point in points_]
        case Disc((x, y), radius):
            return [(x - radius, y - radius), (x + radius, y + radius)]
        case Block(rect):
            return [(rect.x, rect.y), (rect.right, rect.bottom)]
        case Text((x, y), text, size, _, anchor):
            width = 0.55 * size * len(text)
            left = x - {"start": 0.0, "middle": width / 2, "end": width}[anchor]
            return [(left, y - size), (left + width, y)]


@given(st.integers(0, 10**6), st.sampled_from([2, 3, 5, 8, 12, 12, 20, 24, 60]), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_everything_is_on_the_paper(seed: int, clicks: int, dials: int) -> None:
    picture = plot({f"T{n:02}": dial(seed + n, clicks) for n in range(dials)})
    for mark in picture.marks:
        for x, y in points(mark):
            assert -0.01 <= x <= picture.width + 0.01, mark
            assert -0.01 <= y <= picture.height + 0.01, mark


@given(st.integers(0, 10**6), st.sampled_from([2, 8, 12, 24]))
@settings(max_examples=40, deadline=None)
def test_no_two_words_lie_on_each_other(seed: int, clicks: int) -> None:
    boxes = [
        (*points(mark)[0], *points(mark)[1], mark.text)
        for mark in plot({"T01": dial(seed, clicks)}).marks
        if isinstance(mark, Text)
    ]
    for at, one in enumerate(boxes):
        for other in boxes[:at]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
            assert apart, (one[4], other[4])


def test_what_it_says_of_a_dial() -> None:
    picture = plot({"T07": dial(3)})
    form = dial(3).form
    assert form.once is not None
    assert form.twice is not None
    said = words(picture)
    assert said[:2] == ["T07", "12 detents"]
    assert f"±{form.once.degrees:.1f}°, most near {round(form.once.peak) % 12}" in said
    assert f"±{form.twice.degrees:.1f}°, most near {round(form.twice.peak) % 12}" in said
    assert [word for word in said if word.isdigit()] == [str(k) for k in range(12)]
    assert picture.title == "Calibration of T07"


def test_a_worn_detent_is_red_and_named() -> None:
    picture = plot({"T02": worn()})
    assert "position 5" in words(picture)
    red = [mark for mark in picture.marks if isinstance(mark, Text) and mark.ink == "bad"]
    assert [mark.text for mark in red] == ["5", "position 5"]
    assert sum(isinstance(mark, Disc) and mark.rim == "bad" for mark in picture.marks) == 1


def test_a_simulated_dial_is_called_so() -> None:
    assert not any("SIMULATED" in said for said in words(plot({"T01": dial(1)})))
    picture = plot({"T01": dial(1)}, simulated=True)
    assert "SIMULATED: these are no real dials" in words(picture)
    assert picture.title == "Calibration of simulated T01"


def test_a_wave_that_is_none_has_no_place() -> None:
    even = Calibration.of_centres([k * 4096 // 12 for k in range(12)], [2] * 12, counts_per_turn=4096, invert=False)
    assert words(plot({"T01": even})).count("±0.0°") == 2


def test_scant_room_shows() -> None:
    tight = Calibration(
        12, 4096, False, tuple(k * 4096 // 12 for k in range(12)), (2,) * 12, (170, 110, 60, *(170,) * 9)
    )
    bars = [mark.ink for mark in plot({"T01": tight}).marks if isinstance(mark, Area)][1:25]
    assert bars[1::2] == ["good", "scant", "bad", *["good"] * 9]


def test_no_dial_no_picture() -> None:
    with pytest.raises(ValueError, match="no dial to draw"):
        plot({})


# ------------------------------------------------------------------------------------------------- the files


def test_the_svg_is_whole_and_follows_the_theme() -> None:
    picture = plot({"T01": dial(1), "T02": worn()})
    text = svg(picture)
    root = ElementTree.fromstring(text)
    told = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert told == words(picture)
    style = root.find(".//{http://www.w3.org/2000/svg}style")
    assert style is not None
    assert style.text is not None
    light, dark = style.text.split("@media (prefers-color-scheme: dark)")
    for name in CHART.light:
        assert f".f-{name} {{ fill: {CHART.light[name]} }}" in light
        assert f".f-{name} {{ fill: {DARK[name]} }}" in dark
    assert "@media print" in dark
    assert "href" not in text.replace("xmlns:xlink", "")
    assert svg(picture) == text


@pytest.mark.slow
@pytest.mark.parametrize("colours", [CHART.light, DARK])
def test_the_png_has_the_right_size_and_its_own_paper(colours: Mapping[str, str]) -> None:
    picture = plot({"T01": dial(1)})
    data = png(picture, colours)
    with Image.open(io.BytesIO(data)) as image:
        assert image.size == (round(picture.width * SCALE), round(picture.height * SCALE))
        assert image.mode == "RGB"
        assert image.getpixel((2, 2)) == tuple(bytes.fromhex(colours["paper"][1:]))
        assert len(image.getcolors(1 << 20) or []) > 100  # edges are smooth


DRAWN = Path(__file__).parents[3] / "wiring_docs" / "calibration.svg"


def in_the_docs() -> str:
    return svg(plot({"T01": dial(11), "T02": worn()}))


def test_the_picture_in_the_docs_is_the_programs_own() -> None:
    """Draw it again with `python -m tests.pi_app.workshop.test_calibration_plot`."""
    assert DRAWN.read_text(encoding="utf-8") == in_the_docs()


def test_ink_stands_out_on_its_paper() -> None:
    """Contrast by WCAG 2: 4.5 for what is read, 3 for what is only seen."""
    for colours in (CHART.light, DARK):
        for name, least in (("ink", 7), ("soft", 4.5), ("wave", 3), ("good", 3), ("scant", 3), ("bad", 4.5)):
            assert _contrast(colours[name], colours["paper"]) >= least, name


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [each / 255 for each in bytes.fromhex(colour[1:])]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


if __name__ == "__main__":
    DRAWN.write_text(in_the_docs(), encoding="utf-8")
