"""The documentation says what the program does, and goes red when it no longer does."""

from __future__ import annotations

import ast
import re
import shlex
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

import click
import msgspec
import pytest
from click.testing import CliRunner

from hardware.bus import Read, Write, wire_bits
from pi_app import journal, settings, settings_wiring, userfile
from pi_app.against import FOUND
from pi_app.cli import COMMANDS, main
from pi_app.commands import USAGE
from pi_app.displays.lamp import card
from pi_app.displays.words import words
from pi_app.events import AnyEvent
from pi_app.faces import Say
from pi_app.live.keys import KEYS
from pi_app.report import Attention, seat_says
from pi_app.rules import TRANSITIONS, SquareState
from pi_app.ruleset import Ruleset
from pi_app.settings_hubs import HubSettings
from pi_app.wiring.chosen import WiringSettings

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "wiring_docs"
PAGES = [
    *("README.md", "CHANGELOG.md", "firmware_host/README.md"),
    *sorted(f"wiring_docs/{page.name}" for page in DOCS.glob("*.md")),
]


@cache
def text(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text(page), re.MULTILINE | re.DOTALL)


def prose(page: str) -> str:
    return re.sub(r"^```.*?^```$", "", text(page), flags=re.MULTILINE | re.DOTALL)


Rows = list[dict[str, str]]


def tables(page: str, *header: str) -> list[Rows]:
    """Every table of a page with these column heads, as rows by head."""
    found: list[Rows] = []
    for part in re.findall(r"(?:^\|.*\|$\n?)+", text(page), re.MULTILINE):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.strip().splitlines()]
        if tuple(lines[0]) == header:
            found.append([dict(zip(header, line, strict=True)) for line in lines[2:]])
    assert found, f"{page} has no table with the heads {header}"
    return found


# -------------------------------------------------------------------------------------------------- every page


def anchors(page: str) -> set[str]:
    heads = re.findall(r"^#+ (.+)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(\s*([^)\s]+)\s*\)", prose(page)):
        target, _, anchor = link.partition("#")
        found = (ROOT / page).parent / target if target else ROOT / page
        assert found.exists(), f"{page}: {link}"
        if anchor:
            assert anchor in anchors(found.resolve().relative_to(ROOT).as_posix()), f"{page}: {link}"


def test_every_page_is_listed_where_people_start() -> None:
    for page in DOCS.glob("*.md"):
        assert page.name == "README.md" or f"({page.name})" in text("wiring_docs/README.md"), page.name


@pytest.mark.parametrize("page", PAGES)
def test_no_path_of_one_machine(page: str) -> None:
    assert re.findall(r"/(?:root|work|home|tmp|Users)\b", text(page)) == []


@pytest.mark.parametrize("page", PAGES)
def test_files_that_are_named_exist(page: str) -> None:
    for name in re.findall(r"`((?:hardware|pi_app|firmware_host|tests|wiring_docs)/[^`\s]*)`", text(page)):
        assert (ROOT / name.partition("::")[0]).exists(), f"{page}: {name}"


def test_no_file_of_the_way_is_left_out() -> None:
    told = text("wiring_docs/story_of_a_click.md") + text("README.md")
    missing = [
        name
        for room in ("hardware", "pi_app", "firmware_host")
        for file in sorted((ROOT / room).rglob("*.py"))
        if (name := file.relative_to(ROOT).as_posix()) and file.name != "__init__.py"
        if f"`{name}`" not in told and not (name.count("/") > 1 and f"`{name.rpartition('/')[0]}/`" in _WHOLE_FOLDERS)
    ]
    assert missing == []


_WHOLE_FOLDERS = {
    "`pi_app/rooms/`",
    *("`pi_app/auditing/`", "`pi_app/cli/`", "`pi_app/live/`", "`pi_app/bench/`", "`pi_app/record/`"),
    *("`pi_app/placement/`", "`pi_app/doctor/`", "`pi_app/wiring/`", "`pi_app/wiring/drawing/`"),
    "`firmware_host/hub/`",
    "`firmware_host/sims/on_board/`",
}
"""Folders that the story tells in one sentence."""


