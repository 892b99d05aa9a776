"""`trapdial centre new`, `enrol` and `revoke`, as they are typed."""

from __future__ import annotations

import getpass
import json
import socket
import stat
import sys
from pathlib import Path

import pytest

from pi_app.centre.enrolment import LETTERS, VALID_S, code_hash
from pi_app.centre.key_file import read_key
from pi_app.centre.making import CREATE
from pi_app.centre.settings import CentreSettings, load
from pi_app.centre.store.opening import NO_PSYCOPG
from pi_app.centre.store.sqlite import SqliteStore
from tests.pi_app.cli.typed_centre import ORIGINS, centre


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    assert centre("new", tmp_path / "shop", "--name", "centre.example/c1")[0] == 0
    return tmp_path / "shop" / "centre.toml"


# ----------------------------------------------------------------------------------------------------------------- new


def test_a_new_centre_has_settings_a_key_and_a_store_for_its_owner_alone(tmp_path: Path) -> None:
    code, output, errors = centre("new", tmp_path / "shop", "--name", "centre.example/c1")
    path = tmp_path / "shop" / "centre.toml"
    key = read_key(path.with_name("centre.key"), "centre.example/c1")
    section = f'[centre]\naddress = "http://127.0.0.1:8460/"\nkey = "{key.verifier.text()}"\n'
    assert (code, errors) == (0, "")
    assert load(path) == CentreSettings(where=path, name="centre.example/c1")
    assert {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()} == {
        "centre.toml": 0o600, "centre.key": 0o600, "centre.db": 0o600,
    }  # fmt: skip
    assert f"Its public key: {key.verifier.text()}\n" in output
    assert f"\n\n{section}\n" in output
    assert f"Start it: trapdial centre run -s {path}\n" in output
    assert key.key.seed.hex() not in output


def test_a_new_centre_as_json_says_what_a_table_pins(tmp_path: Path) -> None:
    words = ("--listen", "0.0.0.0:9000", "--json", "--name", "c/1")
    found = json.loads(centre("new", tmp_path / "shop", *words)[1])
    key = read_key(tmp_path / "shop" / "centre.key", "c/1").verifier.text()
    address = f"http://{socket.gethostname()}:9000/"
    assert found == {
        "settings": str(tmp_path / "shop" / "centre.toml"),
        "name": "c/1",
        "key": key,
        "table": f'[centre]\naddress = "{address}"\nkey = "{key}"',
    }


def test_nothing_is_overwritten_and_a_key_from_a_backup_is_used(settings: Path) -> None:
    before = settings.with_name("centre.key").read_text()
    code, _, errors = centre("new", settings.parent)
    assert (code, errors) == (2, f"{settings}: exists already and is never overwritten; give another name\n")
    settings.unlink()
    assert centre("new", settings.parent, "--name", "centre.example/c1")[0] == 0
    assert settings.with_name("centre.key").read_text() == before


@pytest.mark.parametrize(
    ("words", "place", "message"),
    [
        (("--name", "a b"), " name = 'a b'", "must be a name of at most 255 letters without spaces and +, such as"),
        (("--listen", "here"), " listen = 'here'", "must be an address and a port from 1 to 65535, such as"),
    ],
)
def test_a_wrong_option_makes_nothing(tmp_path: Path, words: tuple[str, ...], place: str, message: str) -> None:
    code, output, errors = centre("new", tmp_path / "shop", *words)
    assert (code, output) == (2, "")
    assert errors.startswith(f"{tmp_path}/shop/centre.toml{place}: {message}")
    assert not (tmp_path / "shop").exists()


def test_a_database_that_does_not_answer_says_what_to_create(tmp_path: Path) -> None:
    for address, user in (
        ("postgresql:///x", getpass.getuser()),
        ("postgresql://trapdial-centre@/x", "trapdial-centre"),
    ):
        code, output, errors = centre("new", tmp_path / "shop", "--store", f"{address}?host={tmp_path}/nowhere")
        create = CREATE.format(user=user, database="x")
        assert (code, output) == (2, "")
        assert errors.startswith("The database cannot be used (")
        assert errors.endswith(f"Check that PostgreSQL runs, and its address and user. {create}.\n")
        assert list((tmp_path / "shop").iterdir()) == []


def test_without_psycopg_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "pi_app.centre.store.postgres", raising=False)
    code, output, errors = centre("new", tmp_path / "shop", "--store", "postgresql:///x")
    assert (code, output, errors) == (2, "", f"{NO_PSYCOPG}\n")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, _, errors = centre("new", tmp_path / "file" / "shop")
    seen = "it cannot be created (Not a directory)"
    assert (code, errors) == (
        2, f"{tmp_path}/file/shop: {seen}. Name another folder, or check who owns the one above.\n",
    )  # fmt: skip


def test_a_key_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "centre.key").write_text("12\n")
    (tmp_path / "centre.key").chmod(0o600)
    code, _, errors = centre("new", tmp_path)
    assert code == 2
    assert errors.startswith(f"{tmp_path}/centre.key: it is no key of a centre, which has 64 hex digits. Put the")
    assert not (tmp_path / "centre.toml").exists()


# --------------------------------------------------------------------------------------------------------------- enrol


def test_a_code_is_printed_once_and_kept_as_its_hash(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 1_000.0)
    status, output, _ = centre("enrol", " Table  4", "--shop", "Brass Cog", "-s", settings)
    code, said, *others = output.splitlines()
    assert status == 0
    assert [len(group) for group in code.split("-")] == [4, 4, 4]
    assert set(code.replace("-", "")) <= set(LETTERS)
    assert said == "This code enrols Table 4 of Brass Cog, once, within 7 days. It is not shown again."
    assert others[-1] == f"type: trapdial journal enrol {code}"
    assert code.encode() not in settings.with_name("centre.db").read_bytes()
    store = SqliteStore(settings.with_name("centre.db"))
    found = store.enrol(code_hash(code), ORIGINS[0], 1_000 + VALID_S)
    store.close()
    assert found is not None
    assert (found.name, found.shop) == ("Table 4", "Brass Cog")


