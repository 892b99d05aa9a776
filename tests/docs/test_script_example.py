"""The script of `trapdial play --simulated` runs as its page shows it, and its lines are the page's."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from tests.docs.pages import blocks

PAGE = "wiring_docs/demo.md"


@pytest.mark.usefixtures("small_table")
def test_the_script_gives_the_lines_that_the_page_shows() -> None:
    (command,) = (block for block in blocks(PAGE, "sh") if block.startswith("cat script.txt | trapdial "))
    (script,) = (block for block in blocks(PAGE, "text") if "disarm " in block)
    (shown,) = blocks(PAGE, "json")
    done = CliRunner().invoke(main, command.partition(" | trapdial ")[2].split(), input=script)
    assert done.exit_code == 0, done.output
    lines = [timeless(line) for line in done.stdout.splitlines()]
    assert [line for line in map(timeless, shown.splitlines()) if line not in lines] == []


def timeless(line: str) -> dict[str, object]:
    """A line without its time: how long a simulated hand takes is no promise."""
    answer: dict[str, object] = json.loads(line)
    answer.pop("at_ns", None)
    return answer
