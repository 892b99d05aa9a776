"""The README's picture is made by the program, always the same, and says what it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_app.settings import load as settings
from pi_app.text.errors import UserFileError
from tests.docs.demo_picture import screenshot, write

GREAT = settings.load(settings.example_path("8x4"))


@pytest.mark.slow
def test_the_picture_shows_one_seat_looking(tmp_path: Path) -> None:
    file = tmp_path / "demo.svg"
    screenshot(GREAT, tmp_path / "journal.db", file)
    svg = file.read_text(encoding="utf-8")
    words = re.findall(r"<text[^>]*>([^<]*)</text>", svg)
    assert {"SIMULATED", "SAMPLE", "Ann", "held", "bright", "turning", "exposed"} <= set(words)
    assert [part for part in svg.split('"') if "://" in part] == ["http://www.w3.org/2000/svg"]
    assert svg.count("<path") > 60

    screenshot(GREAT, tmp_path / "again.db", tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text(encoding="utf-8") == svg


def test_a_place_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    file = tmp_path / "no such folder" / "demo.svg"
    with pytest.raises(UserFileError) as raised:
        write(file, "<svg/>")
    told = f"{file} (picture) cannot be written (No such file or directory). Choose another place."
    assert str(raised.value) == told
