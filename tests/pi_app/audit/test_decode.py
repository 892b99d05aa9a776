"""Traces in, lines out: every good form is read, every bad one gets one sentence."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.audit import decode as traces
from pi_app.audit.decode import Summary, decode
from pi_app.dials.tracker import DialShape, Tracker, Turn
from pi_app.text.errors import UserFileError
from tests.pi_app.traces import Look, brief, failed, looked, rest, turns_of

A_TURN: list[Look] = [*rest(0), 1, 2, *rest(3)]
CUT_BEFORE = "Cut the trace before this line, or record it again with `trapdial record`."
BEGINS = "A trace begins with `t_ns,raw` or `t_ns,raw,status`."


def csv(looks: list[Look], end: str = "\n") -> str:
    rows = [f"{at_ns},{'' if raw is None else raw}" for at_ns, raw in looked(looks, DialShape())]
    return end.join(["t_ns,raw", *rows]) + end


def read(data: bytes | str) -> tuple[list[Turn], Summary]:
    summary = Summary()
    raw = data.encode() if isinstance(data, str) else data
    return list(decode(io.BytesIO(raw), "a.csv", Tracker(), summary)), summary


def refusal(data: bytes | str) -> str:
    with pytest.raises(UserFileError) as error:
        read(data)
    return str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        csv(A_TURN),
        csv(A_TURN, "\r\n"),
        csv(A_TURN).rstrip("\n"),
        csv(A_TURN) + "\n\n",
        "\n" + csv(A_TURN),
        "\ufeff" + csv(A_TURN),
        csv(A_TURN).replace(",", " , ").replace("t_ns", ' "T_ns"'),
        csv(A_TURN).replace("\n", ",ok\n").replace("raw,ok", "raw,status"),
        csv(A_TURN).replace("\n", ",\n").replace("raw,", "raw,status"),
    ],
    ids=["plain", "CRLF", "no last newline", "empty lines", "empty first line", "BOM", "blanks", "status", "no status"],
)
def test_every_good_form_gives_the_same_turn(text: str) -> None:
    turns, summary = read(text)
    assert turns == turns_of(A_TURN)
    assert (summary.turns, summary.samples, summary.failed, summary.longest_gap_ns) == (1, 202, 0, 10_000_000)


@pytest.mark.parametrize("status", ["silent", "no magnet", "stuck", "glitch", "implausible", "error", "1", "?"])
def test_a_status_that_is_not_good_is_a_failed_read(status: str) -> None:
    failing = f"30,2048,{status}\n40,2048,{status}\n"
    turns, summary = read("t_ns,raw,status\n10,0,ok\n20,0,OK\n" + failing + "50,0,too weak\n")
    assert turns == []
    assert (summary.samples, summary.failed, summary.longest_gap_ns) == (5, 2, 30)


def test_empty_raw_is_a_failed_read() -> None:
    turns, summary = read(csv([*rest(0), *failed(10), *rest(2)]))
    assert [turn.path for turn in turns] == ["unknown"]
    assert (summary.failed, summary.unknown, summary.longest_gap_ns) == (10, 1, 110_000_000)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", f"a.csv: it is empty. {BEGINS}"),
        ("\n\n", f"a.csv: it is empty. {BEGINS}"),
        ("time,angle\n1,2\n", f"a.csv line 1: this is not the header of a trace, in 'time,angle'. {BEGINS}"),
        ("1,2\n", f"a.csv line 1: this is not the header of a trace, in '1,2'. {BEGINS}"),
        (
            b"\x7fELF\x02\xff\xfe\n",
            "a.csv line 1: bytes that are not text, in '\\x7fELF\\x02\\ufffd\\ufffd'. " + BEGINS,
        ),
        (b"t_ns,raw\n1,2\n2,\xff\n", f"a.csv line 3: bytes that are not text, in '2,\\ufffd'. {CUT_BEFORE}"),
        (b"t_ns,raw\n1,2\n\0\0\n", f"a.csv line 3: binary zeros, in '\\x00\\x00'. {CUT_BEFORE}"),
        ("t_ns,raw\n1,2\n2\n3,4\n", f"a.csv line 3: 1 column instead of 2, in '2'. {CUT_BEFORE}"),
        ("t_ns,raw\n1,2,ok\n", f"a.csv line 2: 3 columns instead of 2, in '1,2,ok'. {CUT_BEFORE}"),
        (
            "t_ns,raw\n1,2\n12",
            "a.csv line 3: 1 column instead of 2 (the trace may have been cut off here), in '12'. " + CUT_BEFORE,
        ),
        ("t_ns,raw\n1,2\n2,4096\n", f"a.csv line 3: raw 4096 is outside 0 to 4095, in '2,4096'. {CUT_BEFORE}"),
        ("t_ns,raw\n1,-1\n", f"a.csv line 2: raw -1 is outside 0 to 4095, in '1,-1'. {CUT_BEFORE}"),
        ("t_ns,raw\n1,2.5\n", f"a.csv line 2: raw is '2.5', not a whole number, in '1,2.5'. {CUT_BEFORE}"),
        ("t_ns,raw\n1_0,2\n", f"a.csv line 2: t_ns is '1_0', not a whole number, in '1_0,2'. {CUT_BEFORE}"),
        ("t_ns,raw\n,2\n", f"a.csv line 2: t_ns is '', not a whole number, in ',2'. {CUT_BEFORE}"),
        (
            "t_ns,raw\n5,2\n5,2\n",
            "a.csv line 3: t_ns 5 is not after the 5 before it; time must grow, in '5,2'. " + CUT_BEFORE,
        ),
        (
            "t_ns,raw\n5,2\n4,2\n",
            "a.csv line 3: t_ns 4 is not after the 5 before it; time must grow, in '4,2'. " + CUT_BEFORE,
        ),
    ],
)
@pytest.mark.parametrize("piece", [4, 1 << 16])
def test_a_bad_trace_gets_one_sentence(
    data: bytes | str, words: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In small pieces most lines are parsed as plain stretches, in a large one they come one by one."""
    monkeypatch.setattr(traces, "PIECE_BYTES", piece)
    assert refusal(data) == words


