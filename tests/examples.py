"""The folders of `wiring_docs/examples`: what `trapdial wiring` writes for each example table. `make examples` runs
this."""

from __future__ import annotations

from pathlib import Path

from pi_app.plans.wiring.folder import files, write
from pi_app.settings.load import EXAMPLES, example_path, load

FOLDER = Path(__file__).resolve().parents[1] / "wiring_docs/examples"


def made(size: str) -> dict[str, bytes]:
    """Every file of an example, by its name."""
    return files(load(example_path(size)), "trapdial.toml")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for size in EXAMPLES:
        write(FOLDER / size, made(size))
