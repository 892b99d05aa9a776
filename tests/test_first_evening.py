"""The whole way of a first evening, as one script and as a person types it: clone, `make demo`, the audit of its
record, a starter's papers, its table played without hardware, the signed page of that game, and a visit to a station
with a phone.

It begins with a clone of what is committed, and `make demo` there fetches what a player needs: without a package index
it fails with pip's own words. The screens lie as SVG in the folder `screens`, the page as a phone shows it beside them:
`pytest tests/test_first_evening.py --basetemp FOLDER -o tmp_path_retention_policy=all` keeps them to be looked at.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.browser import BROWSER, on_phone, photograph
from tests.demo_terminal import demo_page
from tests.terminal import Terminal

ROOT = Path(__file__).resolve().parents[1]
GIT = shutil.which("git")
INSTALLING_S = 600

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(GIT is None or not (ROOT / ".git").exists(), reason="no git, or no repository to clone"),
]


@dataclass(frozen=True)
class Evening:
    """The clone, where its user is, and the folder for pictures."""

    clone: Path
    screens: Path
    temporary: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a new user's shell exports: nothing of a make or a venv around this test."""
        ours = ("MAKE", "MFLAGS", "PYTHON", "PYTEST", "VIRTUAL_ENV", "TRAPDIAL", "COLUMNS", "LINES", "NO_COLOR")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return {**kept, "TMPDIR": str(self.temporary), "LC_ALL": "C.UTF-8"}

    def terminal(self, command: str) -> Terminal:
        """Type a command line in the clone, in a terminal of 80 columns and 24 rows."""
        return Terminal(["sh", "-c", command], self.clone, self.environment)

    def run(self, command: str) -> str:
        """Type a command line in the clone; return what it printed. It must end with exit code 0."""
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.clone, env=self.environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def draw(self, terminal: Terminal, name: str) -> None:
        """Write a picture of the terminal, and check that it has every word of the screen."""
        terminal.settle()
        file = self.screens / f"{name}.svg"
        terminal.draw(file)
        drawn = "".join(ElementTree.parse(file).getroot().itertext())
        assert [word for word in terminal.text.split() if word.isalnum() and word not in drawn] == []


@pytest.fixture
def evening(tmp_path: Path) -> Evening:
    """A new user's clone: what is committed, and nothing else."""
    made = Evening(tmp_path / "trapdial", tmp_path / "screens", tmp_path / "temporary")
    subprocess.run([GIT or "git", "clone", "--quiet", str(ROOT), str(made.clone)], check=True)
    made.screens.mkdir()
    made.temporary.mkdir()
    return made


def test_a_first_evening(evening: Evening) -> None:
    record = plays_the_demo(evening)
    audits_its_record(evening, record)
    prints_the_starters_papers(evening)
    counts_with_the_starters_lamp(evening)
    plays_the_starter_without_hardware(evening)
    sends_a_signed_page(evening)
    visits_a_station_with_a_phone(evening)


def plays_the_demo(evening: Evening) -> Path:
    """`make demo`, and a game on its live screen; return its record."""
    with evening.terminal(f"make demo PYTHON={sys.executable}") as demo:
        demo.wait_for("Installing Trapdial into .venv, for players: ", at_most_s=INSTALLING_S)
        evening.draw(demo, "1_installing")

        demo.wait_for("Enter begin Esc play without the guide", at_most_s=INSTALLING_S)
        demo.wait_for("In Mage Knight 3D Dungeons traps hide under dials")
        demo.wait_for("Three keys play a turn.")
        evening.draw(demo, "2_first_screen")

        demo.type("\r")
        demo.wait_for("1 of 3, tap: press c. Ann claims the next dial that moves.")
        evening.draw(demo, "3_tap")
        demo.type("c")
        demo.wait_for("2 of 3, turn: press r.")
        evening.draw(demo, "4_turn")
        demo.type("r")
        demo.wait_for("3 of 3, hold: press l.")
        evening.draw(demo, "5_hold")
        demo.type("l")
        demo.wait_for("The others saw dark screens, and the same words for a trap and a clear square.")
        demo.wait_for("That was a turn. Press l again: Ann lets go, and the screen is dark.")
        for seat in ("1 Ann lit", "2 Ben dark", "3 Cal dark", "4 Dee dark"):
            demo.wait_for(seat)
        evening.draw(demo, "6_what_the_others_saw")

        demo.type("l")
        demo.wait_for("T01: exposed by Ann.")
        demo.type("n")
        demo.wait_for("Enter run the command Esc back")
        demo.type("\r")
        demo.wait_for("The game is over, so its secrets are open now:")
        demo.wait_for("Ann knew it at 0:")
        evening.draw(demo, "7_after_the_game")

        demo.type("\x1b")
        demo.wait_for("q quit")
        demo.type("q")
        assert demo.wait() == 0
        evening.draw(demo, "8_after_quitting")
        (record,) = evening.temporary.glob("trapdial-*/journal.db")
        assert f"Checkhoweverydialwasturned:.venv/bin/trapdialaudit{record}" in demo.letters
        assert "It lies in a temporary folder. Copy it if you want to keep it." in demo.text
    return record


