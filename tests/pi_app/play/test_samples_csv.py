"""Recordings hold whole lines whatever happens, and decoding gives the turns back."""

from __future__ import annotations

import errno
import io
import os
import stat
from pathlib import Path

import pytest

from hardware.readings import Magnet, Reading, Trouble, TroubleKind
from pi_app.audit import decode
from pi_app.dials.tracker import Tracker
from pi_app.game import events as ev
from pi_app.play import samples_csv as recording
from pi_app.play.build import TableBuilder
from pi_app.settings.load import example_path, load
from pi_app.simulated.build import simulated_table
from pi_app.text.errors import UserFileError
from tests.pi_app.games import played, started

SMALL = load(example_path("2x2"))


# -------------------------------------------------------------------------------------------- what to look at


def test_only_what_a_square_needs_is_opened() -> None:
    alone = recording.only(SMALL, ["T02"])
    assert (list(alone.squares), list(alone.buses), list(alone.seats)) == (["T02"], ["dials"], [])
    assert alone.table == SMALL.table


def test_a_square_that_is_not_there_is_named_with_those_that_are() -> None:
    with pytest.raises(UserFileError) as refused:
        recording.only(SMALL, ["T02", "TO2", "T9"])
    assert refused.value.problems == (
        f"{SMALL.where}: it has no square 'TO2'. Name one of its squares; there is 'T01' or 'T02'.",
        f"{SMALL.where}: it has no square 'T9'. Name one of its squares; there is 'T01' or 'T02'.",
    )


def test_the_test_games_do_end() -> None:
    assert played(started(), ev.Ended()).game.phase.name == "ENDED"


# ------------------------------------------------------------------------------------------------- the lines


@pytest.mark.parametrize(
    ("square", "sample", "line"),
    [
        (None, Reading(1234, 99), "99,1234,ok"),
        ("T01", Reading(0, 99), "99,T01,0,ok"),
        (None, Reading(4095, 7, Magnet.GOOD), "7,4095,good"),
        ("T01", Reading(5, 7, Magnet.TOO_WEAK), "7,T01,5,too weak"),
        (None, Trouble(TroubleKind.SILENT, 8, "words"), "8,,silent"),
        ("T01", Trouble(TroubleKind.NO_MAGNET, 8, "words"), "8,T01,,no magnet"),
    ],
)
def test_one_look_is_one_line(square: str | None, sample: Reading | Trouble, line: str) -> None:
    assert recording.row(square, sample) == line


@pytest.mark.parametrize("kind", list(TroubleKind))
def test_no_word_for_trouble_is_one_that_decode_takes_for_an_angle(kind: TroubleKind) -> None:
    assert kind.value not in decode.GOOD_STATUS


@pytest.mark.parametrize("magnet", [magnet for magnet in Magnet if magnet is not Magnet.MISSING])
def test_every_trusted_angle_is_one_for_decode_too(magnet: Magnet) -> None:
    assert recording.row(None, Reading(1, 1, magnet)).split(",")[2] in decode.GOOD_STATUS


# -------------------------------------------------------------------------------------------------- the file


def test_nothing_is_written_over_unless_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("precious")
    with pytest.raises(UserFileError) as refused:
        recording.CsvFile(path, "head")
    assert str(refused.value) == f"{path}: it is already there. Give another name, or say --overwrite."
    assert path.read_text() == "precious"
    recording.CsvFile(path, "head", overwrite=True).close()
    assert path.read_text() == "head\n"


def test_only_its_owner_may_read_it(tmp_path: Path) -> None:
    recording.CsvFile(tmp_path / "r.csv", "head").close()
    assert stat.S_IMODE((tmp_path / "r.csv").stat().st_mode) == 0o600


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UserFileError) as refused:
        recording.CsvFile(tmp_path / "gone" / "r.csv", "head")
    assert str(refused.value) == (
        f"{tmp_path}/gone/r.csv: it cannot be written (No such file or directory). "
        "Check the folder and the free space on the disk; the earlier lines are complete."
    )


