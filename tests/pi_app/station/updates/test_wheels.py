"""Wheels are unpacked without pip: only those that fit, only unchanged ones, and never outside of the environment."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path

import pytest

from pi_app.station.updates.wheels import SUMS, WHEELS, System, choose, fits, sums, unpack, wheel
from pi_app.text.errors import UserFileError
from tests.station.tiny import payload

PI = System(13, "aarch64")


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("rich-15.0.0-py3-none-any.whl", True),
        ("colorzero-2.0-py2.py3-none-any.whl", True),
        ("old-1-py2-none-any.whl", False),
        ("pillow-13.0.0-cp313-cp313-manylinux_2_27_aarch64.manylinux_2_28_aarch64.whl", True),
        ("pillow-13.0.0-cp313-cp313-manylinux_2_28_x86_64.whl", False),
        ("pillow-13.0.0-cp311-cp311-manylinux_2_28_aarch64.whl", False),
        ("pillow-13.0.0-cp313-cp313t-manylinux_2_28_aarch64.whl", False),
        ("pillow-13.0.0-cp313-cp313-musllinux_1_2_aarch64.whl", False),
        ("pynacl-1.6.2-cp38-abi3-manylinux2014_aarch64.whl", True),
        ("later-1-cp314-abi3-manylinux2014_aarch64.whl", False),
        ("build-1.0-1-py3-none-any.whl", True),
    ],
)
def test_what_fits_a_pi_with_python_3_13(name: str, right: bool) -> None:
    assert fits(wheel(Path(name)), PI) is right


def test_what_is_no_wheel_is_refused() -> None:
    with pytest.raises(UserFileError, match="this is not the name of a wheel"):
        wheel(Path("rich.tar.gz"))


def listed(folder: Path, *names: str) -> Path:
    (folder / WHEELS).mkdir(parents=True)
    for name in names:
        (folder / WHEELS / name).write_bytes(name.encode())
    lines = (f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names)
    (folder / SUMS).write_text("".join(lines), encoding="ascii")
    return folder


def test_one_wheel_of_each_project_is_chosen(tmp_path: Path) -> None:
    names = [f"c-1-cp3{minor}-cp3{minor}-manylinux2014_aarch64.whl" for minor in (11, 13)]
    every = listed(tmp_path, *names, "a-1-py3-none-any.whl", "lgpio-1-cp311-cp311-manylinux_2_34_aarch64.whl")
    assert [each.path.name for each in choose(every, PI)] == ["a-1-py3-none-any.whl", names[1]]
    assert [each.name for each in choose(every, System(11, "aarch64"))] == ["a", "c", "lgpio"]
    with pytest.raises(UserFileError) as refused:
        choose(every, System(12, "x86_64"))
    assert str(refused.value) == (
        f"{tmp_path}: it has no wheel of c for Python 3.12 on x86_64. Use a package for this system; this one has "
        "wheels for Python 3.11 and 3.13 on aarch64."
    )


def test_a_changed_or_missing_wheel_is_refused(tmp_path: Path) -> None:
    file = listed(tmp_path, "a-1-py3-none-any.whl") / WHEELS / "a-1-py3-none-any.whl"
    file.write_bytes(b"another")
    with pytest.raises(UserFileError, match="its checksum is not the one in SHA256SUMS"):
        choose(tmp_path, PI)
    file.unlink()
    with pytest.raises(UserFileError, match=r"it cannot be read \(No such file or directory\)"):
        choose(tmp_path, PI)


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b"00  a-1-py3-none-any.whl\n", " line 1: it is not a checksum and the name of a wheel"),
        (f"{'0' * 64}  ../a-1-py3-none-any.whl\n".encode(), " line 1: it is not a checksum and the name of a wheel"),
        (b"\xff", ": it cannot be read (it is not ASCII text)"),
    ],
)
def test_a_damaged_list_is_refused(tmp_path: Path, content: bytes, seen: str) -> None:
    (tmp_path / SUMS).write_bytes(content)
    with pytest.raises(UserFileError) as refused:
        sums(tmp_path)
    assert str(refused.value) == f"{tmp_path / SUMS}{seen}. Copy or download the package again."


def packed(file: Path, **members: str) -> Path:
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file


def test_a_wheel_is_unpacked_with_its_data_and_its_command(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (tmp_path / "bin").mkdir()
    (chosen,) = choose(payload(tmp_path, "1.0"), PI)
    unpack(chosen, tmp_path, site)
    assert (site / "tiny.py").is_file()
    command = tmp_path / "bin/trapdial"
    assert command.stat().st_mode & 0o777 == 0o755
    assert command.read_text(encoding="utf-8").splitlines()[0] == f"#!{tmp_path}/bin/python -I"
    members = {"a-1.data/data/share/man/a.1": "page", "a-1.data/headers/a.h": "", "a-1.data/purelib/b.py": "", "e/": ""}
    unpack(wheel(packed(tmp_path / "a-1-py3-none-any.whl", **members)), tmp_path, site)
    assert (tmp_path / "share/man/a.1").read_text(encoding="utf-8") == "page"
    assert sorted(path.name for path in site.iterdir()) == ["b.py", "tiny.py", "trapdial-1.0.dist-info"]


@pytest.mark.parametrize("name", ["../a.py", "/etc/a", "a/../../b", "a//b"])
def test_no_member_leaves_the_environment(tmp_path: Path, name: str) -> None:
    with pytest.raises(UserFileError, match="a member of the wheel lies outside of it"):
        unpack(wheel(packed(tmp_path / "a-1-py3-none-any.whl", **{name: ""})), tmp_path, tmp_path / "site")
    assert not (tmp_path / "site").exists()


def test_a_damaged_wheel_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a-1-py3-none-any.whl"
    file.write_bytes(b"PK no more")
    with pytest.raises(UserFileError, match=r"it is damaged \(File is not a zip file\)"):
        unpack(wheel(file), tmp_path, tmp_path)
