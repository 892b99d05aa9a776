"""Trap tables: every check with its severity, all problems at once, and nothing that prints a secret."""

from __future__ import annotations

import logging
import traceback
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.pretty import pretty_repr

from pi_app.game.trap_table import Disarm, Face, FaceKind, Provenance, Trap, TrapTable
from pi_app.game.trap_table_file import SAMPLES, check, fault_in_head, load, load_sample, parse, sample_path, write
from pi_app.text.errors import UserFileError
from pi_app.text.printed import shown

HEAD = 'name = "TableBuilder 1"\nprovenance = "house"\n'
TRAP = 'kind = "trap"\ntrap = "cage"\nclick_number = {n}\ndisarm = "6+"\nxp = 22'


def rows(changes: dict[int, str | None] | None = None, clicks: int = 12) -> str:
    """A good dial: 0 start, a cage at 1, clear, disarmed last; `changes` puts other text at a position."""
    made: dict[int, str | None] = dict.fromkeys(range(clicks), 'kind = "clear"')
    made |= {0: 'kind = "start"', 1: TRAP.format(n=1), clicks - 1: 'kind = "disarmed"'}
    made |= changes or {}
    return "".join(f"\n[[face]]\npos = {n}\n{row}\n" for n, row in made.items() if row is not None)


def found(text: str) -> list[str]:
    """All problems as `severity: message`."""
    return [f"{p.severity.value}: {p}" for p in parse(text, "t.toml").problems]


# --------------------------------------------------------------------------------------------- each check


def test_a_good_table_has_no_problems_and_all_its_faces() -> None:
    checked = parse(HEAD + rows(), "t.toml")
    assert checked.problems == ()
    assert checked.table is not None
    assert [face.position for face in checked.table.faces] == list(range(12))
    assert msgspec.structs.asdict(checked.table.faces[1]) == {
        "position": 1,
        "kind": "trap",
        "click_number": 1,
        "trap": Trap.CAGE,
        "disarm": Disarm(6, variable=True),
        "xp": 22,
    }


@pytest.mark.parametrize(("head", "clicks"), [(HEAD, 12), (HEAD + "clicks = 10\n", 10)])
def test_t_dial_9_a_dial_has_twelve_clicks_unless_its_table_says_otherwise(head: str, clicks: int) -> None:
    checked = parse(head + rows(clicks=clicks), "t.toml")
    assert checked.problems == ()
    assert checked.table is not None
    assert checked.table.clicks == clicks


