"""`rooms.toml`: every problem at once, in whole sentences."""

from __future__ import annotations

import pytest

from pi_app.rooms import events as ev
from pi_app.rooms.settings import example, parse
from pi_app.text.errors import UserFileError
from pi_app.text.languages import LANGUAGES
from pi_app.text.suggest import one_of
from tests.pi_app.rooms.tables import text


def test_the_example_is_the_usual_board() -> None:
    """D-ROT-14; each room has its arrow and its number (D-ROT-1)."""
    read = parse(example(), "rooms.toml")
    assert len(read.rooms) == 8
    assert sorted(room.table.pair for room in read.rooms) == [1, 1, 2, 2, 3, 3, 4, 4]
    assert {square.table.clicks for square in read.wires.squares.values()} == {4}
    assert read.ruleset == ev.Ruleset()
    assert read.wires.warnings == ()


def refused(settings: str) -> list[str]:
    with pytest.raises(UserFileError) as error:
        parse(settings, "rooms.toml")
    return list(error.value.problems)


def test_d_aud_10_a_pair_with_one_direction_is_refused() -> None:
    assert refused(text(R2="clockwise")) == [
        "rooms.toml [room.R1] arrow = 'clockwise': [room.R2] is its pair and has the same arrow; "
        "they turn opposite ways (D-AUD-10)",
        "rooms.toml [room.R2] arrow = 'clockwise': [room.R1] is its pair and has the same arrow; "
        "they turn opposite ways (D-AUD-10)",
    ]


def test_a_number_that_only_one_room_has_is_refused() -> None:
    alone = text().replace("pair = 2", "pair = 3", 1)
    assert refused(alone)[0] == (
        "rooms.toml [room.R3] pair = 3: 0 other rooms have this number; a pair is two rooms (D-ROT-4)"
    )


def test_two_rooms_at_one_place_and_an_unknown_section_are_refused_together() -> None:
    found = refused(text().replace("channel = 1", "channel = 0") + "\n[seat.A]\n")
    assert found[0] == (
        "rooms.toml: there is no key 'seat'; there is 'table', 'rules', 'record', 'bus', 'hub', 'room', 'player', "
        "'character' or 'object'"
    )
    assert "[room.R" in found[1]
    assert "[square." not in "".join(found)


def test_pages_for_phones_are_refused_in_words() -> None:
    assert refused(text() + "\n[pages]\nport = 8080\n") == [
        "rooms.toml [pages]: a table of rooms has no pages for phones, and opens no port; remove this section"
    ]


def test_rooms_and_players_that_are_missing() -> None:
    assert refused("[table]\nname = 'x'\n[player.ann]\nname = 'Ann'\n") == [
        "rooms.toml: there is no [bus.NAME] section; there must be at least one",
        "rooms.toml: there is no [room.NAME] section; there must be at least 2",
        "rooms.toml: there is only one [player.NAME] section; there must be at least 2",
    ]


def test_names_that_commands_would_mix_up_are_refused() -> None:
    mixed = text().replace('name = "Ben"', 'name = "ANN"') + "\n" + text().split("[room.R4]")[1].join(("[room.r3]", ""))
    found = refused(mixed)
    assert "rooms.toml [player.ben] name = 'ANN': is already the name of [player.ann]; choose another" in found
    assert "rooms.toml [room.r3] label = 'r3': is already the label of [room.R3]; choose another" in found


def test_each_player_reads_a_language_and_else_the_tables() -> None:
    assert parse(text(), "rooms.toml").languages == ("en",)
    french = text().replace("[table]", '[table]\nlanguage = "fr"')
    assert parse(french, "rooms.toml").languages == ("fr",)
    assert parse(french.replace('"Ben"', '"Ben"\nlanguage = "de"'), "rooms.toml").languages == ("fr", "de")
    assert refused(text().replace('"Ben"', '"Ben"\nlanguage = "nl"')) == [
        f"rooms.toml [player.ben] language = 'nl': must be {one_of(LANGUAGES)}"
    ]


def test_a_room_has_an_encoder_that_knows_its_angle() -> None:
    room = "[room.R1]\n"
    assert room in text()
    assert refused(text().replace(room, f'{room}chip = "seesaw"\n', 1)) == [
        "rooms.toml [room.R1] chip = 'seesaw': it only counts steps; a room's encoder is 'as5600', 'as5600l', "
        "'mt6701' or 'as5048b'"
    ]
    assert refused(text().replace(room, f'{room}chip = "as5601"\n', 1)) == [
        "rooms.toml [room.R1] chip = 'as5601': must be 'as5600', 'as5600l', 'mt6701', 'as5048b' or 'seesaw'"
    ]


def test_d_crd_6_a_player_has_nine_combat_cards_unless_the_table_leaves_it_out() -> None:
    """D-CRD-6, D-CMB-4."""
    assert refused(text("combat_cards = [1, 2]")) == [
        "rooms.toml [rules] combat_cards = [1, 2]: a player has 9 combat cards (D-CRD-6, from another source); "
        "`other_sources` leaves it out",
        "rooms.toml [rules] combat_cards = [1, 2]: one card, and only one, is +0 (D-CMB-4)",
    ]
    left_out = parse(text('combat_cards = [2, 0, 1]\nother_sources = ["D-AP-4"]'), "rooms.toml").ruleset
    assert left_out == ev.Ruleset(combat_cards=(0, 1, 2), other_sources=("D-AP-4",))


def test_a_rule_that_no_other_source_has_is_refused() -> None:
    assert refused(text('other_sources = ["D-ROT-8"]')) == [
        "rooms.toml [rules] other_sources (a list): must be a list of some of "
        "'D-ROT-12', 'D-ROT-13', 'D-AP-4', 'D-CRD-1', 'D-CRD-6'"
    ]


def test_characters_and_objects_are_read_and_told_apart() -> None:
    """D-MOV-1, D-CMB-2, D-OBJ-6."""
    read = parse(example(), "rooms.toml")
    assert ev.CharacterSetup(kind="thief", speed=5, value=2) in read.characters
    assert ev.ObjectSetup(name="potion", activated=True) in read.objects
    assert refused(text() + "[character.thief]\nspeed = 5\ncombat = 2\n[object.Thief]\n") == [
        "rooms.toml [object.Thief] name = 'Thief': is already the name of [character.thief]; choose another"
    ]
    assert refused(text() + "[character.Ben]\nspeed = 5\ncombat = 2\n") == [
        "rooms.toml [character.Ben] name = 'Ben': is already the name of [player.ben]; choose another"
    ]
    assert refused(text() + "[character.thief]\nspeed = 0\n") == [
        "rooms.toml [character.thief] speed = 0: must be squares from 1 to 20 (D-MOV-1)",
        "rooms.toml [character.thief]: 'combat' is missing; it must be a combat value from 0 to 20 (D-CMB-2)",
    ]
