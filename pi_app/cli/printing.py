"""The one place where text leaves the program: everything that a command prints passes here.

`gated` puts a gate before standard output and standard error, which also covers what click, Rich, warnings and
tracebacks print. Its rule is in `pi_app.text.printed`. The program's own colours and cursor movements are drawn by the
functions here that take a colour, a picture or nothing; the text in them passes the rule first.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, TextIO

from pi_app.text.printed import shown, shown_json, shown_lines

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

Colour = Literal["green", "red", "yellow"]

GONE: Final = frozenset({errno.EPIPE, errno.EIO, errno.EBADF, errno.ENXIO, errno.ECONNRESET})
"""The output is gone for good: the pipe or the terminal was closed. Any other error may pass, such as a full disk."""

UNWRAPPED: Final = 100_000
"""The width of a pipe or a file, in characters: Rich would take 80."""

_COLOURS: Final[dict[Colour, int]] = {"green": 32, "red": 31, "yellow": 33}


class OutputRefusedError(OSError):
    """Standard output or standard error takes nothing now, and may again: its disk is full. `strerror` says why."""


class GatedStream(io.TextIOBase):
    """A stream of text before another one: it shows what may not be sent. It has no buffer of bytes, so that no library
    goes around it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        with contextlib.suppress(AttributeError, OSError, ValueError):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]

    def write(self, text: str | bytes, /) -> int:
        """Write text; bytes are click's completions. Raises BrokenPipeError if the output was closed, and
        OutputRefusedError if it takes nothing."""
        with _named_errors():
            self._stream.write(shown_lines(text if isinstance(text, str) else text.decode(errors="surrogateescape")))
        return len(text)

    def flush(self) -> None:
        with _named_errors():
            self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def writable(self) -> bool:
        return True

    def close(self) -> None:
        """Do nothing: the stream behind it is not ours, and goes on."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return getattr(self._stream, "encoding", None) or "utf-8"

    @property
    def errors(self) -> str:  # type: ignore[override]
        return "backslashreplace"


class _Drawn(GatedStream):
    """The same without the gate, for a library whose text has passed the rule before."""

    def write(self, text: str | bytes, /) -> int:
        with _named_errors():
            return self._stream.write(str(text))


@contextlib.contextmanager
def _named_errors() -> Iterator[None]:
    """Raise BrokenPipeError for a terminal that was closed, as for a pipe, and OutputRefusedError for a full disk."""
    try:
        yield
    except OSError as error:
        if error.errno not in GONE:
            raise OutputRefusedError(error.errno, error.strerror) from error
        raise BrokenPipeError(errno.EPIPE, "the output was closed") from error


@contextlib.contextmanager
def gated() -> Iterator[None]:
    """Put a gate before standard output and standard error until the end of the block."""
    before = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = (_behind_a_gate(stream) for stream in before)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


def _behind_a_gate(stream: Any) -> Any:
    return stream if stream is None or isinstance(stream, GatedStream) else GatedStream(stream)


def _ungated(stream: Any) -> Any:
    return stream._stream if isinstance(stream, GatedStream) else stream


def is_terminal(stream: Any) -> bool:
    """Return whether a standard stream is a terminal; a program may have none of them."""
    with contextlib.suppress(OSError, ValueError):
        return stream is not None and bool(stream.isatty())
    return False


# ------------------------------------------------------------------------------------------------- plain text


def echo(line: object = "", *, err: bool = False) -> None:
    """Print one line. A line feed in it is shown, so that no name or file can print a line of its own."""
    _write(shown(str(line)) + "\n", err)


def echo_lines(lines: Iterable[str], *, err: bool = False) -> None:
    """Print lines."""
    for line in lines:
        echo(line, err=err)


def echo_wrapped(sentence: str) -> None:
    """Print a sentence of the program's own. On a terminal its lines end between words."""
    wide = shutil.get_terminal_size().columns if is_terminal(sys.stdout) else UNWRAPPED
    echo_lines(textwrap.wrap(sentence, wide, break_long_words=False, break_on_hyphens=False))


def echo_text(text: str, *, err: bool = False) -> None:
    """Print text of several lines that is the program's own or one of its files, without adding a line feed."""
    _write(shown_lines(text), err)


def echo_json(text: str) -> None:
    """Print JSON. What may not be sent is escaped as JSON does it, so that the value stays the same."""
    _write(shown_json(text).rstrip("\n") + "\n", err=False)


def prompt(text: str) -> None:
    """Print the beginning of a line, after which a person types."""
    _write(shown(text), err=False)


def _write(text: str, err: bool) -> None:
    stream = sys.stderr if err else sys.stdout
    if stream is not None:
        stream.write(text)
        stream.flush()


# ------------------------------------------------------------------------------- colours, pictures, the cursor


def echo_marked(mark: str, colour: Colour, rest: str) -> None:
    """Print a line that begins with a mark, in colour on a terminal."""
    if not is_terminal(sys.stdout):
        echo(mark + rest)
        return
    _draw(sys.stdout, f"\x1b[{_COLOURS[colour]}m\x1b[1m{shown(mark)}\x1b[0m{shown(rest)}\n")


def redraw(line: str) -> None:
    """Print a line over the one before on standard error, if that is a terminal."""
    if is_terminal(sys.stderr):
        _draw(sys.stderr, f"\r{shown(line)}")


def clear_screen() -> None:
    """Clear the terminal, if standard output is one."""
    if is_terminal(sys.stdout):
        _draw(sys.stdout, "\x1b[2J\x1b[1;1H")


@contextlib.contextmanager
def drawing_page() -> Iterator[Callable[[Iterable[str]], None]]:
    """Open a page of its own on the terminal of standard output; call the result with the lines that it shows. What was
    on the terminal comes back at the end."""
    _draw(sys.stdout, "\x1b[?1049h\x1b[?25l\x1b[2J")
    try:
        yield lambda lines: _draw(
            sys.stdout, "\x1b[H" + "\r\n".join(f"{shown(line)}\x1b[K" for line in lines) + "\x1b[J"
        )
    finally:
        _draw(sys.stdout, "\x1b[?25h\x1b[?1049l")


def _draw(stream: Any, text: str) -> None:
    raw = _ungated(stream)
    with _named_errors():
        raw.write(text)
        raw.flush()


def console(*, err: bool = False, highlight: bool = True) -> Console:
    """Return a console for Rich's tables. Every piece of text that it draws passes the rule. Only a terminal, or a
    width in $COLUMNS, wraps lines."""
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class Gated(Console):
        def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else shown_lines(text), style, control)

    stream = sys.stderr if err else sys.stdout
    width = None if is_terminal(stream) or "COLUMNS" in os.environ else UNWRAPPED
    file: Any = None if stream is None else _Drawn(_ungated(stream))
    return Gated(file=file, highlight=highlight, width=width)


def in_pager(picture: RenderableType, widest: int) -> None:
    """Show a picture of Rich with a pager."""
    import click

    drawing = console()
    drawing.width = min(drawing.width, widest)
    with drawing.capture() as drawn:
        drawing.print(picture)
    gate, sys.stdout = sys.stdout, _ungated(sys.stdout)
    try:
        click.echo_via_pager(drawn.get())
    finally:
        sys.stdout = gate
