"""A disk that refuses what happens is printed once for each seat, and counted."""

from __future__ import annotations

from pi_app.report.pictures import Dark
from pi_app.report.seat_screen import Attention, seat_says
from pi_app.simulated.text_output import TextOutput
from tests.pi_app.playing import settings

WAIT = seat_says(Attention.NOT_RECORDED, str)


def test_screens_that_wait_for_the_disk_are_printed_once_until_an_event_is_recorded() -> None:
    lines: list[tuple[str, str]] = []
    output = TextOutput(settings(), lambda viewer, line, at_ns: lines.append((viewer, line)))
    output.count_left_out()
    for picture in (WAIT, Dark(), WAIT, Dark(), WAIT):
        output.shown("ANN", picture, 1)
    output.shown("BEN", WAIT, 1)
    waits = "screen: Not recorded: wait. Tell the table."
    assert lines == [("seat ANN", waits), ("seat ANN", "screen: dark"), ("seat BEN", waits)]
    output.told("log", "an event", 2)
    output.shown("ANN", WAIT, 2)
    output.count_left_out()
    assert lines[3:] == [
        ("log", "an event"),
        ("seat ANN", waits),
        ("referee", "2 more screens that waited for the disk are not printed."),
    ]
