"""The pages of a simulated table: its port, its codes, what `/demo` shows, and the hands on it."""

from __future__ import annotations

import base64
import json
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_app.pages.address import code_text
from pi_app.pages.link import MemoryLink
from pi_app.pages.messages import Counts, DemoShown, Hand
from pi_app.settings.load import example_path, load
from pi_app.simulated import demo_pages
from pi_app.simulated.demo_pages import DemoLink, Opened, codes_of, open_port, setup_of
from pi_app.simulated.pages_table import PagesDemo
from pi_app.text.errors import UserFileError

SEATS = ("ANN", "BEN", "CAL", "DEE")
KEY = "T7T4PNWZBJVW6EPEHKZTRKU5KM"


def test_each_seat_has_the_key_with_another_first_letter() -> None:
    codes = codes_of(KEY, SEATS)
    assert [code_text(code) for code in codes.values()] == [letter + KEY[1:] for letter in "ABCD"]
    assert all(len(code) == 16 for code in codes.values())


def test_keys_are_new_each_time_and_are_written_as_codes_are() -> None:
    keys = {demo_pages.new_key() for _ in range(50)}
    assert len(keys) == 50
    for key in keys:
        assert len(key) == 26
        assert all(base64.b32encode(code).decode().rstrip("=")[1:] == key[1:] for code in codes_of(key, SEATS).values())


def test_the_key_is_behind_the_hash_so_that_no_server_gets_it() -> None:
    opened = Opened((), ("127.0.0.1", 8080), KEY)
    assert opened.url == f"http://localhost:8080/demo#{KEY}"
    assert KEY not in repr(opened)
    assert opened.url_to_watch == "http://localhost:8080/demo", "robots keep their seats"


def test_a_demo_serves_this_machine_alone() -> None:
    setup = setup_of(("127.0.0.1", 8081))
    assert (setup.hosts, setup.address, setup.demo) == (("localhost:8081", "127.0.0.1:8081"), "localhost:8081", True)
    with open_port(None) as opened:
        assert [each.getsockname()[0] for each in opened.listeners] == ["127.0.0.1"]


def test_a_taken_port_is_passed_over_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        monkeypatch.setattr(demo_pages, "FIRST_PORT", other.getsockname()[1])
        with open_port(None) as opened:
            assert opened.taken == other.getsockname()[1]
            assert opened.address[1] > other.getsockname()[1]


def test_a_port_that_was_asked_for_is_taken_or_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(UserFileError) as refused, open_port(port):
            pass
    assert str(refused.value) == (
        f"--port {port}: another program has this port, or this user may not open it. Leave --port out, and the demo "
        "takes a free one."
    )
    with open_port(port) as opened:
        assert (opened.address, opened.taken) == (("127.0.0.1", port), None)


@pytest.fixture
def memory() -> MemoryLink:
    return MemoryLink()


@pytest.fixture
def table(tmp_path: Path, memory: MemoryLink) -> Iterator[PagesDemo]:
    opened = Opened((), ("127.0.0.1", 8080), KEY)
    with PagesDemo(load(example_path("8x4")), tmp_path / "journal.db", opened, seed=3, link=memory) as made:
        while not made.loop.ready:
            made.step()
        yield made


def shown(memory: MemoryLink) -> dict[str, object]:
    text = [message.text for message in memory.sent if isinstance(message, DemoShown)][-1]
    said: dict[str, object] = json.loads(text)
    return said


def pass_s(table: PagesDemo, seconds: float) -> None:
    until_ns = table.now_ns() + round(seconds * 1e9)
    while table.now_ns() < until_ns:
        table.step()


def test_the_page_is_shown_what_everybody_sees(table: PagesDemo, memory: MemoryLink) -> None:
    pass_s(table, 0.2)
    said = shown(memory)
    assert said == {
        "table": "Great table",
        "game": table.loop.session.game_id,
        "marks": ["SIMULATED", "SAMPLE"],
        "seats": [{"seat": name.upper(), "name": name} for name in ("Ann", "Ben", "Cal", "Dee")],
        "squares": [{"label": f"T0{n}", "clicks": 12, "turned": 0.0, "moving": False} for n in range(1, 9)],
        "robots": False,
        "station": False,
    }


def test_a_hand_on_the_page_turns_a_dial(table: PagesDemo, memory: MemoryLink) -> None:
    memory.incoming.append(Hand("T03", 2))
    pass_s(table, 0.1)
    (third,) = [each for each in shown(memory)["squares"] if each["label"] == "T03"]  # type: ignore[attr-defined]
    assert third["moving"] is True
    pass_s(table, 2)
    (third,) = [each for each in shown(memory)["squares"] if each["label"] == "T03"]  # type: ignore[attr-defined]
    assert third == {"label": "T03", "clicks": 12, "turned": 2.0, "moving": False}


@pytest.mark.parametrize("hand", [Hand("T99", 1), Hand("T01", 0)])
def test_a_hand_that_turns_nothing_changes_nothing(table: PagesDemo, memory: MemoryLink, hand: Hand) -> None:
    pass_s(table, 0.2)
    before = shown(memory)
    memory.incoming.append(hand)
    pass_s(table, 1.5)
    assert shown(memory) == before


def test_a_stranger_cannot_make_a_dial_turn_for_long(table: PagesDemo, memory: MemoryLink) -> None:
    memory.incoming.extend(Hand("T01", 24) for _ in range(100))
    pass_s(table, 25)
    (first,) = [each for each in shown(memory)["squares"] if each["label"] == "T01"]  # type: ignore[attr-defined]
    assert first["moving"] is False
    assert 24 <= first["turned"] <= 72


def test_the_page_is_told_again_what_has_not_changed(table: PagesDemo, memory: MemoryLink) -> None:
    """A page process that was started again knows nothing."""
    pass_s(table, 0.2)
    memory.sent.clear()
    pass_s(table, 5)
    assert 3 <= sum(isinstance(message, DemoShown) for message in memory.sent) <= 6


def test_hands_do_not_reach_the_phones_side_of_the_table(memory: MemoryLink) -> None:
    counts = Counts(pages=1, joins=0, refused=0, streams=0)
    memory.incoming.extend([Hand("T01", 1), counts])
    link = DemoLink(memory)
    assert list(link.take()) == [counts]
    assert link.hands == [Hand("T01", 1)]
