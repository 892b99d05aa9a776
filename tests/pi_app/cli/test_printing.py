"""The gate before standard output and standard error."""

from __future__ import annotations

import errno
import io
import subprocess
import sys
from pathlib import Path

import click
import pytest
from rich.table import Table
from rich.text import Text

from pi_app.cli import printing
from pi_app.cli.printing import (
    GatedStream,
    echo,
    echo_json,
    echo_lines,
    echo_marked,
    echo_text,
    echo_wrapped,
    gated,
    in_pager,
    redraw,
)

TITLE = "\x1b]0;owned\x07"
SHOWN = r"\x1b]0;owned\x07"


FULL = Path("/dev/full")
"""Takes no byte, as a full disk."""


class Screen(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def on_screen(monkeypatch: pytest.MonkeyPatch) -> Screen:
    """Let the program write to a terminal."""
    screen = Screen()
    monkeypatch.setattr("sys.stdout", screen)
    monkeypatch.setattr("sys.stderr", screen)
    return screen


def test_a_line_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    echo(f"{TITLE}\nGENUINE.")
    echo_lines(["a", "b\r"], err=True)
    echo()
    assert capsys.readouterr() == (f"{SHOWN}\\nGENUINE.\n\n", "a\nb\\r\n")


def test_text_keeps_its_lines_and_json_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    echo_text(f"a\n\t{TITLE}\n")
    echo_json('{"a": "\u202e\x7f"}\n')
    assert capsys.readouterr().out == f'a\n\t{SHOWN}\n{{"a": "\\u202e\\u007f"}}\n'


def test_whatever_another_library_writes_passes_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with gated():
        click.echo(f"\x1b[31m{TITLE}")
        click.echo(b"\x1b\xff")
        print(TITLE, file=sys.stderr)  # noqa: T201
        with gated():
            click.secho("red", fg="red")
        assert isinstance(sys.stdout, GatedStream)
    assert id(sys.stdout) == id(screen)
    told = screen.getvalue()
    assert "\x1b" not in told
    assert told.startswith(f"\\x1b[31m{SHOWN}\n\\x1b\\udcff\n{SHOWN}\n")


def test_the_programs_own_colours_pass_and_the_text_in_them_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    with gated():
        echo_marked("!!", "red", f" part {TITLE}")
        redraw(f"[##..] {TITLE}")
        printing.clear_screen()
    assert screen.getvalue() == f"\x1b[31m\x1b[1m!!\x1b[0m part {SHOWN}\n\r[##..] {SHOWN}\x1b[2J\x1b[1;1H"


def test_a_file_gets_no_colours(capsys: pytest.CaptureFixture[str]) -> None:
    echo_marked("ok", "green", " part")
    redraw("[##..]")
    printing.clear_screen()
    assert capsys.readouterr() == ("ok part\n", "")


def test_tables_of_rich_pass_the_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = on_screen(monkeypatch)
    monkeypatch.setenv("TERM", "xterm-256color")
    table = Table("a column that is wide enough", title=Text(TITLE))
    table.add_row(Text(TITLE, "red"))
    with gated():
        drawing = printing.console()
        drawing.print(table)
        drawing.print(TITLE, markup=False)
    told = screen.getvalue()
    assert told.count(r"\x1b") == 3  # Rich itself leaves the bell out
    assert "\x1b]" not in told
    assert "\x1b[31m" in told


def test_a_page_is_drawn_and_the_gate_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    on_screen(monkeypatch)
    monkeypatch.setenv("TERM", "xterm-256color")
    pages: list[str] = []
    monkeypatch.setattr("click.echo_via_pager", pages.append)
    with gated():
        in_pager(Text(f"page {TITLE}", "red"), 100)
        assert isinstance(sys.stdout, GatedStream)
    assert pages == ["\x1b[31mpage \\x1b]0;owned\x1b[0m\n"]


def test_no_output_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", None)
    monkeypatch.setattr("sys.stderr", None)
    with gated():
        echo("x")
        echo("x", err=True)
        redraw("x")
        echo_marked("ok", "green", "x")


def test_a_stream_that_cannot_write_a_letter_gets_its_code() -> None:
    data = io.BytesIO()
    gate = GatedStream(io.TextIOWrapper(data, encoding="ascii", errors="strict", write_through=True))
    gate.write("Zoë \U0001f600\n")
    assert data.getvalue() == b"Zo\\xeb \\U0001f600\n"
    assert (gate.encoding, gate.errors, gate.writable(), gate.isatty()) == ("ascii", "backslashreplace", True, False)


@pytest.mark.parametrize("number", [errno.EIO, errno.ENXIO])
def test_a_terminal_that_was_closed_is_a_closed_output_and_no_bug(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    class Closed(io.StringIO):
        def flush(self) -> None:
            raise OSError(number, "closed")

    with pytest.raises(BrokenPipeError, match="the output was closed"):
        printing.GatedStream(Closed()).flush()
    monkeypatch.setattr(sys, "stderr", Closed())
    monkeypatch.setattr(printing, "is_terminal", lambda stream: True)
    with pytest.raises(BrokenPipeError, match="the output was closed"):
        printing.redraw("a line")


def test_a_full_disk_is_no_closed_output() -> None:
    class Full(io.StringIO):
        def write(self, _: str) -> int:
            raise OSError(errno.ENOSPC, "full")

    with pytest.raises(OSError, match="full") as raised:
        printing.GatedStream(Full()).write("a line")
    assert not isinstance(raised.value, BrokenPipeError)


def test_a_pipe_gets_whole_lines_and_only_a_width_of_its_own_wraps_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rich takes 80 columns where there is no terminal: a program that reads lines would get halves of them."""
    monkeypatch.delenv("COLUMNS", raising=False)
    words = "word " * 60
    for width, lines in (("", 1 + 5), ("100", 3 + 8)):
        if width:
            monkeypatch.setenv("COLUMNS", width)
        out = io.StringIO()
        monkeypatch.setattr(sys, "stdout", out)
        printing.console().print(words.strip())
        table = Table("what was found")
        table.add_row(words.strip())
        printing.console().print(table)
        assert len(out.getvalue().splitlines()) == lines


def test_a_terminal_breaks_a_sentence_between_words_and_a_pipe_nowhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sentence = "No real dial is read; chips, pins, hands and visitors are simulated. Ctrl-C ends it."
    monkeypatch.setenv("COLUMNS", "31")
    echo_wrapped(sentence)
    assert capsys.readouterr().out == f"{sentence}\n"
    screen = on_screen(monkeypatch)
    echo_wrapped(sentence)
    assert screen.getvalue().splitlines() == [
        "No real dial is read; chips,",
        "pins, hands and visitors are",
        "simulated. Ctrl-C ends it.",
    ]


@pytest.mark.skipif(not FULL.exists(), reason="the kernel has no /dev/full")
@pytest.mark.parametrize("line", ["-V", "settings example station", "tables show sample:SAMPLE-A"])
def test_a_full_disk_behind_standard_output_is_no_bug(line: str) -> None:
    command = [sys.executable, "-m", "pi_app", *line.split()]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        2,
        "Standard output cannot be written (No space left on device). Free some space where it goes, and type the "
        "command again.\n",
    )
