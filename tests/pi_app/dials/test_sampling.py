from __future__ import annotations

import random
from statistics import fmean

import pytest

from pi_app.dials.sampling import LEAST_PERIOD_NS, WINDOW_NS, CpuBudget, Rate

IDLE_NS = 10_000_000


class Machine:
    """A process that uses some share of a core for each scan."""

    def __init__(self, scan_costs_ns: int, beside: float = 0.0) -> None:
        self.now_ns = self.cpu_ns = 0
        self._scan_costs_ns, self._beside = scan_costs_ns, beside

    def scan_every(self, period_ns: int) -> None:
        self.now_ns += period_ns
        self.cpu_ns += self._scan_costs_ns + round(self._beside * period_ns)


def settled(max_cpu: float, machine: Machine) -> CpuBudget:
    budget = CpuBudget(max_cpu, IDLE_NS, cpu_ns=lambda: machine.cpu_ns, now_ns=lambda: machine.now_ns)
    for _ in range(20_000):
        machine.scan_every(budget.period_ns)
        budget.note()
    return budget


def test_a_fast_machine_samples_as_densely_as_makes_sense() -> None:
    assert settled(0.25, Machine(scan_costs_ns=100_000)).period_ns == LEAST_PERIOD_NS


@pytest.mark.parametrize("scan_costs_ns", [800_000, 1_200_000, 1_600_000])
@pytest.mark.parametrize("beside", [0.0, 0.05])
def test_a_slow_machine_stays_about_its_ceiling(scan_costs_ns: int, beside: float) -> None:
    budget = settled(0.25, Machine(scan_costs_ns, beside))
    assert LEAST_PERIOD_NS < budget.period_ns < IDLE_NS
    assert 0.12 < budget.used < 0.34


@pytest.mark.parametrize("scan_costs_ns", [800_000, 1_200_000, 1_600_000])
def test_on_the_mean_the_ceiling_holds_although_the_use_goes_up_and_down(scan_costs_ns: int) -> None:
    draw = random.Random(scan_costs_ns)
    machine = Machine(scan_costs_ns)
    budget = CpuBudget(0.25, IDLE_NS, cpu_ns=lambda: machine.cpu_ns, now_ns=lambda: machine.now_ns)
    used = []
    for n in range(20_000):
        machine.scan_every(budget.period_ns)
        machine.cpu_ns += round(scan_costs_ns * draw.uniform(-0.5, 0.5))
        budget.note()
        if n > 5_000:
            used.append(budget.used)
    assert 0.2 < fmean(used) <= 0.25


def test_it_never_falls_below_the_idle_rate() -> None:
    assert settled(0.25, Machine(scan_costs_ns=5_000_000)).period_ns == IDLE_NS


def test_an_idle_rate_above_the_dense_one_holds() -> None:
    budget = CpuBudget(0.25, 500_000, cpu_ns=lambda: 0, now_ns=lambda: 0)
    assert budget.period_ns == 500_000


def test_the_use_is_measured_once_in_a_window() -> None:
    machine = Machine(scan_costs_ns=IDLE_NS)
    budget = CpuBudget(0.25, IDLE_NS, cpu_ns=lambda: machine.cpu_ns, now_ns=lambda: machine.now_ns)
    machine.scan_every(WINDOW_NS - 1)
    budget.note()
    assert budget.used == 0


def test_a_rate_is_known_after_a_window_and_follows() -> None:
    rate = Rate()
    for n in range(200):
        rate.note(n * 4_000_000)
    assert rate.hz == pytest.approx(250)
    for n in range(200):
        rate.note(800_000_000 + n * 10_000_000)
    assert rate.hz == pytest.approx(100)
