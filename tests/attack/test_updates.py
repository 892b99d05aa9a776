"""A person who can put a file on a USB stick tries to get a program of their own onto a station; and every damaged
package, also one that the builder signed, is refused in words.

`TRAPDIAL_PACKAGES=100000` mutates so many packages; every day it is a few hundred.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import pytest
from click.testing import CliRunner, Result

from pi_app.cli.main import main
from pi_app.station.package.signing import sign
from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.deb_file import unpack_payload
from pi_app.station.updates.minisign import SUFFIX, read_signature
from pi_app.station.updates.placing import install
from pi_app.station.updates.update import update
from pi_app.station.updates.wheels import choose, unpack
from pi_app.text.errors import UserFileError
from tests.attack.hostile.mutations import hostile
from tests.station.tiny import BUILDER, NEW, OLD, enabled, key, payload, quiet, tiny_package, trust

MUTATED: Final = int(os.environ.get("TRAPDIAL_PACKAGES", "300"))
MOST: Final = 200_000
"""Bytes of a mutated package."""
pytestmark = pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="packages are for these")


@pytest.fixture(autouse=True)
def _no_sync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here is about power: a sync of everything takes seconds where others write too."""
    monkeypatch.setattr(os, "sync", lambda: None)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A station with version 1.0, by the builder B."""
    folder = tmp_path / "home"
    folder.mkdir()
    install(payload(tmp_path, OLD), folder, enabled())
    return folder


@pytest.fixture
def ask(home: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """`trapdial station update` with these words, at that station."""
    monkeypatch.setattr("pi_app.cli.station_update.Systemd", lambda: Systemd(quiet, home / "nowhere"))
    monkeypatch.setattr("pi_app.cli.station_update.trees.HOME", home)
    monkeypatch.setattr("pi_app.station.updates.minisign.builder_key", lambda: trust().builder)
    return lambda *words: CliRunner().invoke(main, ["station", "update", *map(str, words)])


def runs(home: Path) -> str:
    """The version that runs."""
    found = trees.running(home)
    assert found is not None
    return found.version


def signature_of(package: Path) -> Path:
    return package.with_name(package.name + SUFFIX)


def test_a_package_without_a_signature_is_not_installed(tmp_path: Path, home: Path, ask: Callable[..., Result]) -> None:
    package = tiny_package(tmp_path, NEW, None)
    done = ask(package)
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"{package}: the package has no signature beside it. Copy trapdial_2.0.deb.minisig there too.\n",
        OLD,
    )


def test_who_names_the_signature_is_told_to_name_the_package(
    tmp_path: Path, home: Path, ask: Callable[..., Result]
) -> None:
    named = signature_of(tiny_package(tmp_path, NEW))
    done = ask(named)
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"{named}: this is the signature of a package. Name the package itself, trapdial_2.0.deb.\n",
        OLD,
    )


def test_a_name_that_the_disk_cannot_look_up_is_no_bug(tmp_path: Path, home: Path, ask: Callable[..., Result]) -> None:
    package = tmp_path / ("a" * 300)
    done = ask(package)
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"{package}: it cannot be read (File name too long). Check the name, and that the stick is in.\n",
        OLD,
    )


def test_another_builders_package_is_not_installed(tmp_path: Path, home: Path, ask: Callable[..., Result]) -> None:
    package = tiny_package(tmp_path, NEW, key("E"))
    done = ask(package)
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"{package}: it is signed with the key 4545454545454545, and this station's builder has 4242424242424242. "
        "Install the package with `sudo apt install ./FILE.deb` if you trust who made it.\n",
        OLD,
    )


def test_another_key_with_the_builders_number_signs_nothing(
    tmp_path: Path, home: Path, ask: Callable[..., Result]
) -> None:
    forged = key("E")
    package = tiny_package(tmp_path, NEW, type(forged)(BUILDER.number, BUILDER.id, forged.secret))
    done = ask(package)
    assert (done.exit_code, runs(home)) == (2, OLD)
    assert done.stderr == (
        f"{package}.minisig: it is damaged, or was changed after it was signed. Copy it again from where it was made.\n"
    )


def test_a_signature_of_another_package_installs_nothing(
    tmp_path: Path, home: Path, ask: Callable[..., Result]
) -> None:
    good = tiny_package(tmp_path / "good", NEW)
    evil = tiny_package(tmp_path, NEW, key("E"))
    evil.write_bytes(evil.read_bytes() + b"more")
    shutil.copy(signature_of(good), signature_of(evil))
    done = ask(evil)
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"{evil}: the package is damaged (its signature is of another file). Copy or download the package again.\n",
        OLD,
    )


def test_an_older_version_is_installed_only_when_it_is_asked_for(
    tmp_path: Path, home: Path, ask: Callable[..., Result]
) -> None:
    package = tiny_package(tmp_path, "0.9")
    done = ask(package)
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"{package}: its version 0.9 is older than 1.0, which runs. If you want the older one, type the command again "
        "with --older.\n",
        OLD,
    )
    assert ask("--older", package).exit_code == 0
    assert runs(home) == "0.9"


def test_several_packages_on_a_stick_are_refused_with_their_names(
    tmp_path: Path, home: Path, ask: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    stick = tmp_path / "stick"
    stick.mkdir()
    monkeypatch.setattr("pi_app.station.staff.stick.sticks", lambda host: iter((stick,)))
    for name in ("trapdial_2.0_amd64.deb", "trapdial_99.0_amd64.deb"):
        shutil.copy(tiny_package(tmp_path / name[9:11], NEW), stick / name)
    done = ask()
    assert (done.exit_code, done.stderr, runs(home)) == (
        2,
        f"station update: there are several packages: {stick}/trapdial_2.0_amd64.deb, {stick}/trapdial_99.0_amd64.deb. "
        "Name one of them.\n",
        OLD,
    )


def test_a_stick_that_changes_its_package_after_the_check_changes_nothing(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is unpacked is the copy that was checked: the stick gives its bytes once."""
    package = tiny_package(tmp_path, NEW)
    other = tiny_package(tmp_path / "other", "6.66", key("E")).read_bytes()
    unpack = update.__globals__["unpack_payload"]

    def swapped(*words: object) -> object:
        package.write_bytes(other)
        return unpack(*words)

    monkeypatch.setitem(update.__globals__, "unpack_payload", swapped)
    update(package, home, enabled(), trust())
    assert runs(home) == NEW
    assert (home / "pending-B.deb").read_bytes() != other


