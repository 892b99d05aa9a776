"""`trapdial replay`: rebuild the games in a journal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.cli.journal import refuse_export
from pi_app.cli.options import old_output_option
from pi_app.cli.printing import echo
from pi_app.text import exit_codes
from pi_app.text.errors import UserFileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi_app.audit.looking_back import ShownScreen, View
    from pi_app.audit.values import FileAudit, GameAudit


@click.command()
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--lines", is_flag=True, help="Also print the log viewer's new lines at each entry.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per game.")
@click.option("--as", "viewer", metavar="VIEWER", help="Show what this viewer saw: public, referee, log, or a seat.")
@click.option(
    "--until", metavar="SEQ", help="With --as: at this entry instead of the last one; 2:15 in log 2 of an archive."
)
@old_output_option("--png", "png")
@click.option(
    "-o",
    "--output",
    "png",
    type=click.Path(path_type=Path),
    metavar="FILE.png",
    help="With --as a seat: write its screen as a picture of 128x64.",
)
@click.pass_context
def replay(
    context: click.Context,
    /,
    journal: Path,
    lines: bool,
    as_json: bool,
    viewer: str | None,
    until: str | None,
    png: Path | None,
) -> None:
    """Rebuild every game in JOURNAL and check that its reports are those that were recorded.

    Prints only what the log viewer may read, so you can use it while a game runs. With --as it shows what one viewer
    saw; a seat's screen only after the game has ended. Exit code 0 if all games were rebuilt, 1 if the record is sound
    and yet cannot be rebuilt, 3 if a game has no end, 4 if the record is damaged, 5 if records in an archive contradict
    each other; 2 for a file that is no journal, and for what --as cannot show.
    """
    if viewer is not None:
        if lines or as_json:
            seen = "cannot be combined with --as"
            raise UserFileError.at("--lines" if lines else "--json", "", seen, "Leave one of them out")
        if not viewer.removeprefix("seat ").strip():
            raise UserFileError.at("--as", "", "no viewer is named", "Name public, referee, log, or a seat such as ANN")
        context.exit(_look_back(journal, viewer, None if until is None else _number(until), png))
    if until is not None or png is not None:
        raise UserFileError.at("--until" if until else "--output", "", "no viewer is named", "Name one with --as")
    context.exit(_rebuild(journal, lines=lines, as_json=as_json))


def proven(journal: Path, *, err: bool) -> int:
    """Verify a journal, say where it is damaged, and return the exit code of its state. Raises UserFileError."""
    from pi_app.journal import LOG_STEP, contradictions, logs, named, verify

    refuse_export(journal)
    verdicts = {log: verify(journal, log=log) for log in logs(journal)}
    for log, verdict in verdicts.items():
        if verdict.damage is not None:
            place = f"Entry {named(log * LOG_STEP + verdict.damage.seq)}" if verdict.damage.seq else "The file"
            echo(f"{journal}: NOT PROVEN. {place} {verdict.damage.seen}.", err=err)
    codes = [int(verdict.state) for verdict in verdicts.values()]
    every = contradictions([(journal, log, verdict) for log, verdict in verdicts.items()])
    for sentence in dict.fromkeys(words for _, words in every):
        echo(f"{journal}: NOT PROVEN. {sentence}", err=err)
        codes.append(exit_codes.FORKED)
    return max(codes)


def _rebuild(journal: Path, *, lines: bool, as_json: bool) -> int:
    """Verify the record and rebuild its games; return the exit code."""
    from pi_app.audit.replay import NoGameError
    from pi_app.audit.replay import replay as rebuild
    from pi_app.audit.verdicts import counted_found
    from pi_app.game.events import AnyEvent
    from pi_app.journal import LOG_STEP, Entry, JournalFileError, named

    def heard(entry: Entry[AnyEvent], news: tuple[str, ...]) -> None:
        for line in news if lines else ():
            echo(f"{named(entry.seq):>5}  {line}")

    code = proven(journal, err=as_json)
    audits = _audits(journal)
    try:
        for game in rebuild(journal, heard if lines else None):
            file, audit = audits.get((game.first // LOG_STEP, game.game_id), (None, None))
            facts = {"game": game.game_id, "first": game.first, "last": game.last, "entries": game.entries}
            facts |= {"ended": game.ended, "same_reports": True, "proven": code < exit_codes.DAMAGED}
            facts |= {"findings": audit and len(audit.findings), "faults": audit and len(audit.faults)}
            found = None if file is None or audit is None else counted_found(file, audit)
            echo(json.dumps(facts) if as_json else game.sentence(found))
    except NoGameError as error:
        echo(str(error), err=True)
        return code if code >= exit_codes.DAMAGED else exit_codes.UNUSABLE
    except JournalFileError as error:
        echo(str(error), err=True)
        return code or exit_codes.FOUND
    return code


def _audits(journal: Path) -> dict[tuple[int, str], tuple[FileAudit, GameAudit]]:
    """Return the audit of each game, by its log and its id; none if the record cannot be audited."""
    from pi_app.audit.files import audit_files
    from pi_app.journal import JournalFileError, logs

    try:
        files = zip(logs(journal), audit_files([journal]), strict=True)
        return {(log, game.game): (file, game) for log, file in files for game in file.games}
    except JournalFileError:
        return {}


def _number(text: str) -> int:
    """Parse an entry's number as `journal.named` writes it."""
    from pi_app.journal import LOG_STEP

    log, colon, seq = text.rpartition(":")
    numbers = (log, seq) if colon else (seq,)
    if not all(n.isascii() and n.isdecimal() and n.strip("0") and len(n) <= 9 for n in numbers):
        raise UserFileError.at(
            "--until", text[:24], "is not the number of an entry", "Write 15, or 2:15 in log 2 of an archive"
        )
    return int(log or "0") * LOG_STEP + int(seq)