def test_rows_may_stand_in_any_order() -> None:
    blocks = rows().split("\n[[face]]\n")[1:]
    mixed = HEAD + "".join(f"\n[[face]]\n{block}" for block in reversed(blocks))
    assert parse(mixed, "t").table == parse(HEAD + rows(), "t").table


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {4: None, 7: None},
            "error: t.toml [[face]]: no face has pos 4, 7; write one for every position from 0 to 11",
        ),
        ({0: None}, "error: t.toml [[face]]: no face has pos 0; write one for every position from 0 to 11"),
        (
            {2: 'kind = "clear"\n[[face]]\npos = 2\nkind = "clear"'},
            "error: t.toml [[face]] pos = 2: appears 2 times; list each position once",
        ),
        ({12: 'kind = "clear"'}, "error: t.toml [[face]] pos = 12: a dial of 12 clicks ends at 11"),
        (
            {0: 'kind = "clear"'},
            "error: t.toml [[face]] 0 times kind = 'start': there must be exactly one start, at pos 0 (T-DIAL-4)",
        ),
        (
            {8: 'kind = "start"'},
            "error: t.toml [[face]] 2 times kind = 'start': there must be exactly one start, at pos 0 (T-DIAL-4)",
        ),
        (
            {0: 'kind = "clear"', 8: 'kind = "start"'},
            "error: t.toml [[face]] start at pos 8: there must be exactly one start, at pos 0 (T-DIAL-4)",
        ),
        (
            {11: 'kind = "clear"'},
            "error: t.toml [[face]]: no face is 'disarmed'; every dial has such a mark (T-DIAL-5)",
        ),
        (
            {1: TRAP.format(n=1).replace("cage", "cgae")},
            "error: t.toml [[face]] 2 (pos 1) trap = 'cgae': there is no such trap; did you mean 'cage'?",
        ),
        (
            {1: 'kind = "cage"'},
            "error: t.toml [[face]] 2 (pos 1) kind = 'cage': write kind = 'trap' and trap = 'cage'",
        ),
        (
            {1: 'kind = "claer"'},
            "error: t.toml [[face]] 2 (pos 1) kind = 'claer': there is no such kind; did you mean 'clear'?",
        ),
        (
            {1: TRAP.format(n=1).replace('trap = "cage"\n', "")},
            "error: t.toml [[face]] 2 (pos 1): 'trap' is missing; a trap carries all four (T-DIAL-2)",
        ),
        (
            {3: 'kind = "clear"\ntrap = "cage"'},
            "error: t.toml [[face]] 4 (pos 3) trap = 'cage': only a trap has this, and kind is 'clear' (T-DIAL-2)",
        ),
        (
            {1: TRAP.format(n=1).replace('"6+"', '"6-"')},
            "error: t.toml [[face]] 2 (pos 1) disarm = '6-': must be one or two digits with an optional plus: "
            "'7' or '6+'",
        ),
        (
            {1: TRAP.format(n=1).replace("22", "-1")},
            "error: t.toml [[face]] 2 (pos 1) xp = -1: must be a whole number from 0 to 9999",
        ),
        (
            {1: TRAP.format(n=1).replace("xp = 22", "XP = 22")},
            "error: t.toml [[face]] 2 (pos 1): there is no key 'XP'; did you mean 'xp'?",
        ),
        (
            {3: 'kind = "disarmed"'},
            "warning: t.toml [[face]] 4 (pos 3) kind = 'disarmed': is within reach of one die, positions 1 to 6 "
            "(T-DIAL-10); check the dial again",
        ),
        (
            {1: TRAP.format(n=4)},
            "warning: t.toml [[face]] 2 (pos 1) click_number = 4: differs from pos (T-DIAL-11); check whether a "
            "position was left out",
        ),
        (
            {1: TRAP.format(n=1).replace("cage", "monstrous_hand")},
            "information: t.toml [[face]] 2 (pos 1) disarm = '6+': the printed number holds until the hand is "
            "triggered, then it is 10 (E-HAND-6)",
        ),
    ],
)
def test_each_check_of_the_faces(changes: dict[int, str | None], message: str) -> None:
    assert message in found(HEAD + rows(changes))


@pytest.mark.parametrize("disarm", ["10", '"10"'])
def test_e_hand_6_a_hand_with_10_printed_is_no_problem(disarm: str) -> None:
    row = TRAP.format(n=1).replace("cage", "monstrous_hand").replace('"6+"', disarm)
    assert found(HEAD + rows({1: row})) == []


def test_a_start_within_reach_of_a_die_is_also_warned_of() -> None:
    assert [line.split(":")[0] for line in found(HEAD + rows({3: 'kind = "start"'}))] == ["warning", "error"]


