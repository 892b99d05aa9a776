"""The whole way of a first evening, as one script: demo and its audit, a starter's papers, its table played without
hardware, and the signed page of that game."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

TRAPDIAL = str(Path(sys.executable).with_name("trapdial"))


def run(folder: Path, *words: str, typed: str = "") -> str:
    """Run a command line as a user would; return what it printed. It must end with exit code 0."""
    done = subprocess.run(
        [TRAPDIAL, *words],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PATH": f"{Path(TRAPDIAL).parent}:{os.environ['PATH']}"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_demo_and_the_audit_of_its_record(tmp_path: Path) -> None:
    told = run(tmp_path, "demo", "--auto", "--seed", "7", "--exposes", "2", "--plain", "--journal", "demo.db")
    assert "The game is over, so its secrets are open now:" in told
    assert "trapdial audit demo.db" in told
    audited = json.loads(run(tmp_path, "audit", "demo.db", "--json"))
    assert audited["verdict"] == "pass"
    assert run(tmp_path, "journal", "verify", "demo.db").startswith("demo.db: ")


def test_a_starter_from_its_settings_to_a_signed_page(tmp_path: Path) -> None:
    (tmp_path / "trapdial.toml").write_text(run(tmp_path, "settings", "example", "starter"), encoding="utf-8")
    run(tmp_path, "settings", "check")
    run(tmp_path, "wiring", "-o", "papers")
    guide = (tmp_path / "papers/guide.md").read_text(encoding="utf-8")
    assert "square.svg" in guide
    assert {"README.md", "parts.md", "pins.md", "wiring.svg", "labels_1.svg"} <= {*os.listdir(tmp_path / "papers")}

    seat = "ANN"
    hands = (f"sim tap {seat}", "sim turn T01 3", f"sim hold {seat}", "end", "quit")
    played = run(tmp_path, "play", "--simulated", typed="".join(f"{line}\n" for line in hands))
    assert all(line.startswith("SIMULATED ") for line in played.splitlines())
    assert "T01: exposed by Ann." in played

    run(tmp_path, "audit", "journal_simulated.db", "-o", "report.html", "--sign")
    assert "GENUINE" in run(tmp_path, "audit", "verify", "report.html", "--journal", "journal_simulated.db")
    assert "SIMULATED" in (tmp_path / "report.html").read_text(encoding="utf-8")
