"""A thief copies the card of a table, or takes its USB stick, and reads a running game; a second user plants keys.

The owner may keep the keys in another place and encrypt them with a passphrase. A copy of the card then shows what the
log shows, and no more. A folder that another user can read, write or redirect is refused, with the command that mends
it. Without these options a table plays as before.
"""

from __future__ import annotations

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.cli.main import main
from pi_app.cli.terminal import Terminal
from pi_app.game import events as ev
from pi_app.journal import JournalFileError
from pi_app.journal.record import passphrase
from pi_app.journal.record.key_ring import KeyRing, key_ring
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.settings.load import example_path
from tests.layers import ROOT
from tests.terminal import Terminal as TerminalProgram

PHRASE, OTHER = "five words of a table", "another five words here"

CLAIM = ("sim tap ann", "sim turn t01 3", "sim hold Ann 2")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A card with settings; time does not wait; every lock is forgotten; stretching a passphrase is quick."""
    card = tmp_path / "card"
    card.mkdir()
    monkeypatch.chdir(card)
    monkeypatch.setattr("pi_app.cli.simulated_play.WallClock", lambda: None)
    monkeypatch.setattr(passphrase, "MEMORY_BYTES", 8192)
    monkeypatch.setattr(passphrase, "PASSES", 1)
    monkeypatch.delenv(passphrase.CREDENTIALS, raising=False)
    shutil.copy(example_path("2x2"), "trapdial.toml")
    return card


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    """A stick, mounted elsewhere, that the settings name."""
    place = tmp_path / "stick"
    place.mkdir()
    with Path("trapdial.toml").open("a") as settings:
        settings.write(f'\n[record]\nkeys = "{place}"\n')
    return place


Give = Callable[..., None]


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch) -> Iterator[Give]:
    """Has the next command begin as a new program does, with these passphrases in a file descriptor."""
    opened: list[int] = []

    def words(*lines: str) -> None:
        passphrase.forget()
        reader, writer = os.pipe()
        os.write(writer, "".join(f"{line}\n" for line in lines).encode())
        os.close(writer)
        opened.append(reader)
        monkeypatch.setenv(passphrase.FROM_DESCRIPTOR, str(reader))

    yield words
    passphrase.forget()
    for handle in opened:
        os.close(handle)


def trapdial(*words: object, typed: tuple[str, ...] = ()) -> Result:
    text = "".join(f"{line}\n" for line in typed)
    return CliRunner().invoke(main, [str(word) for word in words], input=text, prog_name="trapdial")


def play(*typed: str, words: tuple[str, ...] = ()) -> Result:
    return trapdial("play", "--simulated", *words, typed=(*typed, "quit"))


def refusal(done: Result) -> str:
    """The one sentence of a command that refused to begin, without the notes before it."""
    assert done.exit_code == 2, done.output
    *notes, last = done.stderr.splitlines()
    assert all(line.startswith("note: ") for line in notes), done.stderr
    return last


JOURNAL = Path("journal_simulated.db")
BESIDE = Path("journal_simulated.db.keys")


def opens_a_running_game(card: Path) -> bool:
    """Whether a copy of these files has the secrets of the game that is on."""
    try:
        entries = list(jn.read(card / JOURNAL, MAGE_KNIGHT))
    except JournalFileError:
        return False
    return any(isinstance(entry.event, ev.Turned) for entry in entries)


def copied(card: Path, to: Path) -> Path:
    shutil.copytree(card, to)
    passphrase.forget()
    return to


# --------------------------------------------------------------------------------------------- without the options


@pytest.mark.slow
def test_without_options_the_keys_lie_beside_the_journal_and_a_copy_of_the_card_opens_the_game(
    here: Path, tmp_path: Path
) -> None:
    assert play(*CLAIM).exit_code == 0
    assert {path.name.partition("-")[0] for path in BESIDE.iterdir()} == {"device.key", "game", "last.head"}
    assert opens_a_running_game(copied(here, tmp_path / "copy"))
    assert trapdial("journal", "keys", JOURNAL).output == (
        f"{JOURNAL}: keys in {BESIDE}, not encrypted: a person who copies that folder can read a running game.\n"
    )


# ------------------------------------------------------------------------------------------------- on a stick


@pytest.mark.slow
def test_with_the_keys_on_a_stick_a_copy_of_the_card_stays_sealed(here: Path, stick: Path, tmp_path: Path) -> None:
    assert play(*CLAIM).exit_code == 0
    assert [path.name for path in BESIDE.iterdir()] == ["place"]
    copy = copied(here, tmp_path / "copy")
    assert opens_a_running_game(copy), "while the stick is in"
    stick.rename(tmp_path / "pocket")
    assert not opens_a_running_game(copy)
    secret = (tmp_path / "pocket" / BESIDE / "device.key").read_bytes().strip()
    assert all(secret not in path.read_bytes() for path in copy.rglob("*") if path.is_file())


def test_a_missing_stick_is_a_sentence_and_nothing_is_written_into_its_empty_mount_point(
    stick: Path, tmp_path: Path
) -> None:
    assert play(*CLAIM).exit_code == 0
    stick.rename(tmp_path / "pocket")
    for folder in ("missing", "empty"):
        if folder == "empty":
            stick.mkdir()
        refused = play(words=("--resume",))
        assert refusal(refused) == (
            f"{stick / BESIDE} is not there, and it has the keys. Plug in and mount the disk with the keys, then try "
            "again."
        )
    assert list(stick.iterdir()) == []
    stick.rmdir()
    (tmp_path / "pocket").rename(stick)
    assert play("end", words=("--resume",)).exit_code == 0
    assert jn.verify(JOURNAL).state is RecordState.WHOLE


@pytest.mark.slow
def test_a_stick_that_is_missing_at_the_first_game_is_a_sentence(stick: Path) -> None:
    stick.rmdir()
    refused = play()
    assert refusal(refused) == (
        f"{stick} is not there, and the settings name it for the keys. Plug in and mount the disk with the keys, then "
        "try again."
    )
    assert not JOURNAL.exists()
    assert not BESIDE.exists()


def when_said(words: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do something once, when the table has said this."""
    say, todo = Terminal.say, [act]

    def said(self: Terminal, line: str) -> None:
        say(self, line)
        if words in line and todo:
            todo.pop()()

    monkeypatch.setattr(Terminal, "say", said)


