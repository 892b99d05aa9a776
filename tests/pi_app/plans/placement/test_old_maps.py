"""Maps without artifacts and sections: what the program says about them never changes, byte by byte."""

from __future__ import annotations

import hashlib
import random

import pytest
from click.testing import CliRunner

from pi_app.cli.main import main
from pi_app.plans.pictures.svg import svg
from pi_app.plans.placement.files import load
from pi_app.plans.placement.picture import picture
from pi_app.plans.placement.plain import plan
from pi_app.plans.placement.reading import read
from pi_app.plans.placement.verdict import verdict

HEAD = "players: Ann, Table\npool: 3\nO = T01, Ann, chest\n@ = stone column, Table\nH = table, Table, token\n"
"""Letters and words of artifacts that stood for traps, players and labels before there were artifacts."""


def old_map(n: int) -> str:
    draw = random.Random(n)
    rows = [[draw.choice("...::###EXTCM+S") for _ in range(10)] for _ in range(8)]
    for key in "O@H":
        rows[draw.randrange(8)][draw.randrange(10)] = key
    return f"{HEAD}map:\n" + "\n".join("".join(row) for row in rows)


def digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


@pytest.mark.parametrize(
    ("name", "told", "drawn"),
    [
        ("cellar", "8f7dc1ba6ed4872f", "c448f291928e1178"),
        ("halls", "2c7f9658998ded83", "6fb89cc5f39f960c"),
        ("warren", "24a051cf5c73cfa0", "48a68a9093435d10"),
    ],
)
def test_the_first_samples_keep_every_byte_of_their_verdict(name: str, told: str, drawn: str) -> None:
    source = f"sample:SAMPLE-{name}"
    typed = (["place", "check", source], ["place", "check", source, "--json"])
    assert digest(*(CliRunner(env={"COLUMNS": "120"}).invoke(main, words).output for words in typed)) == told
    shown = load(source)
    assert digest(svg(picture(shown, verdict(shown), name))) == drawn


@pytest.mark.slow
def test_a_letter_that_stood_for_a_trap_still_does() -> None:
    texts = []
    for n in range(200):
        shown = read(old_map(n), "d.txt")
        found = verdict(shown)
        rows = ["".join(cell.text for cell in row) for row in plan(shown, found.hallways)]
        texts += [repr([(each.rule, each.sign.value, each.words) for each in found.rules]), "\n".join(rows)]
        texts += [
            repr([(each.rule, each.part, each.spot, each.seen, each.advice, each.other) for each in found.findings])
        ]
        texts += [svg(picture(shown, found, "d"))]
    assert digest(*texts) == "1c8681ce0d2108b5"
