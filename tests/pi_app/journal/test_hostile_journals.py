"""Files that somebody made to hurt: whatever reads a journal answers with a verdict or with one message that names the
place, leaves the file as it is and no other file beside it.

`make fuzz-test` does it with 10^6 files.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from hardware.host import memory_folder
from pi_app import journal as jn
from pi_app.audit.files import audit_file, audit_files
from pi_app.audit.forms import to_csv, to_json
from pi_app.audit.replay import replay
from pi_app.audit.statistics import statistics
from pi_app.cli.main import main
from pi_app.journal.record.limits import LONGEST_VALUE
from pi_app.journal.record.verdict import RecordState, RecordVerdict
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.text.errors import UserFileError
from tests.pi_app.journal.record.attacking import play
from wiring_docs import journal_verifier as short

FILES = int(os.environ.get("TRAPDIAL_FUZZ", "60"))
PER_CHUNK = 5_000
CHUNKS = range(-(-FILES // PER_CHUNK))
Draw = random.Random
ARCHIVE = b"TRAA"
"""Of several devices' logs: the second verifier alone reads one as such."""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=memory_folder()) as inside:
        yield Path(inside)


def honest(folder: Path, seed: str) -> bytes:
    """A journal as the program leaves it, its keys with it."""
    path = folder / "journal.db"
    path.unlink(missing_ok=True)
    play(path, Draw(seed))
    return path.read_bytes()


# ------------------------------------------------------------------------------------------------ bytes of a file


def scribbled(data: bytearray, draw: Draw) -> None:
    for _ in range(draw.randrange(1, 6)):
        at, length = draw.randrange(len(data)), draw.choice((1, 1, 1, 2, 4, 64, 5000))
        data[at : at + length] = draw.randbytes(min(length, len(data) - at))


def header_changed(data: bytearray, draw: Draw) -> None:
    for _ in range(draw.randrange(1, 4)):
        data[draw.randrange(100)] = draw.choice((0, 1, 2, 4, 255, draw.randrange(256)))


def first_page_changed(data: bytearray, draw: Draw) -> None:
    data[draw.randrange(100, 112)] = draw.randrange(256)
    data[draw.randrange(3_700, 4_096)] = draw.randrange(256)