def audits_its_record(evening: Evening, record: Path) -> None:
    command = f".venv/bin/trapdial audit {record}"
    with evening.terminal(command) as audit:
        assert audit.wait() == 0
        assert "PASS" in audit.text
        evening.draw(audit, "9_audit")
    assert json.loads(evening.run(f"{command} --json"))["verdict"] == "pass"
    assert evening.run(f".venv/bin/trapdial journal verify {record}").startswith(f"{record}: ")


def prints_the_starters_papers(evening: Evening) -> None:
    evening.run(".venv/bin/trapdial settings example starter > trapdial.toml")
    evening.run(".venv/bin/trapdial settings check")
    with evening.terminal(".venv/bin/trapdial wiring -o my_table") as wiring:
        assert wiring.wait() == 0
        evening.draw(wiring, "10_papers")
    papers = evening.clone / "my_table"
    assert {"README.md", "guide.md", "parts.md", "pins.md", "wiring.svg", "labels_1.svg"} <= {*os.listdir(papers)}
    assert "square.svg" in (papers / "guide.md").read_text(encoding="utf-8")


def counts_with_the_starters_lamp(evening: Evening) -> None:
    """The starter has a lamp and no screen: the guide counts its flashes on the card, and comes to an end."""
    with evening.terminal(".venv/bin/trapdial demo -s trapdial.toml --journal lamp.db") as demo:
        for told, key in (
            ("Enter begin Esc play without the guide", "\r"),
            ("1 of 3, tap: press c.", "c"),
            ("2 of 3, turn: press r.", "r"),
            ("3 of 3, hold: press l. Ann's lamp flashes what lies at T01.", "l"),
            ("That was a turn. Press l again: Ann lets go, and the lamp stays dark.", "l"),
            ("That was a whole turn. l looks again; ? lists what else there is.", "q"),
        ):
            demo.wait_for(told)
            if key == "l":
                evening.draw(demo, f"11_lamp_{told[0]}")
            demo.type(key)
        assert demo.wait() == 0


def plays_the_starter_without_hardware(evening: Evening) -> None:
    with evening.terminal(".venv/bin/trapdial play --simulated") as play:
        for line, told in (
            ("sim tap ANN", "Ann is about to turn a dial."),
            ("sim turn T01 3", "Ann turns the dial of T01."),
            ("sim hold ANN", "T01: exposed by Ann."),
            ("end", "The game is over, so its secrets are open now:"),
        ):
            play.type(f"{line}\n")
            play.wait_for(told)
        evening.draw(play, "12_simulated_play")
        play.type("quit\n")
        assert play.wait() == 0


def sends_a_signed_page(evening: Evening) -> None:
    evening.run(".venv/bin/trapdial audit journal_simulated.db -o report.html --sign")
    told = evening.run(".venv/bin/trapdial audit verify report.html --journal journal_simulated.db")
    assert "GENUINE" in told
    page = evening.clone / "report.html"
    assert "SIMULATED" in page.read_text(encoding="utf-8")
    if BROWSER is not None:
        shown = on_phone(page)
        assert (shown.width, shown.too_wide) == (320, "")
        photograph(page, evening.screens / "13_page_on_a_phone.png", shown.height)
        assert (evening.screens / "13_page_on_a_phone.png").read_bytes().startswith(b"\x89PNG")


def visits_a_station_with_a_phone(evening: Evening) -> None:
    """`demo --station --pages`: the terminal keeps its addresses; in a browser a visitor reads a trap on the phone."""
    with evening.terminal("exec .venv/bin/trapdial demo --station --pages --seed 3") as station:
        station.wait_for("/public")
        (address,) = re.findall(r"http://localhost:\d+/demo#[A-Z2-7]{26}", station.letters)
        if shutil.which("chromium") and shutil.which("chromedriver"):
            with demo_page() as page:
                assert page.read_a_trap_at_a_station(address)
        evening.draw(station, "13_station")
        assert address in station.letters
        os.kill(station.pid, signal.SIGINT)
        assert station.wait() == 130
