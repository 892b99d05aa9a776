"""The lane of `tests.station.groups`, with few groups, and its planted fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.simulated.visitors import TEMPERS
from tests.station.group_faults import LanePhones
from tests.station.groups import WARM, lines, run
from tests.station.held import MOST_KB, Holding, grown


def test_groups_come_and_go_without_anybody_of_the_staff(tmp_path: Path) -> None:
    tally = run(tmp_path, 1, seed=8)
    assert (tally.groups, tally.stuck, tally.manual, tally.lost, tally.unfed) == (1, [], [], [], 0)
    assert max(tally.reset_s) <= 1


@pytest.mark.slow
def test_every_temper_comes_and_goes_while_faults_strike(tmp_path: Path) -> None:
    tally = run(tmp_path, len(TEMPERS))
    assert set(tally.tempers) == set(TEMPERS)
    assert tally.struck
    assert (tally.stuck, tally.manual, tally.lost, tally.unfed) == ([], [], [], 0)
    assert "0 stuck; 0 manual steps" in list(lines(tally))


@pytest.mark.slow
def test_a_visit_that_never_ends_is_found(tmp_path: Path) -> None:
    tally = run(tmp_path, 8, plant="stuck")
    assert [found.split(" ", 2)[:2] for found in tally.stuck] == [["group", "3"]]


@pytest.mark.slow
def test_a_face_that_the_record_does_not_have_is_found(tmp_path: Path) -> None:
    tally = run(tmp_path, len(TEMPERS), plant="loss")
    assert any("the face of" in found for found in tally.lost)
    assert tally.red == tally.lost


def test_a_phone_that_is_opened_while_no_page_process_runs_reaches_no_table() -> None:
    """Its stream would be refused by the kernel, so the table may never hear of it and send it frames."""
    pages = LanePhones(lambda face: None)
    pages.kill()
    phone = pages.open("http://10.77.0.1/#A7K3M9Q2")
    phone.tap()
    pages.start()
    pages.step()
    assert (phone.joined, list(pages.phones.link.incoming)) == (False, [])


def looks(*rss_kb: int, descriptors: int = 11) -> list[Holding]:
    return [Holding(each, 8_000, 5_000, descriptors) for each in rss_kb]


def test_memory_may_swing_but_not_grow_by_a_megabyte() -> None:
    assert grown(looks(49_000, 49_900, 51_000, 49_800, 50_500)) == ""
    assert grown(looks(49_000, 49_500, 50_000, 50_100, 50_000)) == f"memory grew by {MOST_KB} kB"


def test_descriptors_stay_the_same() -> None:
    changed = [*looks(49_000, 49_000, 49_000, 49_000), *looks(49_000, descriptors=12)]
    assert grown(changed) == "descriptors changed: [11, 12]"


def test_a_short_run_says_that_it_compares_no_memory(tmp_path: Path) -> None:
    assert 3 * len(TEMPERS) <= WARM
    assert f"memory: too few groups to compare, {WARM} come first" in list(lines(run(tmp_path, 1, seed=3)))
