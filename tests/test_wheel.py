"""The wheel is whole: built from the source as a user builds it, installed into a venv of its own, and run there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

from pi_app.text.pages import pages

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("firmware_host", "hardware", "pi_app", "wiring_docs", "LICENSE", "pyproject.toml")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built in a copy of the source without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    source.mkdir()
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(source))
    (built,) = folder.glob("trapdial-*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path) -> Path:
    """The `bin` folder of a venv that has the wheel, and its libraries from the venv of the tests."""
    venv = wheel.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    python = venv / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", "--no-compile", str(wheel))
    (site,) = venv.glob("lib/python*/site-packages")
    libraries = dict.fromkeys(sysconfig.get_path(name) for name in ("purelib", "platlib"))
    (site / "libraries.pth").write_text("\n".join([*libraries, ""]), encoding="utf-8")
    return venv / "bin"


def pip(*words: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words]
    subprocess.run(command, check=True)


def run(*words: str | Path, code: int = 0) -> str:
    """What a program prints, run outside the source with a clean environment."""
    environment = {"PATH": os.environ["PATH"], "HOME": "/nowhere", "LC_ALL": "C.UTF-8"}
    command = [str(word) for word in words]
    done = subprocess.run(command, cwd="/", env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_wheel_has_every_page_and_no_test(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    wanted = {f"wiring_docs/{page.file.relative_to(ROOT / 'wiring_docs')}" for page in pages().values()}
    drawn = [*ROOT.glob("wiring_docs/**/*.svg"), *ROOT.glob("wiring_docs/*.png")]
    pictures = {f"wiring_docs/{each.relative_to(ROOT / 'wiring_docs')}" for each in drawn}
    assert wanted | pictures | {"wiring_docs/journal_verifier.py", "wiring_docs/audit_sample.html"} <= set(names)
    assert [name for name in names if name.startswith("pi_app/station/package/")] == [], "what builds the package"
    folders = {name.split("/")[0] for name in names}
    info, data = sorted(name for name in folders if name.endswith((".dist-info", ".data")))[::-1]
    assert folders - {info, data} == set(SOURCES[:4])
    assert [name for name in names if name.startswith(data)] == [f"{data}/data/share/man/man1/trapdial.1"]


@pytest.mark.slow
def test_the_installed_program_is_the_wheels_and_shows_its_pages(installed: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    trapdial = installed / "trapdial"
    where = run(installed / "python", "-c", "import pi_app; print(pi_app.__file__)")
    assert Path(where.strip()).is_relative_to(installed.parent)
    assert run(trapdial, "-V") == run(trapdial, "--version") == f"trapdial, version {version}\n"
    assert run(installed / "python", "-m", "pi_app", "-V") == f"trapdial, version {version}\n"
    assert "  hub_wire               The wire of a hub\n" in run(trapdial, "docs")
    for name in ("hub_wire", "examples/2x2/guide"):
        assert run(trapdial, "docs", name) == pages()[name].text


@pytest.mark.slow
def test_a_message_of_the_installed_program_names_a_page_that_it_has(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text("name = 1\n", encoding="utf-8")
    said = run(installed / "trapdial", "tables", "check", tmp_path / "bad.toml", code=2)
    assert "`trapdial docs trap_tables` says what a trap table's file holds" in said
    assert run(installed / "trapdial", "docs", "trap_tables").startswith("# The file of a trap table\n")


@pytest.mark.slow
def test_the_installed_program_writes_its_pages_as_html(installed: Path, tmp_path: Path) -> None:
    said = run(installed / "trapdial", "docs", "wiring", "-o", tmp_path / "pages")
    assert said == f"{(tmp_path / 'pages/wiring.html').as_uri()}\n"
    assert (tmp_path / "pages/examples/2x2/wiring.svg").is_file()
    page = installed.parent / "share/man/man1/trapdial.1"
    assert run(installed / "trapdial", "docs", "--man") == page.read_text(encoding="utf-8")
