"""Every ruling has an answer in the five languages, and its answer says what the rulings of 22.09.2003 say."""

from __future__ import annotations

import re

import pytest

from pi_app.game.rulings import RULINGS
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.rules_report import rulings

FACTS = {
    "R-CHT-1": ("Chest 116", "against 10"),
    "R-XP-1": ("last damage", "Pole Arm", "Venom", "Retaliation", "Ram"),
    "R-XP-2": ("a trap", "a critical miss", "a chest", "an artifact", "gives no experience"),
    "R-XP-3": ("A trap's whole effect comes first", "Mage Spawn and attack included", "then its 25 experience"),
    "R-XP-4": ("25 are for chests", "only for its disarm"),
    "R-SA-1": ("objects, chests and artifacts", "ignores special abilities", "Dodge may be rolled first"),
    "R-TER-1": ("treasure chest", "not hindering terrain", "defense against ranged attacks", "not come from terrain"),
    "R-ROT-1": ("door at the edge of a rotating room", "leaves the game", "turns"),
    "R-ART-1": ("from an artifact replaces", "clicks do not take it away"),
    "R-WMT-1": ("may not move a monster token", "your own Heroes", "within or into"),
    "R-WMT-2": ("opens a door for 2", "never leaves the dungeon", "nor does Mage Spawn"),
    "R-WMT-3": ("does not set off Pole Arm or Ram", "placing is not movement"),
    "R-WMT-4": ("count matters more than the points", "your opponent picks"),
    "R-MS-1": ("Hero team holds no Mage Spawn", "pool holds only Mage Spawn", "friendly to each other"),
    "R-CTR-1": ("Only an attack's target may counterattack", "only the attacker", "cannot be countered"),
    "R-CTR-2": ("Shockwave or a splash", "may not counterattack"),  # A-SHW-4
    "R-MISC-1": ("Leaving the dungeon costs 1", "diagonally"),
    "R-MISC-2": ("Magic Freeze", "after the 4 of Bound or Charge"),
    "R-MISC-3": ("the 4 of Bound or Charge", "pays 4 for the attack"),
    "R-MISC-4": ("Sneak Attack doubles to 5 at most", "extra damage comes on top"),
    "R-MISC-5": ("next to an opposing figure", "is placed there", "free spin"),
    "R-MISC-6": ("Chests are given to Heroes before Command", "start of a turn"),
    "R-SA-2": ("sheets let Toughness and Invulnerability help", "R-SA-1 does not", "damage_reduction"),
    "R-SA-3": (
        "Ram, Magic Retaliation and Pole Arm",
        "without an attack",
        "Weapon Master, Venom and Magic Enhancement",
    ),
    "R-MORE-1": ("Raydan Marz", "104, 86, 58, 44 and 32 points", "level 5 down to level 1"),
    "R-MORE-2": ("Black Thorn", "110, 89, 70, 53 and 42 points"),
    "R-MORE-3": ("Arman Gessep", "green start symbol on the first click"),
    "R-MORE-4": ("Jawless Jenkins and Young Rich", "skeletons"),
    "R-MORE-5": ("Two entrances may not lie in the same section",),
    "R-MORE-6": ("ranged attack may counterattack after the damage",),
    "R-MORE-7": ("Magic Blast through walls", "a section counts as 5 by 5", "a hallway as 3 by 5"),
    "R-MORE-8": ("Bound or Charge", "only on a 1", "Beside the Monstrous Hand", "a 6"),  # A-BRK-1, E-HAND-3
    "R-MORE-9": ("Aquatic", "water is clear terrain", "may add 2", "against ranged attacks"),  # A-AQU-1
    "R-MORE-10": ("Shockwave", "only friendly figures"),  # A-SHW-4
    "AR-SET-1": ("Before the game", "agree", "artifacts"),
    "AR-SET-2": ("in step 3 of the advanced set-up", "no part", "over blocking terrain"),
    "AR-SET-3": ("Several artifacts of one kind may",),
    "AR-GEN-1": ("Only Heroes of a team in the game",),
    "AR-GEN-2": ("one artifact in an activation",),
    "AR-GEN-3": ("cannot be attacked, broken or moved",),
    "AR-GEN-4": ("hindering", "2 speed to enter"),
    "AR-GEN-5": ("does not end its movement on an artifact",),
    "AR-GEN-6": ("own text takes precedence",),
    "AR-GEN-7": ("Enchanted artifacts have tokens", "furnishings have rules of their own"),
    "AR-TOK-1": ("Yellow tokens are weak", "blue ones usual", "red ones strong"),
    "AR-TOK-2": ("each colour are shuffled separately", "face down"),
    "AR-TOK-3": ("An artifact's back", "how many tokens of which colour"),
    "AR-TOK-4": ("may help or harm",),
    "AR-REF-1": ("every artifact", "up to its number at the start"),
    "AR-USE-1": ("next to the artifact", "facing it"),
    "AR-USE-2": ("costs 4 speed",),
    "AR-USE-3": ("After using an artifact", "activation is over"),
    "AR-USE-4": ("Draw one token from under the artifact", "do what it says"),
    "AR-USE-5": ("A fight on a token", "rules for attacks by objects"),
    "AR-USE-6": ("An item from a token is an item like any other",),
    "AR-USE-7": ("neither ability nor item", "acts at once", "back into its colour"),
    "AR-USE-8": ("no effect on this Hero", "still used up"),
    "AR-USE-9": ("as close to the Hero", "three or more players", "each Mage Spawn", "a movement marker at once"),
    "AR-ABL-1": ("stays, whatever the damage",),
    "AR-ABL-2": ("one ability from a token", "a new one replaces it", "the old token goes back"),
    "AR-ABL-3": ("Items and clicks do not replace an ability from a token",),
    "AR-ABL-4": ("An ability from a token is lost only with the figure",),
    "AR-ABL-5": ("from a token", "optional stays optional"),
    "F-COL-1": ("Stone Column blocks", "no figure passes through", "not even flying"),
    "F-COL-2": ("hallway, door or entrance", "nor where it closes the only way"),
    "F-ASC-1": (
        "In the section of an All-Seeing Column",
        "no Sneak Attack",
        "no Stealth",
        "no Invisibility",
        "no theft",
    ),
    "F-ASC-2": ("Otherwise an All-Seeing Column is like a Stone Column",),
    "F-FUR-1": ("Chairs and tables", "hindering", "can be carried"),
    "F-FUR-2": ("Only Flame/Lightning and Shockwave", "a chair against 7", "a table against 10"),
    "F-FUR-3": ("chair leaves one hindering square", "a table two"),
    "F-CHR-1": ("next to a chair and facing it", "at no cost"),
    "F-CHR-2": ("carried is off the board", "each square costs 1 more"),
    "F-CHR-3": ("After its movement", "the chair", "at once", "a free square beside the Hero"),
    "F-CHR-4": ("Bound", "Charge", "Nimble", "Quickness", "Sneak Attack", "Stealth", "Sweep"),
    "F-TBL-1": ("two squares, not diagonally", "taken like a chair"),
    "F-TBL-2": ("the carrier of a table", "each square costs 2 more"),
    "F-TBL-3": ("lacks the same abilities as a chair's carrier",),
    "F-TBL-4": ("A table is put down like a chair", "two free squares", "one of them beside the Hero"),
}
"""Ruling -> what its answer must say."""

