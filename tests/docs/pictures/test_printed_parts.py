"""The page's pictures are up to date."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import numpy as np
import pytest

from pi_app.plans.printed.square import PrintedSquare
from tests.docs.pictures.pictured import pixels_of
from tests.docs.pictures.printed_parts import PICTURES

FOLDER = Path(__file__).resolve().parents[3] / "wiring_docs" / "printed"
INSIDE = re.compile(r'"data:image/png;base64,([^"]+)"')
QUICK = ("faces.svg",)


def compare(name: str) -> None:
    """Text and places exactly; pixels up to rounding on other machines."""
    kept, drawn = (FOLDER / name).read_text(encoding="utf-8"), PICTURES[name](PrintedSquare())
    assert INSIDE.sub("", kept) == INSIDE.sub("", drawn)
    for mine, theirs in zip(INSIDE.findall(drawn), INSIDE.findall(kept), strict=True):
        one, other = (pixels_of(base64.b64decode(data)).astype(int) for data in (mine, theirs))
        assert one.shape == other.shape
        assert np.abs(one - other).mean() < 0.5, "run `make picture` and look at it"


@pytest.mark.parametrize("name", QUICK)
def test_the_picture_is_up_to_date(name: str) -> None:
    compare(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PICTURES if name not in QUICK])
def test_all_pictures_are_up_to_date(name: str) -> None:
    compare(name)


def test_every_picture_is_on_the_page_and_every_file_is_drawn() -> None:
    page = "".join((FOLDER.parent / name).read_text(encoding="utf-8") for name in ("printed_parts.md", "dial_faces.md"))
    assert sorted(path.name for path in FOLDER.glob("*.svg")) == sorted(PICTURES)
    assert all(f"](printed/{name})" in page for name in PICTURES)
