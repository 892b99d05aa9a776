"""Two trees and two links: one runs, one is known to work, and every change is a single rename."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from pi_app.station.updates import trees
from pi_app.station.updates.trees import SLOTS, ProgramTree
from pi_app.text.errors import UserFileError
from tests.pi_app.station.updates.two_trees import note
from tests.station.tiny import NEW, OLD, payload


def test_a_tree_is_built_beside_the_one_that_runs(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    old = trees.build(payload(tmp_path, OLD), home)
    assert (old.slot, old.version, trees.running(home)) == ("A", OLD, None)
    trees.switch(home, old, trial=True)
    assert (trees.running(home), trees.on_trial(home)) == (old, False)
    new = trees.build(payload(tmp_path, NEW), home)
    assert (new.slot, trees.running(home)) == ("B", old)
    trees.switch(home, new, trial=True)
    assert (trees.running(home), trees.on_trial(home)) == (new, True)
    assert subprocess.run([home / "current/bin/trapdial"], capture_output=True, text=True).stdout == f"{NEW}\n"
    assert (trees.same(new, tmp_path / "payload-2.0"), trees.same(new, tmp_path / "payload-1.0")) == (True, False)
    with pytest.raises(UserFileError) as refused:
        trees.build(tmp_path / "payload-1.0", home)
    assert str(refused.value) == (
        f"{home}: an update is on trial, and both trees are in use. Wait two minutes for its end, and try again."
    )
    trees.remove(home)
    assert list(home.iterdir()) == []


def test_a_tree_without_its_whole_note_is_none(tmp_path: Path) -> None:
    note(tmp_path, "A", OLD)
    trees.point(tmp_path, "current", "A")
    for damaged in ("", "[]", '{"version": "1.0"}', "\udcff"):
        (tmp_path / "A" / trees.NOTE).write_text(damaged, encoding="utf-8", errors="surrogateescape")
        assert trees.tree(tmp_path, "A") is None
        assert trees.running(tmp_path) is None


def test_what_no_slot_is_named_by_is_no_link(tmp_path: Path) -> None:
    assert trees.pointed(tmp_path, "current") is None
    (tmp_path / "current").symlink_to("/etc")
    assert trees.pointed(tmp_path, "current") is None


def test_it_never_goes_back_to_what_is_not_whole(tmp_path: Path) -> None:
    note(tmp_path, "B", NEW)
    trees.point(tmp_path, "confirmed", "A")
    trees.point(tmp_path, "current", "B")
    assert trees.go_back(tmp_path) is None
    assert trees.pointed(tmp_path, "current") == "B"


def test_a_payload_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserFileError) as refused:
        trees.identity(tmp_path)
    assert str(refused.value) == (
        f"{tmp_path}/SHA256SUMS: it cannot be read (No such file or directory). Name a folder with "
        "SHA256SUMS and wheels/."
    )


class Links(RuleBasedStateMachine):
    """Updates, confirmations, ways back and left-overs of cuts in any order: a whole tree runs at all times."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.home = Path(self.folder.name)
        trees.switch(self.home, note(self.home, "A", OLD), trial=False)

    def teardown(self) -> None:
        self.folder.cleanup()

    @precondition(lambda self: not trees.on_trial(self.home))
    @rule()
    def update(self) -> None:
        slot = trees.free_slot(self.home)
        if not (self.home / slot).exists():
            note(self.home, slot, NEW)
        trees.switch(self.home, ProgramTree(slot, NEW, "", ""), trial=True)
        assert trees.on_trial(self.home)

    @rule()
    def confirm(self) -> None:
        trees.confirm(self.home)
        assert not trees.on_trial(self.home)

    @rule()
    def go_back(self) -> None:
        confirmed = trees.pointed(self.home, "confirmed")
        trees.go_back(self.home)
        assert trees.pointed(self.home, "current") == confirmed

    @rule()
    def a_cut_left_a_link(self) -> None:
        (self.home / "current.new").unlink(missing_ok=True)
        (self.home / "current.new").symlink_to("nowhere")

    @invariant()
    def a_whole_tree_runs(self) -> None:
        assert trees.running(self.home) is not None
        assert trees.pointed(self.home, "confirmed") in SLOTS


TestLinks = Links.TestCase
TestLinks.settings = settings(max_examples=8, stateful_step_count=12, deadline=None)