def test_whole_folders_are_told() -> None:
    for folder in _WHOLE_FOLDERS:
        assert folder in text("wiring_docs/story_of_a_click.md")


# ---------------------------------------------------------------------------------------------------- README


def test_the_two_commands_are_targets() -> None:
    assert blocks("README.md", "sh")[0].splitlines() == ["make demo", "make test"]
    for page in PAGES:
        for target in re.findall(r"`make ([a-z-]+)`", text(page)):
            assert re.search(rf"^{target}:", text("Makefile"), re.MULTILINE), f"{page}: make {target}"


def test_the_picture_is_the_programs_own_and_asks_for_nothing_elsewhere() -> None:
    picture = text("wiring_docs/demo.svg")
    assert "SIMULATED" in picture
    assert set(re.findall(r"https?://[^\s\"'<]+", picture)) <= {"http://www.w3.org/2000/svg"}
    assert re.findall(r"/(?:root|work|home|tmp)\b", picture) == []


def test_whose_it_is() -> None:
    plain = " ".join(text("README.md").split())
    assert (
        "It is not affiliated with the publisher of Mage Knight, and it contains none of the game's rules text or "
        "artwork." in plain
    )
    assert "[MIT licence](LICENSE)" in plain
    assert text("LICENSE").startswith("MIT License")


def test_the_commands_table_is_the_programs_own() -> None:
    (rows,) = tables("README.md", "command", "what it does")
    assert {row["command"].strip("`"): row["what it does"] for row in rows} == {
        f"trapdial {name}": summary for name, (_, summary) in COMMANDS.items()
    }


def test_the_changelog_knows_this_version() -> None:
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert f"## {version}" in text("CHANGELOG.md")


# ------------------------------------------------------------------------------------------------ command lines


def command_lines() -> list[str]:
    """Every trapdial line in a block of shell, and every one in the running text."""
    spans = {span for page in PAGES for span in re.findall(r"`(trapdial [^`]*)`", " ".join(prose(page).split()))}
    return sorted({*shell_lines(), *spans})


def shell_lines() -> list[str]:
    lines = {line for page in PAGES for block in blocks(page, "sh") for line in block.splitlines()}
    return sorted(line for line in lines if line.startswith("trapdial "))


def resolved(line: str) -> tuple[click.Command, list[str]]:
    """The command of a line, and the words behind it."""
    words_ = shlex.split(line.partition(" > ")[0])[1:]
    command: click.Command = main
    while isinstance(command, click.Group) and words_ and not words_[0].startswith("-"):
        found = command.get_command(click.Context(command), words_[0])
        assert found is not None, f"there is no command {words_[0]!r}: {line}"
        command, words_ = found, words_[1:]
    return command, words_


@pytest.mark.parametrize("line", command_lines())
def test_command_lines_exist(line: str) -> None:
    command, rest = resolved(line)
    known = {option for parameter in command.params for option in parameter.opts} | {"--help", "--version"}
    for word in rest:
        assert not word.startswith("-") or word.partition("=")[0] in known, line


@pytest.mark.parametrize("line", shell_lines())
def test_command_lines_can_be_parsed(line: str) -> None:
    command, rest = resolved(line)
    assert not isinstance(command, click.Group)
    with command.make_context(line, rest):
        pass


def all_commands(command: click.Command, *path: str) -> Iterator[tuple[str, ...]]:
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from all_commands(found, *path, name)


def test_every_command_has_help() -> None:
    for path in all_commands(main):
        result = CliRunner().invoke(main, [*path, "--help"])
        assert result.exit_code == 0, path
        assert result.output.startswith("Usage:")


