"""The guest's kernel: User-Mode Linux from Debian's own kernel source, built once and cached.

The cache is `kernel-<key>/linux` in `tests.programs.cache()`, outside the tree; the key consists of the source
package's version, the options in `kernel.config`, and the changes below. Nothing is fetched while it exists.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.programs import CannotRun, cache, ran

HERE: Final = Path(__file__).resolve().parent
BUILD: Final = HERE.parents[1] / "build"
OPTIONS: Final = HERE / "kernel.config"
TOOLS: Final = ("flex", "bison", "bc", "gcc", "libc6-dev", "make", "xz-utils")
TRIED: Final = ("6.1",)
"""Kernel versions that this stage has run with. Another one is used only if none of these is available."""
FROM_HERE_OPTIONAL: Final = "# --- as far as"
"""The line of kernel.config after which options may be unknown to another version."""

I2C_VIRTIO: Final = "drivers/i2c/busses/i2c-virtio.c"
I2C_GPIO: Final = "drivers/i2c/busses/i2c-gpio.c"
CHANGES: Final = (
    (
        I2C_VIRTIO,
        "struct virtio_i2c {\n",
        "static int nack;\nmodule_param(nack, int, 0644);\n"
        'MODULE_PARM_DESC(nack, "errno for a refused message; 0: what the driver does by itself");\n\n'
        "struct virtio_i2c {\n",
    ),
    (I2C_VIRTIO, "err_free:\n", "\tif (nack && count < num)\n\t\tcount = -nack;\n\nerr_free:\n"),
    (I2C_VIRTIO, "wait_for_completion_interruptible(&req->completion)", "(wait_for_completion(&req->completion), 0)"),
    (
        I2C_GPIO,
        "module_exit(i2c_gpio_exit);\n",
        """module_exit(i2c_gpio_exit);

#include <linux/gpio/machine.h>

static struct gpiod_lookup_table stage_lines = {
\t.dev_id = "i2c-gpio",
\t.table = {
\t\tGPIO_LOOKUP("virtio4", 46, "sda", GPIO_ACTIVE_HIGH),
\t\tGPIO_LOOKUP("virtio4", 47, "scl", GPIO_ACTIVE_HIGH),
\t\t{ }
\t},
};

static int __init stage_bus(void)
{
\tgpiod_add_lookup_table(&stage_lines);
\treturn PTR_ERR_OR_ZERO(platform_device_register_simple("i2c-gpio", -1, NULL, 0));
}
late_initcall(stage_bus);
""",
    ),
)
"""Differences of our kernel's drivers from Debian's.

Upstream, i2c-virtio reports a refused message by a count that is too small; the parameter `nack` makes it answer with
the errno of another controller's driver (0: as upstream). And upstream frees a transfer's memory when a signal ends the
waiting, though the device still writes to it: a program that is killed in the middle of a read crashes the whole
kernel. i2c-gpio is unchanged, except that it gets its two lines, as from a board description.
"""


def kernel() -> Path:
    """The guest's kernel, from the cache, or fetched and built. Raises CannotRun."""
    kept = _kept()
    if kept:
        return kept[-1]
    package, version = _newest_source()
    return _built(package, version)


def _kept() -> list[Path]:
    return sorted(cache().glob(f"kernel-*-{_our_part()}/linux"), key=lambda path: path.stat().st_mtime)


def _our_part() -> str:
    """Our part of the key: options and changes."""
    ours = OPTIONS.read_text(encoding="utf-8") + repr(CHANGES)
    return hashlib.sha256(ours.encode()).hexdigest()[:12]


def _newest_source() -> tuple[str, str]:
    """The newest linux-source-X.Y that apt knows, and its version."""
    if shutil.which("apt-get") is None:
        raise CannotRun("there is no apt-get, and so no Debian kernel source")
    found = _sources()
    if not found and os.geteuid() == 0:
        ran(["apt-get", "update", "-q"])
        found = _sources()
    if not found:
        raise CannotRun("apt knows no package linux-source-X.Y (as root, `apt-get update` is tried too)")
    tried = [source for source in found if source[0].removeprefix("linux-source-") in TRIED]
    return (tried or found)[-1]


