"""A PostgreSQL of one's own in a folder, without any port, for the demo and for tests. It is thrown away afterwards."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final, TypedDict

from pi_app.centre.store.store import StoreError

PROGRAMS: Final = ("initdb", "pg_ctl")
DEBIAN: Final = Path("/usr/lib/postgresql")
"""Where Debian keeps the server's programs, by version; they are in no PATH there."""

OWNER: Final = "postgres"
"""PostgreSQL refuses to run as root; this user is there wherever Debian's package is."""

FOR_ALL: Final = "/tmp"
"""Where root makes the folder: another user must reach it, and a socket's path is short."""

TIDY: Final = 'cat >/dev/null; "$1" -D "$2/data" -m immediate stop; rm -rf "$2"'
"""What is done with a cluster at the end, in a shell: its words are pg_ctl and the folder."""

MISSING: Final = "No PostgreSQL is installed here. Install it (apt install postgresql), or use SQLite."


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that runs. `conninfo`: how to reach its database; `folder`: its data."""

    conninfo: str
    folder: Path
    programs: Path
    user: str | None
    options: str

    def start(self) -> None:
        """Start it, also after its processes were killed. Raises StoreError."""
        self.control("-l", str(self.folder / "log"), "-o", self.options, "start")

    @property
    def url(self) -> str:
        """The address of its database, as `store` in a centre's settings has it."""
        return f"postgresql://{OWNER}@/postgres?host={self.folder}"

    def control(self, *words: str) -> None:
        """Start or stop it. Raises StoreError."""
        _run(self.user, self.programs / "pg_ctl", "-D", self.folder / "data", "-w", *words)


def programs() -> Path | None:
    """Return the folder of the server's programs, the newest if there are several; None if there are none."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    with contextlib.suppress(OSError):
        folders += sorted(DEBIAN.glob("*/bin"), key=lambda each: int(each.parent.name), reverse=True)
    return next((each for each in folders if all((each / name).exists() for name in PROGRAMS)), None)


@contextlib.contextmanager
def cluster(settings: Mapping[str, str] = MappingProxyType({})) -> Iterator[Cluster]:
    """Make a cluster with these settings, run it, and throw it away. Raises StoreError."""
    found = programs()
    if found is None:
        raise StoreError(MISSING)
    user = OWNER if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="trapdial-centre-", dir=None if user is None else FOR_ALL))
    try:
        if user is not None:
            account = pwd.getpwnam(user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        with _tidied(user, found, folder):
            data = folder / "data"
            _run(
                user, found / "initdb", "-D", data, "-U", OWNER, "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"
            )
            options = " ".join(f"-c {name}={value}" for name, value in {"listen_addresses": "''", **settings}.items())
            here = Cluster(f"host={folder} user={OWNER} dbname=postgres", folder, found, user, f"-k {folder} {options}")
            here.start()
            yield here
    except KeyError as error:
        raise StoreError(f"There is no user {OWNER}, and PostgreSQL does not run as root. {MISSING}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _tidied(user: str | None, programs: Path, folder: Path) -> Iterator[None]:
    """Stop the cluster and delete its folder at the end. A process of its own does that once its input ends, so nothing
    is left either when this program is killed."""
    with subprocess.Popen(
        ["/bin/sh", "-c", TIDY, "sh", programs / "pg_ctl", folder],
        **_as(user),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches this program alone
    ):
        yield


class _AsUser(TypedDict):
    user: str | None
    group: int | None
    extra_groups: list[int] | None
    cwd: str


def _as(user: str | None) -> _AsUser:
    """How a program is started as a user."""
    if user is None:
        return _AsUser(user=None, group=None, extra_groups=None, cwd="/")
    return _AsUser(user=user, group=pwd.getpwnam(user).pw_gid, extra_groups=[], cwd="/")


def _run(user: str | None, *words: str | Path) -> None:
    done = subprocess.run(
        [str(each) for each in words],
        **_as(user),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode:
        why = " ".join(done.stderr.decode(errors="replace").split())[-400:]
        raise StoreError(f"{Path(words[0]).name} failed: {why}")
