"""A table without a network: its record goes to the centre on a stick, and the cosignatures come back the same way."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.centre.key_file import read_key
from pi_app.centre.stick import NOT_HERE
from pi_app.centre.store.sqlite import SqliteStore
from pi_app.cli.main import main
from pi_app.journal import Journal, archive
from pi_app.journal.cosigned import PinnedWitness, cosigned, pin
from pi_app.journal.record.checkpoints import cosigned_at, origin_of, read_checkpoint
from pi_app.journal.record.export_lines import ExportLines
from pi_app.journal.record.exported_entries import exported_hand_overs
from pi_app.journal.record.handover import read_handover
from pi_app.journal.record.notes import read_note
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.centre.records import CENTRE, entries_of
from tests.pi_app.sender.shop import Shop


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    ran("centre", "new", tmp_path / "centre", "--name", "centre.example/c1")
    return tmp_path / "centre" / "centre.toml"


@pytest.fixture
def shop(tmp_path: Path, settings: Path) -> Shop:
    """A table that has pinned the centre."""
    (tmp_path / "table").mkdir()
    made = Shop(tmp_path / "table")
    made.close()
    key = read_key(settings.with_name("centre.key"), "centre.example/c1")
    pin(made.path, PinnedWitness(key=key.verifier.text()))
    return made


def run(*words: object) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


def ran(*words: object) -> str:
    done = run(*words)
    assert done.exit_code == 0, done.output
    return done.stdout


def enrolled(settings: Path) -> list[str]:
    """The names of the records that the centre has."""
    store = SqliteStore(settings.with_name("centre.db"))
    names = [record.full_name for record in store.records()]
    store.close()
    return names


def brought(shop: Shop, stick: Path) -> Path:
    """Export a table's record to a stick."""
    ran("journal", "export", shop.path, "--for-centre", "-o", stick)
    return stick


def there(settings: Path, shop: Shop) -> list[object]:
    """The entries of a table that the centre has."""
    store = SqliteStore(settings.with_name("centre.db"))
    record = store.record(origin_of(shop.key.public))
    assert record is not None
    found: list[object] = [row[1:4] for row in store.rows(record.number)]
    store.close()
    return found


def test_a_record_goes_there_and_its_cosignatures_come_back(settings: Path, shop: Shop, tmp_path: Path) -> None:
    stick = brought(shop, tmp_path / "stick.jsonl")
    assert run("journal", "verify", stick).exit_code == 0, "it is an export like any other"
    taken = run("centre", "take", stick, "--enrol", "Table 4", "--shop", "Cog", "-s", settings)
    back = tmp_path / "stick.jsonl.cosigned"
    assert (taken.exit_code, taken.stderr) == (0, "")
    assert taken.stdout == (
        f"{stick}: Table 4: the centre has all 8 entries; 8 of them are new.\n"
        f"{back}: take this back to the table, and type there: trapdial journal witness take {back.name}\n"
    )
    assert there(settings, shop) == entries_of(shop.path)
    key = read_key(settings.with_name("centre.key"), "centre.example/c1").verifier
    assert ran("journal", "witness", "take", back, "--journal", shop.path) == (
        f"{shop.path}: centre.example/c1 saw 8 entries: kept.\n"
    )
    assert [cosigned_at(note, key) is not None for note in cosigned(shop.path)] == [True]
    assert "older than what is here" in ran("journal", "witness", "take", back, "--journal", shop.path)
    shop.play("g2")
    again = json.loads(ran("centre", "take", brought(shop, stick), "--json", "-s", settings))
    assert (again["name"], again["entries"], again["new"], again["refused"]) == ("Table 4", 16, 8, "")
    assert there(settings, shop) == entries_of(shop.path)
    assert "it had them before" in ran("centre", "take", stick, "-s", settings)


def test_a_game_that_was_deleted_before_it_came_is_taken_as_its_hashes(
    settings: Path, shop: Shop, tmp_path: Path
) -> None:
    shop.play("g2")
    archive.delete(shop.path, "g1")
    ran("centre", "take", brought(shop, tmp_path / "stick"), "--enrol", "Table 4", "-s", settings)
    found = there(settings, shop)
    assert found == entries_of(shop.path)
    assert sum(row[0] is None for row in found) == 8  # type: ignore[index]


def test_a_game_that_is_deleted_later_is_deleted_at_the_centre(settings: Path, shop: Shop, tmp_path: Path) -> None:
    ran("centre", "take", brought(shop, tmp_path / "stick"), "--enrol", "Table 4", "-s", settings)
    archive.delete(shop.path, "g1")
    ran("centre", "take", brought(shop, tmp_path / "stick"), "-s", settings)
    assert there(settings, shop) == entries_of(shop.path)


