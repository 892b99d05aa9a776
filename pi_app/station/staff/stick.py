"""Writes a report to a USB stick that is plugged in, and finds an update on it. A udev rule (`RULE`),
which `trapdial station install` writes, mounts a stick; it needs no other program than systemd."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hardware.host import Host
from pi_app.text.language import N_, Words
from pi_app.text.private_files import new_file

PLACES: Final = ("/media/", "/run/media/", "/mnt/")
"""Where sticks are mounted."""

MOUNTED_AT: Final = "/media/trapdial"

RULE: Final = (
    'ACTION=="add", SUBSYSTEM=="block", ENV{ID_BUS}=="usb", ENV{ID_FS_USAGE}=="filesystem", '
    'RUN+="/usr/bin/systemd-mount --no-block --automount=no --collect --owner=trapdial '
    f'--options=nosuid,nodev,noexec,sync $devnode {MOUNTED_AT}"\n'
)
"""A udev rule: it mounts each stick for the user `trapdial`, at once: the kernel's list of mounts then has its disk."""

NO_STICK: Final = N_("There is no USB stick. Plug one in, wait ten seconds, and try again.")
WRITTEN: Final = N_("Written to the stick: {file}. You may pull it out now.")
REFUSED: Final = N_("The stick refuses the report ({why}). Try another one.")
MOST_REPORTS: Final = 1_000

PACKAGE: Final = re.compile(r"trapdial_([0-9A-Za-z.+~-]{1,40})_[a-z0-9]{1,12}\.deb")
"""The name of a package, with its version."""
_BLANK: Final = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Written:
    """What happened: `file` is the report's name, or empty; `sentence` says it in English, with `{file}` or `{why}`."""

    sentence: str
    file: str = ""
    why: str = ""

    def said(self, words: Words) -> str:
        """The sentence in a language."""
        return words(self.sentence).format(file=self.file, why=self.why)


def sticks(host: Host) -> Iterator[Path]:
    """Yield the folders of the sticks that are mounted and can be written, from the kernel's list of mounts."""
    for line in host.text("proc/mounts").splitlines():
        fields = line.split(" ")
        if len(fields) < 4 or not fields[0].startswith("/dev/"):
            continue
        place = _BLANK.sub(lambda found: chr(int(found[1], 8)), fields[1])
        if place.startswith(PLACES) and "rw" in fields[3].split(","):
            yield host.root / place.lstrip("/")


def packages(host: Host) -> list[Path]:
    """Return the packages of Trapdial on the sticks, in the order of their names."""
    return sorted(path for folder in sticks(host) for path in _packages(folder))


def _packages(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if PACKAGE.fullmatch(path.name) and path.is_file()]
    except OSError:
        return []


def write_report(host: Host, text: str) -> Written:
    """Write a report to the first stick that takes it, under a new name."""
    refused = Written(NO_STICK)
    for folder in sticks(host):
        try:
            return Written(WRITTEN, file=_write(folder, text).name)
        except OSError as error:
            refused = Written(REFUSED, why=error.strerror or str(error))
    return refused


def _write(folder: Path, text: str) -> Path:
    for number in range(1, MOST_REPORTS + 1):
        path = folder / f"trapdial-report-{number}.txt"
        try:
            handle = new_file(path)
        except FileExistsError:
            continue
        try:
            data = text.encode()
            while data:
                data = data[os.write(handle, data) :]
            os.fsync(handle)
        except OSError:
            path.unlink(missing_ok=True)
            raise
        finally:
            os.close(handle)
        return path
    raise OSError(errno.EEXIST, os.strerror(errno.EEXIST))
