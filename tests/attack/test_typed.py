"""A player, or what is plugged in as a keyboard, types what is no text: bytes that are not UTF-8, control characters,
one line of a hundred megabytes, an input that ends. He wants to end the words of the table, to fill the memory, to see
a traceback, or to get his bytes onto the others' screen.

A bad line costs that line; the next one counts.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.cli.typed_lines import LONGEST_BYTES, NOT_TEXT, TOO_LONG, UNPRINTABLE
from pi_app.rooms.settings import example, load
from pi_app.settings.load import example_path
from pi_app.simulated.build import simulated_table
from tests.attack.dirty import EVERY, environment, raw_letters
from tests.pi_app.audit.records import write
from tests.pi_app.games import exposes
from tests.terminal import Terminal

LINES = int(os.environ.get("TRAPDIAL_HOSTILE_LINES", "6000"))

BAD = {
    b"\xff": NOT_TEXT,
    b"\xc3": NOT_TEXT,
    b"\xed\xa0\x80": NOT_TEXT,
    b"\xc0\xaf": NOT_TEXT,
    b"status\x00": UNPRINTABLE,
    b"\x1b]0;owned\x07": UNPRINTABLE,
    b"\xc2\x9b31m": UNPRINTABLE,
    "\u202estatus".encode(): UNPRINTABLE,
    "st\u200batus".encode(): UNPRINTABLE,
    "status\u2028GENUINE.".encode(): UNPRINTABLE,
    b"x" * (LONGEST_BYTES + 1): TOO_LONG,
    b"\xff" * 100_000: TOO_LONG,
}
"""What is typed, and the sentence for it."""

TYPED = b"".join(line + b"\n" for line in BAD)
SAID = list(BAD.values())


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with settings, and time that does not wait for the wall clock."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", lambda: None)
    shutil.copy(example_path("2x2"), tmp_path / "trapdial.toml")
    (tmp_path / "rooms.toml").write_text(example(), encoding="utf-8")
    return tmp_path


def run(*words: str, typed: bytes) -> Result:
    return CliRunner().invoke(main, list(words), input=typed, prog_name="trapdial", color=True)


def refusals(output: str) -> list[str]:
    """The sentences about lines that were not read, in their order."""
    found = [(at, sentence) for sentence in (NOT_TEXT, TOO_LONG, UNPRINTABLE) for at in places(output, sentence)]
    return [sentence for _, sentence in sorted(found)]


def places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def test_play_reads_on_after_every_bad_line() -> None:
    done = run("play", "--simulated", typed=TYPED + b"sim tap ann\nsim turn t01 3\nsim hold Ann 2\nend\nquit\n")
    assert (done.exit_code, "Traceback" in done.stderr) == (0, False)
    assert refusals(done.stdout) == SAID
    assert "SIMULATED public, referee | T01: exposed by Ann." in done.stdout.splitlines()


def test_play_says_it_in_the_tables_language(here: Path) -> None:
    text = (here / "trapdial.toml").read_text(encoding="utf-8")
    (here / "trapdial.toml").write_text(text.replace('language = "en"', 'language = "de"'), encoding="utf-8")
    said = "Diese Zeile wurde nicht gelesen: Sie ist kein Text in UTF-8. Tippe sie noch einmal."
    assert f"SIMULATED referee  | {said}\n" in run("play", "--simulated", typed=b"\xff\nquit\n").stdout


def test_the_rooms_demo_reads_on(here: Path) -> None:
    done = run("rooms", "demo", typed=TYPED + b"card ann 2\nend game\n")
    assert (done.exit_code, done.stderr) == (0, "")
    assert refusals(done.stdout) == SAID
    assert "Ann plays 2 Actions; 2 left." in done.stdout


def test_rooms_on_real_dials_read_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: simulated_table(load(here / "rooms.toml").wires))
    done = run("rooms", "play", typed=TYPED + b"card ann 2\nend game\n")
    assert (done.exit_code, done.stderr) == (0, "")
    assert refusals(done.stdout) == SAID
    assert "Ann plays 2 Actions; 2 left." in done.stdout


def test_a_hidden_card_that_is_no_text_is_not_repeated() -> None:
    """The refusal of a secret line says nothing of it, and the card is still asked for."""
    words = b"card ann 2\nreveal R1\ncombat warrior ben.thief\nplay ann\n"
    for bad, reason in {b"5\xff": NOT_TEXT, b"5\x1b[A": UNPRINTABLE, b"5" * 9999: TOO_LONG}.items():
        done = run("rooms", "demo", typed=words + bad + b"\n4\nend game\n")
        assert (done.exit_code, done.stderr) == (0, "")
        asked, _, after = done.stdout.partition(f"{reason}\n")
        assert after.startswith("> (not shown)\n")
        assert "5" not in asked.rpartition("> play ann\n")[2] + after.partition("\n")[0]


def test_questions_are_asked_again(here: Path) -> None:
    write(here / "j.db", *exposes("T01", 3, "ANN"))
    done = run("journal", "delete", "j.db", "g1", typed=TYPED + b"n\n")
    assert (done.exit_code, done.stderr) == (1, "Aborted!\n")
    assert refusals(done.stdout) == SAID
    done = run("tables", "new", "t.toml", typed=TYPED + b"Mine\n")
    assert refusals(done.stdout) == SAID
    assert done.stdout.endswith("A name for this table: Mine\nWho reads the dial now: ")
    done = run("calibrate", "--square", "T01", typed=TYPED)
    assert "Traceback" not in done.output


def test_the_hubs_decoder_explains_every_line() -> None:
    done = run("hub", "decode", typed=TYPED)
    assert len(done.stdout.splitlines()) == len(BAD)
    assert raw_letters(done.stdout_bytes) == set()


def test_a_line_of_a_hundred_megabytes_is_dropped_as_it_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read in small parts, and none is kept."""
    from pi_app.cli.typed_lines import LineReader

    parts = iter([*[b"x" * 65_536] * 1600, b"\nstatus\n"])
    reader = LineReader(lambda: next(parts, b""), "utf-8")
    tracemalloc.start()
    first, second, end = reader.next_line(), reader.next_line(), reader.next_line()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert first is not None
    assert (len(first), second, end) == (LONGEST_BYTES + 1, b"status", None)
    assert most < 1 << 20


