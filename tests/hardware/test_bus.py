"""The bits of a transaction, computed by hand; and runs without allocation."""

from __future__ import annotations

import pytest

from hardware.bus import Outcome, Read, Transaction, Write, prepared_run, wire_bits
from hardware.errors import NoAnswer


@pytest.mark.parametrize(
    ("transaction", "bits"),
    [
        ((Write(0x70, b"\x08"),), 1 + 9 + 9 + 1),  # a mux selection
        ((Read(0x36, 2),), 1 + 9 + 18 + 1),  # a quick read
        ((Write(0x36, b"\x0c"), Read(0x36, 2)), 1 + 9 + 9 + 1 + 9 + 18 + 1),  # with its pointer
        ((Write(0x36, b"\x0b"), Read(0x36, 3)), 57),
        ((Write(0x3C, b"\x40" + bytes(32)),), 308),  # a screen's slice
    ],
)
def test_bits_are_counted_as_they_go_over_the_wire(transaction: Transaction, bits: int) -> None:
    assert wire_bits(transaction) == bits


TRANSACTIONS: list[Transaction] = [(Write(0x70, b"\x08"),), (Write(0x36, b"\x0c"), Read(0x36, 2))]


def test_any_bus_can_run_without_allocation() -> None:
    results: list[list[Outcome]] = [[b"", b"\x01\x02"], [b"", b"\x03\x04"]]
    run = prepared_run(lambda: results.pop(0), TRANSACTIONS)
    assert run.attempt() is None
    assert run.answers == [None, b"\x01\x02"]
    before = run.outcomes()
    assert run.attempt() is None
    assert (before, run.outcomes()) == ([b"", b"\x01\x02"], [b"", b"\x03\x04"])
    assert prepared_run(run, TRANSACTIONS) is run


def test_a_run_in_which_something_failed_gives_all_its_outcomes_either_way() -> None:
    trouble = NoAnswer("chip 0x36", "bus", "gave no answer", "Check its plug.")
    run = prepared_run(lambda: [b"", trouble], TRANSACTIONS)
    assert run.attempt() == [b"", trouble]
    assert run() == [b"", trouble]
