"""`trapdial centre reader`, as it is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.centre.roles import reader_of, token_hash
from pi_app.centre.settings import load
from pi_app.cli.main import main


def reader(*words: str | Path) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["centre", "reader", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    made = CliRunner().invoke(main, ["centre", "new", str(tmp_path / "shop"), "--name", "centre.example/c1"])
    assert made.exit_code == 0
    return tmp_path / "shop" / "centre.toml"


def test_a_token_is_printed_once_and_kept_as_a_hash(settings: Path) -> None:
    code, output, errors = reader("add", "Ann", "--role", "auditor", "-s", settings)
    token, said, address = output.splitlines()
    assert (code, errors) == (0, "")
    assert said == "This token lets Ann read every table. It is not shown again."
    assert address == f"Open http://127.0.0.1:8460/enter#{token}"
    found = reader_of(token, load(settings).readers)
    assert found is not None
    assert (found.name, found.role, found.shop) == ("Ann", "auditor", "")
    text = settings.read_text(encoding="utf-8")
    assert token not in text
    assert token.replace("-", "") not in text


def test_a_shop_reads_its_own_tables(settings: Path) -> None:
    enrolled = ["centre", "enrol", "Table 1", "--shop", "Lyon", "-s", str(settings)]
    assert CliRunner().invoke(main, enrolled).exit_code == 0
    output = reader("add", "Leo", "--role", "shop", "--shop", "Lyon", "-s", settings)[1].splitlines()
    assert output[1] == "This token lets Leo read the tables of Lyon. It is not shown again."
    assert output[3] == "No table of Lyon is enrolled yet. The name must be the same, to the letter."


def test_json(settings: Path) -> None:
    code, output, _ = reader("add", "Leo", "--role", "shop", "--shop", "Lyon", "--json", "-s", settings)
    found = json.loads(output)
    assert code == 0
    assert load(settings).readers[0].token_sha256 == token_hash(found["token"])
    assert found == {
        "name": "Leo",
        "role": "shop",
        "shop": "Lyon",
        "token": found["token"],
        "address": f"http://127.0.0.1:8460/enter#{found['token']}",
    }
    assert json.loads(reader("list", "--json", "-s", settings)[1]) == {"name": "Leo", "role": "shop", "shop": "Lyon"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--role", "shop"], "--shop: a shop's reader needs the name of its shop. Give --shop NAME."),
        (["--role", "auditor", "--shop", "Lyon"], "--shop: an auditor sees every shop. Leave --shop out."),
        (["--role", "owner"], "'owner' is not one of 'auditor', 'shop'"),
    ],
)
def test_a_role_and_a_shop_that_do_not_fit_are_refused(settings: Path, words: list[str], said: str) -> None:
    before = settings.read_bytes()
    code, output, errors = reader("add", "Leo", *words, "-s", settings)
    assert (code, output) == (2, "")
    assert said in errors
    assert settings.read_bytes() == before


def test_who_reads_is_listed(settings: Path) -> None:
    assert reader("list", "-s", settings)[1] == (
        f"{settings}: there are no readers. Add one: trapdial centre reader add NAME --role auditor\n"
    )
    reader("add", "Ann", "--role", "auditor", "-s", settings)
    reader("add", "Leo", "--role", "shop", "--shop", "Lyon", "-s", settings)
    assert reader("list", "-s", settings)[1] == "Ann reads every table.\nLeo reads the tables of Lyon.\n"
