"""What is printed after a game: its story, where its record lies, the record's head, and the command to audit it."""

from __future__ import annotations

import shlex
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pi_app.text.language import N_

if TYPE_CHECKING:
    from pi_app.play.loop import Loop
    from pi_app.text.language import Words

PROGRAM: Final = "trapdial"

OVER: Final = N_("The game is over, so its secrets are open now:")
RECORD: Final = N_("The record of the game:")
TEMPORARY: Final = N_("It lies in a temporary folder. Copy it if you want to keep it.")
AUDIT: Final = N_("Check how every dial was turned:")
HEAD: Final = N_(
    "The record's head, in letters and as a QR code. Take a photo: it shows later whether the record was changed."
)
VERIFY: Final = N_("To compare, type the letters of the photo into head.txt:")

TYPED: Final = "    "
"""Begins a line that is a path or a command: it is printed whole, to be copied."""
WIDTH: Final = 66
"""All other lines are printed this wide: beside SIMULATED, a terminal of 80 would break longer ones within a word."""


def after_game(
    journal: Path, game_id: str, letters: str, words: Words, *, qr: bool = True, temporary: bool = False
) -> tuple[str, ...]:
    """Return the lines to show after a game; none if it has not ended.

    `letters` are the record's head; `temporary`: the record's folder was made for this game. Raises JournalFileError.
    """
    from pi_app.audit.story import story
    from pi_app.cli.qr_code import qr_code

    told = story(journal, game_id, words)
    if not told:
        return ()
    audit, verify = (own_command(*line, str(journal)) for line in (("audit",), ("journal", "verify")))
    return (
        words(OVER),
        *(f"  {line}" for line in told),
        "",
        words(RECORD),
        f"{TYPED}{journal}",
        *([words(TEMPORARY)] if temporary else []),
        words(AUDIT),
        f"{TYPED}{audit}",
        "",
        words(HEAD),
        letters,
        words(VERIFY),
        f"{TYPED}{verify} --witness head.txt",
        *(qr_code(letters) if qr else ()),
    )


def printed(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines for printing: the QR code first, so that a terminal shows the story and the commands at its
    end."""
    code = tuple(line for line in lines if line and not line.strip(" ▀▄█"))
    rest = (part for line in lines if line not in code for part in _wrapped(line))
    return (*code, *([""] if code else []), *rest)


def _wrapped(line: str) -> Sequence[str]:
    if line.startswith(TYPED) or not line:
        return (line,)
    hanging = "    " if line.startswith(" ") else ""
    return textwrap.wrap(line, WIDTH, subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False)


def own_command(*arguments: str) -> str:
    """Return a command line of this program that works where it was called."""
    called, found = Path(sys.argv[0]), shutil.which(PROGRAM)
    elsewhere = called.name == PROGRAM and (found is None or Path(found).resolve() != called.resolve())
    return shlex.join([str(called) if elsewhere else PROGRAM, *arguments])


LinesAfter = Callable[[str, str], Sequence[str]]
"""Takes a game that has ended and the record's head in letters, and returns the lines. Raises JournalFileError."""


class AfterGame:
    """A listener that prints what follows a game, once, when the game has ended. A thread reads the record, which may
    be long, so that the table goes on. Close it, or use it as a context manager."""

    def __init__(self, tell: LinesAfter, write: Callable[[str], None], *, wrapped: bool = True) -> None:
        """`tell` returns the lines, such as those of `after_game`; `wrapped`: as wide as a terminal."""
        self._tell, self._write, self._wrapped = tell, write, wrapped
        self._loop: Loop | None = None
        self._thread: threading.Thread | None = None
        self.game_id = ""
        """The last game that ended."""

    def __enter__(self) -> AfterGame:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def watch(self, loop: Loop) -> None:
        """Watch the games of this loop."""
        self._loop = loop

    def told(self, viewer: str, line: str, at_ns: int) -> None:
        """Do nothing: other listeners print the lines."""

    def pause(self, now_ns: int) -> None:
        """Print the end of a game that ended in this step."""
        from pi_app.game.state import Phase

        if self._loop is None or self._loop.moment.game.phase is not Phase.ENDED:
            return
        ended = self._loop.session.game_id
        if ended != self.game_id:
            self.close()
            self.game_id = ended
            letters = self._loop.session.journal.head().text()
            self._thread = threading.Thread(target=self._print, args=(ended, letters), name="after game", daemon=True)
            self._thread.start()

    def _print(self, game_id: str, letters: str) -> None:
        from pi_app.journal import JournalFileError

        try:
            lines = self._tell(game_id, letters)
        except JournalFileError as error:
            lines = (str(error),)
        for line in ("", *(printed(lines) if self._wrapped else lines)):
            self._write(line)

    def close(self) -> None:
        """Wait until the lines are printed."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
