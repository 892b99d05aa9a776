"""The Heroes of a seat in the settings: names, abilities by their printed names, and what is refused."""

from __future__ import annotations

import tomllib

import pytest

from pi_app.game.figures import HeroSetup
from pi_app.settings.heroes import read_heroes
from pi_app.settings.load import example_path, parse
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import tables_beside
from pi_app.text.user_file import Complaints

EXAMPLE = example_path("2x2").read_text(encoding="utf-8")


def read(written: str) -> tuple[tuple[HeroSetup, ...], list[str]]:
    complaints = Complaints("trapdial.toml")
    heroes = read_heroes(tomllib.loads(f"heroes = {written}")["heroes"], "[seat.ANN]", complaints)
    return heroes, [str(problem) for problem in complaints.found]


def test_names_alone_and_tables() -> None:
    heroes, problems = read('["Aria", {name = "Borg", abilities = ["Nimble", "dodge"], speed = 8, level = 2}]')
    assert problems == []
    assert heroes == (
        HeroSetup(name="Aria"),
        HeroSetup(name="Borg", abilities=("nimble", "dodge"), speed=8, level=2),
    )


@pytest.mark.parametrize(
    "printed",
    ["Sneak Attack", "sneak_attack", "Überraschungsangriff", "Ataque furtivo", "Attaque Sournoise", "Attacco Furtivo"],
)
def test_an_ability_has_its_printed_name_in_every_language(printed: str) -> None:
    heroes, problems = read(f'[{{name = "Aria", abilities = ["{printed}"]}}]')
    assert (problems, heroes[0].abilities) == ([], ("sneak_attack",))


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('[{name = "Aria", abilities = ["Nimbel"]}]', "did you mean 'nimble'?"),
        ('["A b"]', "must be one word of 1 to 12 letters, digits or hyphens"),
        ('["spawn"]', "no Hero may have that name: it is a word of the table"),
        ('["Betreten"]', "no Hero may have that name: it is a word of the table"),
        ('["enter"]', "no Hero may have that name: it is a word of the table"),
        ("[7]", 'must list names, or tables such as {name = "Aria"}'),
        ('[{name = "Aria", abilities = "Nimble"}]', "must be a list of printed names in quotes"),
        ('[{name = "Aria", speed = 99}]', "must be a speed value from 0 to 20"),
        ('[{name = "Aria", sped = 9}]', "did you mean 'speed'?"),
        ("[" + ", ".join(f'"Hero{n}"' for n in range(9)) + "]", "a seat has at most 8 Heroes"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(written: str, told: str) -> None:
    _, problems = read(written)
    assert len(problems) == 1
    assert told in problems[0]
    assert "[seat.ANN]" in problems[0]


def settings(ann: str, ben: str) -> tuple[Settings | None, list[str]]:
    text = EXAMPLE.replace("[seat.ANN]\n", f"[seat.ANN]\nheroes = {ann}\n").replace(
        "[seat.BEN]\n", f"[seat.BEN]\nheroes = {ben}\n"
    )
    found = parse(text, "trapdial.toml", tables_beside(example_path("2x2")))
    return (found, []) if isinstance(found, Settings) else (None, [str(problem) for problem in found])


def test_a_seat_has_its_heroes() -> None:
    loaded, problems = settings('["Aria"]', '["Cora", "Dag"]')
    assert loaded is not None
    assert problems == []
    assert [hero.name for hero in loaded.seats["BEN"].heroes] == ["Cora", "Dag"]


@pytest.mark.parametrize(("ann", "ben"), [('["Aria"]', '["aria"]'), ('["Ben"]', "[]"), ('["Aria", "Aria"]', "[]")])
def test_no_two_figures_of_a_table_have_one_name(ann: str, ben: str) -> None:
    loaded, problems = settings(ann, ben)
    assert loaded is None
    assert any("is already the name of" in problem for problem in problems)
