"""`trapdial hub`, as it is typed; SIMULATED hubs behind ptys."""

from __future__ import annotations

import fcntl
import itertools
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firmware_host import install as installing
from firmware_host import ports
from firmware_host.hub import wire
from firmware_host.install import ProgramResult
from firmware_host.sims.scripted_hub import ScriptedHub
from pi_app.cli.main import main
from pi_app.settings import hub_keys
from pi_app.settings.load import example_path
from tests.firmware_host.pty_hub import PtyHub

UID = "e6616408432b5c21"
ANGLES = (2989, 1234)


def hub(*words: str) -> Result:
    return CliRunner().invoke(main, ["hub", *words])


@pytest.fixture
def board(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PtyHub]:
    """The only board there is, with two dials."""
    monkeypatch.chdir(tmp_path)
    with PtyHub(ScriptedHub(lambda at_us: ANGLES, dials=2, uid=UID), tmp_path / "ttyACM0") as made:
        monkeypatch.setattr(ports, "listed", lambda: [ports.SerialPort(str(made.path), UID)])
        yield made


def named(folder: Path) -> Path:
    """Settings of a table with [hub.west]."""
    text = example_path("2x2").read_text(encoding="utf-8")
    head, _, tail = text.partition("[square.T02]")
    end = tail.index("\n[")
    kept = "".join(line for line in tail[:end].splitlines(True) if not line.startswith(("bus", "mux", "channel")))
    file = folder / "trapdial.toml"
    hub_of_it = f'hub = "west"\nchannel = 1\n\n[hub.west]\nid = "{UID}"\n'
    file.write_text(f"{head}[square.T02]{kept}\n{hub_of_it}{tail[end:]}", encoding="utf-8")
    return file


# ------------------------------------------------------------------------------------------------------------- list


def test_list(board: PtyHub) -> None:
    result = hub("list")
    assert result.output == f"ok  hub ({board.path}): board {UID}, firmware 2.1.0, 2 dials, no key\n"
    assert result.exit_code == 0


def test_list_says_what_the_settings_call_it(board: PtyHub, tmp_path: Path) -> None:
    named(tmp_path)
    assert (
        hub("list").output
        == f"ok  hub ({board.path}): board {UID}, firmware 2.1.0, 2 dials, west of the settings, no key\n"
    )


def test_list_of_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ports, "listed", list)
    result = hub("list")
    assert result.output == (
        "??  USB (this machine): no board with MicroPython is plugged in. Plug one in with a cable that carries data; "
        "a board on another kind of port must be named with --port.\n"
    )
    assert result.exit_code == 1


def test_list_of_ports_that_cannot_be_used(board: PtyHub, tmp_path: Path) -> None:
    taken = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(taken, fcntl.LOCK_EX)
    result = hub("list", "--port", str(tmp_path / "gone"))
    os.close(taken)
    assert result.output == (
        f"??  board ({board.path}): is in use by another program. Close that program: another trapdial, mpremote, a "
        "terminal, or ModemManager (`trapdial docs hub_wire` shows how to keep it away).\n"
        f"!!  board ({tmp_path}/gone): is not plugged in: the port does not exist. Plug it in. trapdial hub list shows "
        "the connected boards.\n"
    )
    assert result.exit_code == 1


# ---------------------------------------------------------------------------------------------------------- monitor


def test_monitor_tells_no_angle(board: PtyHub) -> None:
    result = hub("monitor", "--seconds", "0.3")
    assert result.exit_code == 0
    first, second = result.output.splitlines()
    assert first == f"running: board {UID}, firmware 2.1.0, 2 dials"
    assert second.endswith(", 0 lost, 0 damaged")
    assert not any(str(angle) in result.output for angle in ANGLES)


def test_monitor_tells_troubles_and_the_console(board: PtyHub) -> None:
    board.hub.script = lambda at_us: (wire.NO_MAGNET << 12, wire.TOO_WEAK << 12 | 2989)
    board.damage = lambda data: data + (b"warm today\r\n" if data.startswith(b":84") else b"")
    result = hub("monitor", "--seconds", "0.3")
    assert 'console: "warm today"' in result.output
    assert "; dial 0 no magnet (" in result.output
    assert "dial 1" not in result.output  # how strong the field is varies as the dial turns
    assert "2989" not in result.output


