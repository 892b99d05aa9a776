"""Hostile files: a map is checked, or refused in sentences that name the file.

`TRAPDIAL_FUZZ` sets their number.
"""

from __future__ import annotations

import os
import random

import pytest

from pi_app.plans.placement.files import EMPTY, EXAMPLES, decoded
from pi_app.plans.placement.picture import picture
from pi_app.plans.placement.plain import plan
from pi_app.plans.placement.reading import read
from pi_app.plans.placement.things import artifact_squares, pieces
from pi_app.plans.placement.verdict import verdict
from pi_app.text.errors import UserFileError

FILES = int(os.environ.get("TRAPDIAL_FUZZ", "100"))
CHUNKS = range(-(-FILES // 5_000))
HONEST = [path.read_bytes() for path in (EMPTY, *sorted(EXAMPLES.glob("SAMPLE-*.txt")))]
NASTY = [
    *(
        "\t",
        "\0",
        "\u200b",
        "\u202e",
        "\u0301",
        "\ufeff",
        "😀",
        "字",
        "\r",
        "\n",
        "\r\n",
        "=",
        ":",
        ";",
        ",",
        "|",
        "-",
        "+",
    ),
    *(
        "map:\n",
        "1 = T01\n",
        "players: 9999999999\n",
        "walls: lines\n",
        "hallway width: 10\n",
        "{",
        "%s",
        "[red]",
        "#" * 600,
        "artifacts:\n",
        "sections:\n",
        "artifacts:\n" + "LA=@O \n" * 30,
        "sections:\n" + "ab1字\n" * 20,
        "1 = T01, table, stone column\n",
        "O@H=YIDGALZRBP",
        "LL\nLL",
        "O\nO\nO\n",
    ),
]


def hurt(draw: random.Random) -> bytes:
    data = bytearray(draw.choice(HONEST))
    for _ in range(draw.randrange(1, 8)):
        at = draw.randrange(len(data) + 1)
        match draw.randrange(5):
            case 0:
                data[at:at] = draw.choice(NASTY).encode()
            case 1:
                del data[at : at + draw.randrange(200)]
            case 2:
                data[at : at + 1] = draw.randbytes(1)
            case 3:
                data[at:at] = data[: draw.randrange(100)] * draw.randrange(4)
            case _:
                data[at:at] = "".join(draw.choice(".:XES+CMT#|-= \n19abO@HYIDGALZRBP") for _ in range(40)).encode()
    return bytes(data)


@pytest.mark.parametrize("chunk", CHUNKS)
def test_hostile_maps_are_checked_or_refused(chunk: int) -> None:
    outcomes = {"judged": 0, "refused": 0}
    for n in range(chunk * 5_000, min(FILES, (chunk + 1) * 5_000)):
        try:
            drawn = read(decoded(hurt(random.Random(n)), "d.txt"), "d.txt")
        except UserFileError as refused:
            outcomes["refused"] += 1
            for told in refused.problems:
                assert told.startswith("d.txt"), n
                assert told.endswith("."), n
                assert told.isprintable(), n
                assert len(told) < 300, n
        else:
            outcomes["judged"] += 1
            found = verdict(drawn)
            assert picture(drawn, found, "d").marks, n
            assert {spot for piece in pieces(drawn) for spot in piece.squares} == artifact_squares(drawn), n
            assert plan(drawn, found.hallways), n
            assert all(line.isprintable() for each in found.findings for line in (each.part, each.seen, each.advice)), n
    assert min(outcomes.values()) > 0
