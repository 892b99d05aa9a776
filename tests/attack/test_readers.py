"""A stranger sends a file: a journal, an export, a head, a signed page, a trace, settings. It is endless, or far above
what its reader has use for, or no file at all; or another file lies beside it. The program answers with a sentence, in
little memory, and never waits.

Nothing here measures time: what must be linear is counted, and a command that waits for ever ends in `measured`.
"""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import signal
import socket
import sqlite3
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.audit.decode import LARGEST_TRACE
from pi_app.audit.signing import LONGEST as LARGEST_PAGE
from pi_app.cli.main import main
from pi_app.journal import JournalFileError, archive, chain
from pi_app.journal.record import entry as rec
from pi_app.journal.record import keys, limits
from pi_app.journal.record.verdict import Damage, RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.text import plain_file
from tests.attack import forged
from tests.attack.measured import PATIENCE_S, ROOM_BYTES, Answer, answers, refusals
from tests.pi_app.journal.keeping import EVENTS, STAMP, WHOLE, write
from tests.pi_app.journal.record.forging import edit, rows
from wiring_docs import journal_verifier as short

PIPE_ADVICE = "Name a plain file; write what a pipe or a device gives to a file first."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The journal of one whole game."""
    found = tmp_path / "journal.db"
    write(found, WHOLE)
    return found


def sparse(path: Path, size: int, begins: bytes = b"") -> Path:
    """A file that says it is so long, and takes no room on the disk."""
    path.write_bytes(begins)
    os.truncate(path, size)
    return path


@pytest.fixture(autouse=True)
def _ends() -> Iterator[None]:
    """What waits for ever in this process fails. The time is far above what a test takes."""

    def fail(*_: object) -> None:
        raise AssertionError("it waits")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(PATIENCE_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run(*words: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(word) for word in words])
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result.exit_code, result.output


# ----------------------------------------------------------------------------------------------------- no plain file


@contextlib.contextmanager
def special(folder: Path) -> Iterator[dict[Path, str]]:
    """Everything that is not a plain file and can be named, with what is said of it."""
    fifo, listener = folder / "fifo", folder / "socket"
    os.mkfifo(fifo)
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as listening:
        here = Path.cwd()
        os.chdir(folder)  # a socket's whole path may be too long for its address
        try:
            listening.bind(listener.name)
        finally:
            os.chdir(here)
        link = folder / "link"
        link.symlink_to(fifo)
        yield {
            fifo: "a FIFO (a pipe), not a plain file",
            link: "a FIFO (a pipe), not a plain file",
            listener: "a socket, not a plain file",
            Path("/dev/zero"): "a device, not a plain file",
            Path("/proc/self/status"): "a file of the kernel's, without a size",
            folder: "a folder, not a plain file",
        }


def commands(folder: Path, name: Path) -> list[list[str | Path]]:
    """Every command that takes a path to read, with this one."""
    good = folder / "good.db"
    return [
        ["journal", "verify", name],
        ["journal", "verify", good, "--witness", name],
        ["journal", "head", name],
        ["journal", "export", name],
        ["journal", "export", good, "--witness", name],
        ["journal", "merge", name, "-o", folder / "new.db"],
        ["journal", "delete", name, "g1", "--yes"],
        ["replay", name],
        ["audit", name],
        ["audit", good, "--witness", name],
        ["audit", "verify", name],
        ["decode", name],
        ["decode", folder / "good.csv", "--calibration", name],
        ["settings", "check", name],
        ["tables", "check", name],
        ["tables", "show", name],
        ["tables", "faces", name, "-o", folder / "new.svg"],
        ["place", "check", name],
        ["wiring", "-s", name, "-o", folder / "new"],
        ["play", "-s", name],
        ["demo", "--settings", name],
        ["demo", "--tables", name],
        ["record", "-s", name, "-o", folder / "new.csv"],
        ["calibrate", "-s", name],
        ["doctor", "-s", name],
    ]


Runs = Callable[[Sequence[Sequence[str | Path]]], list[Answer]]


def here(lines: Sequence[Sequence[str | Path]]) -> list[Answer]:
    """Run command lines in this process."""
    found = []
    for line in lines:
        result = CliRunner().invoke(main, [str(word) for word in line])
        trouble = None if isinstance(result.exception, SystemExit | None) else repr(result.exception)
        found.append(Answer(result.exit_code, result.stdout, result.stderr, trouble))
    return found


def in_little_memory(lines: Sequence[Sequence[str | Path]]) -> list[Answer]:
    found, taken = answers(lines)
    assert taken < ROOM_BYTES
    return found


def check_refused(folder: Path, wanted: Mapping[Path, str], run_all: Runs) -> None:
    write(folder / "good.db", WHOLE)
    (folder / "good.csv").write_text("t_ns,raw\n0,0\n", encoding="utf-8")
    lines = [(line, seen) for name, seen in wanted.items() for line in commands(folder, name)]
    for (line, seen), answer in zip(lines, run_all([line for line, _ in lines]), strict=True):
        assert (answer.code, answer.trouble) == (2, None), (line, answer)
        no_journal = "kernel" in seen and "is not a Trapdial journal" in answer.err  # SQLite sees a file of no bytes
        assert no_journal or seen in answer.out + answer.err, (line, answer)
    assert not list(folder.glob("new*"))


def test_a_pipe_is_refused_by_every_command(tmp_path: Path) -> None:
    with special(tmp_path) as names:
        fifo = next(iter(names))
        check_refused(tmp_path, {fifo: names[fifo]}, here)


@pytest.mark.slow
def test_what_is_no_plain_file_is_refused_by_every_command(tmp_path: Path) -> None:
    with special(tmp_path) as names:
        check_refused(tmp_path, names, in_little_memory)


def test_a_refusal_says_what_it_is_and_what_to_do(tmp_path: Path) -> None:
    with special(tmp_path) as names:
        fifo = next(iter(names))
        assert run("journal", "verify", fifo) == (2, f"{fifo} (file) is {names[fifo]}. {PIPE_ADVICE}\n")
        assert run("decode", fifo) == (
            2,
            f"{fifo}: it is {names[fifo]}. {PIPE_ADVICE[:-1]}, or name - to read standard input.\n",
        )
        assert run("audit", "verify", fifo) == (2, f"{fifo}: it is {names[fifo]}. {PIPE_ADVICE}\n")
        with pytest.raises(JournalFileError) as refused:
            jn.Journal(fifo, MAGE_KNIGHT)
        assert str(refused.value) == f"{fifo} (file) is not a plain file. Choose another place with --journal."
        with pytest.raises(short.NoJournalError):
            short.judge_file(fifo)
        assert short.main([str(fifo)]) == short.main([str(tmp_path / "good.db"), str(fifo)]) == short.NO_JOURNAL


def test_decode_reads_standard_input() -> None:
    trace = "t_ns,raw\n" + "".join(f"{n * 1_000_000},5\n" for n in range(3))
    result = CliRunner().invoke(main, ["decode", "-"], input=trace)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith("0 turns, 0 of them with an unknown path; 3 samples, 0 failed reads")


def test_a_file_that_is_exchanged_before_it_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first check sees a plain file, the descriptor is a pipe."""
    plain, fifo = tmp_path / "head.txt", tmp_path / "fifo"
    plain.write_text("x", encoding="utf-8")
    os.mkfifo(fifo)
    really = os.open
    monkeypatch.setattr(os, "open", lambda path, flags: really(fifo if path == plain else path, flags))
    with pytest.raises(plain_file.NotPlainError, match="FIFO"):
        plain_file.read_plain(plain, 10)


