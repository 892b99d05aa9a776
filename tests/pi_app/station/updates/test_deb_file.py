"""A package's file is read without dpkg; damaged and foreign ones are refused, and nothing is written outside."""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_app.station.package.debian import Contents, Package, Put, write
from pi_app.station.updates.deb_file import ARCHITECTURES, Control, unpack_payload
from pi_app.text.errors import UserFileError
from tests.station.tiny import NEW, tiny_package

HERE = "x86_64"
GOOD = {"Package": "trapdial", "Version": NEW, "Architecture": ARCHITECTURES[HERE]}


def written(folder: Path, contents: Contents, control: dict[str, str] = GOOD) -> Path:
    file = folder / "trapdial.deb"
    write(Package(control, contents, {}, ()), file, 0)
    return file


def refusal(file: Path, folder: Path) -> str:
    with pytest.raises(UserFileError) as refused:
        unpack_payload(file, folder / "out", HERE)
    return str(refused.value).removeprefix(f"{file}: ")


def test_the_payload_alone_is_unpacked(tmp_path: Path) -> None:
    wanted = {
        "opt/trapdial/payload/SHA256SUMS": Put(b"sums"),
        "opt/trapdial/payload/wheels/a-1-py3-none-any.whl": Put(b"a"),
    }
    other = {
        "usr/bin/trapdial": Put(b"no"),
        "opt/trapdial/payload/link": Put(link="/etc/passwd"),
        "opt/trapdial/payload/../../../evil": Put(b"no"),
        "opt/trapdial/payload/deep/er": Put(b"no"),
    }
    file = written(tmp_path, {**wanted, **other})
    assert unpack_payload(file, tmp_path / "out", HERE) == Control("trapdial", NEW, "amd64")
    found = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*")}
    assert sorted(found) == ["SHA256SUMS", "wheels", "wheels/a-1-py3-none-any.whl"]
    assert found["SHA256SUMS"].read_bytes() == b"sums"


def test_a_foreign_package_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, {}, {**GOOD, "Package": "hello"})
    assert refusal(file, tmp_path) == "this is the package hello. Name a package of trapdial."
    file = written(tmp_path, {}, {**GOOD, "Architecture": "arm64"})
    assert refusal(file, tmp_path) == (
        "this package is for arm64, and this machine is amd64. Use trapdial_2.0_amd64.deb."
    )
    file.write_bytes(b"PK\x03\x04")
    assert refusal(file, tmp_path) == (
        "this is no Debian package. Name a package's file, such as trapdial_0.3.0_arm64.deb."
    )


def test_what_no_reader_knows_is_refused(tmp_path: Path) -> None:
    file = written(tmp_path, {})
    file.write_bytes(file.read_bytes().replace(b"data.tar.gz ", b"data.tar.zst"))
    assert refusal(file, tmp_path) == (
        "its data.tar.zst is compressed in a way that is not known here. Make the package with `make deb`."
    )
    file.write_bytes(b"!<arch>\n")
    assert refusal(file, tmp_path) == (
        "the package is damaged (it has no control.tar). Copy or download the package again."
    )


def test_a_package_that_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pi_app.station.updates.deb_file.MOST_BYTES", 5_000)
    file = written(tmp_path, {"opt/trapdial/payload/SHA256SUMS": Put(bytes(5_001))})
    assert refusal(file, tmp_path) == (
        "the package is damaged (it unpacks to more than 5,000 bytes). Copy or download the package again."
    )


@given(st.data())
def test_a_damaged_package_is_refused_or_read(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("damaged")
    whole = tiny_package(folder, NEW).read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    cut = data.draw(st.booleans())
    file = folder / "damaged.deb"
    file.write_bytes(
        whole[:at] if cut else whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    )
    with contextlib.suppress(UserFileError):
        unpack_payload(file, folder / "out", HERE)


def test_a_tar_of_another_tool_is_read(tmp_path: Path) -> None:
    """Names without `./`, as some tools write them."""
    file = written(tmp_path, {"opt/trapdial/payload/SHA256SUMS": Put(b"sums")})
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        info = tarfile.TarInfo("opt/trapdial/payload/SHA256SUMS")
        info.size = 4
        archive.addfile(info, io.BytesIO(b"sums"))
    data = gzip.compress(buffer.getvalue())
    whole = file.read_bytes()
    start = whole.index(b"data.tar.gz")
    header = whole[start : start + 48] + f"{len(data):<10}`\n".encode()
    file.write_bytes(whole[:start] + header + data + b"\n" * (len(data) % 2))
    unpack_payload(file, tmp_path / "out", HERE)
    assert (tmp_path / "out/SHA256SUMS").read_bytes() == b"sums"
