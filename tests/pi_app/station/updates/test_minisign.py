"""Signatures are minisign's own: the real tool accepts ours, and we accept its; where it is installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pi_app.station.package.signing import BuilderKey, make_key, open_key, sign
from pi_app.station.updates.minisign import (
    MOST_BYTES,
    NotMinisignError,
    PublicKey,
    Signature,
    builder_key,
    is_comment_signed,
    is_hash_signed,
    new_hash,
    read_key,
    read_signature,
)
from tests.station.tiny import BUILDER, key

TEXT = b"a package\n"
KNOWN_KEY = b"""\
untrusted comment: minisign public key 4242424242424242
RWRCQkJCQkJCQiFS+NGbeR0kRTJC4V8uq2y3z/p7al7TAJeWDgaYgdsS
"""


@pytest.fixture
def minisign() -> Callable[..., subprocess.CompletedProcess[str]]:
    """The real minisign, with these words."""
    program = shutil.which("minisign")
    if program is None:
        pytest.skip("minisign is not installed on this machine: sudo apt install minisign")
    return lambda *words: subprocess.run([program, *map(str, words)], capture_output=True, text=True, check=False)


def digest(data: bytes) -> bytes:
    made = new_hash()
    made.update(data)
    return made.digest()


def known(builder: BuilderKey) -> PublicKey:
    return read_key(builder.public_text)


def signed(folder: Path, builder: BuilderKey = BUILDER) -> tuple[Path, Signature]:
    """A file, and its signature."""
    file = folder / "trapdial_2.0_arm64.deb"
    file.write_bytes(TEXT)
    return file, read_signature(sign(file, builder, 1_700_000_000).read_bytes())


def test_a_signature_names_its_key_and_its_file(tmp_path: Path) -> None:
    file, signature = signed(tmp_path)
    assert (signature.number, signature.file_name) == ("4242424242424242", file.name)
    assert signature.comment == b"timestamp:1700000000\tfile:trapdial_2.0_arm64.deb\thashed"
    assert is_comment_signed(signature, known(BUILDER))
    assert is_hash_signed(signature, known(BUILDER), digest(TEXT))


def test_another_file_key_number_or_comment_is_not_signed(tmp_path: Path) -> None:
    _, signature = signed(tmp_path)
    assert not is_hash_signed(signature, known(BUILDER), digest(TEXT + b"x"))
    assert not is_hash_signed(signature, known(key("E")), digest(TEXT))
    renumbered = PublicKey(signature.number, known(key("E")).key)
    assert not is_hash_signed(signature, renumbered, digest(TEXT))
    assert not is_comment_signed(signature, renumbered)
    other = PublicKey("1", known(BUILDER).key)
    assert not is_hash_signed(signature, other, digest(TEXT))
    assert not is_comment_signed(signature, other)
    changed = Signature(signature.number, signature.signed, signature.comment + b"!", signature.whole)
    assert not is_comment_signed(changed, known(BUILDER))


def test_minisign_accepts_our_signature_and_our_key(
    tmp_path: Path, minisign: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    builder = make_key(tmp_path / "builder.key")
    file, _ = signed(tmp_path, builder)
    done = minisign("-V", "-H", "-m", file, "-p", tmp_path / "builder.pub")
    assert (done.returncode, done.stdout.splitlines()) == (
        0,
        [
            "Signature and comment signature verified",
            "Trusted comment: timestamp:1700000000\tfile:trapdial_2.0_arm64.deb\thashed",
        ],
    )
    again = minisign("-R", "-s", tmp_path / "builder.key", "-p", tmp_path / "again.pub")
    assert (again.returncode, (tmp_path / "again.pub").read_bytes()) == (0, builder.public_text)
    file.write_bytes(TEXT + b"x")
    assert minisign("-V", "-m", file, "-p", tmp_path / "builder.pub").returncode != 0


def test_we_accept_minisigns_signature_and_its_key(
    tmp_path: Path, minisign: Callable[..., subprocess.CompletedProcess[str]]
) -> None:
    made = minisign("-G", "-W", "-s", tmp_path / "their.key", "-p", tmp_path / "their.pub")
    assert made.returncode == 0, made.stderr
    theirs = open_key(tmp_path / "their.key")
    public = read_key((tmp_path / "their.pub").read_bytes())
    assert known(theirs) == public
    file = tmp_path / "trapdial_2.0_arm64.deb"
    file.write_bytes(TEXT)
    assert minisign("-S", "-H", "-s", tmp_path / "their.key", "-m", file).returncode == 0
    signature = read_signature((tmp_path / f"{file.name}.minisig").read_bytes())
    assert is_comment_signed(signature, public)
    assert is_hash_signed(signature, public, digest(TEXT))
    assert signature.file_name == file.name
    assert minisign("-S", "-l", "-s", tmp_path / "their.key", "-m", file).returncode == 0
    with pytest.raises(NotMinisignError, match="it is a signature of the whole file, not of its hash"):
        read_signature((tmp_path / f"{file.name}.minisig").read_bytes())


def test_the_key_of_a_builder_is_always_written_alike() -> None:
    assert BUILDER.public_text == KNOWN_KEY
    assert read_key(KNOWN_KEY.replace(b"\n", b"\r\n")) == known(BUILDER)


@pytest.mark.parametrize(
    ("old", "new", "seen"),
    [
        (b"", b"\n", "it is not a signature of minisign, which has four lines"),
        (b"trusted comment: ", b"comment: ", "it is not a signature of minisign, which has four lines"),
        (b"\nRU", b"\n?U", "it is damaged: a line is not in base 64"),
        (b"\nRUR", b"\nRVR", "it is made with a method that is not known here"),
        (b"\nRU", b"\nRUAARU", "it is damaged: a line has 77 bytes, not 74"),
    ],
)
def test_what_is_no_signature_is_refused_in_words(tmp_path: Path, old: bytes, new: bytes, seen: str) -> None:
    file, _ = signed(tmp_path)
    text = (tmp_path / f"{file.name}.minisig").read_bytes()
    with pytest.raises(NotMinisignError) as refused:
        read_signature(text.replace(old, new, 1))
    assert str(refused.value) == seen
    assert len(text) < MOST_BYTES


@pytest.mark.parametrize("text", [b"", b"untrusted comment: x\n", KNOWN_KEY.replace(b"RW", b"RX"), b"\xff\n\xff\n"])
def test_what_is_no_key_is_refused(tmp_path: Path, text: bytes) -> None:
    with pytest.raises(NotMinisignError):
        read_key(text)
    (tmp_path / "builder.pub").write_bytes(text)
    assert builder_key(tmp_path / "builder.pub") is None


def test_a_program_knows_the_key_that_it_was_built_with(tmp_path: Path) -> None:
    (tmp_path / "builder.pub").write_bytes(KNOWN_KEY)
    assert builder_key(tmp_path / "builder.pub") == known(BUILDER)
    assert builder_key() is None, "the source has no builder's key"