def test_a_builder_sees_weak_magnets_too(board: PtyHub, tmp_path: Path) -> None:
    named(tmp_path)
    board.hub.script = lambda at_us: (wire.NO_MAGNET << 12, wire.TOO_WEAK << 12 | 2989)
    assert ", dial 1 field too weak (" in hub("monitor", "--angles", "--seconds", "0.3").output


def test_monitor_of_a_hub_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = hub("monitor", "--seconds", "0.2", "--port", "/dev/nowhere")
    assert result.output == (
        "not plugged in: board (/dev/nowhere) is not plugged in: the port does not exist. Plug it in. trapdial hub "
        "list shows the connected boards.\n"
    )
    assert result.exit_code == 1


def test_angles_need_settings(board: PtyHub) -> None:
    result = hub("monitor", "--angles", "--seconds", "0.3")
    assert "--angles needs the table's settings, to be sure that no game is played" in result.output
    assert result.exit_code == 2


def test_angles_for_a_builder(board: PtyHub, tmp_path: Path) -> None:
    named(tmp_path)
    result = hub("monitor", "--angles", "--seconds", "0.3")
    assert result.output.splitlines()[-1].endswith("; angles 2989 1234")


def test_no_angles_while_a_game_is_played(board: PtyHub, tmp_path: Path) -> None:
    named(tmp_path)
    journal = tmp_path / "journal.db"
    with journal.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = hub("monitor", "--angles", "--seconds", "0.3")
    assert result.output == (
        "journal.db (file): a game is being played on this table. Angles are for builders: end the game first, or "
        "leave --angles out.\n"
    )
    assert result.exit_code == 2


@pytest.mark.parametrize("words", [("diag",), ("diag", "west"), ("diag", "--port", "ttyACM0")])
def test_no_magnet_either_while_a_game_is_played(board: PtyHub, tmp_path: Path, words: Sequence[str]) -> None:
    """Its port is free: the game's hub was just plugged in again."""
    named(tmp_path)
    with (tmp_path / "journal.db").open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        result = hub(*words)
    assert result.output == (
        "journal.db (file): a game is being played on this table. The strength of a magnet can reveal its dial's "
        "position: end the game first; the game itself reports failures.\n"
    )
    assert result.exit_code == 2
    assert hub(*words).exit_code == 0


@pytest.mark.parametrize("words", [("diag",), ("monitor", "--angles", "--seconds", "0.1")])
def test_whose_journal_may_not_be_read(
    board: PtyHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: Sequence[str]
) -> None:
    named(tmp_path)
    journal = tmp_path / "journal.db"
    journal.touch()
    opened = os.open

    def refuses(path: object, *rest: int) -> int:
        if str(path) == "journal.db":
            raise PermissionError(13, "Permission denied")
        return opened(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr("pi_app.workshop.hubs.os.open", refuses)
    result = hub(*words)
    assert result.output == (
        "journal.db (file): it cannot be opened (Permission denied), so a game may be running. Run this as the "
        "user who plays.\n"
    )
    assert result.exit_code == 2


# ---------------------------------------------------------------------------------------------------- diag and reset


def test_diag(board: PtyHub, tmp_path: Path) -> None:
    named(tmp_path)
    result = hub("diag")
    assert result.output == (
        f"ok  hub west ({UID}): board {UID}, firmware 2.1.0, 2 dials\n"
        "ok  dial 0 (hub west channel 0): magnet good (gain 64 of 128); magnitude 2100, 3 failed reads\n"
        "ok  dial 1 (hub west channel 1): magnet good (gain 64 of 128); magnitude 2100, 3 failed reads\n"
        f"ok  hub west ({UID}): a sweep takes 1.9 ms, at most 3 ms from one to the next, 240 samples/s at each "
        "dial; since its start 10 good messages and 1 "
        "damaged, 0 lines cut, 2 failed transfers, 0 bus recoveries; 150000 bytes free\n"
    )
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("gave", "status", "agc", "line"),
    [
        (
            wire.TOO_WEAK,
            0x30,
            128,
            "??  dial 0 (hub channel 0): magnet too weak (gain 128 of 128); magnitude 900, 4 failed reads. Bring it "
            "closer, and check that it is magnetised across its diameter.",
        ),
        (
            wire.NO_MAGNET,
            0x00,
            128,
            "!!  dial 0 (hub channel 0): no magnet seen (gain 128 of 128); magnitude 900, 4 failed reads. Put the dial "
            "in, with its magnet 0.5 to 3 mm above the chip.",
        ),
        (wire.SILENT, 0, 0, "!!  dial 0 (hub channel 0): does not answer. Plug its lead in at both ends."),
        (
            wire.NO_MUX,
            0,
            0,
            "!!  dial 0 (hub channel 0): its mux does not answer. Check its supply and its",
        ),
        (wire.NOT_WIRED, 0, 0, "ok  dial 0 (hub channel 0): is not wired, according to the hub's board.py"),
        (wire.NOT_READ, 0, 0, "??  dial 0 (hub channel 0): not read yet. Try again in a moment."),
    ],
)
def test_diag_of_a_dial(board: PtyHub, gave: int, status: int, agc: int, line: str) -> None:
    board.hub.diagnosis = (gave, status, agc, 900, 77, 0x0204, 4)
    result = hub("diag")
    assert result.output.splitlines()[1].startswith(line)
    assert result.exit_code == (1 if line.startswith("!!") else 0)