def test_a_record_that_continues_one_that_is_here_needs_no_enrolment(
    settings: Path, shop: Shop, tmp_path: Path
) -> None:
    ran("centre", "take", brought(shop, tmp_path / "stick"), "--enrol", "Table 4", "-s", settings)
    with Journal(shop.path, MAGE_KNIGHT) as journal:
        assert journal.begin_new_log()
    shop.play("g2")
    taken = json.loads(ran("centre", "take", brought(shop, tmp_path / "stick"), "--json", "-s", settings))
    assert (taken["name"], taken["refused"], taken["new"]) == ("Table 4", "", taken["entries"])
    assert taken["origin"] != origin_of(shop.key.public)
    ran("journal", "witness", "take", tmp_path / "stick.cosigned", "--journal", shop.path)


def test_an_export_names_the_newest_note_of_the_centre_that_takes_it(
    settings: Path, shop: Shop, tmp_path: Path
) -> None:
    for game in ("", "g2"):
        if game:
            shop.play(game)
        ran("centre", "take", brought(shop, tmp_path / "stick"), "--enrol", "Table 4", "-s", settings)
        ran("journal", "witness", "take", tmp_path / "stick.cosigned", "--journal", shop.path)
    key = read_key(settings.with_name("centre.key"), "centre.example/c1").verifier
    for centre, sizes in ((key, [16]), (CENTRE.verifier, [])):
        with brought(shop, tmp_path / "stick").open("rb") as file:
            (handed,) = exported_hand_overs(ExportLines(file), centre, lambda origin: 0)
        assert [read_checkpoint(read_note(text.encode()).text).size for text in (handed.since,) if text] == sizes


def test_a_checkpoint_of_other_entries_than_the_head_is_refused(settings: Path, shop: Shop, tmp_path: Path) -> None:
    old = json.loads(lines_of(brought(shop, tmp_path / "stick"))[0])
    shop.play("g2")
    first, *others = lines_of(brought(shop, tmp_path / "stick"))
    mixed = json.loads(first) | {"checkpoint": old["checkpoint"]}
    (tmp_path / "bad").write_bytes(b"".join([json.dumps(mixed).encode() + b"\n", *others]))
    done = run("centre", "take", tmp_path / "bad", "--enrol", "x", "-s", settings)
    assert (done.exit_code, done.stderr) == (
        2, f"{tmp_path}/bad line 1: it has a checkpoint of other entries than its head.\n",
    )  # fmt: skip


def test_two_histories_are_evidence(settings: Path, shop: Shop, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "table", tmp_path / "copy")
    shop.play("g2")
    ran("centre", "take", brought(shop, tmp_path / "stick"), "--enrol", "Table 4", "-s", settings)
    mine = there(settings, shop)
    shop.path = tmp_path / "copy" / "journal.db"
    shop.play("g3")
    done = run("centre", "take", brought(shop, tmp_path / "other"), "-s", settings)
    why = "Entry 9 differs from the one that was handed over before: this record has two histories."
    assert (done.exit_code, done.stdout) == (5, "")
    assert done.stderr == f"{tmp_path}/other: Table 4: not taken. {why} What was brought is kept as evidence.\n"
    store = SqliteStore(settings.with_name("centre.db"))
    (found,) = store.evidence.all()
    store.close()
    assert (found.address, found.why) == ("a stick", why)
    assert read_handover(found.body).last == 16
    assert there(settings, shop) == mine
    assert not (tmp_path / "other.cosigned").exists()


def test_what_is_not_enrolled_or_revoked_is_refused_with_the_way_on(settings: Path, shop: Shop, tmp_path: Path) -> None:
    stick = brought(shop, tmp_path / "stick")
    origin = origin_of(shop.key.public)
    done = run("centre", "take", stick, "-s", settings)
    assert (done.exit_code, done.stderr) == (1, f"{stick}: {origin}: not taken. {NOT_HERE}\n")
    ran("centre", "take", stick, "--enrol", "Table 4", "-s", settings)
    ran("centre", "revoke", "Table 4", "-s", settings)
    done = run("centre", "take", stick, "-s", settings)
    assert done.exit_code == 1
    assert done.stderr == f"{stick}: Table 4: not taken. This table was revoked: nothing more is taken from it.\n"


def test_a_record_is_not_taken_under_a_second_name(settings: Path, shop: Shop, tmp_path: Path) -> None:
    stick = brought(shop, tmp_path / "stick")
    ran("centre", "take", stick, "--enrol", "Table 4", "--shop", "Cog", "-s", settings)
    for words in (["--enrol", "Table 5"], ["--enrol", "Table 4", "--shop", "Rival"]):
        done = run("centre", "take", stick, *words, "-s", settings)
        why = "Its record is enrolled here already, as Table 4 of Cog. Take it without --enrol."
        assert (done.exit_code, done.stdout, done.stderr) == (1, "", f"{stick}: Table 4: not taken. {why}\n")
    assert "it had them before" in ran("centre", "take", stick, "--enrol", "Table 4", "-s", settings)
    assert enrolled(settings) == ["Table 4 of Cog"]


