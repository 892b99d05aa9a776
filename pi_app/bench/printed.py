"""How long the printed parts of one square take: solids, every check on the mesh, all files."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from pi_app.bench import Bench, Figure, machine
from pi_app.printed.folder import write_parts

TARGET_S = 2.0


def bench(clicks: int = 12) -> Bench:
    """The parts of one square, written to a new folder. Raises UserFileError without the extra `parts`."""
    with tempfile.TemporaryDirectory() as folder:
        begun = time.perf_counter()
        write_parts(Path(folder), clicks)
        took_s = time.perf_counter() - begun
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    return Bench(
        "wiring",
        machine(),
        (
            Figure(
                "printed parts of one square",
                took_s,
                "s",
                TARGET_S,
                note=f"{clicks} clicks, with every check on the mesh",
            ),
            Figure("files of one square", size / 1e6, "MB"),
        ),
        ("Makes the solids, measures every check on the mesh, and writes STL, 3MF, OpenSCAD source and page.",),
    )
