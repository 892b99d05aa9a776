"""`trapdial journal`: print the record's head for witnesses, and verify, export, hand over, merge or delete games."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pi_app.cli.asking import confirmed
from pi_app.cli.groups import CommandGroup
from pi_app.cli.journal_hand_over import enrol, hand_over
from pi_app.cli.journal_keys import keys
from pi_app.cli.journal_witness import witness
from pi_app.cli.options import witness_option
from pi_app.cli.printing import echo, echo_json, echo_lines
from pi_app.cli.progress import shown_progress
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_entries
from pi_app.text.plain_file import NotPlainError
from pi_app.text.printed import shown_json

if TYPE_CHECKING:
    from pi_app.journal.cosigned import Vouched
    from pi_app.journal.record.heads import Head
    from pi_app.journal.record.notes import SignedNote, VerifierKey
    from pi_app.journal.record.verdict import RecordVerdict
    from pi_app.text.progress import Progress


@click.group(cls=CommandGroup)
def journal() -> None:
    """Verify the record of games, print its head for witnesses, export it, merge several, delete a game."""


journal.add_command(keys)
journal.add_command(witness)
journal.add_command(hand_over)
journal.add_command(enrol)


@journal.command()
@click.argument("file", type=click.Path(path_type=Path), default=Path("journal.db"))
@click.option("--no-qr", is_flag=True, help="Print only the text.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per record.")
@click.option("--checkpoint", is_flag=True, help="Print it as a checkpoint of C2SP, for witnesses of other programs.")
def head(file: Path, no_qr: bool, as_json: bool, checkpoint: bool) -> None:
    """Print the head of FILE (journal.db if left out) as text and as a QR code.

    A person who keeps it, on paper or in a photo, is a witness: `trapdial journal verify --witness` shows later whether
    anything up to that entry was changed. It reveals nothing about the game.
    """
    from pi_app.journal import head as head_of
    from pi_app.journal import logs
    from pi_app.journal.record.verdict import fingerprint

    if checkpoint:
        echo_lines(_checkpoint(file).written().splitlines())
        return
    for log in logs(file):
        with shown_progress() as progress:
            found = head_of(file, log, progress)
        if as_json:
            facts = {"file": _named(file, log), "entries": found.size, "device": found.device.hex()}
            echo_json(json.dumps(facts | {"head": found.text()}))
            continue
        echo(f"{_named(file, log)}: {count_entries(found.size)}, device {fingerprint(found.device)}")
        echo(found.text())
        if not no_qr:
            from pi_app.cli.qr_code import qr_code

            echo_lines(qr_code(found.text()))


@journal.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@witness_option
@click.option(
    "--witness-key",
    "vkeys",
    metavar="KEY",
    multiple=True,
    help="The key of a witness: what it has cosigned of the record is compared; repeat for more.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object per record.")
@click.pass_context
def verify(
    context: click.Context, files: tuple[Path, ...], texts: tuple[str, ...], vkeys: tuple[str, ...], as_json: bool
) -> None:
    """Print what each of FILES proves and what it does not. Changes nothing and reveals no secret of a running game.

    Witnesses that are pinned for a journal (`trapdial journal witness`) are named with the time that each vouches for.

    Exit code 0 if all are whole, 3 if a game has no end, 4 if one is damaged or cut off, 5 if one is not what a witness
    saw or what another one says; the worst counts. 2 for a file that is not a journal.
    """
    from pi_app.journal.record.succession import contradictions
    from pi_app.journal.record.verdict import RecordState, fingerprint
    from pi_app.journal.record.witnesses import strangers, witnesses_of
    from pi_app.journal.record.words import sentences, when

    heads, keys_given = read_witnesses(texts), _cosigner_keys(vkeys)
    records = [record for file in files for record in _records(file)]
    several = len(records) > 1 and bool(heads)
    with shown_progress() as progress:
        devices = [check((), progress).device for _, check in records] if several else []
        among = frozenset(devices)
    worst = 0
    verdicts: list[tuple[str, RecordVerdict]] = []
    for number, (name, check) in enumerate(records):
        mine = witnesses_of(devices[number], among, heads) if several else heads
        vouched, left_behind = _vouched(name, keys_given)
        with shown_progress() as progress:
            verdict = check([*mine, *(each.head for each in vouched)], progress)
        worst = max(worst, int(verdict.state))
        verdicts.append((name, verdict))
        if as_json:
            facts = {"file": name, "state": verdict.state.name.lower(), "entries": verdict.size}
            damage = None if verdict.damage is None else {"entry": verdict.damage.seq, "seen": verdict.damage.seen}
            facts |= {
                "missing": verdict.missing,
                "damage": damage,
                "against": verdict.against,
                "good_until": verdict.good_until,
            }
            facts |= {} if verdict.exported is None else {"exported": verdict.exported, "continues": verdict.continues}
            said = [{"name": each.witness, "entries": each.head.size, "time": when(each.time_s)} for each in vouched]
            echo_json(json.dumps(facts | {"witnesses": said}))
            continue
        for sentence in sentences(name, verdict):
            echo(sentence)
        for each in vouched:
            echo(f"{each.witness} saw {count_entries(each.head.size)} on {when(each.time_s)}.")
        for each in left_behind:
            echo(_LEFT_BEHIND.format(file=name, name=each.witness, device=fingerprint(each.head.device)))
    for head in strangers(among, heads) if several else ():
        worst = RecordState.FORKED
        echo(f"A witness saw {count_entries(head.size)} of a device that has no record here.", err=as_json)
    for sentence in dict.fromkeys(words for _, words in contradictions(verdicts, partial(_against, records))):
        worst = RecordState.FORKED
        echo(sentence, err=as_json)
    context.exit(int(worst))


def _checkpoint(file: Path) -> SignedNote:
    """Return a checkpoint over all entries of a journal, signed with its key. Raises JournalFileError."""
    from pi_app.journal import JournalFileError, logs
    from pi_app.journal import head as head_of
    from pi_app.play.open_sender import seed_of
    from pi_app.sender.records import outbox_of

    if 0 in logs(file):  # raises for a file that is no journal
        head_of(file)  # and this for one that is damaged or cut off: a signed checkpoint speaks for its entries
    outbox = outbox_of(file, seed_of(file))
    found = None if outbox is None else outbox.consistency(0, outbox.last())
    if found is None:
        seen = "has no entry, or its key is not here: a checkpoint is signed with the table's own key"
        raise JournalFileError.of(file, "file", seen, "Name the journal where it is written, with its keys beside it")
    return found[0]


Verifier = Callable[[Sequence["Head"], "Progress"], "RecordVerdict"]


def _cosigner_keys(vkeys: Sequence[str]) -> list[VerifierKey]:
    """Read the keys of witnesses. Raises UserFileError."""
    from pi_app.journal.cosigned import cosigner_key

    try:
        return [cosigner_key(vkey) for vkey in vkeys]
    except ValueError as error:
        mend = "Copy it once more from where its owner publishes it"
        raise UserFileError.at("--witness-key", "", str(error), mend) from error


_LEFT_BEHIND: Final = (
    "{file}.cosigned: what {name} has cosigned there is of another record, of the device {device}, and says nothing of "
    "this one. If you began a new record here, put it beside the older one; if not, this record is not yours."
)


def _vouched(name: str, keys_given: Sequence[VerifierKey]) -> tuple[list[Vouched], list[Vouched]]:
    """Return what witnesses have cosigned of the journal with this name, pinned ones and those of these keys; and what
    they have cosigned of another record, if that lies beside this one."""
    from pi_app.journal.cosigned import cosigned, of_record, pinned, vouched_for
    from pi_app.journal.rows import device_in

    path = Path(name)
    notes = cosigned(path)
    if not notes:
        return [], []
    mine = of_record(notes, device_in(path))
    known = dict.fromkeys([*(each.verifier for each in pinned(path)), *keys_given])
    left_behind = [each for each in notes if each not in mine]
    return list(vouched_for(mine, list(known))), list(vouched_for(left_behind, list(known)))


def _against(records: Sequence[tuple[str, Verifier]], place: int, head: Head) -> Sequence[str]:
    """Return what speaks against a record if its device has handed out this head."""
    with shown_progress() as progress:
        return records[place][1]((head,), progress).against


def _records(file: Path) -> Iterator[tuple[str, Verifier]]:
    """Yield the name of every record in a file, and a function that verifies it against witnesses."""
    from pi_app import journal as jn
    from pi_app.journal import archive

    if archive.is_export(file):
        with shown_progress() as progress:
            progress(f"{file.name}: checking proofs")
            found = archive.verify_exported(file)
        for number, verdict in enumerate(found, 1):
            yield _named(file, number if len(found) > 1 else 0), partial(_exported, verdict)
        return
    for log in jn.logs(file):
        yield _named(file, log), partial(_recorded, file, log)


def _recorded(file: Path, log: int, heads: Sequence[Head], progress: Progress) -> RecordVerdict:
    from pi_app.journal import verify as verdict_on

    return verdict_on(file, heads, log, progress=progress)


def _exported(verdict: RecordVerdict, heads: Sequence[Head], progress: Progress) -> RecordVerdict:
    from pi_app.journal.record.export import compared

    return compared(verdict, heads)


def _named(file: Path, log: int) -> str:
    return f"{file} (log {log})" if log else str(file)


@journal.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--game", "games", metavar="ID", multiple=True, help="Only this game; repeat for more.")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, allow_dash=True), default=Path("-"), help="A file; - to print."
)
@click.option(
    "--witness",
    "texts",
    metavar="HEAD",
    multiple=True,
    help="A head that a witness kept, or a file with some: the export then proves that it continues them; repeatable.",
)
@click.option(
    "--for-centre", is_flag=True, help="Add what `trapdial centre take` needs: the whole record, for a USB stick."
)
def export(file: Path, games: tuple[str, ...], output: Path, texts: tuple[str, ...], for_centre: bool) -> None:
    """Write the entries of FILE as JSON lines, each with the proof that it belongs to the record with the signed head.

    Sealed halves stay sealed until the game has ended. `trapdial journal verify` also reads such a file.
    """
    if games and for_centre:
        raise click.UsageError("--game cannot be used with --for-centre: a centre takes a whole record.")
    import io

    from pi_app.cli.whole_file import write_whole
    from pi_app.journal.archive import export as write

    lines = io.BytesIO()
    with shown_progress() as progress:
        count = write(file, lines, games, read_witnesses(texts), progress, for_centre=for_centre)
    text = shown_json(lines.getvalue().decode())
    if str(output) == "-":
        echo_json(text)
        return
    write_whole(output, text)
    echo(f"{output}: {count_entries(count)}, each with its proof.")


@journal.command()
@click.argument("files", type=click.Path(path_type=Path), nargs=-1, required=True)
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="The archive, a new file.")
def merge(files: tuple[Path, ...], output: Path) -> None:
    """Copy the records in FILES into one archive, unchanged. Of two copies of one record the longer is kept; if the
    copies differ, nothing is written.
    """
    from pi_app.journal.archive import merge as merge_into

    with shown_progress() as progress:
        names = merge_into(files, output, progress)
    for number, name in enumerate(names, 1):
        echo(f"{output} (log {number}): {name}")


@journal.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("game")
@click.option("--keys", type=click.Path(path_type=Path), help="The folder with the keys of the device that wrote it.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete(file: Path, game: str, keys: Path | None, yes: bool) -> None:
    """Delete GAME from FILE for good, and add an entry that records it. It cannot be undone.

    Copies of FILE elsewhere, exports and backups are not changed.
    """
    from pi_app.journal.archive import delete as take_out
    from pi_app.journal.archive import find

    found = find(file, game)
    if not found.done and not yes:
        question = f"{file}: delete game {game} (entries {found.game.first} to {found.game.last}) for good?"
        if not confirmed(question, default=False):
            raise click.Abort
    found = take_out(file, game, keys)
    if found.done:
        echo(f"{file}: game {game} was deleted before; the rest of its data has been erased.")
    else:
        echo(f"{file}: game {game} was deleted. Its hashes are still there, and an entry records the deletion.")


def read_witnesses(texts: Sequence[str]) -> list[Head]:
    """Read the witnesses' heads that a command line names: heads as text, or files with some. Raises UserFileError."""
    from pi_app.journal.record.limits import MOST_WITNESSES

    advice = "Use several commands"
    if len(texts) > MOST_WITNESSES:
        seen = f"it is given {len(texts):,} times, and {MOST_WITNESSES:,} heads are compared at most"
        raise UserFileError.at("--witness", "", seen, advice)
    heads = list(dict.fromkeys(head for text in texts for head in _read_witness(text)))
    if len(heads) > MOST_WITNESSES:
        seen = f"there are {len(heads):,} heads, and {MOST_WITNESSES:,} are compared at most"
        raise UserFileError.at("--witness", "", seen, advice)
    return heads