def test_diag_is_refused_while_a_game_has_the_hub(board: PtyHub) -> None:
    taken = os.open(board.path, os.O_RDWR | os.O_NOCTTY)
    fcntl.flock(taken, fcntl.LOCK_EX)
    result = hub("diag")
    os.close(taken)
    assert result.output.startswith(f"board ({board.path}) is in use by another program. Close that program: ")
    assert result.exit_code == 1


@pytest.mark.slow
def test_diag_of_a_hub_that_does_not_answer(board: PtyHub) -> None:
    board.hub.ignores.add(wire.DIAG)
    result = hub("diag")
    assert result.output.splitlines()[1] == (
        f"board ({board.path}) did not answer three requests for dial 0. Unplug it and plug it in again."
    )
    assert result.exit_code == 1


@pytest.mark.slow
def test_reset(board: PtyHub) -> None:
    answer = board.hub.feed

    def feed(data: bytes, now_us: int) -> bytes:
        said = answer(data, now_us)
        if any(kind == wire.MAINT for kind, _ in board.hub.received):
            board.hub.restart(99)
        return said

    board.hub.feed = feed  # type: ignore[method-assign]
    result = hub("reset")
    assert result.output == f"board {UID} has restarted\n"


# -------------------------------------------------------------------------------------------------------- which one


def test_which_hub_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ports, "listed", list)
    assert hub("diag").output == (
        "trapdial.toml: the file does not exist, and 0 boards are plugged in, so the choice is ambiguous. Name "
        "another with --settings, or a port with --port.\n"
    )
    assert hub("diag", "west").output == (
        "trapdial.toml: the file does not exist, so hub 'west' is unknown. Name another with --settings, or a port "
        "with --port.\n"
    )
    file = tmp_path / "trapdial.toml"
    file.write_text(example_path("2x2").read_text(encoding="utf-8"), encoding="utf-8")
    assert hub("diag", "west").output == (
        "trapdial.toml: it names no hub 'west'. Write a section for it, or use --port.\n"
    )
    named(tmp_path)
    assert "it names no hub 'wst'. " in hub("diag", "wst").output
    assert hub("diag", "wst").exit_code == 2


# ---------------------------------------------------------------------------------------------------------- install


