"""The conditions and the shapes of dials are in the record, sealed."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware.readings import Sample, Trouble, TroubleKind
from pi_app.dials.fingerprint import SwapCheck, SwapState
from pi_app.game import events as ev
from pi_app.game import findings as audit
from pi_app.journal import read
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.simulated import actions
from pi_app.simulated.demo import Demo
from tests.pi_app.playing import SECOND_NS, Played, settings, table


def noted(at: Played) -> list[tuple[str, str]]:
    return [(event.square, event.condition) for event in at.events() if isinstance(event, ev.DialNoted)]


def test_a_magnet_that_weakens_is_noted_and_noted_again_when_it_is_good(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.act(actions.InjectFault("T02", "magnet-weak"))
        at.run(12.0)
        at.demo.act(actions.ClearFault("T02", "magnet-weak"))
        at.run(30.0)
        assert noted(at) == [("T02", "magnet too weak"), ("T02", "magnet good")]
        assert at.findings() == []


def test_what_is_wrong_when_a_game_begins_is_noted_in_that_game(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.act(actions.InjectFault("T01", "magnet-strong"))
        at.run(12.0)
        at.say("end")
        at.say("new")
        at.run(1.0)
        assert noted(at) == [("T01", "magnet too strong"), ("T01", "magnet too strong")]


def test_which_dial_it_is_about_is_sealed(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.demo.act(actions.InjectFault("T02", "magnet-weak"))
        at.run(12.0)
        (entry,) = [entry for entry in read(at.journal, MAGE_KNIGHT) if isinstance(entry.event, ev.DialNoted)]
        assert (entry.public.square, entry.public.log) == (None, ())


def test_the_centres_in_use_and_the_angles_at_set_up_are_in_the_record(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        started, checked = at.events()[:2]
    assert isinstance(started, ev.Started)
    assert isinstance(checked, ev.SetupChecked)
    for square in started.squares:
        assert square.dial is not None
        assert not square.dial.calibrated
        assert square.dial.centres == tuple(round(k * 4096 / 12) for k in range(12))
        raw = checked.raws[square.label]
        assert raw is not None
        assert min(raw, 4096 - raw) <= square.dial.seated


def test_a_dial_left_between_two_clicks_while_the_program_was_off_is_found(tmp_path: Path) -> None:
    with table(tmp_path):
        pass
    demo = Demo(settings(), tmp_path / "journal.db", seed=5, resume=True)
    demo.table.tiles["T01"].hand.stop_between(0, 0.5)
    demo.table.clock.advance(2 * SECOND_NS)
    with demo:
        while not demo.loop.ready:
            demo.step()
        said = [finding.words for finding in demo.loop.moment.game.findings]
        assert said == [audit.NO_CLAIM, audit.WHILE_OFF, audit.PATH_UNKNOWN, audit.BETWEEN]


def test_a_tile_that_belongs_elsewhere_is_noted_once_until_it_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with table(tmp_path) as at:
        feed = at.demo.loop.feed
        take = feed.take

        def wrong(at_ns: int) -> Sample:
            return Trouble(TroubleKind.OTHER_TILE, at_ns, "is the tile of T02")

        def refused() -> list[tuple[str, Sample]]:
            return [(label, wrong(sample.at_ns) if label == "T01" else sample) for label, sample in take()]

        monkeypatch.setattr(feed, "take", refused)
        at.run(1.0)
        assert noted(at) == [("T01", "another tile")]
        monkeypatch.setattr(feed, "take", take)
        at.run(1.0)
        monkeypatch.setattr(feed, "take", refused)
        at.run(1.0)
        assert noted(at) == [("T01", "another tile")] * 2


def test_leads_that_are_likely_swapped_are_noted_with_the_other_square(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with table(tmp_path) as at:
        found = SwapCheck("T01", "T02", SwapState.LIKELY_SWAPPED, 0.97, 5)
        monkeypatch.setattr(at.demo.loop.dials.fingerprints, "new_swaps", lambda: [found])
        at.turn("T02", 1)
        at.run(1.5)
        (said,) = [event for event in at.events() if isinstance(event, ev.DialNoted)]
        assert (said.square, said.condition, said.other) == ("T01", "leads likely swapped", "T02")
