"""What is played while the recorder listens: real games on the simulated table, by the same program as `trapdial demo`.

A life begins with what lies in a folder, which may be what a power cut left there.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from unittest import mock

from hardware.host import memory_folder
from pi_app.game import events as ev
from pi_app.journal import Journal, writing
from pi_app.journal.record.entry import STARTED
from pi_app.journal.recorded_game import kind_of
from pi_app.play import mage_knight
from pi_app.report.moment import Moment
from pi_app.simulated.demo import Demo
from pi_app.simulated.script import script
from tests.crash.disk import Image, Op, Told, lay_out
from tests.crash.recorder import Recorder, recording
from tests.pi_app.playing import settings
from tests.pi_app.treasures import talking, with_treasures

JOURNAL: Final = "journal.db"


@contextlib.contextmanager
def folder_with(image: Image) -> Iterator[Path]:
    """A folder that holds an image, for as long as it is looked at."""
    with tempfile.TemporaryDirectory(dir=memory_folder(), prefix="crash-") as name:
        lay_out(image, Path(name))
        yield Path(name)


@contextlib.contextmanager
def telling(recorder: Recorder) -> Iterator[None]:
    """Every append that comes back is noted as told."""
    append = Journal.append

    def told(journal: Journal[Moment, ev.AnyEvent], game: str, before: Moment, event: ev.AnyEvent) -> Moment:
        after = append(journal, game, before, event)
        head = journal.head()
        recorder.ops.append(Told(game, head.size, head.text(), began=kind_of(event) == STARTED))
        return after

    with mock.patch.object(Journal, "append", told):
        yield


def life(image: Image, seed: int, *, checkpoint_after: int) -> tuple[Image, Sequence[Op]]:
    """Play on from an image: what lay there and what was done. A life may end a game, begin another, or go on.

    `checkpoint_after`: entries after which the log is moved into the file, so that few are enough to see it."""
    draw = random.Random(seed)
    with folder_with(image) as folder, mock.patch.object(writing, "CHECKPOINT_AFTER", checkpoint_after):
        with recording(folder) as recorder, telling(recorder):
            _play(folder / JOURNAL, draw, seed)
        return recorder.began, recorder.ops


CHECKPOINT_AFTERS: Final = (3, 8, 10_000)


def any_life(image: Image, seed: int, draw: random.Random) -> tuple[Image, Sequence[Op]]:
    """A life whose log is moved into the file seldom or often."""
    return life(image, seed, checkpoint_after=draw.choice(CHECKPOINT_AFTERS))


def _play(journal: Path, draw: random.Random, seed: int) -> None:
    """Besides turning dials they draw tokens and try chests now and then."""
    with Demo(with_treasures(settings()), journal, seed=seed, resume=draw.random() < 0.8) as demo:
        while not demo.loop.ready:
            demo.step()
        played = script(seed, demo.public_state(), draw.randint(1, 3))
        demo.play(talking(played, tuple(demo.settings.seats), seed, every_ms=(300, 2500)))
        if draw.random() < 0.4:
            mage_knight.record_shown(journal, ev.TableShown(table="SAMPLE-12"))
            demo.play(script(seed + 1, demo.public_state(), 1))
        if draw.random() < 0.4:
            demo.loop.say("end")
            demo.step()