def test_a_full_disk_leaves_whole_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.csv"
    file = recording.CsvFile(path, "t_ns,raw,status")
    file.add("1,2,ok")
    file.flush()
    really_write = os.write
    room = [4]

    def write(handle: int, data: bytes) -> int:
        if not room[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        taken, room[0] = really_write(handle, data[: room[0]]), 0
        return taken

    monkeypatch.setattr(os, "write", write)
    file.add("3,4,ok")
    file.add("5,6,ok")
    with pytest.raises(UserFileError, match=r"No space left on device"):
        file.flush()
    file.close()
    assert path.read_text() == "t_ns,raw,status\n1,2,ok\n"


# ------------------------------------------------------------------------------------------------- recording


def recorded(
    path: Path, labels: list[str], seconds: float, *, unplug_at_s: float | None = None
) -> recording.RecordedCounts:
    """Record simulated dials; T01 is turned by 4 clicks and T02 by -3."""
    settings = recording.only(SMALL, labels)
    table = simulated_table(settings, seed=3, stands={"T02": 5})
    for label, clicks in (("T01", 4), ("T02", -3)):
        if label in table.tiles:
            table.tiles[label].hand.turn(1_000_000_000, clicks, 200.0)
    if unplug_at_s is not None:
        table.clock.at(round(unplug_at_s * 1e9), table.tiles["T01"].unplug)
    with (
        TableBuilder(settings, table) as builder,
        recording.CsvFile(path, recording.SEVERAL_SQUARES if len(labels) > 1 else recording.ONE_SQUARE) as file,
    ):
        feed = recording.feed_of(settings, builder.wires(), table)
        return recording.record(
            feed,
            table.clock,
            file,
            named=len(labels) > 1,
            every_ns=recording.period_ns(settings),
            until_ns=round(seconds * 1e9),
        )


def test_a_single_square_is_read_back_by_decode(tmp_path: Path) -> None:
    counts = recorded(tmp_path / "r.csv", ["T01"], 4.0)
    data = (tmp_path / "r.csv").read_bytes()
    assert data.startswith(b"t_ns,raw,status\n")
    summary = decode.Summary()
    turns = list(decode.decode(io.BytesIO(data), "r.csv", Tracker(), summary))
    assert [(turn.from_position, turn.to_position, turn.clicks) for turn in turns] == [(0, 4, 4)]
    assert summary.samples == counts.samples
    assert 380 < counts.samples <= 400
    assert counts.failed == 0


def test_several_squares_say_which_they_are(tmp_path: Path) -> None:
    recorded(tmp_path / "r.csv", ["T01", "T02"], 3.0)
    head, *lines = (tmp_path / "r.csv").read_text().splitlines()
    assert head == "t_ns,square,raw,status"
    by_square = {label: [line for line in lines if line.split(",")[1] == label] for label in ("T01", "T02")}
    assert len(by_square["T01"]) == len(by_square["T02"]) == len(lines) // 2
    rows = "\n".join(f"{t},{raw},{status}" for t, _, raw, status in (line.split(",") for line in by_square["T02"]))
    text = f"t_ns,raw,status\n{rows}\n"
    (turn,) = decode.decode(io.BytesIO(text.encode()), "r.csv", Tracker(), decode.Summary())
    assert (turn.from_position, turn.to_position, turn.clicks) == (5, 2, -3)


def test_a_lead_that_is_pulled_is_recorded_as_failed_reads(tmp_path: Path) -> None:
    counts = recorded(tmp_path / "r.csv", ["T01"], 2.0, unplug_at_s=0.5)
    lines = (tmp_path / "r.csv").read_text().splitlines()
    assert counts.failed == sum(line.endswith(",,silent") for line in lines) > 100
    assert str(counts) == f"{counts.samples} samples, {counts.failed} of them failed reads"


def test_stopping_in_the_middle_leaves_whole_lines(tmp_path: Path) -> None:
    settings = recording.only(SMALL, ["T01", "T02"])
    table = simulated_table(settings)
    with (
        TableBuilder(settings, table) as builder,
        recording.CsvFile(tmp_path / "r.csv", recording.SEVERAL_SQUARES) as file,
    ):
        feed = recording.feed_of(settings, builder.wires(), table)
        counts = recording.record(
            feed,
            table.clock,
            file,
            named=True,
            every_ns=10_000_000,
            until_ns=None,
            go_on=lambda counts: counts.samples < 31,
        )
    text = (tmp_path / "r.csv").read_text()
    assert text.endswith("\n")
    assert [line.count(",") for line in text.splitlines()] == [3] * (counts.samples + 1)
    assert counts.samples >= 31