def test_install(board: PtyHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Sequence[str]] = []

    def run(words: Sequence[str]) -> ProgramResult:
        calls.append(words)
        return copied(board, words)

    monkeypatch.setattr(installing, "mpremote", run)
    result = hub("install")
    assert result.exit_code == 0, result.output
    assert [words[:2] for words in calls] == [["connect", str(board.path)]] * 2
    lines = result.stdout.splitlines()
    assert "copied hub/core.py" in lines
    assert lines[-4:] == [
        "copied hub.key",
        "copied main.py",
        f"board {UID} runs firmware 2.1.0 and has 2 dials",
        f"its key is in trapdial.toml.hubs/{UID}.key: it goes with the settings, and is for this Pi only",
    ]
    folder = tmp_path / "trapdial.toml.hubs"
    assert [file.name for file in folder.iterdir()] == [f"{UID}.key"]
    (kept,) = folder.iterdir()
    assert kept.read_bytes() == board.hub.key
    assert (folder.stat().st_mode & 0o777, kept.stat().st_mode & 0o777) == (0o700, 0o600)
    assert not any(secret in result.output for secret in (board.hub.key.hex(), repr(board.hub.key)))
    again = hub("install")
    assert again.exit_code == 0
    assert hub_keys.load(tmp_path / "trapdial.toml") == {UID: board.hub.key}


def copied(board: PtyHub, words: Sequence[str]) -> ProgramResult:
    """What mpremote does: the board has its new key from its restart on."""
    for file, name in itertools.pairwise(words):
        if name == ":hub.key":
            board.hub.key = Path(file).read_bytes()
    return ProgramResult(0, "ls :\n  139 board.py\n" if "ls" in words else "")


def test_install_leaves_the_old_key_if_the_board_does_not_take_the_new_one(
    board: PtyHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hub_keys.new_key(tmp_path / "trapdial.toml") as (draft, key):
        hub_keys.keep(draft, UID)
    board.hub.key = key
    monkeypatch.setattr(installing, "mpremote", lambda words: ProgramResult(0, ""))
    result = hub("install")
    assert result.exit_code == 1
    assert f"claims to be board {UID}, but does not have its key" in result.stderr
    assert hub_keys.load(tmp_path / "trapdial.toml") == {UID: key}
    assert [file.name for file in (tmp_path / "trapdial.toml.hubs").iterdir()] == [f"{UID}.key"]


def test_list_tells_boards_with_a_key(board: PtyHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named(tmp_path)
    monkeypatch.setattr(installing, "mpremote", lambda words: copied(board, words))
    assert hub("install", "west").exit_code == 0
    assert hub("list").output.endswith(", west of the settings, keyed\n")
    assert hub("list", "--settings", "another.toml").output.endswith(
        ", 2 dials, keyed, but these settings have no key for it\n"
    )
    (tmp_path / "trapdial.toml.hubs" / f"{UID}.key").unlink()
    assert hub("list").output.endswith(", west of the settings, keyed, but these settings have no key for it\n")


def test_install_finds_out_that_it_did_not_work(board: PtyHub, monkeypatch: pytest.MonkeyPatch) -> None:
    board.hub.firmware = (2, 3, 0)
    monkeypatch.setattr(installing, "mpremote", lambda words: copied(board, words))
    result = hub("install")
    assert result.stderr.splitlines()[-1] == (
        f"board ({board.path}) answers with firmware 2.3.0. Pull its plug, and install again."
    )
    assert result.exit_code == 1


def test_install_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = hub("install", "--port", "/dev/nowhere")
    assert result.output.startswith("board (/dev/nowhere) is not plugged in: the port does not exist. Plug it in.")
    assert result.exit_code == 1


# ----------------------------------------------------------------------------------------------------------- decode

HELLO = ":01000101c0ffee01209b11fd"


def test_decode_arguments() -> None:
    result = hub("decode", HELLO, HELLO[:-1] + "e")
    assert result.output == (
        "HELLO number 0: protocols 1 to 1, nonce c0ffee01\n"
        "damaged: its CRC is 209b11fe, but its content has CRC 209b11fd\n"
    )
    assert result.exit_code == 1


def test_decode_what_is_pasted() -> None:
    result = CliRunner().invoke(main, ["hub", "decode"], input=f">>> \n\n{HELLO}\n")
    assert result.output == "text: >>>\nHELLO number 0: protocols 1 to 1, nonce c0ffee01\n"
    assert result.exit_code == 0
