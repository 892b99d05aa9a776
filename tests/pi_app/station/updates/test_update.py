"""An update from a package's file or from a folder, and what it says; tests.station.update_cuts cuts it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.placing import install
from pi_app.station.updates.update import Updated, update
from pi_app.text.errors import UserFileError
from tests.station.tiny import NEW, OLD, enabled, payload, quiet, tiny_package, trust

pytestmark = pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="packages are for these")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A station with version 1.0."""
    folder = tmp_path / "home"
    folder.mkdir()
    install(payload(tmp_path, OLD), folder, enabled())
    return folder


def test_a_package_is_unpacked_and_kept_for_dpkg(tmp_path: Path, home: Path) -> None:
    package = tiny_package(tmp_path, NEW)
    done = update(package, home, enabled(), trust())
    assert (done.before and done.before.version, done.after.version, done.trial) == (OLD, NEW, True)
    names = sorted(path.name for path in home.iterdir())
    assert names == ["A", "B", "confirmed", "current", "pending-B.deb", "units"]
    assert (home / "pending-B.deb").read_bytes() == package.read_bytes()
    with pytest.raises(UserFileError, match="an update is on trial, and both trees are in use"):
        update(package, home, enabled(), trust())
    trees.confirm(home)
    assert update(package, home, enabled(), trust()) == Updated(done.after, done.after, trial=False)


@pytest.mark.parametrize(("state", "started"), [("inactive", True), ("active", False)])
def test_a_trial_that_is_not_watched_is_watched_again(tmp_path: Path, home: Path, state: str, started: bool) -> None:
    """An update that was killed after the switch has left it; without this, no update would be taken any more."""
    package = tiny_package(tmp_path, NEW)
    update(package, home, enabled(), trust())
    ran: list[str] = []

    def run(words: Sequence[str]) -> tuple[int, str]:
        ran.append(" ".join(words))
        return 0, f"ActiveState={state}\n"

    with pytest.raises(UserFileError, match="an update is on trial"):
        update(package, home, Systemd(run, home), trust())
    assert ("systemctl --quiet --no-block start trapdial-trial.service" in ran) == started


def test_a_source_that_cannot_be_used_changes_nothing(tmp_path: Path, home: Path) -> None:
    package = tiny_package(tmp_path, NEW)
    package.write_bytes(package.read_bytes()[:-200])
    with pytest.raises(UserFileError):
        update(package, home, enabled(), trust())
    assert sorted(path.name for path in home.iterdir()) == ["A", "confirmed", "current", "units"]


def test_a_folder_without_a_station_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserFileError) as refused:
        update(tmp_path, tmp_path / "none", enabled(), trust())
    assert str(refused.value) == (
        f"{tmp_path}/none: this user cannot write there, or there is no such folder. Use sudo; if the disk is "
        "read-only, make it writable first: `trapdial docs station` says how."
    )


def run(monkeypatch: pytest.MonkeyPatch, home: Path, source: Path) -> Result:
    monkeypatch.setattr("pi_app.cli.station_update.Systemd", lambda: Systemd(quiet, home / "nowhere"))
    monkeypatch.setattr("pi_app.cli.station_update.trees.HOME", home)
    monkeypatch.setattr("pi_app.station.updates.minisign.builder_key", lambda: trust().builder)
    return CliRunner().invoke(main, ["station", "update", str(source)])


def test_the_command_says_what_happens(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tiny_package(tmp_path, NEW)
    assert run(monkeypatch, home, package).stdout == (
        "Version 2.0 is on trial, in B. If it is not ready in 60 seconds, version 1.0 runs again. `journalctl -u "
        "trapdial-trial` says how it ended.\n"
    )
    trees.confirm(home)
    assert run(monkeypatch, home, package).stdout == "Version 2.0 runs already; nothing was changed.\n"


def test_the_command_refuses_what_is_not_there(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = run(monkeypatch, home, tmp_path / "none.deb")
    assert (missing.exit_code, missing.stderr) == (
        2,
        f"{tmp_path}/none.deb: there is no such file. Check the name, and that the stick is in.\n",
    )


def test_the_command_says_where_nothing_was_installed_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home").mkdir()
    said = run(monkeypatch, tmp_path / "home", tiny_package(tmp_path, NEW)).stdout
    assert said == "Version 2.0 is in place, in A.\n"
