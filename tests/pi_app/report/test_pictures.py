"""What goes from report to displays is sealed and consistent."""

from __future__ import annotations

import dataclasses

import pytest

from pi_app.report.pictures import Dark, Say, ShowDie, ShowFace

FACE = ShowFace(
    label="T07",
    kind="trap",
    trap="cage",
    click_number=3,
    disarm="6+",
    xp=22,
    quick_of_36=None,
    slow_of_36=None,
    effect="locks",
    sample=True,
    simulated=True,
)


def test_s_6_a_face_prints_as_sealed_wherever_it_hides() -> None:
    assert [repr(FACE), str(FACE), f"{FACE}", f"{[FACE]}"] == [
        "ShowFace((sealed))",
        "ShowFace((sealed))",
        "ShowFace((sealed))",
        "[ShowFace((sealed))]",
    ]


def test_s_9_a_die_prints_as_sealed() -> None:
    assert repr(ShowDie(("Turn it 4 clicks,",), "T07")) == "ShowDie((sealed))"


def test_neutral_pictures_may_be_read() -> None:
    assert repr(Dark()) == "Dark()"
    assert repr(Say(("Wait.",), "T07")) == "Say(lines=('Wait.',), label='T07', again=False, phone=())"


@pytest.mark.parametrize(("kind", "trap"), [("trap", None), ("clear", "cage"), ("other", "cage")])
def test_a_face_names_its_trap_exactly_when_it_is_one_and_says_no_more(kind: str, trap: str | None) -> None:
    with pytest.raises(ValueError, match=r"^a face names its trap exactly when its kind is trap$"):
        dataclasses.replace(FACE, kind=kind, trap=trap)  # type: ignore[arg-type]


def test_faces_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        FACE.xp = 3  # type: ignore[misc]
