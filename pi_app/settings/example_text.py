"""The text that `trapdial settings example` prints: an example file, and what a table can have beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pi_app.settings.load import example_path
from pi_app.text.languages import LANGUAGES
from pi_app.text.user_file import read_text

COMPLETE: Final = "2x2"
"""The example that has every setting."""

FULL: Final = (COMPLETE, "8x4", "16x4")
"""The examples that end with `ADD_ONS`."""

ADD_ONS: Final = ("record", "pages", "station", "centre")
"""Sections that a table has only if it wants them, each with a file of its own."""

LEFT_OUT: Final = """
# --- what a table can have beside all this. Remove the "# " before each line of a section to switch it on; the values
#     written there are the usual ones.
"""


def example_text(size: str) -> str:
    """Return the settings of that example. Raises UserFileError for one that does not ship."""
    text = read_text(example_path(size))
    if size not in FULL:
        return text
    return text + LEFT_OUT + "".join(f"\n{comment_out(section_text(name))}" for name in ADD_ONS)


def section_text(name: str) -> str:
    """Return one of `ADD_ONS` as its file has it, with every language that there is."""
    text = read_text(Path(__file__).with_name("examples") / f"section-{name}.toml")
    return text.replace('["en"]         #', f"{json.dumps(LANGUAGES)} #")


def comment_out(text: str) -> str:
    """Return TOML with every line commented out; comments stay as they are."""
    return "".join(line if line.startswith("#") else f"# {line}" for line in text.splitlines(keepends=True))
