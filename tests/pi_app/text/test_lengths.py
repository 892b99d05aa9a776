"""Bytes of texts."""

from __future__ import annotations

from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from pi_app.text.lengths import most_bytes, text_bytes
from pi_app.text.user_file import Complaints, read_values


class Row(msgspec.Struct, kw_only=True):
    name: Annotated[str, Meta(max_length=4, description="a text of at most 4 characters")]
    free: str = ""


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("abc", 3), ("é", 2), ("ก็", 6), ("語", 3), ("😀", 4), ('"\\', 4), ("a\nb", 4)]
)
def test_a_text_has_the_bytes_that_the_record_writes(text: str, length: int) -> None:
    assert text_bytes(text) == length


@pytest.mark.parametrize("name", ["abcd", "語語語語", "😀😀😀", '""""', "é語😀é"])
def test_a_text_of_three_bytes_for_each_character_is_good(name: str) -> None:
    complaints = Complaints("file")
    assert read_values(Row, {"name": name, "free": "😀" * 100}, "", complaints)["name"] == name
    assert complaints.found == []
    assert text_bytes(name) <= most_bytes(4)


def test_a_text_with_more_bytes_is_refused_with_both_numbers() -> None:
    complaints = Complaints("file")
    assert "name" not in read_values(Row, {"name": "😀" * 4}, "[row]", complaints)
    assert str(complaints.found[0]) == (
        "file [row] name = '\\U0001f600\\U0001f600\\U0001f600\\U0001f600': has 16 bytes, and at most 12 fit (an emoji "
        "takes 4, a Chinese or Thai character 3); shorten it"
    )
