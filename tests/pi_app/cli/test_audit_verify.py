"""`trapdial audit --sign` and `trapdial audit verify`: a page that can be sent by mail."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pi_app import journal as jn
from pi_app.audit import page as page_module
from pi_app.cli.main import main
from pi_app.game import events as ev
from pi_app.journal.record.verdict import fingerprint
from tests.pi_app.audit.records import write
from tests.pi_app.games import exposes, turned

HONEST = (*exposes("T01", 3, "ANN"), ev.Ended())


@pytest.fixture(autouse=True)
def without_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """They take seconds, and a signature covers any bytes."""
    monkeypatch.setattr(page_module, "MOST_DRAWN", 0)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return write(tmp_path / "j.db", *HONEST)


@pytest.fixture
def page(journal: Path, tmp_path: Path) -> Path:
    result = run(journal, "-o", tmp_path / "p.html", "--sign")
    assert result.exit_code == 0, result.output
    return tmp_path / "p.html"


def run(*words: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, ["audit", *map(str, words)])


def test_a_signed_page_is_genuine_and_names_its_device_and_its_journal(journal: Path, page: Path) -> None:
    result = run("verify", page)
    device = fingerprint(jn.head(journal).device)
    digest = jn_sha256(journal)
    assert result.exit_code == 0
    assert result.output.splitlines() == [
        f"{page}: GENUINE. Signed by the device {device}, and unchanged since.",
        f"It is about j.db, SHA-256 {digest}.",
        "Compare the device with the one that `trapdial journal head` prints at its table.",
    ]
    again = run("verify", page, "--journal", journal)
    assert again.exit_code == 0
    assert again.output.splitlines()[-1] == f"{journal} is that journal, and its device signed the page."


def jn_sha256(path: Path) -> str:
    from hashlib import sha256

    return sha256(path.read_bytes()).hexdigest()


def test_every_changed_byte_is_found(page: Path) -> None:
    sound = page.read_bytes()
    for at in range(0, len(sound), 97):
        page.write_bytes(sound[:at] + bytes([sound[at] ^ 1]) + sound[at + 1 :])
        result = run("verify", page)
        assert result.exit_code in (2, 4), at
        assert "GENUINE" not in result.output
    page.write_bytes(sound.replace(b"PASS", b"FAIL", 1))
    result = run("verify", page)
    assert result.exit_code == 4
    assert result.output == f"{page}: CHANGED. It is not what its signature was made for; ask for the page again.\n"


def test_what_stands_before_or_behind_is_found(page: Path) -> None:
    sound = page.read_bytes()
    page.write_bytes(b"<p>FAIL</p>" + sound)
    assert run("verify", page).exit_code == 4
    page.write_bytes(sound + b"<p>FAIL</p>")
    assert run("verify", page).exit_code == 2


def test_line_ends_that_a_mail_program_changed_do_no_harm(page: Path) -> None:
    page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    assert run("verify", page).exit_code == 0


def test_another_journal_is_found(page: Path, journal: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = write(tmp_path / "other" / "j.db", *HONEST)
    result = run("verify", page, "--journal", other)
    assert result.exit_code == 5
    assert result.output.splitlines()[-1] == (
        f"{page}: ANOTHER JOURNAL. {other} was written by another device than the one that signed."
    )
    copy = tmp_path / "copy.db"
    with contextlib.closing(sqlite3.connect(journal)) as db:
        db.execute("VACUUM INTO ?", (str(copy),))
    assert f"{copy} is not the file that was audited" in run("verify", page, "--journal", copy).output


def test_an_unsigned_page_and_none_at_all_are_2(journal: Path, tmp_path: Path) -> None:
    assert run(journal, "-o", tmp_path / "u.html").exit_code == 0
    result = run("verify", tmp_path / "u.html")
    assert result.exit_code == 2
    assert result.stderr == (
        f"{tmp_path / 'u.html'}: it has no signature at its end. Name a page that `trapdial audit FILE -o PAGE --sign` "
        "wrote.\n"
    )
    assert run("verify", tmp_path / "none.html").exit_code == 2


def test_only_the_device_that_wrote_the_journal_signs(journal: Path, tmp_path: Path) -> None:
    away = tmp_path / "away"
    away.mkdir()
    (away / "j.db").write_bytes(journal.read_bytes())
    result = run(away / "j.db", "-o", tmp_path / "p.html", "--sign")
    assert result.exit_code == 2
    assert result.stderr == (
        f"--sign {away / 'j.db.keys'}: has no key of its device in it. Sign on the machine that wrote the journal, "
        "beside its keys folder.\n"
    )
    assert not (tmp_path / "p.html").exists()
    (tmp_path / "b").mkdir()
    other = write(tmp_path / "b" / "j.db", *exposes("T01", 3, "ANN"), turned("T02", 2), ev.Ended())
    shutil.copytree(jn.keys_of(other).folder, jn.keys_of(away / "j.db").folder)
    assert "has the key of another device" in run(away / "j.db", "-o", tmp_path / "p.html", "--sign").stderr


def test_a_signature_needs_a_page(journal: Path) -> None:
    result = run(journal, "--sign")
    assert result.exit_code == 2
    assert "--sign signs a page; name its file with -o." in result.output


def test_a_file_named_verify_is_audited_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "verify", *HONEST)
    monkeypatch.chdir(tmp_path)
    assert run("./verify").exit_code == 0
    assert run("verify", "verify").exit_code == 2


def test_the_command_says_that_the_page_is_written_and_what_to_do_next(journal: Path, tmp_path: Path) -> None:
    page = tmp_path / "my page.html"
    assert run(journal, "-o", page).stderr == f"{page}: the page is written, open it in a browser.\n"
    signed = run(journal, "-o", page, "--sign").stderr
    assert signed == f"{page}: the page is written, signed; `trapdial audit verify '{page}'` verifies it.\n"


def test_a_page_is_no_journal(page: Path) -> None:
    result = run(page)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"{page}: is a page of an audit, and no journal. Name the journal; `trapdial audit verify {page}` verifies the "
        "page's signature.\n"
    )
