"""What systemctl prints, read; and what is started where systemd does not run: nothing."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_app.station.service.systemctl import RunProgram, Systemd, UnitState, run_program


def test_a_programs_end_is_a_code_and_what_it_printed() -> None:
    script = "import sys; print('a'); print('b', file=sys.stderr, flush=True); sys.exit(3)"
    code, printed = run_program([sys.executable, "-c", script])
    assert (code, sorted(printed.split())) == (3, ["a", "b"])
    assert run_program(["/nowhere/systemctl"]) == (
        127,
        "/nowhere/systemctl could not be run (No such file or directory)",
    )


@pytest.mark.parametrize(
    ("printed", "state"),
    [
        ("NRestarts=2\nActiveState=active\nInvocationID=0af\n", UnitState("active", "0af", 2)),
        ("ActiveState=inactive\nInvocationID=\nNRestarts=\n", UnitState("inactive", "", 0)),
        ("Job=4711\nActiveState=inactive\nInvocationID=\n", UnitState("inactive", "", 0, queued=True)),
    ],
)
def test_a_services_state(printed: str, state: UnitState) -> None:
    assert Systemd(lambda _: (0, printed)).state() == state


def test_a_systemd_that_does_not_answer_is_not_taken_for_a_stopped_station() -> None:
    lost = Systemd(lambda _: (1, "Failed to connect to bus: No such file or directory\n"))
    assert lost.state() == UnitState("unknown", "", 0)


def test_a_station_is_used_if_it_starts_with_the_machine_or_runs(tmp_path: Path) -> None:
    def runs(words: Sequence[str]) -> tuple[int, str]:
        return 1, "ActiveState=active\n" if "show" in words else ""

    assert Systemd(lambda _: (0, ""), tmp_path / "nowhere").is_used()
    assert Systemd(runs, tmp_path).is_used()
    assert not Systemd(runs, tmp_path / "nowhere").is_used()


def noting(code: int, printed: str) -> tuple[RunProgram, list[str]]:
    """A way to run programs that notes what it is asked for, and the notes."""
    notes: list[str] = []

    def run(words: Sequence[str]) -> tuple[int, str]:
        notes.append(" ".join(words))
        return code, printed

    return run, notes


@pytest.mark.parametrize("booted", [True, False])
def test_a_trees_own_units_are_written_and_started_where_systemd_runs(tmp_path: Path, booted: bool) -> None:
    noted, ran = noting(0, "")
    systemd = Systemd(noted, tmp_path / ("" if booted else "nowhere"))
    assert systemd.put_in_use(Path("/opt/trapdial")) is None
    systemd.start("trapdial-trial.service")
    program = "/opt/trapdial/current/bin/trapdial"
    written = f"{program} station install --program {program}"
    started = ["systemctl --quiet --no-block start trapdial-trial.service"]
    assert ran == ([written, *started] if booted else [f"{written} --no-start"])


def test_a_tree_that_cannot_write_its_units_is_started_all_the_same(tmp_path: Path) -> None:
    noted, ran = noting(1, "SyntaxError")
    systemd = Systemd(noted, tmp_path)
    assert str(systemd.put_in_use(Path("/opt/trapdial"))).endswith("ended with 1: SyntaxError")
    assert ran[1:] == ["systemctl --quiet daemon-reload", "systemctl --quiet --no-block try-restart trapdial.service"]
