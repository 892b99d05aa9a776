"""Opens the keys' folder only if no other user can read it, replace it, or lead the program to another.

Each part of the path is opened from the folder before it and never by its whole name, so that the folder that was
checked is the folder that is used. A sticky folder such as /tmp may be on the way; a link of another user may not.
"""

from __future__ import annotations

import grp
import os
import pwd
import shlex
import stat
from pathlib import Path
from typing import Final, NamedTuple

from pi_app.journal.record.keys import KeyFileError

_STEP: Final = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC
_MOST_LINKS: Final = 40

WITHOUT_MODES: Final = ("vfat", "msdos", "exfat", "ntfs", "ntfs3", "fuseblk")
"""File systems whose files have the owner and the mode that the mount gave them; chmod changes nothing there."""


def open_key_folder(folder: Path) -> int:
    """Return a handle to the folder. Raises KeyFileError if another user could read or replace it, OSError (usually
    FileNotFoundError) if it cannot be opened."""
    whole = folder.absolute()
    parent = _open_parents(whole.parent)
    try:
        step = os.open(whole.name, _STEP, dir_fd=parent)
    finally:
        os.close(parent)
    try:
        _check_folder(whole, os.fstat(step), step)
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=step)
    finally:
        os.close(step)


def check_place_for_keys(folder: Path) -> None:
    """Do as `open_key_folder` for a folder that may not exist yet; then its parents are checked. Raises KeyFileError
    or OSError."""
    try:
        os.close(open_key_folder(folder))
    except FileNotFoundError:
        os.close(_open_parents(folder.absolute().parent))


# ------------------------------------------------------------------------------------------------------ the parents


def _open_parents(path: Path) -> int:
    """Open a folder step by step, and check that no other user may rename one of its parts."""
    here, seen, links = os.open("/", _STEP), Path("/"), 0
    todo = [*reversed(path.parts[1:])]
    try:
        _check_parent(seen, os.fstat(here))
        while todo:
            name = todo.pop()
            step = os.open(name, _STEP, dir_fd=here)
            there = os.fstat(step)
            if not stat.S_ISLNK(there.st_mode):
                os.close(here)
                here, seen = step, seen.parent if name == ".." else seen / name
                _check_parent(seen, there)
                continue
            target = _target_of(step, seen / name, there)
            links += 1
            if links > _MOST_LINKS:
                raise KeyFileError(path, "goes through too many symbolic links", "Name the folder itself")
            todo += reversed([part for part in target.parts if part != "/"])
            if target.is_absolute():
                os.close(here)
                here, seen = os.open("/", _STEP), Path("/")
    except BaseException:
        os.close(here)
        raise
    return here


def _target_of(step: int, link: Path, there: os.stat_result) -> Path:
    try:
        if not is_ours(there.st_uid):
            seen = f"is a symbolic link of {user_of(there.st_uid)}, who could lead it to other keys"
            raise KeyFileError(link, seen, "Name the folder itself, without that link")
        return Path(os.readlink("", dir_fd=step))
    finally:
        os.close(step)


def _check_parent(place: Path, there: os.stat_result) -> None:
    if not stat.S_ISDIR(there.st_mode):
        raise KeyFileError(place, "is not a folder", "Name another folder for the keys")
    if not is_ours(there.st_uid):
        seen = f"belongs to {user_of(there.st_uid)}, who could replace the keys' folder in it"
        raise KeyFileError(place, seen, f"Type: sudo chown {user_name()} {shlex.quote(str(place))}")
    writers = there.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if not writers or there.st_mode & stat.S_ISVTX:
        return
    if writers == stat.S_IWGRP and is_own_group(there.st_gid):
        return
    mode = stat.S_IMODE(there.st_mode)
    seen = f"can be written by other users (mode {mode:o}), who could replace the keys' folder in it"
    raise KeyFileError(place, seen, _typed(there, f"chmod go-w {shlex.quote(str(place))}"))


# -------------------------------------------------------------------------------------------------- the folder itself


def _check_folder(folder: Path, there: os.stat_result, step: int) -> None:
    quoted = shlex.quote(str(folder))
    if stat.S_ISLNK(there.st_mode):
        target = os.readlink("", dir_fd=step)
        seen = f"is a symbolic link to {target}, and the keys must be in the folder itself"
        advice = f"Type: rm {quoted} && mv {shlex.quote(str(folder.parent / target))} {quoted}"
        raise KeyFileError(folder, seen, advice)
    if not stat.S_ISDIR(there.st_mode):
        raise KeyFileError(folder, "is not a folder", "Move it away; it holds no keys")
    others = there.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    if is_ours(there.st_uid) and not others:
        return
    mount = mount_of(there.st_dev)
    if mount is not None and mount.kind in WITHOUT_MODES:
        seen = f"lies on a {mount.kind} disk, which was mounted so that other users can use its files"
        options = f"uid={os.geteuid()},umask=0077"
        again = f"sudo umount {shlex.quote(mount.place)} && sudo mount -o {options} {mount.device} "
        raise KeyFileError(folder, seen, f"Type: {again}{shlex.quote(mount.place)}")
    if not is_ours(there.st_uid):
        seen = f"belongs to {user_of(there.st_uid)}"
        raise KeyFileError(folder, seen, f"Type: sudo chown -R {user_name()} {quoted}")
    can = "written" if there.st_mode & (stat.S_IWGRP | stat.S_IWOTH) else "read"
    seen = f"can be {can} by other users (mode {stat.S_IMODE(there.st_mode):o})"
    raise KeyFileError(folder, seen, _typed(there, f"chmod 700 {quoted}"))


class Mount(NamedTuple):
    """A mounted disk: the file system's kind, the folder where it is mounted, the device."""

    kind: str
    place: str
    device: str


def mount_of(device: int, mounts: str | None = None) -> Mount | None:
    """Return the mount with this device number (`st_dev`), the last one if it is mounted twice; None if unknown."""
    if mounts is None:
        try:
            mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None
    number, found = f"{os.major(device)}:{os.minor(device)}", None
    for line in mounts.splitlines():
        fields, _, rest = line.partition(" - ")
        words, kinds = fields.split(), rest.split()
        if len(words) > 4 and len(kinds) > 1 and words[2] == number:
            found = Mount(kinds[0], words[4].encode().decode("unicode_escape"), kinds[1])
    return found


# ------------------------------------------------------------------------------------------------------------ users


def is_ours(user: int) -> bool:
    """Whether a file of this user is safe: this user's, root's, or of the person who typed
    sudo."""
    return user in (0, os.geteuid()) or (os.geteuid() == 0 and os.environ.get("SUDO_UID") == str(user))


def is_own_group(group: int) -> bool:
    """Whether this user is the group's only member, as in the group of the same name that many systems give a user."""
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
        members = set(grp.getgrgid(group).gr_mem)
    except KeyError:
        return False
    return members | {each.pw_name for each in pwd.getpwall() if each.pw_gid == group} <= {user, "root"}


def user_of(number: int) -> str:
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"


def user_name() -> str:
    return user_of(os.geteuid()).removeprefix("user ")


def _typed(there: os.stat_result, command: str) -> str:
    """What to type to change a folder; with sudo if it is root's."""
    return f"Type: {'' if there.st_uid == os.geteuid() else 'sudo '}{command}"
