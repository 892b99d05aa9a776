"""The OpenSCAD source is a second implementation of the same parts: same numbers, same solids."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import fields, replace
from pathlib import Path

import pytest

from pi_app.plans.printed.parts import PARTS, assembled, on_bed
from pi_app.plans.printed.scad import SOURCE, scad
from pi_app.plans.printed.solid import Solid, bounds, from_triangles
from pi_app.plans.printed.square import PrintedSquare
from tests.pi_app.plans.printed.made import USUAL, parts

NUMBER = re.compile(r"^(\w+) = ([0-9.]+);", re.MULTILINE)
OPENSCAD = shutil.which("openscad")
needs_openscad = pytest.mark.skipif(OPENSCAD is None, reason="OpenSCAD is not installed: apt install openscad")


def test_the_shipped_source_has_the_usual_numbers() -> None:
    assert scad(PrintedSquare()) == SOURCE.read_text(encoding="utf-8")


def test_all_numbers_are_on_top() -> None:
    top = scad(PrintedSquare()).partition("// ---- derived numbers")[0]
    assert [name for name, _ in NUMBER.findall(top)] == ["apart", *(field.name for field in fields(PrintedSquare))]


def test_a_changed_number_is_written() -> None:
    text = scad(replace(PrintedSquare(clicks=9), air_gap=1.25))
    found = dict(NUMBER.findall(text))
    assert (found["clicks"], found["air_gap"], found["wall"]) == ("9", "1.25", "1.6")
    assert len(text.splitlines()) == len(scad(PrintedSquare()).splitlines())


def rendered(name: str, square: PrintedSquare, folder: Path) -> Solid:
    """One part as OpenSCAD makes it."""
    import numpy as np

    (folder / "square.scad").write_text(scad(square), encoding="utf-8")
    command = ["openscad", "-D", f'part="{name}"', "-o", "part.stl", "square.scad"]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr
    assert "WARNING" not in ran.stderr, ran.stderr
    corners = re.findall(r"vertex (\S+) (\S+) (\S+)", (folder / "part.stl").read_text(encoding="ascii"))
    return from_triangles(np.array(corners, dtype=np.float64).reshape(-1, 3, 3))


def compare(name: str, square: PrintedSquare, ours: Solid, folder: Path) -> None:
    theirs = rendered(name, square, folder)
    assert theirs.volume() == pytest.approx(ours.volume(), rel=0.01)
    (low, high), (their_low, their_high) = bounds(ours), bounds(theirs)
    assert (their_high - their_low).tolist() == pytest.approx((high - low).tolist(), abs=0.01)
    middle = (low + high) / 2 - (their_low + their_high) / 2
    theirs = theirs.translate(tuple(middle))
    assert (theirs - ours).volume() + (ours - theirs).volume() < 0.01 * ours.volume()


@needs_openscad
def test_openscad_makes_the_same_flexure(tmp_path: Path) -> None:
    compare("spring", USUAL, on_bed("spring", parts()["spring"]), tmp_path)


@needs_openscad
@pytest.mark.slow
@pytest.mark.parametrize("name", PARTS)
def test_openscad_makes_the_same_parts(name: str, tmp_path: Path) -> None:
    compare(name, USUAL, on_bed(name, parts()[name]), tmp_path)


@needs_openscad
@pytest.mark.slow
@pytest.mark.parametrize("clicks", [6, 7, 24])
@pytest.mark.parametrize("name", ["dial", "spring", "top"])
def test_openscad_follows_the_clicks(name: str, clicks: int, tmp_path: Path) -> None:
    square = PrintedSquare(clicks=clicks)
    compare(name, square, on_bed(name, assembled(square)[name]), tmp_path)