def test_a_program_that_was_built_without_a_key_takes_no_package(tmp_path: Path, home: Path) -> None:
    package = tiny_package(tmp_path, NEW)
    with pytest.raises(UserFileError) as refused:
        update(package, home, enabled(), type(trust())(None))
    assert str(refused.value) == (
        f"{package}: this program was built without a builder's key, so it can trust no package. Install the package "
        "with `sudo apt install ./FILE.deb` if you trust who made it."
    )


def test_a_mutated_package_or_signature_installs_nothing(tmp_path: Path, home: Path) -> None:
    draw, samples = random.Random(36), packed_samples(tmp_path)
    package = tmp_path / "mutated.deb"
    before = state(home)
    for number in range(MUTATED // 2):
        honest = draw.choice(samples)
        package.write_bytes(honest)
        signed = sign(package, BUILDER, 0).read_bytes()
        data, text = honest, signed
        while (data, text) == (honest, signed):
            data = hostile(honest, samples, draw, most=MOST) if draw.random() < 0.8 else honest
            text = hostile(signed, (signed,), draw, most=MOST) if draw.random() < 0.3 else signed
        package.write_bytes(data)
        signature_of(package).write_bytes(text)
        try:
            update(package, home, enabled(), trust())
        except UserFileError:
            assert state(home) == before, number
            continue
        assert data == honest, f"mutation {number} was installed"
        assert is_only_a_comment_changed(text, signed), f"the signature of mutation {number} was accepted"
        reset(home, tmp_path)


def test_a_damaged_package_that_the_builder_signed_is_refused_in_words(tmp_path: Path) -> None:
    """As a disk damages it before it is signed: every reader of archives and numbers meets it."""
    draw, samples = random.Random(63), packed_samples(tmp_path)
    package, folder = tmp_path / "mutated.deb", tmp_path / "out"
    system, wheels = trees.this_system(), {path.name for path in (tmp_path / f"payload-{NEW}/wheels").iterdir()}
    accepted = 0
    for _ in range(MUTATED // 2):
        package.write_bytes(hostile(draw.choice(samples), samples, draw, most=MOST))
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(UserFileError):
            unpack_payload(package, folder, system.machine)
            assert {each.path.name for each in choose(folder, system)} <= wheels
            accepted += 1
    assert accepted < MUTATED // 4


@pytest.mark.parametrize("packed", [0, 1], ids=["gz", "xz"])
def test_one_wrong_byte_anywhere_in_a_signed_package_is_damage_in_words(tmp_path: Path, packed: int) -> None:
    """Behind the first block of an archive, `tarfile` lets through whatever the decompressor raises."""
    whole = packed_samples(tmp_path)[packed]
    package = tmp_path / "damaged.deb"
    for at in range(len(whole) - 45_000, len(whole), 5_000):
        package.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        with pytest.raises(UserFileError) as refused:
            unpack_payload(package, tmp_path / f"out-{at}", trees.this_system().machine)
        text = str(refused.value)
        assert text.startswith(f"{package}: the package is damaged ("), text
        assert text.endswith("). Copy or download the package again."), text


def test_a_damaged_wheel_is_refused_in_words(tmp_path: Path) -> None:
    draw = random.Random(3)
    (good,) = choose(payload(tmp_path, NEW), trees.this_system())
    honest = good.path.read_bytes()
    folder = tmp_path / "tree"
    for _ in range(MUTATED // 10):
        good.path.write_bytes(hostile(honest, (honest,), draw, most=MOST))
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "bin").mkdir(parents=True)
        with contextlib.suppress(UserFileError):
            unpack(good, folder, folder / "site")
        assert [path.name for path in tmp_path.iterdir() if path != folder] == [f"payload-{NEW}"]


def packed_samples(folder: Path) -> tuple[bytes, ...]:
    """The same package as `make deb` writes it, and as other tools pack it: with xz, and not compressed."""
    package = tiny_package(folder, NEW, filler=random.Random(9).randbytes(50_000))
    members = [*read_members(package.read_bytes())]
    package.unlink()
    return tuple(
        b"!<arch>\n" + b"".join(write_member(name.replace(".gz", ending), pack(data, ending)) for name, data in members)
        for ending in (".gz", ".xz", "")
    )


def pack(data: bytes, ending: str) -> bytes:
    """Pack a member again, if it is packed."""
    if ending == ".gz" or not data.startswith(b"\x1f\x8b"):
        return data
    return lzma.compress(gzip.decompress(data)) if ending else gzip.decompress(data)


def read_members(whole: bytes) -> Iterator[tuple[str, bytes]]:
    """The members of an ar archive."""
    at = 8
    while at < len(whole):
        size = int(whole[at + 48 : at + 58])
        yield whole[at : at + 16].decode().strip(), whole[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def write_member(name: str, data: bytes) -> bytes:
    """A member of an ar archive."""
    return f"{name:<16}{0:<12}{0:<6}{0:<6}{0o100644:<8o}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)


def is_only_a_comment_changed(text: bytes, signed: bytes) -> bool:
    """Whether two signature files differ in nothing that is signed: minisign's first line is a comment of anybody's."""
    one, other = read_signature(text), read_signature(signed)
    return (one.signed, one.comment, one.whole) == (other.signed, other.comment, other.whole)


def reset(home: Path, folder: Path) -> None:
    """Put the station back to version 1.0."""
    shutil.rmtree(home)
    home.mkdir()
    install(folder / f"payload-{OLD}", home, enabled())


def state(home: Path) -> list[tuple[str, str]]:
    """The files at the top of the home of the trees, and where its links lead."""
    return sorted((path.name, os.readlink(path) if path.is_symlink() else "") for path in home.iterdir())
