"""One table: what is known of it in sentences, its cosigned checkpoint, what contradicts it, and its games. Pure."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from pi_app.centre.findings.found import FleetFinding
from pi_app.centre.findings.tables import TableRow
from pi_app.centre.pages.overview import last_seen
from pi_app.centre.pages.rows import LEVEL_WORDS, capital, counted, hashed
from pi_app.centre.pages.shell import CentrePage, safe
from pi_app.centre.store.evidence_rows import ForkEvidence
from pi_app.centre.store.store import GameState, KeptGame, KeptRecord
from pi_app.journal.record.checkpoints import Checkpoint, cosigned_at, device_of, read_checkpoint
from pi_app.journal.record.handover import read_handover
from pi_app.journal.record.notes import VerifierKey, read_note
from pi_app.journal.record.verdict import fingerprint
from pi_app.journal.record.witness_protocol import read_request
from pi_app.journal.record.words import when

GAMES_AT_ONCE: Final = 100
MOST_EVIDENCE: Final = 5
"""The most pieces of evidence on a page, the newest first. Some have megabytes."""


@dataclass(frozen=True, slots=True)
class SentHead:
    """What contradicts the entries here: a piece of evidence without the entries that came with it. `is_whole`: the
    request of `sent_bytes` is kept as it came; `sent`: the checkpoint in it; None if it cannot be read."""

    at_s: int
    why: str
    address: str
    sent_bytes: int
    is_whole: bool
    sent: Checkpoint | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordShown:
    """One record of a table. `contradictions`: how many came, of which `evidence` has the newest that are kept;
    `roots`: the root over the entries here, at each size that some evidence is about."""

    record: KeptRecord
    evidence: Sequence[SentHead]
    contradictions: int
    roots: dict[int, bytes]
    games: Sequence[KeptGame]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSeen:
    """What the page of a table is made of. `records`: the newest first, at least one; `skip`: so many of the newest
    games are not shown."""

    row: TableRow
    findings: Sequence[FleetFinding]
    records: Sequence[RecordShown]
    skip: int = 0


def sent_head(found: ForkEvidence) -> SentHead:
    """Return what a piece of evidence says, without its entries."""
    return SentHead(
        at_s=found.at_s,
        why=found.why,
        address=found.address,
        sent_bytes=found.sent_bytes or len(found.body),
        is_whole=found.is_whole,
        sent=_checkpoint_in(found.body),
    )


def _checkpoint_in(body: bytes) -> Checkpoint | None:
    try:
        return read_checkpoint(read_handover(body).checkpoint.text)
    except ValueError:
        pass
    try:
        return read_checkpoint(read_request(body).note.text)
    except ValueError:
        return None


def table_page(seen: TableSeen, centre: VerifierKey, now_s: float) -> CentrePage:
    """Return the page of a table, at a centre with this key."""
    row = seen.row
    of = f'<span class="quiet"> · {safe(row.shop)}</span>' if row.shop else ""
    says = "".join(f"<li>{safe(capital(word))}</li>" for word in row.words)
    level = capital(LEVEL_WORDS[row.level])
    body = "\n".join(
        [
            f'<p class="asof"><a href="/">Every table</a></p>\n<h1>{safe(row.name)}{of}</h1>',
            '<div data-part="state">',
            f'<p class="level {row.level}"><i class="sign" aria-hidden="true"></i><strong>{level}</strong></p>\n'
            f'<ul class="list lead">{says}</ul>',
            *_findings(seen.findings),
            "</div>",
            *_evidence(seen),
            '<div data-part="record">',
            *_record(seen, centre, now_s),
            "</div>",
            '<div data-part="games">',
            *_games(seen),
            "</div>",
        ]
    )
    return CentrePage(row.name, body, fresh="table")


def _findings(found: Sequence[FleetFinding]) -> Iterable[str]:
    if not found:
        return
    yield '<h2>Findings</h2>\n<ul class="cards">'
    for each in found:
        words = capital(each.words.removeprefix(f"{each.table}: "))
        yield (
            f'<li class="{each.level}"><i class="sign" aria-hidden="true"></i><p class="says">'
            f'<span class="unseen">{capital(LEVEL_WORDS[each.level])}: </span>{safe(words)}</p></li>'
        )
    yield "</ul>"


# -------------------------------------------------------------------------------------------------------- evidence


def _evidence(seen: TableSeen) -> Iterable[str]:
    found = sorted(
        ((each, record) for record in seen.records for each in record.evidence), key=lambda both: -both[0].at_s
    )
    if not found:
        return
    yield '<section data-part="evidence">\n<h2>What contradicts this record</h2>'
    yield (
        '<p class="lead">The key of this table has signed entries that contradict those here. Its card may have been '
        "copied, or its record was changed. Keep both machines as they are, and compare them.</p>"
    )
    for each, record in found[:MOST_EVIDENCE]:
        yield _proof(each, record)
    count = sum(record.contradictions for record in seen.records)
    if count > (few := min(len(found), MOST_EVIDENCE)):
        yield f'<p class="quiet">{count:,} contradictions came. Of those that are kept, the newest {few} are shown.</p>'
    yield "</section>"


def _proof(each: SentHead, shown: RecordShown) -> str:
    sent = "<p>No checkpoint can be read in it.</p>" if each.sent is None else _head(each.sent.size, each.sent.root)
    kept = f"The request of {each.sent_bytes:,} bytes is kept as it came."
    if not each.is_whole:
        kept = f"Of the request of {each.sent_bytes:,} bytes, the checkpoint and the entry that differs are kept."
    return (
        f'<div class="proof"><p><strong>{safe(when(each.at_s))}, from {safe(each.address or "an unknown address")}.'
        f"</strong> {safe(each.why)} {kept}</p>\n"
        f'<div class="heads"><div><h3>Sent, and not taken</h3>{sent}</div>'
        f"<div><h3>Here</h3>{_own_head(each, shown)}</div></div></div>"
    )


def _own_head(each: SentHead, shown: RecordShown) -> str:
    if each.sent is not None and each.sent.size in shown.roots:
        return _head(each.sent.size, shown.roots[each.sent.size])
    return _head(shown.record.known.size, shown.record.known.root)


def _head(size: int, root: bytes) -> str:
    return (
        f"<p>{counted(size, 'entry', 'entries')}, and over them the root<br>"
        f'<span class="letters">{safe(base64.b64encode(root).decode())}</span></p>'
    )


# ------------------------------------------------------------------------------------------------ record and games


def _record(seen: TableSeen, centre: VerifierKey, now_s: float) -> Iterable[str]:
    row, newest = seen.row, seen.records[0].record
    facts = [
        ("Entries here", f"{newest.known.size:,}"),
        ("Last seen", last_seen(row, now_s)),
        ("Device", _device(newest)),
        ("Origin", f'<span class="letters">{safe(newest.origin)}</span>'),
    ]
    yield "<h2>Record</h2>"
    yield f'<dl class="facts">{"".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in facts if value)}</dl>'
    yield "<h2>Cosigned checkpoint</h2>"
    if newest.cosigned:
        yield from _checkpoint(newest, centre)
    else:
        yield '<p class="quiet">Nothing of this record is cosigned yet.</p>'
    if older := seen.records[1:]:
        yield '<h2>Older records of this table</h2>\n<ul class="list">'
        for each in older:
            count = counted(each.record.known.size, "entry", "entries")
            link = f'<a href="/{hashed(each.record.origin)}/checkpoint">checkpoint</a>' if each.record.cosigned else ""
            yield f"<li>{count}, device {_device(each.record)} {link}</li>"
        yield "</ul>"


def _device(record: KeptRecord) -> str:
    device = device_of(record.origin)
    return "" if device is None else f'<span class="letters">{safe(fingerprint(device))}</span>'


def _checkpoint(record: KeptRecord, centre: VerifierKey) -> Iterable[str]:
    note = read_note(record.cosigned.encode())
    time_s = cosigned_at(note, centre)
    count = counted(read_checkpoint(note.text).size, "entry", "entries")
    yield f"<p>This centre has cosigned {count}{'' if time_s is None else f' on {when(time_s)}'}.</p>"
    yield f"<pre>{safe_lines(record.cosigned)}</pre>"
    yield (
        f'<p class="quiet"><a href="/{hashed(record.origin)}/checkpoint">The same as a file</a>. With the table\'s '
        "journal, check it under the centre's key:</p>"
    )
    yield f"<pre>trapdial journal verify journal.db --witness-key {safe(centre.text())}</pre>"


def safe_lines(text: str) -> str:
    """Return several lines as HTML."""
    return "\n".join(map(safe, text.rstrip("\n").split("\n")))


STATE_WORDS: Final[dict[GameState, str]] = {
    GameState.ON: "not ended: its traps stay sealed",
    GameState.ENDED: "ended",
    GameState.DELETED: "deleted at the table",
}


def _games(seen: TableSeen) -> Iterable[str]:
    games = [(each.record, game) for each in seen.records for game in sorted(each.games, key=lambda game: -game.first)]
    yield f"<h2>{counted(len(games), 'game')}</h2>" if games else "<h2>Games</h2>"
    if not games:
        yield '<p class="quiet">No game has begun.</p>'
        return
    yield '<ul class="games">'
    until = seen.skip + GAMES_AT_ONCE
    yield from (_game(record, game) for record, game in games[seen.skip : until])
    yield "</ul>"
    if len(games) > until:
        yield f'<p><a class="button" href="/table/{hashed(seen.row.origin)}?skip={until}">Earlier games</a></p>'


def _game(record: KeptRecord, game: KeptGame) -> str:
    name = safe(game.game)
    link = f'<a href="/game/{hashed(record.origin)}/{quote(game.game, safe="")}">Game {name}</a>'
    entries = f"entries {game.first:,} to {game.last:,}" if game.last > game.first else f"from entry {game.first:,}"
    return (
        f"<li>{link if game.state is GameState.ENDED else f'<b>Game {name}</b>'} "
        f'<span class="quiet">{entries}, {STATE_WORDS[game.state]}</span></li>'
    )
