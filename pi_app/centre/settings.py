"""Reads `centre.toml`: what a centre is called, where it listens, where it keeps records, and who may look."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from pi_app.journal.cosigned import cosigner_key
from pi_app.journal.record.notes import LONGEST_NAME, SIGNS_NOTES, VerifierKey, read_vkey
from pi_app.settings.sections import section
from pi_app.text.errors import UserFileError
from pi_app.text.user_file import (
    NO_SUCH_FILE,
    Complaints,
    Problem,
    built,
    errors_of,
    is_whole,
    read_sections,
    read_text,
    read_toml,
    read_values,
    seen_as,
)

FILE: Final = "centre.toml"
NO_SETTINGS: Final = f"{NO_SUCH_FILE}, or make a centre with: trapdial centre new FOLDER"

POSTGRES: Final = ("postgresql://", "postgres://")
MOST_READERS: Final = 1_000
MOST_LOGS: Final = 1_000
MOST_WITNESSES: Final = 16

FileName = Annotated[str, Meta(min_length=1, max_length=400, description="the name of a file")]
KeyText = Annotated[str, Meta(min_length=1, max_length=1_000, description="a key: name, id and key with + between")]
Role = Literal["auditor", "shop", "public"]


class TlsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[tls]: `certificate`: a file with the certificate and those that it hangs on; `key`: its private key (PEM)."""

    certificate: FileName
    key: FileName


class ForeignLog(msgspec.Struct, frozen=True, kw_only=True):
    """[[witness_only]]: a log of another program whose checkpoints are cosigned. The name of its key is its origin."""

    key: KeyText

    @property
    def verifier(self) -> VerifierKey:
        """Its key. Raises ValueError with the reason."""
        found = read_vkey(self.key)
        if found.kind != SIGNS_NOTES:
            raise ValueError("it is the key of a witness, and not that of a log: a log's key is of type 01")
        return found


class OwnLogWitness(msgspec.Struct, frozen=True, kw_only=True):
    """[[own_log.witness]]: a witness that is asked to cosign the centre's own log."""

    key: KeyText
    address: Annotated[
        str,
        Meta(
            pattern=r"^https?://[^\s?#]{1,380}\Z", description="an address of a witness, such as 'https://w.example/'"
        ),
    ]

    @property
    def verifier(self) -> VerifierKey:
        """Its key. Raises ValueError with the reason."""
        return cosigner_key(self.key)


class OwnLogSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[own_log]: the log that the centre keeps of all checkpoints that it cosigned."""

    origin: str
    witnesses: tuple[OwnLogWitness, ...] = ()


class ReaderSettings(msgspec.Struct, frozen=True, kw_only=True):
    """[[reader]]: who may open the centre's page. `shop`: the only one that a reader of the role "shop" sees.
    `token_sha256`: the SHA-256 of the reader's token, in hex; the token itself is written nowhere."""

    name: Annotated[str, Meta(min_length=1, max_length=60, description="a name of at most 60 letters")]
    role: Annotated[Role, Meta(description="'auditor', 'shop' or 'public'")]
    shop: Annotated[str, Meta(max_length=60, description="a shop's name of at most 60 letters")] = ""
    token_sha256: Annotated[
        str, Meta(pattern=r"^([0-9a-f]{64})?\Z", description="the SHA-256 of a token: 64 hex digits")
    ] = ""


class CentreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """`centre.toml`. `name`: of the centre's cosignatures; `listen`: address and port; `store`: a file for SQLite, or
    the address of a PostgreSQL database; `key`: the file with the centre's private key. Names of files are beside
    `where`, the settings file itself."""

    where: Path
    name: str
    listen: str = "127.0.0.1:8460"
    store: str = "centre.db"
    key: str = "centre.key"
    tls: TlsSettings | None = None
    witness_only: tuple[ForeignLog, ...] = ()
    own_log: OwnLogSettings | None = None
    readers: tuple[ReaderSettings, ...] = ()
    warnings: tuple[Problem, ...] = ()

    def beside(self, name: str) -> Path:
        """Return the path of a file that the settings name."""
        return self.where.parent / name

    @property
    def is_postgres(self) -> bool:
        """Whether the store is a PostgreSQL database."""
        return self.store.startswith(POSTGRES)

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens: host and port."""
        host, _, port = self.listen.rpartition(":")
        return host.strip("[]"), int(port)

    @property
    def url(self) -> str:
        """The address for a program on this machine or, if the centre listens for others, on another one."""
        return f"{'http' if self.tls is None else 'https'}://{self.listen}/"

    @property
    def logs(self) -> tuple[VerifierKey, ...]:
        """The keys of other programs' logs."""
        return tuple(each.verifier for each in self.witness_only)

    @property
    def log_origins(self) -> tuple[str, ...]:
        """The origins of other programs' logs."""
        return tuple(each.name for each in self.logs)


class _Top(msgspec.Struct, kw_only=True):
    name: Annotated[
        str,
        Meta(
            pattern=rf"^[^\s+]{{1,{LONGEST_NAME}}}\Z",
            description=f"a name of at most {LONGEST_NAME} letters without spaces and +, such as 'centre.example/c1'",
        ),
    ]
    listen: Annotated[
        str, Meta(max_length=300, description="an address and a port, such as '127.0.0.1:8460' or '[::]:443'")
    ] = "127.0.0.1:8460"
    store: Annotated[
        str,
        Meta(
            min_length=1, max_length=1_000, description="the name of a file, or an address such as postgresql:///name"
        ),
    ] = "centre.db"
    key: FileName = "centre.key"


