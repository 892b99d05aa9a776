"""`trapdial docs`: the pages of the documentation, in the terminal or in a browser."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from pi_app.cli.printing import echo, echo_text, in_pager, is_terminal

if TYPE_CHECKING:
    from pi_app.text.pages import DocPage

WIDEST = 100
"""Longer lines are hard to read."""


def _page_names(_: click.Context, __: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the name of a page."""
    from pi_app.text.pages import pages

    return [CompletionItem(name) for name in pages() if name.startswith(begun)]


@click.command()
@click.argument("page", metavar="[PAGE]", required=False, shell_complete=_page_names)
@click.option("--browser", is_flag=True, help="Open the page in a browser, with its pictures and links.")
@click.option(
    "-o",
    "--output",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write all pages as HTML to this folder, to open them there or on another machine.",
)
@click.option("--man", is_flag=True, help="Print the manual page: every command with its options, for `man -l`.")
def docs(page: str | None, browser: bool, output: Path | None, man: bool) -> None:
    """Show a page of the documentation; without PAGE, list all pages.

    PAGE is a name in the list, such as hub_wire, or a name with a heading, such as journal#witnesses. In a terminal the
    page is shown with a pager; in a pipe its Markdown is printed as it is.

    --browser keeps its pages in ~/.cache. A browser that may not read them there, such as one from a snap, needs -o
    with a folder of your own.
    """
    if man:
        from pi_app.cli.man import manual

        echo_text(manual())
        return
    wanted, _, anchor = (page or "").partition("#")
    shown = _found(wanted, anchor) if wanted else None
    if browser or output is not None:
        _as_html(shown, anchor, output, browser)
    elif shown is None:
        echo_text(_listed())
    else:
        in_terminal(_text(shown, anchor))


def _found(word: str, anchor: str) -> DocPage:
    """Return the page of this name. Raises UsageError if there is none, or no such heading on it."""
    from pi_app.text.pages import headings, page_of, pages
    from pi_app.text.suggest import guess

    page = page_of(word)
    if page is None:
        near = guess(word.removesuffix(".md"), pages())
        advice = f"did you mean {near!r}?" if near else "`trapdial docs` lists all pages."
        raise click.UsageError(f"PAGE {word}: the documentation has no page of this name; {advice}")
    anchors = headings(page.text)
    if anchor and anchor not in anchors:
        near = guess(anchor, anchors)
        advice = f"did you mean '{page.name}#{near}'?" if near else f"`trapdial docs {page.name}` shows all of it."
        raise click.UsageError(f"PAGE {word}#{anchor}: the page has no such heading; {advice}")
    return page


def _text(page: DocPage, anchor: str) -> str:
    from pi_app.text.pages import section

    return (section(page.text, anchor) if anchor else None) or page.text


def _listed() -> str:
    """Write the list of all pages, in groups."""
    from pi_app.text.pages import START, groups

    listed = groups()
    width = max(len(name) for group in listed.values() for name in group)
    lines = [f"{START:<{width}}  How the pages are ordered, and where to begin"]
    for heading, group in listed.items():
        lines += ["", heading, *(f"  {name:<{width}}  {said}" for name, said in group.items())]
    lines += ["", "`trapdial docs PAGE` shows a page, `trapdial docs PAGE --browser` with its pictures."]
    return "\n".join(lines) + "\n"


def in_terminal(text: str) -> None:
    """Show a page with colours and a pager; print its Markdown if the output is not a terminal."""
    if not is_terminal(sys.stdout):
        echo_text(text)
        return
    from rich.markdown import Markdown

    pictures_named = re.sub(r"!\[([^\]]+)\]\([^)]*\)", r"*(Picture: \1)*", text)
    in_pager(Markdown(pictures_named, hyperlinks=False), WIDEST)


def _as_html(page: DocPage | None, anchor: str, output: Path | None, browser: bool) -> None:
    """Write all pages, open one if `browser`, and print its address."""
    import webbrowser

    from pi_app.cli.docs_html import cache_folder, write_pages
    from pi_app.text.pages import START, pages

    folder = cache_folder() if output is None else output
    file = write_pages(folder)[(page or pages()[START]).name]
    address = file.resolve().as_uri() + (f"#{anchor}" if anchor else "")
    opened = browser and webbrowser.open(address)
    echo(address)
    if browser and not opened:
        echo("No browser was found. Open this address in one, or read the page without --browser.", err=True)