@pytest.mark.parametrize(
    ("head", "messages"),
    [
        ('name = "x"', ["error: t.toml: 'provenance' is missing; it must be 'sample', 'transcribed' or 'house'"]),
        (
            'name = "x"\nprovenance = "hause"',
            ["error: t.toml provenance = 'hause': there is no such provenance; did you mean 'house'?"],
        ),
        (
            'name = "x"\nprovenance = "transcribed"',
            [
                "error: t.toml: 'transcribed_by' is missing; a transcribed table names who read the dial",
                "error: t.toml: 'checked_by' is missing; a transcribed table names who checked the dial",
                "error: t.toml: 'date' is missing; a transcribed table says on which day it was read",
            ],
        ),
        (
            'name = "x"\nprovenance = "transcribed"\ntranscribed_by = "Ann"\nchecked_by = " ann"\ndate = 2025-03-09',
            ["error: t.toml checked_by = 'ann': must be another person than transcribed_by"],
        ),
        (
            'name = "x"\nprovenance = "house"\ndate = "2025-02-30"',
            ["error: t.toml date = '2025-02-30': must be a day such as 2025-03-09"],
        ),
        (
            'name = "x"\nprovenance = "house"\nexpose_direction = "cw"',
            ["error: t.toml expose_direction = 'cw': must be 'ccw': dials are exposed counter-clockwise (T-DIAL-8)"],
        ),
        (
            'name = "x\\u001b[2J"\nprovenance = "house"',
            [r"error: t.toml name = 'x\x1b[2J': must be made of printable characters"],
        ),
        ('name = ""\nprovenance = "house"', ["error: t.toml name = '': must be a text of 1 to 40 characters"]),
        (
            'name = "x"\nprovenence = "house"',
            [
                "error: t.toml: there is no key 'provenence'; did you mean 'provenance'?",
                "error: t.toml: 'provenance' is missing; it must be 'sample', 'transcribed' or 'house'",
            ],
        ),
    ],
)
def test_each_check_of_the_head(head: str, messages: list[str]) -> None:
    assert found(head + "\n" + rows()) == messages


def test_two_names_and_a_day_make_a_transcribed_table() -> None:
    head = 'name = "x"\nprovenance = "transcribed"\ntranscribed_by = "Ann"\nchecked_by = "Ben"\ndate = 2025-03-09\n'
    table = parse(head + rows(), "t").table
    assert table is not None
    assert (table.date, table.transcribed_by, table.checked_by) == ("2025-03-09", "Ann", "Ben")


def test_t_dial_10_fewer_than_eight_clicks_is_a_warning_and_more_than_36_an_error() -> None:
    seven = parse(HEAD + "clicks = 7\n" + rows(clicks=7), "t.toml")
    assert seven.table is not None
    assert (
        str(seven.problems[0])
        == "t.toml clicks = 7: fewer than 8: six that a die reaches, the start and the disarmed mark (T-DIAL-10)"
    )
    assert [problem.severity.value for problem in seven.problems] == ["warning", "warning"]
    assert found(HEAD + "clicks = 8\n" + rows(clicks=8)) == []
    assert found(HEAD + "clicks = 36\n" + rows(clicks=36)) == []
    assert "error: t.toml clicks = 37: must be a whole number from 8 to 36, usually 12" in found(
        HEAD + "clicks = 37\n" + rows(clicks=37)
    )


def test_all_problems_come_at_once() -> None:
    text = HEAD.replace("house", "hose") + rows(
        {1: TRAP.format(n=1).replace("cage", "cgae"), 4: None, 11: 'kind = "clear"'}
    )
    assert [line.split(": ", 1)[1].split(":")[0] for line in found(text)] == [
        "t.toml provenance = 'hose'",
        "t.toml [[face]] 2 (pos 1) trap = 'cgae'",
        "t.toml [[face]]",
        "t.toml [[face]]",
    ]


@pytest.mark.parametrize(
    ("faces", "message"),
    [
        ("", "error: t.toml: there are no faces; write one [[face]] section for each position"),
        ("face = 3", "error: t.toml face: there are no faces; write one [[face]] section for each position"),
        ("face = [1]", "error: t.toml face: there are no faces; write one [[face]] section for each position"),
        ("[[face]]\npos = 1\n" * 500, "error: t.toml [[face]] 500 times: a dial has at most 36 positions"),
    ],
)
def test_a_file_without_proper_faces(faces: str, message: str) -> None:
    assert found(HEAD + faces) == [message]


@pytest.mark.parametrize("value", ["true", "1.0", '"1"', "[1]", "-1", "36", "99999999999999999999", "nan"])
def test_a_position_that_is_no_position(value: str) -> None:
    text = HEAD + rows().replace("pos = 5\n", f"pos = {value}\n")
    assert any("must be a whole number from 0 to clicks - 1" in line for line in found(text))
    assert parse(text, "t").table is None


