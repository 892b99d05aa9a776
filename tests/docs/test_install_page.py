"""The page about the Pi can be typed on a fresh system; its figures and those of the README are what make says."""

from __future__ import annotations

import re
import subprocess

from tests.docs.pages import blocks, text

PI = "wiring_docs/pi.md"
SYSTEM = {"git", "make", "python3-venv", "python3-lgpio"}
"""What Raspberry Pi OS Lite may not have; the rest comes with `make install`."""


def install() -> list[str]:
    return blocks(PI, "sh")[0].splitlines()


def figures(page: str) -> set[tuple[str, str]]:
    return set(re.findall(r"(\d+) MB to fetch, (\d+) MB on the disk", " ".join(text(page).split())))


def test_the_page_has_every_step_in_its_order() -> None:
    first_words = [" ".join(line.split()[: 3 if line.startswith("sudo raspi") else 2]) for line in install()]
    assert first_words == [
        "sudo apt", "sudo apt", "git clone", "cd ~/trapdial", "make install", "mkdir -p", "ln -sf",
        "sudo raspi-config nonint", "sudo usermod", "sudo reboot",
    ]  # fmt: skip
    assert {*install()[1].split()[4:]} == SYSTEM
    assert "write the address" in " ".join(text(PI).split()).lower()
    assert "ADDRESS" in install()[2]


def test_the_shell_reads_every_block() -> None:
    for page in ("README.md", PI):
        for block in blocks(page, "sh"):
            assert subprocess.run(["bash", "-n"], input=block, text=True, capture_output=True).returncode == 0


def test_the_command_is_on_the_path_after_the_next_login() -> None:
    """The profile of Debian and Raspberry Pi OS adds this folder, if there is one."""
    assert "ln -sf ~/trapdial/.venv/bin/trapdial ~/.local/bin/trapdial" in install()


def test_the_figures_are_those_that_make_says() -> None:
    said = figures("Makefile")
    assert len(said) == 2
    assert figures("README.md") == said
    ((fetched, held),) = {each for each in said if int(each[1]) < 200}
    assert f"fetches {fetched} MB and takes {held} MB of the card" in text(PI)
    assert "64-bit" in text(PI)
