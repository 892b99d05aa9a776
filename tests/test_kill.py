"""The program is really killed (SIGKILL) in the middle of a game, again and again: nothing that was told is lost, the
journal needs no mending, no key is missing, heads that somebody kept after earlier kills fit, and the game goes on.

`TRAPDIAL_KILLS` says how often (make kill-test: 60).
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pi_app import journal as jn
from pi_app.audit.replay import replay
from pi_app.game.ruleset import rules_line
from pi_app.journal.record.heads import Head, read_head
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from pi_app.report.moment import NO_GAME, Moment, advance
from pi_app.report.visibility import PUBLIC, REFEREE
from pi_app.text.language import words

KILLS = int(os.environ.get("TRAPDIAL_KILLS", "4"))


def start(folder: Path, life: int) -> subprocess.Popen[str]:
    command = [
        sys.executable,
        "-c",
        "from pi_app.cli.main import main; main()",
        "demo",
        "--auto",
        "--plain",
        "--size",
        "2x2",
    ]
    command += ["--exposes", "12", "--seed", str(life + 1), "--journal", str(folder / "journal.db")]
    command += ["--streams", str(folder / f"streams-{life}"), *(["--resume"] if life else [])]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def kill_after_lines(running: subprocess.Popen[str], lines: int) -> None:
    """Wait for this many lines, then kill it."""
    assert running.stdout is not None
    for _ in range(lines):
        if not running.stdout.readline():
            break
    running.send_signal(signal.SIGKILL)
    running.communicate()
    assert running.returncode == -signal.SIGKILL


def told(folder: Path) -> dict[str, set[str]]:
    """Return every sentence for each viewer, over all runs of the program."""
    heard: dict[str, set[str]] = {}
    for file in folder.glob("streams-*/*.jsonl"):
        viewer = file.stem.replace("-", " ", 1) if file.stem.startswith("seat-") else file.stem
        for row in file.read_text(encoding="utf-8").splitlines():
            try:
                line = json.loads(row).get("line")
            except json.JSONDecodeError:
                continue  # the row that was being written when the power went
            if line is not None:
                heard.setdefault(viewer, set()).add(line)
    return heard


def recorded(journal: Path) -> dict[str, set[str]]:
    """Return every sentence that follows from the journal, for each viewer."""
    lines: dict[str, set[str]] = {}
    moments: dict[str, Moment] = {}
    for entry in jn.read(journal, MAGE_KNIGHT):
        moment = moments[entry.game_id] = advance(moments.get(entry.game_id, NO_GAME), entry.event)
        for viewer, report in moment.reports.items():
            lines.setdefault(viewer, set()).update(report.lines.values())
        for viewer in (PUBLIC.name, REFEREE.name):
            lines[viewer].add(rules_line(moment.game.ruleset, words(moment.game.language)))
    return lines


def is_sound(journal: Path, kept: Sequence[Head]) -> None:
    """Check with `trapdial journal verify` and the witnesses."""
    verdict = jn.verify(journal, kept)
    assert verdict.damage is None
    assert verdict.against == ()
    assert verdict.state in (RecordState.WHOLE, RecordState.INTERRUPTED)
    assert verdict.good_until == max((head.size for head in kept), default=0)
    for game in verdict.games:
        assert game.ended or jn.keys_of(journal).game(game.game) is not None, f"no key for {game.game}"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, KILLS, 4))
def test_nothing_told_is_lost_when_the_program_is_killed(first: int, tmp_path: Path) -> None:
    draw = random.Random(f"kills {first}")
    journal = tmp_path / "journal.db"
    kept: list[Head] = []
    for life in range(min(4, KILLS - first)):
        kill_after_lines(start(tmp_path, life), draw.randint(1, 40))
        if not journal.exists() or not any(jn.read(journal, MAGE_KNIGHT)):
            continue
        is_sound(journal, kept)
        kept.append(jn.head(journal))
        known = recorded(journal)
        for viewer, lines in told(tmp_path).items():
            heads = {line for line in lines if "TRAPDIAL1" in line}
            assert lines - heads <= known[viewer], f"told to {viewer} and not in the journal"
            is_sound(journal, [read_head(line[line.index("TRAPDIAL1") :]) for line in sorted(heads)])
        assert len(replay(journal)) >= 1
    assert told(tmp_path)["public"]
    last = start(tmp_path, 99)
    output, errors = last.communicate()
    assert (last.returncode, errors) == (0, "")
    assert "exposed by" in output
    is_sound(journal, kept)
    assert all(game.entries > 1 for game in replay(journal))
