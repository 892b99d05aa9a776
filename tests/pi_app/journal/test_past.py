"""Records that continue another one: who may say so, and how `trapdial journal verify` compares them."""

from __future__ import annotations

import shutil
from pathlib import Path
from unittest import mock

import msgspec
import pytest
from click.testing import CliRunner

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.journal import Journal, JournalFileError, writing
from pi_app.journal.archive import delete
from pi_app.journal.past import keep_head, past_logs, past_of
from pi_app.journal.record.entry import Continues
from pi_app.journal.record.heads import Head, read_heads
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.limits import MOST_WITNESSES
from pi_app.journal.record.succession import continued, vouched
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment
from tests.pi_app.journal.keeping import STAMP, WHOLE, open_journal, refusal, write

OLD, NEW, OTHER = (device_key(bytes([number]) * 32) for number in (1, 2, 3))
HEAD = Head.made(OLD, 7, bytes(32))


def test_a_device_vouches_for_one_record() -> None:
    assert continued(vouched(OLD, HEAD, NEW.public), NEW.public) == HEAD


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (vouched(OTHER, HEAD, NEW.public), "that record's device did not vouch for this one"),
        (vouched(OLD, HEAD, OTHER.public), "that record's device did not vouch for this one"),
        (vouched(NEW, Head.made(NEW, 7, bytes(32)), NEW.public), "it is of the same device"),
        (Continues(head=HEAD.text(), by="00"), "its signature is malformed"),
        (Continues(head=HEAD.text(), by="zz" * 64), "non-hexadecimal"),
        (Continues(head="TRAPDIAL1 AAAA", by=""), "a head has 218 letters after TRAPDIAL1, not 4"),
    ],
)
def test_nobody_else_can_continue_it(said: Continues, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        continued(said, NEW.public)


def put_aside(path: Path, *games: str) -> None:
    with open_journal(path) as journal:
        for game in games:
            play(journal, game)
            assert journal.begin_new_log()


def test_a_disk_that_refuses_the_next_record_costs_no_more_than_the_time_until_it_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    full = JournalFileError(["the disk is full"])
    with open_journal(path) as journal:
        play(journal, "g1")
        with mock.patch.object(writing, "open_file", side_effect=full):
            for _ in range(2):
                with pytest.raises(JournalFileError, match="the disk is full"):
                    journal.begin_new_log()
            with pytest.raises(jn.NotRecordedError, match="the disk is full"):
                play(journal, "g2")
            assert (journal.size_bytes, journal.began()) == (0, None)
        play(journal, "g2")
        assert (journal.size_bytes > 0, journal.began()) == (True, STAMP)
        assert journal.begin_new_log()
    first, second = map(jn.verify, past_logs(path))
    assert (first.damage, second.damage) == (None, None)
    assert second.follows is not None


def play(journal: Journal[Moment, ev.AnyEvent], game: str) -> None:
    moment = NO_GAME
    for event in WHOLE:
        moment = journal.append(game, moment, event)


def test_a_record_that_names_an_older_one_wrongly_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    put_aside(path, "g1")
    ring = jn.keys_of(path)
    ring.keep_continues(msgspec.json.encode(vouched(OTHER, HEAD, NEW.public)).decode())
    write(path, WHOLE, "g2")
    damage = jn.verify(path).damage
    assert damage is not None
    assert (damage.seq, damage.seen) == (
        1,
        "names an older record that it does not continue: that record's device did not vouch for this one",
    )


def test_keys_that_say_nothing_sensible_begin_no_game(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    put_aside(path, "g1")
    jn.keys_of(path).keep_continues("{}")
    with pytest.raises(jn.NotRecordedError, match="does not say which record it continues"):
        write(path, WHOLE, "g2")


def test_before_its_first_game_it_says_where_the_records_are(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    put_aside(path, "g1")
    assert refusal(path) == f"{path} (file) has no entry yet. The records before it are in {past_of(path)}."


def test_verify_compares_each_record_with_the_one_that_continues_it(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    put_aside(path, "g1", "g2")
    write(path, WHOLE, "g3")
    files = [*past_logs(path), path]
    ran = CliRunner().invoke(main, ["journal", "verify", *map(str, files)])
    assert ran.exit_code == 0, ran.output
    assert ran.output.count("It continues the record of the device") == 2
    rewritten = tmp_path / "other" / "journal.db"
    rewritten.parent.mkdir()
    shutil.copytree(files[0].with_name(files[0].name + ".keys"), jn.keys_of(rewritten).folder)
    (jn.keys_of(rewritten).folder / "last.head").unlink()
    write(rewritten, WHOLE, "g9")
    ran = CliRunner().invoke(main, ["journal", "verify", str(rewritten), str(files[1])])
    assert ran.exit_code == 5
    assert ran.output.splitlines()[-1] == (
        f"{files[1]} continues another record than {rewritten}. Witness 1 saw 6 entries: other ones than stand here. "
        "Something from entry 1 to 6 was changed."
    )


def test_only_as_many_heads_stay_as_one_command_compares(tmp_path: Path) -> None:
    path = tmp_path / "journal.db"
    past_of(path).mkdir()
    file = past_of(path) / "heads.txt"
    file.write_text("".join(f"old {number}\n" for number in range(MOST_WITNESSES)), encoding="utf-8")
    keep_head(path, HEAD.text())
    keep_head(path, HEAD.text())
    lines = file.read_text(encoding="utf-8").splitlines()
    assert (len(lines), lines[0]) == (MOST_WITNESSES, "old 1")
    assert read_heads(lines[-1]) == [HEAD]


@pytest.mark.parametrize(("games", "said"), [(("g1",), "the only one was"), (("g1", "g2"), "all 2 were")])
def test_the_audit_of_deleted_games_says_what_became_of_them(tmp_path: Path, games: tuple[str, ...], said: str) -> None:
    path = tmp_path / "journal.db"
    for game in games:
        write(path, WHOLE, game)
    for game in games:
        delete(path, game)
    for command in ("audit", "replay"):
        ran = CliRunner().invoke(main, [command, str(path)])
        assert ran.exit_code == 2
        assert ran.output == (
            f"{path} (file) holds no game: {said} deleted on purpose. `trapdial journal verify` proves what is left.\n"
        )


@pytest.mark.parametrize("last", ["a" * 300, "a" * 250])
def test_a_journal_whose_name_is_too_long_is_refused_in_words(tmp_path: Path, last: str) -> None:
    path = tmp_path / last
    with pytest.raises(JournalFileError) as refused:
        Journal(path, MAGE_KNIGHT)
    assert str(refused.value) == (
        f"{path} (file) could not be opened (File name too long). Choose another place with --journal."
    )
