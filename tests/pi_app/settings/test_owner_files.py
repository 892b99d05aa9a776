"""The owner's files beside trap tables: they are read once, and all their errors are reported together."""

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.game import chests, tokens
from pi_app.settings.load import example_path
from pi_app.settings.model import ArtifactSettings, Settings
from pi_app.settings.owner_files import OwnerFiles, read
from pi_app.text.errors import UserFileError
from tests.pi_app.playing import settings, table

SPAWN = '[[figure]]\nname = "Bat"\npoints = 10\n'


def naming(folder: Path, chest_file: str, pool_file: str, spawn_file: str) -> Settings:
    used = settings()
    named = msgspec.structs.replace(used.table, chests=chest_file, spawn=spawn_file)
    return replace(used, where=str(folder / "t.toml"), table=named, artifacts=ArtifactSettings(pool=pool_file))


def test_a_table_without_them() -> None:
    assert read(settings()) == OwnerFiles()


def test_samples_and_files_beside_the_settings(tmp_path: Path) -> None:
    (tmp_path / "spawn.toml").write_text(SPAWN)
    owned = read(naming(tmp_path, chests.SAMPLE, tokens.SAMPLE, "spawn.toml"))
    assert owned.chests == chests.load(chests.sample_path())
    assert owned.pool == tokens.load(tokens.sample_path())
    assert [figure.name for figure in owned.spawn] == ["Bat"]


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_text("x = 1\n")
    with pytest.raises(UserFileError) as refused:
        read(naming(tmp_path, "a", "b", "c"))
    assert [problem.split(":")[0] for problem in refused.value.problems if "no key 'x'" in problem] == [
        str(tmp_path / name) for name in "abc"
    ]


def test_a_file_that_was_good_when_the_table_began_stays_good(tmp_path: Path) -> None:
    (tmp_path / "spawn.toml").write_text(SPAWN)
    with table(tmp_path, naming(tmp_path, chests.SAMPLE, "", "spawn.toml")) as at:
        (tmp_path / "spawn.toml").write_text("x = 1\n")
        at.say("convert 1 99")
        at.say("end")
        at.say("new")
        assert at.heard("referee").count("Figures: 1, points: 10 (R-WMT-4).") == 1
        assert list(at.demo.loop.moment.game.rulings.chests) == [101, 107, 116]


def test_settings_check_looks_into_them(tmp_path: Path) -> None:
    text = example_path("2x2").read_text().replace('chests = ""', 'chests = "gold.toml"')
    (tmp_path / "trapdial.toml").write_text(text)
    (tmp_path / "gold.toml").write_text("chest = 1\n")
    result = CliRunner().invoke(main, ["settings", "check", "-s", str(tmp_path / "trapdial.toml")])
    assert result.exit_code == 2
    assert "gold.toml chest: must be sections that begin with [[chest]]" in result.output
