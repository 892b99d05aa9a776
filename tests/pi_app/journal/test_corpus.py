"""Journals that were recorded before are read, verified, rebuilt and audited as they were on that day.

`corpus/sound` has games of trap squares and of rotating rooms, an archive and exports. They were recorded with the
last program before the folders of `pi_app` were laid out again (commit eb05be5, format 3): `trapdial demo --auto` with
several seeds, sizes, languages, a hub and faults, `trapdial rooms demo` with typed lines, `--resume`, and events
appended to a `Journal` for clocks, dice and findings. Each game was ended, except the unfinished ones; `archive.merge`,
`archive.export` and `archive.delete` made the rest. The keys of one unfinished game lie beside it.

`corpus/damaged.tar.xz` has one small file for each thing that a verifier can find: made by SQL, or by binding and
signing the rest of the record again with its stolen keys.

`corpus/expected.json` has the facts that the same program gave of each file (`judging.judged`), and the witnesses'
heads. Since then only wording was changed there, with the sentences of the first verifier and of refusals, and the
facts of `reports`: the program of that day compared its own words, which a later version rebuilds and does not compare.
No test writes the file: if another fact changes, journals are read in another way than before.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from pi_app import journal as jn
from pi_app.journal import Journal
from pi_app.journal.record.happenings import Ended
from pi_app.journal.record.verdict import RecordState
from pi_app.play.mage_knight import MAGE_KNIGHT
from tests.pi_app.journal.judging import judged
from tests.pi_app.journal.recorded import CORPUS, EXPECTED, UNFINISHED, unpack


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All files of the corpus, unpacked."""
    return unpack(tmp_path_factory.mktemp("corpus"))


def test_the_corpus_is_whole(folder: Path) -> None:
    names = {path.name for path in folder.iterdir() if path.is_file()}
    assert names == set(EXPECTED)
    packed = sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file())
    assert packed < 1_500_000


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recorded_file_is_read_as_before(folder: Path, name: str) -> None:
    found = judged(folder / name, EXPECTED[name]["witnesses"])
    assert json.loads(json.dumps(found)) == EXPECTED[name]["facts"]


def test_the_recorded_verdicts_of_both_verifiers_agree() -> None:
    for name, each in EXPECTED.items():
        first, second = each["facts"]["first verifier"], each["facts"].get("second verifier")
        if isinstance(first, str):
            assert second[:2] == [2, None], name
        elif second is not None:
            damage = [place(log, one) for log, one in enumerate(first, len(first) > 1) if one["damage"] is not None]
            assert second[:2] == [max(RecordState[one["state"]] for one in first), min(damage, default=None)], name


def place(log: int, verdict: dict[str, Any]) -> int:
    """Where the second verifier sees the damage: by its number in the file."""
    return log * jn.LOG_STEP + int(verdict["damage"])


def test_an_unfinished_game_is_resumed_with_its_recorded_keys(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / UNFINISHED
    shutil.copy(folder / UNFINISHED, path)
    shutil.copytree(jn.keys_of(folder / UNFINISHED).folder, jn.keys_of(path).folder)
    before = jn.verify(path)
    with Journal(path, MAGE_KNIGHT) as record:
        unfinished = record.unfinished()
        assert unfinished is not None
        record.append(unfinished[0], unfinished[1], Ended())
    after = jn.verify(path, [jn.head(path)])
    assert (before.state, after.state) == (RecordState.INTERRUPTED, RecordState.WHOLE)
    assert after.games[0].opened == after.size == before.size + 1
