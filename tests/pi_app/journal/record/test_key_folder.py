"""The keys' folder is used only if no other user can read or replace it, and each refusal says what mends it."""

from __future__ import annotations

import grp
import itertools
import os
import pwd
import subprocess
from pathlib import Path

import pytest

from pi_app.journal.record import key_folder
from pi_app.journal.record.key_folder import Mount, check_place_for_keys, mount_of, open_key_folder
from pi_app.journal.record.keys import KeyFileError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "j.db.keys"
    made.mkdir(mode=0o700)
    return made


def refused(folder: Path) -> str:
    with pytest.raises(KeyFileError) as error:
        os.close(open_key_folder(folder))
    return str(error.value)


def test_a_private_folder_is_opened(folder: Path) -> None:
    handle = open_key_folder(folder)
    assert os.path.samestat(os.fstat(handle), folder.stat())
    os.close(handle)


@pytest.mark.parametrize(("mode", "can"), [(0o755, "read"), (0o710, "read"), (0o701, "read"), (0o770, "written"),
                                           (0o703, "written"), (0o1777, "written")])  # fmt: skip
def test_what_others_may_use_is_refused_and_the_command_mends_it(folder: Path, mode: int, can: str) -> None:
    folder.chmod(mode)
    said = refused(folder)
    assert said == f"{folder} can be {can} by other users (mode {mode:o}). Type: chmod 700 {folder}."
    mend(said)
    os.close(open_key_folder(folder))


def mend(said: str) -> None:
    subprocess.run(said.partition("Type: ")[2].rstrip("."), shell=True, check=True)


def test_a_link_is_refused_and_the_command_mends_it(folder: Path, tmp_path: Path) -> None:
    (folder / "device.key").write_text("x")
    folder.rename(tmp_path / "elsewhere it is")
    folder.symlink_to("elsewhere it is")
    said = refused(folder)
    assert said == (
        f"{folder} is a symbolic link to elsewhere it is, and the keys must be in the folder itself. "
        f"Type: rm {folder} && mv '{tmp_path}/elsewhere it is' {folder}."
    )
    mend(said)
    os.close(open_key_folder(folder))
    assert (folder / "device.key").read_text() == "x"


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "j.db.keys").write_text("")
    assert refused(tmp_path / "j.db.keys") == f"{tmp_path}/j.db.keys is not a folder. Move it away; it holds no keys."


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o775])
def test_a_parent_that_others_may_write_is_refused(
    folder: Path, tmp_path: Path, mode: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_folder, "is_own_group", lambda group: False)
    tmp_path.chmod(mode)
    said = refused(folder)
    assert said == (
        f"{tmp_path} can be written by other users (mode {mode:o}), who could replace the keys' folder in it. "
        f"Type: chmod go-w {tmp_path}."
    )
    with pytest.raises(KeyFileError, match="who could replace"):
        check_place_for_keys(tmp_path / "new.db.keys")
    mend(said)
    os.close(open_key_folder(folder))


def test_a_sticky_parent_and_the_users_own_group_are_good(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o1777)
    check_place_for_keys(folder)
    monkeypatch.setattr(key_folder, "is_own_group", lambda group: True)
    tmp_path.chmod(0o775)
    check_place_for_keys(folder)
    tmp_path.chmod(0o777)
    with pytest.raises(KeyFileError):
        check_place_for_keys(folder)


def test_a_group_is_the_users_own_if_it_has_no_other_member(monkeypatch: pytest.MonkeyPatch) -> None:
    me = pwd.struct_passwd(("ann", "x", 1000, 1000, "", "/home/ann", "/bin/sh"))
    other = pwd.struct_passwd(("ben", "x", 1001, 1001, "", "/home/ben", "/bin/sh"))
    groups = {1000: ("ann", "x", 1000, []), 1001: ("ben", "x", 1001, []), 50: ("staff", "x", 50, ["ann", "ben"])}
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(pwd, "getpwuid", lambda number: {1000: me, 1001: other}[number])
    monkeypatch.setattr(pwd, "getpwall", lambda: [me, other])
    monkeypatch.setattr(grp, "getgrgid", lambda number: grp.struct_group(groups[number]))
    assert [key_folder.is_own_group(group) for group in (1000, 1001, 50, 7)] == [True, False, False, False]


