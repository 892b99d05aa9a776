"""Every reader of the program: an honest input, how it is handed over, and what it may answer."""

from __future__ import annotations

import contextlib
import functools
import gzip
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import msgspec
from click.testing import CliRunner

from hardware.host import Host
from pi_app.cli.main import main
from pi_app.dials.calibration import Calibration
from pi_app.dials.tile_record import ROOM, pack, unpack
from pi_app.plans import config_txt
from pi_app.rooms.refusals import RoomsRefusedError
from pi_app.text import exit_codes
from pi_app.text.errors import UserFileError
from pi_app.text.printed import shown_lines
from tests.pi_app import playing
from tests.pi_app.rooms import tables as rooms

ROOT: Final = Path(__file__).resolve().parents[3]
CORPUS: Final = ROOT / "tests/pi_app/journal/corpus/sound"
EXAMPLES: Final = ROOT / "pi_app/settings/examples"
SAMPLES: Final = ROOT / "pi_app/game/samples"
TAPES: Final = ROOT / "tests/hardware/sims/hand_tapes"

MOST_LINES: Final = 4_000
"""A table that has printed more is given up for a new one."""

Answer = tuple[int, str]
"""An exit code and all that was printed."""

Hand = Callable[[bytes, Path], Answer]
"""Hands one input to a reader, in a folder of its own."""


class NotAnsweredError(AssertionError):
    """A reader did anything but answer."""


@dataclass(frozen=True)
class Reader:
    """`weight`: its share of all inputs. `most`: the longest input in bytes that is worth trying."""

    name: str
    samples: Callable[[], tuple[bytes, ...]]
    hand: Hand
    weight: int = 10
    most: int = 11_000_000
    close: Callable[[], None] = lambda: None
    special: bool = False
    """Whether it is given a path, which may be that of a device, a pipe or a folder."""

    @functools.cached_property
    def honest(self) -> tuple[bytes, ...]:
        """Inputs that it accepts."""
        return self.samples()


def answered(*arguments: str | Path, stdin: bytes = b"") -> Answer:
    """Call the program and return what it answered. Raises NotAnsweredError for a bug or a traceback."""
    result = CliRunner().invoke(main, [str(each) for each in arguments], input=stdin, prog_name="trapdial")
    printed = result.stdout_bytes + result.stderr_bytes
    said = printed.decode("utf-8", "replace")
    if not isinstance(result.exception, SystemExit | None):
        raise NotAnsweredError(f"{arguments[0]}: {result.exception!r}") from result.exception
    if result.exit_code == exit_codes.BUG or "Traceback" in said:
        raise NotAnsweredError(said)
    if said != shown_lines(said):
        raise NotAnsweredError(f"printed what is not shown: {said!a}")
    if result.exit_code and not said.strip():
        raise NotAnsweredError(f"exit code {result.exit_code} without a word")
    return result.exit_code, said


def command(*arguments: str | Path) -> Hand:
    """Return how a command is handed a file: `FILE` stands for it, `FOLDER` for the folder that it lies in."""

    def hand(data: bytes, folder: Path) -> Answer:
        path = folder / "hostile"
        if data:  # without data the path is a special file that lies there already
            path.write_bytes(data)
        return answered(*(str(each).replace("FILE", str(path)).replace("FOLDER", str(folder)) for each in arguments))

    return hand


def prompted(*arguments: str | Path) -> Hand:
    """Return how a command is handed what is typed."""

    def hand(data: bytes, folder: Path) -> Answer:
        for left in ("new", "journal.db"):
            (folder / left).unlink(missing_ok=True)
        return answered(*(str(each).replace("FOLDER", str(folder)) for each in arguments), stdin=data)

    return hand


def named_in_settings(key: str) -> Hand:
    """Return how a file is handed over that the settings name."""
    text = (EXAMPLES / "table-2x2.toml").read_text()

    def hand(data: bytes, folder: Path) -> Answer:
        if data:
            (folder / "hostile").write_bytes(data)
        changed = text.replace(f'{key} = ""', f'{key} = "{folder}/hostile"', 1)
        settings = folder / "trapdial.toml"
        settings.write_text(changed)
        return answered("settings", "check", "-s", settings)

    return hand


def unpacked(name: str) -> bytes:
    """Return a record of the corpus."""
    return gzip.decompress((CORPUS / f"{name}.gz").read_bytes())


def texts(*paths: Path) -> tuple[bytes, ...]:
    """Return the contents of files."""
    return tuple(path.read_bytes() for path in paths)


