"""The head of an audit's page: verdict, seal, players and date; at the page's end the identity of its record. Pure."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from pi_app.audit.forms import Made
from pi_app.audit.page_tables import cell_table
from pi_app.audit.values import FileAudit, GameAudit, RecordSeen, State, Verdict, clock_text
from pi_app.audit.verdicts import VERDICT_WORDS, counted_found, not_proven, over_all

MOST_GAMES: Final = 4
"""Up to this many games of a file are in its head; the others stand below it."""

CLASSES: Final[dict[Verdict, str]] = {
    "not proven": "unproven",
    "fail": "fail",
    "pass": "pass",
    "not turned": "still",
}

_SEALS: Final[dict[State, str]] = {
    "whole": "\N{CHECK MARK} WHOLE",
    "interrupted": "\N{HORIZONTAL ELLIPSIS} INTERRUPTED",
    "damaged": "\N{BALLOT X} DAMAGED",
    "forked": "\N{BALLOT X} FORKED",
}


def overview(files: Sequence[FileAudit]) -> Iterator[str]:
    """Yield what stands above several files: the worst verdict, and a row for each file."""
    worst = over_all(files)
    yield f'<p class="verdict {CLASSES[worst]}"><strong>{VERDICT_WORDS[worst]}</strong> {len(files)} files.</p>'
    rows = []
    for number, file in enumerate(files, 1):
        days = sorted({game.began[:10] for game in file.games})
        dates = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}" if days else ""
        players = dict.fromkeys(name for game in file.games for name in game.seats.values())
        name = f'<a href="#file{number}">{escape(file.file)}</a>'
        rows.append([name, VERDICT_WORDS[file.verdict], _SEALS[file.state], escape(dates), escape(", ".join(players))])
    yield cell_table(("file", "verdict", "record", "date", "players"), rows, kind="lines")


def head(file: FileAudit, *, qr: bool) -> Iterator[str]:
    """Yield the head of one file: verdict, seal, players and date of its games; `qr`: also the record's head as a QR
    code."""
    yield '<div class="head">'
    yield '<div class="facts">'
    yield _verdict(file)
    if (why := not_proven(file)) is not None:
        yield f'<p class="banner"><strong>NOT PROVEN: {escape(file.file)}.</strong> {escape(why)}</p>'
    yield _seal(file)
    facts = [fact for game in file.games[:MOST_GAMES] for fact in _game(game, alone=len(file.games) == 1)]
    if more := len(file.games) - MOST_GAMES:
        facts += [("more", f"{more} {'game' if more == 1 else 'games'} below")] if more > 0 else []
    yield "<dl>" + "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts) + "</dl>"
    yield "</div>"
    if qr and file.record is not None and file.record.head is not None:
        yield _qr(file.record.head)
    yield "</div>"


def _verdict(file: FileAudit) -> str:
    so_far = " so far" if file.verdict == "pass" and any(game.sealed for game in file.games) else ""
    counted = counted_found(file, *file.games)
    words = f"<strong>{VERDICT_WORDS[file.verdict]}{so_far}</strong> {counted[0].upper()}{counted[1:]}."
    return f'<p class="verdict {CLASSES[file.verdict]}">{words}</p>'


def _seal(file: FileAudit) -> str:
    entries = f"{file.entries} {'entry' if file.entries == 1 else 'entries'}"
    signed = ""
    if file.record is not None and file.record.device is not None:
        by = "signed by the device" if file.record.head is not None else "by the device"
        signed = f", {by} {_letters(file.record.device)}"
    return f'<p class="seal {file.state}"><strong>{_SEALS[file.state]}</strong> {entries}{signed}</p>'


def _game(game: GameAudit, *, alone: bool) -> Iterator[tuple[str, str]]:
    """Yield who played a game and when; of several games in one line."""
    when = f"{game.began[:16].replace('T', ' ')} UTC, {clock_text(game.length_s)} long"
    where = f", {game.table_name}" if game.table_name else ""
    mark = ". SIMULATED: no real dial was read" if game.simulated else ""
    players = "sealed until the game ends" if game.sealed else ", ".join(game.seats.values())
    if alone:
        yield "players", players
        yield "played", f"{when}{where}{mark}"
    else:
        yield "game", f"{when}{where}: {players}{mark}"


def identity(file: FileAudit, record: RecordSeen, made: Made | None) -> Iterator[str]:
    """Yield a section with the identity of a record: file, device, witnesses, verification, head."""
    facts = [("file", escape(file.file)), ("SHA-256 of the file", _letters(record.sha256))]
    if record.device is not None:
        facts.append(("device", _letters(record.device)))
    facts.append(("witnesses", escape(_witnesses(file, record))))
    facts.append(("verification", "<br>".join(map(escape, record.verification))))
    if record.head is not None:
        facts.append(("head, for a witness to keep", _letters(record.head)))
    if made is not None:
        facts.append(("audited by", escape(f"{made.program}, {made.date}")))
    yield '<section class="small">'
    yield f"<h3>The record {escape(file.file)}</h3>"
    yield '<dl class="record">' + "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts) + "</dl>"
    yield "</section>"


def _letters(text: str) -> str:
    return f'<span class="letters">{escape(text)}</span>'


def _witnesses(file: FileAudit, record: RecordSeen) -> str:
    if not record.witnesses:
        return "none was named"
    named = f"{record.witnesses} {'head' if record.witnesses == 1 else 'heads'} compared"
    if file.against:
        return f"{named}; {len(file.against)} did not fit"
    return f"{named}; they fit up to entry {record.witnessed_until}"


def _qr(head: str) -> str:
    import segno

    svg = io.BytesIO()
    code = segno.make_qr(head.replace(" ", ""), error="m")
    code.save(svg, kind="svg", xmldecl=False, svgns=False, omitsize=True, border=4, title="The head as a QR code")
    return svg.getvalue().decode().strip()
