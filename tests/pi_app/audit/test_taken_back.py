"""A word that was taken back: the audit shows the word and its correction, in every form."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from pi_app.audit.files import audit_file
from pi_app.audit.forms import to_csv
from pi_app.audit.page import page
from pi_app.cli.main import main
from tests.pi_app.playing import table


def test_the_word_and_its_correction_are_shown(tmp_path: Path) -> None:
    with table(tmp_path) as at:
        at.say("enter T02 ben")
        at.demo.table.tiles["T01"].unplug()
        at.run(2.0)
        at.say("undo")
        at.say("end")
        at.run(0.3)
        path = at.journal
    (game,) = (file := audit_file(path)).games
    (word,) = game.taken_back
    told = f"Entry {word.typed}, 'enter T02 BEN', was taken back in entry {word.entry} (0:02)."
    assert word.words == told
    assert word.typed < word.entry
    output = CliRunner().invoke(main, ["audit", str(path)]).output
    assert told in " ".join(output.split())
    assert told in to_csv([file])
    assert "Words taken back" in page([file])
    in_json = json.loads(CliRunner().invoke(main, ["audit", str(path), "--json"]).output)
    assert in_json["files"][0]["games"][0]["taken_back"][0]["words"] == told
