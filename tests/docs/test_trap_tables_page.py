"""The page about trap table files matches the loader: every key, its type, its values, an example."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from pi_app.game import trap_table_file as tt
from pi_app.text.errors import UserFileError
from pi_app.text.user_file import Severity, requirement
from tests.docs.pages import blocks, tables, text

PAGE = "wiring_docs/trap_tables.md"
HEAD, FACE = tables(PAGE, "key", "what it is", "type", "needed", "values")


def documented(rows: list[dict[str, str]]) -> dict[str, str]:
    return {row["key"].strip("`"): row["values"] for row in rows}


@pytest.mark.parametrize(("rows", "kind"), [(HEAD, tt.TableHead), (FACE, tt.FaceRow)])
def test_every_key_is_documented_with_the_values_that_the_loader_accepts(
    rows: list[dict[str, str]], kind: type[msgspec.Struct]
) -> None:
    from typing import get_type_hints

    hints = get_type_hints(kind, include_extras=True)
    assert documented(rows) == {key: requirement(hint) for key, hint in hints.items()}
    needed = {field.name for field in msgspec.structs.fields(kind) if field.required}
    assert {row["key"].strip("`") for row in rows if row["needed"] == "yes"} == needed


def example() -> str:
    (found,) = blocks(PAGE, "toml")
    return found


def test_the_example_is_good() -> None:
    checked = tt.parse(example(), "example.toml")
    assert checked.table is not None
    assert checked.problems == ()


def needing(condition: str) -> list[str]:
    return [row["key"].strip("`") for row in (*HEAD, *FACE) if row["needed"].startswith(condition)]


@pytest.mark.parametrize("key", [*needing("yes"), *needing("if transcribed"), *needing("for a trap")])
def test_what_is_needed_is_missed(key: str) -> None:
    lines = example().split("\n")
    first = next(n for n, line in enumerate(lines) if line.startswith(f"{key} = "))
    checked = tt.parse("\n".join([*lines[:first], *lines[first + 1 :]]), "example.toml")
    assert checked.table is None
    assert any(key in problem.reason for problem in checked.problems if problem.severity is Severity.ERROR)


@pytest.mark.parametrize("key", ["trap", "disarm", "xp"])
def test_what_only_a_trap_has_is_refused_elsewhere(key: str) -> None:
    line = next(line for line in example().split("\n") if line.startswith(f"{key} = "))
    worse = example().replace('kind = "clear"', f'kind = "clear"\n{line}', 1)
    assert tt.parse(worse, "example.toml").table is None


def test_every_message_about_a_bad_file_names_the_page(tmp_path: Path) -> None:
    assert "`trapdial docs trap_tables`" in tt.FORMAT_PAGE
    (tmp_path / "bad.toml").write_text('name = "x"')
    with pytest.raises(UserFileError) as refused:
        tt.load(tmp_path / "bad.toml")
    assert refused.value.problems[-1] == f"{tmp_path}/bad.toml: {tt.FORMAT_PAGE}."
    assert "(trap_tables.md)" in text("wiring_docs/README.md")
