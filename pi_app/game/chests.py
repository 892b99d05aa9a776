"""Chest traps: trap tables without a dial, from a file of the owner's; none is a constant in code."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from pi_app.game.trap_table import DISARM_PATTERN, DISARM_WORDS, Disarm
from pi_app.text.user_file import (
    Complaints,
    Problem,
    check_keys,
    errors_of,
    load_with,
    read_sections,
    read_toml,
    seen_as,
)

MOST_CHESTS: Final = 40
ERRATA: Final = {116: "10"}
"""Chest number -> its disarm value, whatever is printed (R-CHT-1)."""


class Chest(msgspec.Struct, frozen=True, kw_only=True, array_like=True, gc=False):
    """One treasure chest with a trap. `disarm` as printed (`7` or `6+`), `xp` for disarming it."""

    number: Annotated[int, Meta(ge=1, le=999, description="a chest's number from 1 to 999")]
    disarm: Annotated[str, Meta(pattern=DISARM_PATTERN, description=DISARM_WORDS)]
    xp: Annotated[int, Meta(ge=0, le=999, description="a whole number from 0 to 999")] = 0

    def value(self, plus_die: int) -> int:
        """The number that a disarm must reach; an open one adds the third die (T-DIS-6)."""
        printed = Disarm.parse(self.disarm)
        return printed.value + (plus_die if printed.variable else 0)


def parse(text: str, file: str) -> tuple[tuple[Chest, ...], tuple[Problem, ...]]:
    """The chests of a file with their errata, and every problem. `file` is its name in problems."""
    complaints = Complaints(file)
    raw = read_toml(text, complaints)
    if raw is None:
        return (), tuple(complaints.found)
    check_keys(raw, ("chest",), "", complaints)
    chests = read_sections(Chest, raw, "chest", MOST_CHESTS, complaints)
    for number, times in Counter(chest.number for chest in chests).items():
        if times > 1:
            complaints.error("[[chest]]", f"number = {number}", f"appears {times} times; list each chest once")
    if errors_of(complaints.found):
        return (), tuple(complaints.found)
    corrected = tuple(_corrected(chest, at, complaints) for at, chest in enumerate(chests, 1))
    return corrected, tuple(complaints.found)


def _corrected(chest: Chest, number: int, complaints: Complaints) -> Chest:
    right = ERRATA.get(chest.number, chest.disarm)
    if right != chest.disarm:
        reason = f"played as {right}, by the errata (R-CHT-1)"
        complaints.information(f"[[chest]] {number}", seen_as("disarm", chest.disarm), reason)
    return msgspec.structs.replace(chest, disarm=right)


SAMPLE: Final = "sample:CHESTS"
"""The settings' name of the chests that ship; all their numbers but one are made up."""


def load(path: Path) -> tuple[Chest, ...]:
    """The chests of a file. Raises UserFileError with every error of the file."""
    return load_with(parse, path)


def sample_path() -> Path:
    return Path(__file__).with_name("samples") / "CHESTS.toml"
