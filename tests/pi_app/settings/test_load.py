"""Settings: every refusal and warning as a whole sentence, all at once, and no secret in print."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from rich.pretty import pretty_repr

from pi_app.game.ruleset import Ruleset, settled
from pi_app.game.trap_table_file import FORMAT_PAGE
from pi_app.settings.load import SOUNDS, example_path, load, parse
from pi_app.settings.model import Settings
from pi_app.settings.trap_tables import tables_beside
from pi_app.text.errors import UserFileError
from tests.pi_app.settings.good import (
    BUS,
    GOOD,
    HEAD,
    SCREENS,
    SQUARES,
    changed,
    errors,
    good,
    made_up,
    warnings,
)
from tests.pi_app.settings.refusals import REFUSALS


def test_good_settings_hold_everything_and_warn_of_nothing() -> None:
    read = good(GOOD)
    assert read.warnings == ()
    assert (read.table.name, read.table.rest_ms, read.table.gap_limit_ms, read.table.scan_hz) == (
        "Small table",
        600,
        35,
        100,
    )
    assert (read.table.language, read.table.hold_ms, read.table.show_s, read.table.contrast) == ("en", 400, 8.0, 0x20)
    assert (read.table.journal, read.table.calibration) == ("journal.db", "")
    assert read.ruleset == settled({})
    assert read.buses["dials"].speed_hz == 100_000
    assert read.buses["dials"].mux[0].reset_gpio == 17
    square = read.squares["T02"]
    assert (square.label, square.bus, square.mux, square.channel, square.invert) == ("T02", "dials", 0x70, 2, False)
    assert square.table.name == "SAMPLE-A"
    ann, ben = read.seats.values()
    assert (ann.key, ann.name, ann.language, ann.button_gpio, ann.lamp_gpio) == ("ANN", "Ann", "en", 16, 20)
    assert ann.screen is not None
    assert (ann.screen.bus, ann.screen.mux, ann.screen.chip, ann.screen.address) == ("screens", None, "ssd1306", 0x3C)
    assert ben.screen is None


def ruled(lines: str) -> Settings:
    return good(changed(BUS, f"[ruleset]\n{lines}\n{BUS}"))


def test_a_preset_sets_the_switches_and_a_written_switch_stands_over_it() -> None:
    read = ruled('preset = "de"\nacid_start = "turn"')
    assert read.ruleset == Ruleset(
        preset="de", acid_reduction="none", trigger_ends="movement_only", hand_blocks_counter=False
    )
    assert read.warnings == ()


def test_r_sa_1_the_rulings_lie_over_a_sheet_and_a_written_switch_over_both() -> None:
    french = ruled('preset = "fr"\nrulings_2003 = true').ruleset
    assert french == replace(settled({"preset": "fr"}), rulings_2003=True, damage_reduction="rulings_2003")
    again = ruled('preset = "fr"\nrulings_2003 = true\ndamage_reduction = "trap_text"').ruleset
    assert again == replace(french, damage_reduction="trap_text")


@pytest.mark.parametrize(
    ("old", "today"),
    [
        (
            "trap_text",
            'preset = "en", acid_reduction = "special_ability_damage", retrigger_policy = "de_clarified", '
            'hand_value_10 = "after_trigger"',
        ),
        ("german", 'preset = "de"'),
        (
            "rulings_2003",
            'preset = "en", acid_reduction = "special_ability_damage", retrigger_policy = "de_clarified", '
            'hand_value_10 = "after_trigger", rulings_2003 = true',
        ),
    ],
)
def test_an_old_preset_goes_on_working_with_a_notice_that_says_how_to_write_it_today(old: str, today: str) -> None:
    read = ruled(f'preset = "{old}"')
    assert warnings(changed(BUS, f'[ruleset]\npreset = "{old}"\n{BUS}')) == [
        f"t.toml [ruleset] preset = '{old}': is an old name that goes on working; today the same is written {today}"
    ]
    rewritten = ruled(today.replace(", ", "\n"))
    assert (rewritten.ruleset, rewritten.warnings) == (read.ruleset, ())


def test_l_06_a_bonus_of_nimble_by_the_italian_sheet_is_refused() -> None:
    text = changed(BUS, f'[ruleset]\npreset = "it"\ndisarm_nimble = 2\n{BUS}')
    assert errors(text) == [
        "t.toml [ruleset] disarm_nimble = 2: Nimble does not affect disarming by these rules (L-06); add "
        "nimble_disarms = true, or leave this out"
    ]
    assert ruled('preset = "it"\ndisarm_nimble = 2\nnimble_disarms = true').ruleset.disarm_nimble == 2


def test_squares_and_seats_keep_the_order_of_the_file() -> None:
    assert list(good(GOOD).squares) == ["T01", "T02"]
    assert list(good(GOOD).seats) == ["ANN", "BEN"]


def test_nothing_of_the_settings_can_be_changed() -> None:
    read = good(GOOD)
    with pytest.raises(TypeError):
        read.squares["T03"] = read.squares["T01"]  # type: ignore[index]
    with pytest.raises(AttributeError):
        read.table.rest_ms = 1  # type: ignore[misc]


def test_a_seat_may_have_a_screen_and_no_lamp() -> None:
    assert good(changed("lamp_gpio = 20\n", "")).seats["ANN"].lamp_gpio is None


def test_file_names_start_at_the_settings_folder(tmp_path: Path) -> None:
    read = parse(GOOD, str(tmp_path / "t.toml"), made_up)
    assert isinstance(read, Settings)
    assert read.beside("journal.db") == tmp_path / "journal.db"


# ---------------------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(("old", "new", "message"), REFUSALS)
def test_each_refusal_is_one_sentence(old: str, new: str, message: str) -> None:
    text = changed(old, new)
    if "speed_hz" in message:
        text = text.replace('"/dev/i2c-1"', '"/dev/i2c-1"\nspeed_hz = 10000')
    assert errors(text).count(message) == 1


ALONE = (
    ("channel = 1", "channel = 8"),
    ("channel = 2\n", ""),
    ("lamp_gpio = 21", "lamp_gpio = 16"),
    ('"Ben"', '"Ann"'),
    ('table = "red"', 'table = "rde"'),
    ("mux = 0x70\nchannel = 1", "mux = 7\nchannel = 1"),
)


@pytest.mark.parametrize(("old", "new"), ALONE)
def test_one_mistake_gives_one_message(old: str, new: str) -> None:
    assert len(errors(changed(old, new))) == 1


def test_all_problems_come_at_once_and_none_hides_another() -> None:
    text = GOOD
    for old, new in ALONE[1:5]:
        text = text.replace(old, new, 1)
    assert errors(text) == [
        "t.toml [seat.BEN] name = 'Ann': is already the name of [seat.ANN]; choose another",
        "t.toml [square.T02] mux = 0x70: needs 'channel' beside it",
        "t.toml [seat.BEN] lamp_gpio = 16: GPIO 16 is already button_gpio of [seat.ANN]; move one",
        f"t.toml [square.T01] table: there is no such file; check the name and the folder; {FORMAT_PAGE}",
    ]


def test_the_same_channel_of_two_muxes_is_no_clash() -> None:
    text = GOOD.replace("reset_gpio = 17\n", "reset_gpio = 17\n[[bus.dials.mux]]\naddress = 0x71\nreset_gpio = 27\n")
    assert good(text.replace("mux = 0x70\nchannel = 2", "mux = 0x71\nchannel = 1")).warnings == ()


def test_a_screen_of_the_bus_itself_answers_through_every_channel() -> None:
    screens = '[seat.BEN.screen]\nbus = "screens"\nmux = 0x70\nchannel = 0\n'
    text = GOOD.replace(SCREENS, SCREENS + "[[bus.screens.mux]]\naddress = 0x70\nreset_gpio = 27\n") + screens
    assert errors(text) == [
        "t.toml [seat.BEN.screen]: screen 0x3C at bus screens mux 0x70 channel 0 would answer together with "
        "[seat.ANN.screen] at bus screens; move one behind its own mux channel"
    ]
    assert good(text + "address = 0x3D\n")


def test_no_chip_may_have_the_address_of_a_mux_on_its_bus() -> None:
    """An AS5600L can have any address; behind the mux it would answer whenever the mux does."""
    moved = changed("channel = 1", 'channel = 1\nchip = "as5600l"\naddress = 0x70')
    assert errors(moved) == [
        "t.toml [square.T01] address = 0x70: the mux at bus dials has this address and would answer too; change one of "
        "them"
    ]
    assert warnings(moved.replace("address = 0x70\ntable", "address = 0x71\ntable")) == []


def test_several_muxes_are_closed_one_by_one() -> None:
    """Each one costs 20 bits more: 4 samples of 29 bits, 4 channels and 2 muxes are 236 bits."""
    text = changed(BUS, BUS + "[[bus.dials.mux]]\naddress = 0x71\nreset_gpio = 27\n").replace(
        "[seat.ANN]",
        "".join(f'[square.U0{n}]\nbus = "dials"\nmux = 0x71\nchannel = {n}\ntable = "red"\n' for n in (1, 2))
        + "[seat.ANN]",
    )
    assert warnings(text.replace(HEAD, HEAD + "scan_hz = 424\n")) == [
        "t.toml [bus.dials] speed_hz = 100000: its dials can be sampled 424 times a second at most, not 424"
    ]
    assert warnings(text.replace(HEAD, HEAD + "scan_hz = 423\n")) == []


def test_one_encoder_right_on_a_bus_needs_no_mux() -> None:
    one = GOOD.replace(SQUARES, '[square.T01]\nbus = "dials"\ntable = "red"\n')
    square = good(one).squares["T01"]
    assert (square.mux, square.channel) == (None, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "t.toml: there is no [bus.NAME] section; there must be at least one"),
        ("[table]\nname = ", "t.toml line 2: the file ends in the middle of something; was it cut off?"),
        ("[table]\n[table]\n", "t.toml line 2: this key or section already stands further up; keep one of the two"),
    ],
)
def test_files_that_are_no_settings(text: str, message: str) -> None:
    assert message in errors(text)


@given(st.text(max_size=300))
def test_no_text_breaks_the_reader(text: str) -> None:
    assert errors(text)


@given(st.integers(0, len(GOOD) - 1))
def test_cut_off_settings_are_refused_or_whole(cut: int) -> None:
    read = parse(GOOD[:cut], "t.toml", made_up)
    assert not isinstance(read, Settings) or (set(read.squares) == {"T01", "T02"} and "ANN" in read.seats)


SECTIONS = ["table", "ruleset", "bus", "square", "seat"]
VALUES = st.recursive(
    st.sampled_from(["1", "true", '"x"', "1.5", "2024-01-01", "0x70", "nan", "-1"]),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]")
        | inner.map(lambda item: f"{{mux = {item}}}")
    ),
    max_leaves=4,
)
KEYS = ["name", "bus", "mux", "channel", "table", "screen", "device", "language", "chip", "button_gpio", "zzz"]


@given(st.sampled_from(SECTIONS), st.sampled_from(["", ".A"]), st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_any_value_under_any_key_is_refused_without_a_crash(section: str, sub: str, values: dict[str, str]) -> None:
    text = f"[{section}{sub}]\n" + "".join(f"{key} = {value}\n" for key, value in values.items())
    assert errors(text)


# ---------------------------------------------------------------------------------------------------- warnings


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "reset_gpio = 17\n",
            "",
            "t.toml [[bus.dials.mux]] address = 0x70: has no reset_gpio; a stuck tile can then hold the "
            "whole bus until you switch the power off",
        ),
        (
            'bus = "screens"',
            'bus = "dials"',
            "t.toml [seat.ANN.screen] bus = 'dials': dials hang on this bus too; a screen slows their scan, and "
            "is better on its own bus",
        ),
        (
            "lamp_gpio = 21",
            "lamp_gpio = 14",
            "t.toml [seat.BEN] lamp_gpio = 14: this is the serial console's pin; switch the console off "
            "or use another pin",
        ),
        (
            "lamp_gpio = 21",
            "lamp_gpio = 22",
            "t.toml [seat.BEN] lamp_gpio = 22: on some models of Pi this is a line of [bus.screens] /dev/i2c-6; check "
            "its overlay",
        ),
        (
            'name = "Small table"',
            'name = "x"\nscan_hz = 50',
            "t.toml [table] scan_hz = 50: a single failed read makes the path unknown; 100 or more is better",
        ),
        (
            'name = "Small table"',
            'name = "x"\ngap_limit_ms = 60',
            "t.toml [table] gap_limit_ms = 60: above 35 ms a fast hand could turn a dial of 12 "
            "clicks half a turn between two samples",
        ),
        (
            '"/dev/i2c-1"',
            '"/dev/i2c-1"\nspeed_hz = 10000\n',
            None,
        ),
        (
            'name = "Small table"',
            'name = "x"\nscan_hz = 1000',
            "t.toml [bus.dials] speed_hz = 90000: its dials can be sampled 918 times a second at most, not 1000",
        ),
    ],
)
def test_each_warning_is_one_sentence_and_refuses_nothing(old: str, new: str, message: str | None) -> None:
    text = changed(old, new)
    if message and "speed_hz" in message:
        text = text.replace('"/dev/i2c-1"', '"/dev/i2c-1"\nspeed_hz = 90000')
    assert warnings(text) == ([message] if message else [])


def test_sample_tables_are_warned_of(tmp_path: Path) -> None:
    text = GOOD.replace('"red"', '"sample:SAMPLE-12"').replace('"blue"', '"sample:SAMPLE-A"')
    read = parse(text, "t.toml", tables_beside(tmp_path))
    assert isinstance(read, Settings)
    assert read.uses_samples
    assert [str(problem) for problem in read.warnings] == [
        "t.toml: SAMPLE tables are in use; their numbers are made up, and every display says so"
    ]
    assert not good(GOOD).uses_samples


# -------------------------------------------------------------------------------------------- tables and secrets


def house_file(path: Path, *, name: str, click_number: int = 1, xp: str = "22") -> None:
    cage = f'kind = "trap"\ntrap = "cage"\nclick_number = {click_number}\ndisarm = 7\nxp = {xp}'
    middle = "".join(f'[[face]]\npos = {n}\nkind = "clear"\n' for n in range(2, 11))
    path.write_text(
        f'name = "{name}"\nprovenance = "house"\n[[face]]\npos = 0\nkind = "start"\n[[face]]\npos = 1\n{cage}\n'
        f'{middle}[[face]]\npos = 11\nkind = "disarmed"\n'
    )


def problems_on_disk(folder: Path) -> list[str]:
    read = parse(GOOD, "t.toml", tables_beside(folder))
    return [str(problem) for problem in (read.warnings if isinstance(read, Settings) else read)]


def test_s_9_a_bad_trap_table_is_told_by_its_square_without_its_name_or_content(tmp_path: Path) -> None:
    house_file(tmp_path / "red", name="Red", xp='"many"')
    house_file(tmp_path / "blue", name="Blue")
    assert problems_on_disk(tmp_path) == [
        f"t.toml [square.T01] table: its trap table has errors; `trapdial tables check` lists them, and {FORMAT_PAGE}"
    ]


def test_s_9_a_doubtful_trap_table_is_not_even_named(tmp_path: Path) -> None:
    house_file(tmp_path / "red", name="Red", click_number=5)
    house_file(tmp_path / "blue", name="Blue", click_number=6)
    assert problems_on_disk(tmp_path) == ["t.toml: 2 warnings in the trap tables; `trapdial tables check` lists them"]


def test_two_different_trap_tables_of_one_name_are_refused(tmp_path: Path) -> None:
    house_file(tmp_path / "red", name="Same")
    house_file(tmp_path / "blue", name="Same", xp="33")
    assert problems_on_disk(tmp_path) == [
        "t.toml [square.T02] table: its trap table has the name of another one and differs; give each table a name of "
        "its own"
    ]
    house_file(tmp_path / "blue", name="Same")
    assert problems_on_disk(tmp_path) == []


def test_a_missing_trap_table_and_a_missing_sample_name_their_square(tmp_path: Path) -> None:
    text = GOOD.replace('"blue"', '"sample:SAMPLE-C"')
    read = parse(text, "t.toml", tables_beside(tmp_path))
    assert not isinstance(read, Settings)
    assert [str(problem) for problem in read] == [
        f"t.toml [square.T01] table: there is no such file; check the name and the folder; {FORMAT_PAGE}",
        "t.toml [square.T02] table: there is no sample table of this name; there is 'SAMPLE-A', 'SAMPLE-B' or "
        "'SAMPLE-12'",
    ]


def test_s_9_printed_settings_are_the_same_whichever_square_holds_which_table() -> None:
    one = good(GOOD)
    swapped = good(GOOD.replace('"red"', '"x"').replace('"blue"', '"red"').replace('"x"', '"blue"'))
    assert one.squares["T01"].table == swapped.squares["T02"].table != one.squares["T02"].table
    for printed in (repr, str, pretty_repr):
        assert printed(one) == printed(swapped)
        assert "SAMPLE" not in printed(one)


def test_load_raises_all_errors_of_a_file_and_no_warnings(tmp_path: Path) -> None:
    path = tmp_path / "trapdial.toml"
    path.write_text(GOOD.replace("reset_gpio = 17\n", ""))
    with pytest.raises(UserFileError) as caught:
        load(path)
    assert caught.value.problems == tuple(
        f"{path} [square.{label}] table: there is no such file; check the name and the folder; {FORMAT_PAGE}"
        for label in ("T01", "T02")
    )
    with pytest.raises(UserFileError, match="there is no such file"):
        load(tmp_path / "missing.toml")


def test_an_example_that_does_not_ship_is_told_which_do() -> None:
    with pytest.raises(UserFileError) as caught:
        example_path("2x3")
    known = "'starter', '2x2', '8x4', '16x4' or 'station'"
    assert str(caught.value) == f"example 2x3: there is no such example; there is {known}"


# ------------------------------------------------------------------------------------- what may be done for a bus


def with_bus(lines: str, device: str = "/dev/i2c-1") -> str:
    return GOOD.replace('[bus.dials]\ndevice = "/dev/i2c-1"\n', f'[bus.dials]\ndevice = "{device}"\n{lines}\n')


def test_the_lines_of_the_first_bus_are_known_and_those_of_others_are_asked_for() -> None:
    known = good(with_bus("clear = true"))
    assert known.buses["dials"].lines == (3, 2)
    named = good(with_bus("clear = true\nscl_gpio = 9\nsda_gpio = 8", "/dev/i2c-4"))
    assert named.buses["dials"].lines == (9, 8)
    assert errors(with_bus("clear = true", "/dev/i2c-4")) == [
        "t.toml [bus.dials] clear = true: needs scl_gpio and sda_gpio beside it: which pins /dev/i2c-4 has depends on "
        "its overlay"
    ]


def test_a_power_switch_has_a_pin_of_its_own() -> None:
    assert errors(with_bus("power_gpio = 2")) == [
        "t.toml [bus.dials] power_gpio = 2: GPIO 2 is a line of [bus.dials] /dev/i2c-1"
    ]
    assert errors(with_bus("power_gpio = 17")) == [
        "t.toml [bus.dials] power_gpio = 17: GPIO 17 is already reset_gpio of [[bus.dials.mux]]; move one"
    ]


# ------------------------------------------------------------------------------------- lamps of three colours, sound

COLOURED = "lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 13}"


def test_a_lamp_of_three_colours_takes_the_place_of_a_single_one() -> None:
    read = good(changed("lamp_gpio = 21", COLOURED))
    lamp = read.seats["BEN"].lamp
    assert lamp is not None
    assert (lamp.gpios, lamp.colour, lamp.common) == ((5, 6, 13), "white", "cathode")
    assert (read.seats["BEN"].lamp_gpio, read.seats["BEN"].gpios) == (None, (26, 5, 6, 13))
    assert (read.seats["ANN"].lamp, read.seats["ANN"].gpios) == (None, (16, 20))


@pytest.mark.parametrize(
    ("lamp", "message"),
    [
        (
            "lamp = {red_gpio = 5, green_gpio = 6}",
            "t.toml [seat.BEN.lamp]: 'blue_gpio' is missing; it must be a GPIO number from 0 to 27",
        ),
        (
            "lamp = {red_gpio = 5, green_gpio = 5, blue_gpio = 13}",
            "t.toml [seat.BEN.lamp] green_gpio = 5: GPIO 5 is already red_gpio of [seat.BEN.lamp]; move one",
        ),
        (
            "lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 16}",
            "t.toml [seat.BEN.lamp] blue_gpio = 16: GPIO 16 is already button_gpio of [seat.ANN]; move one",
        ),
        (
            "lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 3}",
            "t.toml [seat.BEN.lamp] blue_gpio = 3: GPIO 3 is a line of [bus.dials] /dev/i2c-1",
        ),
        (
            'lamp = {red_gpio = 5, green_gpio = 6, blue_gpio = 13, colour = "pink"}',
            "t.toml [seat.BEN.lamp] colour = 'pink': must be 'white', 'red', 'green', 'blue', 'yellow', 'cyan' or "
            "'magenta'",
        ),
        (
            f"lamp_gpio = 21\n{COLOURED}",
            "t.toml [seat.BEN]: has both lamp_gpio and a lamp of three colours; a seat has one lamp",
        ),
        ("lamp = 21", "t.toml [seat.BEN] lamp = 21: must be a text"),
        (
            "lamp_gpio = 21\nbuzzer_gpio = 12",
            "t.toml [seat.BEN] buzzer_gpio = 12: everyone at the table hears a sound, and its message is "
            "for one player alone (S-6); take a lamp or a screen",
        ),
    ],
)
def test_a_lamp_that_cannot_be_and_a_sound_are_refused_once(lamp: str, message: str) -> None:
    assert errors(changed("lamp_gpio = 21", lamp)) == [message]


@pytest.mark.parametrize("name", SOUNDS)
def test_a_seat_with_nothing_but_a_sound_has_neither_lamp_nor_screen(name: str) -> None:
    said = errors(changed("lamp_gpio = 21", f"{name} = 12"))
    assert len(said) == 2
    assert "everyone at the table hears a sound" in said[0]
    assert said[1] == "t.toml [seat.BEN]: has neither a lamp nor a screen; a seat needs at least one of them"
