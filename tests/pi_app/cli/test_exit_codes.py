"""One table of exit codes: `audit`, `replay` and `journal verify` agree about every recorded file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from tests.pi_app.journal.recorded import EXPECTED, unpack

PAGE = Path(__file__).resolve().parents[3] / "wiring_docs" / "exit_codes.md"

NO_SQUARES = ("archive.db", "rooms_")
"""Records with a log that has no game of trap squares."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return unpack(tmp_path_factory.mktemp("recorded"))


def run(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, list(words))
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stderr


@pytest.mark.parametrize("name", EXPECTED)
def test_the_three_commands_agree(name: str, folder: Path) -> None:
    file = str(folder / name)
    heads = [word for head in EXPECTED[name]["witnesses"] for word in ("--witness", head)]
    bare, _ = run("journal", "verify", file)
    verified, _ = run("journal", "verify", file, *heads)
    audited, refusal = run("audit", file, *heads)
    replayed, _ = run("replay", file)
    if name.endswith(".jsonl"):
        assert (audited, replayed) == (2, 2)
        assert "is an export" in refusal or "is not a Trapdial journal" in refusal
    elif name.startswith(NO_SQUARES):
        assert audited == 2
        assert refusal.endswith("(file) holds no game. Name the journal of a game.\n")
        assert replayed in (2, bare)
    else:
        assert replayed == bare
        assert audited == verified or (audited == 1 and verified in (0, 3))


def test_the_page_has_every_code_of_the_three() -> None:
    codes = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert codes[:6] == ["0", "1", "2", "3", "4", "5"]
