"""The look into a package finds a wheel that is missing, too old, or for another processor."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

import pytest

from pi_app.station.updates.wheels import System, Wheel, wheel
from tests.station.package.steps import Failed
from tests.station.package.wheels_inside import PROCESSORS, check_closed, check_compiled

PI = System(11, "aarch64")


def made(folder: Path, name: str, requires: str = "", compiled: bytes = b"") -> Wheel:
    """A wheel with a requirement and a compiled file."""
    file = folder / f"{name}-1.5-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}-1.5.dist-info/METADATA", f"Name: {name}\n{requires}\n")
        archive.writestr(f"{name}/{name}.so", compiled)
    return wheel(file)


def elf(machine: str, symbols: bytes = b"") -> bytes:
    return b"\x7fELF" + bytes(14) + struct.pack("<H", PROCESSORS[machine]) + bytes(40) + symbols


@pytest.mark.parametrize(
    "requires",
    [
        "Requires-Dist: other-one>=1.2",
        'Requires-Dist: none; python_version < "3.11"',
        'Requires-Dist: none; sys_platform == "win32"',
        'Requires-Dist: none; extra == "docs"',
    ],
)
def test_what_is_met_is_met(tmp_path: Path, requires: str) -> None:
    check_closed([made(tmp_path, "one", requires), made(tmp_path, "other_one")], PI)


@pytest.mark.parametrize(
    "requires",
    [
        "Requires-Dist: other-one>=2",
        "Requires-Dist: none",
        'Requires-Dist: none; python_version < "3.13"',
        'Requires-Dist: none; platform_machine == "aarch64"',
    ],
)
def test_what_is_missing_is_found(tmp_path: Path, requires: str) -> None:
    with pytest.raises(Failed, match="needs"):
        check_closed([made(tmp_path, "one", requires), made(tmp_path, "other_one")], PI)


def test_a_compiled_file_must_be_for_this_processor_and_this_system(tmp_path: Path) -> None:
    good = elf("aarch64", b"GLIBC_2.17\0GLIBC_2.34\0")
    assert check_compiled(made(tmp_path, "good", compiled=good), PI) == 1
    assert check_compiled(made(tmp_path, "text", compiled=b"no ELF"), PI) == 0
    with pytest.raises(Failed, match="is for the processor 62 of"):
        check_compiled(made(tmp_path, "other", compiled=elf("x86_64")), PI)
    with pytest.raises(Failed, match=r"needs glibc 2\.38"):
        check_compiled(made(tmp_path, "late", compiled=elf("aarch64", b"GLIBC_2.38\0")), PI)
