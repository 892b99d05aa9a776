"""What is in the package: the program's wheels below /opt, and what Debian's tools look for elsewhere."""

from __future__ import annotations

import email.utils
import hashlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pi_app.settings.example_text import section_text
from pi_app.settings.load import example_path
from pi_app.station.package.debian import Contents, Package, Put, gzipped
from pi_app.station.package.wheelhouse import ROOT
from pi_app.station.service.systemctl import SERVICE, TRIAL
from pi_app.station.updates.wheels import SUMS, WHEELS

PARTS: Final = Path(__file__).with_name("parts")
PAYLOAD: Final = "opt/trapdial/payload"
UNITS: Final = "usr/lib/systemd/system"
SETTINGS: Final = "etc/trapdial/trapdial.toml"
RECORD: Final = "/var/lib/trapdial/journal.db"
MAINTAINER: Final = "The Trapdial founders <maintainers@trapdial.example>"
TRIGGERS: Final = ("/usr/bin/python3",)
"""When the system's Python becomes another one, the program is put in place for it: the wheels of both are here."""
SCRIPTS: Final = {name: (PARTS / name).read_text(encoding="utf-8") for name in ("postinst", "prerm", "postrm")}
COMPLETIONS: Final = {
    "bash": "usr/share/bash-completion/completions/trapdial",
    "zsh": "usr/share/zsh/vendor-completions/_trapdial",
    "fish": "usr/share/fish/vendor_completions.d/trapdial.fish",
}
DESCRIPTION: Final = """reads the dials of 3D dungeon trap squares
 Trapdial reads the dials of 3D dungeon trap squares and shows each trap to
 exactly one player. This package makes a Raspberry Pi a demo station that
 plays with whoever comes.
 .
 It contains the wheels of everything that it needs beside Python itself. It
 installs without a network and without a compiler, for the Python of Debian
 12 and of Debian 13. A station of this version has run on simulated tables
 only."""
CHANGES: Final = """\
trapdial ({version}) stable; urgency=medium

  * CHANGELOG.md.gz in this folder has what changed for the people at the
    table.

 -- {maintainer}  {date}
"""
HEAD: Final = """\
# Trapdial settings of this station. dpkg keeps what you change here. Describe your own table: `trapdial docs settings`.
# `trapdial settings check /etc/trapdial/trapdial.toml` lists everything that is wrong, all at once.
# File names are found from the folder of this file.
"""


def package(architecture: str, version: str, wheels: Sequence[Path], epoch: int) -> Package:
    """Put a package together. `architecture`: Debian's name; `wheels`: every wheel, Trapdial's own too; `epoch`: the
    time of its changelog, in seconds since 1970."""
    contents: dict[str, Put] = {
        **_payload(wheels),
        f"{UNITS}/{TRIAL}": _part(TRIAL),
        f"{UNITS}/{SERVICE}.wants/{TRIAL}": Put(link=f"../{TRIAL}"),
        **_documents(version, epoch),
        **_completions(),
        "usr/bin/trapdial": Put(link="/opt/trapdial/current/bin/trapdial"),
        SETTINGS: Put(settings().encode()),
    }
    return Package(control(architecture, version), contents, SCRIPTS, (f"/{SETTINGS}",), TRIGGERS)


def control(architecture: str, version: str) -> dict[str, str]:
    """Return the package's own fields."""
    return {
        "Package": "trapdial",
        "Version": version,
        "Architecture": architecture,
        "Maintainer": MAINTAINER,
        "Section": "misc",
        "Priority": "optional",
        "Depends": "python3 (>= 3.11), python3 (<< 3.14), systemd",
        **({"Recommends": "python3-lgpio"} if architecture == "arm64" else {}),
        "Description": DESCRIPTION,
    }


def _payload(wheels: Sequence[Path]) -> Contents:
    files = {file.name: file.read_bytes() for file in sorted(wheels)}
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in files.items())
    return {
        f"{PAYLOAD}/{SUMS}": Put(sums.encode()),
        f"{PAYLOAD}/put.py": _part("put.py"),
        **{f"{PAYLOAD}/{WHEELS}/{name}": Put(content) for name, content in files.items()},
    }


def settings() -> str:
    """Return the settings that a new station starts with: a table with two squares, and every key of [station]."""
    lines = example_path("2x2").read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(number for number, line in enumerate(lines) if line.startswith("[table]"))
    body = "".join(lines[first:])
    assert '"journal.db"     #' in body
    body = body.replace('"journal.db"     #', f'"{RECORD}"  #')
    return f"{HEAD}\n{body}\n{section_text('station')}"


def _documents(version: str, epoch: int) -> Contents:
    licence = (ROOT / "LICENSE").read_text(encoding="utf-8").partition("\n\n")[2].partition("\n\n")[2]
    text = "".join(f" {line or '.'}\n" for line in licence.strip().splitlines())
    changes = CHANGES.format(version=version, maintainer=MAINTAINER, date=email.utils.formatdate(epoch))
    return {
        "usr/share/doc/trapdial/copyright": Put((PARTS / "copyright").read_bytes().rstrip() + b"\n" + text.encode()),
        "usr/share/doc/trapdial/CHANGELOG.md.gz": Put(gzipped((ROOT / "CHANGELOG.md").read_bytes())),
        "usr/share/doc/trapdial/changelog.gz": Put(gzipped(changes.encode())),
        "usr/share/lintian/overrides/trapdial": _part("lintian-overrides"),
        "usr/share/man/man1/trapdial.1.gz": Put(gzipped((ROOT / "wiring_docs" / "trapdial.1").read_bytes())),
    }


def _completions() -> Contents:
    return {path: Put(_completion(shell)) for shell, path in COMPLETIONS.items()}


def _completion(shell: str) -> bytes:
    command = [sys.executable, "-m", "pi_app", "completion", shell]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout


def _part(name: str) -> Put:
    return Put((PARTS / name).read_bytes())