@given(cut=st.integers(0, len(HEAD + rows()) - 12))
def test_a_truncated_table_is_never_taken_for_a_whole_one(cut: int) -> None:
    assert parse((HEAD + rows())[:cut], "t").table is None


@given(st.text(max_size=300))
def test_no_text_breaks_the_parser(text: str) -> None:
    checked = parse(text, "t")
    assert checked.table is None
    assert checked.problems


# ------------------------------------------------------------------------------------------ there and back


def faces_of(position: int) -> st.SearchStrategy[Face]:
    disarm = st.builds(Disarm, st.integers(0, 99), st.booleans())
    trap = st.builds(
        Face,
        position=st.just(position),
        kind=st.just("trap"),
        click_number=st.integers(0, 99),
        trap=st.sampled_from(Trap),
        disarm=disarm,
        xp=st.integers(0, 9999),
    )
    return trap | st.just(Face(position=position, kind="clear"))


@st.composite
def trap_tables(draw: st.DrawFn) -> TrapTable:
    clicks = draw(st.integers(2, 14))
    middle = [draw(faces_of(position)) for position in range(1, clicks - 1)]
    ends = Face(position=0, kind="start"), Face(position=clicks - 1, kind="disarmed")
    letters = st.characters(exclude_categories=["C", "Z"])
    words = st.text(letters, min_size=1, max_size=40).filter(lambda text: shown(text) == text)
    provenance: Provenance = draw(st.sampled_from(["sample", "house"]))
    return TrapTable(
        name=draw(words),
        provenance=provenance,
        clicks=clicks,
        note=draw(words),
        faces=(ends[0], *middle, ends[1]),
    )


@settings(max_examples=20)
@given(trap_tables())
def test_what_is_written_reads_back_equal(table: TrapTable) -> None:
    assert parse(write(table), "t").table == table


@settings(max_examples=20)
@given(trap_tables())
def test_a_table_survives_the_journal_s_json(table: TrapTable) -> None:
    assert msgspec.json.decode(msgspec.json.encode(table), type=TrapTable) == table


@pytest.mark.parametrize("written", ["7", "6+", "0", "14", "99+"])
def test_t_dial_3_a_disarm_number_prints_as_it_was_printed(written: str) -> None:
    assert Disarm.parse(written).printed() == written


@pytest.mark.parametrize("written", ["", "+", "6++", "-1", "100", "6 +", "٣", "7\n", "six"])
def test_t_dial_3_anything_else_is_no_disarm_number(written: str) -> None:
    with pytest.raises(ValueError, match=r"^must be one or two digits with an optional plus: '7' or '6\+'$"):
        Disarm.parse(written)


def test_one_key_of_a_head_can_be_asked_about_alone() -> None:
    assert fault_in_head("date", "2025-03-09") is None
    assert fault_in_head("date", "today") == "must be a day such as 2025-03-09"
    assert fault_in_head("name", "\x1b") == "must be made of printable characters"


# ------------------------------------------------------------------------------------------------- secrets


def ways_to_print(value: object) -> list[str]:
    record = logging.LogRecord("x", logging.INFO, "x", 1, "%s %r", (value, value), None)
    return [repr(value), str(value), f"{value}", repr([value]), pretty_repr(value), record.getMessage()]


def test_s_6_every_face_prints_the_same() -> None:
    faces = [face for name in SAMPLES for face in load_sample(name).faces]
    assert len({tuple(ways_to_print(face)) for face in faces}) == 1
    assert ways_to_print(faces[0])[0] == "Face((sealed))"


def test_s_9_every_table_prints_the_same() -> None:
    assert len({tuple(ways_to_print(load_sample(name))) for name in SAMPLES}) == 1
    assert str(load_sample("SAMPLE-A")) == "TrapTable((sealed))"
    assert ways_to_print(Disarm(6, variable=True)) == ways_to_print(Disarm(7))


