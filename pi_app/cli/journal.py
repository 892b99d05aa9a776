"""`trapdial journal`: hand the record to witnesses, and check it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pi_app.errors import UserFileError

if TYPE_CHECKING:
    from pi_app.record.heads import Head


@click.group()
def journal() -> None:
    """Hand the record of a game to witnesses, and check it."""


@journal.command()
@click.argument("file", type=click.Path(path_type=Path), default=Path("journal.db"))
@click.option("--no-qr", is_flag=True, help="Only the text.")
def head(file: Path, no_qr: bool) -> None:
    """Print the head of FILE (journal.db if left out) as text and as a QR code.

    Whoever keeps it, on paper or in a photo, is a witness: `trapdial journal verify --witness` shows later whether
    anything up to that entry was changed. It tells nothing of what any dial shows.
    """
    from pi_app.journal import head as head_of
    from pi_app.record.verify import fingerprint

    found = head_of(file)
    click.echo(f"{file}: {found.size} entries, device {fingerprint(found.device)}")
    click.echo(found.text())
    if not no_qr:
        import segno

        segno.make_qr(found.text().replace(" ", ""), error="m").terminal(compact=True)


@journal.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option(
    "--witness", "texts", metavar="HEAD", multiple=True, help="A head that somebody kept, or a file with one; again."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per file.")
@click.pass_context
def verify(context: click.Context, files: tuple[Path, ...], texts: tuple[str, ...], as_json: bool) -> None:
    """Say of each of FILES what it proves and what it does not. Changes nothing, and tells no secret of a running game.

    Exit code 0 if all are whole, 3 if a game has no end, 4 if one is damaged, 5 if one is not what a witness saw; the
    worst counts. 2 for a file that is no journal.
    """
    from pi_app.journal import verify as verdict_on
    from pi_app.record.words import sentences

    heads = [_read(text) for text in texts]
    worst = 0
    for file in files:
        verdict = verdict_on(file, [head for head in heads if len(files) == 1 or _is_of(file, head.device)])
        worst = max(worst, int(verdict.state))
        if as_json:
            facts = {"file": str(file), "state": verdict.state.name.lower(), "entries": verdict.size}
            damage = None if verdict.damage is None else {"entry": verdict.damage.seq, "seen": verdict.damage.seen}
            facts |= {"damage": damage, "against": verdict.against, "good_until": verdict.good_until}
            click.echo(json.dumps(facts))
            continue
        for sentence in sentences(str(file), verdict):
            click.echo(sentence)
    context.exit(worst)


def _is_of(file: Path, device: bytes) -> bool:
    """Which of several files a head belongs to."""
    from pi_app.journal import verify as verdict_on

    return verdict_on(file).device == device


def _read(text: str) -> Head:
    from pi_app.record.heads import read_head

    path = Path(text) if len(text) < 200 else None
    try:
        if path is not None and path.is_file():
            text = path.read_text(encoding="utf-8")
        return read_head(text)
    except (OSError, ValueError) as error:
        raise UserFileError.at("--witness", text[:24], str(error), "Take it from `trapdial journal head`") from error