def _look_back(journal: Path, viewer: str, until: int | None, png: Path | None) -> int:
    """Verify the record and show what a viewer saw; return the exit code."""
    from pi_app.audit.looking_back import seen
    from pi_app.journal import named

    code = proven(journal, err=True)
    found = seen(journal, viewer, until)
    if png is not None and found.screen is None:
        raise UserFileError.at("--output", viewer, "has no screen", "Name a seat with --as")
    echo(f"{found.report.viewer} at entry {named(found.entry)} of game {found.game_id}:")
    for line in found.report.lines.values():
        if line:
            echo(f"  {line}")
    if found.screen is not None:
        for line in _screen(found, found.screen, png):
            echo(line)
    return code


def _screen(found: View, screen: ShownScreen, png: Path | None) -> Iterator[str]:
    """Return lines with the screen as the demo draws it, its text, and the lamp's code."""
    from pi_app.audit.looking_back import UNKNOWN
    from pi_app.displays import canvas, picture
    from pi_app.displays.describe import describe
    from pi_app.displays.seat import code_word
    from pi_app.journal import named
    from pi_app.report import lamp_code
    from pi_app.simulated.live.cells import boxed_screen
    from pi_app.text.language import words as words_of

    words = words_of(found.language)
    frame = picture.draw(screen.picture, words)
    yield from boxed_screen(frame)
    yield f"screen: {describe(screen.picture, words)}"
    word = code_word(screen.picture)
    code = lamp_code.card_code(found.lamp)
    if word is None:
        yield "lamp: dark"
    else:
        rhythm = "another pattern at each look" if code is None else lamp_code.signs(code[word])
        yield f"lamp: {rhythm} ({words(lamp_code.spoken(word))})"
    if screen.entry is None:
        yield "No earlier entry in the record put anything on this screen."
    else:
        when = "before the machine was restarted" if screen.ago_ns is None else f"{screen.ago_ns / 1e9:.1f} s before"
        yield f"Put there by entry {named(screen.entry)}, {when}."
    yield UNKNOWN
    if png is not None:
        from pi_app.cli.whole_file import write_whole_bytes

        write_whole_bytes(png, picture.png(frame))
        yield f"{png}: the screen, {canvas.WIDTH}x{canvas.HEIGHT}."