class _OwnLogTop(msgspec.Struct, kw_only=True):
    origin: Annotated[
        str,
        Meta(
            pattern=r"^[^\s+]{1,200}\Z",
            description="a name of at most 200 letters without spaces and +, such as 'centre.example/log'",
        ),
    ]


WITNESSES: Final = "own_log.witness"
_SECTIONS: Final = ("tls", "witness_only", "own_log", "reader")


def parse(text: str, where: Path) -> CentreSettings | tuple[Problem, ...]:
    """Return the settings in a text, or, if there is an error, all problems (warnings too)."""
    complaints = Complaints(str(where))
    raw = read_toml(text, complaints)
    settings = None if raw is None else _read(raw, where, complaints)
    if settings is None or errors_of(complaints.found):
        return tuple(complaints.found)
    return settings


def load(path: Path) -> CentreSettings:
    """Return the settings in a file. Raises UserFileError with every error in it."""
    read = parse(read_text(path, NO_SETTINGS), path)
    if isinstance(read, CentreSettings):
        return read
    raise UserFileError([str(problem) for problem in errors_of(read)])


def _read(raw: Mapping[str, object], where: Path, complaints: Complaints) -> CentreSettings | None:
    good = read_values(_Top, raw, "", complaints, elsewhere=_SECTIONS)
    if "listen" in good and not _is_address(str(good["listen"])):
        complaints.error("", seen_as("listen", good["listen"]), LISTEN)
    part = section(raw, "tls", complaints)
    tls = read_values(TlsSettings, part, "[tls]", complaints) if part is raw.get("tls") else None
    logs = read_sections(ForeignLog, raw, "witness_only", MOST_LOGS, complaints, needed=False)
    _check_keys("witness_only", logs, complaints)
    own_log = _read_own_log(raw, complaints)
    readers = read_sections(ReaderSettings, raw, "reader", MOST_READERS, complaints, needed=False)
    if not errors_of(complaints.found):
        _check_readers(readers, complaints)
    if errors_of(complaints.found):
        return None
    top = built(_Top, good)
    if tls is None and not is_local(top.listen):
        complaints.warning("", seen_as("listen", top.listen), OPEN)
    return CentreSettings(
        where=where,
        name=top.name,
        listen=top.listen,
        store=top.store,
        key=top.key,
        tls=None if tls is None else built(TlsSettings, tls),
        witness_only=logs,
        own_log=own_log,
        readers=readers,
        warnings=tuple(complaints.found),
    )


LISTEN: Final = (
    "must be an address and a port from 1 to 65535, such as '127.0.0.1:8460', '0.0.0.0:8460' for every address of this "
    "machine, or '[::]:443'"
)
OPEN: Final = (
    "other machines reach it without TLS, and whoever is between can read along; write [tls], or listen on 127.0.0.1 "
    "behind a proxy that has a certificate"
)


def _is_address(text: str) -> bool:
    host, colon, port = text.rpartition(":")
    if not colon or not re.fullmatch(r"[0-9]{1,5}", port, re.ASCII) or not 1 <= int(port) <= 65_535:
        return False
    inside = host.removeprefix("[").removesuffix("]")
    try:
        return (ip_address(inside).version == 6) == (host != inside)
    except ValueError:
        return bool(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?", host))


def is_local(listen: str) -> bool:
    """Return whether only this machine reaches an address."""
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _check_keys(name: str, rows: Sequence[ForeignLog | OwnLogWitness], complaints: Complaints) -> None:
    """Report a key that is none, and one that is there twice."""
    seen: set[str] = set()
    for number, row in enumerate(rows, 1):
        here = f"[[{name}]] {number}"
        try:
            found = row.verifier
        except ValueError as error:
            complaints.error(here, seen_as("key", row.key), f"{error}; copy it once more from its owner")
            continue
        if found.name in seen:
            complaints.error(here, seen_as("key", row.key), f"{found.name} stands further up; name each once")
        seen.add(found.name)


def _read_own_log(raw: Mapping[str, object], complaints: Complaints) -> OwnLogSettings | None:
    part = section(raw, "own_log", complaints)
    if part is not raw.get("own_log"):
        return None
    good = read_values(_OwnLogTop, part, "[own_log]", complaints, elsewhere=["witness"])
    rows = {WITNESSES: part.get("witness", [])}
    found = read_sections(OwnLogWitness, rows, WITNESSES, MOST_WITNESSES, complaints, needed=False)
    _check_keys(WITNESSES, found, complaints)
    return OwnLogSettings(**good, witnesses=found) if is_whole(_OwnLogTop, good) else None  # type: ignore[arg-type]


def _check_readers(readers: Sequence[ReaderSettings], complaints: Complaints) -> None:
    names: set[str] = set()
    for number, reader in enumerate(readers, 1):
        place = f"[[reader]] {number}"
        if reader.name.casefold() in names:
            complaints.error(place, seen_as("name", reader.name), "is the name of another reader; choose another")
        names.add(reader.name.casefold())
        if reader.role != "public" and not reader.token_sha256:
            complaints.error(place, seen_as("role", reader.role), "needs a token; write its `token_sha256`")
        if (reader.role == "shop") != bool(reader.shop):
            wanted = "names no `shop`; write the only one that it may see"
            reason = wanted if reader.role == "shop" else "sees more than one shop; leave `shop` out"
            complaints.error(place, seen_as("role", reader.role), reason)
