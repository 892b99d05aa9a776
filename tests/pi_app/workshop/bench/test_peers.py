"""The bench against other libraries: all of them read the same dials at the same cost per call."""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import subprocess
import sys
from typing import Any

import pytest
from smbus2 import i2c_msg

from pi_app.text.errors import BrokenInstallationError
from pi_app.workshop.bench import peer_drivers, peers
from pi_app.workshop.bench.peer_drivers import (
    ADAFRUIT,
    ADAFRUIT_WITH_STATUS,
    BLOCK,
    LIBRARIES,
    OURS,
    TWO_BYTES,
    Library,
)
from pi_app.workshop.bench.peer_kernel import I2C_SLAVE, PeerKernel, StubKernel, replaced

BITS = {
    "Trapdial": 49,  # 20 to select, 29 for two bytes from where the pointer is
    "Adafruit as5600 + tca9548a": 88,  # 20 + 48 + 20 to deselect
    "smbus2, two single bytes": 98,  # 20 + 39 + 39
    "smbus2, one block": 68,  # 20 + 48
    "Trapdial, status each time": 77,  # 20 + 57
    "Adafruit as5600 + tca9548a, status each time": 167,  # 88 + (20 + 39 + 20)
    "smbus2, one block, status each time": 107,  # 68 + 39
}
"""Worked by hand: START and STOP one bit each, a byte nine (NXP UM10204)."""


@pytest.mark.parametrize("library", LIBRARIES, ids=lambda library: library.name)
def test_every_library_reads_every_dial_right_at_the_cost_of_its_bits(library: Library) -> None:
    got = peers.measure(library, 400_000, 20)
    expected = BITS[library.name] * peers.DIALS
    assert expected <= got.bits <= (1.05 * expected if "Trapdial" in library.name else expected)


@pytest.mark.parametrize(("library", "transfers"), [(OURS, 2), (ADAFRUIT, 3), (TWO_BYTES, 3), (BLOCK, 2)])
def test_every_transfer_costs_the_same(library: Library, transfers: int) -> None:
    free, charged = (peers.measure(library, 400_000, 1, call_cost_ns=cost_ns) for cost_ns in (0, 100_000))
    assert charged.ns - free.ns == transfers * peers.DIALS * 100_000


def test_the_optimum_is_worked_by_hand() -> None:
    """49 bits of 2.5 us and two bus-free times of 1.3 us for each of eight dials; with status 77 bits."""
    assert peers.optimum_ns(400_000) == pytest.approx(8 * (49 * 2_500 + 2 * 1_300))
    assert peers.optimum_ns(100_000, status=True) == pytest.approx(8 * (77 * 10_000 + 2 * 4_700))


def test_seesaw_boards_are_asked_all_before_any_is_read_and_theirs_sleeps_eight_milliseconds_each() -> None:
    """A question is 29 bits (START, three bytes, STOP), an answer 47: 76 for each board, by either driver."""
    ours, theirs = (
        peers.measure_seesaws(library, 400_000, 5)
        for library in (peer_drivers.OUR_SEESAWS, peer_drivers.ADAFRUIT_SEESAWS)
    )
    assert ours.bits == theirs.bits == 8 * 76
    assert theirs.ns == pytest.approx(peers.seesaw_optimum_ns(400_000) + 8 * 8_000_000)
    assert ours.ns < 1.01 * peers.seesaw_optimum_ns(400_000)


def test_behind_a_mux_each_half_of_their_read_selects_and_deselects() -> None:
    """Four times 20 bits more than the 76 for each board; the sleep is the same."""
    bare = peers.measure_seesaws(peer_drivers.ADAFRUIT_SEESAWS, 400_000, 5)
    muxed = peers.measure_seesaws(peer_drivers.ADAFRUIT_SEESAWS_BEHIND_MUX, 400_000, 5, muxed=True)
    assert muxed.bits == bare.bits + 8 * 4 * 20
    assert muxed.ns - bare.ns == pytest.approx(8 * 4 * (20 * 2_500 + 1_300))


def test_an_adapter_that_takes_many_dials_takes_all_eight_in_one_call() -> None:
    got = peers.measure(OURS, 400_000, 4, adapter="i2c-gpio")
    assert got.calls == 1


def test_a_dial_read_wrong_is_no_figure() -> None:
    liar = Library("liar", lambda bus: lambda: [0] * bus.dials)
    with pytest.raises(RuntimeError) as wrong:
        peers.measure(liar, 400_000, 1)
    assert str(wrong.value) == "liar: a dial was read wrong, which must not happen on a sound wire"


@pytest.mark.slow
def test_the_bench_names_the_libraries_and_has_its_targets_at_400_khz() -> None:
    shown: list[str] = []
    result = peers.run(speeds_hz=(400_000,), scans=3, cpu_rounds=1, progress=shown.append)
    names = [figure.name for figure in result.figures]
    assert names[: len(LIBRARIES)] == [f"400 kHz: {library.name}" for library in LIBRARIES]
    targets = {figure.name: figure.target for figure in result.figures if figure.target is not None}
    assert targets["400 kHz: scans, Trapdial to Adafruit"] == 1.7
    assert targets["400 kHz: scans, Trapdial to Adafruit, status each time"] == 2.0
    assert targets["400 kHz: many dials in one call, 105 us a call"] == 3.8
    assert targets["computing, Trapdial to Adafruit"] == 0.1
    assert shown[-1] == "all libraries with a cost per call"
    assert targets["400 kHz: scans, Trapdial's AS5600 to those seesaws"] == 60.0
    assert "400 kHz: scans, Trapdial's seesaws to Adafruit's" not in targets
    slow = peers.run(speeds_hz=(100_000,), scans=1, cpu_rounds=1)
    assert all(figure.target is None for figure in slow.figures if "100 kHz" in figure.name)


