"""The page: one file that asks for nothing elsewhere, well formed, with whatever names people have."""

from __future__ import annotations

import contextlib
import re
import sqlite3
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest

from pi_app.audit.files import audit_file
from pi_app.audit.page import page
from pi_app.audit.statistics import statistics
from pi_app.audit.values import FileAudit
from pi_app.game import events as ev
from tests.docs.pictures import audit_sample as sample
from tests.pi_app.audit.records import rules_of, write
from tests.pi_app.games import exposes, started, turned

pytestmark = pytest.mark.slow

VOID = {"meta", "br", "link", "img"}


class Tags(HTMLParser):
    """Checks that every element is closed where it should be; collects ids and references."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.refers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._note(attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def _note(self, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "xlink:href"):
                self.refers.append(value or "")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> FileAudit:
    return sample.sample(tmp_path_factory.mktemp("sample") / "sample.db")


def read(html: str) -> Tags:
    tags = Tags()
    tags.feed(html)
    tags.close()
    assert tags.open == []
    return tags


def test_the_page_is_well_formed_and_loads_nothing_else(sampled: FileAudit) -> None:
    html = page([sampled], statistics(sampled.games))
    tags = read(html)
    assert len(tags.ids) == len(set(tags.ids))
    assert all(target.startswith("#") and target[1:] in tags.ids for target in tags.refers)
    assert set(re.findall(r"https?://[^\s\"'<]+", html)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert set(re.findall(r"url\(([^)]*)\)", html)) <= {f"#{name}" for name in tags.ids}
    assert "<script" not in html
    assert (html.count("<figure "), html.count("<svg")) == (6, 7)  # and the QR code


def test_every_colour_is_a_name_that_the_style_sheet_explains(sampled: FileAudit) -> None:
    html = page([sampled])
    body = html[html.index("<body>") :]
    assert re.findall(r"(?:fill|stroke): *(#[0-9a-f]+)", body) == []
    assert set(re.findall(r"var\(--([a-z]+)\)", body)) <= set(re.findall(r"--([a-z]+):", html))


def test_the_sample_has_findings_that_were_made_on_purpose(sampled: FileAudit) -> None:
    assert {rule.kind for _, rule in rules_of(sampled.games[0])} >= {
        "wrong count", "wrong direction", "second turn", "no claim", "out of turn", "between two detents", "not seen",
        "magnet weakened",
    }  # fmt: skip
    assert {known.by for known in sampled.games[0].known} == {"exposed", "announced"}


def test_the_sample_is_the_same_every_time(sampled: FileAudit, tmp_path: Path) -> None:
    again = sample.sample(tmp_path / "sample.db")
    assert again == sampled
    assert sample.picture(again) == sample.picture(sampled)


NAMES = "<b>$x_{$ & \"Ann\" 'é' 你"


def test_names_are_text_whatever_is_in_them(tmp_path: Path) -> None:
    begin = started()
    seats = tuple(msgspec.structs.replace(seat, name=NAMES) for seat in begin.seats)
    begin = msgspec.structs.replace(begin, seats=seats, table_name=NAMES)
    path = write(tmp_path / "j.db", *exposes("T01", 3, "ANN"), turned("T02", 2), ev.Ended(), begin=begin)
    html = page([audit_file(path)])
    read(html)
    assert "<b>" not in html


def test_a_running_game_and_a_damaged_one_have_a_page_too(tmp_path: Path, sampled: FileAudit) -> None:
    running = page([audit_file(write(tmp_path / "j.db", *exposes("T01", 3, "ANN"), turned("T02", 2)))])
    read(running)
    assert "<figure" not in running
    assert '<li class="pass">T01: PASS so far</li><li class="fail">T02: FAIL (1)</li>' in running
    with contextlib.closing(sqlite3.connect(tmp_path / "j.db")) as db, db:
        db.execute("UPDATE entries SET leaf = zeroblob(32) WHERE seq = 5")
    damaged = page([audit_file(tmp_path / "j.db")])
    read(damaged)
    assert damaged.index("NOT PROVEN: j.db.</strong> Entry 5 does not match its hash.") < damaged.index("<h3>")
    assert "PASS" not in damaged
    assert '<li class="unproven">T01: NOT PROVEN</li><li class="unproven">T02: NOT PROVEN</li>' in damaged
