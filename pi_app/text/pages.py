"""The pages of the documentation: where they lie, what they are called, and how the start page groups them.

Their folder lies beside the program's packages, in a checkout as in an installed wheel. Messages name a page as
`trapdial docs PAGE`, which works in both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.text.errors import BrokenInstallationError

FOLDER: Final = Path(__file__).resolve().parents[2] / "wiring_docs"
START: Final = "README"
"""The page that lists the others. The README of a folder inside has the folder's name: `examples/2x2`."""

NAMED: Final = re.compile(r"\btrapdial docs ([\w/]+)(#[\w-]+)?")
"""How messages and generated files name a page."""

_LINK: Final = re.compile(r"\]\(([\w/]+\.md)\b[^)]*\)")
_HEADING: Final = re.compile(r"^(#+) +(.+)$")
_ROW: Final = re.compile(r"^\| (?:[^|]* \| )?([^|]+) \| [^|\]]*\]\(([\w/]+\.md)\) \|$", re.MULTILINE)
"""A row of the start page that says what one page is for."""


@dataclass(frozen=True, slots=True)
class DocPage:
    """One page: its name, such as `hub_wire`, and its file."""

    name: str
    file: Path

    @property
    def text(self) -> str:
        """Its Markdown."""
        return self.file.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """Its first heading, without marks."""
        return self.text.partition("\n")[0].lstrip("# ").replace("`", "")


def pages() -> dict[str, DocPage]:
    """Every page by name. Raises BrokenInstallationError if there is none."""
    found = {name: DocPage(name, file) for file in sorted(FOLDER.rglob("*.md")) for name in [_name(file)]}
    if START not in found:
        raise BrokenInstallationError(f"documentation ({FOLDER}): its pages are missing. Install Trapdial again.")
    return found


def page_of(word: str) -> DocPage | None:
    """The page that a word means: `hub_wire`, `Hub-Wire`, `hub_wire.md`, `wiring_docs/hub_wire.md`."""
    plain = word.removeprefix("./").removeprefix("wiring_docs/").removesuffix(".md").rstrip("/")
    plain = plain.casefold().replace("-", "_").replace(" ", "_").removesuffix("/readme")
    return next((page for name, page in pages().items() if name.casefold() == plain), None)


def groups() -> dict[str, dict[str, str]]:
    """The pages that the start page links, under its headings. Each has one line: what the start page's table says
    about it, or its title."""
    known = pages()
    start = known[START]
    described = {_name(FOLDER / file): said for said, file in _ROW.findall(start.text)}
    grouped: dict[str, dict[str, str]] = {}
    seen: set[str] = set()
    for line in start.text.splitlines():
        if heading := _HEADING.match(line):
            group = grouped.setdefault(heading[2], {})
        for file in _LINK.findall(line):
            name = _name(FOLDER / file)
            if name in known and name not in seen:
                seen.add(name)
                said = described.get(name, known[name].title)
                group[name] = said[0].upper() + said[1:]
    return grouped


def headings(text: str) -> dict[str, tuple[int, int]]:
    """The anchor of each heading of a page, with its line (from 0) and its level."""
    found: dict[str, tuple[int, int]] = {}
    in_code = False
    for number, line in enumerate(text.splitlines()):
        in_code ^= line.startswith("```")
        if not in_code and (heading := _HEADING.match(line)):
            found.setdefault(anchor(heading[2]), (number, len(heading[1])))
    return found


def section(text: str, wanted: str) -> str | None:
    """The part of a page under one heading, up to the next heading of its level; None if there is no such anchor."""
    found = headings(text)
    if wanted not in found:
        return None
    start, level = found[wanted]
    end = min((line for line, other in found.values() if line > start and other <= level), default=None)
    return "\n".join(text.splitlines()[start:end]) + "\n"


def anchor(heading: str) -> str:
    """What a link writes after `#` for a heading."""
    return re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-")


def _name(file: Path) -> str:
    name = file.relative_to(FOLDER).with_suffix("").as_posix()
    return name.removesuffix("/README")
