"""The pictures at the head of the README: small, whole in themselves, and as discreet as the table that they show."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree

import pytest

from pi_app.game.trap_table import TRAP_IDS
from pi_app.game.trap_words import effect, trap_name
from tests.docs.pages import DOCS, text
from tests.docs.pictures.first_look import LENGTH, SEATS, STILL, TIMES, play

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = ("first_look", "turn")


def phones(name: str) -> dict[str, ElementTree.Element]:
    """The phones of a picture, by seat: what lies inside of each case."""
    root = ElementTree.parse(DOCS / f"{name}.svg").getroot()
    inside = [group for group in root.iter(f"{SVG}g") if group.get("clip-path")]
    return {seat: group for group in inside for seat in SEATS if f"You are {seat}." in texts(group)}


def texts(element: ElementTree.Element) -> list[str]:
    return [line.text or "" for line in element.iter(f"{SVG}text")]


def secrets() -> Iterator[str]:
    """Words that only the face of a trap has."""
    for trap in TRAP_IDS:
        yield trap_name(trap)
        yield effect(trap).split(".")[0]
    yield from ("disarm", "XP", "quick", "slow", "click ")


@pytest.mark.parametrize("name", PICTURES)
def test_it_is_small_and_needs_nothing_else(name: str) -> None:
    picture = text(f"wiring_docs/{name}.svg")
    assert len(picture) < 60_000
    assert set(re.findall(r"https?://[^\s\"'<]+", picture)) == {"http://www.w3.org/2000/svg"}
    assert {link.split(",")[0] for link in re.findall(r'href="([^"]+)"', picture)} == {"data:image/png;base64"}
    assert "<script" not in picture
    assert "@import" not in picture
    assert "url(" not in picture.replace("url(#", "")


@pytest.mark.parametrize(("name", "seats"), [("first_look", SEATS), ("turn", SEATS[:2])])
def test_only_anns_phone_shows_a_trap(name: str, seats: tuple[str, ...]) -> None:
    shown = phones(name)
    assert tuple(shown) == seats
    assert [seat for seat, phone in shown.items() if any(word in " ".join(texts(phone)) for word in secrets())] == [
        "Ann"
    ]
    for phone in shown.values():
        assert {"SIMULATED", "SAMPLE", "T03: exposed by Ann."} <= set(texts(phone))


def test_the_moving_picture_shows_the_trap_only_while_she_holds() -> None:
    ann = phones("turn")["Ann"]
    states = {group.get("class", "").split()[-1]: " ".join(texts(group)) for group in ann.findall(f"{SVG}g")}
    assert [name for name, words in states.items() if any(word in words for word in secrets())] == [STILL]


def test_it_takes_8_seconds_and_rests_for_a_reader_who_asked_for_that() -> None:
    style = re.findall(r"<style>(.*)</style>", text("wiring_docs/turn.svg"))[0]
    still, moving = style.split("@media not (prefers-reduced-motion){")
    assert "animation" not in still
    assert f".{STILL}," in still
    assert set(re.findall(r"animation:\w+ (\S+)", moving)) == {f"{LENGTH:g}s"} == {"8s"}
    starts, ends = zip(*TIMES.values(), strict=True)
    assert [0.0, *ends] == [*starts, LENGTH], "one state follows the other"


@pytest.mark.slow
def test_the_words_are_those_of_the_demo() -> None:
    states = play()
    for name, seats in (("first_look", SEATS), ("turn", SEATS[:2])):
        kept = phones(name)
        for number, seat in enumerate(seats):
            frames = states.values() if name == "turn" else [states[STILL]]
            now = {part["text"] for frame in frames for part in frame[number].parts if part["is"] == "text"}
            assert without_joins(texts(kept[seat])) == without_joins(now), "run `make picture` and look at it"


def without_joins(lines: Iterable[str]) -> set[str]:
    """The lines but those of phones that join: their order is each time another."""
    return {line for line in lines if not line.endswith("reads on a phone now.")}
