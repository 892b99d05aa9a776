"""The attacker puts an older copy of a journal in its place, with a valid signature at its end. The device's own note,
`last.head` beside its keys, knows more entries: every command says that the record is cut off, and how much is missing.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.journal import JournalFileError
from pi_app.journal.record.heads import Head
from pi_app.journal.record.key_ring import LAST_HEAD
from pi_app.journal.record.verdict import RecordState
from pi_app.report.moment import NO_GAME
from tests.pi_app.journal.keeping import WHOLE, open_journal, write
from tests.pi_app.journal.record.forging import edit
from wiring_docs.journal_verifier import judge_file
from wiring_docs.journal_verifier import main as second

FIRST = len(WHOLE)
CUT_OFF = (
    f"Entry {FIRST + 1} is missing, and so are the {FIRST - 1} after it: `last.head` beside the keys of this record "
    f"knows {2 * FIRST} entries."
)


@pytest.fixture
def put_back(tmp_path: Path) -> Path:
    """A journal as it was after its first game, of two."""
    path, older = tmp_path / "journal.db", tmp_path / "older"
    write(path, WHOLE, "g1")
    shutil.copy(path, older)
    write(path, WHOLE, "g2")
    shutil.copy(older, path)
    return path


def ran(*command: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, command)
    return result.exit_code, result.output


def last_head(path: Path) -> Path:
    return jn.keys_of(path).folder / LAST_HEAD


def test_every_command_says_that_it_is_cut_off_and_how_much_is_missing(put_back: Path) -> None:
    code, output = ran("journal", "verify", str(put_back))
    assert (code, output.splitlines()[0]) == (
        4,
        f"{put_back}: CUT OFF. {CUT_OFF} The {FIRST} before it are bound to each other.",
    )
    for command in (
        ("audit",),
        ("replay",),
        ("replay", "--as", "public"),
        ("journal", "head"),
        ("journal", "head", "--checkpoint"),
        ("journal", "export"),
        ("journal", "merge", "-o", str(put_back.with_name("archive.db"))),
        ("journal", "delete", "--yes"),
    ):
        code, output = ran(*command, str(put_back), *(("g1",) if "delete" in command else ()))
        text = " ".join(output.split())
        assert code == 4, (command, output)
        assert f"missing, and so are the {FIRST - 1} after it" in text, (command, output)
        assert "TRAPDIAL1" not in text, "nothing that it signs speaks for an older state"


def test_json_has_the_number_of_missing_entries(put_back: Path) -> None:
    code, output = ran("journal", "verify", "--json", str(put_back))
    facts = json.loads(output)
    assert (code, facts["state"], facts["missing"]) == (4, "damaged", FIRST)


def test_the_second_verifier_says_it_too(put_back: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert second([str(put_back)]) == 4
    assert capsys.readouterr().out == (
        f"DAMAGED: entry {FIRST + 1} is missing: last.head beside the keys knows {2 * FIRST} entries.\n"
    )


def test_a_copy_elsewhere_knows_nothing_of_it(put_back: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    shutil.copy(put_back, copy)
    assert jn.verify(copy).state is RecordState.WHOLE
    assert judge_file(copy).code == 0


def test_another_history_is_found_out_as_well(tmp_path: Path) -> None:
    path, keys = tmp_path / "journal.db", jn.keys_of(tmp_path / "journal.db").folder
    write(path, WHOLE, "g1")
    shutil.copy(path, tmp_path / "older")
    shutil.copytree(keys, tmp_path / "older keys")
    write(path, WHOLE, "g2")
    kept = last_head(path).read_text()
    shutil.copy(tmp_path / "older", path)
    shutil.rmtree(keys)
    shutil.copytree(tmp_path / "older keys", keys)
    write(path, WHOLE, "g3")
    last_head(path).write_text(kept)
    code, output = ran("journal", "verify", str(path))
    assert (code, output.splitlines()[0]) == (
        4,
        f"{path}: DAMAGED. Entry {2 * FIRST} or one before it is not what this device has written: `last.head` beside "
        f"the keys of this record knows other entries. The {2 * FIRST - 1} before it are bound to each other.",
    )
    assert (judge_file(path).code, judge_file(path).damaged) == (4, 2 * FIRST)
    assert ran("journal", "head", str(path))[0] == 4


def test_a_record_that_was_emptied_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write(path, WHOLE, "g1")
    edit(path, "DELETE FROM entries")
    verdict = jn.verify(path)
    assert (verdict.state, verdict.missing) == (RecordState.DAMAGED, FIRST)
    assert (judge_file(path).code, judge_file(path).damaged) == (4, 1)


def test_an_unsigned_end_says_how_much_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    write(path, WHOLE, "g1")
    edit(path, "DELETE FROM entries WHERE seq = ?", FIRST)
    verdict = jn.verify(path)
    assert verdict.damage is not None
    assert (verdict.missing, verdict.damage.seq) == (1, FIRST)
    assert verdict.damage.seen == f"is missing: `last.head` beside the keys of this record knows {FIRST} entries"
    assert judge_file(path).damaged == FIRST


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (bytes(240), "a head begins with TRAPDIAL1"),
        (b"TRAPDIAL1 AAAA", "a head has 218 letters after TRAPDIAL1, not 4"),
        (b"\xff" * 200, "it could not be read (it is no text)"),
        (None, "it is missing"),
    ],
)
def test_a_note_that_is_missing_or_damaged_is_only_a_hint(tmp_path: Path, content: bytes | None, why: str) -> None:
    path = tmp_path / "journal.db"
    write(path, WHOLE, "g1")
    last_head(path).unlink()
    if content is not None:
        last_head(path).write_bytes(content)
    code, output = ran("journal", "verify", str(path))
    assert code == 0
    assert (
        f"`last.head` beside its keys does not say how many entries there were ({why}): an older copy would look as "
        "good."
    ) in output
    assert judge_file(path).code == 0
    with open_journal(path) as journal:
        aside = journal.set_aside
    if content is None:
        assert aside is None
    else:
        assert aside == jn.keys_of(path).folder / "last.head.damaged"
        assert aside.read_bytes() == content
    write(path, WHOLE, "g2")
    assert jn.verify(path).state is RecordState.WHOLE
    assert last_head(path).read_text().startswith("TRAPDIAL1"), "it is kept again from now on"


def test_keys_are_moved_without_a_note_that_cannot_be_read(tmp_path: Path) -> None:
    path, stick = tmp_path / "journal.db", tmp_path / "stick"
    stick.mkdir()
    write(path, WHOLE, "g1")
    last_head(path).write_bytes(b"\xff")
    code, output = ran("journal", "keys", str(path), "--move-to", str(stick))
    assert code == 0, output
    write(path, WHOLE, "g2")
    assert last_head(path) == stick / "journal.db.keys" / LAST_HEAD
    assert jn.verify(path).state is RecordState.WHOLE


def test_a_note_of_another_device_says_nothing_of_this_record(tmp_path: Path) -> None:
    mine, other = tmp_path / "journal.db", tmp_path / "other.db"
    write(mine, WHOLE, "g1")
    write(other, WHOLE, "g1")
    write(other, WHOLE, "g2")
    shutil.copy(last_head(other), last_head(mine))
    code, output = ran("journal", "verify", str(mine))
    assert code == 0
    assert "does not say how many entries there were (it is of another device)" in output
    assert judge_file(mine).code == 0
    write(mine, WHOLE, "g2")
    assert (last_head(mine).parent / "last.head.damaged").read_bytes() == last_head(other).read_bytes()
    assert ran("journal", "verify", str(mine))[0] == 0


def test_a_wrong_device_key_sets_no_good_note_aside(tmp_path: Path) -> None:
    mine, other = tmp_path / "journal.db", tmp_path / "other.db"
    write(mine, WHOLE, "g1")
    write(other, WHOLE, "g1")
    kept = last_head(mine).read_bytes()
    shutil.copy(last_head(other).parent / "device.key", last_head(mine).parent)
    with pytest.raises(JournalFileError, match="is not signed by this device"):
        write(mine, WHOLE, "g2")
    assert last_head(mine).read_bytes() == kept
    mine.unlink()
    with pytest.raises(JournalFileError, match="is gone"):
        write(mine, WHOLE, "g2")


def test_a_game_that_goes_on_while_it_is_verified_is_never_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The note is read before the entries: it never knows more than is on the disk by then."""
    path = tmp_path / "journal.db"
    write(path, WHOLE, "g1")
    real = jn.rows.raw
    wrote: list[int] = []

    def goes_on(path: Path) -> object:
        opened = real(path)
        if not wrote:
            wrote.append(1)
            write(path, WHOLE, "g2")
        return opened

    monkeypatch.setattr(jn.rows, "raw", goes_on)
    assert jn.verify(path).state is RecordState.WHOLE
    assert wrote


def test_the_refusal_to_play_on_is_as_before(put_back: Path) -> None:
    with pytest.raises(JournalFileError, match=f"has {FIRST} entries, and this device has written {2 * FIRST} into it"):
        write(put_back, (ev.Ended(),), "g2")


def test_a_head_that_was_kept_fits_while_a_game_is_on(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    with open_journal(path) as journal:
        moment = journal.append("g1", NO_GAME, WHOLE[0])
        for event in WHOLE[1:-1]:
            moment = journal.append("g1", moment, event)
        assert jn.verify(path).state is RecordState.INTERRUPTED
        assert isinstance(jn.head(path), Head)


def test_a_table_that_was_enrolled_and_has_not_played_is_not_called_gone(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    jn.keys_of(path).device()
    for command in (("journal", "verify"), ("journal", "head"), ("audit",), ("replay",)):
        code, output = ran(*command, str(path))
        assert (code, output) == (
            2,
            f"{path} (file) is not there: {path}.keys knows of no game in it. It begins with the first game, such as "
            "after an enrolment. If one was played, put it back from a copy.\n",
        )
    write(path, WHOLE, "g1")
    assert ran("journal", "verify", str(path))[0] == 0