def must_run_here() -> bool:
    """Whether the stage must run here: all that it needs is present or available."""
    if _kept():
        return True
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        return False
    try:
        return _newest_source()[0].removeprefix("linux-source-") in TRIED
    except CannotRun:
        return False


def _sources() -> list[tuple[str, str]]:
    names = ran(["apt-cache", "search", "--names-only", r"^linux-source-[0-9]+\.[0-9]+$"]).split("\n")
    packages = sorted(
        (line.split()[0] for line in names if line), key=lambda name: [int(n) for n in re.findall(r"\d+", name)]
    )
    return [(package, _version(package)) for package in packages]


def _version(package: str) -> str:
    match = re.search(r"^  Candidate: (\S+)$", ran(["apt-cache", "policy", package]), re.MULTILINE)
    if match is None:
        raise CannotRun(f"apt names no version of {package}")
    return match[1]


def _built(package: str, version: str) -> Path:
    _tools()
    with tempfile.TemporaryDirectory(prefix="trapdial-kernel-") as name:
        work = Path(name)
        os.chmod(work, 0o755)  # apt fetches as a user of its own
        if _ran_badly(["apt-get", "download", "-q", f"{package}={version}"], work):
            if os.geteuid() == 0:  # the lists may be older than the mirror
                ran(["apt-get", "update", "-q"])
                version = _version(package)
            ran(["apt-get", "download", "-q", f"{package}={version}"], work)
        ran(["dpkg-deb", "-x", str(next(work.glob("*.deb"))), "deb"], work)
        (archive,) = work.glob("deb/usr/src/linux-source-*.tar.*")
        ran(["tar", "-xf", str(archive)], work)
        tree = work / archive.name.partition(".tar")[0]
        change(tree)
        configure(tree)
        ran(["make", "ARCH=um", f"-j{os.cpu_count() or 1}", "linux"], tree)
        return _keep(tree, version)


def _tools() -> None:
    """Check the build tools; as root, fetch what is missing."""
    missing = [tool for tool in TOOLS if _ran_badly(["dpkg", "-s", tool])]
    if not missing:
        return
    if os.geteuid() != 0:
        raise CannotRun(f"building the kernel needs {', '.join(missing)}: sudo apt-get install {' '.join(missing)}")
    ran(["apt-get", "install", "-y", "-q", "--no-install-recommends", *missing])


def _ran_badly(words: Sequence[str], folder: Path | None = None) -> bool:
    return subprocess.run(words, cwd=folder, capture_output=True, check=False).returncode != 0


def change(tree: Path) -> None:
    """Apply `CHANGES` to a source tree. Raises CannotRun if this kernel's driver differs."""
    for file, old, new in CHANGES:
        path = tree / file
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise CannotRun(f"{file} of this kernel does not have exactly once {old.strip()!r}: adapt CHANGES")
        path.write_text(text.replace(old, new), encoding="utf-8")


def configure(tree: Path) -> None:
    """The smallest kernel plus `kernel.config`. Raises CannotRun if an option was lost on the way."""
    ran(["make", "ARCH=um", "tinyconfig"], tree)
    wanted = OPTIONS.read_text(encoding="utf-8")
    with (tree / ".config").open("a", encoding="utf-8") as config:
        config.write(wanted)
    ran(["make", "ARCH=um", "olddefconfig"], tree)
    got = set((tree / ".config").read_text(encoding="utf-8").splitlines())
    needed = wanted.partition(FROM_HERE_OPTIONAL)[0]
    lost = [line for line in needed.splitlines() if line.startswith("CONFIG_") and line not in got]
    if lost:
        raise CannotRun(f"this kernel does not accept the options {', '.join(lost)}: adapt kernel.config")


def _keep(tree: Path, version: str) -> Path:
    folder = cache() / f"kernel-{re.sub(r'[^0-9A-Za-z.]', '_', version)}-{_our_part()}"
    folder.mkdir(parents=True, exist_ok=True)
    fresh = folder / "linux.new"
    ran(["strip", "-o", str(fresh), str(tree / "linux")])
    return fresh.replace(folder / "linux")
