"""Which rules are cited where: in the program, in a test, nowhere. `make rules-report` prints it.

FAMILIES is every id that the rules have, as family and highest number.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from pi_app.game.rulings import RULINGS

ROOT: Final = Path(__file__).resolve().parent.parent
FAMILIES: Final[Mapping[str, int]] = {
    "T-DIAL": 13,
    "T-AUD": 6,
    "T-EXP": 11,
    "T-TRG": 16,
    "T-DIS": 14,
    "E-SAW": 4,
    "E-CAGE": 7,
    "E-WGT": 3,
    "E-FIRE": 5,
    "E-JAW": 9,
    "E-HAND": 8,
    "E-ACID": 6,
    "E-PIT": 5,
    "E-X": 1,
    "A-FLY": 3,
    "A-NIM": 2,
    "A-SHW": 4,
    "A-STL": 1,
    "A-SNK": 1,
    "A-DOD": 1,
    "A-TGH": 1,
    "A-INV": 1,
    "A-SWP": 1,
    "A-BRK": 1,
    "A-AQU": 1,
    "A-SEE": 1,
    "A-CARRY": 1,
    "G": 7,
    "P": 10,
    "S": 13,
    "L": 39,
    "R-CHT": 1,
    "R-XP": 4,
    "R-SA": 3,
    "R-TER": 1,
    "R-ROT": 1,
    "R-ART": 1,
    "R-WMT": 4,
    "R-MS": 1,
    "R-CTR": 2,
    "R-MISC": 6,
    "R-MORE": 10,  # Trapdial's own numbers, for what the rulings say beside these
    "Q": 30,
    "AR-SET": 3,
    "AR-GEN": 7,
    "AR-TOK": 4,
    "AR-REF": 1,
    "AR-USE": 9,
    "AR-ABL": 5,
    "F-COL": 2,
    "F-ASC": 2,
    "F-FUR": 3,
    "F-CHR": 4,
    "F-TBL": 4,
    "D-GLD": 2,
    "D-AP": 4,
    "D-ROT": 14,
    "D-REV": 6,
    "D-MOV": 1,
    "D-OBJ": 6,
    "D-JMP": 4,
    "D-CMB": 6,
    "D-WND": 4,
    "D-CRD": 6,
    "D-EXT": 3,
    "D-SCO": 1,
    "D-AUD": 10,
}
ID: Final = re.compile(rf"\b(?:{'|'.join(FAMILIES)})-[0-9]+\b")


def spelled(family: str, number: int) -> str:
    """As the rules write it: differences and questions have two digits."""
    return f"{family}-{number:02}" if family in ("L", "Q") else f"{family}-{number}"


NAMED: Final = re.compile(rf"_({'|'.join(family.lower().replace('-', '_') for family in FAMILIES)})_([0-9]+)(?=_)")
"""As the name of a test has it: `test_t_trg_3_...`."""


def cited_in(*rooms: str) -> frozenset[str]:
    """The ids that the Python files of these rooms name, be it in the name of a test."""
    files = [file for room in rooms for file in (ROOT / room).rglob("*.py") if file != Path(__file__).resolve()]
    return frozenset[str]().union(*map(_cited, files))


@cache
def _cited(file: Path) -> frozenset[str]:
    text = file.read_text(encoding="utf-8")
    found = set(ID.findall(text))
    for name in re.findall(r"\bdef (test_\w+)\(", text):
        found.update(f"{family.upper().replace('_', '-')}-{number}" for family, number in NAMED.findall(name))
    return frozenset(found)


ROOMS: Final = ("hardware", "firmware_host", "pi_app")


def nowhere() -> list[str]:
    """The ids that no file of the program and no test names. The reason for each stands in wiring_docs/rule_ids.md."""
    cited = cited_in(*ROOMS, "tests")
    ids = (spelled(family, number) for family, highest in FAMILIES.items() for number in range(1, highest + 1))
    return [each for each in ids if each not in cited]


def untested() -> list[str]:
    """The ids that a file of the program names and no test."""
    return sorted(cited_in(*ROOMS) - cited_in("tests"))


RULINGS_OF: Final = ("R-", "AR-", "F-")
"""The families that the command `rule` answers: the rulings of 22.09.2003, artifacts and furnishings."""


def rulings() -> list[str]:
    """The ids that the command `rule` must answer."""
    answered = [family for family in FAMILIES if family.startswith(RULINGS_OF)]
    return [spelled(family, number) for family in answered for number in range(1, FAMILIES[family] + 1)]


def unanswered() -> list[str]:
    """The rulings that the command `rule` does not answer, or that no test cites."""
    tested = cited_in("tests")
    return [each for each in rulings() if each not in RULINGS or each not in tested]


def report() -> list[str]:
    """One line for each family, then the rulings that are answered, then what is cited nowhere."""
    code, tests, alone, missing = cited_in(*ROOMS), cited_in("tests"), untested(), nowhere()
    lines = [f"{'rules':<8}{'all':>5}{'in code':>9}{'in a test':>11}{'nowhere':>9}"]
    for family, highest in FAMILIES.items():
        ids = [spelled(family, number) for number in range(1, highest + 1)]
        counts = (
            len(ids),
            sum(each in code for each in ids),
            sum(each in tests for each in ids),
            sum(each in missing for each in ids),
        )
        lines.append(f"{family:<8}{counts[0]:>5}{counts[1]:>9}{counts[2]:>11}{counts[3]:>9}")
    return [
        *lines,
        "",
        f"rulings answered and tested: {len(rulings()) - len(unanswered())} of {len(rulings())}",
        *([f"not answered: {' '.join(unanswered())}"] if unanswered() else []),
        "",
        f"cited in code and in no test ({len(alone)}): {' '.join(alone)}",
        "",
        f"cited nowhere ({len(missing)}): {' '.join(missing)}",
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join([*report(), ""]))