def with_keys(data: bytes, folder: Path) -> Answer:
    """Hand over a key, in the folder beside a game that has not ended."""
    journal, keys = folder / "open.db", folder / "open.db.keys"
    if not journal.exists():
        journal.write_bytes(unpacked("squares_unfinished.db"))
    shutil.rmtree(keys, ignore_errors=True)
    shutil.copytree(CORPUS / "squares_unfinished.db.keys", keys)
    keys.chmod(0o700)
    for path in keys.iterdir():
        path.chmod(0o600)
    victims = sorted(keys.iterdir())
    victims[len(data) % len(victims)].write_bytes(data)
    code, said = answered("replay", journal)
    other, more = answered("journal", "head", journal)
    return max(code, other), said + more


def witnessed(data: bytes, folder: Path) -> Answer:
    """Hand over a witness's head as a file and, if it is a word that a shell can hand over, as an option."""
    journal = folder / "small.db"
    if not journal.exists():
        journal.write_bytes(unpacked("squares_small.db"))
    (folder / "hostile").write_bytes(data)
    code, said = answered("journal", "verify", journal, "--witness", folder / "hostile")
    word = data.decode("utf-8", "surrogateescape")
    if "\0" not in word and len(word) < 100_000:
        other, more = answered("journal", "verify", journal, f"--witness={word}")
        return max(code, other), said + more
    return code, said


def page_verified(data: bytes, folder: Path) -> Answer:
    """Hand over a signed page."""
    (folder / "hostile").write_bytes(data)
    return answered("audit", "verify", folder / "hostile")


def decoded_with(data: bytes, folder: Path) -> Answer:
    """Hand over a calibration, to decode a trace with it."""
    trace = folder / "trace.csv"
    if not trace.exists():
        trace.write_bytes(traces()[0])
    return command("decode", trace, "--calibration", "FILE")(data, folder)


def signed_page() -> tuple[bytes, ...]:
    """Return a signed page of an audit."""
    with tempfile.TemporaryDirectory() as inside:
        folder = Path(inside)
        with_keys(keys()[0], folder)
        answered("audit", folder / "open.db", "--sign", "-o", folder / "page.html")
        return texts(folder / "page.html")


def tile_unpacked(data: bytes, folder: Path) -> Answer:
    """Hand over the memory of a tile."""
    found = unpack((data + b"\xff" * ROOM)[:ROOM], "00112233AABBCCDD")
    return 0 if found.newest is not None else 2, repr(found)


def boot_settings(data: bytes, folder: Path) -> Answer:
    """Hand over a Pi's config.txt."""
    (folder / "boot").mkdir(exist_ok=True)
    (folder / "boot/config.txt").write_bytes(data)
    host = Host(folder)
    found = [config_txt.configured_speed_hz(host, f"/dev/i2c-{bus}") for bus in (0, 1)]
    return 0, repr((found, config_txt.spi_is_on(host), config_txt.follows_the_core(host)))


# ------------------------------------------------------------------------------------------------- lines at a table


class TypedLines:
    """Lines that are typed at one table after another, in play."""

    def __init__(self, language: str) -> None:
        before = playing.settings()
        self._settings = replace(before, table=msgspec.structs.replace(before.table, language=language))
        self._open = ExitStack()
        self._table: playing.Played | None = None

    def __call__(self, data: bytes, folder: Path) -> Answer:
        table = self._table
        if table is None or not table.demo.loop.running or len(table.lines) > MOST_LINES:
            self.close()
            for left in folder.iterdir():
                shutil.rmtree(left) if left.is_dir() else left.unlink()
            table = self._table = self._open.enter_context(playing.table(folder, self._settings))
        heard = len(table.lines)
        for line in data.decode("utf-8", "replace").splitlines()[:3]:
            table.demo.loop.say(line)
        table.demo.step()
        return 0, "\n".join(line for _, line in table.lines[heard:])

    def close(self) -> None:
        """End the game at the table."""
        self._open.close()
        self._table = None


def typed_rooms(data: bytes, folder: Path) -> Answer:
    """Hand over lines that are typed at a table of rooms."""
    shutil.rmtree(folder / "rooms", ignore_errors=True)
    (folder / "rooms").mkdir()
    with rooms.table(folder / "rooms") as at:
        try:
            said = at.says(*data.decode("utf-8", "replace").splitlines()[:20])
        except (RoomsRefusedError, UserFileError) as refused:
            said = [str(refused)]
    return 0, "\n".join(said)


