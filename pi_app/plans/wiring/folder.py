"""All files for a table, as one folder that is written completely or not at all."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from pi_app.plans.check import Sign
from pi_app.plans.printed.faces import sheets
from pi_app.plans.printed.square import FEWEST_CLICKS, MOST_CLICKS
from pi_app.plans.wiring import bus_map, cards, checks_page, labels, parts_list, phone_cards, pin_table, word_card
from pi_app.plans.wiring.checks import checks
from pi_app.plans.wiring.drawing import drawn
from pi_app.plans.wiring.guide import guide
from pi_app.plans.wiring.guide_squares import PICTURE
from pi_app.plans.wiring.nets import wired
from pi_app.plans.wiring.sheet import TextTable
from pi_app.plans.wiring.wireviz import wireviz_yaml
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from pi_app.text.pages import FOLDER
from pi_app.text.plain_file import read_plain
from pi_app.text.printed import in_markdown, shown_lines
from pi_app.text.progress import Progress, no_progress

SUMS: Final = "SHA256SUMS"
LARGEST_BYTES: Final = 2**26
"""The most bytes of a file in a table's folder; a larger one is not ours."""
"""The files that this program wrote, in the format of sha256sum(1)."""

Files = dict[str, bytes]
"""Contents by name in the folder."""

NO_PARTS: Final[Mapping[str, bytes]] = MappingProxyType({})


def files(
    settings: Settings, file: str, parts: Mapping[str, bytes] = NO_PARTS, progress: Progress = no_progress
) -> Files:
    """Every file of a table's wiring, with the printed `parts`. `file`: the settings file's name. Raises UserFileError
    with all problems if the table cannot be wired."""
    progress("drawing the table")
    wiring = wired(settings)
    on_page = replace(wiring, name=in_markdown(wiring.name))
    found = checks(wiring, settings)
    failing = [check.words for check in found if check.sign is Sign.FAILS]
    text = {
        "wiring.svg": drawn(wiring),
        "checks.md": checks_page.page(on_page.name, found),
        "pins.md": pin_table.pages(on_page),
        "buses.md": bus_map.page(on_page),
        "config.txt": bus_map.config_txt(wiring),
        "parts.md": parts_list.parts_page(on_page),
        "parts.csv": parts_list.parts_list(wiring).csv(),
        "cables.md": parts_list.cables_page(on_page),
        "cables.csv": parts_list.cable_list(wiring).csv(),
        **{f"labels_{number}.svg": svg for number, svg in enumerate(labels.sheets(wiring), 1)},
        **{f"lamp_cards_{number}.svg": svg for number, svg in enumerate(cards.sheets(settings), 1)},
        **{f"phone_cards_{number}.svg": svg for number, svg in enumerate(_phone_cards(settings), 1)},
        "table_words.svg": word_card.sheet(settings),
        **{f"faces_{number}.svg": svg for number, svg in enumerate(_faces(settings), 1)},
        PICTURE: ASSEMBLY.read_text(encoding="utf-8"),
        "wireviz.yaml": wireviz_yaml(wiring),
    }
    text["guide.md"] = guide(on_page, settings, file, failing, [*text, *parts])
    text = {"README.md": _index(on_page.name, [*text, *parts]), **text}
    return {name: shown_lines(words).encode() for name, words in text.items()} | dict(parts)


ASSEMBLY: Final = FOLDER / "printed" / "upside_down.svg"
"""The picture of a square's assembly, in the documentation."""


def _faces(settings: Settings) -> tuple[str, ...]:
    """Rings with position numbers for the printable dials. The number of clicks is no secret: anybody can feel it."""
    printable = [
        square.table for square in settings.squares.values() if FEWEST_CLICKS <= square.table.clicks <= MOST_CLICKS
    ]
    return sheets.sheets(printable) if printable else ()


def _phone_cards(settings: Settings) -> list[str]:
    """The phones' cards without their codes and without the Wi-Fi's passphrase: this folder may lie open on the table.
    `trapdial pages cards` prints the real ones."""
    return [] if settings.pages is None else phone_cards.sheets(settings, settings.pages.address, {})


def printed(settings: Settings, progress: Progress = no_progress) -> Files:
    """The printed parts of these squares, with a folder per number of clicks if there are several; without the extra
    `parts` their source alone. Raises UserFileError if a square cannot be printed."""
    from pi_app.plans.printed.folder import made, missing_libraries, source
    from pi_app.plans.printed.square import PrintedSquare

    kinds = sorted({(square.table.clicks, square.invert) for square in settings.squares.values()})
    several, without_shapes = len({clicks for clicks, _ in kinds}) > 1, missing_libraries()
    found: Files = {}
    for clicks, invert in kinds:
        square = PrintedSquare(clicks=clicks)
        parts = source(square) if without_shapes else made(square, invert=invert, progress=progress)[0]
        where = f"printed/{clicks}_clicks" if several else "printed"
        found |= {f"{where}/{name}": data for name, data in parts.items()}
    return found


