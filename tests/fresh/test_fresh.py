"""What a fresh clone is tried with: this machine's pip settings, what is said of a run, and of one that failed."""

from __future__ import annotations

import configparser
from pathlib import Path

import pytest

from tests.fresh import __main__ as stage
from tests.fresh.pip_here import choose_places, find_paths, write_config
from tests.programs import CannotRun

LISTED = """\
:env:.find-links='/wheels'
:env:.disable-pip-version-check='1'
global.cert="/it's/ca.crt"
global.find-links='/elsewhere'
global.extra-index-url='file:///mirror https://index.example/simple'
install.user='yes'
download.cert='/other.crt'
"""


def test_only_the_places_of_packages_are_handed_on_and_the_environment_wins() -> None:
    places = choose_places(LISTED.splitlines())
    assert places == {
        "cert": "/it's/ca.crt",
        "extra-index-url": "file:///mirror https://index.example/simple",
        "find-links": "/wheels",
    }
    read = configparser.RawConfigParser()
    read.read_string(write_config(places))
    assert dict(read.items("global")) == places


def test_files_and_folders_that_are_here_are_seen_inside(tmp_path: Path) -> None:
    (tmp_path / "ca.crt").touch()
    for name in ("mirror/simple", "wheels"):
        (tmp_path / name).mkdir(parents=True)
    settings = {
        "cert": f"{tmp_path}/ca.crt",
        "extra-index-url": f"file://{tmp_path}/mirror/simple https://index.example/simple",
        "find-links": f"{tmp_path}/wheels {tmp_path}/absent",
        "timeout": "15",
    }
    assert find_paths(settings) == [tmp_path / "ca.crt", tmp_path / "mirror", tmp_path / "wheels"]


def test_what_was_skipped_is_said_with_its_reason() -> None:
    printed = (
        "SKIPPED [2] tests/a.py:3: no Node.js\nSKIPPED [1] tests/b.py:9: no groff: apt install it\n"
        "SKIPPED [3] tests/c.py:1: no Node.js\n=== 7 passed, 6 skipped in 1 s ===\n"
    )
    assert stage.describe(printed) == (
        "7 passed, 6 skipped in 1 s\n    5 skipped: no Node.js\n    1 skipped: no groff: apt install it"
    )
    assert stage.describe("one\nThe demo is over.\n") == "ended well"


def test_a_failed_run_names_its_tests_and_ends_as_it_ended() -> None:
    printed = "\n".join(["....", "FAILED tests/a.py::test_b", "SKIPPED [1] c", *map(str, range(stage.LAST))])
    assert stage.pick_failures(printed).splitlines() == ["FAILED tests/a.py::test_b", *map(str, range(stage.LAST))]


def test_a_machine_that_cannot_try_it_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def cannot() -> None:
        raise CannotRun("it is no Linux")

    monkeypatch.setattr(stage, "check_machine", cannot)
    assert stage.main(["--short"]) == 0
    assert capsys.readouterr().out == (
        "fresh clone: Debian 13, ann: NOT RUN HERE, because it is no Linux\nfresh clone: passed\n"
    )
    assert stage.main([]) == 1
    assert capsys.readouterr().out.count("NOT RUN HERE") == 4
