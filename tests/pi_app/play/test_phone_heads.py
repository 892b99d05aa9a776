"""Phones as witnesses: every frame of a game has the newest head of its record, which later says whether the record is
still the one that was shown."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Final
from unittest import mock

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.journal.record import heads as hd
from pi_app.journal.record.heads import read_head
from pi_app.journal.record.verdict import RecordState
from pi_app.pages.messages import Frames, ToPages
from pi_app.play.phones import BEAT_NS
from tests.crash.disk import Disk, Told
from tests.crash.judge import faults
from tests.crash.recorder import Recorder, recording
from tests.crash.runs import folder_with
from tests.pi_app.phones_at_table import ANN_CARD, BEN_CARD, Phone, Phones
from tests.pi_app.playing import Played, table
from wiring_docs import journal_verifier

JOURNAL: Final = "journal.db"


def kept(phone: Phone) -> list[str]:
    """The heads that a phone keeps: the newest last, each once (`keepHead` in page.js)."""
    return list(dict.fromkeys(frame["head"] for frame in phone.frames))


def heads_file(folder: Path, phone: Phone) -> Path:
    """The file that the page's button saves."""
    file = folder / "heads.txt"
    file.write_text("\n".join(kept(phone)) + "\n")
    return file


def verify(*words: str | Path) -> Result:
    return CliRunner().invoke(main, ["journal", "verify", *map(str, words)])


def whole_turn(at: Played, phones: Phones, phone: Phone, square: str) -> None:
    phone.tap()
    at.turn(square, 3)
    at.run(0.3)
    phone.hold()
    phone.let_go()
    phones.read()


def test_each_frame_has_the_newest_head_of_its_record(tmp_path: Path) -> None:
    phones = Phones(1)
    with table(tmp_path, pages=phones.pages) as at:
        ann, ben = phones.at(at).join(ANN_CARD), phones.join(BEN_CARD)
        for square, phone in (("T01", ann), ("T02", ben)):
            entries = len(at.events())
            whole_turn(at, phones, phone, square)
            now = at.demo.loop.session.journal.head()
            assert now.size == len(at.events()) > entries
            assert {each.now["head"] for each in (ann, ben)} == {now.text()}
        sizes = [read_head(text).size for text in kept(ann)]
        assert sizes == sorted(sizes)
        assert len(sizes) > 6, "one for nearly each entry of the two turns"
        assert {len(text) for text in kept(ann)} == {249}
        assert {size for sizes in phones.sizes for size in sizes} == {4096}
        assert all(frame["qr"] is None for frame in ann.frames), "the code is for the end of the game"


def test_a_head_is_signed_once_for_as_many_entries(tmp_path: Path) -> None:
    """However many frames and beats have it."""
    phones = Phones(1)
    with table(tmp_path, pages=phones.pages) as at:
        ann = phones.at(at).join(ANN_CARD)
        with mock.patch.object(hd.Head, "made", wraps=hd.Head.made) as made:
            at.run(10 * BEAT_NS / 1e9)
            phones.read()
            assert made.call_count == 0
            at.tap("BEN")
            phones.read()
            assert made.call_count == 1
        assert read_head(ann.now["head"]).size == len(at.events())


def test_the_file_of_a_phone_is_a_witness_in_the_middle_of_a_game(tmp_path: Path) -> None:
    phones = Phones(1)
    with table(tmp_path, pages=phones.pages) as at:
        ann = phones.at(at).join(ANN_CARD)
        whole_turn(at, phones, ann, "T01")
        size = read_head(ann.now["head"]).size
        during = verify(tmp_path / JOURNAL, "--witness", heads_file(tmp_path, ann))
        assert during.exit_code == 3
        assert f"Up to entry {size} it is what a witness saw" in during.output
        whole_turn(at, phones, ann, "T02")
        at.say("end")
    after = verify(tmp_path / JOURNAL, "--witness", tmp_path / "heads.txt")
    assert after.exit_code == 0
    assert f"Up to entry {size} it is what a witness saw" in after.output
    assert journal_verifier.main([str(tmp_path / JOURNAL), str(tmp_path / "heads.txt")]) == 0


def test_a_record_that_was_rewritten_after_a_head_is_found_out(tmp_path: Path) -> None:
    """The same device plays the rest of the game once more, from a copy of its own files."""
    phones, copy = Phones(1), tmp_path / "copy"
    with table(tmp_path, pages=phones.pages) as at:
        ann = phones.at(at).join(ANN_CARD)
        good = read_head(ann.now["head"]).size
    shutil.copytree(tmp_path, copy, ignore=shutil.ignore_patterns("copy"))
    second = Phones(2)
    with table(tmp_path, resume=True, pages=second.pages) as at:
        ann.at = second.at(at)
        ann.come_back()
        whole_turn(at, second, ann, "T01")
        seen = read_head(ann.now["head"]).size
    with table(copy, resume=True) as at:
        at.expose("ANN", "T02", 2)
        at.expose("ANN", "T01", 1)
        at.say("end")
    file = heads_file(tmp_path, ann)
    assert jn.verify(copy / JOURNAL).state is RecordState.WHOLE
    found = verify(copy / JOURNAL, "--witness", file)
    assert found.exit_code == 5
    assert f"Something from entry {good + 1} to {seen} was changed." in found.output
    assert journal_verifier.main([str(copy / JOURNAL), str(file)]) == 5


def note_heads(phones: Phones, phone: Phone, recorder: Recorder) -> None:
    """Note each head at the moment in which the table sends it."""

    def send(message: ToPages) -> None:
        phones.receive(message)
        if isinstance(message, Frames) and phone.frames:
            head = read_head(phone.now["head"])
            recorder.ops.append(Told("", head.size, head.text()))

    phones.link.send = send  # type: ignore[method-assign]


@pytest.mark.parametrize("seed", range(3))
def test_a_phone_is_a_witness_of_a_game_that_a_power_cut_ended(seed: int, tmp_path: Path) -> None:
    """At every moment of a game: the disk keeps all that a phone was shown a head of, and the game can go on."""
    phones, draw = Phones(seed), random.Random(seed)
    with recording(tmp_path) as recorder, table(tmp_path, pages=phones.pages) as at:
        joined = phones.at(at).join(ANN_CARD)
        note_heads(phones, joined, recorder)
        whole_turn(at, phones, joined, "T01")
        at.say("claim ben")
        whole_turn(at, phones, joined, "T02")
    told = [each for each in recorder.ops if isinstance(each, Told)]
    assert len(told) > 8
    disk, shown, judged = Disk(recorder.began), list[Told](), 0
    for op in recorder.ops:
        if shown and disk.unsure() and draw.random() < 0.3:
            with folder_with(disk.after_a_cut(draw)) as folder:
                assert faults(folder / JOURNAL, shown) == []
                judged += 1
        disk.happen(op)
        if isinstance(op, Told):
            shown.append(op)
    assert judged > 3
    with folder_with(disk.after_a_cut(draw)) as folder:
        result = verify(folder / JOURNAL, "--witness", heads_file(tmp_path, joined))
        assert result.exit_code == 3, "the game has no end"
        assert f"Up to entry {read_head(kept(joined)[-1]).size} it is what a witness saw" in result.output
