"""The page about the Pi can be typed on a fresh system; its figures and those of the README are what make says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.docs.pages import blocks, text

PI = "wiring_docs/pi.md"
SYSTEM = {"make", "python3-venv", "python3-lgpio"}
"""What Raspberry Pi OS Lite may not have; the rest comes with `make install`."""


def steps() -> tuple[list[str], list[str], list[str]]:
    """Return what is typed on the computer that has the source, with a USB stick, and on the Pi."""
    source, stick, program, *_ = blocks(PI, "sh")
    return source.splitlines(), stick.splitlines(), program.splitlines()


def install() -> list[str]:
    return steps()[2]


def figures(page: str) -> set[tuple[str, str]]:
    return set(re.findall(r"(\d+) MB to fetch, (\d+) MB on the disk", " ".join(text(page).split())))


def test_the_page_has_every_step_in_its_order() -> None:
    first_words = [" ".join(line.split()[: 3 if line.startswith("sudo raspi") else 2]) for line in install()]
    assert first_words == [
        "mkdir -p", "tar -xzf", "cd ~/trapdial", "sudo apt", "sudo apt", "make install", "ln -sf",
        "sudo raspi-config nonint", "sudo usermod", "sudo reboot",
    ]  # fmt: skip
    assert {*install()[4].split()[4:]} == SYSTEM


def test_the_page_has_nothing_to_fill_in() -> None:
    """There is no address to clone from: the source is copied from the computer that has it."""
    assert "ADDRESS" not in text(PI)
    assert "git clone" not in text(PI)


def test_the_source_arrives_whole_and_without_what_was_made_from_it(tmp_path: Path) -> None:
    """What the page says is typed, with `cp` in place of `scp`."""
    source, home = tmp_path / "Downloads" / "trapdial-main", tmp_path / "home"
    for name in ("Makefile", "pi_app/plans/build/kept.py", ".venv/bin/python", "build/arm/root"):
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(name, encoding="utf-8")
    home.mkdir()
    pack, copy = steps()[0]
    assert copy == "scp ../trapdial.tar.gz pi@raspberrypi.local:"
    unpack = "\n".join(install()[:3])
    typed = f"set -e\n{pack}\ncp ../trapdial.tar.gz ~\n{unpack}\nfind . -type f\n"
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
    done = subprocess.run(
        ["bash"], input=typed, cwd=source, env=environment, text=True, capture_output=True, check=True
    )
    assert sorted(done.stdout.splitlines()) == ["./Makefile", "./pi_app/plans/build/kept.py"]


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
