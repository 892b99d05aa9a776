"""The layer for rpi-image-gen, carried out: its packages are there, and its hooks run as mmdebstrap runs them.

The system is Debian for this machine's processor, in place of Raspberry Pi OS for a Pi's, and so is the package. There
is no network, so a hook that fetches something fails.
"""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path
from typing import Final

import yaml

from tests.arm.root import PROJECT
from tests.station.package.roots import Root
from tests.station.package.steps import Failed, ended_well

LAYER: Final = PROJECT / "wiring_docs/image/layer/trapdial-station.yaml"
OVERLAY: Final = "i2c6,baudrate=400000"
BOOT: Final = "boot/firmware"


def run_layer(root: Root, package: Path) -> str:
    """Run the hooks of the layer in a root file system. Raises Failed."""
    hooks = yaml.safe_load(LAYER.read_text(encoding="utf-8"))["mmdebstrap"]["customize-hooks"]
    shutil.copy(package, root.folder / "srv")
    (root.folder / BOOT).mkdir(parents=True)
    (root.folder / BOOT / "config.txt").write_text("[pi4]\n", encoding="utf-8")  # of the layer rpi-boot-firmware
    told = f"IGconf_trapdial_package=/srv/{package.name} IGconf_trapdial_screens_overlay={OVERLAY}"
    for number, hook in enumerate(hooks, 1):
        ended_well(root.run(f"{told} sh -c {shlex.quote(hook)} exec /"), f"hook {number} of the layer")
    config = (root.folder / BOOT / "config.txt").read_text(encoding="utf-8")
    if not config.endswith(f"[all]\ndtparam=i2c_arm=on\ndtoverlay={OVERLAY}\n"):
        raise Failed(f"the hooks have written this to config.txt:\n{config}")
    used = "systemctl is-enabled trapdial.service && trapdial settings check /boot/firmware/trapdial.toml"
    ended_well(root.run(used), "the look at the image")
    return (
        f"its {len(hooks)} hooks ran without a network: the station is enabled, its settings are on the boot partition"
    )
