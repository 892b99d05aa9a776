"""The command `rule`: its list, its search, and what follows from a ruling in one game."""

from __future__ import annotations

import re
import textwrap

import msgspec
import pytest

from pi_app.game import events as ev
from pi_app.game.chests import Chest
from pi_app.game.rulings import RULINGS
from pi_app.game.state import Game
from pi_app.play.commands.parse import parse
from pi_app.play.commands.rulings import folded
from pi_app.play.commands.words import RefusedError, Reply
from pi_app.text.language import words
from pi_app.text.languages import LANGUAGES
from tests.pi_app.games import played, started

SCREEN = (24, 80)
"""Lines and columns of a terminal."""


def asked(line: str, game: Game | None = None, language: str = "en") -> tuple[str, ...]:
    command = parse(line, Game() if game is None else game, words(language))
    assert isinstance(command, Reply)
    return command.lines


def game(**switches: object) -> Game:
    return played(started(rules=msgspec.convert(switches, ev.Ruleset))).game


def ids_in(lines: tuple[str, ...]) -> list[str]:
    """The ids that a list names, the short ones written out."""
    found: list[str] = []
    for line in lines:
        for family, number in re.findall(r"(?<![\w-])((?:R|AR|F)-[A-Z]+)?(-[0-9]+) ", line):
            found.append((family or found[-1].rpartition("-")[0]) + number)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_an_id_every_ruling_is_listed_on_one_screen(language: str) -> None:
    how, *lines = asked("rule", language=language)
    assert ids_in(tuple(lines)) == list(RULINGS)
    assert len(lines) == len({ruling.subject for ruling in RULINGS.values()})
    shown = [row for line in (how, *lines) for row in textwrap.wrap(line, SCREEN[1])]
    assert len(shown) < SCREEN[0]


def test_the_list_in_whole_lines() -> None:
    assert asked("rule")[:3] == (
        "Show one with: rule R-XP-1. Search with: rule Chests. The rulings:",
        "Experience: R-XP-1 kills, -2 no gain, -3 effect first, -4 the 25",
        "Chests: R-CHT-1 chest 116, R-TER-1 terrain, R-MISC-6 Command",
    )
    assert (
        asked("rule", language="de")[2] == "Schatztruhen: R-CHT-1 Schatztruhe 116, R-TER-1 Gelände, R-MISC-6 Anführer"
    )


@pytest.mark.parametrize("rule", RULINGS)
def test_an_id_shows_its_ruling_also_without_a_game(rule: str) -> None:
    assert asked(f"rule {rule.lower()}") == (f"{rule}: {RULINGS[rule].answer}",)


WHOLE = [
    ("rule 116", "en", "R-CHT-1: Chest 116 is disarmed against 10."),
    ("rule command start", "en", "R-MISC-6: Chests are given to Heroes before Command acts at the start of a turn."),
    (
        "rule skeleton",
        "en",
        "R-MORE-4: The promotional figures Jawless Jenkins and Young Rich count as skeletons.",
    ),
    ("rule R-WMT-3", "en", "R-WMT-3: Placing Mage Spawn does not set off Pole Arm or Ram: placing is not movement."),
    ("rule ENTRANCES section", "en", "R-MORE-5: Two entrances may not lie in the same section."),
    ("rule eingange", "de", "R-MORE-5: Zwei Eingänge dürfen nicht in derselben Sektion liegen."),
    ("rule Eingänge derselben", "de", "R-MORE-5: Zwei Eingänge dürfen nicht in derselben Sektion liegen."),
    ("rule skeletons", "de", "R-MORE-4: Die Promo-Figuren Jawless Jenkins und Young Rich gelten als Skelette."),
    (
        "rule gratisdrehung",
        "de",
        "R-MISC-5: Eine Figur, die neben eine gegnerische kommt oder gestellt wird, gibt ihr eine Gratisdrehung.",
    ),
    (
        "rule habitacion",
        "es",
        "R-ROT-1: Una puerta en el borde de una habitación giratoria sale de la partida cuando la habitación gira.",
    ),
    ("rule R-CHT-1", "es", "R-CHT-1: El cofre 116 se desactiva contra 10."),
    (
        "rule l'effet d'abord",
        "fr",
        "R-XP-3: D’abord tout l’effet du piège, Créatures et attaque comprises\u202f; puis ses 25 points.",
    ),
    (
        "rule R-MORE-8",
        "it",
        "R-MORE-8: Con Balzo o Carica il disimpegno fallisce solo con un 1. "
        "Accanto alla Mano Mostruosa serve comunque un 6.",
    ),
    ("rule scheletri", "it", "R-MORE-4: I modelli promozionali Jawless Jenkins e Young Rich contano come scheletri."),
]


