"""The small example table with other parts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import msgspec
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.settings.load import example_path, load
from pi_app.settings.model import Settings
from pi_app.simulated.demo import Demo
from tests.pi_app.playing import Played, settings


def counting() -> Settings:
    """The small example, with a seesaw under T01 and an AS5600 under T02."""
    small = settings()
    squares = dict(small.squares)
    squares["T01"] = msgspec.structs.replace(squares["T01"], chip="seesaw", steps_per_click=2)
    return replace(small, squares=MappingProxyType(squares))


def learnt_table(folder: Path) -> Settings:
    """The small table with memories, and calibrated."""
    path = folder / "trapdial.toml"
    text = example_path("2x2").read_text(encoding="utf-8")
    text = text.replace('calibration = ""', 'calibration = "calibration.toml"')
    text = text.replace("[square.T01]\n", '[square.T01]\nmemory = "24aa02uid"\n')
    text = text.replace("[square.T02]\n", '[square.T02]\nmemory = "24aa025e48"\n')
    path.write_text(text, encoding="utf-8")
    result = CliRunner().invoke(main, ["calibrate", "--settings", str(path), "--simulated", "--auto"])
    assert result.exit_code == 0, result.output
    return load(path)


def exchange_leads(demo: Demo) -> None:
    one, other = (demo.table.tiles[label].segment for label in ("T01", "T02"))
    one.chips, other.chips = other.chips, one.chips


def swap(played: Played) -> None:
    """Pull both leads and put each into the other's socket."""
    for tile in played.demo.table.tiles.values():
        tile.unplug()
    played.run(0.3)
    exchange_leads(played.demo)
    for tile in played.demo.table.tiles.values():
        tile.plug_in()
