"""The tables in wiring_docs, and the examples of settings, that list what the program has: languages and chips.

`python -m tests.docs.lists` (or `make lists`) writes them again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from hardware.encoders import ENCODERS, EncoderKind
from hardware.screen_kinds import SCREENS
from pi_app.plans.wiring import electrical
from pi_app.text.languages import LANGUAGES, OWN_NAMES
from pi_app.text.suggest import one_of
from tests.layers import ROOT

DOCS = ROOT / "wiring_docs"


def filled(page: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The page with these rows in the table with this head. Raises ValueError if there is none."""
    top = f"| {' | '.join(head)} |\n|{' --- |' * len(head)}\n"
    before, found, after = page.partition(top)
    if not found:
        raise ValueError(f"no table has the head {top}")
    return before + top + "".join(f"| {' | '.join(row)} |\n" for row in rows) + re.sub(r"\A(\|.*\n)+", "", after)


def at(addresses: Sequence[int]) -> str:
    """Addresses in words: `0x36`, `0x40 to 0x43`."""
    return " to ".join(f"0x{address:02X}" for address in dict.fromkeys((addresses[0], addresses[-1])))


def languages(page: str) -> str:
    return filled(page, ("code", "language"), ((f"`{language}`", name) for language, name in OWN_NAMES.items()))


def settings(page: str) -> str:
    """Its cells with all languages or kinds of chips."""
    page = re.sub(r"'en', 'de'[^|]*(?= \|)", one_of(LANGUAGES), page)
    page = re.sub(r'`\["en", "de"[^|]*(?= \|)', f"`{json.dumps(LANGUAGES)}`", page)
    page = re.sub(r"'as5600', [^|]*(?= \|)", one_of(ENCODERS), page)
    return re.sub(r"'ssd1306'[^|]*(?= \|)", one_of(SCREENS), page)


ENCODERS_HEAD = (
    "chip in the settings",
    "part",
    "address",
    "counts per turn",
    "knows its angle after a power cut",
    "reports whether its magnet is right",
)


def encoders(page: str) -> str:
    return filled(page, ENCODERS_HEAD, (encoder(name, kind) for name, kind in ENCODERS.items()))


def encoder(name: str, kind: EncoderKind) -> tuple[str, ...]:
    address = at(kind.addresses) + (f" by {kind.set_by}" if kind.set_by else "")
    if kind.wakes_at is not None:
        address = f"assigned by the program; powers up at 0x{kind.wakes_at:02X}"
    knows, tells = "yes" if kind.absolute else "**no**", "yes" if kind.tells_magnet else "no"
    return (
        f"`{name}`",
        kind.part,
        address,
        f"{kind.counts_per_turn}",
        knows,
        tells if kind.absolute else "has no magnet",
    )


def electrical_page(page: str) -> str:
    """Its currents and its addresses."""
    currents = [(kind.part, f"{kind.most_ma:g} mA") for kind in ENCODERS.values()]
    currents += [("memory in a tile", f"{electrical.MEMORY_MA:g} mA"), ("screen", f"{electrical.SCREEN_MA:g} mA")]
    currents += [("mux", f"{electrical.MUX_MA:g} mA")]
    currents += [("lamp, each leg", f"({electrical.RAIL_V:g} V - {electrical.LAMP_V:g} V) / `lamp_ohm`")]
    page = filled(page, ("part", "assumed"), currents)
    clashes = ((at(clash.addresses), clash.ours, clash.others) for clash in electrical.CLASHES)
    return filled(page, ("address", "on this table", "elsewhere"), clashes)


def example(text: str) -> str:
    """An example of settings, with every language that visitors of a station can choose."""
    return re.sub(r'(?<=^languages = )\["en".*?\]', json.dumps(LANGUAGES), text, flags=re.MULTILINE)


EXAMPLES = ROOT / "pi_app/settings/examples"

MADE: Mapping[Path, Callable[[str], str]] = {
    DOCS / "languages.md": languages,
    DOCS / "settings.md": settings,
    DOCS / "encoders.md": encoders,
    DOCS / "electrical.md": electrical_page,
    EXAMPLES / "section-station.toml": example,
    EXAMPLES / "table-station.toml": example,
}


def write_all() -> None:
    for path, made in MADE.items():
        path.write_text(made(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write_all()
