"""An address of a centre or a witness: what can be posted to, and nothing else."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pi_app.sender.web_address import port_of, web_address


@pytest.mark.parametrize(
    ("text", "address", "port"),
    [
        ("https://centre.example", "https://centre.example/", 443),
        ("http://10.0.0.5:8460/", "http://10.0.0.5:8460/", 8460),
        ("http://[::1]/below", "http://[::1]/below/", 80),
    ],
)
def test_an_address_ends_in_a_slash_and_has_a_port(text: str, address: str, port: int) -> None:
    assert web_address(text) == address
    assert port_of(address) == port


@pytest.mark.parametrize(
    "text",
    ["", "centre.example", "ftp://c/", "https://", "https://c:0/", "https://c:x/", "https://c/?a", "https://c/#a",
     "https://u@c/", "https://c d/", "https://c\n/", "https://ü/", "https://c/" + "x" * 400],
)  # fmt: skip
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no address of a web server"):
        web_address(text)


@given(some.text(max_size=40))
def test_nothing_else_is_raised(text: str) -> None:
    with contextlib.suppress(ValueError):
        assert web_address(f"https://{text}").endswith("/")