def _read_witness(text: str) -> list[Head]:
    """Read a witness's head, or a file with one or more, such as a phone's. Raises UserFileError."""
    from pi_app.journal.record.heads import MARK, read_heads
    from pi_app.journal.record.limits import LARGEST_HEADS
    from pi_app.text.plain_file import read_plain

    name, path = text, Path(text)
    try:
        if not text.lstrip().upper().startswith(MARK):
            text = read_plain(path, LARGEST_HEADS).decode("utf-8-sig")
        return read_heads(text)
    except (OSError, ValueError) as error:
        seen = f"it is {error}" if isinstance(error, NotPlainError) else str(error)
        if isinstance(error, OSError) and error.errno is not None:
            seen = f"no file of this name can be read ({error.strerror}), and a head begins with {MARK}"
        advice = "Take it from `trapdial journal head`, or from a phone that played"
        raise UserFileError.at("--witness", name[:24], seen, advice) from error


def refuse_export(file: Path) -> None:
    """Raise UserFileError for an export, which only `verify` reads."""
    from pi_app.journal.archive import is_export

    if is_export(file):
        seen = "is an export, which holds proofs and no journal"
        advice = "Name the journal that it was made from; `trapdial journal verify` verifies the export"
        raise UserFileError.at(str(file), "", seen, advice)
