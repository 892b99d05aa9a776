"""Commands of a centre as they are typed, for tests."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from pi_app.cli.main import main

ORIGINS = [f"trapdial.invalid/record/{digit * 64}" for digit in "abc"]


def centre(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["centre", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr
