"""Every command that a page shows in a block of shell is run, in a folder as its reader has it."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from glob import glob
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmware_host import ports
from pi_app.cli.main import main
from pi_app.journal.record import passphrase
from pi_app.settings.load import example_path
from tests.docs.pages import shell_lines
from tests.docs.reader import LARGE, full_folder

NO_PORT = "no-such-port"
"""In place of a port that may be there, with somebody's board."""


@dataclass(frozen=True, slots=True)
class How:
    """How a command is run here, where that is not word for word. `begins`: what the lines begin with. `more` is
    written behind it, `typed` is what its user types, `code` how it ends. `why` is read by people."""

    begins: str
    why: str
    code: int = 0
    more: str = ""
    typed: str = ""
    slow: bool = False
    lacks: bool = False
    """What it needs is not here: it ends with one sentence of four parts, and no traceback."""
    size: str = ""
    """With this example's settings as they ship; such a command opens no bus."""
    pages: bool = False
    """With [pages] in the settings."""
    stopped: bool = False
    """It goes on until it is stopped: as a process, which gets SIGTERM after its first line."""


WORD_FOR_WORD = How("trapdial ", "as the page has it")

HOWS = (
    How("trapdial wiring", "opens no bus, and must know the pins of each", size=LARGE),
    How("trapdial settings new -o", "asks nothing"),
    How("trapdial settings new", "six empty answers; the folder has settings", more="--overwrite", typed="\n" * 6),
    How("trapdial play --simulated", "leaves at once", typed="quit\n"),
    How("trapdial play", "no wires here", code=1, lacks=True),
    How("trapdial station play --simulated", "leaves at once", typed="quit\n"),
    How("trapdial station play", "no wires here", code=1, lacks=True),
    How("trapdial station sheet", "a table that is a station", size="station"),
    How("trapdial station display", "waits for a station that is not here", stopped=True),
    How("trapdial centre run", "serves until it is stopped", stopped=True),
    How("trapdial centre demo", "one table, and no database server", more="--auto --sqlite --tables 1"),
    How("trapdial centre log verify", "no log here, and no key in a variable", code=2),
    How("trapdial journal witness add", "the page does not write the whole key", code=2),
    How("trapdial journal enrol", "no centre here", code=2),
    How("trapdial journal hand-over", "no centre here", code=2),
    How("trapdial doctor --simulated --fault T02=magnet-weak", "something to look at, and nothing fails", size=LARGE),
    How("trapdial doctor --simulated --fault", "the fault is one that fails", code=1, size=LARGE),
    How("trapdial doctor --simulated", "nothing fails", size=LARGE),
    How("trapdial doctor --json", "no wires", code=1),
    How("trapdial doctor", "no wires here", code=1, lacks=True),
    How("trapdial calibrate --known", "draws a big picture", slow=True),
    How("trapdial calibrate --simulated", "twins, turned by themselves; the folder has a calibration", more="--yes"),
    How("trapdial calibrate", "no wires here; Enter is pressed", code=1, lacks=True, typed="\n" * 50),
    How("trapdial record --square", "no wires here", code=1, lacks=True),
    How("trapdial record", "draws only, and there is no terminal here", code=2),
    How("trapdial bench scan --settings", "no wires here", code=1, lacks=True),
    How("trapdial hub diag west", "no board here, and the settings name one", code=1, lacks=True, size="16x4"),
    How("trapdial hub", "no board here", code=1, lacks=True),
    How("trapdial demo --hub", "half a minute by the wall clock", more="--auto --exposes 1", slow=True),
    How("trapdial demo --pages --auto", "robots play, as the page says"),
    How("trapdial demo --pages --port", "robots play, and the port may be taken", more="--exposes 1 --port 18090"),
    How("trapdial demo --pages", "there is no terminal here, so robots play", more="--exposes 1"),
    How("trapdial demo --station", "goes on with robot visitors", stopped=True),
    How("trapdial demo --journal", "plays by itself", more="--auto --exposes 1"),
    How("trapdial demo --size", "plays by itself", more="--auto --exposes 1"),
    How("trapdial demo", "plays by itself, and more than one of it says nothing new", more="--exposes 1", slow=True),
    How("trapdial pages", "with pages, which the other commands leave off: no test opens a port", pages=True),
    How("trapdial rooms audit", "the example breaks rules on purpose", code=1),
    How("trapdial rooms play", "no wires here", code=1, lacks=True),
    How("trapdial journal delete", "asks first", typed="y\n"),
    How("trapdial journal keys journal.db --move-to", "no stick here", code=2),
    How("trapdial journal keys journal.db --set-passphrase", "no passphrase is typed here", code=2),
    How("trapdial place check sample:SAMPLE-warren", "the example breaks a rule on purpose", code=1),
    How("trapdial place check sample:SAMPLE-shrine", "the example breaks a rule on purpose", code=1),
    How("trapdial place check hall.txt", "a column stands in a hallway", code=1),
    How("trapdial audit journal.db -o", "draws big pictures", slow=True),
    How("trapdial audit monday.db tuesday.db --stats -o", "draws big pictures", slow=True),
)
"""The first that fits counts."""

NAME_IT = ("tables", "place", "centre")
"""Groups whose `new` writes what its last word names."""

WRITES = ("-o", "--streams", "--plot")
"""Options that name a file or folder to be written."""

ONE_LINE_OF_FOUR_PARTS = re.compile(r"^.+? \(.+?\):? .+?\. [A-Z`].+", re.MULTILINE)


def how(line: str) -> How:
    """How this line is run."""
    return next((each for each in HOWS if line.startswith(each.begins)), WORD_FOR_WORD)


def marked() -> list[object]:
    """The lines, the slow ones marked."""
    return [pytest.param(line, marks=pytest.mark.slow) if how(line).slow else line for line in shell_lines()]


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once; each command gets a copy."""
    folder = tmp_path_factory.mktemp("reader")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        full_folder(folder)
    return folder


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that one command may change, on a machine with nothing on its USB."""
    shutil.copytree(prepared, tmp_path / "mine")
    monkeypatch.chdir(tmp_path / "mine")
    monkeypatch.setattr(ports, "listed", list)
    monkeypatch.setenv(passphrase.FROM_DESCRIPTOR, "none")  # the person who runs the tests is not asked
    return tmp_path / "mine"


@pytest.mark.slow
@pytest.mark.parametrize("line", marked())
def test_the_command_does_what_its_page_says(line: str, folder: Path) -> None:
    way = how(line)
    if way.size:
        shutil.copy(example_path(way.size), folder / "trapdial.toml")
    if way.pages:
        with (folder / "trapdial.toml").open("a", encoding="utf-8") as more:
            more.write('\n[pages]\naddress = "10.77.0.1"\nnetwork = "Game night"\n')
    for file in made(line):
        (folder / file).unlink(missing_ok=True)  # prepared for other commands
    command, _, into = line.partition(" > ")
    words = as_a_shell(command.replace("/dev/ttyACM0", NO_PORT))[1:] + way.more.split()
    if way.stopped:
        stopped_after_a_line(words)
        return
    result = CliRunner().invoke(main, words, input=way.typed)
    assert result.exception is None or isinstance(result.exception, SystemExit), line
    assert result.exit_code == way.code, result.output
    assert result.output.strip()
    if into:
        (folder / into).write_text(result.stdout, encoding="utf-8")
    if way.lacks:
        assert ONE_LINE_OF_FOUR_PARTS.search(result.output), result.output
    else:
        assert [file for file in made(line) if not (folder / file).exists()] == []


def stopped_after_a_line(words: Sequence[str]) -> None:
    """Run it in a process, stop it when it has said something, and see that it ends well."""
    command = [sys.executable, "-P", "-m", "pi_app", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL) as program:
        assert program.stdout is not None
        assert program.stdout.readline().strip(), program.communicate()
        program.terminate()
        _, errors = program.communicate()
    assert (program.returncode, errors) == (128 + signal.SIGTERM, b"Stopped: SIGTERM.\n")


def as_a_shell(command: str) -> list[str]:
    """The words of a command, with the files that a pattern stands for, in the folder as it is now."""
    return [name for word in shlex.split(command) for name in sorted(glob(word)) or [word]]


def made(line: str) -> list[str]:
    """The files that a command writes."""
    command, _, into = line.partition(" > ")
    words = shlex.split(command)
    files = [file for option, file in pairwise(words) if option in WRITES]
    return [*files, *([words[-1]] if words[2:3] == ["new"] and words[1] in NAME_IT else []), *([into] if into else [])]


def test_no_line_of_the_table_is_left_over() -> None:
    used = {how(line) for line in shell_lines()}
    assert [each.begins for each in HOWS if each not in used] == []