@pytest.mark.parametrize("size", settings.EXAMPLES)
def test_the_examples_can_be_used(size: str, tmp_path: Path) -> None:
    example = CliRunner().invoke(main, ["settings", "example", size])
    (tmp_path / "trapdial.toml").write_text(example.output, encoding="utf-8")
    checked = CliRunner().invoke(main, ["settings", "check", str(tmp_path / "trapdial.toml")])
    assert checked.exit_code == 0, checked.output


def test_the_samples_are_good() -> None:
    checked = CliRunner().invoke(main, ["tables", "check", "sample:SAMPLE-A", "sample:SAMPLE-B"])
    assert checked.exit_code == 0, checked.output


def test_the_readmes_demo_plays_by_itself() -> None:
    (line,) = [line for line in blocks("README.md", "sh")[-1].splitlines() if "demo" in line]
    played = CliRunner().invoke(main, shlex.split(line)[1:])
    assert played.exit_code == 0, played.output
    viewers = {row.partition(" | ")[0].strip() for row in played.output.splitlines()}
    assert viewers >= {"seat ANN", "public", "referee", "log"}


# ------------------------------------------------------------------------------------------------------ wiring


HEADER_3V3, HEADER_5V, HEADER_GROUND = (1, 17), (2, 4), (6, 9, 14, 20, 25, 30, 34, 39)
HEADER_GPIO = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
    24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
"""Board pin -> GPIO of the Pi's 40-pin header."""
HEADER = {
    **dict.fromkeys(HEADER_3V3, ("3.3 V", "3.3")),
    **dict.fromkeys(HEADER_5V, ("5 V", "5")),
    **dict.fromkeys(HEADER_GROUND, ("ground", "0")),
    **{pin: (f"GPIO {gpio}", "3.3") for pin, gpio in HEADER_GPIO.items()},
}
BUS_LINES = {"/dev/i2c-1": (2, 3), "/dev/i2c-6": (22, 23), "/dev/i2c-4": (8, 9)}
"""SDA and SCL on a Pi 4, by the overlays' documentation."""

TABLES = {"wiring_docs/two_squares.md": "2x2", "wiring_docs/eight_squares.md": "8x4"}
each_table = pytest.mark.parametrize("page", TABLES)


def example(page: str) -> settings.Settings:
    return settings.load(settings.example_path(TABLES[page]))


def pi_rows(page: str) -> Rows:
    found = tables(page, "part", "its pin", "wire", "Pi pin", "Pi name", "volts")
    return [row for rows in found for row in rows]


def test_the_header_has_forty_pins() -> None:
    assert sorted(HEADER) == list(range(1, 41))
    assert sorted(HEADER_GPIO.values()) == list(range(28))
    for device, lines in BUS_LINES.items():
        known = {**settings_wiring.BUS_PINS, **settings_wiring.LIKELY_BUS_PINS}[device]
        assert set(lines) <= set(known)


@each_table
def test_a_pi_pin_is_what_the_page_calls_it(page: str) -> None:
    for row in pi_rows(page):
        assert HEADER[int(row["Pi pin"])] == (row["Pi name"], row["volts"]), row
        assert row["Pi name"] != "5 V"


def colour(row: Mapping[str, str]) -> str:
    plain = {"3.3 V": "red", "ground": "black"}.get(row["Pi name"])
    signal = {"SDA": "blue", "SCL": "yellow", "RESET": "white", "one leg": "green"}.get(row["its pin"], "orange")
    return plain or signal


@each_table
def test_a_wire_has_its_colour(page: str) -> None:
    for row in pi_rows(page):
        assert row["wire"] == colour(row), row