def test_an_endless_line_is_refused_before_it_fills_the_memory() -> None:
    assert refusal(b"t_ns,raw\n" + b"7" * 300_000).startswith("a.csv line 2: a line without an end, in '7777")
    assert refusal(b"t_ns,raw\n1,2\n" + b"7" * 5_000 + b"\n").startswith("a.csv line 3: a line of 5000 bytes, in '7777")


def test_the_line_is_right_far_into_a_long_trace() -> None:
    text = csv(rest(0, 20_000))
    assert refusal(text + "oops\n").startswith("a.csv line 20002: 1 column instead of 2, in 'oops'.")
    assert refusal(text + "5,0\n").startswith("a.csv line 20002: t_ns 5 is not after the 200000000000 before it;")


def test_turns_before_the_bad_line_have_been_handed_out() -> None:
    turns = decode(io.BytesIO((csv(A_TURN) + "oops\n").encode()), "a.csv", Tracker(), Summary())
    assert brief([next(turns)]) == [(0, 3, 3)]
    with pytest.raises(UserFileError):
        next(turns)


class FailingDisk(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        raise OSError(5, "Input/output error")


def test_a_disk_that_fails_is_a_sentence_too() -> None:
    with pytest.raises(UserFileError) as error:
        list(decode(FailingDisk(), "a.csv", Tracker(), Summary()))
    assert str(error.value) == "a.csv line 1: reading stopped (Input/output error). Check the disk, or copy the trace."


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(st.integers(1, 60_000_000), st.one_of(st.none(), st.integers(0, 4095))), max_size=60),
    piece=st.integers(12, 200),
)
def test_pieces_of_any_size_give_the_same(rows: list[tuple[int, int | None]], piece: int) -> None:
    now_ns, lines, tracker, expected = 0, ["t_ns,raw"], Tracker(), list[Turn]()
    for after_ns, raw in rows:
        now_ns += after_ns
        lines.append(f"{now_ns},{'' if raw is None else raw}")
        if (turn := tracker.feed(now_ns, raw)) is not None:
            expected.append(turn)
    if (turn := tracker.finish()) is not None:
        expected.append(turn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(traces, "PIECE_BYTES", piece)
        turns, summary = read("\n".join(lines))
    assert turns == expected
    assert (summary.samples, summary.turns) == (len(rows), len(expected))


@given(data=st.binary(max_size=300), good_start=st.booleans())
def test_no_bytes_make_a_traceback(data: bytes, good_start: bool) -> None:
    words = "a.csv: read to its end"
    try:
        read((b"t_ns,raw\n1,2\n" if good_start else b"") + data)
    except UserFileError as error:
        words = str(error)
    assert words.startswith("a.csv")
    assert "\n" not in words


def test_the_summary_in_words() -> None:
    _, summary = read(csv(A_TURN))
    assert summary.line() == (
        "1 turn, 0 of them with an unknown path; 202 samples, 0 failed reads, longest gap 10.0 ms"
    )


def test_the_summary_counts_ranges_apart_from_unknown_paths() -> None:
    _, summary = read(csv([*rest(0.5), 0.7, *rest(1), 1.3, *rest(1.5), *failed(10), *rest(4)]))
    assert summary.line() == (
        "3 turns, 1 of them with an unknown path and 1 with a range of clicks; 412 samples, 10 failed reads, "
        "longest gap 110.0 ms"
    )
