"""The bench of phones: seats and pins, figures of what was measured, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_app.settings.load import example_path, load
from pi_app.text.errors import BrokenInstallationError
from pi_app.workshop.bench import pages
from pi_app.workshop.bench.pages import PhoneAmounts, Played, batches_ms
from pi_app.workshop.bench.pages_phones import FaceOpened, received
from pi_app.workshop.bench.pages_scan import Pace, Paces
from pi_app.workshop.bench.pages_table import SentBatch, TimedLink, cpu_ns_of, with_seats

GREAT = load(example_path("8x4"))


def test_more_seats_have_buttons_on_pins_that_are_free() -> None:
    table = with_seats(GREAT, 8)
    assert list(table.seats) == ["ANN", "BEN", "CAL", "DEE", "SEAT5", "SEAT6", "SEAT7", "SEAT8"]
    pins = [gpio for seat in table.seats.values() for gpio in seat.gpios]
    assert len(pins) == len(set(pins))
    lines = {gpio for bus in table.buses.values() for gpio in bus.lines or ()}
    assert not lines & set(pins)
    assert list(with_seats(GREAT, 2).seats) == ["ANN", "BEN"]


def test_a_table_with_more_seats_than_pins_is_refused() -> None:
    with pytest.raises(ValueError, match="a table of 30 seats needs more pins than a Pi has; try fewer phones"):
        with_seats(GREAT, 30)


def test_the_figures_say_what_was_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    played = Played([10.0, 20.0], [3.0, 5.0], [1.0, 16.0], (13_000, 500), 39.0, 7.0)
    found = Paces(Pace(100.0, 12.0, 5.0), Pace(99.5, 13.0, 6.0), Pace(98.0, 14.0, 7.0), 4_000.0)
    monkeypatch.setattr(pages, "play", lambda settings, folder, amounts: played)
    monkeypatch.setattr(pages, "paces", lambda settings, crowd, seconds: found)
    monkeypatch.setattr(pages, "memory_folder", lambda: tmp_path)
    bench = pages.run(GREAT, tmp_path, PhoneAmounts(phones=4, batches=2))
    figures = {figure.name: figure for figure in bench.figures}
    assert {name: figure.verdict for name, figure in figures.items() if figure.target is not None} == {
        "dial at rest to face, software, p99": "fail",
        "first visit: the page": "pass",
        "memory of the page process, peak": "pass",
        "scan rate lost to 4 phones": "pass",
        "scan rate lost to 4 phones and 24 strangers": "fail",
    }
    assert figures["scan rate lost to 4 phones"].value == pytest.approx(0.5)
    assert figures["scan rate lost to 4 phones and 24 strangers"].note == "4000 requests/s"
    assert figures["hold to face at the phone, p50"].value == 15.0
    assert not bench.passed


def test_without_a_folder_in_memory_there_is_no_verdict_on_the_software(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    played = Played([10.0], [3.0], [99.0], (13_000, 500), 39.0, 7.0)
    monkeypatch.setattr(pages, "play", lambda settings, folder, amounts: played)
    monkeypatch.setattr(pages, "memory_folder", lambda: None)
    bench = pages.run(GREAT, tmp_path, PhoneAmounts(phones=2, seconds=0, batches=1))
    (software,) = [figure for figure in bench.figures if figure.name == "dial at rest to face, software, p99"]
    assert software.verdict == "no target"
    assert not any("scan" in figure.name for figure in bench.figures)


def test_each_batch_has_a_frame_for_each_seat_and_takes_time() -> None:
    took = batches_ms(GREAT, 3)
    assert len(took) == 3
    assert min(took) > 0


def test_a_face_belongs_to_the_last_batch_that_was_sent_before_it() -> None:
    link = TimedLink(None, sent=[SentBatch(10, 5, 1, 0), SentBatch(30, 25, 1, 0), SentBatch(50, 45, 1, 0)])  # type: ignore[arg-type]
    assert link.before(40).came_ns == 25


def test_a_process_that_is_gone_took_no_time() -> None:
    assert cpu_ns_of(None) == 0
    assert cpu_ns_of(2**22 + 1) == 0


class Pipe:
    """A pipe with one message, or none."""

    def __init__(self, message: object) -> None:
        self.message = message

    def poll(self, seconds: float) -> bool:
        return self.message is not None

    def recv(self) -> object:
        if isinstance(self.message, BaseException):
            raise self.message
        return self.message


@pytest.mark.parametrize(
    ("message", "said"),
    [(None, "nothing"), (EOFError(), "it has ended"), ("no page process answers", "no page process answers")],
)
def test_phones_that_come_to_nothing_are_one_sentence(message: object, said: str) -> None:
    with pytest.raises(BrokenInstallationError) as refused:
        received(Pipe(message), "phones")  # type: ignore[arg-type]
    assert str(refused.value) == f"simulated phones (this machine) came to nothing: {said}. Try again."


def test_what_phones_report_is_passed_on() -> None:
    face = FaceOpened("ANN", 1, 2, 3)
    assert received(Pipe(face), "phones") is face  # type: ignore[arg-type]
    assert received(Pipe("ready"), "phones") == "ready"  # type: ignore[arg-type]
