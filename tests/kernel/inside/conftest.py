"""Fixtures shared by the checks in the guest."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest

from hardware.bus_linux import LinuxBus
from hardware.i2c_device import open_adapter
from tests.kernel.inside.host import Host, refuse_with

ACKNOWLEDGE_FAILED = 121
"""EREMOTEIO, as from both of a Pi's own controllers."""


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    line = Host()
    yield line
    assert line("failures") == []
    line.close()


@pytest.fixture(autouse=True)
def like_a_pi() -> Iterator[None]:
    refuse_with(ACKNOWLEDGE_FAILED)
    yield
    refuse_with(ACKNOWLEDGE_FAILED)


@pytest.fixture
def dials() -> Iterator[LinuxBus]:
    with contextlib.closing(open_adapter("/dev/i2c-0")) as adapter:
        yield LinuxBus(adapter)
