"""Each kind of finding, made by hands and faults at a simulated table: told as pass or fail while the game runs, to
another program beside the running one, and in whole sentences after it.
"""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest
from click.testing import CliRunner

from pi_app.audit.files import audit_file
from pi_app.audit.values import FileAudit, Kind
from pi_app.cli.main import main
from pi_app.game.trap_table import Trap
from tests.pi_app.audit.records import rules_of
from tests.pi_app.audit.scenes import SCENES, Scene
from tests.pi_app.playing import Played

SECRETS = (
    "click",
    "position",
    "rolled",
    "the die",
    "angle",
    "degree",
    "SAMPLE",
    "magnet",
    "tile",
    *(trap.value for trap in Trap),
)


def played(scene: Scene, folder: Path) -> tuple[FileAudit, list[str], FileAudit]:
    """The audit while the game runs, as values and in its printed forms, and the one after its end."""
    with scene.at(folder) as at:
        scene.play(at)
        live, forms = beside(at)
        at.say("end")
        at.run(0.3)
    return live, forms, audit_file(folder / "journal.db")


def beside(at: Played) -> tuple[FileAudit, list[str]]:
    """Read by another program while this one goes on: nothing is changed."""
    files = [path for path in at.journal.parent.rglob("journal.db*") if path.is_file() and not path.match("*-shm")]
    before = {path: path.read_bytes() for path in files}
    live = audit_file(at.journal)
    results = [CliRunner().invoke(main, ["audit", str(at.journal), *form]) for form in ((), ("--json",), ("--csv",))]
    assert {result.exit_code for result in results} == {3 if live.clean else 1}
    assert {path: path.read_bytes() for path in files} == before
    return live, [result.output for result in results]


@pytest.mark.slow
@pytest.mark.parametrize("kind", SCENES)
def test_each_kind_is_pass_or_fail_while_the_game_runs_and_a_sentence_after_it(kind: str, tmp_path: Path) -> None:
    scene = SCENES[kind]
    live, forms, after = played(scene, tmp_path)
    (running,), (ended,) = live.games, after.games
    assert (live.state, running.sealed, after.state, ended.sealed) == ("interrupted", True, "whole", False)
    assert [(rule.rule, found.square, found.claim) for found, rule in rules_of(running)] == scene.live
    assert [(rule.kind, rule.rule, rule.words) for _, rule in rules_of(ended)] == scene.after
    assert {rule.kind for _, rule in rules_of(running)} <= {"sealed", "clock stepped"}
    for form in forms:
        text = form.replace(str(tmp_path), "").replace("dial_", "")
        assert [secret for secret in SECRETS if secret in text] == []


def test_there_is_a_scene_for_every_kind() -> None:
    told = {kind for scene in SCENES.values() for kind, _, _ in scene.after}
    assert told == set(get_args(Kind)) - {"sealed"}


@pytest.mark.parametrize("kind", sorted(set(get_args(Kind)) - {"sealed"}))
def test_the_page_says_when_each_kind_appears(kind: str) -> None:
    scene = next(scene for scene in SCENES.values() if kind in {found for found, _, _ in scene.after})
    page = (Path(__file__).resolve().parents[3] / "wiring_docs" / "audit.md").read_text(encoding="utf-8")
    (line,) = [
        line for line in page.splitlines() if line.startswith("|") and kind in line.split("|")[1].strip().split(", ")
    ]
    _, _, rule, live, *_ = (cell.strip() for cell in line.split("|"))
    squares = {square for told, square, _ in scene.live if any(each.startswith(told) for each in rule.split(", "))}
    assert live == ("at its end" if not squares else "yes" if squares != {None} else "no square")