def others_from(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From this part of a path on, counted from 0 for the root, all belongs to another user."""
    parts = itertools.count()
    monkeypatch.setattr(key_folder, "is_ours", lambda user: next(parts) < number)
    monkeypatch.setattr(key_folder, "user_name", lambda: "pi")
    monkeypatch.setattr(key_folder, "user_of", lambda number: "user ben")


def test_another_users_folder_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others_from(len(folder.parts) - 1, monkeypatch)
    assert refused(folder) == f"{folder} belongs to user ben. Type: sudo chown -R pi {folder}."


def test_another_users_parent_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    others_from(len(folder.parts) - 2, monkeypatch)
    assert refused(folder) == (
        f"{folder.parent} belongs to user ben, who could replace the keys' folder in it. "
        f"Type: sudo chown pi {folder.parent}."
    )


def test_another_users_link_is_not_followed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    others_from(len(folder.parts) - 1, monkeypatch)
    assert refused(tmp_path / "link" / "j.db.keys") == (
        f"{tmp_path}/link is a symbolic link of user ben, who could lead it to other keys. "
        "Name the folder itself, without that link."
    )


def test_a_link_of_this_user_on_the_way_is_followed_and_what_it_leads_to_is_checked(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "short").symlink_to("link/../" + tmp_path.name)
    handle = open_key_folder(tmp_path / "short" / "j.db.keys")
    assert os.path.samestat(os.fstat(handle), folder.stat())
    os.close(handle)
    (tmp_path / "round").symlink_to("round")
    assert "goes through too many symbolic links. Name the folder itself." in refused(tmp_path / "round" / "keys")
    (tmp_path / "wide").mkdir()
    (tmp_path / "wide").chmod(0o777)
    (tmp_path / "to_wide").symlink_to("wide")
    assert f"{tmp_path}/wide can be written by other users (mode 777)" in refused(tmp_path / "to_wide" / "keys")


def test_root_uses_the_folders_of_the_person_who_typed_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUDO_UID", "1000")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert [key_folder.is_ours(user) for user in (0, 1000, 1001)] == [True, True, False]
    monkeypatch.setattr(os, "geteuid", lambda: 1001)
    assert [key_folder.is_ours(user) for user in (0, 1000, 1001)] == [True, False, True]


MOUNTS = """\
22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
80 22 8:1 / /media/pi/MY\\040STICK rw,nosuid shared:40 - vfat /dev/sda1 rw,uid=1000,fmask=0022
damaged
"""


def test_a_disk_is_found_by_its_number() -> None:
    assert mount_of(os.makedev(8, 1), MOUNTS) == Mount("vfat", "/media/pi/MY STICK", "/dev/sda1")
    assert mount_of(os.makedev(179, 2), MOUNTS) == Mount("ext4", "/", "/dev/mmcblk0p2")
    assert mount_of(os.makedev(9, 9), MOUNTS) is None
    assert mount_of(Path("/proc").stat().st_dev) == Mount("proc", "/proc", "proc")


def test_a_fat_stick_gets_the_mount_that_mends_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(key_folder, "mount_of", lambda device: Mount("vfat", "/media/pi/MY STICK", "/dev/sda1"))
    os.close(open_key_folder(folder))
    folder.chmod(0o755)
    assert refused(folder) == (
        f"{folder} lies on a vfat disk, which was mounted so that other users can use its files. Type: sudo umount "
        f"'/media/pi/MY STICK' && sudo mount -o uid={os.geteuid()},umask=0077 /dev/sda1 '/media/pi/MY STICK'."
    )


def test_a_folder_swapped_after_the_check_is_not_the_one_that_is_used(folder: Path, tmp_path: Path) -> None:
    """What was opened stays open: a rename behind the program's back leads to no other folder."""
    handle = open_key_folder(folder)
    folder.rename(tmp_path / "moved")
    folder.mkdir()
    (folder / "device.key").write_text("planted")
    assert os.listdir(handle) == []
    os.close(handle)
