"""The files of a station as a service: whole, as they were reviewed, and as systemd itself reads them.

`TRAPDIAL_GOLDEN=1 pytest tests/pi_app/station/service/test_units.py` writes the reviewed files again.
"""

from __future__ import annotations

import configparser
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from pi_app.pages.confined import USERS
from pi_app.pages.meeting import USER as PAGES_USER
from pi_app.pages.meeting import VARIABLE as PAGES_VARIABLE
from pi_app.station.public import feed as public_feed
from pi_app.station.service import install, lights, sending, service, units
from pi_app.station.service.boot_settings import ETC
from pi_app.station.service.leftovers import SCRUBBED
from pi_app.station.service.units import Plan, files, links, starting
from pi_app.station.staff.stick import MOUNTED_AT

GOLDEN = Path(__file__).with_name("golden_units.txt")
PLAN = Plan("/opt/trapdial/current/bin/trapdial", "/opt/trapdial/current/bin/python", "10.77.0.1:80")


def whole(plan: Plan) -> str:
    texts = "".join(f"==> /{path} <==\n{text}\n" for path, text in files(plan).items())
    links_of = "".join(f"/{path} -> {target}\n" for path, target in links(plan).items())
    return texts + links_of + "".join(f"{' '.join(command)}\n" for command in starting(plan))


def test_every_file_is_as_it_was_reviewed() -> None:
    if os.environ.get("TRAPDIAL_GOLDEN"):
        GOLDEN.write_text(whole(PLAN), encoding="utf-8")
    assert whole(PLAN) == GOLDEN.read_text(encoding="utf-8")


def read(unit: str, plan: Plan = PLAN) -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None, strict=False, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(files(plan)[f"{units.UNITS}/{unit}"])
    return parser


@pytest.mark.parametrize("unit", [units.PLAY, units.PAGES, units.DISPLAY])
def test_each_service_is_watched_restarted_for_ever_and_locked_down(unit: str) -> None:
    said = read(unit)
    assert said["Unit"]["StartLimitIntervalSec"] == "0"
    wanted = {
        "Type": "notify", "WatchdogSec": "10", "Restart": "always", "TimeoutStopSec": "5", "KillMode": "mixed",
        "ProtectSystem": "strict", "NoNewPrivileges": "yes", "CapabilityBoundingSet": "", "LimitCORE": "0",
        "SystemCallArchitectures": "native", "SystemCallFilter": "@system-service",
    }  # fmt: skip
    assert {key: said["Service"][key] for key in wanted} == wanted
    assert said["Service"]["User"] != "root"


def test_the_table_waits_for_nothing_that_may_not_come() -> None:
    lines = files(PLAN)[f"{units.UNITS}/{units.PLAY}"].splitlines()
    said = " ".join(line for line in lines if not line.startswith("#"))
    assert not any(word in said for word in ("network", "time-sync", "getty", "trapdial-pages.service", "display"))
    assert read(units.PLAY)["Service"]["RestartSec"] == "0.1"


def test_a_stop_by_systemd_is_no_failure() -> None:
    """Else a trial of an update would take a stop by a person for a failed start."""
    assert all(read(unit)["Service"]["SuccessExitStatus"] == "143" for unit in (units.PLAY, units.PAGES, units.DISPLAY))


def test_the_table_comes_before_what_only_shows_it() -> None:
    assert all(units.PLAY in read(unit)["Unit"]["After"].split() for unit in (units.PAGES, units.DISPLAY))


def test_names_agree_with_the_program() -> None:
    play = files(PLAN)[f"{units.UNITS}/{units.PLAY}"]
    assert f" {PAGES_VARIABLE}={units.MEETING}\n" in play
    for name, value in SCRUBBED.items():
        assert f"{name}={value}" in play
    assert f"\nReadWritePaths=-{MOUNTED_AT}\n" in play
    assert service.PAGES == PAGES_VARIABLE
    assert f"{units.RUN}/{lights.NAME}" == units.LIGHTS
    assert f"PathExists={units.RUN}/{service.REBOOT}\n" in units.REBOOT_PATH_TEXT
    assert f"PathExists={units.RUN}/{service.UPDATE}\n" in units.UPDATE_PATH_TEXT
    assert read(units.PAGES)["Service"]["User"] == PAGES_USER == USERS[0]
    assert f"{units.RUN}/{public_feed.NAME}" == units.FEED
    assert f"/{ETC.relative_to('/')}" == units.SETTINGS
    assert install.MANIFEST.startswith(units.SETTINGS.removeprefix("/"))