CONTENTS: Final = {
    "guide.md": "build it, step by step, with a check after each",
    "wiring.svg": "the whole table as a drawing",
    "square.svg": "how a square is assembled",
    "checks.md": "the checks before power, each with its value, limit and source",
    "pins.md": "every pin of the Pi, strips, muxes and hubs",
    "buses.md": "every I2C address, by bus and channel",
    "config.txt": "lines for /boot/firmware/config.txt",
    "parts.md": "everything to buy and to print",
    "parts.csv": "the same for a spreadsheet",
    "cables.md": "every lead, with its length and wires",
    "cables.csv": "the same for a spreadsheet",
    "labels": "labels for both ends of every lead; print at 100 %",
    "lamp_cards": "a card for each seat, in its language; print at 100 %",
    "phone_cards": "the phones' cards without their codes; `trapdial pages cards` prints the real ones",
    "table_words.svg": "the words that a game needs, in the table's language; print at 100 %",
    "faces": "numbers to glue onto the dials; print at 100 %",
    "printed": "parts of a square for a 3D printer; start with parts.md",
    "wireviz.yaml": "the same wiring for WireViz",
}
"""What each file has, in the order of use."""

SOURCE_ALONE: Final = "parts of a square as OpenSCAD source; `trapdial extras install parts` adds their shapes"


def _index(name: str, text: Iterable[str]) -> str:
    rows = []
    for key, words in CONTENTS.items():
        own = [file for file in text if file == key or file.startswith((f"{key}_", f"{key}/"))]
        if own:
            alone = key == "printed" and not any(file.endswith(".stl") for file in own)
            rows.append((", ".join(f"[{file}]({file})" for file in own), SOURCE_ALONE if alone else words))
    table = TextTable(("file", "content"), tuple(rows)).markdown()
    return f"# {name}: its wiring\n\nGenerated from the table's settings. Start with the guide.\n\n{table}\n"


def write(folder: Path, made: Mapping[str, bytes]) -> None:
    """Write the folder, replacing one that this program wrote before.

    Everything is written beside it first, so that the old folder survives a full disk or a power cut. Raises
    UserFileError if the folder has anything that this program did not write, or if the disk refuses.
    """
    if others := _not_ours(folder):
        named = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
        seen = f"it has files that were changed by hand or came from elsewhere ({named}); nothing was written"
        raise UserFileError.at(str(folder), "(folder)", seen, "Name a new folder with -o, or move these files")
    try:
        _swap(folder, {**made, SUMS: _sums(made)})
    except OSError as trouble:
        seen = f"it cannot be written ({trouble.strerror or trouble}); its old files are unchanged"
        advice = "Check the parent folder, its permissions and the disk"
        raise UserFileError.at(str(folder), "(folder)", seen, advice) from None


def _sums(made: Mapping[str, bytes]) -> bytes:
    lines = (f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in sorted(made.items()))
    return "".join(lines).encode()


def _not_ours(folder: Path) -> list[str]:
    """Files in the folder that this program did not write, or that changed since."""
    if not folder.exists() and not folder.is_symlink():
        return []
    if not folder.is_dir() or folder.is_symlink():
        return [folder.name]
    try:
        sums = read_plain(folder / SUMS, LARGEST_BYTES).decode() if (folder / SUMS).is_file() else ""
        known = {name: digest for digest, _, name in (line.partition("  ") for line in sums.splitlines())}
        there = [path for path in sorted(folder.rglob("*")) if not path.is_dir() or path.is_symlink()]
        return [name for path in there if (name := path.relative_to(folder).as_posix()) != SUMS
                if path.is_symlink() or known.get(name) != _digest(path)]  # fmt: skip
    except (OSError, UnicodeError):
        return [f"{folder.name}, which cannot be read"]


def _digest(path: Path) -> str:
    return hashlib.sha256(read_plain(path, LARGEST_BYTES)).hexdigest()


def _swap(folder: Path, made: Mapping[str, bytes]) -> None:
    with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=f".{folder.name}.") as beside:
        new, old = Path(beside) / "new", Path(beside) / "old"
        for name, data in made.items():
            path = new / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        if folder.exists():
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists():
                old.rename(folder)
            raise
        shutil.rmtree(old, ignore_errors=True)
