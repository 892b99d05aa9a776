"""A small program in place of Trapdial: wheels, a payload and a Debian package that install in no time."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from pi_app.station.package.debian import Package, Put, write
from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.deb_file import ARCHITECTURES

OLD, NEW = "1.0", "2.0"


def quiet(_: Sequence[str]) -> tuple[int, str]:
    """A system where every program ends well and prints nothing: the station is enabled there."""
    return 0, ""


def enabled() -> Systemd:
    """A system that has not booted, where the station starts with the machine."""
    return Systemd(quiet, Path("/nowhere"))


def payload(folder: Path, version: str) -> Path:
    """A payload with one small wheel, whose command prints its version."""
    made = folder / f"payload-{version}"
    (made / "wheels").mkdir(parents=True)
    name = f"trapdial-{version}-py3-none-any.whl"
    with zipfile.ZipFile(made / "wheels" / name, "w") as archive:
        archive.writestr(_same("tiny.py"), f"def main():\n    print({version!r})\n")
        archive.writestr(_same(f"trapdial-{version}.dist-info/METADATA"), f"Name: trapdial\nVersion: {version}\n")
        archive.writestr(
            _same(f"trapdial-{version}.dist-info/entry_points.txt"), "[console_scripts]\ntrapdial = tiny:main\n"
        )
    digest = hashlib.sha256((made / "wheels" / name).read_bytes()).hexdigest()
    (made / "SHA256SUMS").write_text(f"{digest}  {name}\n", encoding="ascii")
    return made


def _same(name: str) -> zipfile.ZipInfo:
    """A member whose bytes are the same at any time."""
    return zipfile.ZipInfo(name)


def tiny_package(folder: Path, version: str) -> Path:
    """A Debian package with such a payload, for this machine."""
    made = payload(folder, version)
    contents = {
        f"opt/trapdial/payload/{file.relative_to(made)}": Put(file.read_bytes())
        for file in made.rglob("*")
        if file.is_file()
    }
    here = ARCHITECTURES[trees.this_system().machine]
    control = {"Package": "trapdial", "Version": version, "Architecture": here}
    file = folder / f"trapdial_{version}.deb"
    write(Package(control, contents, {}, ()), file, 0)
    return file