def test_a_code_as_json_names_its_end(settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.time", lambda: 0.0)
    found = json.loads(centre("enrol", "Table 4", "--json", "-s", settings)[1])
    assert len(found.pop("code")) == 14
    assert found == {"name": "Table 4", "shop": "", "until": "1970-01-08 00:00:00 UTC"}


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "a\u202eb"])
def test_a_name_that_no_list_could_show_gets_no_code(settings: Path, name: str) -> None:
    code, output, errors = centre("enrol", name, "-s", settings)
    seen = "is no name: it is empty or too long, or has letters that cannot be printed"
    assert (code, output) == (2, "")
    assert errors == f"NAME {name[:40]!a}: {seen}. Take one of at most 60 letters.\n"


# -------------------------------------------------------------------------------------------------------------- revoke


def enrolled(settings: Path, *tables: tuple[str, str]) -> None:
    store = SqliteStore(settings.with_name("centre.db"))
    for origin, (name, shop) in zip(ORIGINS, tables, strict=False):
        store.add_code(b"code", name, shop, 10)
        assert store.enrol(b"code", origin, 1) is not None
    store.close()


def revoked(settings: Path) -> list[bool]:
    store = SqliteStore(settings.with_name("centre.db"))
    found = [each.revoked for each in store.records()]
    store.close()
    return found


def test_a_table_is_revoked_by_its_name_with_the_codes_for_it(settings: Path) -> None:
    enrolled(settings, ("Table 1", "Cog"), ("Table 2", "Cog"))
    assert centre("enrol", "Table 1", "-s", settings)[0] == 0
    code, output, _ = centre("revoke", "Table 1", "-s", settings)
    assert code == 0
    assert output == (
        f"Table 1: its record {ORIGINS[0]} of 0 entries is revoked: nothing more is taken from it.\n"
        "Table 1: 1 unused code enrols nothing any more.\n"
    )
    assert revoked(settings) == [True, False]
    assert "was revoked before.\n" in centre("revoke", "Table 1", "-s", settings)[1]


def test_all_records_of_a_table_are_revoked_and_one_by_its_origin(settings: Path) -> None:
    enrolled(settings, ("Table 1", "Cog"), ("Table 1", "Cog"), ("Table 2", "Cog"))
    assert json.loads(centre("revoke", ORIGINS[2], "--json", "-s", settings)[1]) == {
        "revoked": [ORIGINS[2]], "codes": 0,
    }  # fmt: skip
    assert json.loads(centre("revoke", "Table 1", "--json", "-s", settings)[1])["revoked"] == ORIGINS[:2]


def test_a_name_in_two_shops_is_asked_for(settings: Path) -> None:
    enrolled(settings, ("Table 1", "Cog"), ("Table 1", ""))
    code, _, errors = centre("revoke", "Table 1", "-s", settings)
    assert (code, errors) == (
        2, "Table 1: 2 shops have a table of this name: (none), Cog. Say which one with --shop, or name its origin.\n",
    )  # fmt: skip
    assert revoked(settings) == [False, False]
    assert centre("revoke", "Table 1", "--shop", "Cog", "-s", settings)[0] == 0
    assert revoked(settings) == [True, False]


def test_an_unknown_table_is_guessed(settings: Path) -> None:
    enrolled(settings, ("Table 1", "Cog"))
    assert centre("revoke", "Tabel 1", "-s", settings) == (
        2, "", "Tabel 1: no table has this name or origin here; did you mean 'Table 1'?\n",
    )  # fmt: skip


def test_a_revocation_is_lifted_at_the_centre(settings: Path) -> None:
    enrolled(settings, ("Table 1", "Cog"), ("Table 2", "Cog"))
    for name in ("Table 1", "Table 2"):
        assert centre("revoke", name, "-s", settings)[0] == 0
    assert centre("revoke", "--lift", "Table 1", "-s", settings) == (
        0, f"Table 1: its record {ORIGINS[0]} of 0 entries is taken again.\n", "",
    )  # fmt: skip
    assert revoked(settings) == [False, True]
    assert "of 0 entries was not revoked.\n" in centre("revoke", "--lift", ORIGINS[0], "-s", settings)[1]
    assert json.loads(centre("revoke", "--lift", "Table 2", "--json", "-s", settings)[1]) == {"lifted": [ORIGINS[1]]}
    assert revoked(settings) == [False, False]
    assert centre("revoke", "--lift", "Tabel 1", "-s", settings)[0] == 2


def test_the_codes_of_another_shop_stay_good(settings: Path) -> None:
    enrolled(settings, ("Table 1", "Cog"))
    assert centre("enrol", "Table 1", "--shop", "Wheel", "-s", settings)[0] == 0
    assert json.loads(centre("revoke", "Table 1", "--shop", "Cog", "--json", "-s", settings)[1])["codes"] == 0
    assert json.loads(centre("revoke", "Table 1", "--json", "-s", settings)[1])["codes"] == 1


def test_a_store_that_is_none_is_refused(settings: Path) -> None:
    settings.with_name("centre.db").write_text("x" * 5_000)
    code, output, errors = centre("revoke", "x", "-s", settings)
    assert (code, output) == (2, "")
    assert errors.startswith(f"{settings.with_name('centre.db')}: the database cannot be used (file is not a database)")