def wires(page: str) -> set[tuple[str, str, int]]:
    """(part, its pin, GPIO) of every signal wire to the Pi, from the example's settings."""
    read = example(page)
    wanted = set()
    for bus in read.buses.values():
        for mux in bus.mux:
            part = f"mux 0x{mux.address:02X}"
            wanted |= {(part, pin, gpio) for pin, gpio in zip(("SDA", "SCL"), BUS_LINES[bus.device], strict=True)}
            assert mux.reset_gpio is not None
            wanted.add((part, "RESET", mux.reset_gpio))
    for key, seat in read.seats.items():
        assert seat.screen is not None
        assert seat.lamp_gpio is not None
        part = f"screen {key} 0x{seat.screen.address:02X}"
        lines = BUS_LINES[read.buses[seat.screen.bus].device]
        wanted |= {(part, pin, gpio) for pin, gpio in zip(("SDA", "SCL"), lines, strict=True)}
        wanted.add((f"button {key}", "one leg", seat.button_gpio))
        wanted.add((f"lamp {key}", "long leg, through 330 Ohm", seat.lamp_gpio))
    return wanted


@each_table
def test_the_wires_agree_with_the_example(page: str) -> None:
    rows = [row for row in pi_rows(page) if row["Pi name"].startswith("GPIO")]
    drawn = [(row["part"], row["its pin"], int(row["Pi name"].removeprefix("GPIO "))) for row in rows]
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == wires(page)


@each_table
def test_every_part_has_its_power(page: str) -> None:
    for part in {part for part, _, _ in wires(page)}:
        names = {row["Pi name"] for row in pi_rows(page) if row["part"] == part}
        assert "ground" in names, part
        assert "3.3 V" in names or part.startswith(("button", "lamp")), part


@each_table
def test_the_tiles_agree_with_the_example(page: str) -> None:
    (rows,) = tables(page, "square", "encoder pin", "wire", "mux pin", "volts")
    assert [tuple(row.values()) for row in rows] == [
        (label, line, wire, f"{pin}{square.channel}", "3.3")
        for label, square in example(page).squares.items()
        for line, wire, pin in (("SDA", "blue", "SD"), ("SCL", "yellow", "SC"))
    ]


@each_table
def test_the_parts_suffice(page: str) -> None:
    (rows,) = tables(page, "how many", "part")
    count = {row["part"].split(",")[0].split(" ")[0]: int(row["how many"]) for row in rows if "kOhm" not in row["part"]}
    read = example(page)
    squares, seats = len(read.squares), len(read.seats)
    assert (count["AS5600"], count["magnet"], count["lead"]) == (squares, squares, squares)
    assert (count["OLED"], count["button"], count["LED"]) == (seats, seats, seats)
    assert count["TCA9548A"] == sum(len(bus.mux) for bus in read.buses.values())


@each_table
def test_config_txt_sets_the_speeds_of_the_example(page: str) -> None:
    wanted = set()
    for bus in example(page).buses.values():
        number = bus.device.rpartition("-")[2]
        arm = f"dtparam=i2c_arm=on,i2c_arm_baudrate={bus.speed_hz}"
        wanted.add(arm if number == "1" else f"dtoverlay=i2c{number},baudrate={bus.speed_hz}")
    (block,) = blocks(page, "ini")
    assert set(block.splitlines()) == wanted


# ------------------------------------------------------------------------------------------ the card, the story


def test_the_card_is_the_lamps_own() -> None:
    (block,) = blocks("wiring_docs/card.md", "text")
    assert block.strip() == card(words("en")).strip()


def test_bits_on_the_wire() -> None:
    (rows,) = tables("wiring_docs/story_of_a_click.md", "what", "bits")
    register = Write(0x36, b"\x0c")
    assert [int(row["bits"]) for row in rows] == [
        wire_bits((Write(0x70, b"\x01"),)),
        wire_bits((Read(0x36, 2),)),
        wire_bits((register, Read(0x36, 2))),
        wire_bits((register, Read(0x36, 3))),
    ]


# ------------------------------------------------------------------------------------------------ table words


WORDS_PAGE = "wiring_docs/table_words.md"


