"""A stranger hands over files and types lines: every reader answers with a sentence, in little time and memory.

`make attack-test` does it with 10^6 inputs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.attack.hostile.readers import Answer, NotAnsweredError, Reader, answered, readers
from tests.attack.hostile.running import MOST_MEMORY, run

READERS = {reader.name: reader for reader in readers()}
EVERYDAY = range(100, 103)


@pytest.mark.parametrize("name", READERS)
def test_every_reader_answers_hostile_inputs(name: str) -> None:
    share = run(READERS[name], EVERYDAY)
    assert share.wrong == []
    assert share.inputs == len(EVERYDAY)


@pytest.mark.parametrize("name", [name for name in READERS if name not in ("journals audited", "keys")])
def test_an_honest_input_is_accepted(name: str, tmp_path: Path) -> None:
    """So that the hostile ones reach further than the first check."""
    reader = READERS[name]
    found = [reader.hand(honest, tmp_path)[0] for honest in reader.honest[:3]]
    reader.close()
    assert 0 in found


def crashes(data: bytes, folder: Path) -> Answer:
    raise KeyError("T09")


def is_slow(data: bytes, folder: Path) -> Answer:
    until = time.process_time() + 5.2
    while time.process_time() < until:
        pass
    return 0, ""


def takes_memory(data: bytes, folder: Path) -> Answer:
    return 0, str(len(bytearray(MOST_MEMORY + 150_000_000)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("hand", "wrong"), [(crashes, "raised KeyError('T09')"), (is_slow, " took 5."), (takes_memory, " MB")]
)
def test_a_reader_that_does_not_answer_is_found(hand: object, wrong: str) -> None:
    honest = {"honest": False}

    def after_the_honest_one(data: bytes, folder: Path) -> Answer:
        if not honest["honest"]:
            honest["honest"] = True
            return 0, ""
        answer: Answer = hand(data, folder)  # type: ignore[operator]
        return answer

    share = run(Reader("bad", lambda: (b"a = 1\n",), after_the_honest_one), range(1))
    assert len(share.wrong) == 1
    assert wrong in share.wrong[0]


def test_a_bug_of_a_command_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("pi_app.settings.load.check", broken)
    with pytest.raises(NotAnsweredError, match="Trapdial stopped because of a bug: ZeroDivisionError"):
        answered("settings", "check", "-s", "trapdial.toml")


@pytest.mark.slow
def test_special_files_and_long_ones_are_refused_by_every_reader() -> None:
    """Pipes, devices, folders, circles of links, 5 GB: each reader of files is given all of them."""
    call = [sys.executable, "-m", "tests.attack.hostile", "--special"]
    done = subprocess.run(call, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": "."})
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith(" 0 not answered as they should be\n")
