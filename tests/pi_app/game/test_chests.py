from pathlib import Path

import pytest

from pi_app.game import chests
from pi_app.game.chests import Chest
from pi_app.text.errors import UserFileError

ONE = '[[chest]]\nnumber = 101\ndisarm = "6+"\nxp = 15\n'


def test_a_file_of_chests() -> None:
    assert chests.parse(ONE, "my.toml") == ((Chest(number=101, disarm="6+", xp=15),), ())


def test_the_sample_can_be_played() -> None:
    assert [chest.number for chest in chests.load(chests.sample_path())] == [101, 107, 116]


def test_r_cht_1_chest_116_is_disarmed_against_10() -> None:
    found, problems = chests.parse('[[chest]]\nnumber = 116\ndisarm = "8"\nxp = 1\n', "my.toml")
    assert [chest.disarm for chest in found] == ["10"]
    assert [str(problem) for problem in problems] == [
        "my.toml [[chest]] 1 disarm = '8': played as 10, by the errata (R-CHT-1)"
    ]


@pytest.mark.parametrize(("chest", "plus_die", "value"), [("7", 6, 7), ("6+", 1, 7), ("6+", 6, 12)])
def test_what_a_disarm_must_reach(chest: str, plus_die: int, value: int) -> None:
    assert Chest(number=1, disarm=chest).value(plus_die) == value


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "there are no chests"),
        ("[[cheese]]\n", "there is no key 'cheese'"),
        (ONE + ONE, "appears 2 times"),
        ('[[chest]]\nnumber = 0\ndisarm = "7"\n', "must be a chest's number from 1 to 999"),
        ('[[chest]]\nnumber = 5\ndisarm = "x"\n', "must be one or two digits"),
        (ONE * 41, "there is room for 40"),
        ("[[chest]", "this is not TOML"),
    ],
)
def test_what_cannot_be_used_is_said(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(text)
    with pytest.raises(UserFileError) as refused:
        chests.load(file)
    assert reason in str(refused.value)
