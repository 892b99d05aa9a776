"""One table of verdicts for both verifiers: every kind of record, alone, with witnesses and beside others, gets the
same exit code and the same place of the damage from the product and from the verifier that knows the page alone.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec
import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.journal.archive import delete, merge
from pi_app.journal.past import past_logs
from pi_app.journal.record.checkpoints import signed_checkpoint
from pi_app.journal.record.entry import Continues, PublicPart, SealedPart
from pi_app.journal.record.heads import Head, head_in
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import root_of
from pi_app.journal.record.notes import read_note
from pi_app.journal.record.succession import vouched
from tests.pi_app.journal.keeping import EVENTS, WHOLE, forget_head, open_journal, write
from tests.pi_app.journal.record.attacking import Record, rewritten
from tests.pi_app.journal.record.forging import edit, key_of, rows
from wiring_docs.journal_verifier import judge_file
from wiring_docs.journal_verifier import main as second

PAGE: Final = Path(__file__).resolve().parents[2] / "wiring_docs" / "journal_format.md"
OTHER: Final = device_key(b"o" * 32)


STATES: Final = {0: ("WHOLE",), 3: ("INTERRUPTED",), 4: ("DAMAGED", "CUT OFF"), 5: ("FORKED",)}
"""How each code is called; the second word is the first verifier's alone."""


class Kind(NamedTuple):
    """Files, the heads of witnesses, the exit code, and the damaged entry of the first file; None if it has none."""

    files: list[Path]
    heads: list[Head]
    code: int
    damaged: int | None = None