TYPED: Final = tuple(
    line.encode()
    for line in (
        "help", "status", "check", "hero ann Aria nimble", "enter T01 aria", "claim T01 ann", "disarm T01 ann 7",
        "roll ann", "hits T01 3", "undo", "rule pit", "move ann T01 T02", "xp ann 20", "share 40 ann ben",
        "turn ann", "turn ann 3", "home T01", "spawn T01", "chest T02 ann", "draw ann", "leave T01", "end", "new game",
        "accept T01", "convert 3 figures 120 points", "quit soon", "activate T01 ann quick roll", "rotate T01 T02",
        "held aria T03 lies", "versteckt", "Held Anna Aria flink", "regla 12", "lancer ann", "annulla",
    )
)  # fmt: skip

ROOM_WORDS: Final = tuple(
    line.encode()
    for line in (
        "card ann 3\ncard ben 4\nreveal R1",
        "gear ann R1\nmove warrior R2 line",
        "take thief ben.sword\ndrop thief pit",
        "combat warrior goblin\nplay ann\nplay ben\nundo",
        "end turn\nexit thief\nstatus\nhelp",
        "ability goblin\njump thief",
    )
)


def hub_lines() -> tuple[bytes, ...]:
    """Return lines of every kind of a hub's protocol: those of its page."""
    page = (ROOT / "wiring_docs/hub_wire.md").read_text()
    return tuple(line.encode() + b"\n" for line in re.findall(r"^(?:Pi|hub) +(:[0-9a-f]+)$", page, re.MULTILINE))


def hub_decoded(data: bytes, folder: Path) -> Answer:
    """Hand over lines of a hub, half of them with the checksum that fits."""
    lines = data.split(b"\n")
    for at, line in enumerate(lines):
        with contextlib.suppress(ValueError):
            body = bytes.fromhex(line.removeprefix(b":").strip().decode("ascii", "replace"))[:-4]
            if len(body) % 2:
                lines[at] = b":" + (body + zlib.crc32(body).to_bytes(4, "big")).hex().encode()
    return answered("hub", "decode", stdin=b"\n".join(lines))


def transcript() -> tuple[bytes, ...]:
    """Return what two people answer who transcribe a dial."""
    dial = ["Buzz Saw", "1", "7", "11", "x", "cage", "3", "6+", "22", *["blank"] * 8, "disarmed", "start"]
    return ("\n".join(["SAMPLE dial", "Ann", "2026-11-23", *dial, "", "Ben", *dial, ""]).encode(),)


def settings() -> tuple[bytes, ...]:
    """Return the example settings of tables."""
    return texts(*sorted(EXAMPLES.glob("table-*.toml")))


def room_settings() -> tuple[bytes, ...]:
    """Return the example settings of rotating rooms."""
    return texts(*sorted(EXAMPLES.glob("rooms-*.toml")))


def tables() -> tuple[bytes, ...]:
    """Return the sample trap tables."""
    return texts(*sorted(SAMPLES.glob("SAMPLE*.toml")))


def chests() -> tuple[bytes, ...]:
    """Return the sample treasure chests."""
    return texts(SAMPLES / "CHESTS.toml")


def tokens() -> tuple[bytes, ...]:
    """Return the sample artifact tokens."""
    return texts(SAMPLES / "ARTIFACTS.toml")


def spawn() -> tuple[bytes, ...]:
    """Return a pool of Mage Spawn."""
    return (b'[[figure]]\nname = "SAMPLE Wolf"\npoints = 12\ncount = 3\n',)


def maps() -> tuple[bytes, ...]:
    """Return the example maps."""
    return texts(*sorted(EXAMPLES.glob("*.txt")))


def traces() -> tuple[bytes, ...]:
    """Return traces of turns of one click."""
    tapes = (path.read_text().splitlines()[2:] for path in sorted(TAPES.glob("*-one.csv")))
    samples = [[line.split(",") for line in lines] for lines in tapes]
    return tuple("".join(["t_ns,raw\n", *(f"{us}000,{raw}\n" for us, raw in lines)]).encode() for lines in samples)


def journals() -> tuple[bytes, ...]:
    """Return records of both games, and an archive."""
    return tuple(map(unpacked, ("squares_small.db", "archive.db", "rooms_example.db", "both_games.db")))


def exports() -> tuple[bytes, ...]:
    """Return exports of a game, of a record and of an archive."""
    return tuple(map(unpacked, ("export_of_one_game.jsonl", "export_of_an_archive.jsonl", "export_of_all.jsonl")))


