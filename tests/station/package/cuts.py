"""dpkg killed at every place of the package's scripts, and at moments in between: the same commands then repair it.

Each line of postinst, prerm and postrm is a place. The package that is killed is the real one with a word before each
line of its scripts. Whatever is killed, `dpkg --configure -a` and the same command again must end well, and what was
there of settings and records must still be there.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.station.package.roots import Root
from tests.station.package.steps import DATA, SETTINGS, Failed, changed, ended_well

SCRIPTS: Final = ("postinst", "prerm", "postrm")
CUT: Final = """\
cut() {
    if [ "$(cat /var/tmp/cut 2> /dev/null)" = "$1" ]; then rm /var/tmp/cut; kill -9 "$PPID"; kill -9 $$; fi
}
"""
"""Kills dpkg and the script at the place whose name is in /var/tmp/cut, once."""
MOMENTS: Final = 6
"""So many kills of all processes at once, spread over an installation and an upgrade."""
IN_USE: Final = '[ "$(readlink /opt/trapdial/units)" = "$(readlink /opt/trapdial/current)" ]'
WHOLE: Final = f"trapdial -V && test -f /etc/systemd/system/trapdial.service && id trapdial && {IN_USE}"
RECORD: Final = f"{DATA}/journal.db"


def with_cuts(text: str, name: str) -> tuple[str, list[str]]:
    """A script with a place before each of its lines and at its end; the names of the places."""
    head, _, body = text.partition("set -e\n")
    lines, places, continued = [head, "set -e\n", CUT], list[str](), False
    for line in (*body.splitlines(keepends=True), ":\n"):
        if line.strip() and not line.lstrip().startswith("#") and not continued:
            places.append(f"{name}-{len(places) + 1}")
            lines.append(f"cut {places[-1]}\n")
        lines.append(line)
        continued = line.endswith("\\\n")
    return "".join(lines), places


def cut_package(package: Path, folder: Path) -> tuple[Path, list[str]]:
    """The same package with places in its scripts; their names."""
    made, places = folder / f"cut-{package.name}", list[str]()
    with changed(package, made) as inside:
        for name in SCRIPTS:
            script = inside / "DEBIAN" / name
            text, found = with_cuts(script.read_text(encoding="utf-8"), name)
            script.write_text(text, encoding="utf-8")
            places += found
    return made, places


def check_cuts(root: Root, package: Path, newer: Path, folder: Path) -> str:
    """Kill dpkg at every place and at some moments, and repair it each time. Raises Failed."""
    made, places = cut_package(package, folder)
    for each in (made, newer):
        shutil.copy(each, root.folder / "root")
    (root.folder / DATA[1:]).mkdir(parents=True, exist_ok=True)
    (root.folder / RECORD[1:]).write_bytes(b"a record")
    reached = [place for place in places if _cut(root, made.name, place)]
    if len(reached) < len(places) * 3 // 4:
        raise Failed(f"these places were never reached: {', '.join(sorted({*places} - {*reached}))}")
    list(_at_moments(root, made.name, newer.name))
    return (
        f"dpkg was killed at {len(reached)} of {len(places)} places of its scripts, and with all that it had started "
        f"at {MOMENTS} moments; the same command again repaired each, and settings and records stayed"
    )


def _cut(root: Root, package: str, place: str) -> bool:
    """Kill at a place of an installation, a removal or a purge; whether the place was reached."""
    doing = {"postinst": f"dpkg -i ./{package}", "prerm": "dpkg --remove trapdial", "postrm": "dpkg --purge trapdial"}
    command = doing[place.partition("-")[0]]
    if "postinst" in place:
        ended_well(root.run("dpkg --purge trapdial"), "the purge before a cut")
    else:
        ended_well(root.run(f"dpkg -i ./{package}"), "the installation before a cut")
    done = root.run(f"echo {place} > /var/tmp/cut; {command}; rm /var/tmp/cut")
    if done.code == 0:
        return False
    _repair(root, command, place)
    return True


def _repair(root: Root, command: str, where: str) -> None:
    ended_well(root.run(f"dpkg --configure -a && {command}"), f"`dpkg --configure -a` and `{command}`, cut at {where}")
    if command.startswith("dpkg -i"):
        ended_well(root.run(WHOLE), f"the look at a station that was repaired, cut at {where}")
    left = {name for name in ("/opt/trapdial", "/etc/systemd/system/trapdial.service") if _is_there(root, name)}
    if not command.startswith("dpkg -i") and left:
        raise Failed(f"cut at {where} and repaired, the removal left {', '.join(sorted(left))}")
    if "purge" not in command and not _is_there(root, SETTINGS):
        raise Failed(f"cut at {where} and repaired, the settings are gone")
    if (root.folder / RECORD[1:]).read_bytes() != b"a record":
        raise Failed(f"cut at {where} and repaired, the record is another one")


def _is_there(root: Root, path: str) -> bool:
    return (root.folder / path[1:]).exists()


def _at_moments(root: Root, package: str, newer: str) -> Iterator[None]:
    """Kill everything at once, at moments that are spread over an installation and over an upgrade."""
    root.run("dpkg --purge trapdial")
    took = ended_well(root.run(f"dpkg -i ./{package}"), "an installation").seconds
    for number in range(MOMENTS):
        name = newer if number % 2 else package
        if number % 2 == 0:
            root.run("dpkg --purge trapdial")
        after_s = took * (number // 2 + 0.5) / (MOMENTS // 2)
        root.run(f"dpkg -i ./{name} > /dev/null 2>&1 & sleep {after_s:.2f}")  # its end kills all that it has started
        where = f"{after_s:.1f} s of `dpkg -i ./{name}`"
        if number % 2:
            ended_well(root.run("trapdial -V"), f"the program after a cut at {where}")
        _repair(root, f"dpkg -i ./{name}", where)
        yield
