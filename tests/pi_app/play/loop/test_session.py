"""An event is written to disk, then applied, then reported; or nothing of that if the disk refuses."""

from __future__ import annotations

import errno
from pathlib import Path

from pi_app.audit.replay import replay
from pi_app.game import events as ev
from pi_app.journal.record.entry import read_public
from pi_app.report.pictures import ShowFace
from pi_app.simulated import actions
from tests.pi_app.audit.scenes import with_dates
from tests.pi_app.bad_disk import on_a_bad_disk
from tests.pi_app.journal.record.forging import rows
from tests.pi_app.playing import CAGE, table


def test_it_is_on_disk_before_anyone_is_told(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        entries_when_told: list[int] = []

        class Checker:
            def told(self, viewer: str, line: str, at_ns: int) -> None:
                if line == "T01: exposed by Ann.":
                    kinds = [read_public(row[1]).kind for row in rows(at.journal)]
                    entries_when_told.append(kinds.count("turned"))

        at.demo.loop.session.listeners = (Checker(),)
        at.expose("ANN", "T01", 3)
        assert entries_when_told
        assert set(entries_when_told) == {1}


def test_when_the_disk_does_not_take_it_nobody_is_told(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path) as at:
        at.tap("ANN")
        at.turn("T01", 3)
        disk.number = errno.ENOSPC
        at.lines.clear()
        at.press("ANN")
        assert at.screens["ANN"] == "Not recorded: wait. Tell the table."
        assert at.heard("public") == []
        assert "could not be written" in at.heard("referee")[-1]
        at.let_go("ANN")
        disk.number = None
        at.press("ANN")
        assert at.screens["ANN"].startswith(CAGE)
        assert [turn.motion.clicks for turn in at.turns()] == [3]


def test_a_full_disk_and_a_pulled_plug_are_told_once(tmp_path: Path) -> None:
    with on_a_bad_disk(tmp_path) as disk, table(tmp_path) as at:
        disk.number = errno.ENOSPC
        at.demo.act(actions.InjectFault("T01", "unplugged"))
        at.run(5.0)
        refused = [line for line in at.heard("referee") if "could not be written" in line]
        assert len(refused) == 1
        disk.number = None
        at.run(1.5)
        assert at.demo.loop.moment.game.squares["T01"].lost


def test_a_face_is_only_ever_handed_to_the_seat_that_holds_its_button(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.expose("ANN", "T01", 3)
        at.expose("BEN", "T02", 1)
        assert not any(isinstance(picture, ShowFace) for picture in at.pictures.values())


def test_a_clock_that_is_set_during_a_game_is_told_to_the_referee_alone(tmp_path: Path) -> None:
    with with_dates(tmp_path, off_s=-3600.0) as at:
        at.demo.loop.session.listeners = (at,)
        at.dates.off_s = 0.0
        at.tap("ANN")
        assert [(viewer, line) for viewer, line in at.lines if "clock" in line] == [
            (
                "referee",
                "clock (the date): it was 3600.0 s behind and was corrected. No action needed: "
                "the journal notes it for its earlier entries.",
            )
        ]
        assert [type(event) for event in at.events()][-2:] == [ev.ClockCorrected, ev.Claimed]
    replay(tmp_path / "journal.db")