def test_the_words_are_what_help_prints() -> None:
    (block,) = blocks(WORDS_PAGE, "text")
    assert block.splitlines() == [f"{usage}: {meaning}" for usage, meaning in USAGE.values()]


def test_every_word_is_explained() -> None:
    heads = " ".join(re.findall(r"^### (.+)$", text(WORDS_PAGE), re.MULTILINE)).replace(" and ", " ").split()
    assert sorted(heads) == sorted(set(USAGE) - {"help"})


def diagram() -> list[str]:
    """The life of a square as mermaid draws it, from the program's own transitions."""
    lines = ["stateDiagram-v2", *(f'    state "{state.value}" as {state.name}' for state in SquareState)]
    lines.append(f"    [*] --> {SquareState.CONCEALED.name}")
    for (before, happening), (after, rule) in TRANSITIONS.items():
        lines.append(f"    {before.name} --> {after.name}: {happening.value} ({rule})")
    return lines


def test_the_diagram_is_drawn_from_the_transitions() -> None:
    (block,) = blocks(WORDS_PAGE, "mermaid")
    assert block.splitlines() == diagram()


def findings() -> set[tuple[str, str]]:
    """(rule id, words) of every verdict in pi_app/audit.py."""
    tree = ast.parse(text("pi_app/audit.py"))
    said = {
        target.id: node.value.args[0].value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if isinstance(target := node.targets[0], ast.Name) and isinstance(node.value.args[0], ast.Constant)
    }
    found = set()
    for node in ast.walk(tree):
        pair = node.args if isinstance(node, ast.Call) else node.elts if isinstance(node, ast.Tuple) else []
        match pair:
            case [ast.Constant(value=str(rule)), ast.Name(id=name), *_] if name in said:
                found.add((rule, str(said[name])))
            case _:
                pass
    assert {verdict for _, verdict in found} == set(said.values())
    return found


def test_every_finding_is_explained_with_its_rule() -> None:
    (rows,) = tables(WORDS_PAGE, "rule", "the finding", "what it means, and what to do")
    anyway = {(", ".join(rules), words) for words, rules in FOUND.items()}
    assert {(row["rule"], row["the finding"]) for row in rows} == findings() | anyway
    assert all(row["what it means, and what to do"] for row in rows)


# ------------------------------------------------------------------------------------------ doctor, bench, demo


