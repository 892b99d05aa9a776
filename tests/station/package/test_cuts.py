"""The places at which dpkg is killed: every line of a script, and a script with places still does what it did."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pi_app.station.package.contents import SCRIPTS
from tests.station.package.cuts import with_cuts

SCRIPT = '#!/bin/sh\n# Words.\nset -e\n\nif [ "$1" = go ]; then\n    # More.\n    false || \\\n        echo went\nfi\n'


def test_every_line_is_a_place() -> None:
    text, places = with_cuts(SCRIPT, "postinst")
    assert places == ["postinst-1", "postinst-2", "postinst-3", "postinst-4"]
    before = [line for line, after in zip(text.splitlines(), text.splitlines()[1:], strict=False) if "if [ " in after]
    assert before[-1] == "cut postinst-1"


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_with_places_is_a_script(name: str) -> None:
    text, places = with_cuts(SCRIPTS[name], name)
    subprocess.run(["sh", "-n"], input=text, text=True, check=True)
    assert len(places) == len(set(places)) > 3


def test_a_script_with_places_does_what_it_did(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(with_cuts(SCRIPT, "postinst")[0], encoding="utf-8")
    done = subprocess.run(["sh", script, "go"], capture_output=True, text=True, check=True)
    assert done.stdout == "went\n"
