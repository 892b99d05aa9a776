"""A trial in virtual time: what keeps a new version, what makes it go back, and what dpkg is told."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.station.service.systemctl import Systemd, UnitState
from pi_app.station.updates import trees
from pi_app.station.updates.in_use import is_in_use, put_in_use
from pi_app.station.updates.trial import (
    EVERY_S,
    GRACE,
    MOST_CUTS,
    Seen,
    Watch,
    main,
    pending,
    said,
    settle,
    verdict,
    watch,
)
from tests.pi_app.station.updates.two_trees import on_trial

ON = UnitState("active", "one", 0)
WAITING = UnitState("inactive", "", 0, queued=True)
UNKNOWN = UnitState("unknown", "", 0)
STARTING = UnitState("activating", "two", 0)
OFF = UnitState("inactive", "", 0)


def seen(*states: UnitState, every: float = 0.5) -> list[Seen]:
    return [Seen(number * every, state) for number, state in enumerate(states)]


@pytest.mark.parametrize(
    ("states", "found"),
    [
        ([STARTING], "wait"),
        ([STARTING] * 120, "wait"),
        ([STARTING] * 121, "back"),
        ([ON] * 120, "wait"),
        ([ON] * 121, "keep"),
        ([STARTING] * 119 + [ON], "wait"),
        ([STARTING] * 119 + [ON] * 121, "keep"),
        ([STARTING] * 121 + [ON], "back"),
        ([ON] * 100 + [UnitState("active", "two", 1)] * 100, "wait"),
        ([ON] * 100 + [UnitState("active", "two", 1)] * 121, "keep"),
        ([ON] * 130 + [UnitState("active", "two", 1)], "back"),
        ([STARTING, UnitState("activating", "three", 3)], "back"),
        ([UnitState("active", "one", 7), UnitState("activating", "two", 0)], "wait"),
        (
            [UnitState("active", "one", 7), UnitState("activating", "two", 0), UnitState("activating", "five", 3)],
            "back",
        ),
        ([OFF] * 9, "wait"),
        ([OFF] * 10, "leave"),
        ([UnitState("failed", "two", 0)] * 121, "back"),
        ([WAITING] * 500, "wait"),
        ([WAITING] * 500 + [STARTING] * 119, "wait"),
        ([WAITING] * 500 + [STARTING] * 121, "back"),
        ([WAITING] * 500 + [ON] * 121, "keep"),
        ([WAITING] * 20 + [OFF] * 10, "leave"),
        ([ON] * 20 + [UNKNOWN] * 20, "wait"),
        ([UNKNOWN] * 121, "back"),
    ],
)
def test_a_version_is_kept_if_it_gets_ready_and_stays_so(states: list[UnitState], found: str) -> None:
    assert verdict(seen(*states)) == found


@given(
    st.lists(
        st.sampled_from([ON, STARTING, OFF, UnitState("active", "two", 1), UnitState("failed", "x", 2)]), min_size=1
    )
)
def test_nothing_is_kept_that_was_not_ready_for_a_minute(states: list[UnitState]) -> None:
    ready = all(each.active == "active" and each.run == states[-1].run for each in states[-121:])
    if verdict(seen(*states)) == "keep":
        assert len(states) > 120
        assert ready


class Machine:
    """A systemd in virtual time; `script`: the states of each look."""

    def __init__(self, script: Iterator[UnitState]) -> None:
        self.script, self.now, self.ran = script, 0.0, list[str]()

    def run(self, words: Sequence[str]) -> tuple[int, str]:
        self.ran.append(" ".join(words))
        if words[:2] != ["systemctl", "show"]:
            return 0, ""
        state = next(self.script)
        job = "Job=12\n" if state.queued else ""
        return 0, f"ActiveState={state.active}\nInvocationID={state.run}\nNRestarts={state.restarts}\n{job}"

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def watch(self, home: Path) -> Watch:
        return Watch(home, Systemd(self.run, home), lambda: self.now, self.sleep)


def test_a_version_that_gets_ready_is_confirmed_and_told_to_dpkg(tmp_path: Path) -> None:
    on_trial(tmp_path)
    pending(tmp_path, "B").write_bytes(b"the package")
    pending(tmp_path, "A").write_bytes(b"of an update that was cut")
    machine = Machine(iter([STARTING] * 4 + [ON] * 200))
    assert watch(machine.watch(tmp_path)) == "keep"
    assert (trees.pointed(tmp_path, "confirmed"), machine.now) == ("B", 62.0)
    assert settle(machine.watch(tmp_path)) is None
    dpkg = "env DEBIAN_FRONTEND=noninteractive dpkg --install --force-confold --force-confdef"
    assert machine.ran[-1] == f"{dpkg} {tmp_path}/pending-B.deb"
    assert list(tmp_path.glob("pending-*")) == []
    assert settle(machine.watch(tmp_path)) is None


def test_a_version_that_does_not_goes_back_with_one_restart(tmp_path: Path) -> None:
    on_trial(tmp_path)
    pending(tmp_path, "B").write_bytes(b"the package")
    machine = Machine(iter([STARTING] * 200))
    assert watch(machine.watch(tmp_path)) == "back"
    assert (trees.pointed(tmp_path, "current"), trees.on_trial(tmp_path), machine.now) == ("A", False, 60.0)
    program = f"{tmp_path}/current/bin/trapdial"
    assert [each for each in machine.ran if "show" not in each] == [f"{program} station install --program {program}"]
    assert list(tmp_path.glob("pending-*")) == []
    assert trees.went_back(tmp_path)
    assert trees.pointed(tmp_path, "units") == "A"


def test_a_version_that_works_forgets_that_one_before_it_went_back(tmp_path: Path) -> None:
    on_trial(tmp_path)
    (tmp_path / trees.WENT_BACK).touch()
    assert watch(Machine(iter([ON] * 200)).watch(tmp_path)) == "keep"
    assert not trees.went_back(tmp_path)


def test_a_power_cut_starts_the_trial_again(tmp_path: Path) -> None:
    on_trial(tmp_path)
    assert watch(Machine(iter([OFF] * 10)).watch(tmp_path)) == "leave"
    assert trees.on_trial(tmp_path)
    assert watch(Machine(iter([ON] * 200)).watch(tmp_path)) == "keep"
    assert watch(Machine(iter([])).watch(tmp_path)) == "keep"


def cut_trial(home: Path) -> None:
    """A trial that ends with the power."""

    def cut(_: Sequence[str]) -> tuple[int, str]:
        raise PowerCutError

    with pytest.raises(PowerCutError):
        watch(Watch(home, Systemd(cut, home)))


class PowerCutError(Exception):
    """The power fails."""


@pytest.mark.parametrize(("cuts", "found"), [(MOST_CUTS - 1, "keep"), (MOST_CUTS, "back")])
def test_a_version_whose_trial_is_cut_again_and_again_goes_back(tmp_path: Path, cuts: int, found: str) -> None:
    """The start after it would be a recovery table, and that one always gets ready."""
    on_trial(tmp_path)
    for _ in range(cuts):
        cut_trial(tmp_path)
    assert watch(Machine(iter([ON] * 200)).watch(tmp_path)) == found
    assert not (tmp_path / trees.TRIALS).exists()


@pytest.mark.parametrize("garbage", ["", "\0\0", "many"])
def test_a_damaged_count_counts_as_none(tmp_path: Path, garbage: str) -> None:
    on_trial(tmp_path)
    (tmp_path / trees.TRIALS).write_text(garbage, encoding="utf-8")
    assert watch(Machine(iter([ON] * 200)).watch(tmp_path)) == "keep"


def test_stops_by_a_person_are_no_cuts(tmp_path: Path) -> None:
    on_trial(tmp_path)
    for _ in range(MOST_CUTS + 1):
        assert watch(Machine(iter([OFF] * 10)).watch(tmp_path)) == "leave"


def test_a_cut_before_the_units_were_written_is_made_good_at_the_next_start(tmp_path: Path) -> None:
    on_trial(tmp_path)
    trees.point(tmp_path, "units", "A")
    machine = Machine(iter([ON] * 200))
    assert watch(machine.watch(tmp_path)) == "keep"
    assert machine.now == 60.0 + GRACE * EVERY_S
    program = f"{tmp_path}/current/bin/trapdial"
    assert machine.ran[0] == f"{program} station install --program {program}"
    assert trees.pointed(tmp_path, "units") == "B"


def test_an_update_that_still_writes_its_units_is_not_disturbed(tmp_path: Path) -> None:
    """The restart at its end starts the watch, a moment before the units are marked as in use."""
    on_trial(tmp_path)
    (tmp_path / "units").unlink()
    machine = Machine(iter([ON] * 200))

    def sleep(seconds: float) -> None:
        machine.sleep(seconds)
        trees.point(tmp_path, "units", "B")

    on = machine.watch(tmp_path)
    assert watch(Watch(on.home, on.systemd, on.clock, sleep)) == "keep"
    assert all("show" in each for each in machine.ran)


def test_units_that_cannot_be_written_stay_marked(tmp_path: Path) -> None:
    on_trial(tmp_path)
    trees.confirm(tmp_path)
    assert put_in_use(tmp_path, Systemd(lambda _: (1, "the disk is full"), tmp_path)) is not None
    assert not is_in_use(tmp_path)
    assert put_in_use(tmp_path, Systemd(lambda _: (0, ""), tmp_path)) is None
    assert is_in_use(tmp_path)


def test_the_watch_runs_on_a_clock_that_nobody_can_set() -> None:
    assert time.get_clock_info("monotonic").implementation == "clock_gettime(CLOCK_MONOTONIC)"
    assert Watch().clock is time.monotonic


def test_dpkg_that_fails_is_said(tmp_path: Path) -> None:
    on_trial(tmp_path)
    trees.confirm(tmp_path)
    pending(tmp_path, "B").write_bytes(b"")
    failing = Watch(tmp_path, Systemd(lambda _: (2, "dpkg: error:\n disk full\n"), tmp_path))
    assert settle(failing) == "dpkg ended with 2: dpkg: error: disk full"


def test_the_log_has_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    on_trial(tmp_path)
    old, new = trees.tree(tmp_path, "A"), trees.tree(tmp_path, "B")
    assert said("keep", new, new) == "Version 2.0 is confirmed."
    assert said("back", new, old) == (
        "Version 2.0 did not get ready and stay so: version 1.0 runs again. `journalctl -u trapdial` "
        "has its last lines."
    )
    assert said("leave", new, new) == "The service was stopped: version 2.0 stays on trial until its next start."
    trees.confirm(tmp_path)
    assert main([str(tmp_path)]) == 0
    assert capsys.readouterr().err == "Version 2.0 is confirmed.\n"
