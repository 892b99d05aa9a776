"""The package as dpkg and a station will find it: the same bytes twice, complete settings, and a lock that fits."""

from __future__ import annotations

import gzip
import hashlib
import io
import re
import subprocess
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.settings.load import load
from pi_app.settings.station_section import StationSettings
from pi_app.station.package import contents
from pi_app.station.package.debian import Package, Put, folders, installed_kib, write
from pi_app.station.package.wheelhouse import MACHINES, chosen, locked, project, systems
from pi_app.station.updates.wheels import System, fits, wheel

PATHS = st.text(st.sampled_from("ab-."), min_size=1, max_size=4).filter(lambda name: name.strip(".") != "")
CONTROL = {"Package": "trapdial", "Description": "short\n long", "Version": "1.0"}


def members(file: Path) -> dict[str, bytes]:
    """The members of an ar archive."""
    data, found, at = file.read_bytes(), dict[str, bytes](), 8
    while at < len(data):
        size = int(data[at + 48 : at + 58])
        found[data[at : at + 16].decode().strip()] = data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2
    return found


def tar(file: Path, name: str) -> tarfile.TarFile:
    return tarfile.open(fileobj=io.BytesIO(gzip.decompress(members(file)[name])))


@given(st.dictionaries(PATHS.map(lambda name: f"opt/{name}/file"), st.binary(max_size=40).map(Put), min_size=1))
def test_the_same_contents_are_the_same_bytes(tmp_path_factory: pytest.TempPathFactory, made: dict[str, Put]) -> None:
    folder = tmp_path_factory.mktemp("same")
    for name, order in (("one", made.items()), ("two", reversed(made.items()))):
        write(Package(CONTROL, dict(order), {"postinst": "#!/bin/sh\n"}, ()), folder / name, 1_700_000_000)
    assert (folder / "one").read_bytes() == (folder / "two").read_bytes()
    with tar(folder / "one", "data.tar.gz") as archive:
        found = {each.name: each for each in archive}
    assert {each.mtime for each in found.values()} == {1_700_000_000}
    assert {(each.uid, each.gid, each.uname) for each in found.values()} == {(0, 0, "root")}
    assert {f"./{name}" for name in made} == {name for name, each in found.items() if each.isfile()}


def test_what_dpkg_reads(tmp_path: Path) -> None:
    put = {"usr/bin/a": Put(link="/opt/a"), "opt/a": Put(b"a" * 1025), "etc/a": Put(b"", 0o600)}
    file = tmp_path / "a.deb"
    write(Package(CONTROL, put, {"prerm": "#!/bin/sh\n"}, ("/etc/a",), ("/usr/bin/b",)), file, 0)
    assert list(members(file)) == ["debian-binary", "control.tar.gz", "data.tar.gz"]
    with tar(file, "control.tar.gz") as archive:
        found = {each.name: (each.mode, archive.extractfile(each)) for each in archive if each.isfile()}
    text = {name.removeprefix("./"): reader.read().decode() for name, (_, reader) in found.items() if reader}
    assert text["control"] == "Package: trapdial\nVersion: 1.0\nInstalled-Size: 4\nDescription: short\n long\n"
    assert text["conffiles"] == "/etc/a\n"
    assert text["triggers"] == "interest-noawait /usr/bin/b\n"
    assert text["md5sums"] == f"{hashlib.md5(b'a' * 1025, usedforsecurity=False).hexdigest()}  opt/a\n"
    assert found["./prerm"][0] == 0o755
    assert (folders(put), installed_kib(put)) == (["", "etc", "opt", "usr", "usr/bin"], 4)


def test_the_settings_that_come_with_it_are_good_and_complete(tmp_path: Path) -> None:
    file = tmp_path / "trapdial.toml"
    file.write_text(contents.settings(), encoding="utf-8")
    assert load(file).station == StationSettings()
    written = contents.settings().partition("[station]")[2]
    assert set(re.findall(r"^(\w+) = ", written, re.MULTILINE)) == set(StationSettings.__struct_fields__)
    assert f'journal = "{contents.RECORD}"' in contents.settings()


@pytest.mark.parametrize("script", contents.SCRIPTS)
def test_a_shell_reads_every_script(script: str) -> None:
    subprocess.run(["sh", "-n"], input=contents.SCRIPTS[script], text=True, check=True)
    assert "set -e\n" in contents.SCRIPTS[script]


@pytest.mark.parametrize("architecture", MACHINES)
def test_the_lock_has_every_wheel_of_every_python(architecture: str) -> None:
    dependencies = project()["dependencies"]
    assert isinstance(dependencies, list)
    wanted = {re.split(r"[>=<]", name)[0].lower().replace("-", "_") for name in dependencies}
    for system in systems(architecture):
        names = [each.name.lower() for each in chosen(architecture) if fits(each, system)]
        assert wanted <= set(names), system
        assert len(names) == len(set(names)), system


def test_lgpio_has_a_wheel_where_there_is_one() -> None:
    (only,) = [wheel(Path(name)) for name in locked() if name.startswith("lgpio")]
    assert fits(only, System(11, "aarch64"))
    assert not fits(only, System(13, "aarch64"))


def test_the_lock_is_made_of_checksums_and_names() -> None:
    assert all(re.fullmatch(r"[0-9a-f]{64}", digest) for digest in locked().values())
    assert len(locked()) > 30
