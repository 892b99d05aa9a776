"""Read [ruleset]: the preset, the rulings and single switches. A preset's old name goes on working, with a notice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pi_app.game.ruleset import OLD_PRESETS, Ruleset, settled, shown
from pi_app.text.user_file import Complaints, read_values, seen_as

PLACE: Final = "[ruleset]"


def read_ruleset(raw: Mapping[str, object], complaints: Complaints) -> Mapping[str, object]:
    """Return the valid values of the section; report the others, and those that do not go together."""
    good = read_values(Ruleset, raw, PLACE, complaints)
    preset = good.get("preset")
    if (old := OLD_PRESETS.get(str(preset))) is not None:
        today = ", ".join(f"{key} = {_written(value)}" for key, value in old.items())
        reason = f"is an old name that goes on working; today the same is written {today}"
        complaints.warning(PLACE, seen_as("preset", preset), reason)
    bonus = good.get("disarm_nimble", 0)
    if bonus != 0 and not settled(good).nimble_disarms:
        reason = "Nimble does not affect disarming by these rules (L-06); add nimble_disarms = true, or leave this out"
        complaints.error(PLACE, seen_as("disarm_nimble", bonus), reason)
    return good


def _written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else shown(value)