@pytest.mark.slow
@pytest.mark.parametrize(("words", "code"), [(("rooms", "demo"), 0), (("tables", "new", "t.toml"), 1)])
def test_no_input_at_all(words: tuple[str, ...], code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that is started with a closed input has none: it ends as at the end of one."""
    with CliRunner().isolation() as streams:
        monkeypatch.setattr("sys.stdin", None)
        with pytest.raises(SystemExit) as ended:
            main(words)
    assert ended.value.code == code, streams[1].getvalue()


@pytest.mark.slow
def test_the_end_of_a_terminals_input_ends_the_questions(here: Path) -> None:
    """After a bad line the question comes again; Ctrl-D ends it."""
    with Terminal([sys.executable, "-m", "pi_app", "tables", "new", "t.toml"], here, environment()) as terminal:
        terminal.wait_for("A name for this table:")
        terminal.type("\x1b[A\n")
        terminal.wait_for("This line was not read")
        terminal.type("\x04")
        assert terminal.wait() == 1


# ------------------------------------------------------------------------------------------------- hostile lines

WORDS = (
    "sim turn T01 3", "sim tap ANN", "sim hold ANN 0.1", "sim screen ANN", "sim fault T01 unplugged", "sim wait 0.1",
    "claim ann", "drop ann", "rolled ann 3", "expose ann T01", "trigger ann T02", "pass T01", "enter ben T02 flying",
    "disarm ann T01 quick", "share ann T01", "xp ann 5", "kill ann wolf 3", "chest ann 1", "artifact ann T01", "undo",
    "convert 2 figures 30 points", "ledger", "rule chest", "home T01", "accept T01", "check", "status", "help",
    "card ann 2", "reveal R1", "gear ann R1", "turn R1 1", "move warrior", "combat warrior ben.thief", "play ann", "4",
    "take thief rope", "plug R1", "unplug R1",
)  # fmt: skip
PIECES = (
    *EVERY, "", " ", "\t", "'", '"', "<b>", "{0}", "{name}", "%s", "\\", "-", "=", "9" * 5000, "-1", "1e308", "nan",
    "٣", "²", "½", "Ⅷ", "ß", "İ", "ı", "ſ", "\u0301" * 50, "אבג", "😀", "❤\ufe0f", "👨\u200d👩", "x" * 3000,
)  # fmt: skip


def hostile(draw: random.Random) -> bytes:
    """One line: words of the game with something else in them, or bytes."""
    kind = draw.random()
    if kind < 0.15:
        return draw.randbytes(draw.randrange(60)).replace(b"\n", b"")
    parts = draw.choice(WORDS).split()
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(parts) + 1)
        if kind < 0.6 and at < len(parts):
            cut = draw.randrange(len(parts[at]) + 1)
            parts[at] = parts[at][:cut] + draw.choice(PIECES) + parts[at][cut:]
        else:
            parts[at:at] = [draw.choice(PIECES)]
    line = " ".join(parts).encode(errors="surrogatepass").replace(b"\n", b"")
    return line[: draw.randrange(len(line) + 1)] if kind > 0.95 else line


def survives(*words: str, lines: int, seed: str, end: bytes) -> None:
    """Print nothing raw, meet no bug, and still obey the last word."""
    draw = random.Random(seed)
    typed = [line for line in (hostile(draw) for _ in range(lines)) if not ends(line)]
    cards = b"".join(b"%d\n" % card for card in range(10))  # for a player who is asked for one
    done = run(*words, typed=b"\n".join(typed) + b"\n" + (cards + end) * 3 + b"quit\n")
    assert done.exit_code == 0, done.stderr
    assert raw_letters(done.stderr_bytes) == set()
    assert raw_letters(done.stdout_bytes) <= {"U+FE0F"}
    assert "Traceback" not in done.output
    assert len(refusals(done.stdout)) > lines // 20


def ends(line: bytes) -> bool:
    """Whether a line would end the game or the program, in any language."""
    text = line.decode(errors="replace").strip().casefold()
    return text.split()[:1] in (["quit"], ["end"], ["new"]) or text == ""


MANY = [pytest.param(LINES, marks=pytest.mark.slow), 150]


@pytest.mark.parametrize("lines", MANY)
def test_hostile_lines_at_a_table_of_traps(lines: int) -> None:
    survives("play", "--simulated", lines=lines, seed="traps", end=b"end\nquit\n")


@pytest.mark.parametrize("lines", MANY)
def test_hostile_lines_at_a_table_of_rooms(lines: int) -> None:
    survives("rooms", "demo", lines=lines, seed="rooms", end=b"end game\n")


@pytest.mark.parametrize("lines", MANY)
def test_hostile_lines_at_real_rooms(lines: int, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.play.parts.RealParts", lambda: simulated_table(load(here / "rooms.toml").wires))
    survives("rooms", "play", lines=lines, seed="real rooms", end=b"end game\n")


@pytest.mark.slow
def test_the_live_screen_reads_on(here: Path) -> None:
    """Textual's own driver ends at a byte that is not UTF-8, with a traceback; ours goes on."""
    with Terminal([sys.executable, "-m", "pi_app", "demo", "--size", "2x2"], here, environment()) as terminal:
        terminal.wait_for("Esc play without the guide")
        for keys in (b"\x1b", b"\xff\xfe", b"/", b"xyz\xff\r"):
            terminal.send(keys)
            terminal.settle()
        assert "'; 'help' lists all." in terminal.text, str(terminal)
        for keys in (b"/", b"\x1b[200~\x1b]0;owned\x07\xe2\x80\xae\x1b[201~"):
            terminal.send(keys)
            terminal.settle()
        assert "owned" not in terminal.title
        terminal.send(b"\x1b")
        terminal.settle()
        assert "Traceback" not in terminal.text
        terminal.send(b"q")
        assert terminal.wait() == 0