# ------------------------------------------------------------------------------------------------- far above the limits


def test_files_of_ten_times_the_size_are_refused_unread(path: Path, tmp_path: Path) -> None:
    """Each says that it is ten times as long as its reader takes; the memory of one would end the process."""
    head = sparse(tmp_path / "head", 10 * limits.LARGEST_HEADS)
    page = sparse(tmp_path / "page.html", 10 * LARGEST_PAGE)
    trace = sparse(tmp_path / "trace.csv", 10 * LARGEST_TRACE, b"t_ns,raw\n")
    export = sparse(tmp_path / "export.jsonl", 10 * limits.LARGEST_EXPORT, b"{")
    large = tmp_path / "large.db"
    shutil.copy(path, large)
    os.truncate(large, 10 * limits.LARGEST_JOURNAL)
    beside = tmp_path / "beside.db"
    shutil.copy(path, beside)
    log = sparse(tmp_path / "beside.db-wal", 10 * limits.LARGEST_BESIDE)
    found = refusals(
        [
            ["journal", "verify", path, "--witness", sparse(tmp_path / "5gb", 5 << 30)],
            ["journal", "verify", path, "--witness", sparse(tmp_path / "300mb", 300 << 20, b"TRAPDIAL1")],
            ["journal", "verify", path, "--witness", head],
            ["journal", "export", path, "--witness", head],
            ["audit", path, "--witness", head],
            ["audit", "verify", page],
            ["decode", trace],
            ["journal", "verify", export],
            ["journal", "verify", large],
            ["replay", large],
            ["journal", "verify", beside],
            ["settings", "check", "-s", sparse(tmp_path / "t.toml", 5 << 30)],
        ]
    )
    too_long = (
        "--witness {}: it is {:,} bytes long, and 1,048,576 are read at most. Take it from `trapdial journal head`, or "
        "from a phone that played.\n"
    )
    assert found[2] == too_long.format(str(head)[:24], 10_485_760)
    assert (
        found[5]
        == f"{page}: it is {10 * LARGEST_PAGE:,} bytes long, and {LARGEST_PAGE:,} are read at most. Check the name.\n"
    )
    assert found[6].startswith(f"{trace}: it is 42,949,672,960 bytes long, and 4,294,967,296 are read at most.")
    assert found[7].startswith(f"{export} (file) is 42,949,672,960 bytes long, and 4,294,967,296 are read at most.")
    assert (
        found[8]
        == found[9]
        == f"{large} (file) has 85,899,345,920 bytes, and 8,589,934,592 are read at most. Check the name.\n"
    )
    assert found[10] == (
        f"{beside} (file) has a file beside it, {log.name}, of 85,899,345,920 bytes, and 8,589,934,592 are read at "
        "most. Keep a copy of both files, and move that one into another folder.\n"
    )


