"""The `trapdial` command: reads options, builds the house, calls one function. It holds no rules.

Each command lives in a file of its own, imported when it is asked for, so that `--help` stays quick.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from pathlib import Path
from typing import Any, Final, NoReturn

import click

EXIT_WIRES: Final = 1
EXIT_FILE: Final = 2
EXIT_BUG: Final = 70
"""As sysexits.h has it: the program itself is wrong. A signal's exit code is 128 and its number."""
EXIT_CLOSED_OUTPUT: Final = 128 + 13
"""As if SIGPIPE had ended it: nobody reads the output any more."""

WITH_TRACEBACK: Final = "TRAPDIAL_TRACEBACK"
"""An environment variable: a bug then shows its traceback. It may hold what only one player may know."""

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "play": ("pi_app.cli.play", "Run a table from its trapdial.toml."),
    "new-game": ("pi_app.cli.new_game", "Begin a new game, with trap tables dealt anew if you like."),
    "demo": ("pi_app.cli.demo", "Run the same program on a simulated table."),
    "journal": ("pi_app.cli.journal", "Hand the record to witnesses, check it; export, merge, delete."),
    "audit": ("pi_app.cli.audit", "Say whether every dial was turned as the rules allow."),
    "replay": ("pi_app.cli.replay", "Rebuild a game and its reports from a journal."),
    "decode": ("pi_app.cli.decode", "Turn a trace of encoder angles into turns."),
    "tables": ("pi_app.cli.tables", "Check, show and transcribe trap tables; faces for printed dials."),
    "rules": ("pi_app.cli.rules", "Work out what a ruling says: which Mage Spawn is placed."),
    "settings": ("pi_app.cli.settings", "Check settings; print an example to start from."),
    "wiring": ("pi_app.cli.wiring", "Draw and list how a table is wired; check it before power."),
    "doctor": ("pi_app.cli.doctor", "Find each part and say what answers and what does not."),
    "hub": ("pi_app.cli.hub", "Boards that read dials by themselves: list, watch, ask, install."),
    "calibrate": ("pi_app.cli.calibrate", "Learn where each dial's detents are."),
    "record": ("pi_app.cli.record", "Write the dials' samples to a CSV file."),
    "place": ("pi_app.cli.place", "Check where traps lie on a dungeon drawn as text."),
    "rooms": ("pi_app.cli.rooms", "Follow rotating rooms: a second game on the same dials."),
    "bench": ("pi_app.cli.bench", "Measure this machine: scan, clicks, latency, memory, soak, peers."),
}


class Trapdial(click.Group):
    """Imports a command when it is called, and turns our errors into one message and an exit code."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        from pi_app.cli.stopping import Stopped, raising

        with raising():
            try:
                return super().invoke(ctx)
            except Stopped as stopped:
                stop(str(stopped), stopped.exit_code)
            except KeyboardInterrupt:
                stop("Stopped: Ctrl-C.", 130)
            except BrokenPipeError:
                leave(EXIT_CLOSED_OUTPUT)
            except (click.ClickException, click.exceptions.Exit, click.Abort):
                raise
            except Exception as error:  # noqa: BLE001 - a bug is one line too
                _failed(error)


def _failed(error: Exception) -> NoReturn:
    """Every error that a command did not expect: one message and the exit code of its kind."""
    from firmware_host.errors import LinkError
    from hardware.errors import HardwareError
    from pi_app.journal import NotRecordedError
    from pi_app.text.errors import BrokenInstallationError, UserFileError, WiringRefusedError

    if isinstance(error, (HardwareError, LinkError, WiringRefusedError, BrokenInstallationError)):
        stop(str(error), EXIT_WIRES)
    if isinstance(error, (UserFileError, NotRecordedError)):
        stop(str(error), EXIT_FILE)
    if os.environ.get(WITH_TRACEBACK):
        traceback.print_exception(error)
    stop(bug_line(error), EXIT_BUG)


def bug_line(error: Exception) -> str:
    """A bug in one line, without the error's own words: they may hold what only one player may know."""
    root = Path(__file__).resolve().parents[2]
    ours = [root / name for name in ("firmware_host", "hardware", "pi_app")]
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if any(Path(frame.filename).is_relative_to(folder) for folder in ours)]
    where = f"{Path(own[-1].filename).relative_to(root)} line {own[-1].lineno}" if own else "a library"
    return (
        f"Trapdial stopped because of a bug: {type(error).__name__} ({where}). Please report this line. A game in the "
        f"journal goes on with --resume; {WITH_TRACEBACK}=1 shows more."
    )


def stop(message: str, code: int) -> NoReturn:
    """Say why on standard error and leave. Nobody need be there to read it."""
    from pi_app.cli.terminal import warn

    warn(message)
    leave(code)


def leave(code: int) -> NoReturn:
    """Leave with this exit code, whatever became of the output."""
    from pi_app.cli.terminal import drop_output

    drop_output()
    sys.exit(code)


@click.group(cls=Trapdial, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="trapdial")
def main() -> None:
    """Trapdial reads the dials of trap squares and tells each trap to exactly one player."""