@pytest.fixture
def small_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the small example's settings, as a reader of the pages has it."""
    monkeypatch.chdir(tmp_path)
    Path("trapdial.toml").write_text(settings.example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")


def said(line: str) -> list[str]:
    """What a documented command line prints, errors' output included."""
    return CliRunner().invoke(main, shlex.split(line)[1:]).output.splitlines()


@pytest.mark.usefixtures("small_table")
def test_the_healthy_table_looks_like_that() -> None:
    assert set(blocks("wiring_docs/doctor.md", "text")[0].splitlines()) <= set(said("trapdial doctor --simulated"))


@pytest.mark.usefixtures("small_table")
def test_broken_twins_read_like_that() -> None:
    lines = [line for line in blocks("wiring_docs/doctor.md", "sh")[2].splitlines() if "--fault" in line]
    wanted = blocks("wiring_docs/doctor.md", "text")[1].splitlines()
    for line, told in zip(lines, wanted, strict=True):
        assert told in said(line), line


@pytest.mark.usefixtures("small_table")
def test_calibrating_says_that() -> None:
    (told,) = blocks("wiring_docs/calibrate.md", "text")
    lines = said("trapdial calibrate --simulated --auto --square T01")
    assert without_numbers(told.strip()) in [without_numbers(line) for line in lines]


def without_numbers(line: str) -> str:
    """Degrees of a simulated magnet are nobody's promise."""
    return re.sub(r"[0-9]+\.[0-9]", "#", line)


@pytest.mark.usefixtures("small_table")
def test_a_recording_can_be_decoded() -> None:
    page = "wiring_docs/traces.md"
    (record,) = [line for line in command_lines() if line.startswith("trapdial record --simulated")]
    said(record)
    header = Path("t01.csv").read_text(encoding="ascii").splitlines()[0]
    (rows,) = tables(page, "column", "what")
    assert [row["column"].strip("`") for row in rows] == header.split(",")
    assert blocks(page, "sh")[0].splitlines() == [record.replace("--simulated ", ""), "trapdial decode t01.csv"]
    assert any(" clicks (" in line for line in said("trapdial decode t01.csv"))


def test_every_bench_is_told() -> None:
    (rows,) = tables("wiring_docs/bench.md", "command", "what it measures")
    bench, _ = resolved("trapdial bench")
    assert isinstance(bench, click.Group)
    assert sorted(row["command"].strip("`").split()[-1] for row in rows) == sorted(bench.commands)


def test_the_demos_keys_are_its_own() -> None:
    (rows,) = tables("wiring_docs/demo.md", "key", "what it does")
    assert [(row["key"], row["what it does"]) for row in rows] == [(key.shown, key.help) for key in KEYS if key.help]


# -------------------------------------------------------------------------------------------------- rule ids


RULE = re.compile(r"\b(?:[TEARDF]-[A-Z]{1,6}|AR-[A-Z]{1,6}|[SGPLQ])-[0-9]+\b")


def test_rule_ids_are_those_that_the_code_cites() -> None:
    cited: set[str] = set()
    for room in ("hardware", "firmware_host", "pi_app", "tests"):
        for file in [*(ROOT / room).rglob("*.py"), *(ROOT / room).rglob("*.toml")]:
            cited |= set(RULE.findall(file.read_text(encoding="utf-8")))
    explained = re.findall(rf"^- \*\*({RULE.pattern})\*\*: \S.*$", text("wiring_docs/rule_ids.md"), re.MULTILINE)
    assert len(explained) == len(set(explained))
    assert sorted(explained) == sorted(cited)


@pytest.mark.parametrize("page", PAGES)
def test_pages_cite_no_other_rules(page: str) -> None:
    assert set(RULE.findall(text(page))) <= set(RULE.findall(text("wiring_docs/rule_ids.md")))


# -------------------------------------------------------------------------------------------------- settings


SECTIONS: Mapping[str, type[msgspec.Struct]] = {
    "`[table]`": settings.TableSettings,
    "`[ruleset]`": Ruleset,
    "`[artifacts]`": settings.ArtifactSettings,
    "`[wiring]`": WiringSettings,
    "`[bus.NAME]`": settings.BusSettings,
    "`[[bus.NAME.mux]]`": settings.MuxSettings,
    "`[hub.NAME]`": HubSettings,
    "`[square.LABEL]`": settings._SquareRow,
    "`[seat.KEY]`": settings._SeatRow,
    "`[seat.KEY.lamp]`": settings.LampSettings,
    "`[seat.KEY.screen]`": settings.ScreenSettings,
}
HAVE_SECTIONS = {"mux", "lamp", "screen"}
"""Of [bus.NAME] and [seat.KEY]: they are sections of their own."""


def test_every_section_of_the_settings_has_a_table() -> None:
    heads = re.findall(r"^## (`.+`)$", text("wiring_docs/settings.md"), re.MULTILINE)
    assert heads == list(SECTIONS)


@pytest.mark.parametrize(("section", "number"), [(section, number) for number, section in enumerate(SECTIONS)])
def test_settings_are_told_key_by_key(section: str, number: int) -> None:
    rows = tables("wiring_docs/settings.md", "key", "meaning", "unit", "default", "must be")[number]
    kind = SECTIONS[section]
    hints = get_type_hints(kind, include_extras=True)
    fields = {
        field.name: field
        for field in msgspec.structs.fields(kind)
        if field.name not in HAVE_SECTIONS or kind is settings._SquareRow or kind is settings.ScreenSettings
    }
    assert sorted(row["key"].strip("`") for row in rows) == sorted(fields)
    for row in rows:
        field = fields[row["key"].strip("`")]
        assert row["meaning"]
        assert row["must be"] == userfile._wanted(hints[field.name]), field.name
        assert default(row["default"]) == (REQUIRED if field.required else field.default), field.name


REQUIRED = object()


def default(cell: str) -> Any:
    if cell in ("required", "none"):
        return REQUIRED if cell == "required" else None
    return tomllib.loads(f"value = {cell.strip('`')}")["value"]


# --------------------------------------------------------------------------------------------------- journal


def test_the_journals_columns_are_told() -> None:
    (rows,) = tables("wiring_docs/journal.md", "column", "what")
    columns = re.findall(r"^    (\w+) +(?:INTEGER|TEXT|BLOB)", journal.SCHEMA, re.MULTILINE)
    assert [row["column"].strip("`") for row in rows] == columns


def test_the_kinds_of_entries_are_told() -> None:
    (sentence,) = re.findall(r"^The kinds: (.*?)\.$", text("wiring_docs/journal.md"), re.MULTILINE | re.DOTALL)
    assert re.findall(r"`([^`]+)`", sentence) == [kind.__struct_config__.tag for kind in get_args(AnyEvent)]


# -------------------------------------------------------------------------------------------------- troubles


@cache
def strings() -> str:
    """Every text in the source, one per line."""
    found = []
    for room in ("hardware", "firmware_host", "pi_app"):
        for file in (ROOT / room).rglob("*.py"):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            found += [
                " ".join(node.value.split())
                for node in ast.walk(tree)
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            ]
    return "\n".join(found)


def messages() -> list[str]:
    quoting = text("wiring_docs/troubles.md") + text("wiring_docs/calibrate.md")
    quotes = re.findall(r"(?:^> .*\n?)+", quoting, re.MULTILINE)
    return [" ".join(quote.replace("> ", " ").split()) for quote in quotes]


def fragments(message: str) -> list[str]:
    """What of a message is fixed: without *yours*, cut where the program puts its four parts together."""
    cuts = r"(?<!\\)\*(?:[^*\\]|\\.)*\*|: (?=mux)|\. (?=[A-Z])|\. (?=\*)|\((?:file|header)\)|\): "
    return [piece for part in re.split(cuts, message) if (piece := part.strip(" .:;(),"))]


def test_there_are_messages_to_compare() -> None:
    assert len(messages()) > 25
    assert fragments("dial *T03* (*x, y*) gave no answer (*errno 121*). Check its plug.") == [
        "dial", "gave no answer", "Check its plug",
    ]  # fmt: skip


@pytest.mark.parametrize("message", messages())
def test_messages_are_the_programs_own(message: str) -> None:
    pieces = fragments(message)
    assert pieces
    for piece in pieces:
        assert piece in strings(), piece


def test_seats_sentences_are_the_programs_own() -> None:
    said = set()
    for attention in Attention:
        picture = seat_says(attention, words("en"))
        said |= {" ".join(picture.lines)} if isinstance(picture, Say) else set()
    (rows,) = tables("wiring_docs/troubles.md", "the screen says", "do this")
    assert {row["the screen says"] for row in rows} <= said


# ---------------------------------------------------------------------------------------------------- traces


def test_the_example_trace_gives_the_example_turns(tmp_path: Path) -> None:
    (trace,) = blocks("wiring_docs/traces.md", "csv")
    (wanted,) = blocks("wiring_docs/traces.md", "json")
    (line,) = blocks("wiring_docs/traces.md", "sh")[-1].splitlines()
    (tmp_path / "trace.csv").write_text(trace, encoding="utf-8")
    arguments = line.replace("trace.csv", str(tmp_path / "trace.csv")).split()[1:]
    decoded = CliRunner().invoke(main, arguments)
    assert decoded.exit_code == 0, decoded.output
    assert decoded.stdout == wanted
