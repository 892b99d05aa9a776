"""What a guest needs, read from a process table made of files; and which processor it gets. No guest starts here."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import CannotRun
from tests.station.guest.meter import TICK_S, Meter, Need, check_meter
from tests.station.guest.processors import idle_ticks, quietest

KERNEL, PROGRAM = 100, 200


def process(proc: Path, pid: int, state: str, ran_s: float, ended_s: float = 0.0) -> None:
    """Write a process as Linux shows it: its name may hold blanks and brackets."""
    ended = round(ended_s / TICK_S)
    fields = [state, *["0"] * 12, str(ended), "0", *["0"] * 20]
    (proc / f"{pid}/task/{pid}").mkdir(parents=True, exist_ok=True)
    (proc / f"{pid}/stat").write_text(f"{pid} (li) nux) {' '.join(fields)}\n", encoding="ascii")
    (proc / f"{pid}/schedstat").write_text(f"{round(ran_s * 1e9)} 7 7\n", encoding="ascii")


def children(proc: Path, *pids: int) -> None:
    (proc / f"{KERNEL}/task/{KERNEL}/children").write_text(" ".join(map(str, pids)), encoding="ascii")


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    process(tmp_path, KERNEL, "S", 1.0)
    process(tmp_path, PROGRAM, "R", 0.5)
    children(tmp_path, PROGRAM)
    return tmp_path


def test_a_guest_needs_its_processor_time_and_its_waits(proc: Path) -> None:
    meter = Meter(KERNEL, proc, starts=False)
    assert meter.sample(10.0)
    process(proc, PROGRAM, "R", 0.9)  # for two seconds it ran or stood in the queue
    assert meter.sample(12.0)
    process(proc, PROGRAM, "S", 0.9)  # then it waited for a second
    assert meter.sample(13.0)
    need = meter.need(10.0, 13.0)
    assert need.used_s == pytest.approx(0.4)
    assert need.waited_s == pytest.approx(1.0)
    assert need.own_s == pytest.approx(1.4)
    assert str(need) == "1.40 s (0.40 s of the processor, 1.00 s waiting; 3.00 s on this machine's clock)"
    assert meter.need(10.0, 11.0).used_s == pytest.approx(0.2)


def test_what_a_program_used_counts_after_its_end(proc: Path) -> None:
    meter = Meter(KERNEL, proc, starts=False)
    meter.sample(10.0)
    process(proc, KERNEL, "R", 1.0, ended_s=0.7)
    children(proc)
    meter.sample(11.0)
    assert meter.need(10.0, 11.0).used_s == pytest.approx(0.2)


def test_a_program_that_ends_while_it_is_read_is_left_out(proc: Path) -> None:
    children(proc, PROGRAM, 300)
    meter = Meter(KERNEL, proc, starts=False)
    assert meter.sample(10.0)
    process(proc, KERNEL, "R", 1.25)
    assert meter.sample(11.0)
    assert meter.need(10.0, 11.0).used_s == pytest.approx(0.25)


def test_a_guest_that_is_gone_is_sampled_no_more(tmp_path: Path) -> None:
    assert not Meter(KERNEL, tmp_path, starts=False).sample(10.0)


def test_nothing_needs_longer_than_the_clock() -> None:
    assert Need(2.0, 1.9, 0.3).own_s == 2.0


def test_the_quietest_processor_is_one_that_this_program_may_use() -> None:
    text = "cpu  9 9 9 90 9 0 0\ncpu0 1 2 3 40 5 0 0\ncpu1 1 2 3 50 6 0 0\nintr 5\n"
    assert idle_ticks(text) == {0: 45, 1: 56}
    assert quietest(0.0) >= 0


def test_a_kernel_that_counts_nothing_is_said_to_lack_it(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match="is built without CONFIG_SCHED_INFO"):
        check_meter(tmp_path)
    check_meter()
