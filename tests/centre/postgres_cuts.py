"""Power cuts of a centre over PostgreSQL: every write and sync of all its processes is traced, and a cut may leave any
part of what was not synced, as for SQLite. PostgreSQL then recovers what is left, and the rows are compared.
"""

from __future__ import annotations

import contextlib
import json
import os
import pwd
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pi_app.centre.store.cluster import FOR_ALL, MISSING, OWNER, Cluster, cluster, programs
from pi_app.centre.store.postgres import PostgresStore
from pi_app.centre.store.store import StoreError
from tests.centre.cut_tables import TABLES, compared, enrol, goes_on, write_played
from tests.centre.traced_writes import OPTIONS, Trace
from tests.crash.disk import Disk, Image, Op, lay_out, read_image
from tests.programs import CannotRun

SMALL: Final = {"shared_buffers": "1MB", "autovacuum": "off", "max_wal_size": "64MB", "wal_level": "minimal",
                "max_wal_senders": "0"}  # fmt: skip
LOCK: Final = "postmaster.pid"
"""It names a process of the machine before the cut."""

SECONDS: Final = 300.0


@dataclass(frozen=True)
class Traced:
    """What lay in the data folder, what was done there, and what the tables were answered: each answer with the number
    of operations before it."""

    here: Cluster
    image: Image
    ops: Sequence[Op]
    answers: Sequence[tuple[int, str, str]]


@contextlib.contextmanager
def traced(steps: int, seed: int, settings: Mapping[str, str]) -> Iterator[Traced]:
    """Let tables hand over so often to a PostgreSQL that is traced. Raises CannotRun."""
    if programs() is None:
        raise CannotRun(MISSING)
    if shutil.which("strace") is None:
        raise CannotRun("the program strace is missing")
    with cluster({**SMALL, **settings}) as here:
        with contextlib.closing(PostgresStore(here.conninfo)) as store:
            for table in range(TABLES):
                enrol(store, table)
        here.control("-m", "fast", "stop")
        write_played(here.folder / "played")
        image, log, told = read_image(here.folder / "data"), here.folder / "trace", here.folder / "told"
        asked = {
            "conninfo": here.conninfo, "folder": str(here.folder), "programs": str(here.programs), "user": here.user,
            "options": here.options, "played": str(here.folder / "played"), "told": str(told), "seed": seed,
            "steps": steps,
            "checkpoint_each": max(3, steps // 4),
        }  # fmt: skip
        words = ["strace", *OPTIONS, "-o", str(log), sys.executable, "-m", "tests.centre.postgres_life"]
        done = subprocess.run(words, input=json.dumps(asked) + "\n", text=True, capture_output=True, timeout=SECONDS)
        if done.returncode:
            raise CannotRun(f"strace cannot follow PostgreSQL here: {done.stderr[-300:]}")
        trace = Trace(here.folder / "data", image, told)
        with log.open(encoding="utf-8", errors="replace") as lines:
            trace.take(lines)
        log.unlink()
        answers = [(at, *json.loads(line)) for at, data in trace.marks for line in data.splitlines()]
        yield Traced(here, image, trace.ops, answers)


def cut(found: Traced, places: int, seed: int) -> Iterator[list[str]]:
    """Cut the power at so many places; yield what is wrong after each."""
    draw = random.Random(f"cuts {seed}")
    first = found.answers[0][0]
    wanted = set(draw.sample(range(first, len(found.ops)), min(places, len(found.ops) - first)))
    disk = Disk(found.image)
    for number, op in enumerate(found.ops):
        if number in wanted:
            told = {origin: note for at, origin, note in found.answers if at <= number}
            yield [f"place {number}: {fault}" for fault in _after(found.here, disk.after_a_cut(draw), told, draw)]
        disk.happen(op)


def _after(here: Cluster, left: Image, told: Mapping[str, str], draw: random.Random) -> Iterator[str]:
    """Start PostgreSQL on what a cut left, and compare."""
    shared = FOR_ALL if here.user is not None else None
    with tempfile.TemporaryDirectory(prefix="trapdial-cut-", dir=shared) as inside:
        folder = Path(inside)
        data = folder / "data"
        data.mkdir(mode=0o700)
        lay_out({name: content for name, content in left.items() if name != LOCK}, data)
        if here.user is not None:
            account = pwd.getpwnam(here.user)
            for path in (folder, data, *data.rglob("*")):
                os.chown(path, account.pw_uid, account.pw_gid)
        options = here.options.replace(str(here.folder), inside)
        then = replace(here, folder=folder, conninfo=f"host={folder} user={OWNER} dbname=postgres", options=options)
        try:
            then.start()
            with contextlib.closing(PostgresStore(then.conninfo)) as store:
                yield from compared(store, told)
                if not goes_on(store, draw):
                    yield "the next hand-over was not cosigned"
        except (StoreError, ValueError) as error:
            yield f"{error} {_last_words(folder)}"
        finally:
            with contextlib.suppress(StoreError):
                then.control("-m", "immediate", "stop")


def _last_words(folder: Path) -> str:
    log = folder / "log"
    return " ".join(log.read_text(encoding="utf-8", errors="replace").split())[-600:] if log.exists() else ""