def boot() -> tuple[bytes, ...]:
    """Return a config.txt."""
    return (b"[all]\ndtparam=i2c_arm=on,i2c_arm_baudrate=400000\n[pi4]\ndtoverlay=i2c1,baudrate=100000\n",)


def readers() -> Iterator[Reader]:
    """Yield every reader."""
    yield Reader("settings", settings, command("settings", "check", "-s", "FILE"), 80, special=True)
    yield Reader("settings as JSON", settings, command("settings", "check", "-s", "FILE", "--json"), 20, special=True)
    yield Reader("settings of rooms", room_settings, command("rooms", "demo", "-s", "FILE"), 20, special=True)
    yield Reader("wiring", settings, command("wiring", "--check", "-s", "FILE"), 10, special=True)
    yield Reader("trap tables", tables, command("tables", "check", "FILE"), 120, special=True)
    yield Reader(
        "trap tables shown", tables, command("tables", "show", "FILE", "--journal", "FOLDER/none.db"), 30, special=True
    )
    yield Reader("treasure chests", chests, named_in_settings("chests"), 60, special=True)
    yield Reader("artifact tokens", tokens, named_in_settings("pool"), 60, special=True)
    yield Reader(
        "Mage Spawn",
        spawn,
        command("rules", "convert", "3", "figures", "120", "points", "--pool", "FILE"),
        120,
        special=True,
    )
    yield Reader("calibration", calibrated, decoded_with, 60, special=True)
    yield Reader("maps", maps, command("place", "check", "FILE"), 60, special=True)
    yield Reader("traces", traces, command("decode", "FILE"), 60, special=True)
    yield Reader("journals verified", journals, command("journal", "verify", "FILE"), 20, special=True)
    yield Reader("journals audited", journals, command("audit", "--json", "FILE"), 8, special=True)
    yield Reader("journals replayed", journals, command("replay", "--lines", "FILE"), 8, special=True)
    yield Reader("journals exported", journals, command("journal", "export", "FILE"), 8, special=True)
    yield Reader("journals' heads", journals, command("journal", "head", "--no-qr", "FILE"), 8, special=True)
    yield Reader("exports", exports, command("journal", "verify", "FILE"), 40, special=True)
    yield Reader("heads and witnesses", heads, witnessed, 60)
    yield Reader("signed pages", signed_page, page_verified, 20)
    yield Reader("keys", keys, with_keys, 10)
    yield Reader("hub lines", hub_lines, hub_decoded, 120, most=200_000)
    yield Reader("transcribed dials", transcript, prompted("tables", "new", "FOLDER/new"), 20, most=200_000)
    for language, weight in (("en", 60), ("de", 20)):
        lines = TypedLines(language)
        yield Reader(f"typed words ({language})", lambda: TYPED, lines, weight, most=20_000, close=lines.close)
    yield Reader("typed words of rooms", lambda: ROOM_WORDS, typed_rooms, 8, most=20_000)
    yield Reader("tile memory", tiles, tile_unpacked, 120, most=200)
    yield Reader("config.txt", boot, boot_settings, 40)


def heads() -> tuple[bytes, ...]:
    """Return the head of a record of the corpus, as text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.db"
        path.write_bytes(unpacked("squares_small.db"))
        _, said = answered("journal", "head", "--no-qr", path)
    return (said[said.index("TRAPDIAL1") :].strip().encode(),)


def keys() -> tuple[bytes, ...]:
    """Return key files of a game that has not ended."""
    return texts(*sorted((CORPUS / "squares_unfinished.db.keys").iterdir()))


def calibrated() -> tuple[bytes, ...]:
    """Return a calibration file, as the program writes it for simulated dials."""
    with tempfile.TemporaryDirectory() as folder:
        settings, written = Path(folder) / "trapdial.toml", Path(folder) / "calibration.toml"
        settings.write_bytes((EXAMPLES / "table-2x2.toml").read_bytes())
        answered("calibrate", "-s", settings, "--square", "T01", "--simulated", "--auto", "--yes", "-o", written)
        return (written.read_bytes(),)


def tiles() -> tuple[bytes, ...]:
    """Return the memory of a calibrated tile."""
    dial = Calibration.of_centres(
        [k * 341 + 5 for k in range(12)], [9] * 12, counts_per_turn=4096, invert=False, tile="00112233AABBCCDD",
        revision=3,
    )  # fmt: skip
    return (pack(dial) * 2,)
