"""Tables with chests and artifacts, and lines that are typed at them: valid and invalid ones, too often and in any
order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from pi_app.game import chests, tokens
from pi_app.settings.model import ArtifactSettings, Settings
from pi_app.simulated import actions
from pi_app.simulated.script import DemoScript

LAMPS_LAST_NS = 6_000_000_000
"""Time at the end of a script for the last lamp to finish its message."""


def with_treasures(settings: Settings) -> Settings:
    """Return the table with the chests and the artifacts that ship; tokens are drawn privately."""
    table = msgspec.structs.replace(settings.table, chests=chests.SAMPLE)
    return replace(settings, table=table, artifacts=ArtifactSettings(pool=tokens.SAMPLE, draw="private"))


def talking(made: DemoScript, seats: Sequence[str], seed: int, *, every_ms: tuple[int, int] = (100, 900)) -> DemoScript:
    """Return the script with typed lines about tokens, chests and experience added."""
    draw = random.Random(f"treasures {seed}")
    words: list[tuple[int, actions.TableAction]] = []
    at_ns = 2_000_000_000
    while (at_ns := at_ns + draw.randint(*every_ms) * 1_000_000) < made.end_ns - LAMPS_LAST_NS:
        words.append((at_ns, actions.TypeLine(treasure_word(draw, seats))))
    return DemoScript(tuple(sorted([*made.actions, *words], key=lambda act: act[0])), made.end_ns)


def treasure_word(draw: random.Random, seats: Sequence[str]) -> str:
    """Return a random line about tokens, chests and kills, mostly about tokens that are drawn."""
    seat, dice = draw.choice(list(seats)), " ".join(str(draw.randint(1, 6)) for _ in range(3))
    drawn = [f"artifact STATUE {seat} {draw.choice(tokens.COLOURS)}", f"artifact OBELISK {seat}"]
    kept = [f"{verb} {seat}" for verb in ("keep", "keep", "put", "refresh", "refresh", "activate", "fallen")]
    number = draw.choice((101, 107, 116, 117))
    other = [
        f"chest {number} {seat} {draw.choice(('quick', 'slow'))} {dice}",
        f"xp {seat} chest {number}",
        f"xp {seat} {draw.randint(1, 40)} kill {draw.choice(('poison', 'trap', 'ram'))}",
        f"kill {seat} spawn by {draw.choice(('trap', 'artifact', 'chest'))}",
        f"xp {seat} correction -3",
        *("artifacts", "ledger", "status", "rule AR-USE-7", "convert 2 30"),
    ]
    return draw.choice(draw.choice((drawn, kept, other)))
