"""Secrets of running games at the centre: none lies in its database, dump, write-ahead log, log file, pages, figures or
memory. Tables play games whose trap tables have words that are nowhere else, and hand them over while the games run.

A word that is put there on purpose, as the name of a table, is found in each of these places where names belong: so the
search sees what it looks for.
"""

from __future__ import annotations

import contextlib
import hashlib
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from pi_app import journal as jn
from pi_app.centre.enrolment import code_hash
from pi_app.centre.readers_file import add_reader
from pi_app.centre.roles import new_token, token_hash
from pi_app.centre.settings import FILE, ReaderSettings
from pi_app.centre.store.cluster import Cluster, cluster, programs
from pi_app.journal import Journal
from pi_app.journal.record import entry as rec
from pi_app.journal.record.checkpoints import origin_of
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME
from pi_app.sender.client import HttpClient
from pi_app.sender.outbox import Outbox
from pi_app.sender.sender import RecordSender
from pi_app.workshop.bench.centre.centre_process import CentreProcess
from tests.centre.real_table import hands_over
from tests.pages.canaries import Canaries, files_under, hits, memory
from tests.pages.figures import Figures
from tests.pi_app.centre.records import entries_of
from tests.pi_app.games import EVERY_KIND, started, turned

TABLES: Final = {True: 3, False: 12}
TURNS: Final = {True: 20, False: 200}
PAGES: Final = ("", "metrics", "status.json", "healthz")


@dataclass(frozen=True)
class Secret:
    """A table that plays: its journal, and the words that nobody but its seats may know."""

    path: Path
    origin: str
    words: tuple[str, ...]
    planted: str


def run(figures: Figures, *, short: bool) -> None:
    """Look at a centre over each store. PostgreSQL is left out where it is not installed, and that is said."""
    for name in ("SQLite", "PostgreSQL"):
        if name == "PostgreSQL" and programs() is None:
            figures.note("PostgreSQL is not installed here: only SQLite was searched")
            continue
        with tempfile.TemporaryDirectory() as inside, contextlib.ExitStack() as closing:
            folder = Path(inside)
            here = closing.enter_context(cluster({})) if name == "PostgreSQL" else None
            centre = CentreProcess(folder / "centre", "centre.db" if here is None else here.url)
            closing.callback(centre.stop)
            tables = [_plays(folder / f"table{number}", number, TURNS[short]) for number in range(TABLES[short])]
            _lane(figures, name, centre, tables, here)


def _plays(folder: Path, number: int, turns: int) -> Secret:
    """Play a game that goes on, over trap tables with words of their own."""
    words = tuple(f"qz{number}secret{square}xv" for square in ("alpha", "beta"))
    contents = [msgspec.structs.replace(EVERY_KIND, name=word, note=f"note {word}") for word in words]
    path = folder / "journal.db"
    folder.mkdir()
    with Journal(path, MAGE_KNIGHT) as journal:
        moment = journal.append("running", NO_GAME, started(*contents))
        for clicks in range(turns):
            moment = journal.append("running", moment, turned(f"T{1 + clicks % 2:02}", 1 + clicks % 6, "ANN"))
    key = jn.keys_of(path).known_device()
    assert key is not None
    return Secret(path, origin_of(key.public), words, f"planted{number}qzxv")


def _lane(figures: Figures, name: str, centre: CentreProcess, tables: list[Secret], here: Cluster | None) -> None:
    token = new_token()
    reader = ReaderSettings(name="Auditor", role="auditor", token_sha256=token_hash(token))
    add_reader(centre.folder / FILE, reader)
    with contextlib.closing(centre.opened()) as store:
        for table in tables:
            store.add_code(code_hash(table.origin), table.planted, "Shop", 1 << 40)
            assert store.enrol(code_hash(table.origin), table.origin, 1) is not None
    centre.start()
    for table in tables:
        key = jn.keys_of(table.path).known_device()
        assert key is not None
        client = HttpClient(centre.settings.url)
        hands_over(RecordSender(Outbox(table.path, key), client, centre.key.verifier))
    with contextlib.closing(centre.opened()) as store:
        here_rows = sum(each.known.size for each in store.records())
    opened = sum(_in_plaintext(table) for table in tables)
    secret = Canaries([word for table in tables for word in table.words])
    planted = Canaries([table.planted for table in tables])
    hexed = {word.encode().hex(): word for table in tables for word in table.words}
    searched, found, sees = 0, list[str](), set[str]()
    for place, data in _places(centre, here, token, [table.origin for table in tables]):
        searched += len(data)
        kind = place.split(" ")[0]
        found += [f"{place}: {each}" for each in hits(secret, [(place, data)]).get(place, [])]
        found += [f"{place}: {word} in hex" for each, word in hexed.items() if each.encode() in data]
        if planted.found_in(data):
            sees.add(kind)
    figures.least(f"{name}: sealed halves whose text has such a word, at the tables", opened, 1)
    figures.least(f"{name}: entries of running games at the centre", here_rows, 1)
    figures.note(
        f"{name}: {searched / 1e6:,.1f} MB searched; names that were planted are in: {', '.join(sorted(sees))}"
    )
    for line in found[:5]:
        figures.note(line)
    figures.most(f"{name}: secrets of running games found", len(found), 0)
    expected = {"file", "page", "memory"} | ({"dump"} if here is not None else set())
    figures.holds(f"{name}: the planted names are found where names belong", is_so=sees >= expected)


def _in_plaintext(table: Secret) -> int:
    """How many sealed halves have such a word in them, seen with the table's own key."""
    key = jn.keys_of(table.path).game("running")
    assert key is not None
    count = 0
    for public, sealed, _ in entries_of(table.path):
        assert public is not None
        assert sealed is not None
        hidden = rec.read_sealed(sealed, key, public)
        text = b"" if hidden is None else msgspec.json.encode(hidden)
        count += any(word.encode() in text for word in table.words)
    return count


def _places(centre: CentreProcess, here: Cluster | None, token: str, origins: list[str]) -> Iterator[tuple[str, bytes]]:
    """Everything that a thief of the centre, a reader or a system manager can see."""
    own = [hashlib.sha256(origin.encode()).hexdigest() for origin in origins]
    for page in (*PAGES, *(f"table/{each}" for each in own), *(f"game/{each}/running" for each in own)):
        asked = urllib.request.Request(centre.settings.url + page, headers={"authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(asked, timeout=30) as answer:
                yield f"page /{page}", answer.read()
        except urllib.error.HTTPError as refused:
            yield f"page /{page}", refused.read()
    yield from _named("memory", memory(centre.pid))
    if here is not None:
        for options in (["--format=plain"], ["--format=custom", "--compress=0"]):
            words = [str(here.programs / "pg_dump"), *options, "-d", here.conninfo]
            yield f"dump {options[0]}", subprocess.run(words, check=True, capture_output=True).stdout
    centre.stop()
    yield from _named("file", files_under(centre.folder))
    if here is not None:
        here.control("-m", "fast", "stop")
        yield from _named("file", files_under(here.folder))


def _named(kind: str, places: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    for name, data in places:
        yield f"{kind} {name}", data