def test_s_6_a_traceback_with_locals_tells_nothing() -> None:
    def tracebacks(name: str) -> str:
        table = load_sample(name)
        try:
            raise ValueError(table.faces[4], table)
        except ValueError as error:
            del name
            return "".join(traceback.TracebackException.from_exception(error, capture_locals=True).format())

    assert "sealed" in tracebacks("SAMPLE-A")
    assert tracebacks("SAMPLE-A") == tracebacks("SAMPLE-B")


# ------------------------------------------------------------------------------------------------- samples


def contents(table: TrapTable) -> list[Any]:
    return [
        face.kind if face.trap is None or face.disarm is None else (face.trap.value, face.disarm.printed(), face.xp)
        for face in table.faces
    ]


def test_sample_12_has_every_kind_of_face() -> None:
    table = load_sample("SAMPLE-12")
    assert contents(table) == [
        "start",
        ("buzz_saw", "7", 11),
        "clear",
        ("cage", "6+", 22),
        ("falling_weight", "8", 33),
        ("fire_jets", "5", 44),
        ("jaws_of_doom", "4+", 55),
        ("monstrous_hand", "9", 66),
        ("noxious_acid_pool", "11", 77),
        ("spiked_pit", "3", 88),
        "clear",
        "disarmed",
    ]
    kinds: set[FaceKind] = {"start", "trap", "clear", "disarmed"}
    assert {face.kind for face in table.faces} == kinds


def test_samples_a_and_b_are_the_playable_pair() -> None:
    clear = ["clear"] * 4
    assert contents(load_sample("SAMPLE-A")) == [
        "start",
        ("buzz_saw", "7", 11),
        "clear",
        ("cage", "6+", 22),
        ("falling_weight", "8", 33),
        ("fire_jets", "5", 44),
        ("jaws_of_doom", "4+", 55),
        *clear,
        "disarmed",
    ]
    assert contents(load_sample("SAMPLE-B")) == [
        "start",
        ("monstrous_hand", "9", 66),
        ("noxious_acid_pool", "11", 77),
        "clear",
        ("spiked_pit", "3", 88),
        ("buzz_saw", "5+", 11),
        "clear",
        *clear,
        "disarmed",
    ]


def test_t_dial_10_the_pair_offers_all_eight_traps_to_one_die() -> None:
    reached = {load_sample(name).faces[click].trap for name in ("SAMPLE-A", "SAMPLE-B") for click in range(1, 7)}
    assert reached == {*Trap, None}


@pytest.mark.parametrize("name", SAMPLES)
def test_samples_say_sample_everywhere_and_pass_their_own_checks(name: str) -> None:
    checked = check(sample_path(name))
    assert checked.table is not None
    assert all(problem.severity.value == "information" for problem in checked.problems)
    assert checked.table.name == name
    assert checked.table.is_sample
    assert "SAMPLE" in checked.table.note
    assert all(face.click_number in (None, face.position) for face in checked.table.faces)
    assert all(str(face.xp) == str(face.xp)[0] * 2 for face in checked.table.faces if face.xp is not None)


def test_a_sample_that_does_not_ship_gets_a_guess() -> None:
    with pytest.raises(UserFileError) as caught:
        load_sample("SAMPLE-1")
    assert str(caught.value) == "sample:SAMPLE-1: there is no such sample table; did you mean 'SAMPLE-12'?"


def test_load_gives_all_errors_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "t.toml"
    path.write_text(HEAD + rows({11: 'kind = "clear"', 4: None}))
    with pytest.raises(UserFileError) as caught:
        load(path)
    assert caught.value.problems == (
        f"{path} [[face]]: no face has pos 4; write one for every position from 0 to 11",
        f"{path} [[face]]: no face is 'disarmed'; every dial has such a mark (T-DIAL-5)",
        f"{path}: `trapdial docs trap_tables` says what a trap table's file holds.",
    )
    path.write_text(HEAD + rows())
    assert load(path).name == "TableBuilder 1"
