"""The wiring for WireViz."""

from __future__ import annotations

import html
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings

from pi_app.plans.wiring import wireviz
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.values import Colour
from pi_app.plans.wiring.wireviz import COLOURS, wireviz_yaml
from pi_app.settings.load import EXAMPLES
from pi_app.settings.model import Settings
from tests.pi_app.plans.wiring.tables import any_settings, example


def read(size: str) -> Any:
    return yaml.safe_load(wireviz_yaml(example(size)))


def test_a_lead_joins_what_it_joins() -> None:
    harness = read("2x2")
    assert harness["cables"]["D-T02"] == {"length": 0.5, "colors": ["RD", "BK", "BU", "YE"]}
    assert [run for run in harness["connections"] if "D-T02" in run[1]] == [
        [{"supply strip": ["3.3 V", "ground"]}, {"D-T02": [1, 2]}, {"T02": ["VCC", "GND"]}],
        [{"mux dials 0x70": ["SD1", "SC1"]}, {"D-T02": [3, 4]}, {"T02": ["SDA", "SCL"]}],
    ]
    assert harness["connectors"]["mux dials 0x70"]["notes"] == "A2, A1 and A0 to ground"


def test_with_and_without_libyaml_the_text_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = [wireviz_yaml(example(size)) for size in EXAMPLES]
    monkeypatch.setattr(wireviz, "DUMPER", yaml.SafeDumper)
    assert [wireviz_yaml(example(size)) for size in EXAMPLES] == fast


def test_every_colour_has_a_code() -> None:
    assert set(COLOURS) == set(Colour)


@pytest.mark.slow
@given(any_settings())
@settings(max_examples=5, deadline=None)
def test_every_wire_is_there_once(given_settings: Settings) -> None:
    wiring = wired(given_settings)
    harness = yaml.safe_load(wireviz_yaml(wiring))
    told = sorted(
        (label, number) for run in harness["connections"] for label, wires in run[1].items() for number in wires
    )
    cores = {lead.label: 1 if lead.usb else len(lead.wires) for lead in wiring.leads}
    assert told == sorted((label, number + 1) for label, count in cores.items() for number in range(count))
    for run in harness["connections"]:
        for end in (run[0], run[2]):
            for part, pins in end.items():
                assert set(pins) <= set(harness["connectors"][part]["pins"])


@pytest.mark.slow
@pytest.mark.parametrize("size", EXAMPLES)
@pytest.mark.skipif(shutil.which("dot") is None, reason="graphviz is not installed")
def test_wireviz_renders_it(size: str, tmp_path: Path) -> None:
    program = Path(sys.executable).with_name("wireviz")
    if not program.exists():
        pytest.skip("wireviz is not installed")
    (tmp_path / "table.yaml").write_text(wireviz_yaml(example(size)), encoding="utf-8")
    done = subprocess.run([program, "table.yaml"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    drawn = (tmp_path / "table.svg").read_text(encoding="utf-8")
    assert all(f">{html.escape(lead.label).replace('-', '&#45;')}<" in drawn for lead in example(size).leads)
