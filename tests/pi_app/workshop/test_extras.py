"""What `trapdial extras` installs, where it refuses and what to type then; and that no message names it otherwise."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.extras import EXTRAS
from pi_app.cli.main import main
from pi_app.text.errors import BrokenInstallationError, UserFileError
from pi_app.workshop import extras
from pi_app.workshop.extras import USES, Environment, install, names, overview, refuse, requirements
from tests.layers import FILES

ROOT = Path(__file__).resolve().parents[3]
VENV = Environment(
    prefix=Path("/opt/trapdial/.venv"),
    is_virtual=True,
    is_managed=True,
    is_writable=True,
    has_pip=True,
    python="/opt/trapdial/.venv/bin/python",
    source="/opt/trapdial",
)
LOCK = f"--require-hashes --no-deps --only-binary :all: --requirement {shlex.quote(f'{extras.LOCKS}/parts.txt')}"


def refusal(here: Environment) -> str:
    with pytest.raises(UserFileError) as refused:
        refuse("parts", here)
    return str(refused.value)


def failed(told: str) -> str:
    with pytest.raises(UserFileError) as refused:
        install("hub", ["mpremote>=1.24"], lambda words: (1, told))
    return str(refused.value)


def test_what_an_extra_requires_is_in_the_installed_metadata() -> None:
    assert names(requirements("parts")) == ["manifold3d", "numpy", "fpdf2"]
    assert names(requirements("hub")) == ["mpremote"]
    lines = ["click>=8.1", 'a[b]>=1 ; extra == "x"', "c~=2; python_version > '3' and extra == 'x'", 'd; extra == "xy"']
    assert requirements("x", lines) == ["a[b]>=1", "c~=2"]
    assert names(requirements("x", lines)) == ["a", "c"]


def test_every_extra_but_the_developers_is_offered() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    section = text.partition("[project.optional-dependencies]\n")[2].partition("\n[")[0]
    assert {*re.findall(r"^(\w+) = \[", section, re.MULTILINE)} - {"dev"} == {*USES}
    assert tuple(USES) == EXTRAS


def test_the_list_says_what_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = {"mpremote": "1.24", "manifold3d": "3.5", "fpdf2": "2.8"}
    monkeypatch.setattr(extras, "versions", lambda needs: {name: versions.get(name, "") for name in names(needs)})
    assert [*overview()][:2] == [
        "parts  not installed  printed parts of a trap square, and dial faces as PDF",
        "hub    installed      installing the firmware on a hub",
    ]
    said = CliRunner().invoke(main, ["extras"]).output.splitlines()
    assert said[:2] == [*overview()][:2]
    assert said[-1] == "Install one with: trapdial extras install NAME"


def test_pip_is_asked_for_the_packages_and_their_versions_are_told() -> None:
    asked: list[Sequence[str]] = []

    def run(words: Sequence[str]) -> tuple[int, str]:
        asked.append(words)
        return 0, ""

    versions = install("hub", ["mpremote>=1.24"], run)
    assert asked[0][0] == "install"
    assert shlex.join(asked[0]).endswith(LOCK.replace("parts", "hub"))
    assert list(versions) == ["mpremote"]
    install("hub", ["mpremote>=1.24"], run, locked=False)
    assert [*asked[1]][-2:] == ["--prefer-binary", "mpremote>=1.24"]


@pytest.mark.parametrize("extra", USES)
def test_the_lock_of_an_extra_has_a_hash_for_every_version(extra: str) -> None:
    """Otherwise pip takes none of it."""
    lines = extras.lock_of(extra).read_text(encoding="utf-8").replace("\\\n", "").splitlines()[1:]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+( ; [^-]+?)?( +--hash=sha256:[0-9a-f]{64})+", line) for line in lines)
    assert {*map(str.lower, names(requirements(extra)))} <= {line.partition("==")[0] for line in lines} | {"pynacl"}


def test_a_missing_lock_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(extras, "LOCKS", tmp_path)
    with pytest.raises(BrokenInstallationError, match="the lock of the extra hub is missing"):
        extras.lock_of("hub")


def test_the_command_says_where_to_and_what(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "pip", lambda words: (0, ""))
    monkeypatch.setattr(extras, "environment", lambda: VENV)
    monkeypatch.setattr("sys.prefix", "/opt/trapdial/.venv")
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.24.1")
    done = CliRunner().invoke(main, ["extras", "install", "hub"])
    assert done.output == (
        "hub: installing mpremote into /opt/trapdial/.venv\nhub: installed: mpremote 1.24.1\n"
    )  # fmt: skip


def test_what_is_no_extra_is_refused_with_those_there_are() -> None:
    done = CliRunner().invoke(main, ["extras", "install", "audit"])
    assert done.exit_code == 2
    assert "'audit' is not one of 'parts', 'hub', 'peers'" in done.output


def test_without_a_network_one_sentence_says_so() -> None:
    told = "WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError'\nERROR: No matching\n"
    assert failed(told) == (
        "extra hub: pip could not install mpremote (the package index cannot be reached). "
        "Connect this machine to the network and try again; everything else works without them."
    )


def test_what_else_pip_says_is_passed_on() -> None:
    assert failed("ERROR: First.\nERROR: No matching distribution found for mpremote>=1.24\n") == (
        "extra hub: pip could not install mpremote (No matching distribution found for mpremote>=1.24). "
        "There may be no locked file for this machine: --unlocked takes the newest, without checksums; everything else "
        "works without them."
    )
    assert failed("ERROR: First.\n").endswith(
        "(First). Check the network and try again; everything else works without them."
    )
    assert "pip could not install mpremote (it failed). " in failed("")


def test_a_file_that_is_not_the_locked_one_is_not_installed() -> None:
    told = "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.\n"
    assert failed(told) == (
        "extra hub: pip could not install mpremote (a file is not the locked one). Do not install it: somebody has "
        "changed it on the way, or at its place; everything else works without them."
    )


def test_a_real_pip_without_an_index_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"INDEX_URL": "http://127.0.0.1:9/", "EXTRA_INDEX_URL": "", "FIND_LINKS": ""}.items():
        monkeypatch.setenv(f"PIP_{name}", value)
    monkeypatch.setenv("PIP_RETRIES", "0")
    monkeypatch.setattr(extras, "PIP", ("install", "--no-input", "--retries", "0"))
    with pytest.raises(UserFileError) as refused:
        install("hub", ["trapdial-no-such-package"], locked=False)
    assert str(refused.value).startswith("extra hub: pip could not install trapdial-no-such-package (")


def test_the_systems_own_python_is_left_alone() -> None:
    outside = replace(VENV, prefix=Path("/usr"), is_virtual=False, source="/srv/trapdial-0.2.0.whl")
    start = "extra parts: Trapdial runs in the system's own Python (/usr), not in a virtual environment"
    advice = (
        ". Install Trapdial into one: `python3 -m venv ~/trapdial-venv && ~/trapdial-venv/bin/pip install "
        "/srv/trapdial-0.2.0.whl && ~/trapdial-venv/bin/trapdial extras install parts`."
    )
    assert refusal(outside) == f"{start}, and this system keeps pip out of it (PEP 668){advice}"
    assert refusal(replace(outside, is_managed=False)) == start + advice


def test_an_environment_of_pipx_or_uv_is_left_to_it(tmp_path: Path) -> None:
    prefix = tmp_path / "trapdial"
    prefix.mkdir()
    (prefix / "pipx_metadata.json").touch()
    assert refusal(replace(VENV, prefix=prefix)) == (
        f"extra parts: pipx keeps the environment of Trapdial ({prefix}). Type `pipx runpip trapdial install {LOCK}`."
    )
    (prefix / "pipx_metadata.json").rename(prefix / "uv-receipt.toml")
    assert refusal(replace(VENV, prefix=prefix)) == (
        f"extra parts: uv keeps the environment of Trapdial ({prefix}). "
        f"Type `uv pip install --python /opt/trapdial/.venv/bin/python {LOCK}`."
    )


def test_an_environment_that_cannot_be_changed_says_why() -> None:
    assert refusal(replace(VENV, is_writable=False)) == (
        "extra parts: this user may not write into Trapdial's environment (/opt/trapdial/.venv). "
        "Type `sudo /opt/trapdial/.venv/bin/trapdial extras install parts`."
    )
    assert refusal(replace(VENV, has_pip=False)) == (
        "extra parts: Trapdial's environment (/opt/trapdial/.venv) has no pip. "
        f"Type `uv pip install --python /opt/trapdial/.venv/bin/python {LOCK}`, or install pip "
        "with `/opt/trapdial/.venv/bin/python -m ensurepip` and try again."
    )
    refuse("parts", VENV)


def test_where_the_tests_run_is_described() -> None:
    here = extras.environment()
    assert (here.is_virtual, here.is_writable, here.has_pip, Path(here.source)) == (True, True, True, ROOT)


PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *ROOT.glob("wiring_docs/**/*.md")))


def test_an_extra_is_named_by_the_command_that_installs_it() -> None:
    for file in (*FILES, *PAGES):
        text = (ROOT / file).read_text(encoding="utf-8")
        assert "trapdial[" not in text, file
        assert {*re.findall(r"trapdial extras install ([a-z]\w*)", text)} <= {*USES}, file
