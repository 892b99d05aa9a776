"""Every page: its links, its files, where it is listed; and what the README and the changelog promise."""

from __future__ import annotations

import re
import tomllib

import pytest

from pi_app.cli.main import COMMANDS
from tests.docs.pages import DOCS, PAGES, ROOT, blocks, prose, tables, text


def anchors(page: str) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


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


def test_no_file_of_the_way_is_left_out() -> None:
    told = text("wiring_docs/story_of_a_click.md") + text("README.md")
    missing = [
        name
        for room in ("hardware", "pi_app", "firmware_host")
        for file in sorted((ROOT / room).rglob("*.py"))
        if (name := file.relative_to(ROOT).as_posix()) and file.name != "__init__.py"
        if f"`{name}`" not in told and not (name.count("/") > 1 and f"`{name.rpartition('/')[0]}/`" in _WHOLE_FOLDERS)
    ]
    assert missing == []


_WHOLE_FOLDERS = {
    "`pi_app/rooms/`",
    *(
        "`pi_app/audit/`",
        "`pi_app/cli/`",
        "`pi_app/simulated/live/`",
        "`pi_app/workshop/bench/`",
        "`pi_app/journal/record/`",
    ),
    *(
        "`pi_app/plans/placement/`",
        "`pi_app/workshop/doctor/`",
        "`pi_app/plans/wiring/`",
        "`pi_app/plans/printed/`",
        "`pi_app/plans/printed/faces/`",
        "`pi_app/plans/wiring/drawing/`",
    ),
    "`firmware_host/hub/`",
    "`firmware_host/sims/on_board/`",
}
"""Folders that the story tells in one sentence."""


def test_whole_folders_are_told() -> None:
    for folder in _WHOLE_FOLDERS:
        assert folder in text("wiring_docs/story_of_a_click.md")


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
