"""Words that must not lie about: every trap's name and effect in five languages, and all that the phones were shown.

Searched are whole captures, the page process's memory, its open files and last words, and a Chromium's profile after
the game, in which one seat was held by that browser.
"""

from __future__ import annotations

import json
import random
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from pi_app.game.trap_words import trap_name
from pi_app.pages.address import code_text
from tests.pages.canaries import Canaries, files_under, hits, memory, open_files, trap_texts
from tests.pages.capture import Capture
from tests.pages.figures import Figures
from tests.pages.lanes.captures import SEATS
from tests.pages.namespaces import ADDRESS, Room, inside, room
from tests.pages.phone import PATIENCE_S
from tests.pages.whole import WholeTable, settings
from tests.twin_games import with_tables

GAMES: Final = {True: 1, False: 12}
LOOKS: Final = {True: 40, False: 400}
BROWSED: Final = "ANN"
STATIC: Final = b"text/event-stream"
"""Stands in the page process's memory: a search that does not find it has read nothing."""

PLANTED: Final = "Spiked Pit"


def texts_of(picture: dict[str, Any]) -> Iterator[str]:
    """What a picture says that nothing public says too: not the square's label, nor the marks of the table."""
    yield str(picture.get("title", ""))
    yield str(picture.get("effect", ""))
    yield ", ".join(picture.get("lines", ()))


def played(made: Room, number: int, looks: int, shown: set[str], capture: Capture) -> tuple[list[bytes], WholeTable]:
    """Play a game; add what was shown. Return the captured payloads, and the table, whose game goes on."""
    who, captured = random.Random(number), list[bytes]()
    with tempfile.TemporaryDirectory() as folder:
        dealt = with_tables(settings(), 7000 + number)
        table = WholeTable(made, dealt, Path(folder), seed=number + 1)
        table.open()
        for seat, square in zip(SEATS, dealt.squares, strict=True):
            shown.update(texts_of(table.expose(seat, square, who.randint(1, 6))))
            captured += [packet.payload for packet in capture.packets()]
        for _ in range(looks):
            shown.update(texts_of(table.look(who.choice(SEATS))))
            captured += [packet.payload for packet in capture.packets()]
    return captured, table


def run(figures: Figures, *, short: bool) -> None:
    shown: set[str] = set()
    with room(len(SEATS)) as made:
        capture = Capture(made.table, "br0", payload=True)
        found: dict[str, dict[str, list[str]]] = {"captures": {}, "memory": {}, "files": {}}
        read = searched = 0
        for number in range(GAMES[short]):
            captured, table = played(made, number, LOOKS[short], shown, capture)
            try:
                process = table.link.inner.process_id
                assert process is not None
                pieces = list(memory(process))
                words = Canaries([*trap_texts(), *shown])
                found["memory"] |= hits(words, pieces)
                found["files"] |= hits(words, [*open_files(process), ("words", table.link.inner.last_words.encode())])
                whole = b"".join(captured)
                found["captures"] |= hits(words, [("capture", whole)])
                searched += len(whole)
                read += sum(len(data) for _, data in pieces)
                assert any(STATIC in data for _, data in pieces), "the memory of the page process was not read"
                assert b"POST /up" in whole, "the capture holds no post"
                table.end()
            finally:
                table.close()
        figures.note(
            f"{len(words)} texts of {GAMES[short]} games, each in up to 8 forms; {searched / 1e6:.1f} MB captured, "
            f"{read / 1e6:.0f} MB of the page process's memory"
        )
        for place, names in found.items():
            for name, said in names.items():
                figures.note(f"in {place}, {name}: {', '.join(said[:5])}")
            figures.most(f"places with a canary: the {place}", len(names), 0)
        planted = hits(words, [("capture", whole + PLANTED.encode() + whole[:9])])
        figures.holds("red with one planted in a capture", is_so=bool(planted))
        _run_browser(figures, made, words)


# ----------------------------------------------------------------------------------------------------- a browser


def _run_browser(figures: Figures, made: Room, words: Canaries) -> None:
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        figures.note("NOT RUN HERE: Chromium's profile; Debian's packages are chromium and chromium-driver")
        return
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "kept"
        seen = browse(made, Path(folder), profile)
        figures.note(f"Chromium showed: {seen!r}")
        searched = Canaries([*trap_texts(), *filter(None, seen.split(" | "))])
        files = list(files_under(profile))
        found = hits(searched, files)
        for name, said in found.items():
            figures.note(f"in {name}: {', '.join(said[:5])}")
        size = sum(len(data) for _, data in files)
        figures.note(f"the profile: {len(files)} files, {size / 1e6:.1f} MB")
        figures.holds(
            "the profile knows the page's address, so it is the right one",
            is_so=any(ADDRESS.encode() in data for _, data in files),
        )
        figures.most("files of the profile with a canary after the game", len(found), 0)


def browse(made: Room, folder: Path, profile: Path) -> str:
    """Hold Ann's seat in a real browser: join, look, and play to the end. Return what it showed while held."""
    from tests.pages.engines import engine

    dealt = with_tables(settings(), 7000)
    square, clicks, name = next(
        (label, clicks, trap_name(face.trap))
        for label, each in dealt.squares.items()
        for clicks in range(1, 7)
        if (face := each.table.faces[clicks]).trap is not None
    )
    with inside(made.phones[0]):
        table = WholeTable(made, dealt, folder, seed=1)
        try:
            table.begin()
            with engine("chromium", options=(f"--user-data-dir={profile}",)) as browser:
                browser.go(f"http://{ADDRESS}/#{code_text(table.codes[BROWSED])}")
                table.browsers = 1
                _step_until(
                    table, lambda: browser.until("document.getElementById('you').textContent.includes('Ann')", 50)
                )
                browser.tap("#tap")
                _step(table)
                table.turn(square, clicks)
                browser.press("#hold")
                glass = "document.getElementById('glass').innerText"
                _step_until(table, lambda: browser.until(f"{glass}.includes({json.dumps(name)})", 50))
                seen = str(browser.run(f"return {glass}"))
                browser.lift()
                _step(table)
                table.demo.end()
                _step(table)
                browser.until("document.getElementById('link').textContent", 2000)
            return " | ".join(line.strip() for line in seen.splitlines() if line.strip())
        finally:
            table.close()


def _step(table: WholeTable) -> None:
    """Let some of the table's time pass, and take what has come."""
    for _ in range(20):
        table.link.poll()
        table.go(20_000_000)
        time.sleep(0.02)


def _step_until(table: WholeTable, done: Any) -> None:
    until = time.monotonic() + PATIENCE_S
    while not done():
        _step(table)
        if time.monotonic() > until:
            raise TimeoutError("the browser did not get so far")
