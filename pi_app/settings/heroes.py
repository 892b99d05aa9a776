"""The Heroes of a seat, as its settings name them: `heroes = ["Aria", {name = "Borg", abilities = ["Nimble"]}]`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import get_args

import msgspec

from pi_app.game.figures import ABILITY_NAMES, MOST_HEROES, HeroAbility, HeroName, HeroSetup, Level, SpeedValue
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import did_you_mean
from pi_app.text.table_words import is_taken
from pi_app.text.user_file import Complaints, is_whole, read_values, seen_as


class _HeroRow(msgspec.Struct, kw_only=True):
    name: HeroName
    speed: SpeedValue | None = None
    level: Level = 1


def read_heroes(rows: Iterable[object], place: str, complaints: Complaints) -> tuple[HeroSetup, ...]:
    """The Heroes of one seat. A row is a name, or a table with `name`, `abilities`, `speed` and `level`."""
    read = [hero for row in rows if (hero := _read(row, place, complaints)) is not None]
    if len(read) > MOST_HEROES:
        complaints.error(place, f"heroes = {len(read)} of them", f"a seat has at most {MOST_HEROES} Heroes")
    return tuple(read)


def _read(row: object, place: str, complaints: Complaints) -> HeroSetup | None:
    if isinstance(row, str):
        row = {"name": row}
    if not isinstance(row, dict):
        complaints.error(place, seen_as("heroes", row), 'must list names, or tables such as {name = "Aria"}')
        return None
    good = read_values(_HeroRow, row, f"{place} heroes", complaints, elsewhere=("abilities",))
    abilities = _abilities(row.get("abilities", []), f"{place} heroes", complaints)
    if not is_whole(_HeroRow, good):
        return None
    hero = msgspec.convert({**good, "abilities": abilities}, HeroSetup)
    if any(is_taken(hero.name, words(language)) for language in LANGUAGES):
        complaints.error(place, seen_as("name", hero.name), "no Hero may have that name: it is a word of the table")
    return hero


def _abilities(listed: object, place: str, complaints: Complaints) -> tuple[HeroAbility, ...]:
    if not isinstance(listed, list) or not all(isinstance(each, str) for each in listed):
        complaints.error(place, seen_as("abilities", listed), "must be a list of printed names in quotes")
        return ()
    names = ability_names()
    for each in listed:
        if each.casefold() not in names:
            reason = f"is no ability of the trap sheets; {did_you_mean(each, sorted(get_args(HeroAbility)))}"
            complaints.error(place, seen_as("abilities", each), reason)
    known = (names[each.casefold()] for each in listed if each.casefold() in names)
    return tuple(dict.fromkeys(known))


@cache
def ability_names() -> Mapping[str, HeroAbility]:
    """Every name of every ability, in small letters: its id, and what the sheets of all languages print."""
    names: dict[str, HeroAbility] = {}
    for ability, printed in ABILITY_NAMES.items():
        names[ability] = ability
        names |= {words(language)(printed).casefold(): ability for language in LANGUAGES}
    return names
