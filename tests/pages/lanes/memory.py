"""The page process's memory: with eight phones, and after what a day brings, as fast as it goes.

A day is 17,280 beats of five seconds, and besides in the long form 4,000 looks (two posts and two batches each), 240
reconnects and 240 visits to the page. The page process cannot tell a fast day from a slow one but by its keep-alive
times; what it keeps grows with requests, streams and frames.
"""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Final

from pi_app.simulated.page_stream import exchange
from tests.pages.faces import CONTENTS, Contents
from tests.pages.figures import Figures
from tests.pages.lanes.captures import SEATS
from tests.pages.namespaces import ADDRESS, inside, room
from tests.pages.phone import HOLD, LET_GO
from tests.pages.wire import PORT, WireTable

DAY_BEATS: Final = 17_280
SHARE: Final = {True: 24, False: 1}
"""The short form brings one hour."""

LOOKS: Final = 4_000
RETURNS: Final = 240
PIECES: Final = 24
WARM: Final = 400
MOST_MB: Final = 40.0
GROWTH_MB: Final = 1.0


def resident_mb(process: int) -> float:
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    raise ProcessLookupError(process)


def run(figures: Figures, *, short: bool) -> None:
    draw = random.Random(24)
    with room(len(SEATS)) as made:
        contents = Contents(SEATS)
        table = WireTable(made, contents.seats, contents.plain)
        try:
            table.open()
            process = table.link.process_id
            assert process is not None
            figures.note(f"with eight phones, before anything: {resident_mb(process):.1f} MB")
            sizes, began = [], time.monotonic()
            for piece in range(PIECES + 1):
                part = PIECES * SHARE[short]
                for _ in range(WARM if piece == 0 else DAY_BEATS // part):
                    table.tell()
                for _ in range(LOOKS // part):
                    seat = draw.choice(SEATS)
                    contents.looks[seat] = (draw.choice(CONTENTS), draw)
                    table.gesture(seat, HOLD)
                    table.gesture(seat, LET_GO)
                for _ in range(max(1, RETURNS // part)):
                    _come_back(table, draw.choice(SEATS))
                    with inside(made.phones[0]):
                        exchange((ADDRESS, PORT), "GET", "/")
                sizes.append(resident_mb(process))
            hours = 24 // SHARE[short]
            figures.note(
                f"{hours} hours of beats and looks in {time.monotonic() - began:.0f} s: "
                f"{', '.join(f'{size:.1f}' for size in sizes[:: PIECES // 6])} MB"
            )
            figures.most("page process, most", max(sizes), MOST_MB, " MB")
            figures.most(f"growth in {hours} hours", sizes[-1] - sizes[0], GROWTH_MB, " MB")
            figures.holds("it is still the same process", is_so=table.link.process_id == process)
        finally:
            table.close()


def _come_back(table: WireTable, seat: str) -> None:
    phone = table.phones[seat]
    phone.cut()
    admitted = table.admitted
    phone.resume()
    table.until(lambda: table.admitted > admitted)
    table.tell()
