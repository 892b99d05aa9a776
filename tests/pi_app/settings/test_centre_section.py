"""`[centre]`: its values, and every refusal as a whole sentence."""

from __future__ import annotations

import pytest

from pi_app.journal.record.keys import device_key
from pi_app.journal.record.notes import COSIGNS, SIGNS_NOTES, VerifierKey
from pi_app.settings.centre_section import CentreSection
from tests.pi_app.settings.good import BUS, GOOD, changed, errors, good, warnings

PUBLIC = device_key(b"e" * 32).public
KEY = VerifierKey("centre.example/c1", COSIGNS, PUBLIC).text()
LOG_KEY = VerifierKey("centre.example/c1", SIGNS_NOTES, PUBLIC).text()
ADDRESS = 'address = "https://centre.example/"'
KEY_LINE = f'key = "{KEY}"'
MEND = "copy it once more from where the centre's owner publishes it"


def with_centre(*lines: str) -> str:
    return changed(BUS, "[centre]\n" + "".join(f"{line}\n" for line in lines) + BUS)


def test_without_the_section_there_is_no_centre() -> None:
    assert good(GOOD).centre is None


def test_what_is_written_is_read() -> None:
    text = with_centre(ADDRESS, KEY_LINE, 'authority = "centre.pem"')
    assert good(text).centre == CentreSection(address="https://centre.example/", key=KEY, authority="centre.pem")
    assert warnings(text) == []


def test_a_section_names_an_address_and_a_key() -> None:
    assert errors(with_centre()) == [
        "t.toml [centre]: 'address' is missing; it must be an address such as 'https://centre.example/'",
        "t.toml [centre]: 'key' is missing; it must be the centre's key, which contains two +",
    ]


@pytest.mark.parametrize(
    "address",
    ["centre.example", "ftp://centre.example/", "https:///x", "https://centre.example/?a=b", "https://u:p@c.example/"],
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    assert errors(with_centre(f'address = "{address}"', KEY_LINE)) == [
        f"t.toml [centre] address = '{address}': '{address}' is no address of a web server; "
        "write one such as 'https://centre.example/'"
    ]


@pytest.mark.parametrize(
    ("key", "why"),
    [
        (LOG_KEY, "it is the key of a log, and not that of a witness: a witness's key is of type 04"),
        ("centre.example/c1", "it is no Ed25519 key: such a key has 44 letters after its second +, of type 01 or 04"),
        (KEY.replace("centre", "center"), None),
    ],
)
def test_a_key_that_is_none_is_refused(key: str, why: str | None) -> None:
    (said,) = errors(with_centre(ADDRESS, f'key = "{key}"'))
    assert said.startswith("t.toml [centre] key: ")
    assert said.endswith(f"; {MEND}")
    if why is not None:
        assert said == f"t.toml [centre] key: {why}; {MEND}"
    else:
        assert "a letter is wrong" in said


def test_an_authority_is_for_https() -> None:
    text = with_centre('address = "http://centre.example/"', KEY_LINE, 'authority = "centre.pem"')
    assert errors(text) == [
        "t.toml [centre] authority: is for an address that begins with https:; leave it out",
    ]


def test_an_unknown_key_is_named() -> None:
    assert errors(with_centre(ADDRESS, KEY_LINE, 'adress = "x"')) == [
        "t.toml [centre]: there is no key 'adress'; did you mean 'address'?"
    ]
