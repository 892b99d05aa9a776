"""The pages: their names, their groups, their headings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.text import pages
from pi_app.text.errors import BrokenInstallationError
from tests.docs.pages import DOCS, anchors


def test_every_page_has_a_name() -> None:
    assert {page.file for page in pages.pages().values()} == {*DOCS.rglob("*.md")}
    assert {"README", "hub_wire", "examples/2x2", "examples/2x2/guide"} <= set(pages.pages())


@pytest.mark.parametrize(
    "word", ["hub_wire", "Hub-Wire", "hub wire", "hub_wire.md", "wiring_docs/hub_wire.md", "./hub_wire.md"]
)
def test_a_page_is_found_however_it_is_written(word: str) -> None:
    page = pages.page_of(word)
    assert page is not None
    assert page.name == "hub_wire"
    assert page.title == "The wire of a hub"


@pytest.mark.parametrize("word", ["examples/2x2", "examples/2x2/", "examples/2x2/README.md", "examples/2x2/readme"])
def test_a_folder_is_its_readme(word: str) -> None:
    page = pages.page_of(word)
    assert page is not None
    assert page.file == DOCS / "examples/2x2/README.md"


def test_what_is_no_page_is_not_found() -> None:
    assert [pages.page_of(word) for word in ("", "hub_wires", "../README", "demo.svg", "examples")] == [None] * 5


def test_every_page_is_in_one_group() -> None:
    listed = [name for group in pages.groups().values() for name in group]
    inside_an_example = {name for name in pages.pages() if name.count("/") == 2}
    assert sorted(listed) == sorted(set(pages.pages()) - {pages.START} - inside_an_example)
    doors = ["I play", "I build a table", "I have a shop", "I audit or help"]
    assert list(pages.groups()) == ["Start here", *doors, "I look something up"]


def test_the_line_of_a_page_is_the_start_pages_or_its_title() -> None:
    builds = pages.groups()["I build a table"]
    assert builds["mux"] == "The switch between the Pi and the dials"
    assert builds["power"] == "Read what can burn, and get a multimeter"
    assert builds["encoders"] == "Encoders"


def test_the_anchors_are_those_of_the_links() -> None:
    for page in DOCS.rglob("*.md"):
        assert set(pages.headings(page.read_text(encoding="utf-8"))) <= anchors(f"wiring_docs/{page.relative_to(DOCS)}")


TEXT = (
    "# Top\n\nfirst\n\n## One `two`\n\nsecond\n\n```sh\n# no heading\n```\n\n### Deep\n\nthird\n\n## Last\n\nfourth\n"
)


def test_a_section_ends_at_the_next_heading_of_its_level() -> None:
    assert pages.section(TEXT, "one-two") == TEXT[TEXT.index("## One") : TEXT.index("## Last")]
    assert pages.section(TEXT, "deep") == "### Deep\n\nthird\n\n"
    assert pages.section(TEXT, "last") == "## Last\n\nfourth\n"
    assert pages.section(TEXT, "top") == TEXT
    assert pages.section(TEXT, "no-heading") is None


def test_missing_pages_are_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "FOLDER", tmp_path)
    with pytest.raises(BrokenInstallationError) as broken:
        pages.pages()
    assert str(broken.value) == f"documentation ({tmp_path}): its pages are missing. Install Trapdial again."
