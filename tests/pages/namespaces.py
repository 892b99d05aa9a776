"""A room with a table and phones, as network namespaces on this machine: one for the table, one for each phone, and
where packets are to be lost one between them."""

from __future__ import annotations

import array
import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import socket
import struct
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.programs import CannotRun

ADDRESS: Final = "10.77.0.1"
"""The table's; phone 0 has 10.77.0.10."""

_NAMED: Final = Path("/run/netns")
_CLONE_NEWNET: Final = 0x40000000
_SIOCETHTOOL: Final = 0x8946
_OFF: Final = {"rx checksums": 0x15, "tx checksums": 0x17, "scatter": 0x19, "TSO": 0x1F, "GSO": 0x24, "GRO": 0x2C}
"""ETHTOOL_S... of what would let a capture see larger or other packets than a radio sends."""

_SETTINGS: Final = {
    "ipv6/conf/all/disable_ipv6": "1",
    "ipv6/conf/default/disable_ipv6": "1",
    "ipv4/tcp_congestion_control": "cubic",  # a Raspberry Pi's
}

_libc: Final = ctypes.CDLL(None, use_errno=True)


def check_machine() -> None:
    """Raises CannotRun where namespaces cannot be made."""
    if os.geteuid() != 0:
        raise CannotRun("network namespaces need root")
    if shutil.which("ip") is None:
        raise CannotRun("the program ip is missing; Debian's package is iproute2")
    try:
        _ip(f"netns add {_own('try')}")
        _ip(f"netns delete {_own('try')}")
    except subprocess.CalledProcessError as error:
        raise CannotRun(f"network namespaces are refused here: {error.stderr.strip()}") from error


@contextlib.contextmanager
def inside(namespace: str) -> Iterator[None]:
    """Let this thread make sockets and processes in a namespace. They stay in it."""
    with open("/proc/thread-self/ns/net", "rb") as before, open(_NAMED / namespace, "rb") as there:
        _enter(there.fileno())
        try:
            yield
        finally:
            _enter(before.fileno())


@dataclass(frozen=True, slots=True)
class Room:
    """The namespaces: the table's, and of each phone. `legs`: the interfaces of the table's end, one for each phone.
    `relay`: the namespace between them with two ports for each phone, or an empty name."""

    table: str
    phones: tuple[str, ...]
    legs: tuple[str, ...]
    relay: str = ""

    def ports(self) -> list[tuple[str, str]]:
        """The relay's two ports of each phone: towards the phone, and towards the table."""
        return [(f"p{number}", f"q{number}") for number in range(len(self.phones))]


@contextlib.contextmanager
def room(phones: int, *, relayed: bool = False) -> Iterator[Room]:
    """Make a room; everything in it is gone afterwards. Raises CannotRun."""
    check_machine()
    _sweep()
    made = Room(
        _own("table"),
        tuple(_own(f"phone{number}") for number in range(phones)),
        tuple(f"t{number}" for number in range(phones)),
        _own("relay") if relayed else "",
    )
    names = [made.table, *made.phones, *([made.relay] if relayed else [])]
    try:
        _ip(*(f"netns add {name}" for name in names))
        for name in names:
            with inside(name):
                for setting, value in _SETTINGS.items():
                    with contextlib.suppress(OSError):  # this kernel has no such part
                        Path("/proc/sys/net", setting).write_text(value, encoding="ascii")
        _ip(*_cables(made))
        with inside(made.table):
            _ip(*_table_end(made))
            for leg in (*made.legs, "br0"):
                plain(leg)
        for number, name in enumerate(made.phones):
            with inside(name):
                _ip("link set lo up", f"address add 10.77.0.{10 + number}/16 dev eth0", "link set eth0 up")
                plain("eth0")
        if relayed:
            with inside(made.relay):
                for port in (each for pair in made.ports() for each in pair):
                    _ip(f"link set {port} up")
                    plain(port)
        yield made
    finally:
        for name in names:
            _end_all_in(name)
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip(f"netns delete {name}")


def add_addresses(namespace: str, addresses: Sequence[str]) -> None:
    """Give a phone's namespace more addresses of the room's network, 10.77.0.0/16."""
    with inside(namespace):
        _ip(*(f"address add {address}/16 dev eth0" for address in addresses))


def plain(interface: str) -> None:
    """Switch the offloads of an interface off: packets are as large as on the air, with whole checksums."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as ask:
        for command in _OFF.values():
            value = array.array("B", struct.pack("II", command, 0))
            with contextlib.suppress(OSError):  # this kernel has it switched off for good
                fcntl.ioctl(ask, _SIOCETHTOOL, struct.pack("16sP", interface.encode(), value.buffer_info()[0]))


def _cables(made: Room) -> Iterator[str]:
    for number, (name, leg) in enumerate(zip(made.phones, made.legs, strict=True)):
        if made.relay:
            yield f"link add eth0 netns {name} type veth peer name p{number} netns {made.relay}"
            yield f"link add {leg} netns {made.table} type veth peer name q{number} netns {made.relay}"
        else:
            yield f"link add eth0 netns {name} type veth peer name {leg} netns {made.table}"


def _table_end(made: Room) -> Iterator[str]:
    yield "link set lo up"
    yield "link add br0 type bridge forward_delay 0"
    yield f"address add {ADDRESS}/16 dev br0"
    for leg in made.legs:
        yield f"link set {leg} master br0 up"
    yield "link set br0 up"


def _own(what: str) -> str:
    return f"trapdial-{os.getpid()}-{what}"


def _sweep() -> None:
    """Delete what a killed run of these lanes left."""
    for path in _NAMED.glob("trapdial-*-*"):
        owner = path.name.split("-")[1]
        if owner.isdigit() and not Path("/proc", owner).exists():
            _end_all_in(path.name)
            with contextlib.suppress(subprocess.CalledProcessError):
                _ip(f"netns delete {path.name}")


def _end_all_in(name: str) -> None:
    """End the processes that run in one of our namespaces, but never this one."""
    told = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True, check=False)
    for pid in map(int, told.stdout.split()):
        if pid != os.getpid():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _ip(*commands: str) -> None:
    subprocess.run(["ip", "-batch", "-"], input="\n".join(commands) + "\n", text=True, check=True, capture_output=True)


def _enter(descriptor: int) -> None:
    if _libc.setns(descriptor, _CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "setns")


def run_in(namespace: str, words: Sequence[str], **options: object) -> subprocess.Popen[bytes]:
    """Start a program in a namespace."""
    with inside(namespace):
        return subprocess.Popen(words, **options)  # type: ignore[call-overload,no-any-return]
