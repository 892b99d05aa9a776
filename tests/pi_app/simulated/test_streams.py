"""One file per viewer with all its output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pi_app.simulated.streams import Streams
from pi_app.text.errors import UserFileError


def rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_every_viewer_has_a_file_from_the_start(tmp_path: Path) -> None:
    Streams(tmp_path / "s", ["ANN", "BEN"]).close()
    names = sorted(file.name for file in (tmp_path / "s").iterdir())
    assert names == ["log.jsonl", "public.jsonl", "referee.jsonl", "seat-ANN.jsonl", "seat-BEN.jsonl"]


def test_lines_bytes_and_edges_are_written_with_their_times(tmp_path: Path) -> None:
    streams = Streams(tmp_path, ["ANN"])
    streams.told("seat ANN", "T01: exposed by Ann.", 5)
    streams.screen("ANN", b"\x40\xff", 6)
    streams.lamp("ANN", True, 7)
    streams.told("public", "Käfig", 8)
    assert rows(tmp_path / "seat-ANN.jsonl") == [
        {"at_ns": 5, "line": "T01: exposed by Ann."},
        {"at_ns": 6, "screen": "40ff"},
        {"at_ns": 7, "lamp": True},
    ]
    assert rows(tmp_path / "public.jsonl") == [{"at_ns": 8, "line": "Käfig"}]
    streams.close()
    streams.close()


def test_a_folder_that_cannot_be_made_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserFileError, match=r"\(folder for streams\) cannot be written"):
        Streams(tmp_path / "file", ["ANN"])
