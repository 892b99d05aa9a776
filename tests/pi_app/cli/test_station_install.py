"""`trapdial station install` and `remove`: what a person reads, and that a dry run does nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from pi_app.cli import station_install
from pi_app.cli.main import main
from pi_app.settings.load import example_path
from pi_app.station.service.units import Plan, files, links

PROGRAM = "/opt/trapdial/bin/trapdial"
PLAN = Plan(PROGRAM, "/opt/trapdial/bin/python")


def run(*words: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(main, ["station", *map(str, words)])
    return done.exit_code, done.stdout, done.stderr


def test_a_dry_run_prints_every_file_whole_and_writes_none(tmp_path: Path) -> None:
    code, output, _ = run("install", "--dry-run", "--root", tmp_path, "--program", PROGRAM)
    assert code == 0
    for path, text in files(PLAN).items():
        assert f"==> /{path} <==\n{text}" in output
    assert all(f"/{path} -> {target}\n" in output for path, target in links(PLAN).items())
    assert output.endswith("systemctl restart --no-block trapdial.service trapdial-pages.service "
                           "trapdial-pages.socket trapdial-display.service trapdial-reboot.path "
                           "trapdial-update.path\n")  # fmt: skip
    assert list(tmp_path.iterdir()) == []


def test_it_installs_into_an_image_and_takes_it_all_away(tmp_path: Path) -> None:
    code, output, _ = run("install", "--root", tmp_path, "--program", PROGRAM, "--no-display")
    assert code == 0
    assert f"{tmp_path}/etc/systemd/system/trapdial.service: written.\n" in output
    assert "Then type, as root:\n  systemd-sysusers /etc/sysusers.d/trapdial.conf\n" in output
    assert output.endswith("The station's data is in /var/lib/trapdial, its settings are in "
                           "/etc/trapdial/trapdial.toml.\n")  # fmt: skip
    code, output, _ = run("remove", "--root", tmp_path, "--dry-run")
    assert output.count("would be deleted.") == len({**files(PLAN), **links(PLAN)}) - 2
    code, output, _ = run("remove", "--root", tmp_path)
    assert (code, output.count(": deleted.")) == (0, len({**files(PLAN), **links(PLAN)}) - 2)
    assert [path for path in tmp_path.rglob("*") if path.is_file() or path.is_symlink()] == []
    for words in (("remove",), ("remove", "--dry-run")):
        assert run(*words, "--root", tmp_path)[1] == f"{tmp_path}: no station is installed there.\n"


def test_pages_follow_the_settings(tmp_path: Path) -> None:
    settings = tmp_path / "trapdial.toml"
    text = example_path("2x2").read_text(encoding="utf-8")
    for section, listens in (("", None), ('[pages]\nport = 8080\naddress = "10.77.0.1"\n', "10.77.0.1:8080")):
        settings.write_text(f"{text}\n{section}", encoding="utf-8")
        output = run("install", "--dry-run", "-s", settings, "--root", tmp_path, "--program", PROGRAM)[1]
        assert ("trapdial-pages.socket" in output) is (listens is not None)
        assert listens is None or f"ListenStream={listens}\n" in output
    settings.write_text("[table\n", encoding="utf-8")
    code, _, errors = run("install", "--dry-run", "-s", settings, "--root", tmp_path, "--program", PROGRAM)
    assert (code, errors.startswith(f"{settings} line 1")) == (2, True)


def test_a_program_in_a_home_folder_or_nowhere_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("install", "--dry-run", "--program", "/nowhere/trapdial") == (
        2, "", "/nowhere/trapdial: this program does not exist. Name the trapdial to start: --program.\n",
    )  # fmt: skip
    (tmp_path / "trapdial").touch()
    monkeypatch.setattr(station_install, "HOMES", (str(tmp_path),))
    assert run("install", "--dry-run", "--program", tmp_path / "trapdial") == (
        2, "", f"{tmp_path}/trapdial: it lies in a home folder, where the users of the station may read nothing. "
        "Install Trapdial in /opt, or name the one there: --program.\n",
    )  # fmt: skip


def test_a_command_of_the_system_that_fails_is_said_and_the_others_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(station_install, "SYSTEMD", tmp_path)
    ran: list[list[str]] = []

    def fake(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        ran.append(command)
        if command[0] == "absent":
            raise FileNotFoundError(2, "No such file or directory")
        failed = command[0] == "fails"
        return subprocess.CompletedProcess(command, int(failed), "", "it is busy\n" if failed else "")

    monkeypatch.setattr(subprocess, "run", fake)
    assert not station_install.carry_out([["absent"], ["fails", "now"], ["works"]], here=True)
    assert len(ran) == 3
    assert capsys.readouterr().err == (
        "absent: No such file or directory. Type it again, as root, when that is mended.\n"
        "fails now: it is busy. Type it again, as root, when that is mended.\n"
    )
