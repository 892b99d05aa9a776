"""Without [pages] in the settings, `trapdial play` and what it starts have no port open; with it they have one."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pi_app.settings.load import example_path
from tests.pages.figures import Figures
from tests.pages.ports import open_ports

PORT: Final = 8765
SECTION: Final = f'\n[pages]\naddress = "127.0.0.1"\nport = {PORT}\n'
READY: Final = "begins"
PATIENCE_S: Final = 60.0
LOOKS: Final = 20


@contextlib.contextmanager
def playing(folder: Path, section: str) -> Iterator[int]:
    """`trapdial play --simulated` with this section in the settings; yield its process id."""
    folder.mkdir()
    settings = folder / "trapdial.toml"
    settings.write_text(example_path("2x2").read_text(encoding="utf-8") + section, encoding="utf-8")
    with (folder / "said").open("wb") as said:
        running = subprocess.Popen(
            [sys.executable, "-m", "pi_app", "play", "--simulated", "--settings", str(settings)],
            stdin=subprocess.PIPE,
            stdout=said,
            stderr=said,
        )
        try:
            until = time.monotonic() + PATIENCE_S
            while b"public" not in (folder / "said").read_bytes() and time.monotonic() < until:
                time.sleep(0.1)
            yield running.pid
        finally:
            running.communicate(b"quit\n", timeout=PATIENCE_S)


def ports(section: str) -> list[str]:
    """Look again and again for a while; return every port that was ever open."""
    found: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, playing(Path(folder) / "table", section) as process:
        for _ in range(LOOKS):
            found.update(open_ports(process))
            time.sleep(0.1)
    return sorted(found)


def run(figures: Figures, *, short: bool) -> None:
    without, with_pages = ports(""), ports(SECTION)
    figures.most(f"open ports without [pages] {without or ''}".strip(), len(without), 0)
    figures.holds(
        f"with [pages] exactly its own port, which shows that this lane sees ports: {with_pages}",
        is_so=with_pages == [f"tcp 127.0.0.1:{PORT}"],
    )