def page_head_changed(data: bytearray, draw: Draw) -> None:
    """The kind of a page, its cells, where they lie: pages may come to lead to each other in a circle."""
    page = draw.randrange(len(data) // 4_096) * 4_096
    for _ in range(draw.randrange(1, 5)):
        data[page + (100 if page == 0 else 0) + draw.randrange(40)] = draw.choice(
            (0, 2, 5, 10, 13, draw.randrange(256))
        )


def pages_exchanged(data: bytearray, draw: Draw) -> None:
    pages = len(data) // 4_096
    one, other = draw.randrange(pages) * 4_096, draw.randrange(pages) * 4_096
    data[one : one + 4_096] = data[other : other + 4_096]


def cut(data: bytearray, draw: Draw) -> None:
    del data[draw.randrange(len(data)) :]


def made_longer(data: bytearray, draw: Draw) -> None:
    data += draw.randbytes(draw.choice((1, 100, 4_096, 9_000)))


def version_changed(data: bytearray, draw: Draw) -> None:
    at = draw.choice((60, 68))
    data[at : at + 4] = draw.choice((0, 1, 3, 2**31, jn.APPLICATION_ID, 0x54524141)).to_bytes(4, "big")


SCRIBBLES: tuple[Callable[[bytearray, Draw], None], ...] = (
    scribbled,
    header_changed,
    first_page_changed,
    page_head_changed,
    pages_exchanged,
    cut,
    made_longer,
    version_changed,
)


# ------------------------------------------------------------------------------------------------- values in a file


def value_changed(path: Path, draw: Draw) -> None:
    """Another value in a column, of any type, or a half that is JSON and none of ours, with the leaf hash that fits."""
    column = draw.choice(("public", "sealed", "leaf", "signature", "seq"))
    value = draw.choice(
        (
            "NULL",
            "x'ff00'",
            "'text'",
            "1.5",
            "zeroblob(100000)",
            "CAST(x'ff80' AS TEXT)",
            "-9223372036854775808",
            "randomblob(768)",
        )
    )
    with contextlib.closing(sqlite3.connect(path)) as db, contextlib.suppress(sqlite3.IntegrityError), db:
        db.execute(f"UPDATE OR IGNORE entries SET {column} = {value} WHERE seq % {draw.randrange(1, 6)} = 0")


def half_that_nests(path: Path, draw: Draw) -> None:
    """Its hash fits, which needs no key."""
    from pi_app.journal.record import entry as rec

    body = draw.choice(
        (
            b'{"a":' + b"[" * 100_000,
            b"[" * 5_000,
            b'{"a":1e999,"b":NaN}',
            b'{"kind":"started","seq":' + b"9" * 5_000 + b"}",
            b'{"format":3,"kind":"\\ud800"}',
            b"\xff\xfe{}",
            b"{}",
            b"null",
            b"",
        )
    )
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        change = "UPDATE entries SET public = ?, sealed = ?, leaf = ? WHERE seq = ?"
        db.execute(change, (body, b"", rec.leaf(body, b""), draw.choice((1, 1, 2, 3))))


SCHEMAS = (
    "DROP TABLE entries",
    "CREATE VIEW other AS SELECT 1",
    "CREATE TABLE other (a)",
    "CREATE INDEX other ON entries (leaf)",
    "CREATE TRIGGER other AFTER INSERT ON entries BEGIN DELETE FROM entries; END",
    "ALTER TABLE entries RENAME TO others",
    "ALTER TABLE entries ADD COLUMN other BLOB",
    "ALTER TABLE entries ADD COLUMN other BLOB AS (zeroblob(1000000000))",
    "ALTER TABLE entries RENAME COLUMN leaf TO blade",
    "DROP TABLE entries; CREATE VIEW entries AS WITH RECURSIVE n(seq, public, sealed, leaf, signature) AS "
    "(SELECT 1, x'00', x'00', zeroblob(32), zeroblob(64) UNION ALL SELECT seq + 1, public, sealed, leaf, signature "
    "FROM n) SELECT * FROM n",
    "DROP TABLE entries; CREATE VIEW entries AS SELECT * FROM entries",
    "DROP TABLE entries; CREATE TABLE entries (seq PRIMARY KEY, public, sealed, leaf, signature) WITHOUT ROWID",
    "DROP TABLE entries; CREATE TABLE entries (seq INTEGER PRIMARY KEY DESC, public, sealed, leaf, signature)",
    "DROP TABLE entries; CREATE TABLE entries (seq, public AS (zeroblob(1000000000)), sealed, leaf, signature)",
    "DROP TABLE entries; CREATE VIRTUAL TABLE entries USING fts5(seq, public, sealed, leaf, signature)",
)


def schema_changed(path: Path, draw: Draw) -> None:
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(draw.choice(SCHEMAS))


STATEMENTS = (value_changed, half_that_nests, schema_changed)


# --------------------------------------------------------------------------------------------------- what comes back


def answers(path: Path) -> set[str]:
    """What each reader says of a file: its state, `none` for a message of four parts. All of them leave it alone."""
    before, beside = path.read_bytes(), sorted(path.parent.iterdir())
    said = {"second": "none", "verify": "none", "head": "none", "replay": "none", "audit": "none"}
    with contextlib.suppress(short.NoJournalError):
        verdict = short.judge_file(path)
        said["second"] = f"{verdict.code} {verdict.damaged}"
    for name, read in (("verify", jn.verify), ("head", jn.head), ("replay", replay)):
        try:
            found = read(path)
        except UserFileError as error:
            (sentence,) = str(error).splitlines()
            assert sentence.startswith(f"{path} ("), sentence
        else:
            said[name] = "read"
            if isinstance(found, RecordVerdict):
                said[name] = f"{int(found.state)} {None if found.damage is None else found.damage.seq}"
    said["audit"] = audited(path)
    if said["audit"].startswith("none: "):
        assert said["audit"].startswith(f"none: {path} (")
        said["audit"] = "none"
    assert path.read_bytes() == before
    assert sorted(path.parent.iterdir()) == beside
    assert said["second"] == said["verify"] or before[68:72] == ARCHIVE, said
    return {f"{name} {what}" for name, what in said.items()}


def audited(path: Path) -> str:
    """What the audit says of it, in every form but the page: no event of these files was written to hurt
    (`auditing/test_hostile_events.py` has those)."""
    try:
        found = audit_files([path])
    except UserFileError as error:
        return f"none: {error}"
    over_all = statistics(game for each in found for game in each.games)
    json.loads(to_json(found, over_all))
    assert to_csv(found)
    assert all(each.damage is None for each in found) == all(each.state != "damaged" for each in found)
    return f"{found[0].state} {None if found[0].damage is None else found[0].damage.entry}"


@pytest.mark.parametrize("chunk", CHUNKS)
def test_no_file_crashes_a_reader(folder: Path, chunk: int) -> None:
    draw = Draw(f"hostile {chunk}")
    path = folder / "journal.db"
    data = honest(folder, f"{chunk}")
    heard: set[str] = set()
    for number in range(min(FILES, PER_CHUNK)):
        changed = bytearray(data)
        if number % 8:
            draw.choice(SCRIBBLES)(changed, draw)
            path.write_bytes(changed)
        else:
            path.write_bytes(data)
            draw.choice(STATEMENTS)(path, draw)
            for left in (f"{path}-wal", f"{path}-shm"):
                Path(left).unlink(missing_ok=True)
        heard |= answers(path)
    assert {"verify none", "replay none", "head none", "replay read", "head read"} <= heard
    assert "audit none" in heard
    assert {what.split()[1] for what in heard if what.startswith("audit")} > {"none", "damaged"}
    assert any(what.startswith("verify 4") for what in heard)


COMMANDS = [
    ("journal", "verify"),
    ("journal", "head"),
    ("replay",),
    ("audit", "--stats"),
    ("audit", "--json"),
    ("audit", "--csv"),
]


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_answer_in_one_message(folder: Path, command: tuple[str, ...]) -> None:
    draw = Draw(" ".join(command))
    path = folder / "journal.db"
    data = honest(folder, "commands")
    for _ in range(20):
        changed = bytearray(data)
        draw.choice(SCRIBBLES)(changed, draw)
        path.write_bytes(changed)
        result = CliRunner().invoke(main, [*command, str(path)])
        assert isinstance(result.exception, SystemExit | None), result.exception
        assert result.exit_code in ((0, 2, 3, 4) if command[0] == "journal" else (0, 1, 2, 3, 4))
        if result.exit_code == 2:
            assert f"{path} (" in result.stderr
            assert result.stdout == ""


@pytest.mark.parametrize("statement", SCHEMAS)
def test_another_schema_is_no_journal(folder: Path, statement: str) -> None:
    path = folder / "journal.db"
    honest(folder, "schema")
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript(statement)
    for left in (f"{path}-wal", f"{path}-shm"):
        Path(left).unlink(missing_ok=True)
    assert answers(path) == {"second none", "verify none", "head none", "replay none", "audit none"}
    for write in (lambda: jn.Journal(path, MAGE_KNIGHT), lambda: jn.verify(path)):
        with pytest.raises(jn.JournalFileError) as refused:
            write()
        assert str(refused.value) == (
            f"{path} (header) has other tables than a journal's one. Keep it, and use an earlier copy; it was not "
            "touched."
        )


@pytest.mark.parametrize("seq", [0, -1, -(2**63)])
@pytest.mark.parametrize("public", ["public", "x'2020'", "'text'"])
def test_a_row_before_the_first_is_not_an_entry(folder: Path, seq: int, public: str) -> None:
    path = folder / "journal.db"
    honest(folder, "front")
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute(f"UPDATE entries SET seq = {seq}, public = {public} WHERE seq = 3")
    for left in (f"{path}-wal", f"{path}-shm"):
        Path(left).unlink(missing_ok=True)
    assert {"second 4 1", "verify 4 1", "audit none"} <= answers(path)


def test_a_row_after_the_damage_with_an_earlier_number_is_not_an_entry(folder: Path) -> None:
    """Rows come in the order of the file's pages: one whose number was scribbled over may say that it is an early
    one."""
    path = folder / "journal.db"
    honest(folder, "order")
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        (last,) = db.execute("SELECT max(seq) FROM entries").fetchone()
        db.execute("UPDATE entries SET public = x'2020', sealed = x'2020' WHERE seq = ?", (last - 1,))
    for left in (f"{path}-wal", f"{path}-shm"):
        Path(left).unlink(missing_ok=True)
    data = bytearray(path.read_bytes())
    at = data.index(bytes((last - 1, 6, 0, 16, 16, 76)))  # its number, then the head of its record
    data[at] = 2
    path.write_bytes(data)
    assert f"verify 4 {last - 1}" in answers(path)


def test_what_is_longer_than_any_entry_is_not_read(folder: Path) -> None:
    path = folder / "journal.db"
    honest(folder, "long")
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET sealed = zeroblob(?) WHERE seq = 3", (LONGEST_VALUE + 1,))
    verdict = jn.verify(path)
    assert verdict.damage is not None
    assert (verdict.state, verdict.damage.seq, verdict.damage.seen) == (RecordState.DAMAGED, 3, "cannot be read")
    assert "verify 4 3" in answers(path)


def test_pages_that_contain_each_other_end_the_reader(folder: Path) -> None:
    """An inner page whose children are all the same one: a few of them make more rows than anybody can read."""
    path = folder / "journal.db"
    path.write_bytes(honest(folder, "many"))
    data = bytearray(path.read_bytes())
    pages = len(data) // 4_096
    for page in range(1, pages):
        if data[page * 4_096] == 5:
            for cell in range(int.from_bytes(data[page * 4_096 + 3 : page * 4_096 + 5], "big")):
                at = page * 4_096 + 12 + 2 * cell
                start = page * 4_096 + int.from_bytes(data[at : at + 2], "big")
                data[start : start + 4] = data[page * 4_096 + 8 : page * 4_096 + 12]
    path.write_bytes(data)
    answers(path)


@pytest.mark.parametrize("kind", ["folder", "pipe", "nothing", "empty", "text"])
def test_a_file_of_another_kind_is_refused(folder: Path, kind: str) -> None:
    path = folder / "journal.db"
    make: dict[str, Callable[[], object]] = {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "nothing": lambda: None,
        "empty": path.touch,
        "text": lambda: path.write_text("no journal", encoding="utf-8"),
    }
    make[kind]()
    with pytest.raises(short.NoJournalError):
        short.judge_file(path)
    for read in (jn.verify, jn.head, replay, audit_file):
        with pytest.raises(jn.JournalFileError):
            read(path)


def test_reading_leaves_nothing_beside_a_journal_and_needs_no_right_to_write_there(folder: Path) -> None:
    path = folder / "journal.db"
    honest(folder, "beside")
    beside = sorted(folder.iterdir())
    jn.verify(path)
    replay(path)
    audit_file(path)
    assert sorted(folder.iterdir()) == beside
