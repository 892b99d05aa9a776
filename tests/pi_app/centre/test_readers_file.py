"""The readers in `centre.toml`: one more is added below what is there, and a running centre sees each change."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from pi_app.centre import readers_file
from pi_app.centre.readers_file import ReadersFile, add_reader
from pi_app.centre.roles import token_hash
from pi_app.centre.settings import CentreSettings, ReaderSettings, load, parse
from pi_app.text.errors import UserFileError
from pi_app.text.user_file import Problem

TEXT = '# Ours.\nname = "centre.example/c1"'


def reader(name: str, shop: str = "") -> ReaderSettings:
    return ReaderSettings(name=name, role="shop" if shop else "auditor", shop=shop, token_sha256=token_hash(name))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "centre.toml"
    path.write_text(TEXT, encoding="utf-8")
    path.chmod(0o640)
    return path


def test_a_reader_is_added_below_what_is_there(path: Path) -> None:
    ann, shop = reader("Ann"), reader('Léo "3"', "Lyon \\ Gare")
    add_reader(path, ann)
    add_reader(path, shop)
    assert load(path).readers == (ann, shop)
    assert path.read_text(encoding="utf-8").startswith(f"{TEXT}\n\n[[reader]]\nname = ")
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir(path.parent) == ["centre.toml"]


def test_a_name_that_is_there_is_refused_and_changes_nothing(path: Path) -> None:
    add_reader(path, reader("Ann"))
    before = path.read_bytes()
    with pytest.raises(UserFileError, match=r"is the name of another reader; choose another"):
        add_reader(path, reader("ann"))
    for bad in ("", "a" * 61, "line\nfeed", "turned \u202e letters"):
        with pytest.raises(UserFileError):
            add_reader(path, reader(bad))
    assert path.read_bytes() == before


def test_a_folder_without_settings_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(UserFileError, match=r"or make a centre with: trapdial centre new FOLDER"):
        add_reader(tmp_path / "none" / "centre.toml", reader("Ann"))


def test_two_programs_that_add_at_once_lose_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = threading.Thread(target=add_reader, args=(path, reader("Bea")))

    def while_another_adds(text: str, where: Path) -> CentreSettings | tuple[Problem, ...]:
        monkeypatch.undo()
        other.start()
        other.join(0.5)
        return parse(text, where)

    monkeypatch.setattr(readers_file, "parse", while_another_adds)
    add_reader(path, reader("Ann"))
    other.join()
    assert [each.name for each in load(path).readers] == ["Ann", "Bea"]


def test_a_running_centre_sees_each_change(path: Path) -> None:
    said: list[str] = []
    readers = ReadersFile(load(path), said.append)
    assert readers() == ()
    add_reader(path, reader("Ann"))
    assert [each.name for each in readers()] == ["Ann"]
    path.write_text(f"{TEXT}\nlisten = 7\n", encoding="utf-8")
    assert [each.name for each in readers()] == ["Ann"]
    assert [each.name for each in readers()] == ["Ann"]
    path.unlink()
    assert [each.name for each in readers()] == ["Ann"]
    assert [line.partition(". ")[0] for line in said] == ["The readers stay as they were"] * 2, "once for each change"
    path.write_text(TEXT, encoding="utf-8")
    assert readers() == ()
