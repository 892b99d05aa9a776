"""Keys of hubs beside the settings: for the owner only."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pi_app.settings import hub_keys
from pi_app.text.errors import UserFileError

UID = "e6616408432b5c21"


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "trapdial.toml"


def kept(settings: Path, uid: str = UID) -> Path:
    with hub_keys.new_key(settings) as (draft, _):
        return hub_keys.keep(draft, uid)


def refused(settings: Path) -> str:
    with pytest.raises(UserFileError) as caught:
        hub_keys.load(settings)
    return str(caught.value)


def test_two_boards_have_two_keys_and_a_new_key_replaces_the_old_one(settings: Path) -> None:
    assert hub_keys.load(settings) == {}
    kept(settings)
    kept(settings, "0" * 16)
    first = hub_keys.load(settings)
    kept(settings)
    second = hub_keys.load(settings)
    assert first.keys() == second.keys() == {UID, "0" * 16}
    assert first["0" * 16] == second["0" * 16]
    assert len({*first.values(), *second.values()}) == 3
    assert {len(key) for key in first.values()} == {32}


def test_modes(settings: Path) -> None:
    old = os.umask(0)
    try:
        file = kept(settings)
    finally:
        os.umask(old)
    assert (file.parent.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)


def test_nothing_is_left_without_keep(settings: Path) -> None:
    with hub_keys.new_key(settings) as (draft, key):
        assert draft.read_bytes() == key
        assert draft.stat().st_mode & 0o777 == 0o600
        assert hub_keys.load(settings) == {}
    assert list(hub_keys.folder_of(settings).iterdir()) == []


def test_others_may_read_or_replace_it(settings: Path) -> None:
    file = kept(settings)
    again = "then `trapdial hub install` again for each hub."
    file.chmod(0o640)
    assert refused(settings) == (
        f"{file}: other users may read or change it (mode 640). Run `chmod 600 {file}`, {again}"
    )
    file.chmod(0o600)
    file.parent.chmod(0o770)
    assert refused(settings) == (
        f"{file.parent}: other users may read or change it (mode 770). Run `chmod 700 {file.parent}`, {again}"
    )
    with pytest.raises(UserFileError), hub_keys.new_key(settings):
        pytest.fail("it wrote into a folder of others")


@pytest.mark.parametrize("what", ["link", "fifo", "folder"])
def test_a_key_that_is_no_plain_file(settings: Path, what: str) -> None:
    file = kept(settings)
    if what == "link":
        file.rename(settings)
        file.symlink_to(settings)
        assert refused(settings).startswith(f"{file}: it cannot be read (")
        return
    file.unlink()
    if what == "fifo":
        os.mkfifo(file, 0o600)
    else:
        file.mkdir(0o700)
    assert refused(settings) == (
        f"{file}: it is not a plain file. Remove it, and run `trapdial hub install` again for each hub."
    )


def test_a_folder_that_is_a_link(settings: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    hub_keys.folder_of(settings).symlink_to(tmp_path / "elsewhere")
    assert "it is not a plain folder. " in refused(settings)
    with pytest.raises(UserFileError), hub_keys.new_key(settings):
        pytest.fail("it followed the link")


@pytest.mark.parametrize("size", [0, 31, 33, 100_000])
def test_a_damaged_key(settings: Path, size: int) -> None:
    file = kept(settings)
    file.write_bytes(bytes(size))
    assert refused(settings) == (
        f"{file}: it is not a hub's key of 32 bytes. Run `trapdial hub install` again with this board plugged in."
    )
