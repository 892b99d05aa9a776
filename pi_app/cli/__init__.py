"""The `trapdial` command: reads options, builds the house, calls one function. It holds no rules.

Each command lives in a file of its own, imported when it is asked for, so that `--help` stays quick.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, Final

import click

EXIT_WIRES: Final = 1
EXIT_FILE: Final = 2

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
        from firmware_host.errors import LinkError
        from hardware.errors import HardwareError
        from pi_app.errors import BrokenInstallationError, UserFileError, WiringRefusedError

        try:
            return super().invoke(ctx)
        except (HardwareError, LinkError, WiringRefusedError, BrokenInstallationError) as error:
            stop(str(error), EXIT_WIRES)
        except UserFileError as error:
            stop(str(error), EXIT_FILE)


def stop(message: str, code: int) -> None:
    """Say why on standard error and leave."""
    click.echo(message, err=True)
    sys.exit(code)


@click.group(cls=Trapdial, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="trapdial")
def main() -> None:
    """Trapdial reads the dials of trap squares and tells each trap to exactly one player."""
