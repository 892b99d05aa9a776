"""A stranger sends a journal, a table file or a file's name with escape sequences, invisible letters and changes of
the writing direction. He wants them to reach a terminal, a page or a spreadsheet: to set the window's title, to hide a
line, to turn NOT PROVEN into GENUINE, to run a formula or a script.

Every command is tried, also one that is added later: it fails here until it has a case.
"""

from __future__ import annotations

import ast
import csv
import html as html_entities
import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import click
import msgspec
import pytest
from click.testing import CliRunner, Result
from markdown_it import MarkdownIt

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.dials.calibration import Calibration, dump
from pi_app.game import events as ev
from pi_app.game.trap_table_file import sample_path
from pi_app.journal.cosigned import PinnedWitness, pin
from pi_app.journal.record.checkpoints import cosign, signed_checkpoint
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import COSIGNS, SIGNS_NOTES, VerifierKey
from pi_app.rooms.settings import example
from pi_app.settings.load import example_path
from tests.attack.dirty import ARGUMENT, BIDI, DIRTY, NAME, RED, ROOT, TITLE, environment, raw_files, raw_letters
from tests.pi_app.audit.records import write
from tests.pi_app.games import EVERY_KIND, exposes, rolled, started, turned
from tests.terminal import Terminal

VISIBLE = "<b>=*[x](y)|&`"
"""A name that every check of a settings file accepts: HTML, Markdown, and a formula."""


