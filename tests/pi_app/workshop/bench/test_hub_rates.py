"""The figures of a hub's rates come from the firmware on a simulated wire."""

from __future__ import annotations

from firmware_host.sims.wire_hub import WireHub
from pi_app.workshop.bench.hub_rates import rate_figure, sampled


def test_more_dials_are_sampled_less_often_each() -> None:
    one, eight, sixteen = (rate_figure(dials).value for dials in (1, 8, 16))
    assert one > 1000
    assert 150 < eight < 200
    assert 60 < sixteen < 85


def test_one_dial_that_moves_is_sampled_more_often_than_the_others() -> None:
    hub = WireHub(8)
    hub.angles[0] = lambda at_ns: at_ns / 1e6 * 12 % 4096
    reads, _ = sampled(hub, 1.0)
    assert reads[0] > 2.5 * max(reads[1:])
