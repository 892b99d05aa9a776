"""The price of a transaction in bits, worked by hand."""

from __future__ import annotations

import pytest

from hardware.bus import Read, Transaction, Write, wire_bits


@pytest.mark.parametrize(
    ("transaction", "bits"),
    [
        ((Write(0x70, b"\x08"),), 1 + 9 + 9 + 1),  # a mux selection
        ((Read(0x36, 2),), 1 + 9 + 18 + 1),  # a quick look
        ((Write(0x36, b"\x0c"), Read(0x36, 2)), 1 + 9 + 9 + 1 + 9 + 18 + 1),  # with its pointer
        ((Write(0x36, b"\x0b"), Read(0x36, 3)), 57),
        ((Write(0x3C, b"\x40" + bytes(32)),), 308),  # a screen's slice
    ],
)
def test_bits_are_counted_as_they_go_over_the_wire(transaction: Transaction, bits: int) -> None:
    assert wire_bits(transaction) == bits
