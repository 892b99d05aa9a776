"""What the package's scripts run: the tree is made, put on trial where a station is used, and taken away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.placing import install, main
from tests.station.tiny import NEW, OLD, enabled, payload


def unused(words: Sequence[str]) -> tuple[int, str]:
    """A system that has no station, where one can be installed."""
    return (1, "") if "is-enabled" in words else (0, "")


def test_the_first_version_is_in_place_at_once(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    old = payload(tmp_path, OLD)
    assert install(old, home, enabled()) == "Version 1.0 is in place."
    assert install(old, home, enabled()) == "Version 1.0 is there already."
    assert not trees.on_trial(home)


def test_a_later_one_is_on_trial_where_the_station_is_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    old, new = payload(tmp_path, OLD), payload(tmp_path, NEW)
    install(old, home, enabled())
    said = "Version 2.0 is on trial: if it is not ready within a minute, the version before returns."
    assert install(new, home, enabled()) == said
    assert trees.on_trial(home)
    third = payload(tmp_path, "3.0")
    assert install(third, home, enabled()).startswith("Version 3.0 is on trial")
    assert [found.version if (found := trees.tree(home, slot)) else None for slot in trees.SLOTS] == [OLD, "3.0"]
    trees.confirm(home)
    assert install(new, home, Systemd(unused, tmp_path / "nowhere")) == "Version 2.0 is in place."


def test_units_that_cannot_be_written_are_said(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    failing = Systemd(lambda words: (1, "the disk\nis full"), tmp_path / "nowhere")
    program = f"{home}/current/bin/trapdial"
    assert install(payload(tmp_path, OLD), home, failing) == (
        f"Version 1.0 is in place. `{program} station install --program {program}` ended with 1: the disk is full"
    )


def test_the_scripts_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = payload(tmp_path, OLD)
    assert main(["install"], made, enabled()) == 0
    assert trees.running(tmp_path) is not None
    assert main(["remove"], made) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["payload-1.0"]
    assert main([], made) == 1
    (made / "SHA256SUMS").unlink()
    assert main(["install"], made, enabled()) == 1
    assert capsys.readouterr() == (
        "Version 1.0 is in place.\n",
        "trapdial: Say what to do: `put.py install` or `put.py remove`.\n"
        f"trapdial: {made}/SHA256SUMS: it cannot be read (No such file or directory). Copy or download the package "
        "again.\n",
    )


def test_a_full_disk_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = payload(tmp_path, OLD)
    (tmp_path / "A").write_text("no folder", encoding="utf-8")
    assert main(["install"], made, enabled()) == 1
    assert capsys.readouterr().err == (
        f"trapdial: {tmp_path}/A/tree.json: Not a directory. Make room on the disk, or make it writable, and try "
        "again; the program that ran before still runs.\n"
    )
