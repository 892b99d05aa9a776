"""Every page: its links, its files, where it is listed; and what the README and the changelog promise."""

from __future__ import annotations

import re
import tomllib

import pytest

from pi_app.cli.main import COMMANDS
from tests.docs.pages import DOCS, PAGES, ROOT, anchors, blocks, prose, tables, text
from tests.layers import LAYERS


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(\s*([^)\s]+)\s*\)", prose(page)):
        target, _, anchor = link.partition("#")
        found = (ROOT / page).parent / target if target else ROOT / page
        assert found.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in anchors(found.resolve().relative_to(ROOT).as_posix()), f"{page}: {link}"


def test_every_page_is_listed_where_people_start() -> None:
    for page in DOCS.glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in text("wiring_docs/README.md"), page.name


@pytest.mark.parametrize("page", PAGES)
def test_no_path_of_one_machine(page: str) -> None:
    assert re.findall(r"/(?:root|work|home|tmp|Users)\b", text(page)) == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    for name in re.findall(r"`((?:hardware|pi_app|firmware_host|tests|wiring_docs)/[^`\s]*)`", text(page)):
        assert (ROOT / name.partition("::")[0]).exists(), f"{page}: {name}"


STORY = "wiring_docs/story_of_a_click.md"
THE_WAY = ("hardware", "pi_app/dials", "pi_app/play/loop", "pi_app/report", "pi_app/displays")
"""Folders of which the story names every file; of the others it names the folder."""


def test_no_file_of_the_way_and_no_folder_is_left_out() -> None:
    files = [file for folder in THE_WAY for file in sorted((ROOT / folder).glob("*.py")) if file.name != "__init__.py"]
    wanted = [file.relative_to(ROOT).as_posix() for file in files]
    wanted += [
        f"pi_app/{file.name}/" for file in sorted((ROOT / "pi_app").iterdir()) if (file / "__init__.py").exists()
    ]
    assert [name for name in wanted if f"`{name}`" not in text(STORY)] == []


def test_the_story_goes_the_way_of_the_data() -> None:
    """The line of folders at its head, and the folders as its chapters come to them, have one order."""
    (line,) = blocks(STORY, "text")
    folders = line.split()[::2]
    story = text(STORY).partition("## 1.")[2]
    first = [story.index(f"`pi_app/{folder}/`") for folder in folders[1:]]
    assert folders[0] == "hardware"
    assert first == sorted(first)


def test_the_layers_of_the_story_are_the_tests_layers() -> None:
    rows = tables(STORY, "layer", "folders")[0]
    told = {int(row["layer"]): set(re.findall(r"`(?:pi_app/)?(\w+)/`", row["folders"])) for row in rows}
    assert told == {number: set(layer) for number, layer in enumerate(LAYERS, 1)}


def test_the_readmes_commands_can_be_typed_in_a_fresh_clone() -> None:
    look, fresh = (block.splitlines() for block in blocks("README.md", "sh"))
    assert look == ["make demo", ".venv/bin/trapdial demo --pages", ".venv/bin/trapdial demo --station"]
    assert fresh == ["make demo", "make test"]


def test_targets_that_are_named_exist() -> None:
    for page in PAGES:
        for target in re.findall(r"`make ([a-z-]+)`", text(page)):
            assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE), f"{page}: make {target}"


def test_the_picture_is_the_programs_own_and_asks_for_nothing_elsewhere() -> None:
    picture = text("wiring_docs/demo.svg")
    assert "SIMULATED" in picture
    assert set(re.findall(r"https?://[^\s\"'<]+", picture)) <= {"http://www.w3.org/2000/svg"}
    assert re.findall(r"/(?:root|work|home|tmp)\b", picture) == []


def test_the_readme_takes_twenty_seconds() -> None:
    """A hundred lines at most; what is missing and the four doors stand in the first forty, each door with one link."""
    lines = text("README.md").splitlines()
    assert len(lines) <= 100
    assert lines[2] == "**Turn a dungeon dial. Only you know what it hides.**"
    head = "\n".join(lines[:40])
    assert "(wiring_docs/first_look.svg)" in head
    assert "## What is missing" in head
    assert "No real table has run this yet" in head
    doors = head.partition("## Four doors\n")[2].partition("\n##")[0].split("\n- ")[1:]
    assert [door.partition("**:")[0].removeprefix("**") for door in doors] == DOORS
    assert [len(re.findall(r"\]\(", door)) for door in doors] == [1, 1, 1, 1]


DOORS = ["I play", "I build", "I have a shop", "I audit or help"]


def test_the_map_begins_with_the_same_doors() -> None:
    heads = re.findall(r"^## (.+)$", text("wiring_docs/README.md"), re.MULTILINE)
    assert heads[:4] == ["I play", "I build a table", "I have a shop", "I audit or help"]


def test_a_package_index_gets_words_without_links_and_pictures_into_the_source() -> None:
    """There is no address yet to which links of a package's page could lead."""
    words = tomllib.loads(text("pyproject.toml"))["project"]["readme"]["text"]
    assert "**Turn a dungeon dial. Only you know what it hides.**" in words
    assert "](" not in words


def test_contributors_find_every_folder() -> None:
    rows = tables("wiring_docs/contributing.md", "folder", "what it does")[0]
    named = {name for row in rows for name in re.findall(r"`([^`]+)/`", row["folder"])}
    inside = {f"pi_app/{file.parent.name}" for file in (ROOT / "pi_app").glob("*/__init__.py")}
    assert named == {"hardware", "hardware/chips", "hardware/sims", "firmware_host", "wiring_docs", "tests", *inside}


def test_whose_it_is() -> None:
    plain = " ".join(text("README.md").split())
    assert (
        "It is not affiliated with the publisher of Mage Knight, and it contains none of the game's rules text or "
        "artwork." in plain
    )
    assert "[MIT licence](LICENSE)" in plain
    assert text("LICENSE").startswith("MIT License")


def test_the_commands_table_is_the_programs_own() -> None:
    (rows,) = tables("wiring_docs/commands.md", "command", "what it does")
    assert {row["command"].strip("`"): row["what it does"] for row in rows} == {
        f"trapdial {name}": summary for name, (_, summary) in COMMANDS.items()
    }


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"## {version}" in text("CHANGELOG.md")