def test_a_stick_pulled_during_the_game_costs_nothing_and_the_key_is_published_at_the_end(
    stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    when_said("Ann is about to turn a dial.", lambda: stick.rename(tmp_path / "pocket"), monkeypatch)
    done = play("sim wait 12", *CLAIM, "sim wait 25", "end")
    assert done.exit_code == 0, done.output
    notice = (
        f"keys ({stick / BESIDE}): cannot be reached. The game goes on, because its key is in memory. Put the disk "
        "back before the next start."
    )
    assert f"SIMULATED referee  | {notice}" in done.output.splitlines()
    assert jn.verify(JOURNAL).state is RecordState.WHOLE
    assert opens_a_running_game(Path()), "the key is published"
    assert not stick.exists(), "no key was written where the stick was"


@pytest.mark.slow
def test_a_stick_that_comes_back_is_noticed(stick: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    when_said("Ann is about to turn a dial.", lambda: stick.rename(tmp_path / "pocket"), monkeypatch)
    when_said("cannot be reached", lambda: (tmp_path / "pocket").rename(stick), monkeypatch)
    done = play("sim wait 12", *CLAIM, "sim wait 25")
    assert done.exit_code == 0, done.output
    assert f"SIMULATED referee  | keys ({stick / BESIDE}): can be reached again." in done.output.splitlines()
    assert play("end", words=("--resume",)).exit_code == 0


@pytest.mark.slow
def test_keys_beside_the_journal_are_not_left_behind_silently(here: Path, tmp_path: Path) -> None:
    assert play(*CLAIM).exit_code == 0
    (tmp_path / "stick").mkdir()
    with Path("trapdial.toml").open("a") as settings:
        settings.write(f'\n[record]\nkeys = "{tmp_path}/stick"\n')
    refused = play(words=("--resume",))
    assert refusal(refused) == (
        f"{BESIDE} has the keys of {JOURNAL}, and the settings name another place, {tmp_path}/stick. "
        f"Type: trapdial journal keys {JOURNAL} --move-to {tmp_path}/stick."
    )
    assert trapdial("journal", "keys", JOURNAL, "--move-to", tmp_path / "stick").exit_code == 0
    assert [path.name for path in BESIDE.iterdir()] == ["place"]
    assert play("end", words=("--resume",)).exit_code == 0
    back = trapdial("journal", "keys", JOURNAL, "--move-to", ".")
    assert back.output.startswith(f"{JOURNAL}: keys in {here / BESIDE}, not encrypted")
    assert not list((tmp_path / "stick" / BESIDE).iterdir())
    assert {path.name for path in BESIDE.iterdir()} == {"device.key", "last.head"}


@pytest.mark.slow
def test_every_command_finds_the_keys_on_the_stick(stick: Path) -> None:
    assert play(*CLAIM).exit_code == 0
    for words in (("replay", JOURNAL), ("audit", JOURNAL), ("journal", "head", JOURNAL, "--no-qr")):
        assert trapdial(*words).exit_code in (0, 3), words


# ----------------------------------------------------------------------------------------------- with a passphrase


def test_with_a_passphrase_a_copy_of_the_card_stays_sealed_and_the_game_goes_on(
    here: Path, tmp_path: Path, give: Give
) -> None:
    assert play(*CLAIM).exit_code == 0
    plain = {path.name: path.read_bytes().strip() for path in BESIDE.glob("*.key")}
    give(PHRASE)
    assert trapdial("journal", "keys", JOURNAL, "--set-passphrase").output == (
        f"{JOURNAL}: keys in {BESIDE}, encrypted with a passphrase.\n"
    )
    assert len(plain) == 2
    everything = b"".join(path.read_bytes() for path in here.rglob("*") if path.is_file())
    assert not any(key in everything for key in plain.values())
    give(OTHER)
    assert not opens_a_running_game(here)
    give(PHRASE)
    assert play(*CLAIM[:1], words=("--resume",)).exit_code == 0
    give(PHRASE)
    assert play("new", *CLAIM, words=("--new",)).exit_code == 0
    games = sorted(BESIDE.glob("game-*.key"))
    assert all(path.read_text().startswith("locked1 ") for path in (*games, BESIDE / "device.key"))
    give(PHRASE)
    assert play("end", words=("--resume",)).exit_code == 0


def test_a_wrong_passphrase_is_a_sentence_and_changes_nothing(here: Path, give: Give) -> None:
    play(*CLAIM)
    give(PHRASE)
    trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    before = {path: path.read_bytes() for path in here.rglob("*") if path.is_file()}
    for words in (
        ("play", "--simulated", "--resume"),
        ("journal", "keys", JOURNAL, "--set-passphrase"),
        ("journal", "keys", JOURNAL, "--remove-passphrase"),
    ):
        give(OTHER, OTHER)
        refused = trapdial(*words)
        assert refusal(refused) == (
            f"{BESIDE} has keys under another passphrase than this one. Try again with the right one; nothing was "
            "changed."
        )
    assert {path: path.read_bytes() for path in here.rglob("*") if path.is_file()} == before


@pytest.mark.slow
def test_a_passphrase_is_changed_and_removed_by_a_command(here: Path, give: Give) -> None:
    play(*CLAIM)
    plain = {path.name: path.read_bytes() for path in BESIDE.glob("*.key")}
    give(PHRASE)
    trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    give(PHRASE, OTHER)
    assert trapdial("journal", "keys", JOURNAL, "--set-passphrase").exit_code == 0
    give(PHRASE)
    assert trapdial("journal", "keys", JOURNAL, "--remove-passphrase").exit_code == 2
    give(OTHER)
    assert "not encrypted" in trapdial("journal", "keys", JOURNAL, "--remove-passphrase").output
    assert {path.name: path.read_bytes() for path in BESIDE.glob("*.key")} == plain
    assert not (BESIDE / "passphrase.lock").exists()


@pytest.mark.slow
def test_a_short_passphrase_and_no_way_to_ask_are_sentences(
    here: Path, give: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(*CLAIM)
    give("short")
    assert refusal(trapdial("journal", "keys", JOURNAL, "--set-passphrase")) == (
        f"{BESIDE} was given a passphrase of fewer than 8 characters. Take a longer one, such as five words; nothing "
        "was changed."
    )
    give(PHRASE)
    trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    passphrase.forget()
    monkeypatch.setenv(passphrase.FROM_DESCRIPTOR, "none")
    assert refusal(play(words=("--resume",))) == (
        f"{BESIDE} needs its passphrase, and $TRAPDIAL_PASSPHRASE_FD is no open file descriptor. Open it, such as "
        "TRAPDIAL_PASSPHRASE_FD=3 3< FILE."
    )


@pytest.mark.slow
def test_a_service_reads_the_passphrase_from_its_credential(
    tmp_path: Path, give: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As systemd hands it over with LoadCredentialEncrypted=: decrypted, in a folder of the service's own."""
    play(*CLAIM)
    give(PHRASE)
    trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    passphrase.forget()
    monkeypatch.delenv(passphrase.FROM_DESCRIPTOR)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path / "credentials"))
    (tmp_path / "credentials").mkdir()
    (tmp_path / "credentials" / "trapdial-passphrase").write_text(PHRASE + "\n")
    assert play("end", words=("--resume",)).exit_code == 0
    (tmp_path / "credentials" / "trapdial-passphrase").write_text("two\nlines")
    passphrase.forget()
    assert refusal(play(words=("--new",))) == (
        f"{BESIDE} needs its passphrase, and credential trapdial-passphrase is not one line of text of at most 1024 "
        "bytes. Write the passphrase there, and nothing else."
    )


@pytest.mark.slow
def test_an_interrupted_change_of_the_passphrase_loses_no_key(
    here: Path, give: Give, monkeypatch: pytest.MonkeyPatch
) -> None:
    play(*CLAIM)
    rename, left = os.rename, [2]  # the lock and one key

    def until_full(old: str, new: str, *, src_dir_fd: int, dst_dir_fd: int) -> None:
        if not left[0]:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left[0] -= 1
        rename(old, new, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "rename", until_full)
    give(PHRASE)
    assert "could not be written (No space left on device)" in refusal(
        trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    )
    monkeypatch.setattr(os, "rename", rename)
    give(PHRASE)
    assert opens_a_running_game(here)
    give(PHRASE, PHRASE)
    assert trapdial("journal", "keys", JOURNAL, "--set-passphrase").exit_code == 0
    assert all(path.read_text().startswith("locked1 ") for path in BESIDE.glob("*.key"))


@pytest.mark.slow
def test_a_lost_folder_is_written_back_encrypted(give: Give, monkeypatch: pytest.MonkeyPatch) -> None:
    play(*CLAIM)
    give(PHRASE)
    trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    when_said("Ann is about to turn a dial.", lambda: shutil.rmtree(BESIDE), monkeypatch)
    give(PHRASE)
    assert play("new", *CLAIM, words=("--new",)).exit_code == 0
    assert all(path.read_text().startswith("locked1 ") for path in BESIDE.glob("*.key"))
    give(PHRASE)
    assert play("end", words=("--resume",)).exit_code == 0


@pytest.mark.slow
def test_two_swapped_key_files_are_no_keys(give: Give) -> None:
    play(*CLAIM)
    give(PHRASE)
    trapdial("journal", "keys", JOURNAL, "--set-passphrase")
    game = next(BESIDE.glob("game-*.key"))
    (BESIDE / "device.key").write_bytes(game.read_bytes())
    give(PHRASE)
    assert refusal(play(words=("--resume",))) == (f"{BESIDE}/device.key holds no key. Put the file back from a copy.")


@pytest.mark.slow
@pytest.mark.parametrize(
    "lock",
    ["", "{}", "\x00", '{"kdf":"scrypt","passes":3,"memory":8192,"salt":"00","opener":"00"}',
     '{"kdf":"argon2id13","passes":3,"memory":99999999999,"salt":"00112233445566778899aabbccddeeff","opener":"00"}'],
)  # fmt: skip
def test_a_planted_lock_is_a_sentence(give: Give, lock: str) -> None:
    play(*CLAIM)
    (BESIDE / "passphrase.lock").write_text(lock)
    give(PHRASE)
    refused = play(words=("--resume",))
    assert refused.exit_code == 2
    assert f"{BESIDE}/passphrase.lock " in refused.stderr
    assert "Put the file back from a copy." in refused.stderr


# ------------------------------------------------------------------------------------- a folder that others can use


@pytest.mark.parametrize(
    "mode", [0o755, pytest.param(0o777, marks=pytest.mark.slow), pytest.param(0o770, marks=pytest.mark.slow)]
)
def test_a_keys_folder_that_others_can_use_is_refused(mode: int) -> None:
    play(*CLAIM)
    BESIDE.chmod(mode)
    said = play(words=("--new",))
    can = "read" if mode == 0o755 else "written"
    assert refusal(said) == (
        f"{Path.cwd() / BESIDE} can be {can} by other users (mode {mode:o}). Type: chmod 700 {Path.cwd() / BESIDE}."
    )
    BESIDE.chmod(0o700)
    assert play("end", words=("--resume",)).exit_code == 0


@pytest.mark.slow
def test_the_doctor_says_what_play_says(here: Path) -> None:
    KeyRing(here / "journal.db.keys").device()
    assert trapdial("doctor", "--simulated", "--seconds", "0.1").exit_code == 0
    (here / "journal.db.keys").chmod(0o777)
    examined = trapdial("doctor", "--simulated", "--seconds", "0.1")
    assert examined.exit_code == 1
    assert (
        f"!! keys ({here}/journal.db.keys): can be written by other users (mode 777). "
        f"Type: chmod 700 {here}/journal.db.keys."
    ) in examined.output.replace("!!  ", "!! ")


@pytest.mark.slow
def test_a_linked_keys_folder_is_refused(tmp_path: Path) -> None:
    play(*CLAIM)
    BESIDE.rename(tmp_path / "theirs")
    BESIDE.symlink_to(tmp_path / "theirs")
    said = play(words=("--new",))
    assert refusal(said).startswith(f"{Path.cwd() / BESIDE} is a symbolic link to {tmp_path}/theirs, and the keys must")


def test_a_world_writable_folder_of_the_journal_is_refused_before_a_key_is_made(here: Path) -> None:
    here.chmod(0o777)
    said = play()
    assert refusal(said) == (
        f"{here} can be written by other users (mode 777), who could replace the keys' folder in it. "
        f"Type: chmod go-w {here}."
    )
    assert not BESIDE.exists()
    assert not JOURNAL.exists()


@pytest.mark.slow
def test_a_planted_name_of_another_place_is_no_way_around_the_check(tmp_path: Path) -> None:
    """Somebody who can write beside the journal names his own folder there; it is refused as any other is."""
    play(*CLAIM)
    theirs = tmp_path / "theirs"
    shutil.copytree(BESIDE, theirs)
    theirs.chmod(0o777)
    for name in os.listdir(BESIDE):
        (BESIDE / name).unlink()
    (BESIDE / "place").write_text(str(theirs))
    assert f"{theirs} can be written by other users" in play(words=("--resume",)).stderr
    theirs.chmod(0o700)
    BESIDE.chmod(0o777)
    assert f"{Path.cwd() / BESIDE} can be written by other users" in play(words=("--resume",)).stderr
    BESIDE.chmod(0o700)
    (BESIDE / "place").unlink()
    os.mkfifo(BESIDE / "place")
    assert key_ring(BESIDE).beside is None, "a pipe is not waited for"


@pytest.mark.slow
def test_the_passphrase_is_typed_twice_when_it_is_new_then_once_and_never_shown(
    here: Path,
) -> None:
    play(*CLAIM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    program = [sys.executable, "-m", "pi_app", "journal", "keys", str(here / JOURNAL)]
    with TerminalProgram([*program, "--set-passphrase"], here, environment) as terminal:
        terminal.wait_for("New passphrase for the keys in")
        terminal.type(f"{PHRASE}\r")
        terminal.wait_for("The same again:")
        terminal.type(f"{OTHER}\r")
        assert terminal.wait() == 2
        assert "twopassphrasesthatdiffer" in terminal.letters
    assert not (BESIDE / "passphrase.lock").exists()
    with TerminalProgram([*program, "--set-passphrase"], here, environment) as terminal:
        terminal.wait_for("New passphrase for the keys in")
        terminal.type(f"{PHRASE}\r")
        terminal.wait_for("The same again:")
        terminal.type(f"{PHRASE}\r")
        assert terminal.wait() == 0
        assert "fivewords" not in terminal.letters
    with TerminalProgram([*program, "--remove-passphrase"], here, environment) as terminal:
        terminal.wait_for("Passphrase of the keys in")
        terminal.type(f"{PHRASE}\r")
        assert terminal.wait() == 0
        assert "fivewords" not in terminal.letters
    assert not (BESIDE / "passphrase.lock").exists()