def whole(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    return Kind([path], [], 0)


def witnessed(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    return Kind([path], [jn.head(path)], 0)


def witnessed_by_a_checkpoint(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    head = jn.head(path)
    note = signed_checkpoint(jn.keys_of(path).device(), head.size, head.root)
    return Kind([path], [head_in(read_note(note.written().encode()))], 0)


def witnessed_before_there_was_an_entry(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    return Kind([path], [Head.made(jn.keys_of(path).device(), 0, root_of([]))], 0)


def interrupted(path: Path) -> Kind:
    write(path, EVENTS, "g1")
    return Kind([path], [], 3)


def deleted(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    delete(path, "g1")
    return Kind([path], [], 0)


def changed(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    edit(path, "UPDATE entries SET sealed = zeroblob(1) WHERE seq = 4")
    return Kind([path], [], 4, 4)


def changed_and_witnessed(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    head = jn.head(path)
    edit(path, "UPDATE entries SET sealed = zeroblob(1) WHERE seq = 4")
    return Kind([path], [head], 4, 4)


def rewritten_after_a_witness(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    head = Head.made(jn.keys_of(path).device(), len(WHOLE), bytes(32))
    return Kind([path], [head], 5)


def shorter_than_witnessed(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    return Kind([path], [Head.made(jn.keys_of(path).device(), 99, bytes(32))], 5)


def of_another_device(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    return Kind([path], [Head.made(OTHER, 3, bytes(32))], 5)


def empty(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    forget_head(path)
    edit(path, "DELETE FROM entries")
    return Kind([path], [], 4, 0)


def empty_and_witnessed(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    head = jn.head(path)
    return Kind(empty(path).files, [head], 5, 0)


def empty_and_witnessed_as_that(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    head = Head.made(jn.keys_of(path).device(), 0, root_of([]))
    return Kind(empty(path).files, [head], 4, 0)


def an_empty_archive(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    merge([path], path.with_name("archive.db"))
    edit(path.with_name("archive.db"), "DELETE FROM entries")
    return Kind([path.with_name("archive.db")], [], 4, jn.LOG_STEP)


def an_empty_archive_and_a_witness(path: Path) -> Kind:
    (archive,), _, _, damaged = an_empty_archive(path)
    return Kind([archive], [jn.head(path)], 5, damaged)


def put_back(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    shutil.copy(path, path.with_name("older"))
    write(path, WHOLE, "g2")
    shutil.copy(path.with_name("older"), path)
    return Kind([path], [], 4, len(WHOLE) + 1)


def put_back_and_witnessed(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    shutil.copy(path, path.with_name("older"))
    write(path, WHOLE, "g2")
    head = jn.head(path)
    shutil.copy(path.with_name("older"), path)
    return Kind([path], [head], 5, len(WHOLE) + 1)


def cut_short(path: Path) -> Kind:
    for game in ("g1", "g2", "g3"):
        write(path, WHOLE, game)
    os.truncate(path, path.stat().st_size - 4096)
    damage = jn.verify(path).damage
    assert damage is not None
    return Kind([path], [], 4, damage.seq)


def followed_by_zeros(path: Path) -> Kind:
    write(path, WHOLE, "g1")
    os.truncate(path, path.stat().st_size + 1)
    return Kind([path], [], 2)


def no_journal(path: Path) -> Kind:
    path.write_text("# notes\n")
    return Kind([path], [], 2)


def closed(path: Path) -> tuple[Path, Path]:
    """A record that was closed, and the one that continues it."""
    write(path, WHOLE, "g1")
    with open_journal(path) as journal:
        assert journal.begin_new_log()
    write(path, WHOLE, "g2")
    (older,) = past_logs(path)
    return older, path


def continued(path: Path) -> Kind:
    return Kind(list(closed(path)), [], 0)


def continued_and_pruned(path: Path) -> Kind:
    older, newer = closed(path)
    delete(older, "g1")
    return Kind([older, newer], [], 0)


def continued_and_going_on(path: Path) -> Kind:
    older, newer = closed(path)
    write(older, WHOLE, "g3")
    return Kind([older, newer], [], 5)


def continued_and_cut_off(path: Path) -> Kind:
    write(path, EVENTS, "g1")
    shutil.copy(path, path.with_name("older.db"))
    with open_journal(path) as journal:
        game, moment = journal.unfinished() or ("", None)
        assert moment is not None
        journal.append(game, moment, WHOLE[-1])
        assert journal.begin_new_log()
    write(path, WHOLE, "g2")
    return Kind([path.with_name("older.db"), path], [], 5)


def says_that_it_continues(path: Path, said: Continues, seq: int) -> None:
    """Let an entry of a record of two games say so, bound and signed again with the stolen key."""
    write(path, WHOLE, "g1")
    write(path, WHOLE, "g2")
    keys = {game: key_of(path, game) for game in ("g1", "g2")}
    record = Record(tuple(rows(path)), jn.keys_of(path).device(), keys, frozenset(keys))

    def say(part: PublicPart, hidden: SealedPart) -> tuple[PublicPart, SealedPart]:
        return msgspec.structs.replace(part, continues=said), hidden

    changed = rewritten(record, seq, {seq: say})
    forget_head(path)
    edit(path, "DELETE FROM entries")
    for row in changed:
        edit(path, "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", *row)


def continues_wrongly(said: Callable[[bytes], Continues], seq: int) -> Callable[[Path], Kind]:
    def make(path: Path) -> Kind:
        device = jn.keys_of(path).device().public
        says_that_it_continues(path, said(device), seq)
        return Kind([path], [], 4, seq)

    return make


OLDER: Final = Head.made(OTHER, 7, bytes(32))


def rightly(device: bytes) -> Continues:
    return vouched(OTHER, OLDER, device)


def continues_rightly(path: Path) -> Kind:
    says_that_it_continues(path, rightly(jn.keys_of(path).device().public), 1)
    return Kind([path], [], 0)


KINDS: Final[tuple[Callable[[Path], Kind], ...]] = (
    whole, witnessed, witnessed_by_a_checkpoint, witnessed_before_there_was_an_entry, interrupted, deleted, changed,
    changed_and_witnessed, rewritten_after_a_witness, shorter_than_witnessed, of_another_device, empty,
    empty_and_witnessed, empty_and_witnessed_as_that, an_empty_archive, an_empty_archive_and_a_witness, put_back,
    put_back_and_witnessed, cut_short, followed_by_zeros, no_journal, continued, continued_and_pruned,
    continued_and_going_on, continued_and_cut_off, continues_rightly,
)  # fmt: skip

WRONG: Final[dict[str, Callable[[Path], Kind]]] = {
    "in the second game": continues_wrongly(rightly, len(WHOLE) + 1),
    "in another kind of entry": continues_wrongly(rightly, 4),
    "of another device": continues_wrongly(lambda _: vouched(OTHER, OLDER, OTHER.public), 1),
    "without a signature": continues_wrongly(lambda _: Continues(head=OLDER.text(), by=""), 1),
    "in capital letters": continues_wrongly(
        lambda device: Continues(head=OLDER.text(), by=rightly(device).by.upper()), 1
    ),
    "no head": continues_wrongly(lambda device: Continues(head="TRAPDIAL1", by=rightly(device).by), 1),
    "of a head that was made up": continues_wrongly(
        lambda device: vouched(OTHER, Head(OTHER.public, 7, bytes(32), bytes(64)), device), 1
    ),
}


@pytest.mark.parametrize("make", [*KINDS, *WRONG.values()], ids=[*(make.__name__ for make in KINDS), *WRONG])
def test_both_give_the_same_code_and_place(
    make: Callable[[Path], Kind], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, heads, code, damaged = make(tmp_path / "journal.db")
    texts = [head.text() for head in heads]
    ran = CliRunner().invoke(
        main, ["journal", "verify", *map(str, files), *(word for text in texts for word in ("--witness", text))]
    )
    assert ran.exit_code == code, ran.output
    assert second([*map(str, files), *texts]) == code
    lines = capsys.readouterr().out.splitlines()
    if code == 2:
        return
    if len(files) == 1:
        assert ran.output.split(": ", 1)[1].startswith(STATES[code]), ran.output
    if len(files) == 1 or code == 5:
        assert STATES[code][0] in {line.split(":")[0] for line in lines}, lines
    log = jn.logs(files[0])[0]
    seen = jn.verify(files[0], heads, log).damage
    assert (None if seen is None else seen.seq + log * jn.LOG_STEP) == damaged
    assert judge_file(files[0]).damaged == damaged


def test_the_pages_table_has_every_code() -> None:
    table = PAGE.read_text(encoding="utf-8").split("| exit code | state | when |")[1].split("\n\n")[0]
    codes = {int(line.split("|")[1]) for line in table.splitlines()[2:] if line.strip("|- ")}
    assert codes == {0, 2, 3, 4, 5}