def test_without_pages_no_port_is_opened_and_without_a_screen_none_is_taken() -> None:
    bare = Plan(PLAN.program, PLAN.python, "", display=False)
    assert not [path for path in {**files(bare), **links(bare)} if "pages" in path or "display" in path]
    assert units.UPDATE_PATH in "".join(links(bare))
    assert PAGES_VARIABLE not in files(bare)[f"{units.UNITS}/{units.PLAY}"]
    assert starting(bare)[-1] == (
        "systemctl",
        "restart",
        "--no-block",
        units.PLAY,
        units.REBOOT_PATH,
        units.UPDATE_PATH,
    )


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed here")
def test_systemd_finds_nothing_wrong(tmp_path: Path) -> None:
    """Programs that exist, and the whole set at once, so that the units find each other."""
    plan = Plan("/bin/true", shutil.which("python3") or "/bin/true", sends=True)
    install.install(files(plan), links(plan), tmp_path)
    named = sorted((tmp_path / units.UNITS).glob("trapdial*"))
    assert len(named) == 9
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", *map(str, named)], capture_output=True, text=True)
    complaints = [line for line in done.stderr.splitlines() if "trapdial" in line]
    assert complaints == []
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("systemd-sysusers") is None, reason="systemd-sysusers is not installed here")
def test_systemd_makes_the_users(tmp_path: Path) -> None:
    install.install(files(PLAN), links(PLAN), tmp_path)
    done = subprocess.run(["systemd-sysusers", f"--root={tmp_path}"], capture_output=True, text=True)
    if done.returncode and os.geteuid() != 0:
        pytest.skip("only root can make users, also below a folder")
    assert done.returncode == 0, done.stderr
    made = (tmp_path / "etc/passwd").read_text(encoding="utf-8")
    assert [line.split(":")[0] for line in made.splitlines() if line.startswith("trapdial")] == [
        "trapdial", "trapdial-pages", "trapdial-display",
    ]  # fmt: skip


# ------------------------------------------------------------------------------------------------- with a centre

WITH_CENTRE = Plan(PLAN.program, PLAN.python, PLAN.listen, sends=True)


def test_a_record_is_handed_over_by_a_service_of_its_own_only_if_the_settings_name_a_centre() -> None:
    sender = f"{units.UNITS}/{units.SENDER}"
    assert sender not in files(PLAN)
    assert files(WITH_CENTRE) == files(PLAN) | {sender: files(WITH_CENTRE)[sender]}
    assert set(links(WITH_CENTRE)) - set(links(PLAN)) == {f"{units.UNITS}/multi-user.target.wants/{units.SENDER}"}
    assert units.SENDER in starting(WITH_CENTRE)[-1]
    assert units.SENDER in units.STOPPING[0]
    assert sender in units.ALL_PATHS, "a removal takes it away too"


def test_the_service_that_hands_over_goes_after_every_other_program_and_reaches_only_the_record() -> None:
    said = read(units.SENDER, WITH_CENTRE)["Service"]
    wanted = {
        "User": "trapdial", "ReadWritePaths": units.STATE, "PrivateDevices": "yes", "Restart": "always",
        "Nice": "10", "CPUSchedulingPolicy": "batch", "OOMScoreAdjust": "500", "NoNewPrivileges": "yes",
        "ExecStart": f"{PLAN.python} -P -m {sending.__name__} {units.STATE}",
    }  # fmt: skip
    assert {key: said[key] for key in wanted} == wanted
    assert "IPAddressDeny" not in said
    assert read(units.PLAY, WITH_CENTRE)["Service"]["IPAddressDeny"] == "any", "the table itself has no network"
