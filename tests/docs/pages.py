"""What the tests of the documentation share: pages, their blocks and tables, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
from click.testing import CliRunner

from pi_app.cli.main import main

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "wiring_docs"
PAGES = [
    *("README.md", "CHANGELOG.md", "firmware_host/README.md"),
    *sorted(f"wiring_docs/{page.name}" for page in DOCS.glob("*.md")),
    *sorted(f"wiring_docs/{page.relative_to(DOCS).as_posix()}" for page in DOCS.glob("examples/*/*.md")),
]


@cache
def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text(page), re.MULTILINE | re.DOTALL)


def prose(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)


def anchors(page: str) -> set[str]:
    """What a link to this page may write after `#`."""
    heads = re.findall(r"^#+ (.+)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


Rows = list[dict[str, str]]


def tables(page: str, *header: str) -> list[Rows]:
    """Every table of a page with these column heads, as rows by head."""
    found: list[Rows] = []
    for part in re.findall(r"(?:^\|.*\|$\n?)+", text(page), re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.strip().splitlines()]
        if tuple(lines[0]) == header:
            found.append([dict(zip(header, line, strict=True)) for line in lines[2:]])
    assert found, f"{page} has no table with the heads {header}"
    return found


def command_lines() -> list[str]:
    """Every trapdial line in a block of shell, and every one in the running text."""
    spans = {span for page in PAGES for span in re.findall(r"`(trapdial [^`]*)`", " ".join(prose(page).split()))}
    return sorted({*shell_lines(), *spans})


def shell_lines() -> list[str]:
    lines = {
        line.removeprefix(".venv/bin/") for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()
    }
    return sorted(line for line in lines if line.startswith("trapdial "))


def resolved(line: str) -> tuple[click.Command, list[str]]:
    """The command of a line, and the words behind it."""
    words_ = shlex.split(line.partition(" > ")[0])[1:]
    command: click.Command = main
    while isinstance(command, click.Group) and words_ and not words_[0].startswith("-"):
        found = command.get_command(click.Context(command, help_option_names=["-h", "--help"]), words_[0])
        if found is None and command.invoke_without_command:
            break
        assert found is not None, f"there is no command {words_[0]!r}: {line}"
        command, words_ = found, words_[1:]
    return command, words_


def all_commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    """Each command and each group, as the words that call it."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command, help_option_names=["-h", "--help"])
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from all_commands(found, *path, name)


def said(line: str) -> list[str]:
    """What a documented command line prints, errors' output included."""
    return CliRunner().invoke(main, shlex.split(line)[1:]).output.splitlines()
