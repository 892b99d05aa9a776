"""Doctor, calibration, traces, bench and demo print what their pages show."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from hardware.bus import Read, Write, wire_bits
from pi_app.cli.main import main
from pi_app.simulated.live.keys import KEYS
from tests.docs.pages import blocks, command_lines, resolved, said, tables


def test_bits_on_the_wire() -> None:
    (rows,) = tables("wiring_docs/story_of_a_click.md", "what", "bits")
    register = Write(0x36, b"\x0c")
    assert [int(row["bits"]) for row in rows] == [
        wire_bits((Write(0x70, b"\x01"),)),
        wire_bits((Read(0x36, 2),)),
        wire_bits((register, Read(0x36, 2))),
        wire_bits((register, Read(0x36, 3))),
    ]


@pytest.mark.usefixtures("small_table")
def test_the_healthy_table_looks_like_that() -> None:
    assert set(blocks("wiring_docs/doctor.md", "text")[0].splitlines()) <= set(said("trapdial doctor --simulated"))


@pytest.mark.usefixtures("small_table")
def test_broken_twins_read_like_that() -> None:
    lines = [line for line in blocks("wiring_docs/doctor.md", "sh")[2].splitlines() if "--fault" in line]
    wanted = blocks("wiring_docs/doctor.md", "text")[1].splitlines()
    for line, told in zip(lines, wanted, strict=True):
        assert told in said(line), line


@pytest.mark.usefixtures("small_table")
def test_calibrating_says_that() -> None:
    (told,) = blocks("wiring_docs/calibrate.md", "text")
    lines = said("trapdial calibrate --simulated --auto --square T01")
    assert without_numbers(told.strip()) in [without_numbers(line) for line in lines]


def without_numbers(line: str) -> str:
    """Degrees of a simulated magnet are nobody's promise."""
    return re.sub(r"[0-9]+\.[0-9]", "#", line)


@pytest.mark.usefixtures("small_table")
def test_a_recording_can_be_decoded() -> None:
    page = "wiring_docs/traces.md"
    (record,) = [line for line in command_lines() if line.startswith("trapdial record --simulated --square")]
    said(record)
    header = Path("t01.csv").read_text(encoding="ascii").splitlines()[0]
    (rows,) = tables(page, "column", "what")
    assert [row["column"].strip("`") for row in rows] == header.split(",")
    assert blocks(page, "sh")[0].splitlines() == [record.replace("--simulated ", ""), "trapdial decode t01.csv"]
    assert any(" clicks (" in line for line in said("trapdial decode t01.csv"))


def test_every_bench_is_told() -> None:
    (rows,) = tables("wiring_docs/bench.md", "command", "what it measures")
    bench, _ = resolved("trapdial bench")
    assert isinstance(bench, click.Group)
    assert sorted(row["command"].strip("`").split()[-1] for row in rows) == sorted(bench.commands)


def test_the_demos_keys_are_its_own() -> None:
    (rows,) = tables("wiring_docs/demo.md", "key", "what it does")
    assert [(row["key"], row["what it does"]) for row in rows] == [(key.names, key.help) for key in KEYS if key.help]


def test_the_example_trace_gives_the_example_turns(tmp_path: Path) -> None:
    (trace,) = blocks("wiring_docs/traces.md", "csv")
    (wanted,) = blocks("wiring_docs/traces.md", "json")
    (line,) = blocks("wiring_docs/traces.md", "sh")[-1].splitlines()
    (tmp_path / "trace.csv").write_text(trace, encoding="utf-8")
    arguments = line.replace("trace.csv", str(tmp_path / "trace.csv")).split()[1:]
    decoded = CliRunner().invoke(main, arguments)
    assert decoded.exit_code == 0, decoded.output
    assert decoded.stdout == wanted
