"""How a phone finds the table: this machine's IPv4 address, the address of the pages, and the texts of QR codes."""

from __future__ import annotations

import array
import base64
import binascii
import contextlib
import fcntl
import ipaddress
import re
import socket
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_app.settings.pages_section import PagesSettings

HTTP_PORT: Final = 80
CODE_BYTES: Final = 16
CODE_LETTERS: Final = 26
OWN_NETWORK: Final = "10.77.0.1"
"""The table's address on its own access point (`trapdial pages network`)."""


# -------------------------------------------------------------------------------------------------------- the codes


def code_text(code: bytes) -> str:
    """Write a join secret as base32 without padding: 26 letters that a QR code packs tightly."""
    return base64.b32encode(code).decode().rstrip("=")


def read_code(text: str) -> bytes:
    """Read a join secret; small letters are accepted. Raises ValueError, which never quotes the text."""
    letters = text.strip().upper()
    if len(letters) != CODE_LETTERS or not text.isascii():
        raise ValueError(f"a code has {CODE_LETTERS} letters and digits, and this has {len(letters)}")
    try:
        code = base64.b32decode(letters + "======")
    except (binascii.Error, ValueError):
        raise ValueError("a code has only the letters A to Z and the digits 2 to 7") from None
    if code_text(code) != letters:
        raise ValueError("a code ends in A, E, I, M, Q, U, Y or 4")  # 130 bits hold 128: the last two are zeros
    return code


# ---------------------------------------------------------------------------------------------------- the addresses


def local_name() -> str:
    """The name that this machine has on its own network, such as `pi.local`: a courtesy, since many phones do not know
    such names; cards and codes have figures."""
    return f"{socket.gethostname().partition('.')[0].lower()}.local"


def host_of(address: str, port: int) -> str:
    """The address as browsers send it in `Host`: without a port if it is 80."""
    return address if port == HTTP_PORT else f"{address}:{port}"


def shown_url(address: str, port: int) -> str:
    """The address for people to read and type."""
    return f"http://{host_of(address, port)}"


def page_url(address: str, port: int, code: bytes | None = None) -> str:
    """The address for a QR code, in capital letters, which need less room there; with the join secret of a seat."""
    return f"HTTP://{host_of(address, port)}/{'' if code is None else f'#{code_text(code)}'}"


# ------------------------------------------------------------------------------------------------------- the Wi-Fi


_SPECIAL: Final = re.compile(r'([\\;,:"])')
_HEX: Final = re.compile(r"[0-9A-Fa-f]+")


def wifi_text(network: str, passphrase: str) -> str:
    """The text of a QR code that offers a phone to join a Wi-Fi; an empty passphrase is an open network."""
    kind = (
        f"T:WPA;S:{_escaped(network)};P:{_escaped(passphrase)};" if passphrase else f"T:nopass;S:{_escaped(network)};"
    )
    return f"WIFI:{kind};"


def looks_like_hex(text: str) -> bool:
    """Whether a name or a passphrase could be taken for hexadecimal digits. Some phones then read it as bytes, and
    quotes around it, which the format has for that, are taken by iPhones as a part of it."""
    return len(text) % 2 == 0 and _HEX.fullmatch(text) is not None


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


# ------------------------------------------------------------------------------------------------- this machine's own


@dataclass(frozen=True, slots=True)
class Interface:
    """One network interface with an IPv4 address. `virtual`: made by a program (a container, a VPN), with no device
    behind it."""

    name: str
    address: str
    wireless: bool = False
    virtual: bool = False
    up: bool = True


def reachable(interfaces: Iterable[Interface]) -> list[Interface]:
    """Those that phones can reach, the best first: the own access point, Wi-Fi, a cable; last an interface without a
    device. Loopback and self-assigned addresses (169.254) are left out."""
    found = [each for each in interfaces if each.up and _serves(each.address)]
    return sorted(found, key=lambda each: (each.virtual, each.address != OWN_NETWORK, not each.wireless, each.name))


def _serves(address: str) -> bool:
    known = ipaddress.IPv4Address(address)
    return not (known.is_loopback or known.is_link_local or known.is_unspecified or known.is_multicast)


def own_address(pages: PagesSettings) -> str:
    """The address that the settings name, or the best of this machine; empty if it has none."""
    if pages.address:
        return pages.address
    return next((each.address for each in reachable(own_interfaces())), "")


_SIOCGIFCONF: Final = 0x8912
_SIOCGIFFLAGS: Final = 0x8913
_UP_AND_RUNNING: Final = 0x1 | 0x40
_NAME_BYTES: Final = 16
_REQUEST_BYTES: Final = 40 if struct.calcsize("P") == 8 else 32
"""struct ifreq: a name, and a union as long as its longest member on this machine."""

_MOST: Final = 128


def own_interfaces(root: Path = Path("/")) -> list[Interface]:
    """The interfaces of this machine with their IPv4 addresses, one by one (netdevice(7))."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as asking:
        return [_interface(asking, name, address, root) for name, address in _addresses(asking)]


def _addresses(asking: socket.socket) -> list[tuple[str, str]]:
    room = array.array("B", bytes(_MOST * _REQUEST_BYTES))
    asked = struct.pack("iP", len(room), room.buffer_info()[0])
    (length,) = struct.unpack_from("i", fcntl.ioctl(asking.fileno(), _SIOCGIFCONF, asked))
    told = room.tobytes()[:length]
    requests = [told[at : at + _REQUEST_BYTES] for at in range(0, length, _REQUEST_BYTES)]
    return [(each[:_NAME_BYTES].partition(b"\0")[0].decode(), socket.inet_ntoa(each[20:24])) for each in requests]


def _interface(asking: socket.socket, name: str, address: str, root: Path) -> Interface:
    device = root / "sys/class/net" / name.partition(":")[0]
    wireless = (device / "phy80211").exists() or (device / "wireless").exists()
    flags = 0
    with contextlib.suppress(OSError):  # it went away meanwhile
        asked = struct.pack(f"{_REQUEST_BYTES}s", name.encode())
        (flags,) = struct.unpack_from("H", fcntl.ioctl(asking.fileno(), _SIOCGIFFLAGS, asked), _NAME_BYTES)
    up = flags & _UP_AND_RUNNING == _UP_AND_RUNNING
    return Interface(name, address, wireless, not (device / "device").exists(), up)
