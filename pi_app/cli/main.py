"""The group of commands. Each command has a file of its own, which is imported when the command is called, so that
`--help` stays quick.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from pi_app.cli.groups import CommandGroup
from pi_app.text import exit_codes

WITH_TRACEBACK: Final = "TRAPDIAL_TRACEBACK"
"""An environment variable that makes a bug show its traceback, which may contain secrets of the game."""

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "play": ("pi_app.cli.play", "Run a table from its trapdial.toml."),
    "demo": ("pi_app.cli.demo", "Play on a simulated table, with the same program."),
    "docs": ("pi_app.cli.docs", "Show a page of the documentation; list all pages."),
    "place": ("pi_app.cli.place", "Check the placement of traps in a dungeon drawn as text."),
    "rules": ("pi_app.cli.rules", "Apply a ruling: which Mage Spawn replaces a token or a chest."),
    "rooms": ("pi_app.cli.rooms", "Track rotating rooms: a second game on the same dials."),
    "settings": ("pi_app.cli.settings", "Write settings from six answers, check them; print examples."),
    "tables": ("pi_app.cli.tables", "Check, show and transcribe trap tables; faces for printed dials."),
    "wiring": ("pi_app.cli.wiring", "Draw and list a table's wiring; check it before power-on."),
    "pages": ("pi_app.cli.pages", "Print the cards that phones join with; set up an access point."),
    "station": ("pi_app.cli.station", "Run a table that a shop plugs in and leaves to its visitors."),
    "centre": ("pi_app.cli.centre", "Keep the records of many tables in one place, and look after them."),
    "doctor": ("pi_app.cli.doctor", "Test each part and report which ones answer."),
    "calibrate": ("pi_app.cli.calibrate", "Learn where the detents of each dial are."),
    "hub": ("pi_app.cli.hub", "List, monitor, diagnose and install boards that sample dials on their own."),
    "extras": ("pi_app.cli.extras", "Install packages that only some commands need."),
    "completion": ("pi_app.cli.completion", "Complete commands, options and names with the Tab key."),
    "journal": (
        "pi_app.cli.journal",
        "Verify the record of games, print its head for witnesses; export, merge, delete.",
    ),
    "audit": ("pi_app.cli.audit", "Check whether every dial was turned as the rules allow."),
    "replay": ("pi_app.cli.replay", "Rebuild a game and its reports from a journal."),
    "record": ("pi_app.cli.record", "Write the dials' samples to a CSV file."),
    "decode": ("pi_app.cli.decode", "Turn a trace of encoder angles into turns."),
    "bench": ("pi_app.cli.bench", "Benchmark this machine: scan, clicks, latency, memory, soak, peers."),
}


GROUPS: Final[dict[str, tuple[str, ...]]] = {
    "Play": ("play", "demo", "docs", "place", "rules", "rooms"),
    "Build": (
        "settings",
        "tables",
        "wiring",
        "pages",
        "station",
        "centre",
        "doctor",
        "calibrate",
        "hub",
        "extras",
        "completion",
    ),
    "Audit": ("journal", "audit", "replay"),
    "Develop": ("record", "decode", "bench"),
}
"""The headings of `trapdial --help`, with their commands. Every command is under one of them."""

OLD_COMMANDS: Final[dict[str, str]] = {"new-game": "pi_app.cli.new_game"}
"""Commands that go on working, with a notice, and that no list shows."""


class Trapdial(CommandGroup):
    """Imports a command when it is called, and turns an error into one message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        place = COMMANDS[cmd_name][0] if cmd_name in COMMANDS else OLD_COMMANDS.get(cmd_name)
        if place is None:
            return None
        module = importlib.import_module(place)
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(map(len, COMMANDS))
        for heading, names in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(f"{name:<{widest}}", COMMANDS[name][1]) for name in names])

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line behind the gate that everything printed passes."""
        from pi_app.cli.printing import OutputRefusedError, gated

        with gated():
            try:
                return super().main(*args, **options)
            except OutputRefusedError as refused:
                stop(
                    f"Standard output cannot be written ({refused.strerror}). Free some space where it goes, and type "
                    "the command again.",
                    code=exit_codes.UNUSABLE,
                )

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        try:
            return super().make_context(*args, **extra)
        except click.ClickException as error:
            raise _on_one_line(error) from error.__cause__

    def invoke(self, ctx: click.Context) -> Any:
        from pi_app.cli.printing import OutputRefusedError
        from pi_app.cli.stopping import Stopped, raising

        with raising():
            try:
                return super().invoke(ctx)
            except Stopped as stopped:
                stop(str(stopped), code=stopped.exit_code)
            except KeyboardInterrupt:
                stop("Stopped: Ctrl-C.", code=exit_codes.BY_SIGNAL + signal.SIGINT)
            except BrokenPipeError:
                leave(exit_codes.CLOSED_OUTPUT)
            except click.ClickException as error:
                raise _on_one_line(error) from error.__cause__
            except (click.exceptions.Exit, click.Abort, OutputRefusedError):
                raise
            except Exception as error:  # noqa: BLE001 - a bug is one line too
                _failed(error)


def _on_one_line(error: click.ClickException) -> click.ClickException:
    """Show what may not be printed in an error of click, and a line feed too: it quotes what was typed. The help page
    of a group that was called alone is such an error too; it quotes nothing, and keeps its lines."""
    from pi_app.text.printed import shown

    if not isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.message = shown(error.message)  # type: ignore[misc]
    return error


def _failed(error: Exception) -> NoReturn:
    """Print one message for an error and leave with the exit code of its kind."""
    from firmware_host.errors import LinkError
    from hardware.errors import HardwareError
    from pi_app.journal import NotRecordedError
    from pi_app.text.errors import BrokenInstallationError, UserFileError, WiringRefusedError

    if isinstance(error, WiringRefusedError):
        stop(*error.problems, code=exit_codes.FOUND)
    if isinstance(error, (HardwareError, LinkError, BrokenInstallationError)):
        stop(str(error), code=exit_codes.FOUND)
    if isinstance(error, UserFileError):
        stop(*error.problems, code=_code_of(error))
    if isinstance(error, NotRecordedError):
        stop(str(error), code=_code_of(error))
    if os.environ.get(WITH_TRACEBACK):
        traceback.print_exception(error)
    stop(bug_line(error), code=exit_codes.BUG)


def _code_of(error: Exception) -> int:
    """Return DAMAGED for a journal that its verifier calls damaged, whatever a command stumbled over; else UNUSABLE."""
    from pi_app.journal import JournalFileError, logs, verify
    from pi_app.journal.record.verdict import RecordState

    file = error.file if isinstance(error, JournalFileError) else None
    if file is None:
        return exit_codes.UNUSABLE
    try:
        damaged = any(verify(file, log=log).state is RecordState.DAMAGED for log in logs(file))
    except JournalFileError:
        damaged = False
    return exit_codes.DAMAGED if damaged else exit_codes.UNUSABLE


def bug_line(error: Exception) -> str:
    """Describe a bug in one line, without the error's own text, which may contain secrets of the game."""
    root = Path(__file__).resolve().parents[2]
    ours = [root / name for name in ("firmware_host", "hardware", "pi_app")]
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if any(Path(frame.filename).is_relative_to(folder) for folder in ours)]
    where = f"{Path(own[-1].filename).relative_to(root)} line {own[-1].lineno}" if own else "a library"
    return (
        f"Trapdial stopped because of a bug: {type(error).__name__} ({where}). Please report this line. A game in the "
        f"journal can be resumed with --resume; {WITH_TRACEBACK}=1 shows more."
    )


def stop(*reasons: str, code: int) -> NoReturn:
    """Print the reasons on standard error, if it is open, a line for each, and leave."""
    from pi_app.cli.terminal import warn

    for reason in reasons:
        warn(reason)
    leave(code)


def leave(code: int) -> NoReturn:
    """Leave with this exit code, even if the output is closed."""
    from pi_app.cli.terminal import drop_output

    drop_output()
    sys.exit(code)


@click.group(cls=Trapdial, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(None, "-V", "--version", package_name="trapdial", prog_name="trapdial")
def main() -> None:
    """Trapdial reads the dials of Mage Knight's trap squares and shows each trap to exactly one player."""
