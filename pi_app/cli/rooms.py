"""`trapdial rooms`: the rotating rooms of Dungeon Twister on the same dials."""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.groups import CommandGroup
from pi_app.cli.options import check_languages, old_settings_argument, settings_named, to_go_on_with
from pi_app.cli.printing import echo, echo_json, echo_lines, echo_text, is_terminal, prompt
from pi_app.cli.typed_lines import RefusedLineError, next_line, read_lines
from pi_app.text import exit_codes
from pi_app.text.language import count_entries, count_of
from pi_app.text.printed import shown

if TYPE_CHECKING:
    from hardware.clock import Clock
    from pi_app.cli.stopping import Request
    from pi_app.cli.terminal import Terminal
    from pi_app.rooms.settings import RoomSettings
    from pi_app.rooms.table import RoomTable
    from pi_app.settings.model import Settings


@click.group(cls=CommandGroup)
def rooms() -> None:
    """Track rotating rooms and their action points: a second game on the same dials."""


@rooms.command()
def example() -> None:
    """Print an example of the settings."""
    from pi_app.rooms.settings import example as text

    echo_text(text())


@rooms.command()
@old_settings_argument
@settings_named("The rooms' settings.", Path("rooms.toml"))
@click.option("--journal", type=click.Path(path_type=Path), help="Use this journal instead of the one in the settings.")
@click.option("--resume", is_flag=True, help="Resume the unfinished game in the journal.")
@click.option("--new", "fresh", is_flag=True, help="Begin a new game and leave an unfinished one as it is.")
@click.option(
    "--lock-memory",
    is_flag=True,
    help="Warn if the program cannot be locked into memory; a service needs LimitMEMLOCK=infinity.",
)
def play(settings_file: Path, journal: Path | None, resume: bool, fresh: bool, lock_memory: bool) -> None:
    """Run a table of rooms: read the dials, take commands one per line, keep the journal."""
    from pi_app.cli.hidden_line import Echo
    from pi_app.cli.play import GO_ON
    from pi_app.cli.stopping import requesting
    from pi_app.cli.terminal import Terminal, warn
    from pi_app.journal import Journal
    from pi_app.journal.key_place import prepare_keys
    from pi_app.play.key_notices import set_aside_notes
    from pi_app.play.locked_memory import lock_memory as locked
    from pi_app.play.parts import RealParts
    from pi_app.rooms.build import room_table
    from pi_app.rooms.report import ROOMS
    from pi_app.rooms.settings import load
    from pi_app.rooms.start import unfinished_game
    from pi_app.text.language import words

    settings = load(settings_file)
    for problem in settings.wires.warnings:
        warn(f"note: {problem}")
    for note in locked(settings.wires.table.language, asked=lock_memory):
        warn(f"note: {note}")
    parts = RealParts()
    path = journal or settings.wires.beside(settings.wires.table.journal)
    prepare_keys(path, settings.wires.keys_place)
    with Terminal() as terminal, requesting(GO_ON, path) as request, Journal(path, ROOMS) as record:
        for note in set_aside_notes(record.set_aside, words(settings.wires.table.language)):
            warn(f"note: {note}")
        unfinished = None if fresh else to_go_on_with(record, resume)
        if unfinished is not None:
            unfinished = unfinished_game(record, settings, simulated=False)
        with (
            room_table(settings, parts, record, _shown(terminal), unfinished=unfinished, simulated=False) as table,
            Echo() as terminal_echo,
        ):
            table.conceal = terminal_echo.hide
            _play(table, request, parts.clock, settings.wires, _refusing(_shown(terminal), settings))


def _shown(terminal: Terminal) -> Callable[[str], None]:
    def say(line: str) -> None:
        for part in in_its_width(line):
            terminal.say(part)

    return say


def _refusing(say: Callable[[str], None], settings: RoomSettings) -> Callable[[str], None]:
    """Return a function that says in every language of the table why a line was not read."""
    from pi_app.text.language import words

    def refuse(reason: str) -> None:
        for language in settings.languages:
            say(words(language)(reason))

    return refuse


def _play(table: RoomTable, request: Request, clock: Clock, wires: Settings, refuse: Callable[[str], None]) -> None:
    """Play until the game is over, `quit` is typed, or a signal comes."""
    import queue
    import threading

    from pi_app.play.samples_csv import period_ns

    words: queue.SimpleQueue[str] = queue.SimpleQueue()
    stopped = threading.Event()
    request.calls(stopped.set)
    read_lines(words.put, refuse)
    while not table.moment.game.ended and not stopped.is_set():
        table.poll()
        if not table.waits and not words.empty() and ((line := words.get()).strip() or table.hides):
            if line.strip().casefold() == "quit" and not table.hides:
                return
            table.enter(line)
        table.rest_until(clock.now_ns() + period_ns(wires))