@pytest.mark.parametrize(("line", "language", "told"), WHOLE)
def test_a_search_with_one_find_shows_it(line: str, language: str, told: str) -> None:
    assert asked(line, language=language) == (told,)


def test_a_search_with_many_finds_lists_them_by_subject() -> None:
    assert asked("rule chest") == (
        "Experience: R-XP-2 no gain, -4 the 25",
        "Chests: R-CHT-1 chest 116, R-TER-1 terrain, R-MISC-6 Command",
        "Special abilities: R-SA-1 traps",
    )
    assert asked("rule pole arm") == (
        "Experience: R-XP-1 kills",
        "Special abilities: R-SA-3 no attack",
        "Mage Spawn: R-WMT-3 placing",
    )
    assert asked("rule arm pole") == asked("rule pole arm")
    assert ids_in(asked("rule r-more")) == [f"R-MORE-{number}" for number in (7, 8, 9, 10, 6, 5, 1, 2, 3, 4)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_word_of_any_answer_finds_it(language: str) -> None:
    speak = words(language)
    for rule, ruling in RULINGS.items():
        longest = max(re.findall(r"[^\W\d_]+", speak(ruling.answer)), key=len)
        lines = asked(f"rule {folded(longest).upper()}", language=language)
        assert rule in [lines[0].partition(":")[0], *ids_in(lines)]


@pytest.mark.parametrize(
    ("line", "language", "told"),
    [
        ("rule R-CTR-X", "en", "There is no ruling 'R-CTR-X' here; did you mean 'R-CTR-2'?"),
        ("rule R-XP1", "en", "There is no ruling 'R-XP1' here; did you mean 'R-XP-1'?"),
        ("rule zebra", "en", "No ruling has 'zebra'. Try one shorter word, or list them all: rule"),
        (
            "rule chest zebra",
            "en",
            "No ruling has 'chest zebra'. Try one shorter word, or list them all: rule",
        ),
        (
            "rule zebra",
            "de",
            "Keine Klarstellung enthält „zebra“. Versuch ein kürzeres Wort, oder zeig alle: regel",
        ),
        ("rule R-XP1", "it", "Qui non c’è il chiarimento «R-XP1»; volevi dire «R-XP-1»?"),
    ],
)
def test_what_is_not_found_is_refused_with_what_to_try(line: str, language: str, told: str) -> None:
    with pytest.raises(RefusedError) as refused:
        parse(line, Game(), words(language))
    assert str(refused.value) == told


# ------------------------------------------------------------------------------ what follows in one game


def test_r_sa_2_by_the_sheet_the_traps_own_text_decides() -> None:
    answer, *here = asked("rule R-SA-2", game())
    assert answer == f"R-SA-2: {RULINGS['R-SA-2'].answer}"
    assert here == [
        "In this game Dodge helps against: Falling Weight.",
        "In this game Toughness helps against: Buzz Saw, Falling Weight, Spiked Pit.",
        "In this game Invulnerability helps against: Buzz Saw, Falling Weight, Noxious Acid Pool, Spiked Pit.",
        "Against the Jaws of Doom, abilities count as in any fight (E-JAW-9).",
    ]


def test_r_sa_1_by_the_rulings_dodge_alone_helps() -> None:
    _, *here = asked("rule R-SA-1", game(damage_reduction="rulings_2003"))
    assert here == [
        "In this game Dodge helps against: Buzz Saw, Falling Weight, Fire Jets, Jaws of Doom, Noxious Acid Pool, "
        "Spiked Pit.",
        "In this game Toughness helps against no trap.",
        "In this game Invulnerability helps against no trap.",
    ]


def test_e_acid_4_the_switch_for_acid_counts() -> None:
    lines = asked("rule invulnerability", game(acid_reduction="none"))
    assert lines[0] == "In this game Invulnerability helps against: Buzz Saw, Falling Weight, Spiked Pit."


def test_an_ability_is_answered_for_this_game_before_the_rulings_about_it() -> None:
    assert asked("rule dodge", game(disarm_dodge=1)) == (
        "In this game Dodge helps against: Falling Weight.",
        "Against the Jaws of Doom, abilities count as in any fight (E-JAW-9).",
        "In this game Dodge adds 1 to a disarm roll (T-DIS-9).",
        f"R-SA-1: {RULINGS['R-SA-1'].answer}",
    )
    assert asked("rule dodge") == (f"R-SA-1: {RULINGS['R-SA-1'].answer}",)
    assert asked("rule Ausweichen", game(), "de")[0] == "In diesem Spiel hilft Ausweichen gegen: 3t-Gewicht."
    assert asked("rule flight", game()) == (
        "A figure in flight passes over traps; a trap acts only where the flight ends (A-FLY-1).",
    )
    assert asked("rule nimble", game())[:2] == (
        "A Nimble Hero cuts the corner of a trap without a roll (A-NIM-1).",
        "In this game Nimble adds 0 to a disarm roll (T-DIS-9).",
    )


def test_r_xp_3_names_the_experience_that_is_due() -> None:
    moment = played(msgspec.structs.replace(started(), chests=(Chest(number=116, disarm="10", xp=30),)))
    assert len(asked("rule R-XP-3", moment.game)) == 1
    failed = ev.ChestTried(seat="ANN", chest=116, way="quick", dice=(3, 4), plus_die=2)
    moment = played(failed, moment=moment)
    assert asked("rule R-XP-3", moment.game)[1:] == (
        "Ann: complete the effect of chest 116, then type: xp ANN chest 116",
    )
    moment = played(ev.Earned(seat="ANN", xp=25, deed="chest", chest=116), moment=moment)
    assert len(asked("rule R-XP-3", moment.game)) == 1


def test_r_cht_1_chest_116_by_its_errata() -> None:
    moment = played(msgspec.structs.replace(started(), chests=(Chest(number=116, disarm="10", xp=30),)))
    assert asked("rule R-CHT-1", game()) == asked("rule R-CHT-1")
    assert asked("rule R-CHT-1", moment.game)[1:] == (
        "In this game 6 of 36 quick attempts disarm chest 116, and 15 of 36 slow ones.",
    )
    won = ev.ChestTried(seat="ANN", chest=116, way="quick", dice=(6, 4), plus_die=2)
    assert asked("rule R-CHT-1", played(won, moment=moment).game)[1:] == ("Ann has disarmed chest 116 in this game.",)


def test_a_sentence_is_no_search() -> None:
    with pytest.raises(RefusedError, match=r"^Usage: rule \[ID\|WORD\]$"):
        parse("rule what does a chest do at night", Game(), words("en"))


def test_r_xp_4_says_how_this_table_plays() -> None:
    assert asked("rule R-XP-4", game())[1:] == (
        "In this game a trap square that goes off gives nothing (switch xp_on_trigger_25).",
    )
    assert asked("rule R-XP-4", game(xp_on_trigger_25=True))[1:] == (
        "In this game a trap square that goes off gives the 25 too (switch xp_on_trigger_25).",
    )
