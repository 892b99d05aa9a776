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


def test_the_two_commands_are_targets() -> None:
    assert blocks("README.md", "sh")[0].splitlines() == ["make demo", "make test"]
    for page in PAGES:
        for target in re.findall(r"`make ([a-z-]+)`", text(page)):
            assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE), f"{page}: make {target}"


def test_the_picture_is_the_programs_own_and_asks_for_nothing_elsewhere() -> None:
    picture = text("wiring_docs/demo.svg")
    assert "SIMULATED" in picture
    assert set(re.findall(r"https?://[^\s\"'<]+", picture)) <= {"http://www.w3.org/2000/svg"}
    assert re.findall(r"/(?:root|work|home|tmp)\b", picture) == []


def test_whose_it_is() -> None:
    plain = " ".join(text("README.md").split())
    assert (
        "It is not affiliated with the publisher of Mage Knight, and it contains none of the game's rules text or "
        "artwork." in plain
    )
    assert "[MIT licence](LICENSE)" in plain
    assert text("LICENSE").startswith("MIT License")


def test_the_commands_table_is_the_programs_own() -> None:
    (rows,) = tables("README.md", "command", "what it does")
    assert {row["command"].strip("`"): row["what it does"] for row in rows} == {
        f"trapdial {name}": summary for name, (_, summary) in COMMANDS.items()
    }


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"## {version}" in text("CHANGELOG.md")
