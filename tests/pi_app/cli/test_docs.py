"""`trapdial docs`: list, show, open; and what it says of a name that is wrong."""

from __future__ import annotations

import re
import webbrowser
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from pi_app.cli import docs as docs_command
from pi_app.cli import docs_html
from pi_app.cli.main import main
from pi_app.text.pages import DocPage, pages
from tests.docs.pages import DOCS, text


def ran(*words: str) -> Result:
    return CliRunner().invoke(main, ["docs", *words])


def test_the_list_has_every_group_and_one_line_for_a_page() -> None:
    lines = ran().output.splitlines()
    assert lines[0] == "README                 How the pages are ordered, and where to begin"
    assert "I build a table" in lines
    assert "  mux                    The switch between the Pi and the dials" in lines
    assert "  hub_wire               The wire of a hub" in lines
    assert lines[-1] == "`trapdial docs PAGE` shows a page, `trapdial docs PAGE --browser` with its pictures."


def test_in_a_pipe_a_page_is_its_own_text() -> None:
    assert ran("hub_wire").output == text("wiring_docs/hub_wire.md")
    assert ran("examples/2x2/guide.md").output == text("wiring_docs/examples/2x2/guide.md")


def test_an_anchor_shows_one_section() -> None:
    shown = ran("journal#witnesses").output
    assert shown.startswith("## Witnesses\n")
    assert "\n## " not in shown


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("hub_wrie", "PAGE hub_wrie: the documentation has no page of this name; did you mean 'hub_wire'?"),
        ("zzz", "PAGE zzz: the documentation has no page of this name; `trapdial docs` lists all pages."),
        ("journal#witness", "PAGE journal#witness: the page has no such heading; did you mean 'journal#witnesses'?"),
        ("hub#zzz", "PAGE hub#zzz: the page has no such heading; `trapdial docs hub` shows all of it."),
    ],
)
def test_a_wrong_name_gets_a_guess(word: str, said: str) -> None:
    result = ran(word)
    assert result.exit_code == 2
    assert result.output.splitlines()[-1] == f"Error: {said}"


def test_a_terminal_shows_the_page_drawn_with_a_pager(monkeypatch: pytest.MonkeyPatch) -> None:
    paged: list[str] = []
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("click.echo_via_pager", paged.append)
    monkeypatch.setenv("COLUMNS", "80")
    docs_command.in_terminal(text("wiring_docs/printed_parts.md"))
    (drawn,) = paged
    plain = re.sub(r"\x1b\[[0-9;]*m", "", drawn)
    assert plain.splitlines()[0].strip() == "Printed parts"
    assert "(Picture: The nine parts as they lie on the bed)" in plain
    assert "```" not in plain
    assert max(map(len, plain.splitlines())) <= 80


class Links(HTMLParser):
    """The links, pictures and ids of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.add(value)


@pytest.mark.slow
def test_every_link_and_picture_of_the_html_leads_somewhere(tmp_path: Path) -> None:
    written = docs_html.write_pages(tmp_path / "pages")
    assert set(written) == set(pages())
    read = {file.resolve(): Links(file) for file in written.values()}
    assert sum(len(each.links) for each in read.values()) > 300
    for file, found in read.items():
        for link in found.links:
            path, anchor = urlsplit(link).path, urlsplit(link).fragment
            if urlsplit(link).scheme:
                continue
            target = (file.parent / path).resolve() if path else file
            assert target.is_file(), (file, link)
            assert target.suffix != ".md", (file, link)
            if anchor:
                assert anchor in read[target].ids, (file, link)


def test_the_html_of_a_page() -> None:
    made = docs_html.as_html(pages()["examples/2x2/guide"])
    assert "<title>Building Small table</title>" in made
    assert '<a href="../../index.html">All pages</a>' in made
    assert '<a href="parts.html">parts list</a>' in made
    assert '<a href="../../pi.html"><code>trapdial docs pi</code></a>' in made
    assert "\N{BALLOT BOX} You have everything on the" in made
    assert "[ ]" not in made


def test_a_link_out_of_the_documentation_is_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "secret.md").write_text("# Out\n")
    page = tmp_path / "docs" / "README.md"
    page.write_text("# In <b>\n\n[out](../secret.md), [site](https://example.org/a.md), <script>x</script>\n")
    monkeypatch.setattr("pi_app.text.pages.FOLDER", tmp_path / "docs")
    monkeypatch.setattr(docs_html, "FOLDER", tmp_path / "docs")
    made = docs_html.as_html(DocPage("README", page))
    assert '<a>out</a>, <a href="https://example.org/a.md">site</a>' in made
    assert "&lt;script&gt;" in made
    assert "<title>In &lt;b&gt;</title>" in made


@pytest.mark.slow
def test_browser_opens_the_page_at_its_heading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def opens(address: str) -> bool:
        opened.append(address)
        return True

    monkeypatch.setattr(webbrowser, "open", opens)
    result = ran("journal#witnesses", "--browser")
    file = tmp_path / "trapdial" / "docs" / "journal.html"
    assert opened == [f"{file.as_uri()}#witnesses"]
    assert result.output == f"{opened[0]}\n"
    assert '<h2 id="witnesses">' in file.read_text(encoding="utf-8")
    assert (tmp_path / "trapdial/docs/printed/section.svg").read_bytes() == (DOCS / "printed/section.svg").read_bytes()
    assert ran("--browser").output.endswith("/trapdial/docs/index.html\n")


def test_without_a_browser_the_address_is_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    result = ran("hub", "--browser")
    assert result.exit_code == 0
    assert result.stdout == f"{(tmp_path / 'trapdial/docs/hub.html').as_uri()}\n"
    assert result.stderr == ("No browser was found. Open this address in one, or read the page without --browser.\n")


@pytest.mark.slow
def test_a_folder_of_ones_own_is_written_twice_but_never_over_other_files(tmp_path: Path) -> None:
    for _ in range(2):
        result = ran("hub", "-o", str(tmp_path / "mine"))
        assert result.output == f"{(tmp_path / 'mine/hub.html').as_uri()}\n"
    other = tmp_path / "other"
    other.mkdir()
    (other / "audit.html").write_text("my audit")
    result = ran("-o", str(other))
    assert (result.exit_code, result.output) == (
        2,
        f"{other} (folder): it holds other files, and nothing was written. Name a new folder with -o.\n",
    )
    assert (other / "audit.html").read_text() == "my audit"


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = ran("-o", str(tmp_path / "file" / "pages"))
    assert result.exit_code == 2
    assert result.output.endswith("/file/pages: it cannot be written (Not a directory). Name another folder with -o.\n")


def test_the_names_of_pages_are_completed() -> None:
    (argument,) = [each for each in docs_command.docs.params if each.name == "page"]
    items = argument.shell_complete(docs_command.docs.make_context("docs", []), "hub")
    assert [item.value for item in items] == ["hub", "hub_wire"]