def leaves(command: click.Command, *path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something."""
    if isinstance(command, click.Group):
        for name in command.list_commands(click.Context(command)):
            found = command.get_command(click.Context(command), name)
            assert found is not None
            yield from leaves(found, *path, name)
    if not isinstance(command, click.Group) or command.invoke_without_command:
        yield " ".join(path), command


ALL = dict(leaves(main))

SETTINGS = f"{NAME}.toml"
JOURNAL = f"{NAME}.db"

WITNESS_KEY = device_key(b"k" * 32)
WITNESS = VerifierKey(f"{BIDI}\x9b31m{VISIBLE}", COSIGNS, WITNESS_KEY.public)
LOG = VerifierKey(f"{BIDI}\x9b31m{VISIBLE}", SIGNS_NOTES, b"k" * 32)
"""A stranger's keys under a name that signed notes allow."""

NOWHERE = "http://127.0.0.1:1/"
CENTRE = "centre/centre.toml"
PROGRAM = ["--program", "/opt/trapdial/bin/trapdial"]
"""Where the tests lie is not where a station may."""

CASES: dict[str, list[list[str]]] = {
    "play": [
        ["-s", SETTINGS, "--simulated", "--unchecked", "--new", "--journal", f"{NAME}2.db"],
        ["-s", "refused.toml"],
        ["-s", SETTINGS, "--journal", JOURNAL],
    ],
    "demo": [
        ["-s", SETTINGS, "--auto", "--exposes", "1", "--streams", f"{NAME}.streams", "--journal", f"{NAME}3.db"],
        ["--fault", ARGUMENT], ["--language", ARGUMENT], [ARGUMENT], ["--tables", "refused_table.toml"],
    ],
    "station play": [
        ["-s", SETTINGS, "--simulated", "--journal", f"{NAME}4.db"], ["-s", "refused.toml"],
        ["-s", SETTINGS, "--journal", JOURNAL],
    ],
    "docs": [["--man"], [ARGUMENT], ["journal#" + ARGUMENT]],
    "place check": [
        ["map.txt"], ["refused_map.txt"], [f"{NAME}.txt", "--json"], [f"{NAME}.txt", "-o", f"{NAME}.svg"], [ARGUMENT],
    ],
    "place new": [[f"{NAME}.new.txt"], [f"{NAME}.txt"]],
    "rules convert": [["2", "figures", "50", "points", "--pool", file] for file in ("pool.toml", "refused_pool.toml")],
    "rooms audit": [["rooms.db"], ["rooms.db", "--json"], [JOURNAL], [ARGUMENT]],
    "rooms demo": [["-s", f"{NAME}.rooms.toml"], ["-s", "refused.toml"], ["--language", ARGUMENT]],
    "rooms example": [[]],
    "rooms play": [[f"{NAME}.rooms.toml"], ["-s", "refused.toml"], [ARGUMENT]],
    "settings check": [["-s", SETTINGS], ["-s", "refused.toml"], ["-s", "refused.toml", "--json"], [ARGUMENT]],
    "settings example": [["starter"], [ARGUMENT]],
    "settings new": [["-o", f"{NAME}.new_settings.toml"], [], ["--pi", ARGUMENT], ["-o", SETTINGS]],
    "tables check": [[f"{NAME}.table.toml"], ["refused_table.toml"], ["--json", "refused_table.toml"], [ARGUMENT]],
    "tables faces": [
        [f"{NAME}.table.toml", "-o", f"{NAME}.faces.svg", "--full"], ["refused_table.toml", "-o", "x.svg"],
        ["sample:SAMPLE-A", "-o", ARGUMENT], ["sample:SAMPLE-A", "-o", "x.svg", "--language", ARGUMENT],
    ],
    "tables new": [[f"{NAME}.new.toml"], [SETTINGS]],
    "tables show": [[f"{NAME}.table.toml"], ["refused_table.toml"], [ARGUMENT, "--journal", JOURNAL]],
    "wiring": [
        ["-s", SETTINGS, "--check"], ["-s", SETTINGS, "--check", "--json"], ["-s", SETTINGS, "-o", f"{NAME}.wiring"],
        ["-s", "refused.toml", "--check"],
    ],
    "pages cards": [
        ["-s", "pages.toml", "-o", f"{NAME}.cards"], ["-s", "pages.toml", "-o", f"{NAME}.cards"],
        ["-s", SETTINGS], ["-s", "refused.toml"], ["-s", "pages.toml", "-o", ARGUMENT],
    ],
    "pages network": [
        ["-s", "pages.toml"], ["-s", "pages.toml", "--install", "--root", "."], ["--remove", "--root", "."],
        ["-s", SETTINGS], ["-s", "refused.toml"], ["--remove", "--root", ARGUMENT],
    ],
    "station display": [["--glyphs", ARGUMENT], [ARGUMENT]],
    "station install": [
        ["--dry-run", "--root", ".", "-s", "pages.toml", *PROGRAM],
        ["--dry-run", "--root", ".", "-s", "refused.toml", *PROGRAM], ["--root", ".", "--program", ARGUMENT],
        ["--root", ARGUMENT], ["--root", ".", "-s", ARGUMENT],
    ],
    "station update": [[ARGUMENT], [SETTINGS], ["."]],
    "station remove": [["--root", "."], ["--root", ARGUMENT], ["--root", ".", "--dry-run"]],
    "station sheet": [
        ["-s", "pages.toml", "-o", f"{NAME}.sheet"], ["-s", "pages.toml", "-o", f"{NAME}.sheet"],
        ["-s", SETTINGS, "--with-pin"], ["-s", "refused.toml"], ["-s", "pages.toml", "-o", ARGUMENT],
    ],
    "doctor": [
        ["-s", SETTINGS, "--simulated", "--seconds", "0.1", "-o", f"{NAME}.doctor.svg"], ["-s", "refused.toml"],
        ["-s", SETTINGS, "--simulated", "--seconds", "0.1", "--json", "--fault", f"T01={ARGUMENT}"],
        ["-s", SETTINGS, "--simulated", "--fault", ARGUMENT],
    ],
    "calibrate": [
        ["-s", SETTINGS, "--square", "T01", "--simulated", "--auto", "-o", f"{NAME}.calibration.toml"],
        ["-s", SETTINGS, "--square", ARGUMENT], ["-s", "refused.toml"], ["-s", SETTINGS, "--plot", ARGUMENT],
        ["-s", SETTINGS, "-o", "refused_calibration.toml", "--known", "--plot", "x.svg"],
    ],
    "hub decode": [[], [ARGUMENT]],
    "hub diag": [[ARGUMENT], ["--port", ARGUMENT], ["-s", "refused.toml"]],
    "hub install": [[ARGUMENT], ["-s", "refused.toml", "--board-file", SETTINGS]],
    "hub list": [["--port", ARGUMENT], ["--json", "--port", ARGUMENT]],
    "hub monitor": [[ARGUMENT], ["--angles", "-s", ARGUMENT, "--port", ARGUMENT]],
    "hub reset": [[ARGUMENT], ["--port", ARGUMENT]],
    "extras": [[], [ARGUMENT]],
    "extras install": [[ARGUMENT]],
    "completion": [["bash"], [ARGUMENT]],
    "journal delete": [[JOURNAL, "g1", "--yes"], [JOURNAL, ARGUMENT], [JOURNAL, "g1"], [ARGUMENT, "g1"]],
    "journal export": [[JOURNAL], [JOURNAL, "-o", f"{NAME}.jsonl"], [JOURNAL, "--witness", ARGUMENT], [ARGUMENT]],
    "journal head": [[JOURNAL], [JOURNAL, "--json"], [JOURNAL, "--checkpoint"], [SETTINGS], [SETTINGS, "--checkpoint"]],
    "journal keys": [[JOURNAL], [ARGUMENT], [JOURNAL, "--move-to", f"{NAME}.keys"], [SETTINGS]],
    "journal merge": [
        [JOURNAL, "open.db", "-o", f"{NAME}.archive.db"], [JOURNAL, JOURNAL, "-o", SETTINGS], [ARGUMENT, "-o", "x"],
    ],
    "journal verify": [
        [JOURNAL, "open.db", "damaged.db"], ["--json", JOURNAL], [JOURNAL, "--witness", SETTINGS], [ARGUMENT],
    ],
    "journal witness add": [
        [WITNESS.text(), "https://witness.example/", "--journal", JOURNAL],
        [WITNESS.text(), ARGUMENT, "--journal", JOURNAL], [ARGUMENT, "--journal", JOURNAL],
        [WITNESS.text(), "--journal", SETTINGS], [WITNESS.text(), "--journal", ARGUMENT],
    ],
    "journal witness key": [["--journal", JOURNAL], ["--journal", SETTINGS], ["--journal", ARGUMENT]],
    "journal witness list": [["--journal", JOURNAL], ["--json", "--journal", JOURNAL], ["--journal", ARGUMENT]],
    "journal witness remove": [[WITNESS.name, "--journal", JOURNAL], [ARGUMENT, "--journal", JOURNAL]],
    "journal witness take": [
        ["notes.cosigned", "--journal", JOURNAL], [SETTINGS, "--journal", JOURNAL], [ARGUMENT, "--journal", JOURNAL],
    ],
    "journal enrol": [
        ["CODE", "--to", NOWHERE, "--key", WITNESS.text(), "--journal", JOURNAL],
        [ARGUMENT, "--to", ARGUMENT, "--key", ARGUMENT], ["CODE", "--to", NOWHERE, "--key", ARGUMENT],
    ],
    "journal hand-over": [
        ["--to", NOWHERE, "--key", WITNESS.text(), "--journal", "none.db"], ["-s", "refused.toml"],
        ["--to", ARGUMENT, "--key", ARGUMENT], ["--to", NOWHERE, "--key", WITNESS.text(), "--authority", ARGUMENT],
    ],
    "centre new": [
        [f"{NAME}.centre", "--name", "x/c"], [ARGUMENT], ["c1", "--name", ARGUMENT], ["c2", "--listen", ARGUMENT],
        ["c3", "--store", ARGUMENT], ["c4", "--store", f"postgresql://{ARGUMENT}@127.0.0.1:1/x"],
    ],
    "centre run": [["-s", CENTRE, "--print-unit"], ["-s", "refused.toml"], ["-s", ARGUMENT]],
    "centre enrol": [
        [VISIBLE, "--shop", VISIBLE, "-s", CENTRE], [VISIBLE, "--json", "-s", CENTRE], [ARGUMENT, "-s", CENTRE],
        ["x", "--shop", ARGUMENT, "-s", CENTRE],
    ],
    "centre revoke": [[VISIBLE, "-s", CENTRE], [VISIBLE, "--json", "-s", CENTRE], [ARGUMENT, "-s", CENTRE]],
    "centre take": [
        ["brought.jsonl", "--enrol", VISIBLE, "--shop", VISIBLE, "-s", CENTRE], [SETTINGS, "-s", CENTRE],
        ["brought.jsonl", "--enrol", ARGUMENT, "-s", CENTRE], [ARGUMENT, "-s", CENTRE],
    ],
    "centre clock": [["-s", CENTRE], ["--json", "-s", CENTRE], ["--accept", "-s", CENTRE], ["-s", ARGUMENT]],
    "centre status": [["-s", CENTRE], ["--json", "-s", CENTRE], ["-s", "refused.toml"]],
    "centre tables": [["-s", CENTRE], ["--json", "-s", CENTRE], ["-s", ARGUMENT]],
    "centre games": [
        ["-s", CENTRE], ["--json", "-s", CENTRE], ["g1", "-s", CENTRE], ["g1", "--json", "-s", CENTRE],
        [ARGUMENT, "-s", CENTRE], ["--table", ARGUMENT, "-s", CENTRE],
    ],
    "centre findings": [["-s", CENTRE], ["--json", "-s", CENTRE], ["-s", "refused.toml"]],
    "centre export": [
        ["exports", "-s", CENTRE], [f"{NAME}.exports", "--shop", VISIBLE, "--json", "-s", CENTRE],
        ["x", "--shop", ARGUMENT, "-s", CENTRE], ["x", "--since", ARGUMENT, "-s", CENTRE],
    ],
    "centre reader add": [
        [f"{VISIBLE}2", "--role", "shop", "--shop", VISIBLE, "-s", CENTRE],
        [ARGUMENT, "--role", "auditor", "-s", CENTRE], [VISIBLE, "--role", "shop", "--shop", ARGUMENT, "-s", CENTRE],
    ],
    "centre reader list": [["-s", CENTRE], ["--json", "-s", CENTRE], ["-s", "refused.toml"]],
    "centre demo": [["--tables", "1", "--sqlite", "--auto", "--no-browser"], ["--port", ARGUMENT]],
    "centre log key": [["-s", CENTRE], ["-s", "refused.toml"]],
    "centre log status": [["-s", CENTRE], ["--json", "-s", CENTRE], ["-s", ARGUMENT]],
    "centre log verify": [
        [NOWHERE, "--key", LOG.text()], [ARGUMENT, "--key", LOG.text()], [NOWHERE, "--key", ARGUMENT],
        [NOWHERE, "--key", LOG.text(), "--witness-key", ARGUMENT],
        [NOWHERE, "--key", LOG.text(), "--journal", ARGUMENT],
    ],
    "audit": [
        [JOURNAL, "--rules", "--stats"], [JOURNAL, "--json", "--stats"], [JOURNAL, "--csv"], ["damaged.db"],
        ["open.db"],
        [JOURNAL, "-o", f"{NAME}.html", "--sign"], [ARGUMENT], [JOURNAL, "--witness", ARGUMENT],
    ],
    "audit verify": [["signed.html", "--journal", JOURNAL], [SETTINGS], [ARGUMENT], ["forged.html"]],
    "replay": [
        [JOURNAL, "--lines"], [JOURNAL, "--json"], [JOURNAL, "--as", "public"], [JOURNAL, "--as", "ANN"],
        ["damaged.db"],
        [JOURNAL, "--as", "referee"], [JOURNAL, "--as", ARGUMENT], [JOURNAL, "--as", "ANN", "--until", ARGUMENT],
        [JOURNAL, "--as", "ANN", "-o", f"{NAME}.png"], [ARGUMENT], [JOURNAL, "--as", "log"],
    ],
    "record": [
        ["-s", SETTINGS, "--simulated", "--seconds", "0.2", "-o", f"{NAME}.csv"], ["-s", "refused.toml", "-o", "x.csv"],
        ["-s", SETTINGS, "-o", "x.csv", "--square", ARGUMENT],
    ],
    "decode": [
        ["trace.csv"], [f"{NAME}.trace.csv"], ["refused_trace.csv"], [ARGUMENT],
        ["trace.csv", "--calibration", "refused_calibration.toml"],
        ["trace.csv", "--calibration", "calibration.toml", "--square", ARGUMENT],
    ],
    **{f"bench {name}": [["--strict", ARGUMENT]] for name in (
        "centre", "clicks", "cpu", "hub", "journal", "latency", "memory", "pages", "peers", "scan", "soak", "start",
        "wiring")},
}  # fmt: skip
"""What is typed after each command. The files are made by `fill`."""

ONLY_REFUSED = {
    "centre run",
    "extras install",
    "hub diag",
    "hub install",
    "hub monitor",
    "hub reset",
    "station display",
    "station update",
}
"""Commands that need a board, a station or a network, or a folder that a unit can name: here they get no further than a
message."""

TYPED = b"help\n" + DIRTY.encode(errors="surrogatepass") + b"\nab\xff\nclaim <b>\nwarrior x\nsim x\nquit\n"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A stranger's files."""
    folder = tmp_path_factory.mktemp("stranger")
    fill(folder)
    return folder


@pytest.fixture
def folder(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a hostile name and a stranger's files in it."""
    folder = tmp_path / NAME
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    return folder


def fill(folder: Path) -> None:
    good = example_path("2x2").read_text(encoding="utf-8")
    named = renamed(good, VISIBLE).replace(f'name = "{VISIBLE}"', f'name = "{VISIBLE}2"', 2)
    named, sample = (
        named.replace(f'name = "{VISIBLE}2"', f'name = "{VISIBLE}"', 1),
        sample_path("SAMPLE-12").read_text(encoding="utf-8"),
    )
    escaped = "".join(f"\\u{ord(letter):04x}" for letter in TITLE + RED + BIDI)
    toml = {
        SETTINGS: named,
        "pages.toml": named + f"\n[pages]\naddress = '10.77.0.1'\nnetwork = '{VISIBLE}'\npassphrase = '{VISIBLE}'\n"
        "\n[station]\nlanguages = ['en', 'de']\n",
        "refused.toml": renamed(good, escaped) + f'\n["{escaped}"]\n"{escaped}" = 1\n',
        "pool.toml": f'[[figure]]\nname = "{VISIBLE}"\npoints = 10\n',
        "refused_pool.toml": f'[[figure]]\nname = "{escaped}"\npoints = 10\n"{escaped}" = 1\n',
        f"{NAME}.table.toml": renamed(sample, VISIBLE),
        "refused_table.toml": renamed(sample, escaped),
        f"{NAME}.rooms.toml": example().replace('name = "Ann"', f'name = "{VISIBLE}"'),
        "refused_calibration.toml": f'["{escaped}"]\n"{escaped}" = 1\n',
        "calibration.toml": dump(
            {"T01": Calibration(12, 4096, False, tuple(range(0, 4092, 341)), (1,) * 12, (9,) * 12)}
        ),
        "map.txt": "players: 2\nmap:\n....T\n",
        f"{NAME}.txt": "players: 2\nmap:\n....T\n",
        "refused_map.txt": f"players: 2\n{TITLE}{BIDI}: x\nmap:\n..{RED}..T\n",
        f"{NAME}.trace.csv": f"t_ns,raw\n0,1\n1,{RED}{BIDI}\n",
        "refused_trace.csv": f"{TITLE},{BIDI}\n",
        "trace.csv": "t_ns,raw\n0,1\n",
        "forged.html": f'<meta name="trapdial-journal" content="{"0" * 64} {TITLE}{BIDI}">',
    }
    for name, text in toml.items():
        (folder / name).write_text(text, encoding="utf-8")
    begun, played = hostile_game()
    write(folder / JOURNAL, *played, ev.Ended(), begin=begun)
    write(folder / "open.db", *played, begin=begun)
    pin(folder / JOURNAL, PinnedWitness(key=WITNESS.text()))
    head, device = jn.head(folder / JOURNAL), jn.keys_of(folder / JOURNAL).known_device()
    assert device is not None
    note = signed_checkpoint(device, head.size, head.root)
    note = replace(note, signatures=(*note.signatures, cosign(WITNESS_KEY, WITNESS.name, note.text, 1_000)))
    (folder / "notes.cosigned").write_text(json.dumps({"notes": [note.written()]}), encoding="utf-8")
    CliRunner().invoke(main, ["centre", "new", str(folder / "centre"), "--name", VISIBLE])
    key = VerifierKey(VISIBLE, COSIGNS, b"k" * 32).text()
    with (folder / CENTRE).open("a", encoding="utf-8") as centre:
        centre.write(f"\n[own_log]\norigin = '{VISIBLE}'\n[[own_log.witness]]\nkey = '{key}'\n")
        centre.write("address = 'https://w.example/'\n")
    CliRunner().invoke(
        main, ["journal", "export", str(folder / JOURNAL), "--for-centre", "-o", str(folder / "brought.jsonl")]
    )
    CliRunner().invoke(
        main, ["centre", "take", str(folder / "brought.jsonl"), "--enrol", f"{VISIBLE}2", "-s", str(folder / CENTRE)]
    )
    CliRunner().invoke(main, ["centre", "enrol", VISIBLE, "-s", str(folder / CENTRE)])
    CliRunner().invoke(main, ["centre", "reader", "add", VISIBLE, "--role", "auditor", "-s", str(folder / CENTRE)])
    CliRunner().invoke(
        main,
        ["rooms", "demo", "-s", str(folder / f"{NAME}.rooms.toml"), "--journal", str(folder / "rooms.db")],
        input="end game\n",
    )
    CliRunner().invoke(main, ["audit", str(folder / JOURNAL), "--sign", "-o", str(folder / "signed.html")])
    data = (folder / JOURNAL).read_bytes()
    (folder / "damaged.db").write_bytes(data.replace(b"claimed", b"c\x1b[31md"))


def renamed(text: str, name: str) -> str:
    return re.sub(r'(?m)^name = "[^"]*"', lambda _: f'name = "{name}"', text)


def hostile_game() -> tuple[ev.Started, tuple[ev.AnyEvent, ...]]:
    """An honest game whose names are not: no settings allow them, but a stranger writes his own journal."""
    begun = started(EVERY_KIND, EVERY_KIND)
    ann, ben = begun.seats
    begun = msgspec.structs.replace(
        begun,
        table_name=f"=cmd|{TITLE}<script>",
        seats=(
            msgspec.structs.replace(ann, name=f"{RED}{BIDI}\nBen"),
            msgspec.structs.replace(ben, name="\x9b31m<b>|*x*"),
        ),
    )
    return begun, (
        ev.SetupChecked(stands={"T01": 0, "T02": 0}, raws={"T01": 10, "T02": None}),
        *exposes("T01", 3, "ANN"),
        rolled(4),
        rolled(3),
        ev.Looked(seat="ANN", square="T01"),
        turned("T02", 8),
        ev.Exposed(seat="BEN", square="T01", grade="table"),
        ev.DialLost(square="T02", trouble=f"{TITLE}\u202e"),
        ev.DialBack(square="T02", unseen_s=2.5),
        ev.Triggered(seat="ANN", square="T02", cause="entered", figure=f"{RED}\u2066x"),
        ev.Moved(square="T02", verb="enter", who="BEN", added=("flying",), numbers=(2, 3), speed=1, anyway=True),
    )


def run(*words: str, typed: bytes = TYPED) -> Result:
    """Run a command as on a terminal: click then lets colours through."""
    return CliRunner().invoke(main, list(words), input=typed, prog_name="trapdial", color=True)


def test_every_command_has_a_case() -> None:
    assert set(CASES) == set(ALL)


@pytest.mark.parametrize("path", CASES)
def test_nothing_raw_is_printed_or_written(path: str, folder: Path) -> None:
    for number, words in enumerate(CASES[path]):
        done = run(*path.split(), *words)
        works = done.exit_code in (0, 1, 3, 4)
        assert works or number or path in ONLY_REFUSED or path.startswith("bench "), done.output
        assert raw_letters(done.stdout_bytes) == set(), (words, done.stdout)
        assert raw_letters(done.stderr_bytes) == set(), (words, done.stderr)
        assert done.exit_code < 70, done.stderr
        assert "Traceback" not in done.output
        assert not done.output.startswith("GENUINE.")
        assert "\nGENUINE." not in done.output, words
    for made in list(folder.rglob("*")):
        if made.name in ("refused_map.txt", "refused_trace.csv", f"{NAME}.trace.csv", "forged.html"):
            made.unlink()
    assert raw_files(folder) == {}


# ------------------------------------------------------------------------------------ what other programs read


def test_json_has_the_same_values_shown(folder: Path) -> None:
    """The names that a program reads from the JSON are those in the record; only their bytes are harmless."""
    done = run("audit", JOURNAL, "--json")
    (game,) = json.loads(done.stdout)["files"][0]["games"]
    begun, _ = hostile_game()
    assert game["table_name"] == begun.table_name
    assert dict(game["seats"]) == {seat.seat: seat.name for seat in begun.seats}
    assert done.stdout.isascii()


def test_no_cell_of_a_table_is_a_formula(folder: Path) -> None:
    run("wiring", "-s", SETTINGS, "-o", "w")
    tables = [run("audit", JOURNAL, "--csv").stdout, *(path.read_text() for path in (folder / "w").glob("*.csv"))]
    assert len(tables) == 3
    for table in tables:
        cells = [cell for row in csv.reader(io.StringIO(table, newline="")) for cell in row]
        assert len(cells) > 20
        assert not [cell for cell in cells if len(cell) > 1 and cell.lstrip()[:1] in "=+-@"]


class Elements(HTMLParser):
    """Collects the elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.add(tag)


def test_markdown_shows_a_name_as_it_is(folder: Path) -> None:
    """A name with HTML, a link, emphasis, code and a table's bar is text in every page that is generated."""
    run("wiring", "-s", SETTINGS, "-o", "w")
    pages = sorted((folder / "w").glob("*.md"))
    assert len(pages) == 7
    for page in pages:
        html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).render(page.read_text(encoding="utf-8"))
        (heading,) = re.findall("<h1>(.*)</h1>", html)
        assert html_entities.escape(VISIBLE, quote=False) in heading, page
        assert Elements(html).found.isdisjoint({"b", "em", "script"}), page


def test_a_settings_file_is_one_word_of_a_command(folder: Path) -> None:
    """The guide has commands to copy. A file named like a command runs nothing, and a line feed ends no block."""
    name = "x; touch owned\n```\n# GENUINE.toml"
    (folder / name).write_text((folder / SETTINGS).read_text(), encoding="utf-8")
    assert run("wiring", "-s", name, "-o", "w").exit_code == 0
    guide = (folder / "w" / "guide.md").read_text(encoding="utf-8")
    assert "trapdial doctor --settings 'x; touch owned\\n```\\n# GENUINE.toml'\n" in guide
    assert "\n# GENUINE" not in guide


def test_pages_and_pictures_hold_names_as_text(folder: Path) -> None:
    run("audit", JOURNAL, "-o", "page.html")
    run("wiring", "-s", SETTINGS, "-o", "w")
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert Elements(page).found.isdisjoint({"script", "b", "img", "a"})
    pictures = sorted((folder / "w").glob("*.svg"))
    assert len(pictures) > 4
    for picture in pictures:
        found = {each.tag.rpartition("}")[2] for each in ElementTree.parse(picture).iter()}
        assert found.isdisjoint({"b", "script", "a"}), picture


def test_an_export_of_hostile_names_is_still_whole(folder: Path) -> None:
    run("journal", "export", JOURNAL, "-o", "e.jsonl")
    assert (folder / "e.jsonl").read_text(encoding="utf-8").isascii()
    verified = run("journal", "verify", "e.jsonl")
    assert (verified.exit_code, "WHOLE" in verified.stdout) == (0, True), verified.output


# --------------------------------------------------------------------------------------------- terminals, locales


def test_a_terminal_gets_nothing_but_the_programs_own_colours(folder: Path) -> None:
    """On a real terminal, where Rich and click draw colours."""
    os.rename(JOURNAL, "j.db")
    command = [sys.executable, "-m", "pi_app", "replay", "j.db", "--as", "public"]
    with Terminal(command, folder, environment()) as terminal:
        terminal.wait_for("T02: triggered")
        terminal.settle()
        assert "owned" not in terminal.title
        assert r"exposed by \x1b[31m\u202e\u2066\u061c\u200f\nBen" in terminal.text


@pytest.mark.parametrize(
    "locale",
    [
        {"PYTHONIOENCODING": "ascii:strict"},
        pytest.param({"PYTHONIOENCODING": "latin-1:strict"}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}, marks=pytest.mark.slow),
        pytest.param({"LC_ALL": "C.UTF-8"}, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_every_locale_reads_and_prints_on(locale: dict[str, str], folder: Path) -> None:
    """A terminal without Unicode gets escapes for it, and words of the table in UTF-8 are read."""
    typed = "card anné 2\n".encode() + b"card ann\xff 2\ncard ann 2\nend game\n"
    done = subprocess.run(
        [sys.executable, "-m", "pi_app", "rooms", "demo", "--language", "fr"],
        cwd=folder, env=environment(**locale), input=typed, capture_output=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, b"")
    coding = locale.get("PYTHONIOENCODING", "utf-8").partition(":")[0]
    told = done.stdout.decode("ascii" if "PYTHONUTF8" in locale else coding)
    assert told.count("Ann joue 2 ") == 1


# ------------------------------------------------------------------------------------------------ the only way out


PRINTS = {"pi_app/cli/printing.py"}
ALONE = {
    "pi_app/workshop/bench/memory.py",  # a child process that hands numbers to its parent
    "pi_app/station/package/__main__.py",  # the builder of the package, which is no part of it
    "pi_app/station/package/imager.py",  # beside it
    "pi_app/station/package/parts/put.py",  # hands over to placing.py
    "pi_app/station/updates/placing.py",  # what the package's scripts print, without anything but the standard library
    "pi_app/station/updates/trial.py",  # a service's lines in the system's log
    "pi_app/pages/confined.py",  # a child process that hands yes and no to its parent
    "pi_app/pages/process/__main__.py",  # the page process: its last words go to the table, which shows them
    "pi_app/centre/service/process.py",  # a service's lines: the kind and place of an error, and none of its text
    "pi_app/cli/entry.py",  # Ctrl-C before anything is imported
    "pi_app/journal/record/passphrase.py",  # asks at /dev/tty, with a prompt that is shown
}

WAYS_OUT = {
    "print", "input", "click.echo", "click.secho", "click.style", "click.prompt", "click.confirm", "click.clear",
    "click.echo_via_pager", "click.progressbar", "click.pause", "click.edit", "Console", "getpass.getpass",
    "sys.stdout.write", "sys.stderr.write", "sys.stdin.read", "sys.stdin.readline", "sys.stdout.buffer.write",
    "warnings.warn", "logging.getLogger", "traceback.print_exc",
}  # fmt: skip


AROUND = {"sys.__stdout__", "sys.__stderr__", "sys.__stdin__", "sys.stdout.buffer", "sys.stderr.buffer"}

HINTS = {"print(", "input(", "click.", "Console", "sys.std", "sys.__", "getpass", "warnings", "logging", "traceback"}
"""A file without any of these has none of the calls."""


def dotted(node: ast.expr) -> str:
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(value, name):
            return f"{dotted(value)}.{name}"
        case _:
            return ""


def test_text_leaves_and_enters_at_one_place() -> None:
    """No other module prints, reads what is typed, or opens a console of its own. On a hub there is no terminal."""
    found = []
    for path in sorted((ROOT / "pi_app").rglob("*.py")):
        file = path.relative_to(ROOT).as_posix()
        if file in PRINTS | ALONE:
            continue
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in HINTS):
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and dotted(node.func) in WAYS_OUT:
                found.append(f"{file}:{node.lineno}: {dotted(node.func)}")
            if isinstance(node, ast.Attribute) and dotted(node) in AROUND:
                found.append(f"{file}:{node.lineno}: {dotted(node)}")
            if isinstance(node, ast.For) and dotted(node.iter) == "sys.stdin":
                found.append(f"{file}:{node.lineno}: sys.stdin")
    assert found == []


def test_the_check_of_this_file_finds_what_it_looks_for() -> None:
    assert raw_letters(DIRTY) >= {
        "U+001B",
        "U+009B",
        "U+202E",
        "U+200B",
        "U+E0041",
        "U+2028",
        "U+DCFF",
        "U+E000",
        "U+007F",
    }
    assert raw_letters("Ann, Zoë, אנה, 安娜, ❤\ufe0f\n") <= {"U+FE0F"}
