"""The page about placing matches the program."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.plans.placement.files import EXAMPLES
from pi_app.plans.placement.reading import KINDS, NAMES, read
from pi_app.plans.placement.things import ARTIFACTS
from pi_app.plans.placement.verdict import verdict
from tests.docs.pages import blocks, shell_lines, tables, text
from tests.pi_app.plans.placement.maps import dungeon

PAGE = "wiring_docs/placement.md"


def test_the_legend_has_every_letter() -> None:
    (rows,) = tables(PAGE, "letter", "meaning")
    assert [row["letter"].strip("`") for row in rows] == [*KINDS, "#"]


def test_every_line_above_the_drawing_is_listed() -> None:
    (rows,) = tables(PAGE, "line", "meaning")
    assert [row["line"].strip("`") for row in rows] == list(NAMES)


def test_every_rule_that_is_checked_is_listed() -> None:
    (rows,) = tables(PAGE, "rule", "requirement", "how it is measured")
    judged = verdict(dungeon(".O=AP", head="agreed: 1")).rules
    assert [row["rule"] for row in rows] == [rule.rule for rule in judged]


@pytest.mark.parametrize(("number", "squares"), [(0, 21), (1, 11), (2, 69)])
def test_the_maps_of_the_page_can_be_read(number: int, squares: int) -> None:
    shown = blocks(PAGE, "text")[number]
    found = read(shown if "map:" in shown else f"walls: lines\nmap:\n{shown}", "page")
    assert len(found.floor) == squares


def test_the_map_with_artifacts_has_the_one_finding_that_the_page_tells() -> None:
    shown = read(blocks(PAGE, "text")[2], "page")
    assert [(each.rule, each.seen) for each in verdict(shown).findings] == [("F-COL-2", "stands in a hallway")]
    assert {kind.value for kind in ARTIFACTS if shown.of(kind)} == {"O", "H", "=", "L"}
    assert set((shown.sections or {}).values()) == {"a", "b", "h"}


def test_every_sample_is_named() -> None:
    named = set(re.findall(r"sample:(SAMPLE-[a-z]+)", text(PAGE)))
    assert named == {path.stem for path in EXAMPLES.glob("SAMPLE-*.txt")}


def test_the_commands_of_the_page_can_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for block in blocks(PAGE, "sh") for line in block.splitlines()]
    assert set(lines) <= set(shell_lines())
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hall.txt").write_text(blocks(PAGE, "text")[-1], encoding="utf-8")
    codes = [CliRunner().invoke(main, shlex.split(line)[1:]).exit_code for line in lines]
    assert codes == [0, 0, 1, 1, 1]