@rooms.command()
@settings_named("A rooms.toml of your own.")
@click.option(
    "--journal", type=click.Path(path_type=Path), help="Keep the journal in this file; without it, it is deleted."
)
@click.option("--resume", is_flag=True, help="Resume the unfinished game in --journal.")
@click.option(
    "--language",
    "languages",
    multiple=True,
    metavar="LANGUAGE",
    help="The language of the lines; repeat it to print every line in each language.",
)
@click.option("--seed", type=int, default=7, show_default=True, help="The same seed gives the same hands and magnets.")
@click.option("--auto", is_flag=True, help="Play the example automatically.")
def demo(
    settings_file: Path | None, journal: Path | None, resume: bool, languages: tuple[str, ...], seed: int, auto: bool
) -> None:
    """Play on a SIMULATED table: type commands for the table and for hands on the rooms; `help` lists them."""
    from pi_app.cli.hidden_line import Echo
    from pi_app.rooms.demo import EXAMPLE, RoomDemo
    from pi_app.rooms.settings import example as text
    from pi_app.rooms.settings import load, parse

    if resume and journal is None:
        raise click.UsageError("--resume needs --journal: the file of the game to resume.")
    settings = parse(text(), "the example") if settings_file is None else load(settings_file)
    check_languages(languages)
    if languages:
        settings = replace(settings, languages=tuple(dict.fromkeys(languages)))
    talks = not auto and is_terminal(sys.stdin)
    with (
        tempfile.TemporaryDirectory(prefix="trapdial-") as folder,
        RoomDemo(settings, journal or Path(folder) / "rooms.db", tell, seed=seed, resume=resume) as table,
        Echo() as terminal_echo,
    ):
        table.table.conceal = terminal_echo.hide
        if talks:
            echo("Type `help` for a list of commands.")
        for line in EXAMPLE if auto else _typed(talks, _refusing(tell, settings)):
            hidden = table.table.hides
            if line.strip().casefold() == "quit" and not hidden:
                return
            if line.strip() or hidden:
                if not talks:
                    echo("> (not shown)" if hidden else f"> {line.strip()}")
                table.enter(line)


def tell(line: str) -> None:
    """Print a line for everybody."""
    echo_lines(in_its_width(line))


def in_its_width(line: str) -> Sequence[str]:
    """Wrap a line to the width of the terminal, if standard output is one."""
    line = shown(line)
    if not is_terminal(sys.stdout):
        return (line,)
    width = shutil.get_terminal_size().columns
    return textwrap.wrap(line, width, subsequent_indent="    ", break_on_hyphens=False) or ("",)


def _typed(talks: bool, refuse: Callable[[str], None]) -> Iterator[str]:
    """Yield the lines that are typed; print why one was not read."""
    while True:
        if talks:
            prompt("> ")
        try:
            line = next_line()
        except RefusedLineError as reason:
            refuse(str(reason))
            continue
        if line is None:
            return
        yield line


@rooms.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="One JSON object per game.")
def audit(file: Path, as_json: bool) -> None:
    """Rebuild every game of rooms in a journal and print the findings.

    Exit code 0 if nothing was found, 1 if something was or the games cannot be rebuilt, 3 if a game has no end, 4 if
    the record is damaged; 2 for a file without a game of rooms.
    """
    from pi_app.cli.replay import proven
    from pi_app.journal import JournalFileError
    from pi_app.rooms.audit import NoRoomsError
    from pi_app.rooms.audit import audit as go_through
    from pi_app.rooms.report import correction_line, finding_line
    from pi_app.text.language import words

    code, found, english = proven(file, err=as_json), 0, words("en")
    try:
        games = go_through(file)
    except NoRoomsError:
        raise
    except JournalFileError as error:
        echo(str(error), err=True)
        sys.exit(code or exit_codes.FOUND)
    for one in games:
        game = one.moment.game
        found += len(game.findings)
        told = [finding_line(finding, game, english) for finding in game.findings]
        taken_back = [
            " ".join([f"{correction_line(each, english)}.", *(finding_line(f, game, english) for f in each.findings)])
            for each in game.corrections
        ]
        if as_json:
            facts = {"game": one.game_id, "entries": one.entries, "simulated": game.simulated, "ended": game.ended}
            points = {player.name: player.points for player in game.players.values()}
            echo_json(json.dumps(facts | {"findings": told, "taken_back": taken_back, "points": points}))
            continue
        mark = " on a SIMULATED table" if game.simulated else ""
        state = "ended" if game.ended else "without an end"
        findings = count_of(len(game.findings), "finding")
        echo(f"Game {one.game_id}: {count_entries(one.entries)}{mark}, {state}, {findings}.")
        if game.winner is not None:
            echo(f"{game.winner.name} won with {game.winner.points} victory points.")
        for line in (*taken_back, *told):
            echo(line)
    sys.exit(exit_codes.FOUND if found and code != exit_codes.DAMAGED else code)
