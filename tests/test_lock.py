"""The lock fulfils pyproject.toml on every Python and machine, and everything that is installed comes from it."""

from __future__ import annotations

import re
from importlib.metadata import requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pi_app.station.package.wheelhouse import LGPIO, MACHINES, chosen, locked, systems
from pi_app.station.updates.wheels import System, fits
from pi_app.workshop.extras import LOCKS, USES
from tests.arm.root import PI, WHEELS_OF_TESTS
from tests.lock import (
    DEVELOPER,
    PLAYER,
    ROOT,
    SYSTEMS,
    applies_on,
    choose_pins,
    find_faults,
    read_extras,
    read_lock,
    read_wanted,
)

STALE = "\nThe lock is older than pyproject.toml. Type: make lock"
FILES = {file.name: read_lock(file) for file in (PLAYER, DEVELOPER)}


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_it_fulfils_every_extra_on_every_system(system: System) -> None:
    for file, extras in ((PLAYER, []), (DEVELOPER, read_extras())):
        pins = choose_pins(FILES[file.name], system)
        faults = list(find_faults(pins, read_wanted(*extras), system))
        assert not faults, "\n".join([file.name, *faults]) + STALE


def test_what_it_does_not_fulfil_is_named() -> None:
    system = SYSTEMS[0]
    pins = choose_pins(FILES[PLAYER.name], system)
    wanted = ["click>=99", "absent>=1", 'elsewhere; sys_platform == "win32"', "Rich>=1", "setuptools"]
    assert list(find_faults(pins, wanted, system)) == [
        f"click>=99: the lock has {pins['click'].version} for {system}",
        f"absent>=1: the lock has none for {system}",
    ]


def test_what_pyproject_asks_for_is_read_whole() -> None:
    assert {Requirement(text).name for text in read_wanted()} > {"setuptools", "click", "textual"}
    assert {Requirement(text).name for text in read_wanted("dev")} > {"setuptools", "pytest", "mpremote", "psycopg"}


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
@pytest.mark.parametrize("extra", USES)
def test_the_lock_of_an_extra_is_all_that_it_needs_beside_the_players(extra: str, system: System) -> None:
    player, developer = (choose_pins(FILES[file.name], system) for file in (PLAYER, DEVELOPER))
    beside = choose_pins(read_lock(LOCKS / f"{extra}.txt"), system)
    assert {name: developer[name].line for name in beside} == {name: pin.line for name, pin in beside.items()}, STALE
    assert not list(find_faults(player | beside, read_wanted(extra), system)), STALE
    assert not {*beside} & {*player}, "an extra changes nothing that Trapdial itself needs"


@pytest.mark.parametrize("name", FILES)
def test_every_line_has_hashes_and_no_address(name: str) -> None:
    assert all(pin.hashes for pin in FILES[name]), STALE
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for pin in FILES[name] for digest in pin.hashes)
    assert all(pin.requirement.url is None for pin in FILES[name])
    assert "//" not in (ROOT / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("system", SYSTEMS, ids=str)
def test_a_player_has_what_developers_test_with(system: System) -> None:
    player, developer = (choose_pins(FILES[file.name], system) for file in (PLAYER, DEVELOPER))
    assert {name: developer[name] for name in player} == player, STALE


@pytest.mark.parametrize("architecture", MACHINES)
def test_the_package_has_the_locked_wheels(architecture: str) -> None:
    sums = locked()
    for system in systems(architecture):
        pins = choose_pins(FILES[PLAYER.name], system)
        wheels = [each for each in chosen(architecture) if fits(each, system)]
        by_name = {each.name.lower().replace("_", "-"): each for each in wheels}
        assert by_name.keys() - {"lgpio"} == pins.keys(), STALE
        assert ("lgpio" in by_name) is (system == LGPIO[0])
        other = [name for name, pin in pins.items() if sums[by_name[name].path.name] not in pin.hashes]
        assert not other, f"{other}{STALE}"


def test_an_arm64_system_of_tests_has_all_that_its_wheels_need() -> None:
    there = {*choose_pins(FILES[PLAYER.name], PI), *WHEELS_OF_TESTS}
    for name in WHEELS_OF_TESTS:
        needs = [Requirement(text) for text in requires(name) or ()]
        missing = {canonicalize_name(need.name) for need in needs if applies_on(need, PI)} - there
        assert missing == set(), name


def test_make_and_ci_install_nothing_else() -> None:
    """Without LOCKED=no, and but for what `make lock` itself runs with, pip takes the lock or what is here."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    calls = [line for line in lines if "$(PIP)" in line and "--require-hashes" not in line and "--no-index" not in line]
    assert calls == ["install_from = @$(PIP) -e $(2)", "\t@$(PIP) --upgrade --target $(VENV)/lock $(LOCKERS)"]
    texts = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("Makefile", ".ci/run"))
    assert len(re.findall(r"\bpip3? (?:install|download|wheel)\b", texts)) == 1
