"""`trapdial wiring`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.settings.load import example_path
from tests.pi_app.plans.wiring.tables import text_of


def wiring(*words: str) -> Result:
    return CliRunner().invoke(main, ["wiring", *words])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("trapdial.toml").write_bytes(example_path("2x2").read_bytes())


def test_it_writes_a_folder() -> None:
    result = wiring("-o", "out")
    count = len(list(Path("out").iterdir())) - 1
    assert result.output == f"{count} files in out. Start with out/guide.md.\n"
    assert Path("out/guide.md").read_text(encoding="utf-8").startswith("# Building Small table\n")


def test_where_to_is_asked_for() -> None:
    result = wiring()
    assert result.exit_code == 2
    assert "-o DIR" in result.output


def test_what_cannot_be_wired_is_refused_before_anything_is_written() -> None:
    Path("trapdial.toml").write_text(text_of(1, 2, more='[wiring]\npi = "zero2"\n'), encoding="utf-8")
    result = wiring("-o", "out")
    assert result.exit_code == 2
    assert result.output == (
        "trapdial.toml [bus.screens] device = '/dev/i2c-6': the pins of this bus on a Raspberry Pi "
        "Zero 2 W are not known; set sda_gpio and scl_gpio, or the right `pi` in [wiring]\n"
        "trapdial.toml [bus.others] device = '/dev/i2c-4': the pins of this bus on a Raspberry Pi "
        "Zero 2 W are not known; set sda_gpio and scl_gpio, or the right `pi` in [wiring]\n"
    )
    assert not Path("out").exists()


def test_settings_that_are_not_there() -> None:
    result = wiring("-s", "no.toml", "-o", "out")
    assert result.exit_code == 2
    assert result.output == (
        "no.toml: there is no such file; check the name and the folder, or write a file to start from with: "
        "trapdial settings new\n"
    )


def test_a_check_writes_nothing() -> None:
    result = wiring("--check")
    assert result.exit_code == 0
    assert result.output.splitlines()[-1].endswith(" ok, 0 failing, 0 to check")
    assert [path.name for path in Path().iterdir()] == ["trapdial.toml"]


def with_strong_pull_ups() -> None:
    text = Path("trapdial.toml").read_text(encoding="utf-8")
    text = text.replace("tile_pull_up_ohm = 0 ", "tile_pull_up_ohm = 1000 ")
    Path("trapdial.toml").write_text(text, encoding="utf-8")


STRONG = "pull-ups (bus dials mux 0x70 channels 0 to 1): 566 Ohm"


def test_what_must_not_be_built_so_is_exit_code_1() -> None:
    with_strong_pull_ups()
    result = wiring("--check")
    assert result.exit_code == 1
    assert f"!!  {STRONG}" in result.output


def test_what_must_not_be_built_so_stands_at_the_head_of_the_guide() -> None:
    with_strong_pull_ups()
    result = wiring("-o", "out")
    assert result.exit_code == 1
    assert result.output.startswith(f"!!  {STRONG}")
    guide = Path("out/guide.md").read_text(encoding="utf-8")
    assert guide.startswith(
        "# Building Small table\n\n**Do not build this yet.** Change the settings first. They have these "
        f"problems:\n\n- {STRONG}"
    )


def test_checks_for_programs() -> None:
    result = wiring("--check", "--json")
    lines = [json.loads(line) for line in result.output.splitlines()]
    assert {"sign", "part", "place", "value", "limit", "unit", "source"} <= set(lines[0])


def test_json_is_for_checks() -> None:
    assert wiring("--json", "-o", "out").exit_code == 2


@pytest.mark.slow
def test_printed_parts_lie_beside_the_papers() -> None:
    result = wiring("-o", "out", "--printed")
    assert result.exit_code == 0, result.output
    parts = {path.name for path in Path("out/printed").iterdir()}
    assert {"dial.stl", "comb.stl", "square.3mf", "trap_square.scad", "parts.md"} <= parts
    assert "(printed/dial.stl)" in Path("out/README.md").read_text(encoding="utf-8")


def test_without_the_extra_everything_else_is_written_and_one_line_says_how_to_get_the_rest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "manifold3d", None)
    result = wiring("-o", "out", "--printed")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].endswith(" files in out. Start with out/guide.md.")
    assert result.stderr.splitlines() == [
        "printed parts: only their OpenSCAD source was written, for the geometry library is not installed "
        "(manifold3d). For STL and 3MF type `trapdial extras install parts`, and then this command again."
    ]
    assert {"guide.md", "wiring.svg", "parts.md"} <= {path.name for path in Path("out").iterdir()}
    assert [path.name for path in Path("out/printed").iterdir()] == ["trap_square.scad"]
    assert "`trapdial extras install parts` adds their shapes" in Path("out/README.md").read_text(encoding="utf-8")
    assert wiring("-o", "out").exit_code == 0, "the folder is the program's own, and is replaced"


def test_printed_parts_need_a_folder() -> None:
    assert wiring("--check", "--printed").exit_code == 2