def test_one_that_is_shorter_than_what_is_here_is_refused(settings: Path, shop: Shop, tmp_path: Path) -> None:
    old = brought(shop, tmp_path / "old")
    shop.play("g2")
    ran("centre", "take", brought(shop, tmp_path / "new"), "--enrol", "Table 4", "-s", settings)
    done = run("centre", "take", old, "-s", settings)
    assert (done.exit_code, done.stderr) == (1, f"{old}: Table 4: not taken. Entries up to 16 are here.\n")


def lines_of(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


def test_a_file_that_is_no_export_for_a_centre_is_refused_in_words(settings: Path, shop: Shop, tmp_path: Path) -> None:
    whole = lines_of(brought(shop, tmp_path / "stick"))
    ran("journal", "export", shop.path, "-o", tmp_path / "plain")
    shop.play("g2")
    spoilt = {
        b"": "line 1: it is missing: the file is empty.",
        b"hello\n": "line 1: it is no head: this is no export.",
        b"".join(
            lines_of(tmp_path / "plain")
        ): "line 1: it has no checkpoint, which a centre needs. Make the export at "
        "the table with --for-centre: trapdial journal export.",
        b"".join(whole[:-1]): "line 1: it is followed by entries up to 7, and its record has 8: a centre takes a whole "
        "record.",
        b"".join([*whole[:3], *whole[4:]]): "line 4: it is entry 4, and entry 3 is missing: a centre takes a whole "
        "record.",
        b"".join(
            [*whole[:3], whole[3][:40], b"\n", *whole[4:]]
        ): "line 4: it cannot be read: it was cut off or changed.",
    }
    for data, message in spoilt.items():
        (tmp_path / "bad").write_bytes(data)
        done = run("centre", "take", tmp_path / "bad", "--enrol", "x", "-s", settings)
        assert (done.exit_code, done.stderr) == (2, f"{tmp_path}/bad {message}\n")
    done = run("centre", "take", tmp_path / "none", "-s", settings)
    assert (done.exit_code, done.stderr) == (
        2, f"{tmp_path}/none: it cannot be read (No such file or directory). Check the name, and who may read it.\n",
    )  # fmt: skip


@pytest.mark.parametrize("at", range(1, 9))
def test_an_entry_that_was_changed_is_not_taken(settings: Path, shop: Shop, tmp_path: Path, at: int) -> None:
    lines = lines_of(brought(shop, tmp_path / "stick"))
    entry = json.loads(lines[at])
    entry["sealed"] = entry["sealed"][:-8] + ("AAAAAAA=" if entry["sealed"].endswith("=") else "AAAAAAAA")
    (tmp_path / "bad").write_bytes(b"".join([*lines[:at], json.dumps(entry).encode() + b"\n", *lines[at + 1 :]]))
    done = run("centre", "take", tmp_path / "bad", "--enrol", "Table 4", "-s", settings)
    assert done.exit_code == 1
    assert ": not taken. " in done.stderr
    assert enrolled(settings) == []


def test_an_export_without_the_tables_key_is_refused_at_the_table(shop: Shop, tmp_path: Path) -> None:
    shutil.copy(shop.path, tmp_path / "alone.db")
    done = run("journal", "export", tmp_path / "alone.db", "--for-centre", "-o", tmp_path / "stick")
    assert done.exit_code == 2
    assert "has no key of its device beside it, and a centre takes only what the table has signed" in done.stderr
    done = run("journal", "export", shop.path, "--for-centre", "--game", "g1")
    assert (done.exit_code, "--game cannot be used with --for-centre" in done.stderr) == (2, True)


def test_a_file_that_comes_back_to_another_table_is_refused(settings: Path, shop: Shop, tmp_path: Path) -> None:
    ran("centre", "take", brought(shop, tmp_path / "stick"), "--enrol", "Table 4", "-s", settings)
    (tmp_path / "other").mkdir()
    other = Shop(tmp_path / "other")
    other.close()
    done = run("journal", "witness", "take", tmp_path / "stick.cosigned", "--journal", other.path)
    assert (done.exit_code, "is brought a checkpoint of another table's record" in done.stderr) == (2, True)
    ran("journal", "witness", "remove", "centre.example/c1", "--journal", shop.path)
    done = run("journal", "witness", "take", tmp_path / "stick.cosigned", "--journal", shop.path)
    assert "is brought a checkpoint that no pinned witness has cosigned (pinned: none)" in done.stderr
    for text in ("", "{}", '{"notes": ["x"]}', "[" * 100_000):
        (tmp_path / "bad").write_text(text)
        done = run("journal", "witness", "take", tmp_path / "bad", "--journal", shop.path)
        assert (done.exit_code, "has no cosignatures that can be read" in done.stderr) == (2, True)
    assert jn.verify(shop.path).damage is None
