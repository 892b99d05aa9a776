"""Who may read what a centre knows: readers with a token, and the cookies that stand for them in a browser.

An auditor sees every table. A shop sees its own tables, and nothing that shows that there are others. Everybody else
sees how many tables play, and the checkpoints. A token has 130 random bits and is kept as its SHA-256. A cookie is
bound to its reader's lines in `centre.toml`: a reader who gets another token, role or shop has to enter again.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pi_app.centre.settings import ReaderSettings, Role
from pi_app.journal.budget import Budget
from pi_app.journal.record.keys import DeviceKey

TOKEN_LETTERS: Final = 26
MOST_TYPED: Final = 100
"""Letters of a token as it is typed, with spaces and dashes."""

COOKIE_S: Final = 12 * 3_600
"""So long a browser may read before its token is asked for again."""

LONGEST_COOKIE: Final = 1_000

WRONG_TOKENS: Final = Budget(at_once=5, every_ns=20_000_000_000)
"""The wrong tokens of one address: five at once, and one more each 20 seconds. A right one waits for nothing."""

MOST_ADDRESSES: Final = 1_000
"""So many addresses are counted apart; the one that was wrong longest ago is forgotten."""

_ALPHABET: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
_COOKIE: Final = re.compile(r"([0-9]{1,12})\.([A-Za-z0-9_-]{1,400})\.([0-9a-f]{64})\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class ReaderRights:
    """What one reader may see. `shop`: the only one, for the role "shop"; `name`: the reader's, empty without a
    token."""

    role: Role = "public"
    shop: str = ""
    name: str = ""

    @property
    def sees_tables(self) -> bool:
        """Whether the reader sees any table."""
        return self.role != "public"

    def sees(self, shop: str) -> bool:
        """Return whether the reader sees the tables of this shop."""
        return self.role == "auditor" or (self.role == "shop" and shop != "" and shop == self.shop)


PUBLIC: Final = ReaderRights()


# ---------------------------------------------------------------------------------------------------------- tokens


def new_token() -> str:
    """Make a token of 26 letters and digits, in groups that are easy to type."""
    letters = "".join(secrets.choice(_ALPHABET) for _ in range(TOKEN_LETTERS))
    return "-".join(letters[at : at + 5] for at in range(0, TOKEN_LETTERS, 5))


def token_hash(typed: str) -> str:
    """Return the SHA-256 of a token, in hex. Small letters, spaces and dashes do not matter. The token has 130 random
    bits, so no slow hash is needed."""
    letters = "".join(letter for letter in typed.upper() if letter.isalnum())
    return hashlib.sha256(letters.encode("utf-8", "surrogateescape")).hexdigest()


def reader_of(typed: str, readers: Sequence[ReaderSettings]) -> ReaderSettings | None:
    """Return the reader with this token. All readers are compared, each in constant time."""
    if len(typed) > MOST_TYPED:
        return None
    mine, found = token_hash(typed), None
    for reader in readers:
        if hmac.compare_digest(mine, reader.token_sha256 or "-" * 64) and found is None:
            found = reader
    return found


def rights_of(reader: ReaderSettings | None) -> ReaderRights:
    """Return what a reader may see."""
    return PUBLIC if reader is None else ReaderRights(reader.role, reader.shop, reader.name)


# --------------------------------------------------------------------------------------------------------- cookies


def cookie_key(centre: DeviceKey) -> bytes:
    """Return the secret that signs cookies, made from the centre's key: it holds after a restart, and for every process
    of one centre."""
    return hmac.digest(centre.seed, b"trapdial centre cookies 1\n", "sha256")


def cookie_of(reader: ReaderSettings, key: bytes, until_s: int) -> str:
    """Write a cookie that lets a reader in until then (POSIX seconds)."""
    name = base64.urlsafe_b64encode(reader.name.encode()).decode().rstrip("=")
    return f"{until_s}.{name}.{_mac(reader, key, until_s)}"


def reader_in(cookie: str, key: bytes, readers: Sequence[ReaderSettings], now_s: float) -> ReaderSettings | None:
    """Return the reader that a cookie stands for; None if it is over, forged, or of a reader who was changed since."""
    read = _COOKIE.match(cookie) if len(cookie) <= LONGEST_COOKIE else None
    if read is None or not now_s < int(read[1]) <= now_s + COOKIE_S:
        return None
    try:
        name = base64.urlsafe_b64decode(read[2] + "=" * (-len(read[2]) % 4)).decode()
    except (binascii.Error, ValueError):
        return None
    reader = next((each for each in readers if each.name == name), None)
    if reader is None or not hmac.compare_digest(read[3], _mac(reader, key, int(read[1]))):
        return None
    return reader


def _mac(reader: ReaderSettings, key: bytes, until_s: int) -> str:
    bound = "\n".join((str(until_s), reader.name, reader.role, reader.shop, reader.token_sha256))
    return hmac.new(key, f"trapdial reader 1\n{bound}".encode(), "sha256").hexdigest()


# --------------------------------------------------------------------------------------------------- wrong tokens


class WrongTokens:
    """Counts wrong tokens for each address, in memory: a restart forgets them, and 130 bits are not guessed."""

    def __init__(self) -> None:
        self._used: OrderedDict[str, Budget] = OrderedDict()

    def wait_s(self, address: str, now_s: float) -> int:
        """Return for how many seconds an address has to wait; 0 if it may try."""
        used, now_ns = self._used.get(_counted(address), WRONG_TOKENS), int(now_s * 1e9)
        over = 1 - used.room(now_ns)
        return 0 if over <= 0 else -(-over * used.every_ns // 1_000_000_000)

    def count(self, address: str, now_s: float) -> None:
        """Count a wrong token."""
        counted = _counted(address)
        self._used[counted] = self._used.get(counted, WRONG_TOKENS).used(int(now_s * 1e9))
        self._used.move_to_end(counted)
        if len(self._used) > MOST_ADDRESSES:
            self._used.popitem(last=False)


def _counted(address: str) -> str:
    """Return what an address is counted as: an IPv6 network of 64 bits is one."""
    from ipaddress import IPv6Address, ip_address

    try:
        found = ip_address(address)
    except ValueError:
        return address
    return str(int(found) >> 64) if isinstance(found, IPv6Address) and found.ipv4_mapped is None else address
