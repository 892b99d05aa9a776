"""What `make` installs, and when it installs again: read from `make -n`, and done once with a system's lgpio."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

PLAYER = ["requirements.txt", "."]
DEVELOPER = ["requirements-dev.txt", "'.[dev]'"]
ROOT = Path(__file__).resolve().parents[1]
HERE = f"{sys.version_info.major}.{sys.version_info.minor} {sys.base_prefix}"


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder where the system's Python finds packages, in place of what apt fills; empty."""
    for name in ("MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PYTHONUSERBASE", str(tmp_path / "user"))
    packages = tmp_path / "user" / "lib" / f"python{HERE.split()[0]}" / "site-packages"
    packages.mkdir(parents=True)
    return packages


def make(venv: Path, *words: str) -> str:
    done = subprocess.run(
        ["make", *words, f"VENV={venv}", f"PYTHON={sys.executable}"],
        cwd=ROOT, capture_output=True, text=True, timeout=120, env={**os.environ, "LC_ALL": "C"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def installs(said: str) -> list[str]:
    """What each call of pip installs: a file of the lock, or the source."""
    return re.findall(r"/bin/pip install .* -[er] ('[^']+'|\S+)", said)


def stamped(venv: Path, *stamps: str, made: str = HERE) -> Path:
    venv.mkdir()
    (venv / ".made").write_text(f"{made}\n")
    for name in stamps:
        (venv / name).touch()
    return venv


@pytest.mark.usefixtures("system")
def test_a_player_gets_the_program_and_says_how_large_it_is(tmp_path: Path) -> None:
    said = make(tmp_path / "venv", "-n", "demo")
    assert installs(said) == PLAYER
    assert f'"Making the virtual environment {tmp_path}/venv: Python {HERE}"' in said
    assert "for players: " in said
    assert "for developers" not in said
    assert said.splitlines()[-1] == f"{tmp_path}/venv/bin/trapdial demo"


@pytest.mark.usefixtures("system")
def test_a_python_may_lie_in_a_folder_with_a_blank(tmp_path: Path) -> None:
    python = tmp_path / "my games" / "python3"
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    words = ["make", "-n", "demo", f"VENV={tmp_path}/venv", f"PYTHON={python}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"Python {HERE}" in done.stdout


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("target", ["test", "check", "bench", "install-dev"])
def test_a_developer_gets_everything_at_once(tmp_path: Path, target: str) -> None:
    said = make(tmp_path / "venv", "-n", target)
    assert installs(said) == DEVELOPER
    assert "for developers: " in said


@pytest.mark.usefixtures("system")
def test_what_is_installed_is_not_installed_again(tmp_path: Path) -> None:
    player = stamped(tmp_path / "player", ".base")
    assert make(player, "-n", "demo") == f"{player}/bin/trapdial demo\n"
    assert installs(make(player, "-n", "test")) == DEVELOPER
    developer = stamped(tmp_path / "developer", ".base", ".ready")
    assert installs(make(developer, "-n", "demo", "test")) == []


@pytest.mark.usefixtures("system")
def test_another_pyproject_is_installed(tmp_path: Path) -> None:
    venv = stamped(tmp_path / "venv", ".base", ".ready")
    for name in (".base", ".ready"):
        os.utime(venv / name, (0, 0))
    assert installs(make(venv, "-n", "demo")) == PLAYER
    assert installs(make(venv, "-n", "test")) == DEVELOPER


@pytest.mark.usefixtures("system")
def test_another_lock_is_installed(tmp_path: Path) -> None:
    for name, stamp, target in (("requirements.txt", ".base", "demo"), ("requirements-dev.txt", ".ready", "test")):
        venv = stamped(tmp_path / stamp, ".base", ".ready")
        newest_s = (ROOT / name).stat().st_mtime
        os.utime(venv / stamp, (newest_s - 1, newest_s - 1))
        assert installs(make(venv, "-n", target))[:1] == [name]


@pytest.mark.usefixtures("system")
def test_another_python_gets_another_environment(tmp_path: Path) -> None:
    venv = stamped(tmp_path / "venv", ".base", ".ready", made="3.9 /usr")
    said = make(venv, "-n", "demo")
    assert f"-m venv  {venv}" in said
    assert installs(said) == PLAYER


def test_lgpio_that_came_later_is_seen(tmp_path: Path, system: Path) -> None:
    venv = stamped(tmp_path / "venv", ".base")
    (system / "lgpio.py").write_text("gpiochip_open = print\n")
    said = make(venv, "-n", "demo")
    assert f"-m venv --system-site-packages {venv}" in said
    assert installs(said) == PLAYER
    seeing = stamped(tmp_path / "seeing", ".base", made=f"{HERE} --system-site-packages")
    assert installs(make(seeing, "-n", "demo")) == []
    (system / "lgpio.py").unlink()
    assert f"-m venv  {seeing}" in make(seeing, "-n", "demo")


@pytest.mark.usefixtures("system")
def test_pip_shows_its_progress_on_a_terminal_alone(tmp_path: Path) -> None:
    venv = stamped(tmp_path / "venv")
    (venv / "bin").mkdir()
    (venv / "bin" / "pip").write_text('#!/bin/sh\necho pip "$@"\n')
    (venv / "bin" / "pip").chmod(0o755)
    assert make(venv, "install").splitlines()[-2:] == [
        "pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.txt",
        "pip install --quiet --disable-pip-version-check --no-index --no-build-isolation -e .",
    ]
    (venv / ".base").unlink()
    ours, terminal = pty.openpty()
    with os.fdopen(ours, "rb"), os.fdopen(terminal, "wb"):
        words = ["make", "install", f"VENV={venv}", f"PYTHON={sys.executable}"]
        assert subprocess.run(words, cwd=ROOT, stdout=terminal, timeout=120).returncode == 0
        assert os.read(ours, 4096).decode().splitlines()[-1] == (
            "pip install --disable-pip-version-check --no-index --no-build-isolation -e ."
        )


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize(
    ("fails", "told"),
    [
        ("-r", "pip could not install the locked versions, and says why above. LOCKED=no installs the newest instead."),
        ("-e", "The lock does not fulfil pyproject.toml: pip says why above. Type: make lock"),
    ],
)
def test_a_lock_that_does_not_do_says_what_to_type(tmp_path: Path, fails: str, told: str) -> None:
    venv = stamped(tmp_path / "venv")
    (venv / "bin").mkdir()
    (venv / "bin" / "pip").write_text(f'#!/bin/sh\ncase "$*" in *" {fails} "*) exit 1; esac\n')
    (venv / "bin" / "pip").chmod(0o755)
    words = ["make", "install", f"VENV={venv}", f"PYTHON={sys.executable}"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (2, told)
    assert not (venv / ".base").exists()


@pytest.mark.usefixtures("system")
def test_without_the_lock_the_newest_is_installed(tmp_path: Path) -> None:
    said = make(tmp_path / "venv", "-n", "test", "LOCKED=no")
    assert installs(said) == ["'.[dev]'"]


@pytest.mark.slow
def test_an_environment_is_made_again_in_place(tmp_path: Path, system: Path) -> None:
    venv = tmp_path / "venv"
    look = [str(venv / "bin" / "python"), "-c", "import lgpio, kept"]
    make(venv, f"{venv}/.made")
    (venv / "lib" / f"python{HERE.split()[0]}" / "site-packages" / "kept.py").touch()
    (venv / "micropython").mkdir()
    assert subprocess.run(look, capture_output=True).returncode == 1
    (system / "lgpio.py").touch()
    make(venv, f"{venv}/.made")
    assert subprocess.run(look, capture_output=True).returncode == 0
    assert make(venv, f"{venv}/.made") == f"make: '{venv}/.made' is up to date.\n"
    assert (venv / "micropython").is_dir()
