"""Reports on real sticks: written, read again after a pull, full, and read-only."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.station.staff.stick import NO_STICK
from tests.pi_app.station.staff.mounted import MAKERS, file_on, names_on, run_beside, stick

WRITE = """
import sys
from hardware.host import Host
from pi_app.station.staff.stick import write_report
for _ in range(2):
    print(write_report(Host(), "dial T02 \\u2013 9 \\u00b0C\\n" * int(sys.argv[1])).said(str))
"""


@pytest.mark.parametrize("kind", MAKERS)
def test_a_report_is_on_the_stick_when_it_is_pulled(tmp_path: Path, kind: str) -> None:
    image = stick(kind, tmp_path / "stick.img")
    said = run_beside(kind, image, WRITE, "100").splitlines()
    assert said == [
        f"Written to the stick: trapdial-report-{number}.txt. You may pull it out now." for number in (1, 2)
    ]
    assert file_on(kind, image, "trapdial-report-2.txt") == "dial T02 – 9 °C\n" * 100


@pytest.mark.parametrize("kind", MAKERS)
def test_a_full_stick_says_so_and_keeps_no_half_report(tmp_path: Path, kind: str) -> None:
    image = stick(kind, tmp_path / "stick.img")
    said = run_beside(kind, image, WRITE, "100000").splitlines()
    assert set(said) == {"The stick refuses the report (No space left on device). Try another one."}
    assert [name for name in names_on(kind, image) if name != "lost+found"] == []


@pytest.mark.parametrize("kind", MAKERS)
def test_a_stick_that_cannot_be_written_is_none(tmp_path: Path, kind: str) -> None:
    image = stick(kind, tmp_path / "stick.img")
    assert set(run_beside(kind, image, WRITE, "1", options="ro").splitlines()) == {NO_STICK}
