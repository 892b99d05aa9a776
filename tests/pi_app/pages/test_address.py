"""The texts of the QR codes, and which address of this machine phones can reach."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st

from pi_app.pages import address
from pi_app.pages.address import Interface
from pi_app.settings.pages_section import PagesSettings

CODE = bytes(range(16))


@given(st.binary(min_size=16, max_size=16))
def test_a_code_comes_back_in_capital_and_in_small_letters(code: bytes) -> None:
    text = address.code_text(code)
    assert re.fullmatch("[A-Z2-7]{26}", text)
    assert address.read_code(text) == address.read_code(text.lower()) == address.read_code(f" {text}\n") == code


def test_a_text_is_the_only_one_of_its_code() -> None:
    text = address.code_text(CODE)
    with pytest.raises(ValueError, match="a code ends in A, E, I, M, Q, U, Y or 4"):
        address.read_code(f"{text[:-1]}5")


@pytest.mark.parametrize("text", ["", "A" * 25, "A" * 27, "1" * 26, "Ä" * 26, "ß" * 13, "A" * 24 + "=="])
def test_another_text_is_refused_without_a_word_of_it(text: str) -> None:
    with pytest.raises(ValueError, match="a code has") as refused:
        address.read_code(text)
    assert not text or text not in str(refused.value)


def test_the_addresses_for_a_qr_code_and_for_people() -> None:
    assert address.page_url("10.77.0.1", 80, CODE) == "HTTP://10.77.0.1/#AAAQEAYEAUDAOCAJBIFQYDIOB4"
    assert address.page_url("10.77.0.1", 8080) == "HTTP://10.77.0.1:8080/"
    assert address.shown_url("10.77.0.1", 80) == "http://10.77.0.1"
    assert address.shown_url("10.77.0.1", 8080) == "http://10.77.0.1:8080"
    assert address.host_of("10.77.0.1", 8080) == "10.77.0.1:8080"


def test_the_courtesy_name_is_the_machines_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "Gaming-Pi.example.org")
    assert address.local_name() == "gaming-pi.local"


def test_the_longest_address_on_port_80_fits_a_screen_of_64_pixels() -> None:
    code = segno.make_qr(address.page_url("255.255.255.255", 80, CODE), error="l")
    assert code.symbol_size(border=0) == (29, 29), "version 3: 58 pixels, two for each module"


# ------------------------------------------------------------------------------------------------------- the Wi-Fi


def test_a_network_with_and_without_a_passphrase() -> None:
    assert address.wifi_text("Dragon Inn", "twelve-dragons") == "WIFI:T:WPA;S:Dragon Inn;P:twelve-dragons;;"
    assert address.wifi_text("Dragon Inn", "") == "WIFI:T:nopass;S:Dragon Inn;;"


def test_the_five_special_letters_are_escaped() -> None:
    assert address.wifi_text("a;b", '\\,:"') == 'WIFI:T:WPA;S:a\\;b;P:\\\\\\,\\:\\";;'


@given(st.text(min_size=1, max_size=32), st.text(max_size=63))
def test_a_reader_that_takes_back_the_escapes_gets_what_was_written(network: str, passphrase: str) -> None:
    text = address.wifi_text(network, passphrase)
    assert text.startswith("WIFI:T:WPA;S:" if passphrase else "WIFI:T:nopass;S:")
    fields, field, letters = [], "", iter(text.removeprefix("WIFI:"))
    for letter in letters:
        if letter == ";":
            fields.append(field)
            field = ""
        else:
            field += next(letters) if letter == "\\" else letter
    assert fields[1:-1] == [f"S:{network}", *([f"P:{passphrase}"] if passphrase else [])]


def test_nothing_is_quoted_and_what_looks_like_hex_is_known() -> None:
    """iPhones take quotes as a part of the passphrase (Shane32/QRCoder#440)."""
    assert address.wifi_text("net", "deadbeef") == "WIFI:T:WPA;S:net;P:deadbeef;;"
    assert address.looks_like_hex("deadbeef")
    assert address.looks_like_hex("12345678")
    assert not address.looks_like_hex("deadbeefs")
    assert not address.looks_like_hex("deadbeef1")
    assert not address.looks_like_hex("")


# ------------------------------------------------------------------------------------------------ this machine's own


def test_phones_reach_the_own_access_point_then_wifi_then_a_cable() -> None:
    found = [
        Interface("docker0", "172.17.0.1", virtual=True),
        Interface("eth0", "192.168.1.7"),
        Interface("lo", "127.0.0.1", virtual=True),
        Interface("usb0", "169.254.3.4"),
        Interface("wlan0", "192.168.1.8", wireless=True),
        Interface("wlan1", "10.77.0.1", wireless=True),
        Interface("eth1", "192.168.2.7", up=False),
    ]
    assert [each.name for each in address.reachable(found)] == ["wlan1", "wlan0", "eth0", "docker0"]


def test_the_settings_own_address_wins_and_none_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(address, "own_interfaces", list)
    assert address.own_address(PagesSettings(address="10.77.0.1")) == "10.77.0.1"
    assert address.own_address(PagesSettings()) == ""
    monkeypatch.setattr(address, "own_interfaces", lambda: [Interface("wlan0", "192.168.1.8", wireless=True)])
    assert address.own_address(PagesSettings()) == "192.168.1.8"


def test_this_machine_has_a_loopback_which_phones_cannot_reach() -> None:
    found = {each.name: each for each in address.own_interfaces()}
    assert found["lo"] == Interface("lo", "127.0.0.1", virtual=True)
    assert "127.0.0.1" not in {each.address for each in address.reachable(found.values())}


def test_wifi_is_known_by_the_kernels_folder(tmp_path: Path) -> None:
    for _, name in socket.if_nameindex():
        (tmp_path / "sys/class/net" / name / "phy80211").mkdir(parents=True)
    assert all(each.wireless and each.virtual for each in address.own_interfaces(tmp_path))
