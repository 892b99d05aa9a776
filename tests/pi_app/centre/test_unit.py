"""The unit of a centre: as it was reviewed, as systemd reads it, and as it is printed.

`TRAPDIAL_GOLDEN=1 pytest tests/pi_app/centre/test_unit.py` writes the reviewed file again.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.centre import unit
from pi_app.centre.unit import CentreUnit
from pi_app.cli.main import main

GOLDEN = Path(__file__).with_name("golden_unit.txt")
SETTINGS = Path("/var/lib/trapdial-centre/centre.toml")
PROGRAM = "/opt/trapdial/bin/trapdial"


def test_the_unit_is_as_it_was_reviewed() -> None:
    text = CentreUnit(PROGRAM, SETTINGS, 8460).text()
    if os.environ.get("TRAPDIAL_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


def test_a_low_port_gets_the_one_right_that_it_needs() -> None:
    low, high = (CentreUnit(PROGRAM, SETTINGS, port).text() for port in (443, 1024))
    assert "\nCapabilityBoundingSet=CAP_NET_BIND_SERVICE\nAmbientCapabilities=CAP_NET_BIND_SERVICE\n" in low
    assert "CAP_" not in high


def test_a_folder_of_its_own_may_be_written() -> None:
    text = CentreUnit(PROGRAM, Path("/srv/shop/centre.toml"), 8460).text()
    assert "\nReadWritePaths=/srv/shop\n" in text
    assert "ReadWritePaths" not in CentreUnit(PROGRAM, SETTINGS, 8460).text()


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
@pytest.mark.parametrize("port", [443, 8460])
def test_systemd_itself_finds_nothing_wrong_with_it(tmp_path: Path, port: int) -> None:
    program = tmp_path / "trapdial"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    named = tmp_path / "trapdial-centre.service"
    named.write_text(CentreUnit(str(program), SETTINGS, port).text())
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", str(named)], capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if "trapdial" in line] == []


def test_it_is_printed_and_nothing_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/opt/trapdial/bin/python")
    settings = tmp_path / "centre.toml"
    settings.write_text('name = "c"\nlisten = "0.0.0.0:443"\n')
    done = CliRunner().invoke(main, ["centre", "run", "--print-unit", "-s", str(settings)])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == CentreUnit(PROGRAM, settings, 443).text()
    assert unit.UNIT in done.stdout


@pytest.mark.parametrize(
    ("python", "folder", "message"),
    [
        (
            "/home/ann/.venv/bin/python",
            "shop",
            "/home/ann/.venv/bin/trapdial: it lies in a home folder, where the centre's own user may read nothing. "
            "Install Trapdial in /opt.\n",
        ),
        (
            "/opt/trapdial/bin/python",
            "my shop",
            "{folder}/centre.toml: a unit cannot name it: it has other letters than a to z, digits and . _ + - in its "
            "path. Make the centre in /var/lib/trapdial-centre.\n",
        ),
    ],
)
def test_a_path_that_its_user_cannot_reach_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, python: str, folder: str, message: str
) -> None:
    monkeypatch.setattr(sys, "executable", python)
    (tmp_path / folder).mkdir()
    settings = tmp_path / folder / "centre.toml"
    settings.write_text('name = "c"\n')
    done = CliRunner().invoke(main, ["centre", "run", "--print-unit", "-s", str(settings)])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == message.format(folder=tmp_path / folder)
