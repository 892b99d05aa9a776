"""The attacker copies a card, lets the table close its record and begin another one, and plays on with the copy: two
histories, each of them signed. Whoever sees both says so.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.journal.archive import delete, merge
from pi_app.journal.past import past_logs
from pi_app.journal.record.verdict import fingerprint
from tests.pi_app.journal.keeping import WHOLE, open_journal, write
from wiring_docs.journal_verifier import judge_file
from wiring_docs.journal_verifier import main as second

SIZE = len(WHOLE)
COPY = "One of the two was written on a copy of the other's card."


class Copied(NamedTuple):
    """A record as it was closed, the one that continues it, and a copy of the first one that goes on."""

    closed: Path
    newer: Path
    goes_on: Path


@pytest.fixture
def copied(tmp_path: Path) -> Copied:
    newer, goes_on = tmp_path / "journal.db", tmp_path / "copy" / "journal.db"
    goes_on.parent.mkdir()
    write(newer, WHOLE, "g1")
    shutil.copy(newer, goes_on)
    shutil.copytree(jn.keys_of(newer).folder, jn.keys_of(goes_on).folder)
    with open_journal(newer) as journal:
        assert journal.begin_new_log()
    write(newer, WHOLE, "g2")
    write(goes_on, WHOLE, "g3")
    (closed,) = past_logs(newer)
    return Copied(closed, newer, goes_on)


def ran(*command: str | Path) -> tuple[int, str]:
    result = CliRunner().invoke(main, [str(word) for word in command])
    return result.exit_code, result.output


def test_the_record_that_was_closed_and_the_one_after_it_are_whole(copied: Copied) -> None:
    assert ran("journal", "verify", copied.closed, copied.newer)[0] == 0
    assert second([str(copied.closed), str(copied.newer)]) == 0


def test_verify_says_that_a_closed_record_goes_on(copied: Copied) -> None:
    for files in ((copied.goes_on, copied.newer), (copied.newer, copied.goes_on)):
        code, output = ran("journal", "verify", *files)
        assert (code, output.splitlines()[-1]) == (
            5,
            f"{copied.goes_on} was closed after entry {SIZE}, where {copied.newer} continues it, and yet it has entry "
            f"{2 * SIZE}. {COPY}",
        )
    code, output = ran("journal", "verify", "--json", copied.goes_on, copied.newer)
    assert code == 5
    assert [json.loads(line)["state"] for line in output.splitlines()[:2]] == ["whole", "whole"]


def test_the_second_verifier_says_it_too(copied: Copied, capsys: pytest.CaptureFixture[str]) -> None:
    for files in ((copied.goes_on, copied.newer), (copied.newer, copied.goes_on)):
        assert second([str(file) for file in files]) == 5
        assert capsys.readouterr().out.splitlines()[-1] == (
            f"FORKED: {copied.goes_on} was closed after entry {SIZE}, where {copied.newer} continues it, and it has "
            f"entry {2 * SIZE}."
        )


def test_audit_and_replay_prove_nothing_of_it(copied: Copied, tmp_path: Path) -> None:
    archive = tmp_path / "archive.db"
    merge([copied.goes_on, copied.newer], archive)
    for command in (("audit", copied.goes_on, copied.newer), ("audit", archive), ("replay", archive)):
        code, output = ran(*command)
        assert code == 5, (command, output)
        assert "NOT PROVEN" in output
        assert f"was closed after entry {SIZE}" in " ".join(output.split())
    code, output = ran("audit", "--json", copied.goes_on, copied.newer)
    files = json.loads(output)["files"]
    assert [(file["state"], file["verdict"]) for file in files] == [("forked", "not proven"), ("whole", "pass")]


def test_an_archive_with_both_is_forked_for_both_verifiers(copied: Copied, tmp_path: Path) -> None:
    archive = tmp_path / "archive.db"
    merge([copied.goes_on, copied.newer], archive)
    code, output = ran("journal", "verify", archive)
    assert (code, judge_file(archive).code) == (5, 5)
    assert f"{archive} (log 1) was closed after entry {SIZE}, where {archive} (log 2) continues it" in output


def test_exports_of_both_show_it_as_well(copied: Copied, tmp_path: Path) -> None:
    exports = []
    for number, file in enumerate((copied.goes_on, copied.newer)):
        exports.append(tmp_path / f"{number}.jsonl")
        assert ran("journal", "export", file, "-o", exports[-1])[0] == 0
    code, output = ran("journal", "verify", *exports)
    assert code == 5
    assert f"was closed after entry {SIZE}" in output


def test_a_game_that_is_deleted_from_a_closed_record_is_no_contradiction(copied: Copied) -> None:
    delete(copied.closed, "g1")
    assert ran("journal", "verify", copied.closed, copied.newer)[0] == 0
    assert second([str(copied.closed), str(copied.newer)]) == 0


def test_a_game_that_was_played_after_the_closing_and_deleted_is_one(copied: Copied) -> None:
    delete(copied.goes_on, "g3")
    assert ran("journal", "verify", copied.goes_on, copied.newer)[0] == 5
    assert second([str(copied.goes_on), str(copied.newer)]) == 5


def test_two_records_that_continue_the_same_one_are_told_apart(
    copied: Copied, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other" / "journal.db"
    other.parent.mkdir()
    shutil.copy(copied.closed, other)
    shutil.copytree(jn.keys_of(copied.closed).folder, jn.keys_of(other).folder)
    with open_journal(other) as journal:
        assert journal.begin_new_log()
    write(other, WHOLE, "g4")
    code, output = ran("journal", "verify", copied.newer, other)
    older = jn.verify(copied.newer).follows
    assert older is not None
    assert (code, output.splitlines()[-1]) == (
        5,
        f"{copied.newer} and {other} both continue the record of the device {fingerprint(older.device)}. {COPY}",
    )
    assert second([str(copied.newer), str(other)]) == 5
    assert capsys.readouterr().out.endswith(f"FORKED: {copied.newer} and {other} continue the same record.\n")


def test_a_record_that_is_named_twice_contradicts_nothing(copied: Copied, tmp_path: Path) -> None:
    shutil.copy(copied.newer, tmp_path / "again.db")
    files = [copied.closed, copied.newer, tmp_path / "again.db"]
    assert ran("journal", "verify", *files)[0] == 0
    assert second([str(file) for file in files]) == 0


def test_a_damaged_end_is_no_evidence(copied: Copied) -> None:
    """Whoever has no key could have put it there: a damaged record is only damaged."""
    from tests.pi_app.journal.record.forging import edit

    edit(copied.goes_on, "UPDATE entries SET signature = NULL")
    (jn.keys_of(copied.goes_on).folder / "last.head").unlink()
    assert ran("journal", "verify", copied.goes_on, copied.newer)[0] == 4
    assert second([str(copied.goes_on), str(copied.newer)]) == 4


# --------------------------------------------------------------------------------------- both copies of a card go on


@pytest.fixture
def both(tmp_path: Path) -> tuple[Path, Path]:
    """A record that goes on, and a copy of it with its keys that goes on as well, longer."""
    mine, copy = tmp_path / "journal.db", tmp_path / "copy" / "journal.db"
    copy.parent.mkdir()
    write(mine, WHOLE, "g1")
    shutil.copy(mine, copy)
    shutil.copytree(jn.keys_of(mine).folder, jn.keys_of(copy).folder)
    write(mine, WHOLE, "g2")
    write(copy, WHOLE, "g3")
    write(copy, WHOLE, "g4")
    return mine, copy


def test_two_copies_of_a_record_that_both_go_on_are_two_histories(
    both: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    mine, copy = both
    device = jn.verify(mine).device
    assert device is not None
    for files in (both, (copy, mine)):
        code, output = ran("journal", "verify", *files)
        assert (code, output.splitlines()[-1]) == (
            5,
            f"{mine} and {copy} are of the same device ({fingerprint(device)}), and differ before entry "
            f"{2 * SIZE + 1}. {COPY} Find out with `trapdial journal verify --witness` which one the witnesses saw.",
        )
        assert output.count("are of the same device") == 1
        assert second([str(file) for file in files]) == 5
        assert capsys.readouterr().out.splitlines()[-1] == (
            f"FORKED: {mine} and {copy} are of one device, and differ before entry {2 * SIZE + 1}."
        )


def test_an_audit_of_both_copies_proves_nothing_of_either(both: tuple[Path, Path]) -> None:
    code, output = ran("audit", "--json", *both)
    assert code == 5
    files = json.loads(output)["files"]
    assert [(file["state"], file["verdict"]) for file in files] == [("forked", "not proven")] * 2


def test_an_export_of_one_copy_and_the_other_are_two_histories_too(both: tuple[Path, Path], tmp_path: Path) -> None:
    mine, copy = both
    export = tmp_path / "mine.jsonl"
    assert ran("journal", "export", mine, "-o", export)[0] == 0
    assert ran("journal", "verify", export, copy)[0] == 5
    assert ran("journal", "verify", export, mine)[0] == 0


def test_an_older_copy_and_a_longer_one_are_one_history(both: tuple[Path, Path], tmp_path: Path) -> None:
    mine, _ = both
    older = tmp_path / "older.db"
    shutil.copy(mine, older)
    write(mine, WHOLE, "g5")
    delete(mine, "g1")
    for files in ((older, mine), (mine, older), (mine, mine, older)):
        assert ran("journal", "verify", *files)[0] == 0
        assert ran("audit", *files)[0] == 0
        assert second([str(file) for file in files]) == 0


def test_a_copy_that_nobody_with_the_key_has_written_is_only_damaged(both: tuple[Path, Path]) -> None:
    from tests.pi_app.journal.record.forging import edit

    mine, copy = both
    edit(copy, "UPDATE entries SET signature = NULL")
    (jn.keys_of(copy).folder / "last.head").unlink()
    assert ran("journal", "verify", mine, copy)[0] == 4
    assert second([str(mine), str(copy)]) == 4
