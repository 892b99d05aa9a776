"""What the package's scripts run: the tree is made, put on trial where a station is used, and taken away."""

from __future__ import annotations

import platform
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


class KilledError(Exception):
    """dpkg is killed."""


def killed(words: Sequence[str]) -> tuple[int, str]:
    """A system on which the station is enabled, and where dpkg is killed before its units are written."""
    if "is-enabled" in words:
        return 0, ""
    raise KilledError


def test_an_installation_that_was_killed_before_it_was_in_use_is_finished_by_the_next(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    old, new = payload(tmp_path, OLD), payload(tmp_path, NEW)
    with pytest.raises(KilledError):
        install(old, home, Systemd(killed, tmp_path / "nowhere"))
    (home / "confirmed").unlink()  # killed even earlier
    assert install(old, home, enabled()) == "Version 1.0 is in place."
    assert (trees.pointed(home, "confirmed"), trees.pointed(home, "units")) == ("A", "A")
    with pytest.raises(KilledError):
        install(new, home, Systemd(killed, tmp_path / "nowhere"))
    assert install(new, home, enabled()).startswith("Version 2.0 is on trial")
    assert trees.pointed(home, "units") == "B"


def test_the_same_package_again_brings_a_removed_station_back(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    made = payload(tmp_path, OLD)
    install(made, home, enabled())
    (home / "A/bin/trapdial").rename(home / "A/bin/elsewhere")  # a tree that is made again would have it
    assert install(made, home, Systemd(unused, tmp_path / "nowhere")) == "Version 1.0 is in place."
    assert not (home / "A/bin/trapdial").exists()


def test_another_python_of_the_system_gets_a_tree_of_its_own_and_no_trial(tmp_path: Path) -> None:
    """The version before cannot run any more, so there is none to go back to."""
    home = tmp_path / "home"
    home.mkdir()
    made = payload(tmp_path, OLD)
    install(made, home, enabled())
    note = home / "A" / trees.NOTE
    note.write_text(note.read_text(encoding="utf-8").replace(platform.python_version(), "3.10.1"), encoding="utf-8")
    assert install(made, home, enabled()) == "Version 1.0 is in place."
    assert (trees.pointed(home, "current"), trees.pointed(home, "confirmed")) == ("B", "B")
    note = home / "B" / trees.NOTE
    minor = ".".join(platform.python_version_tuple()[:2])
    later = note.read_text(encoding="utf-8").replace(platform.python_version(), f"{minor}.99")
    note.write_text(later, encoding="utf-8")
    assert install(made, home, enabled()) == "Version 1.0 is there already."


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
