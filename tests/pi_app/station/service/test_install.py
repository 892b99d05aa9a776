"""Installing a station twice changes nothing, an owner's changes stay, and removing it leaves the data."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from pi_app.station.service import units
from pi_app.station.service.install import MANIFEST, Did, FileStep, install, installed, remove
from pi_app.station.service.units import Plan, files, links
from pi_app.text.errors import UserFileError

PLAN = Plan("/opt/trapdial/bin/trapdial", "/opt/trapdial/bin/python")
UNIT = f"{units.UNITS}/{units.PLAY}"


def installs(root: Path, plan: Plan = PLAN, *, overwrite: bool = False) -> list[FileStep]:
    return install(files(plan), links(plan), root, overwrite=overwrite)


def did(steps: list[FileStep]) -> set[Did]:
    return {step.did for step in steps}


def tree(root: Path) -> dict[str, str]:
    found = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"
        elif path.is_file():
            found[name] = path.read_text(encoding="utf-8")
    return found


def test_it_writes_what_the_dry_run_prints_and_twice_is_once(tmp_path: Path) -> None:
    assert did(installs(tmp_path)) == {Did.WRITTEN, Did.LINKED}
    once = tree(tmp_path)
    assert {name: text for name, text in once.items() if name != MANIFEST} == {
        **files(PLAN), **{path: f"-> {target}" for path, target in links(PLAN).items()},
    }  # fmt: skip
    assert did(installs(tmp_path)) == {Did.UNCHANGED}
    assert tree(tmp_path) == once
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*") if path.is_file()}
    assert modes == {0o644}


def test_a_new_version_updates_what_nobody_has_changed(tmp_path: Path) -> None:
    installs(tmp_path)
    new = Plan("/opt/other/trapdial", PLAN.python)
    assert FileStep(tmp_path / UNIT, Did.UPDATED) in installs(tmp_path, new)
    assert "/opt/other/trapdial" in (tmp_path / UNIT).read_text()


def test_a_changed_file_stays_and_the_new_one_lies_beside_it(tmp_path: Path) -> None:
    installs(tmp_path)
    (tmp_path / UNIT).write_text("# mine\n")
    for _ in range(2):
        (step,) = (each for each in installs(tmp_path) if each.path == tmp_path / UNIT)
        assert str(step) == (
            f"{tmp_path / UNIT}: was changed by hand, so it stays; the new one is beside it, with .trapdial-new at "
            "its end."
        )
        assert (tmp_path / UNIT).read_text() == "# mine\n"
        assert (tmp_path / f"{UNIT}.trapdial-new").read_text() == files(PLAN)[UNIT]
    assert FileStep(tmp_path / UNIT, Did.REPLACED) in installs(tmp_path, overwrite=True)
    assert (tmp_path / UNIT).read_text() == files(PLAN)[UNIT]
    assert (tmp_path / f"{UNIT}.trapdial-old").read_text() == "# mine\n"


def test_a_file_that_was_there_before_any_install_is_the_owners(tmp_path: Path) -> None:
    (tmp_path / UNIT).parent.mkdir(parents=True)
    (tmp_path / UNIT).write_bytes(b"# f\xfcr Bj\xf6rn\n")
    assert FileStep(tmp_path / UNIT, Did.KEPT) in installs(tmp_path)
    assert FileStep(tmp_path / UNIT, Did.SAVED) in remove(tmp_path)
    assert (tmp_path / f"{UNIT}.trapdial-old").read_bytes() == b"# f\xfcr Bj\xf6rn\n"


def test_what_a_new_plan_no_longer_has_goes(tmp_path: Path) -> None:
    installs(tmp_path)
    bare = Plan(PLAN.program, PLAN.python, "", display=False)
    steps = installs(tmp_path, bare)
    assert sum(step.did is Did.DELETED for step in steps) == 6
    assert not [name for name in tree(tmp_path) if name != MANIFEST and ("pages" in name or "display" in name)]


def test_removal_leaves_data_and_settings(tmp_path: Path) -> None:
    kept = ("etc/trapdial/trapdial.toml", "var/lib/trapdial/journal.db", f"{UNIT}.d/override.conf")
    for name in kept:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("the owner's")
    installs(tmp_path)
    assert len(installed(tmp_path)) == len({**files(PLAN), **links(PLAN)})
    assert did(remove(tmp_path)) == {Did.DELETED}
    assert set(tree(tmp_path)) == set(kept)
    assert (remove(tmp_path), installed(tmp_path)) == ([], [])


@pytest.mark.parametrize("garbage", [b"", b"[]", b"\0\0", b'{"a": 1}'])
def test_a_damaged_list_makes_a_differing_file_the_owners(tmp_path: Path, garbage: bytes) -> None:
    installs(tmp_path)
    (tmp_path / MANIFEST).write_bytes(garbage)
    assert did(installs(tmp_path)) == {Did.UNCHANGED}
    (tmp_path / MANIFEST).write_bytes(garbage)
    assert FileStep(tmp_path / UNIT, Did.KEPT) in installs(tmp_path, Plan("/opt/other", PLAN.python))


def test_errors_are_words(tmp_path: Path) -> None:
    (tmp_path / UNIT).mkdir(parents=True)
    with pytest.raises(UserFileError) as refused:
        installs(tmp_path)
    assert str(refused.value) == f"{tmp_path / UNIT}: it cannot be read (a folder, not a plain file). Check the disk."
    (tmp_path / "etc/sysusers.d").write_text("no folder")
    (tmp_path / UNIT).rmdir()
    with pytest.raises(UserFileError, match=r"sysusers\.d.* it cannot be .*Check the disk\."):
        installs(tmp_path)


def test_a_link_of_another_kind_is_made_right(tmp_path: Path) -> None:
    installs(tmp_path)
    (path, target), *_ = links(PLAN).items()
    (tmp_path / path).unlink()
    (tmp_path / path).symlink_to("/dev/null")
    assert FileStep(tmp_path / path, Did.LINKED) in installs(tmp_path)
    assert os.readlink(tmp_path / path) == target