def test_a_missing_extra_is_named_with_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [name for name in sys.modules if name.startswith("adafruit_bus_device")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "busio", None)
    monkeypatch.setitem(sys.modules, "adafruit_tca9548a", None)
    with pytest.raises(BrokenInstallationError) as missing:
        peers.measure(ADAFRUIT_WITH_STATUS, 400_000, 1)
    assert str(missing.value) == (
        "The libraries to compare with are not installed (busio, adafruit_tca9548a not found). Install them with "
        "`trapdial extras install peers`."
    )


def bench_on_a_pi(*, without: str = "") -> subprocess.CompletedProcess[str]:
    """Run `trapdial bench peers` where Blinka believes that it runs on a Pi 4, without one of the installed modules."""
    hide = f"import sys; sys.modules[{without!r}] = None; " if without else ""
    words = ["bench", "peers", "--scans", "1", "--rounds", "1", "--speed", "400000"]
    code = f"{hide}import sys; sys.argv[1:] = {words!r}; from pi_app.cli.entry import main; main()"
    pi = {"BLINKA_FORCECHIP": "BCM2XXX", "BLINKA_FORCEBOARD": "RASPBERRY_PI_4B"}
    return subprocess.run(
        [sys.executable, "-c", code], env=os.environ | pi, capture_output=True, text=True, check=False
    )


def test_on_a_pi_blinka_finds_all_that_it_needs_there() -> None:
    done = bench_on_a_pi()
    assert (done.returncode, done.stderr) == (0, "")
    assert "400 kHz: Adafruit as5600 + tca9548a" in done.stdout


def test_a_library_that_blinka_needs_on_a_pi_is_named_if_it_is_missing() -> None:
    done = bench_on_a_pi(without="gpiod")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "The libraries to compare with are not installed (gpiod not found). Install them with "
        "`trapdial extras install peers`.\n"
    )


def test_a_machine_that_the_peers_do_not_know_is_said_with_their_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> None:
        raise NotImplementedError("Board not supported: \x1b[31mABACUS\nDetails follow.")

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(BrokenInstallationError) as unknown:
        peers.measure(ADAFRUIT, 400_000, 1)
    assert str(unknown.value) == (
        "The libraries to compare with cannot run on this machine (Board not supported: \\x1b[31mABACUS). "
        "Run `trapdial bench scan` for the figures of Trapdial alone."
    )


def test_their_modules_are_as_before_when_it_is_over() -> None:
    import adafruit_seesaw.seesaw

    smbus2: Any = importlib.import_module("smbus2.smbus2")
    before = (smbus2.ioctl, adafruit_seesaw.seesaw.time)
    peers.measure(BLOCK, 400_000, 1)
    assert (smbus2.ioctl, adafruit_seesaw.seesaw.time) == before
    with pytest.raises(KeyError), replaced(smbus2, "ioctl", None):
        raise KeyError
    assert smbus2.ioctl is before[0]


# ------------------------------------------------------------------------------------------- the kernel's side


def at_the_mux() -> tuple[peers.SameBus, PeerKernel]:
    bus = peers.SameBus(400_000)
    bus.kernel.ioctl(I2C_SLAVE, 0x70)
    return bus, bus.kernel


def test_reads_and_writes_go_to_the_address_that_was_chosen() -> None:
    _, kernel = at_the_mux()
    assert kernel.write(b"\x08") == 1
    assert kernel.read(1) == b"\x08"
    assert kernel.calls == 3


def test_combined_messages_come_back_in_the_callers_own_buffers() -> None:
    bus = peers.SameBus(400_000)
    with peer_drivers.peers_at_work(bus.clock):
        theirs = peer_drivers.script_bus(bus.kernel)
        theirs.write_byte(0x70, 0x01)
        ask: Any = i2c_msg.write(0x36, [0x0C])
        answer: Any = i2c_msg.read(0x36, 2)
        theirs.i2c_rdwr(ask, answer)
    assert int.from_bytes(bytes(answer), "big") == bus.truth[0]


def test_a_silent_chip_is_the_kernels_own_error() -> None:
    bus = peers.SameBus(400_000)
    bus.kernel.ioctl(I2C_SLAVE, 0x22)
    with pytest.raises(OSError, match="Remote I/O error") as silent:
        bus.kernel.read(1)
    assert silent.value.errno == errno.EREMOTEIO


def test_what_no_script_here_asks_is_refused() -> None:
    from smbus2 import smbus2

    _, kernel = at_the_mux()
    with pytest.raises(ValueError, match="no peer calls ioctl 0x0705"):
        kernel.ioctl(0x0705, ctypes.c_ulong())
    word = smbus2.i2c_smbus_ioctl_data.create(size=smbus2.I2C_SMBUS_WORD_DATA)
    with pytest.raises(ValueError, match="no script here makes an SMBus call of size 3"):
        kernel.ioctl(0x0720, word)


def test_the_stub_answers_at_once() -> None:
    stub = StubKernel(b"\x87")
    assert (stub.read(4), stub.write(b"abc"), stub.ioctl(I2C_SLAVE, 1)) == (b"\x87\0\0\0", 3, 0)