# ------------------------------------------------------------------------------------------------------------- exports


@pytest.fixture
def signatures(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Every signature that is verified, which is what a head costs."""
    checked: list[bytes] = []
    really = keys.signed_by

    def counted(device: bytes, text: bytes, signature: bytes) -> bool:
        checked.append(signature)
        return really(device, text, signature)

    monkeypatch.setattr("pi_app.journal.record.heads.signed_by", counted)
    return checked


def lines_of(path: Path) -> list[bytes]:
    out = io.BytesIO()
    archive.export(path, out)
    return out.getvalue().splitlines(keepends=True)


@pytest.mark.parametrize("heads", [100, 400])
def test_an_export_of_many_heads_is_read_once(path: Path, tmp_path: Path, signatures: list[bytes], heads: int) -> None:
    export, witness = tmp_path / "e.jsonl", jn.head(path).text()
    export.write_bytes(lines_of(path)[0] * heads)
    signatures.clear()
    code, said = run("journal", "verify", export, "--witness", witness)
    assert (code, said.count("DAMAGED. The file holds no entry.")) == (int(RecordState.DAMAGED), heads)
    assert len(signatures) <= 2 * heads + 2


def test_an_export_of_ten_times_as_many_heads_is_refused(path: Path, tmp_path: Path, signatures: list[bytes]) -> None:
    export = tmp_path / "e.jsonl"
    export.write_bytes(lines_of(path)[0] * 10 * limits.MOST_LOGS)
    signatures.clear()
    assert run("journal", "verify", export) == (
        2,
        f"{export} (line 1001) is head 1001, and 1,000 are read at most. No export of a real record is like that; ask "
        "for it again.\n",
    )
    assert len(signatures) <= 2 * (limits.MOST_LOGS + 1)


def test_a_head_with_ten_times_as_many_older_heads_is_damaged(
    path: Path, tmp_path: Path, signatures: list[bytes]
) -> None:
    export = tmp_path / "e.jsonl"
    first, *rest = lines_of(path)
    older = b'{"head":"%s","consistency":[]}' % jn.head(path).text().encode()
    many = b",".join([older] * 10 * limits.MOST_OLDER_HEADS)
    export.write_bytes(b"".join((first.rstrip(b"}\n"), b',"continues":[', many, b"]}\n", *rest)))
    signatures.clear()
    code, said = run("journal", "verify", export)
    assert (code, said.splitlines()[0]) == (
        int(RecordState.DAMAGED),
        f"{export}: DAMAGED. The file begins with more than 256 older heads.",
    )
    assert len(signatures) <= 2 * (limits.MOST_OLDER_HEADS + 1)


@pytest.mark.slow
def test_long_deep_and_wide_lines_are_answered_in_little_memory(path: Path, tmp_path: Path) -> None:
    first, entry, *_ = lines_of(path)
    files = {
        "long": first + b'{"seq":1,"public":"',
        "deep": first + b'{"seq":1,"public":' + b"[" * 1_000_000 + b"\n",
        "deep head": b'{"export":1,"head":' + b"[" * 1_000_000 + b"\n",
        "deep aside": first + entry.rstrip(b"}\n") + b',"more":' + b'{"a":' * 1_000_000 + b"\n",
        "wide": first + entry.partition(b'"proof":[')[0] + b'"proof":[""' + b',""' * 5_000_000 + b"]}\n",
        "many steps": first
        + entry.partition(b'"proof":[')[0]
        + b'"proof":['
        + b",".join([b'"' + b"00" * 32 + b'"'] * 640)
        + b"]}\n",
    }
    lines: list[list[str | Path]] = []
    for name, data in files.items():
        file = tmp_path / f"{name}.jsonl"
        file.write_bytes(data)
        if name == "long":
            os.truncate(file, 10 * limits.LONGEST_LINE)
        lines.append(["journal", "verify", file])
    long, *others = in_little_memory(lines)
    assert (long.code, long.out, long.trouble) == (2, "", None)
    assert long.err.endswith(
        " (line 2) is longer than 16,777,216 bytes. No export of a real record is like that; ask for it again.\n"
    )
    seen = [(each.code, each.trouble, each.out.splitlines()[0].partition(": ")[2]) for each in others]
    unread = (4, None, "DAMAGED. The file is followed by a line that cannot be read.")
    unproven = (4, None, "DAMAGED. Entry 1 is not proven to be under the head.")
    assert seen == [
        unread,
        (4, None, "DAMAGED. The file does not begin with a head (line 1)."),
        unread,
        unproven,
        unproven,
    ]


def test_more_witnesses_than_one_command_compares_are_refused(path: Path) -> None:
    words = [word for _ in range(10 * limits.MOST_WITNESSES) for word in ("--witness", "x")]
    assert run("journal", "verify", path, *words) == (
        2,
        "--witness: it is given 10,000 times, and 1,000 heads are compared at most. Use several commands.\n",
    )


def test_a_head_on_the_command_line_has_a_limit(path: Path) -> None:
    assert run("journal", "verify", path, "--witness", "TRAPDIAL1" + "A" * 10 * limits.LONGEST_HEAD) == (
        2,
        "--witness TRAPDIAL1AAAAAAAAAAAAAAA: a head has at most 4,096 characters, and this is longer. Take it from "
        "`trapdial journal head`, or from a phone that played.\n",
    )


def test_an_export_with_a_game_twice_is_damaged(path: Path, tmp_path: Path) -> None:
    export = tmp_path / "e.jsonl"
    export.write_bytes(b"".join(lines_of(path)) * 2)
    code, said = run("journal", "verify", export)
    assert code == int(RecordState.DAMAGED)
    assert [line for line in said.splitlines() if line.startswith(str(export))] == [
        f"{export} (log 1): WHOLE. 6 of 6 entries, each proven to be in the record under its head, every game that is "
        "here with its beginning and its end.",
        f"{export} (log 2): DAMAGED. Entry 1 is of game g1, which stands under a head above as well.",
    ]


def test_two_games_of_one_record_may_be_exported_one_after_the_other(path: Path, tmp_path: Path) -> None:
    export = tmp_path / "e.jsonl"
    before = b"".join(lines_of(path))
    write(path, WHOLE, "g2")
    later = io.BytesIO()
    archive.export(path, later, ["g2"])
    export.write_bytes(before + later.getvalue())
    assert run("journal", "verify", export)[0] == int(RecordState.WHOLE)


def test_a_fork_in_one_export_is_damaged(path: Path, tmp_path: Path) -> None:
    """Two records of one device with as many entries: he has the device's key, and shows each to somebody else."""
    copy, export = tmp_path / "copy.db", tmp_path / "e.jsonl"
    shutil.copy(path, copy)
    shutil.copytree(jn.keys_of(path).folder, jn.keys_of(copy).folder)
    write(path, WHOLE, "g2")
    write(copy, WHOLE, "g3")
    parts = []
    for file, game in ((path, "g2"), (copy, "g3")):
        out = io.BytesIO()
        archive.export(file, out, [game])
        parts.append(out.getvalue())
    export.write_bytes(b"".join(parts))
    code, said = run("journal", "verify", export)
    assert code == int(RecordState.DAMAGED)
    assert (
        f"{export} (log 2): DAMAGED. The file has a second head of this device over as many entries, and they are "
        "other ones."
    ) in said.splitlines()


# ------------------------------------------------------------------------------------------------------------ archives


def test_an_archive_with_a_record_twice_is_refused(path: Path, tmp_path: Path) -> None:
    merged = tmp_path / "archive.db"
    archive.merge([path], merged)
    edit(merged, f"INSERT INTO entries SELECT seq + {jn.LOG_STEP}, public, sealed, leaf, signature FROM entries")
    refusal = (
        f"{merged} (file) holds two records of one device, in log 1 and in log 2. Merge the devices' own journals "
        "again.\n"
    )
    for command in (("journal", "verify"), ("journal", "head"), ("journal", "export"), ("audit",), ("replay",)):
        assert run(*command, merged) == (2, refusal), command
    assert run("journal", "merge", merged, "-o", tmp_path / "new.db") == (2, refusal)
    with pytest.raises(short.NoJournalError, match="it holds two records of one device"):
        short.judge_file(merged)


def test_a_copy_without_its_first_game_is_the_same_record(path: Path, tmp_path: Path) -> None:
    """The copy's first game was deleted: other rows, the same device."""
    copy, one, merged = tmp_path / "copy.db", tmp_path / "one.db", tmp_path / "archive.db"
    shutil.copy(path, copy)
    shutil.copytree(jn.keys_of(path).folder, jn.keys_of(copy).folder)
    archive.delete(copy, "g1", stamp=lambda: STAMP)
    archive.merge([path], merged)
    archive.merge([copy], one)
    with contextlib.closing(sqlite3.connect(merged)) as db, db:
        db.executemany(jn.INSERT, [(jn.LOG_STEP + seq, *rest) for seq, *rest in rows(one)])
    code, said = run("journal", "verify", merged)
    assert (code, said.startswith(f"{merged} (file) holds two records of one device")) == (2, True)
    with pytest.raises(short.NoJournalError, match="it holds two records of one device"):
        short.judge_file(merged)


def test_an_archive_of_ten_times_as_many_logs_is_refused(tmp_path: Path) -> None:
    merged = tmp_path / "archive.db"
    with forged.new_journal(merged, jn.ARCHIVE_ID) as db:
        many = ((log * jn.LOG_STEP + 1, None, None, bytes(32), None) for log in range(1, 10 * limits.MOST_LOGS + 1))
        db.executemany(jn.INSERT, many)
    assert run("journal", "verify", merged) == (
        2,
        f"{merged} (file) holds more than 1,000 logs. Merge fewer journals into one archive.\n",
    )
    with pytest.raises(short.NoJournalError, match="it holds more than 1000 logs"):
        short.judge_file(merged)


# --------------------------------------------------------------------------------------------------- beside the journal


def test_a_hot_rollback_journal_is_refused_by_readers_and_writers(path: Path, tmp_path: Path) -> None:
    """SQLite would put another record into the file as soon as somebody writes."""
    other, copy = tmp_path / "other.db", tmp_path / "copy.db"
    write(other, EVENTS, "evil")
    hot = forged.rollback_journal(other.read_bytes())
    shutil.copy(path, copy)
    copy.with_name("copy.db-journal").write_bytes(hot)
    assert rows(copy) == rows(other), "the attack works on SQLite itself"
    beside = path.with_name("journal.db-journal")
    beside.write_bytes(hot)
    before = path.read_bytes()
    refusal = (
        f"{path} (file) has a rollback journal beside it, journal.db-journal. This program leaves none; the next "
        "program that writes would change the record to what stands in it. Keep a copy of both files, move that one "
        "into another folder, and verify the record again."
    )
    for command in (("journal", "verify"), ("journal", "head"), ("journal", "export"), ("audit",), ("replay",)):
        assert run(*command, path) == (2, refusal + "\n"), command
    assert run("journal", "delete", path, "g1", "--yes") == (2, refusal + "\n")
    with pytest.raises(JournalFileError) as refused:
        write(path, EVENTS, "g2")
    assert str(refused.value) == refusal
    with pytest.raises(short.NoJournalError, match="a -journal lies beside it"):
        short.judge_file(path)
    assert (path.read_bytes(), beside.read_bytes()) == (before, hot)
    beside.rename(tmp_path / "kept")
    assert run("journal", "verify", path)[0] == int(RecordState.WHOLE)


def test_the_file_that_a_symbolic_link_leads_to_is_checked(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    assert run("journal", "verify", link)[0] == int(RecordState.WHOLE)
    path.with_name("journal.db-journal").write_bytes(b"x")
    code, said = run("journal", "verify", link)
    assert (code, said.startswith(f"{link} (file) has a rollback journal beside it, journal.db-journal.")) == (2, True)
    with pytest.raises(short.NoJournalError, match="a -journal lies beside it"):
        short.judge_file(link)


MAKERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "link": (
        lambda at: at.symlink_to("/etc/passwd"),
        "has a symbolic link beside it, {0}, where SQLite keeps a plain file",
    ),
    "dangling": (
        lambda at: at.symlink_to("nowhere"),
        "has a symbolic link beside it, {0}, where SQLite keeps a plain file",
    ),
    "pipe": (os.mkfifo, "has a FIFO (a pipe) beside it, {0}, where SQLite keeps a plain file"),
    "folder": (Path.mkdir, "has a folder beside it, {0}, where SQLite keeps a plain file"),
}


@pytest.mark.parametrize("suffix", ["-wal", "-shm"])
@pytest.mark.parametrize("kind", MAKERS)
def test_what_is_no_plain_file_beside_a_journal_is_refused(path: Path, suffix: str, kind: str) -> None:
    make, seen = MAKERS[kind]
    beside = path.with_name(path.name + suffix)
    make(beside)
    advice = "Keep a copy of both files, and move that one into another folder."
    assert run("journal", "verify", path) == (2, f"{path} (file) {seen.format(beside.name)}. {advice}\n")
    with pytest.raises(JournalFileError):
        write(path, EVENTS, "g2")
    with pytest.raises(short.NoJournalError, match="that is not a plain file"):
        short.judge_file(path)


def test_a_log_of_another_user_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    beside = path.with_name("journal.db-wal")
    beside.touch()
    really = os.lstat

    def anothers(name: Path) -> os.stat_result:
        found = really(name)
        changed = list(found)
        changed[stat.ST_UID] = found.st_uid + (Path(name) == beside)
        return os.stat_result(changed)

    monkeypatch.setattr(os, "lstat", anothers)
    with pytest.raises(JournalFileError) as refused:
        jn.verify(path)
    assert str(refused.value) == (
        f"{path} (file) has a file beside it, journal.db-wal, that belongs to another user. Keep a copy of both files, "
        "and move that one into another folder."
    )


def test_a_log_that_is_not_sqlites_is_refused(path: Path) -> None:
    beside = path.with_name("journal.db-wal")
    beside.write_bytes(b"no log of SQLite's at all, " * 4)
    seen = "has a file beside it, journal.db-wal, that is not SQLite's log"
    advice = "Keep a copy of both files, and move that one into another folder."
    assert run("journal", "verify", path) == (2, f"{path} (file) {seen}. {advice}\n")
    with pytest.raises(short.NoJournalError, match="that is not SQLite's log"):
        short.judge_file(path)


@pytest.mark.parametrize("left", [b"", bytes(32), bytes(5000), b"\x37\x7f"])
def test_what_a_power_cut_leaves_of_a_log_is_no_attack(path: Path, left: bytes) -> None:
    path.with_name("journal.db-wal").write_bytes(left)
    assert jn.verify(path).state is RecordState.WHOLE
    assert short.judge_file(path).code == short.WHOLE
    write(path, WHOLE, "g2")
    assert jn.verify(path).size == 12


def test_a_log_of_another_file_changes_nothing_for_one_reader_only(path: Path, tmp_path: Path) -> None:
    """What of a `-wal` has other salts than its header SQLite ignores: for readers and for writers alike."""
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE entries (a)")
        log = bytearray(other.with_name("other.db-wal").read_bytes())
    log[32 + 8] ^= 1  # the salt of the first frame
    path.with_name("journal.db-wal").write_bytes(log)
    assert jn.verify(path).state is RecordState.WHOLE
    assert short.judge_file(path).code == short.WHOLE
    write(path, WHOLE, "g2")
    assert (jn.verify(path).size, jn.verify(path).state) == (12, RecordState.WHOLE)


def test_a_journal_that_left_wal_mode_is_read_and_not_written(path: Path) -> None:
    edit(path, "PRAGMA journal_mode=DELETE")
    assert (path.read_bytes()[18:20], jn.verify(path).state) == (b"\1\1", RecordState.WHOLE)
    with pytest.raises(JournalFileError) as refused:
        write(path, EVENTS, "g2")
    assert str(refused.value) == (
        f"{path} (header) is not in SQLite's WAL mode, so another program has rewritten it. Keep a copy; `sqlite3 FILE "
        "'PRAGMA journal_mode=WAL'` sets the mode back."
    )
    edit(path, "PRAGMA journal_mode=WAL")
    write(path, EVENTS, "g2")


def test_no_change_of_a_record_needs_a_rollback_journal(path: Path, tmp_path: Path) -> None:
    """A power cut while a journal is made, an archive is made or a game is deleted leaves no `-journal` to refuse."""
    opened: list[str] = []
    really = sqlite3.connect
    folder = tmp_path / "new"
    folder.mkdir()

    def seen(*names: object, **how: object) -> sqlite3.Connection:
        db = really(*names, **how)  # type: ignore[call-overload]
        db.set_trace_callback(lambda _: opened.extend(each.name for each in folder.iterdir()))
        db.set_progress_handler(lambda: opened.extend(each.name for each in folder.iterdir()), 20)
        return db  # type: ignore[no-any-return]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite3, "connect", seen)
        write(folder / "journal.db", WHOLE)
        archive.merge([folder / "journal.db", path], folder / "archive.db")
        archive.delete(folder / "archive.db", "g1", jn.keys_of(folder / "journal.db").folder, lambda: STAMP)
    assert {"journal.db", "archive.db", "archive.db-wal"} <= set(opened)
    assert not [name for name in opened if name.endswith("-journal")]
    assert (folder / "archive.db").read_bytes()[18:20] == b"\1\1"


# ------------------------------------------------------------------------------------------------ what is in a database


OTHER_READERS = (
    ["journal", "head"],
    ["journal", "export"],
    ["audit", "--json"],
    ["replay", "--lines"],
    ["replay", "--as", "public"],
    ["rooms", "audit"],
)


def damage(path: Path, also: Sequence[list[str]] = OTHER_READERS) -> str:
    """What `journal verify` says first of a damaged file, in little memory, as do the other readers; both verifiers
    name the same entry."""
    answer, *others = in_little_memory([[*words, path] for words in (["journal", "verify"], *also)])
    assert (answer.code, answer.err, answer.trouble) == (int(RecordState.DAMAGED), "", None), answer
    assert all(each.trouble is None and each.code in (0, 2, 4) for each in others), others
    headline = answer.out.partition("\n")[0].removeprefix(f"{path}: DAMAGED. ")
    found = short.judge_file(path)
    assert (found.code, headline.split()[1]) == (short.DAMAGED, f"{found.damaged}"), found
    return headline


@pytest.mark.slow
def test_a_public_half_of_ten_times_the_length_is_damage(tmp_path: Path) -> None:
    path = forged.begin_games(tmp_path / "j.db", [{"A" * 10 * limits.LONGEST_PUBLIC: "00" * 32}])
    assert damage(path) == "Entry 1 has a public half that cannot be read."


@pytest.mark.slow
def test_a_value_of_ten_times_the_length_is_damage(path: Path) -> None:
    edit(path, "UPDATE entries SET sealed = zeroblob(?) WHERE seq = 3", 10 * limits.LONGEST_VALUE)
    assert damage(path) == "Entry 3 cannot be read. The 2 before it are bound to each other."


@pytest.mark.slow
def test_more_commitments_than_a_record_may_hold_are_damage(tmp_path: Path) -> None:
    """Each half has as many as it has room for, and their total is the limit; the verifier stops at the first above."""
    many = limits.LONGEST_PUBLIC // 80
    path = forged.begin_games(tmp_path / "j.db", ({f"{n}": "00" * 32 for n in range(many)} for _ in range(20)))
    fit = limits.LARGEST_OPENINGS // limits.LONGEST_PUBLIC
    assert damage(path) == (
        f"Entry {fit + 1} begins or deletes a game, and a record may not hold so many. The {fit} before it are bound "
        "to each other."
    )


def test_a_commitment_is_64_hex_digits(tmp_path: Path) -> None:
    path = forged.begin_games(tmp_path / "j.db", [{"T01": "00" * 32, "T02": ""}])
    verdict = jn.verify(path)
    assert verdict.damage == Damage(1, "begins a game with a commitment that is not 64 hex digits")
    assert (short.judge_file(path).code, short.judge_file(path).damaged) == (short.DAMAGED, 1)


def test_a_game_beyond_the_limit_is_not_begun(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program refuses to write what its own verifier would call damage."""
    monkeypatch.setattr(chain, "LARGEST_OPENINGS", 2 * rec.LONG_PUBLIC_BYTES)
    write(path, WHOLE, "g2")
    with pytest.raises(jn.NotRecordedError) as refused:
        write(path, EVENTS, "g3")
    assert str(refused.value) == (
        f"{path} (file) has begun as many games as a record may hold. Play into another file with --journal."
    )


@pytest.mark.slow
def test_very_many_rows_without_halves_are_damage_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with forged.new_journal(path) as db:
        db.executemany(jn.INSERT, ((seq, None, None, bytes(32), None) for seq in range(1, 500_001)))
    assert damage(path, also=()) == "Entry 1 was deleted, and no entry records it."


STARTED = b'{"event":{"kind":"started","squares":[],"ruleset":'
SEALED: dict[str, tuple[bytes, bytes, bytes, str]] = {
    "rules": (STARTED + b"[", b"[],", b'0]},"seats":""}', "a value of more than 2,097,152 bytes in its sealed half"),
    "squares": (b'{"event":{"kind":"started","squares":[', b"{},", b'{}]},"seats":""}', "malformed squares"),
    "salts": (STARTED + b'0},"seats":"","salts":{"', b'":"","', b'":""}}', "a sealed half that cannot be read"),
    "unknown": (STARTED + b'0,"more":[', b"[],", b'0]},"seats":""}', "began with rules"),
    "kind": (b'{"event":{"kind":[', b"[],", b'0]},"seats":""}', "a value of more than 2,097,152 bytes in its sealed"),
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SEALED)
def test_what_is_sealed_is_opened_in_little_memory(tmp_path: Path, kind: str) -> None:
    """The largest sealed half that the format allows, full of as many small values as go into it."""
    before, about, after, seen = SEALED[kind]
    path = forged.whole_game(tmp_path / "j.db", before, about, after)
    assert seen in damage(path)
