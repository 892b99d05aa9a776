"""Failed starts: counted without a clock, in a file that may be garbage; what follows from them, in virtual time."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from pi_app.station.service import recovery
from pi_app.station.service.recovery import (
    HOUR_S,
    RECOVERY_S,
    Counter,
    Decision,
    StartCounts,
    Why,
    at,
    begun,
    decide,
    with_last,
)


@dataclass
class Machine:
    """A machine whose power and programs fail; its clock is never asked."""

    known: StartCounts = field(default_factory=StartCounts)
    boot: int = 1
    uptime_s: int = 0
    on_s: int = 0
    reboots_s: list[int] = field(default_factory=list)

    def passes(self, seconds: int) -> None:
        self.uptime_s += seconds
        self.on_s += seconds
        self.known = at(self.known, f"boot {self.boot}", self.uptime_s)

    def starts(self) -> Decision:
        self.passes(2)
        decision = decide(self.known)
        self.known = begun(self.known, decision.kind)
        if decision.kind == "reboot":
            self.reboots_s.append(self.on_s)
            self.plugged_out()
        return decision

    def is_ready(self) -> None:
        self.known = with_last(self.known, ready=True)

    def ends(self) -> None:
        self.known = with_last(self.known, ended=True)

    def plugged_out(self) -> None:
        self.boot += 1
        self.uptime_s = 0

    def fails(self, times: int, after_s: int = 0, words: str = "") -> list[str]:
        kinds: list[str] = []
        for _ in range(times):
            kinds.append(self.starts().kind)
            self.passes(after_s)
            self.known = with_last(self.known, words=words)
        return kinds


def test_a_first_start_is_the_table() -> None:
    assert Machine().starts() == Decision("table")


def test_five_failures_in_five_minutes_lead_to_the_recovery_table() -> None:
    machine = Machine()
    assert machine.fails(5, words="bus dials: /dev/i2c-1 is missing.") == ["table"] * 5
    assert machine.starts() == Decision("recovery", Why.FAILED, ("bus dials: /dev/i2c-1 is missing.",))


def test_failures_that_are_far_apart_do_not() -> None:
    machine = Machine()
    assert set(machine.fails(50, after_s=80)) == {"table"}


def test_stops_are_no_failures() -> None:
    machine = Machine()
    for _ in range(20):
        assert machine.starts().kind == "table"
        machine.is_ready()
        machine.ends()


def test_the_recovery_table_gives_way_after_ten_minutes() -> None:
    machine = Machine()
    machine.fails(5)
    assert machine.starts().kind == "recovery"
    machine.is_ready()
    machine.passes(RECOVERY_S)
    machine.ends()
    assert machine.starts().kind == "table"


def test_and_after_a_plug_out_once_it_was_ready() -> None:
    machine = Machine()
    machine.fails(5)
    assert machine.starts().kind == "recovery"
    machine.is_ready()
    machine.plugged_out()
    assert machine.starts().kind == "table"


@pytest.mark.parametrize("starts_a_boot", [1, 3])
def test_three_plug_outs_before_the_table_was_ready_lead_to_the_recovery_table(starts_a_boot: int) -> None:
    machine = Machine()
    for _ in range(3):
        assert set(machine.fails(starts_a_boot)) == {"table"}
        machine.plugged_out()
    assert machine.starts() == Decision("recovery", Why.UNPLUGGED)
    machine.plugged_out()
    assert machine.starts().kind == "recovery", "it was never ready"
    machine.is_ready()
    machine.plugged_out()
    assert machine.starts().kind == "table"


def test_plug_outs_of_a_table_that_was_ready_are_the_daily_end() -> None:
    machine = Machine()
    for _ in range(365):
        assert machine.starts().kind == "table"
        machine.is_ready()
        machine.passes(36_000)
        machine.plugged_out()


def lives(machine: Machine, hours: int) -> list[str]:
    """A table that always fails at once, and a recovery table that always works."""
    kinds: list[str] = []
    until_s = machine.on_s + hours * HOUR_S
    while machine.on_s < until_s:
        kinds.append(machine.starts().kind)
        if kinds[-1] == "recovery":
            machine.is_ready()
            machine.passes(RECOVERY_S)
            machine.ends()
    return kinds


def test_three_recoveries_lead_to_a_reboot_and_there_is_at_most_one_an_hour() -> None:
    machine = Machine()
    kinds = lives(machine, 24)
    assert kinds[:18] == [*(["table"] * 5 + ["recovery"]) * 2, *["table"] * 5, "reboot"]
    assert 12 <= len(machine.reboots_s) <= 24
    assert all(
        later - earlier >= HOUR_S for earlier, later in zip(machine.reboots_s, machine.reboots_s[1:], strict=False)
    )
    assert kinds.count("recovery") > 100


@settings(max_examples=60)
@given(some.integers(0, 2**32))
def test_whatever_happens_there_is_at_most_one_reboot_an_hour_and_always_a_start(seed: int) -> None:
    drawn, machine = random.Random(seed), Machine()
    for _ in range(120):
        machine.starts()
        machine.passes(drawn.choice((0, 1, 30, 300, 4_000)))
        if drawn.random() < 0.3:
            machine.is_ready()
        drawn.choice((machine.ends, machine.plugged_out, lambda: None, lambda: None))()
    gaps = [later - earlier for earlier, later in zip(machine.reboots_s, machine.reboots_s[1:], strict=False)]
    assert all(gap >= HOUR_S for gap in gaps)
    assert len(machine.known.starts) <= recovery.KEPT


# ------------------------------------------------------------------------------------------------------ the file


def counter(folder: Path, boot: str = "a", uptime_s: int = 10, *, run: bool = False) -> Counter:
    return Counter(folder / "state" / "starts.json", lambda: (boot, uptime_s), folder / "run.json" if run else None)


@pytest.mark.parametrize("run", [False, True])
def test_the_counts_last_in_the_state_folder(tmp_path: Path, run: bool) -> None:
    for start in range(5):
        each = counter(tmp_path, uptime_s=10 + start, run=run)
        assert each.begin().kind == "table"
        each.failed("bus dials: it is missing.\nPlug it in.")
    last = counter(tmp_path, uptime_s=20, run=run)
    assert last.failed_here("bus dials: it is missing. Plug it in.")
    assert last.begin() == Decision("recovery", Why.FAILED, ("bus dials: it is missing. Plug it in.",))
    last.ready()
    assert recovery.read(tmp_path / "state" / "starts.json").starts[-1].ready
    last.ended()
    assert counter(tmp_path, boot="b").begin().kind == "table"


GARBAGE: Iterable[bytes] = (
    b"", b"\0" * 5_000, b"{", b'{"starts": 3}', b"[]", b'{"on_s": -1}', b'{"on_s": 1e400}', b"\xff\xfe",
    b'{"starts": [{"boot": "a", "at_s": 1, "kind": "other"}]}', b"9" * 100_000,
)  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
def test_garbage_in_the_file_counts_as_nothing(tmp_path: Path, garbage: bytes) -> None:
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "starts.json").write_bytes(garbage)
    assert counter(tmp_path).begin() == Decision("table")
    assert len(recovery.read(tmp_path / "state" / "starts.json").starts) == 1


@given(some.binary(max_size=300))
def test_any_bytes_can_be_read(data: bytes) -> None:
    with contextlib.suppress(msgspec.MsgspecError):
        decide(msgspec.json.decode(data, type=StartCounts))


def test_a_device_in_its_place_is_not_read() -> None:
    assert recovery.read(Path("/dev/zero")) == StartCounts()


def test_a_state_folder_that_cannot_be_written_makes_no_start_fail(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file, where a folder should be")
    for start in range(6):
        each = counter(tmp_path, uptime_s=start, run=True)
        decision = each.begin()
    assert decision.kind == "recovery", "the counts of this boot are in the run folder"
