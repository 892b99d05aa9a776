"""QR codes, read back by a decoder of other makers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_app.pages.address import page_url, wifi_text
from pi_app.pages.qr import modules
from tests.pi_app.pages.scanned import picture_of, scanned


@settings(max_examples=30, deadline=None)
@given(st.binary(min_size=16, max_size=16))
def test_an_address_with_a_join_secret_is_scanned(code: bytes) -> None:
    url = page_url("192.168.178.20", 80, code)
    assert scanned(picture_of(modules(url))) == [url]


@pytest.mark.parametrize("port", [80, 8080, 65535])
def test_the_longest_address_is_29_modules_wide_on_every_port(port: int) -> None:
    url = page_url("255.255.255.255", port, b"\xff" * 16)
    assert len(modules(url)) == 29
    assert scanned(picture_of(modules(url, "L"))) == [url]


@settings(max_examples=30, deadline=None)
@given(
    st.text(st.characters(min_codepoint=32, codec="utf-8"), min_size=1, max_size=20),
    st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=63),
)
def test_a_network_of_any_name_is_scanned(network: str, passphrase: str) -> None:
    text = wifi_text(network, passphrase)
    assert scanned(picture_of(modules(text))) == [text]


def test_one_wrong_module_is_corrected_and_a_blank_corner_is_not() -> None:
    rows = [list(row) for row in modules("HTTP://10.77.0.1/")]
    rows[12][12] ^= True
    assert scanned(picture_of(rows)) == ["HTTP://10.77.0.1/"]
    for row in rows[:9]:
        row[:9] = [False] * 9
    assert scanned(picture_of(rows)) == []
