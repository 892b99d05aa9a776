"""The example tables' wiring is up to date."""

from __future__ import annotations

import re
import subprocess

import pytest

from pi_app.plans.wiring.folder import CONTENTS, SUMS
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.parts_list import totals
from pi_app.settings.load import EXAMPLES, example_path, load
from tests.examples import FOLDER, made


def test_there_are_no_other_examples() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(EXAMPLES)


@pytest.mark.parametrize("size", EXAMPLES)
def test_an_example_is_up_to_date(size: str) -> None:
    """`make examples` updates them."""
    now = made(size)
    there = {
        path.relative_to(FOLDER / size).as_posix(): path.read_bytes()
        for path in (FOLDER / size).rglob("*")
        if path.is_file() and path.name != SUMS
    }
    assert sorted(there) == sorted(now)
    assert [name for name in now if there[name] != now[name]] == []


@pytest.mark.parametrize("size", EXAMPLES)
def test_its_checksums_are_right(size: str) -> None:
    done = subprocess.run(
        ["sha256sum", "--check", "--quiet", "--strict", SUMS], cwd=FOLDER / size, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_builders_are_sent_to_the_first_hour_and_then_to_the_starter() -> None:
    """The first hour needs no printer; the starter is next. The README's door leads to the first of them."""
    ways = (
        ("README.md", "**I build**", ["wiring_docs/first_hour.md"]),
        ("wiring_docs/README.md", "## I build a table", ["first_hour.md", "starter.md"]),
        ("wiring_docs/first_hour.md", "\n", ["starter.md"]),
    )
    for page, heading, wanted in ways:
        section = (FOLDER.parents[1] / page).read_text(encoding="utf-8").partition(heading)[2]
        assert re.findall(r"\]\(([^)]+)\)", section)[: len(wanted)] == wanted, page


def test_the_page_of_parts_adds_them_up() -> None:
    page = (FOLDER.parent / "parts.md").read_text(encoding="utf-8")
    assert totals({size: wired(load(example_path(size))) for size in EXAMPLES}).markdown() in page


def test_the_page_lists_every_file() -> None:
    page = (FOLDER.parent / "wiring.md").read_text(encoding="utf-8")
    for key, words in CONTENTS.items():
        assert f"| `{key}` | {words} |" in page
