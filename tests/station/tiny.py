"""A small program in place of Trapdial: wheels, a payload and a Debian package that install in no time."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from nacl import bindings as sodium

from pi_app.station.package.build import Signer
from pi_app.station.package.debian import Package, Put, write
from pi_app.station.package.signing import BuilderKey, sign
from pi_app.station.service.systemctl import Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.deb_file import ARCHITECTURES
from pi_app.station.updates.minisign import PublicKey, format_number
from pi_app.station.updates.trust import Trust

OLD, NEW = "1.0", "2.0"


def key(letter: str) -> BuilderKey:
    """The key of a builder that this letter names, always the same one."""
    _, secret = sodium.crypto_sign_seed_keypair(letter.encode() * 32)
    return BuilderKey(format_number(letter.encode() * 8), letter.encode() * 8, secret)


BUILDER = key("B")
"""Whose packages the tests' stations install."""
SIGNER = Signer(BUILDER, BUILDER.public_text)


def trust(builder: BuilderKey = BUILDER, *, older: bool = False, asked: bytes | None = None) -> Trust:
    """Trust in this builder's packages."""
    return Trust(PublicKey(builder.number, builder.secret[32:]), asked, older)


def quiet(words: Sequence[str]) -> tuple[int, str]:
    """A system where every program ends well and prints nothing, and dpkg compares versions such as 2.0: the station is
    enabled there."""
    if [*words[:2]] == ["dpkg", "--compare-versions"]:
        return int(float(words[2]) >= float(words[4])), ""
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


def tiny_package(folder: Path, version: str, builder: BuilderKey | None = BUILDER, *, filler: bytes = b"") -> Path:
    """A Debian package with such a payload, for this machine, and its signature beside it; None: without one."""
    made = payload(folder, version)
    contents = {
        f"opt/trapdial/payload/{file.relative_to(made)}": Put(file.read_bytes())
        for file in made.rglob("*")
        if file.is_file()
    } | ({"opt/trapdial/payload/filler": Put(filler)} if filler else {})
    here = ARCHITECTURES[trees.this_system().machine]
    control = {"Package": "trapdial", "Version": version, "Architecture": here}
    file = folder / f"trapdial_{version}.deb"
    write(Package(control, contents, {}, ()), file, 0)
    if builder is not None:
        sign(file, builder, 0)
    return file
