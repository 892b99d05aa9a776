"""The board's command line and its file system; nothing is fetched and no board is started."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.pi import __main__ as stage
from tests.pi import board
from tests.pi.initramfs import entry, write_archive
from tests.programs import CannotRun


def test_the_command_line_names_every_part_and_a_chip_on_each_channel_but_one() -> None:
    folder = Path("/kept")
    parts = board.Board(folder / "qemu", folder / "vmlinuz", folder / board.TREE, folder / "system.cpio")
    words = board.command(parts, Path("/run/system.cpio"), 1_700_000_000)
    assert words[0] == "/kept/qemu/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"
    line = " ".join(words)
    for part in (
        "/kept/qemu/usr/bin/qemu-system-aarch64 -L /kept/qemu/usr/share/qemu -M raspi3b",
        "-icount shift=1,sleep=off",
        "iomem=relaxed rdinit=/init trapdial.date=1700000000",
        "-kernel /kept/vmlinuz -dtb /kept/bcm2837-rpi-3-b.dtb -initrd /run/system.cpio",
        "-device pca9548,bus=i2c-bus.1,address=0x70",
    ):
        assert part in line
    chips = [word for word in words if word.startswith("at24c-eeprom")]
    assert chips == [f"at24c-eeprom,bus=i2c.{channel},address=0x36,rom-size=256" for channel in (0, 1, 2, 4)]


def test_an_archive_has_files_folders_and_links_in_order(tmp_path: Path) -> None:
    (tmp_path / "here/below/__pycache__").mkdir(parents=True)
    (tmp_path / "here/below/file").write_bytes(b"12345")
    (tmp_path / "here/link").symlink_to("below/file")
    written = io.BytesIO()
    write_archive(written, [(tmp_path / "here", "opt/there")])
    content = written.getvalue()
    assert len(content) % 512 == 0
    names = ["opt", "opt/there", "opt/there/below", "opt/there/below/file", "opt/there/link", "TRAILER!!!"]
    places = [content.index(f"{name}\0".encode()) for name in names]
    assert places == sorted(places)
    assert b"__pycache__" not in content
    assert b"below/file\0" in content
    cpio = shutil.which("cpio")
    if cpio:
        listed = subprocess.run([cpio, "-it", "--quiet"], input=content, capture_output=True, check=True).stdout
        assert listed.decode().split() == names[:-1]


def test_an_entry_is_padded_to_words() -> None:
    made = entry(7, "init", 0o100755, b"#!/x\n")
    assert made[:6] == b"070701"
    assert made[6:22] == b"00000007" + b"000081ED"
    assert made[54:62] == b"00000005"
    assert made[94:102] == b"00000005"
    assert made[110:] == b"init\0\0#!/x\n\0\0\0"
    assert len(made) % 4 == 0


def test_it_says_why_it_cannot_run_and_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.pi.board.platform.machine", lambda: "riscv64")
    monkeypatch.setattr("tests.pi.board.sys.platform", "linux")
    assert stage.main([]) == 1
    assert capsys.readouterr().out == (
        "Pi stage: NOT RUN HERE, because Debian's QEMU is fetched for x86-64 Linux, and this is riscv64 linux\n"
        "Pi stage: FAILED: nothing was compared\n"
    )


def test_a_package_without_what_is_needed_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotRun, match=r"the package unpacked into kernel has no boot/vmlinuz-\*"):
        board._one(tmp_path / "kernel", "boot/vmlinuz-*")


def test_the_modules_are_loaded_that_are_fetched() -> None:
    loaded = Path(board.__file__).with_name("init.sh").read_text(encoding="utf-8")
    assert f"for module in {' '.join(board.MODULES)}; do" in loaded
