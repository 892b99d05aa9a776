"""When the stage runs and what it says where it cannot; its agent; its disks. No guest starts here."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.programs import CannotRun, cache
from tests.station.guest import __main__ as stage
from tests.station.guest import system
from tests.station.guest.inside import agent
from tests.station.guest.system import Disks


@pytest.fixture(autouse=True)
def _own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRAPDIAL_CACHE", str(tmp_path))


def test_a_machine_that_cannot_run_it_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cannot() -> None:
        raise CannotRun("ptrace is forbidden here")

    monkeypatch.setattr(stage, "check_machine", cannot)
    monkeypatch.setattr(stage, "must_run_here", lambda: False)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert stage.main(["--short"]) == 0
    assert capsys.readouterr().out == "station stage: NOT RUN HERE, because ptrace is forbidden here\n"
    assert stage.main([]) == 1
    assert "FAILED: the full form was requested" in capsys.readouterr().out
    monkeypatch.setattr(stage, "must_run_here", lambda: True)
    assert stage.main(["--short"]) == 1
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert stage.main(["--short"]) == 0


def test_the_scenes_of_the_short_run_are_among_all_scenes() -> None:
    nowhere = Path("/nonexistent")
    every = {*stage.own_scenes(), "install", *stage.scenes(stage.Packages(nowhere, nowhere), 5)}
    assert set(stage.SHORT) <= every


def test_what_is_large_is_kept_outside_the_tree(tmp_path: Path) -> None:
    assert cache() == tmp_path / "trapdial"


def test_a_disk_is_made_by_root_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(system, "archive", lambda: tmp_path / "system.tar")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(CannotRun, match="the guest's disk is made as root"):
        system.disks(tmp_path / "kernel/linux", lambda _: None)


def test_copies_of_disks_keep_their_holes(tmp_path: Path) -> None:
    made = Disks(tmp_path / "root.img", tmp_path / "boot.img")
    for path in (made.root, made.boot):
        with path.open("wb") as file:
            file.truncate(64 << 20)
    copied = made.copied(tmp_path / "copies")
    assert copied.root.stat().st_size == 64 << 20
    assert copied.root.stat().st_blocks < 1000


def test_the_agent_gives_output_code_and_what_it_could_not_run() -> None:
    asked = {"id": 1, "words": ["sh", "-c", "cat; echo no >&2; exit 3"], "seconds": 20, "input": "yes"}
    assert agent.answered(asked) == {"id": 1, "code": 3, "out": "yes", "err": "no\n"}
    assert agent.execute({"words": ["/nonexistent"], "seconds": 20})["code"] == 127


def test_a_command_without_end_gives_124(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*_: object, **__: object) -> None:
        raise subprocess.TimeoutExpired("sleep", 5)

    monkeypatch.setattr(subprocess, "run", late)
    assert agent.execute({"words": ["sleep", "9"], "seconds": 5}) == {"code": 124, "out": "", "err": "not within 5 s"}


def test_a_long_answer_goes_through_the_shared_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(agent, "SHARED", tmp_path)
    answer = agent.answered({"id": 7, "words": ["seq", "2000"], "seconds": 20})
    assert answer == {"id": 7, "file": "answer-7.json"}
    assert len((tmp_path / "answer-7.json").read_text(encoding="utf-8")) > 8000
