"""What the lane of the newest libraries prints, and how it ends."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests import newest
from tests.newest import Failure, Move, compare, locked_versions, main, read_failures, report

JUNIT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_one"/>
<testcase classname="tests.test_a" name="test_two[x]">
<failure message="DeprecationWarning: getdata&#10;more">text</failure></testcase>
<testcase classname="" name="tests.test_b"><error message="collection failure">text</error></testcase>
<testcase classname="tests.test_a" name="test_three"><skipped message="no node"/></testcase>
</testsuite></testsuites>"""


def test_every_package_that_moved_is_named_with_both_versions() -> None:
    moves = compare(
        {"pillow": "12.9", "click": "8.5", "gone": "1", "uv": "2"},
        {"pillow": "13.0", "click": "8.5", "new": "3", "uv": "1.9"},
    )
    assert [move.line for move in moves] == [
        "gone 1 is in the lock, and nothing needs it any more",
        "new 3 is new: nothing in the lock needs it",
        "pillow 12.9 -> 13.0",
        "uv 2 -> 1.9 (older: the lock allows more than pyproject.toml)",
    ]


def test_failed_tests_and_files_that_cannot_be_collected_are_read_from_pytest() -> None:
    assert read_failures(JUNIT) == (
        3,
        [
            Failure("tests.test_a.test_two[x]", "DeprecationWarning: getdata"),
            Failure("tests.test_b", "collection failure"),
        ],
    )


def test_the_report_ends_with_one_sentence() -> None:
    assert report([], 7_000, []) == [
        "With the newest of everything that pyproject.toml allows: no package moved; 7,000 tests ran, none fails."
    ]
    assert report([Move("a", "1", "2")], 1, [Failure("tests.t", "gone")]) == [
        "moved: a 1 -> 2",
        "fails: tests.t: gone",
        "With the newest of everything that pyproject.toml allows: 1 package moved; 1 test ran, 1 fails.",
    ]


class Machine:
    """Runs nothing: answers as venv, pip and pytest would."""

    def __init__(self, *, junit: str = JUNIT, network: bool = True) -> None:
        self.junit, self.network = junit, network
        self.typed: list[list[str]] = []

    def __call__(self, words: Sequence[str]) -> tuple[int, str]:
        typed = [*words]
        self.typed.append(typed)
        if "install" in typed:
            return (0, "") if self.network else (1, "retrying\nERROR: no network\n")
        if "list" in typed:
            return 0, json.dumps([{"name": name, "version": "0"} for name in locked_versions()])
        if "pytest" in typed:
            (file,) = [word.partition("=")[2] for word in typed if word.startswith("--junit-xml=")]
            Path(file).write_text(self.junit, encoding="utf-8")
            return 1, ""
        return 0, ""


def test_a_failing_test_fails_the_lane_and_is_only_a_warning_in_ci(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--short"], Machine()) == 1
    assert "fails: tests.test_b: collection failure\n" in capsys.readouterr().out
    assert main(["--short", "--warn"], Machine()) == 0
    assert "3 tests ran, 2 fail.\n" in capsys.readouterr().out


def test_the_short_form_runs_tests_that_are_there_and_the_whole_one_the_checks_too() -> None:
    short, whole = Machine(), Machine()
    main(["--short"], short)
    main([], whole)
    assert [name for name in newest.SHORT if not (newest.ROOT / name).exists()] == []
    assert [*newest.SHORT] == short.typed[-1][-len(newest.SHORT) :]
    assert [Path(typed[0]).name for typed in whole.typed[-2:]] == ["ruff", "mypy"]


def test_without_a_network_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], Machine(network=False)) == 2
    told = capsys.readouterr().out
    assert told.startswith("The newest libraries were not tested: `")
    assert told.endswith(" failed: ERROR: no network\n")
    assert main(["--warn"], Machine(network=False)) == 0
