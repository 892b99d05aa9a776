"""The file with a centre's private key: made for its owner alone, and refused if it is anything else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_app.centre.key_file import PUT_BACK, make_key, read_key
from pi_app.text.errors import UserFileError


def test_a_new_key_is_read_again_and_is_another_each_time(tmp_path: Path) -> None:
    make_key(tmp_path / "one")
    make_key(tmp_path / "two")
    one, two = (read_key(tmp_path / name, "centre.example/c1") for name in ("one", "two"))
    assert (tmp_path / "one").stat().st_mode & 0o777 == 0o600
    assert read_key(tmp_path / "one", "centre.example/c1") == one
    assert one.key.public != two.key.public
    assert one.verifier.name == "centre.example/c1"
    with pytest.raises(UserFileError, match="exists already and is never overwritten"):
        make_key(tmp_path / "one")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o644, 0o777])
def test_a_key_that_others_may_use_is_refused_with_the_command_to_type(tmp_path: Path, mode: int) -> None:
    make_key(tmp_path / "key")
    (tmp_path / "key").chmod(mode)
    with pytest.raises(UserFileError) as raised:
        read_key(tmp_path / "key", "c")
    assert str(raised.value) == (
        f"{tmp_path}/key: other users of this machine may use it (mode {mode:o}). Type: chmod 600 {tmp_path}/key."
    )


@pytest.mark.parametrize("text", ["", "\n", "12", "x" * 64, "0" * 63, "0" * 66, "é" * 64])
def test_what_is_no_key_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(UserFileError) as raised:
        read_key(tmp_path / "key", "c")
    assert str(raised.value) == f"{tmp_path}/key: it is no key of a centre, which has 64 hex digits. {PUT_BACK}."


def test_a_fifo_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key", 0o600)
    with pytest.raises(UserFileError, match="it is a FIFO"):
        read_key(tmp_path / "key", "c")