OTHERS = tuple(language for language in LANGUAGES if language != "en")


def test_no_ruling_is_missing_and_none_is_made_up() -> None:
    assert sorted(RULINGS) == sorted(rulings()) == sorted(FACTS)


@pytest.mark.parametrize("rule", FACTS)
def test_each_answer_has_its_facts(rule: str) -> None:
    assert [fact for fact in FACTS[rule] if fact not in RULINGS[rule].answer] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_answer_is_one_or_two_short_sentences(language: str) -> None:
    speak = words(language)
    for rule, ruling in RULINGS.items():
        answer = speak(ruling.answer)
        assert answer.endswith("."), rule
        assert len(answer) <= 240, rule
        assert 1 <= len([part for part in answer.removesuffix(".").split(". ") if part]) <= 2, rule
        assert 0 < len(speak(ruling.title)) <= 31, rule


@pytest.mark.parametrize("language", OTHERS)
def test_each_answer_is_translated(language: str) -> None:
    same = [rule for rule, ruling in RULINGS.items() if words(language)(ruling.answer) == ruling.answer]
    assert same == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_rulings_have_the_same_answer_or_the_same_title_of_a_subject(language: str) -> None:
    speak = words(language)
    assert len({speak(ruling.answer) for ruling in RULINGS.values()}) == len(RULINGS)
    named = {(each.rpartition("-")[0], ruling.subject, speak(ruling.title)) for each, ruling in RULINGS.items()}
    assert len(named) == len(RULINGS)


NUMBERS = {
    "R-CHT-1": ("116", "10"),
    "R-XP-3": ("25",),
    "R-WMT-2": ("2",),
    "R-MISC-2": ("4",),
    "R-MISC-3": ("4", "4"),
    "R-MISC-4": ("5",),
    "R-MORE-1": ("104", "86", "58", "44", "32", "5", "1"),
    "R-MORE-2": ("110", "89", "70", "53", "42", "5", "1"),
    "R-MORE-7": ("5", "5", "3", "5"),
    "R-MORE-8": ("1", "6"),
    "R-MORE-9": ("2",),
    "AR-USE-2": ("4",),
    "F-FUR-2": ("7", "10"),
}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", NUMBERS)
def test_an_answer_has_the_same_numbers_in_every_language(rule: str, language: str) -> None:
    assert tuple(re.findall(r"[0-9]+", words(language)(RULINGS[rule].answer))) == NUMBERS[rule]
