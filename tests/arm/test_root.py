"""When the stage runs, when it must, and what it says where it cannot. No package is fetched here."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.arm import __main__ as stage
from tests.arm import root
from tests.programs import CannotRun


def _machine(monkeypatch: pytest.MonkeyPatch, *, works: bool = True, admin: bool = True, archives: str = "") -> None:
    """A machine without a kept root, whose namespaces work or do not, and whose apt knows these archives."""

    def run(words: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        if words[0] == "setpriv":
            return subprocess.CompletedProcess(words, 0 if works else 1, "", "mount: permission denied\n")
        return subprocess.CompletedProcess(words, 0, archives if "indextargets" in words else "", "")

    monkeypatch.setattr("tests.arm.root.platform.machine", lambda: "x86_64")
    monkeypatch.setattr("tests.arm.root.sys.platform", "linux")
    monkeypatch.setattr("tests.arm.root.os.geteuid", lambda: 0 if admin else 1000)
    monkeypatch.setattr("tests.arm.root.shutil.which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr("tests.arm.root.subprocess.run", run)


@pytest.fixture(autouse=True)
def _nothing_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(root, "BUILD", tmp_path)


DEBIAN = "Debian Debian http://mirror.example/debian/\nDebian Debian-Security http://mirror.example/security/\n"


def test_it_must_run_as_root_on_a_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    _machine(monkeypatch, archives=DEBIAN)
    assert root.must_run_here()
    _machine(monkeypatch, archives=DEBIAN, admin=False)
    assert not root.must_run_here()
    _machine(monkeypatch, archives="Ubuntu Ubuntu http://mirror.example/ubuntu/\n")
    assert not root.must_run_here()
    _machine(monkeypatch, archives=DEBIAN, works=False)
    assert not root.must_run_here()


def test_it_must_run_with_a_kept_root(monkeypatch: pytest.MonkeyPatch) -> None:
    _machine(monkeypatch, admin=False)
    assert not root.must_run_here()
    (root.kept_folder() / "root").mkdir(parents=True)
    assert root.must_run_here()
    assert root.root() == root.kept_folder()


def test_the_short_form_passes_where_it_cannot_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _machine(monkeypatch, archives=DEBIAN, works=False)
    assert stage.main(["--short"]) == 0
    said = (
        "arm stage: NOT RUN HERE, because the kernel gives a user namespace no binfmt_misc of its own (Linux 6.7 and "
        "later do, unless a container forbids it): mount: permission denied\n"
    )
    assert capsys.readouterr().out == said
    assert stage.main([]) == 1
    assert capsys.readouterr().out == (
        f"{said}arm stage: FAILED: the full form was requested, or this machine has all that it needs\n"
    )


def test_the_short_form_fails_where_it_must_run_and_cannot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refused(*_: object) -> None:
        raise CannotRun("the archive did not answer")

    _machine(monkeypatch, archives=DEBIAN)
    monkeypatch.setattr(root, "fetch_emulator", refused)
    assert stage.main(["--short"]) == 1
    assert "NOT RUN HERE, because the archive did not answer" in capsys.readouterr().out
    assert not list(root.BUILD.iterdir())


def test_an_emulator_comes_from_the_next_suite_where_one_has_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []

    def run(words: Sequence[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(words[-3])
        if words[0] == "mmdebstrap":
            Path(words[-2]).touch()
        return subprocess.CompletedProcess(words, 1 if "trixie-backports" in words else 0, "E: not found", "")

    monkeypatch.setattr("tests.arm.root.subprocess.run", run)
    root.fetch_emulator("http://mirror.example/debian", tmp_path)
    assert [suite for suite in asked if suite in root.EMULATORS] == ["trixie-backports", "trixie"]
    assert not (tmp_path / "emulator.tar").exists()


def test_the_key_changes_with_what_is_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    before = root.kept_folder()
    assert before == root.kept_folder()
    monkeypatch.setattr(root, "locked_wheels", lambda: ["click==99"])
    assert root.kept_folder() != before
