"""The doctor's checks of hubs and of the dials on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from firmware_host.hub import wire
from firmware_host.sims.scripted_hub import ScriptedHub
from hardware.sims import faults
from pi_app.play.parts import RealParts
from pi_app.settings import hub_keys
from pi_app.settings.hubs import HubSettings
from pi_app.simulated.table import SimulatedTable
from pi_app.workshop.doctor.hubs import examine_hubs
from pi_app.workshop.start_check import sorted_out
from tests.firmware_host.pty_hub import PtyHub
from tests.pi_app.hubs import BOARD, PULLED, TableWithHub, mixed
from tests.pi_app.workshop.doctor.hub_samples import Pulled, SameSamples, checks, said


def test_a_hub_that_is_there() -> None:
    assert said(TableWithHub(mixed()), mixed()) == [
        "ok  hub west (USB): board e6616408432b5c21, firmware 2.1.0, 8 channels, proven by its key",
        "ok  encoder of T02 (hub west channel 3): answers, with its magnet in range",
        "ok  hub west (USB): 200 samples a second at each dial, with or without an open claim",
    ]


def test_before_a_game_nothing_is_timed() -> None:
    assert len(said(TableWithHub(mixed()), mixed(), None)) == 2


def test_a_hub_that_samples_too_rarely(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.pi_app.hubs.SWEEP_NS", 20_000_000)
    assert said(TableWithHub(mixed()), mixed())[-1] == (
        "??  hub west (USB): 50 samples a second at each dial, with or without an open claim. Put fewer dials on "
        "this hub, set SPEED_HZ = 400_000 in its board.py, and fix dials that do not answer."
    )


def test_a_hub_that_is_not_there_fails_and_keeps_no_game_from_beginning() -> None:
    found = checks(Pulled(mixed()), mixed())
    assert [str(check) for check in found] == [
        "!!  hub west (USB): is not plugged in. Plug its cable in at both ends.",
        "??  encoder of T02 (hub west channel 3): was not checked, because its hub cannot be used",
    ]
    sorted_ = sorted_out(found)
    assert sorted_.refused == ()
    assert sorted_.noticed == ("hub west (USB): is not plugged in. Plug its cable in at both ends.",)
    assert PULLED.startswith("hub west (USB) is not plugged in.")


@pytest.mark.slow
def test_a_board_that_does_not_prove_its_key_names_both_remedies(tmp_path: Path) -> None:
    """A real link on a port with the right id and no key."""
    used = replace(mixed(), where=str(tmp_path / "trapdial.toml"))
    used = replace(used, hubs={"west": HubSettings(port=str(tmp_path / "ttyACM0"))})
    with PtyHub(ScriptedHub(lambda at_us: (100,) * 8, 8, BOARD.uid), tmp_path / "ttyACM0") as board:
        found = [str(check) for check in examine_hubs(used, RealParts(), None)]
        assert found[0] == (
            f"!!  hub west ({board.path}): is board {BOARD.uid}, and these settings have no key for it. Run trapdial "
            'hub install west again, or write trust = "cable" in [hub.west] if you trust everything on its cable.'
        )
        trusted = replace(used, hubs={"west": HubSettings(port=str(board.path), trust="cable")})
        assert next(map(str, examine_hubs(trusted, RealParts(), None))) == (
            f"ok  hub west (USB): board {BOARD.uid}, firmware 2.1.0, 8 channels, its cable is trusted"
        )


def test_a_key_that_others_may_read(tmp_path: Path) -> None:
    used = replace(mixed(), where=str(tmp_path / "trapdial.toml"))
    folder = hub_keys.folder_of(tmp_path / "trapdial.toml")
    folder.mkdir()
    folder.chmod(0o755)
    assert [str(check) for check in examine_hubs(used, RealParts(), None)] == [
        f"!!  key of hub west ({folder}): other users may read or change it (mode 755). Run `chmod 700 {folder}`, then "
        "`trapdial hub install` again for each hub."
    ]


@pytest.mark.parametrize(
    ("sample", "line"),
    [
        (
            wire.SILENT << 12,
            "!!  encoder of T02 (hub west channel 3): does not answer. Plug its lead in at both ends.",
        ),
        (
            wire.NO_MUX << 12,
            "!!  mux of channel 3 (hub west): does not answer. Check its supply and its address on the hub.",
        ),
        (
            wire.TOO_WEAK << 12 | 5,
            "??  encoder of T02 (hub west channel 3): the magnet is too far away. Bring it closer, 0.5 to 3 mm above "
            "the chip.",
        ),
        (
            wire.TOO_STRONG << 12 | 5,
            "??  encoder of T02 (hub west channel 3): the magnet is too close. Move it away, 0.5 to 3 mm above the "
            "chip.",
        ),
    ],
)
def test_each_failure_of_a_dial_on_a_hub(sample: int, line: str) -> None:
    two = mixed()
    first = msgspec.structs.replace(two.squares["T01"], bus=None, mux=None, hub="west", channel=0)
    two = replace(two, squares={**two.squares, "T01": first})
    parts = SameSamples(two)
    parts.samples = (7, 0, 0, sample, 0, 0, 0, 0)
    assert line in said(parts, two)


def test_a_hub_behind_which_nothing_answers() -> None:
    parts = SameSamples(mixed())
    parts.samples = (wire.NO_MUX << 12,) * 8
    assert said(parts, mixed(), None) == [
        "ok  hub west (USB): board e6616408432b5c21, firmware 2.1.0, 8 channels, proven by its key",
        "!!  mux of channels 0 to 7 (hub west): does not answer. Check its supply and its address on the hub.",
        "??  encoder of T02 (hub west channel 3): was not checked, because mux of channels 0 to 7 fails",
    ]


def test_a_dial_that_holds_the_hubs_wires_down_is_one_failing_line() -> None:
    two = mixed()
    first = msgspec.structs.replace(two.squares["T01"], bus=None, mux=None, hub="west", channel=0)
    two = replace(two, squares={**two.squares, "T01": first})
    parts = SimulatedTable(two)
    faults.strike(parts.tiles["T01"], "stuck-low")
    found = checks(parts, two)
    assert [str(check) for check in found] == [
        "ok  hub west (SIMULATED): is a simulated bus, without board and USB",
        "!!  bus hub west (simulated hub west): is held down, so T01 and T02 cannot be read; it is retried "
        "automatically. Unplug tile after tile until the bus comes back.",
        "??  encoder of T01 (hub west channel 0): was not checked, because bus hub west fails",
        "??  encoder of T02 (hub west channel 3): was not checked, because bus hub west fails",
    ]
    assert len(sorted_out(found).noticed) == 1


def test_a_simulated_table_says_that_there_is_no_board() -> None:
    assert said(SimulatedTable(mixed()), mixed()) == [
        "ok  hub west (SIMULATED): is a simulated bus, without board and USB",
        "ok  encoder of T02 (hub west channel 3): answers, with its magnet in range",
    ]


def test_a_hub_without_squares_is_not_opened() -> None:
    idle = replace(mixed(), squares={"T01": mixed().squares["T01"]})
    assert said(SimulatedTable(idle), idle) == []


def test_doctor_and_start_check_hubs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pi_app.workshop import doctor
    from tests.pi_app.hosts import host

    settings = replace(mixed(), where=str(tmp_path / "trapdial.toml"))
    for check in (doctor.examine, doctor.before_play):
        parts = TableWithHub(settings)
        run: Callable[..., object] = check
        try:
            lines = [str(check) for check in run(settings, parts, host(tmp_path))]  # type: ignore[attr-defined]
        finally:
            parts.close()
        assert any(line.startswith("ok  hub west (USB): board") for line in lines)
