"""The table's own access point, for places without a Wi-Fi: a profile of NetworkManager, and a line for its dnsmasq.

NetworkManager hands out addresses on it (`method=shared`); dnsmasq answers every name with the table's address, so that
the probes of phones for captive portals reach the pages, which answer them.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pi_app.pages.address import OWN_NETWORK
from pi_app.settings.pages_section import PagesSettings
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import read_plain
from pi_app.text.private_files import replace_file

NAME: Final = "trapdial"
FOLDER: Final = Path("etc/NetworkManager")
PROFILE: Final = FOLDER / "system-connections/trapdial.nmconnection"
DNS: Final = FOLDER / "dnsmasq-shared.d/trapdial.conf"
MODES: Final[Mapping[Path, int]] = {PROFILE: 0o600, DNS: 0o644}
"""NetworkManager ignores a profile that others can read. dnsmasq reads its lines as its own user."""

INSTALL: Final = "sudo $(command -v trapdial) pages network --install"
"""Root's own PATH rarely has the program."""

START: Final = f"sudo nmcli connection reload && sudo nmcli connection up {NAME}"
STOP: Final = f"sudo nmcli connection down {NAME}"
FORGET: Final = f"{STOP}; sudo nmcli connection reload"

_LONGEST_BYTES: Final = 65_536
_UUID: Final = "7b1a2d9e-6c0f-5b7e-9a51-1077001e7a1d"
_LETTERS: Final = "ghijkmnpqrstuvwxyz"
"""None of a hexadecimal number, so that no phone takes a passphrase for bytes; no l and o, which look like 1 and 0."""
_DIGITS: Final = "23456789"


def new_passphrase() -> str:
    """Draw 12 small letters and 4 digits: 62 bits, which a recorded handshake does not give away."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(12))
    return letters + "".join(secrets.choice(_DIGITS) for _ in range(4))


def suggested(section: PagesSettings) -> Iterator[str]:
    """The lines for [pages] that an access point needs."""
    yield "[pages]"
    yield f"port = {section.port}"
    yield f'address = "{OWN_NETWORK}"'
    yield 'network = "Trapdial"'
    yield f'passphrase = "{new_passphrase()}"'


def files(section: PagesSettings) -> Mapping[Path, str]:
    """The text of each file, by its path below the root."""
    return {PROFILE: profile(section), DNS: DNS_TEXT}


DNS_TEXT: Final = f"""\
# The table's access point leads to the table alone: every name has its address. `trapdial pages network --remove`
# deletes this file. It also holds for other connections that NetworkManager shares.
address=/#/{OWN_NETWORK}
"""


def profile(section: PagesSettings) -> str:
    """The profile, as a keyfile of NetworkManager (nm-settings-keyfile(5)). Without a passphrase it is an open network:
    what phones get is sealed all the same."""
    return "\n".join(_profile(section)) + "\n"


def _profile(section: PagesSettings) -> Iterator[str]:
    yield "[connection]"
    yield f"id={NAME}"
    yield f"uuid={_UUID}"
    yield "type=wifi"
    yield "autoconnect=false"
    yield ""
    yield "[wifi]"
    yield "mode=ap"
    yield "band=bg"
    yield f"ssid={_ssid(section.network)}"
    yield "ap-isolation=1"
    if section.passphrase:
        yield ""
        yield "[wifi-security]"
        yield "key-mgmt=wpa-psk"
        yield "proto=rsn;"
        yield "pairwise=ccmp;"
        yield "group=ccmp;"
        yield "pmf=1"
        yield f"psk={_escaped(section.passphrase)}"
    yield ""
    yield "[ipv4]"
    yield "method=shared"
    yield f"address1={OWN_NETWORK}/24"
    yield ""
    yield "[ipv6]"
    yield "method=disabled"


def _ssid(name: str) -> str:
    """A name as a keyfile has it: as text, or as a list of bytes where text would be read as something else."""
    data = name.encode()
    plain = all(0x20 < byte < 0x7F and byte not in b"\\;=" for byte in data.replace(b" ", b"_"))
    return name if plain and name == name.strip() else "".join(f"{byte};" for byte in data)


def _escaped(text: str) -> str:
    r"""A value of a keyfile: GLib reads `\s` as a space, and takes spaces away at its beginning."""
    text = text.replace("\\", "\\\\")
    return f"\\s{text[1:]}" if text.startswith(" ") else text


# ---------------------------------------------------------------------------------------------------- on the disk


def install(made: Mapping[Path, str], root: Path, *, overwrite: bool) -> list[Path]:
    """Write the files below a root, and return their paths. A file that is there with another content is replaced only
    with `overwrite`. Raises UserFileError, and then nothing was written."""
    paths = {root / path: (text, MODES[path]) for path, text in made.items()}
    for path, (text, _) in paths.items():
        if not path.parent.is_dir():
            seen = "its folder is missing: NetworkManager is not installed there"
            raise UserFileError.at(str(path), "", seen, "On a Pi: sudo apt install network-manager")
        if not overwrite and path.exists() and _read(path) != text.encode():
            seen = "it is already there, with another content"
            raise UserFileError.at(str(path), "", seen, "Say --overwrite to replace it")
    for path, (text, mode) in paths.items():
        try:
            replace_file(path, text.encode(), mode=mode)
        except OSError as error:
            raise _refused(path, "written", error) from error
    return list(paths)


def remove(root: Path) -> list[Path]:
    """Delete the files below a root, and return those that were there. Raises UserFileError."""
    gone = []
    for path in (root / PROFILE, root / DNS):
        try:
            path.unlink()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise _refused(path, "deleted", error) from error
        gone.append(path)
    return gone


def _read(path: Path) -> bytes:
    try:
        return read_plain(path, _LONGEST_BYTES)
    except OSError as error:
        raise _refused(path, "read", error) from error


def _refused(path: Path, what: str, error: OSError) -> UserFileError:
    advice = (
        "Type: sudo $(command -v trapdial) and the rest" if isinstance(error, PermissionError) else "Check the disk"
    )
    return UserFileError.at(str(path), "", f"it cannot be {what} ({error.strerror})", advice)
