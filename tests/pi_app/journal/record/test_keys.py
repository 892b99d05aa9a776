"""Keys on disk, sealing and signing."""

from __future__ import annotations

import contextlib
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.journal.record import keys
from pi_app.journal.record.key_ring import KeyRing
from pi_app.journal.record.keys import KeyFileError

KEY, OTHER = bytes(range(32)), bytes(32)


Unseal = Callable[[bytes, bytes, bytes], bytes | None]

unseals = pytest.mark.parametrize("unseal", [keys.unseal_by_pynacl, keys.unseal_by_libsodium])


def test_the_fast_decryption_is_used() -> None:
    assert keys.unseal is keys.unseal_by_libsodium


@unseals
@given(public=st.binary(max_size=300), text=st.binary(max_size=300), data=st.data())
def test_only_the_right_key_with_the_right_public_half_opens_it(
    unseal: Unseal, public: bytes, text: bytes, data: st.DataObject
) -> None:
    sealed = keys.seal(KEY, public, text)
    assert len(sealed) == len(text) + keys.SEALED_OVERHEAD
    assert unseal(KEY, public, sealed) == text
    assert unseal(OTHER, public, sealed) is None
    assert unseal(KEY, public + b" ", sealed) is None
    at = data.draw(st.integers(0, len(sealed) - 1))
    spoilt = bytearray(sealed)
    spoilt[at] ^= 1 << data.draw(st.integers(0, 7))
    assert unseal(KEY, public, bytes(spoilt)) is None
    assert unseal(KEY, public, sealed[: data.draw(st.integers(0, len(sealed) - 1))]) is None


@unseals
@pytest.mark.parametrize("wrong", [None, 5, 0.5, "text" * 20])
def test_values_that_are_not_bytes_open_nothing(unseal: Unseal, wrong: Any) -> None:
    with contextlib.suppress(TypeError):
        assert unseal(KEY, b"public", wrong) is None
    assert unseal(KEY, wrong, keys.seal(KEY, b"public", b"text")) is None


@unseals
@pytest.mark.parametrize("key", [b"", KEY[:-1], KEY + b"0"])
def test_a_key_of_another_length_opens_nothing(unseal: Unseal, key: bytes) -> None:
    assert unseal(key, b"", keys.seal(KEY, b"", b"text")) is None


def test_the_same_text_is_never_sealed_to_the_same_bytes() -> None:
    assert keys.seal(KEY, b"", b"clear") != keys.seal(KEY, b"", b"clear")


def test_golden_bytes() -> None:
    """Pinned, so that records stay readable: the key's promise, the device's name, a signature (RFC 8032)."""
    assert keys.key_commitment(OTHER) == "7e4f1c0cb37f89aa9b29edcdaeefe05e7d83126b8b4200d91a4b7f8bd82e28b7"
    device = keys.device_key(bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"))
    assert device.public.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert device.sign(b"").hex() == (
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )


def test_a_signature_is_one_devices_and_one_messages() -> None:
    device = keys.device_key(KEY)
    signature = device.sign(b"head")
    assert keys.signed_by(device.public, b"head", signature)
    assert not keys.signed_by(device.public, b"haed", signature)
    assert not keys.signed_by(keys.device_key(OTHER).public, b"head", signature)
    assert not keys.signed_by(device.public, b"head", signature[:-1])
    assert not keys.signed_by(b"short", b"head", signature)
    assert KEY.hex() not in repr(device)


def test_keys_lie_apart_and_are_their_owners_alone(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    device, game = ring.device(), ring.new_game("g1")
    assert stat.S_IMODE(ring.folder.stat().st_mode) == 0o700
    assert {file.name: stat.S_IMODE(file.stat().st_mode) for file in ring.folder.iterdir()} == {
        "device.key": 0o600,
        "game-g1.key": 0o600,
    }
    again = KeyRing(tmp_path / "keys")
    assert (again.device(), again.game("g1")) == (device, game)
    again.drop("g1")
    assert again.game("g1") is None
    again.drop("g1")


@pytest.mark.parametrize("name", ["../../home", "a/b", "", ".", "a" * 65, "g\n", "-x"])
def test_no_name_of_a_game_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    ring = KeyRing(tmp_path / "keys")
    assert ring.game(name) is None
    ring.drop(name)
    with pytest.raises(KeyFileError, match="cannot hold a key for a game named"):
        ring.new_game(name)
    assert not (tmp_path / "keys").exists()


@pytest.mark.parametrize("content", ["", "12ab", "zz" * 32, "00" * 33])
def test_a_broken_key_file_is_reported(tmp_path: Path, content: str) -> None:
    ring = KeyRing(tmp_path)
    (tmp_path / "game-g1.key").write_text(content)
    with pytest.raises(KeyFileError) as refused:
        ring.game("g1")
    assert str(refused.value) == f"{tmp_path}/game-g1.key holds no key. Put the file back from a copy."


def test_an_unusable_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "keys").write_text("in the way")
    with pytest.raises(KeyFileError) as refused:
        KeyRing(tmp_path / "keys").new_game("g1")
    sentence = f"{tmp_path}/keys is not a folder. Move it away; it holds no keys."
    assert str(refused.value) == sentence
    with pytest.raises(KeyFileError) as refused:
        KeyRing(tmp_path / "keys").device()
    assert str(refused.value) == sentence
