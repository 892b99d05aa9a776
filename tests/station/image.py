"""The layer before rpi-image-gen's own judges: `python -m tests.station.image RPI-IMAGE-GEN`, the folder of a checkout.

They are the tool's lint, its reader of configurations, and its pipeline, which resolves every layer and variable: the
first two of its build's stages, as `rpi-image-gen build` runs them. What comes after them fetches Raspberry Pi OS. They
need python3-debian and python3-yaml of the system.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from pi_app.station.package.wheelhouse import project
from tests.arm.root import PROJECT
from tests.programs import CannotRun, ran

IMAGE: Final = PROJECT / "wiring_docs/image"
NAME: Final = "trapdial-station"
BASE: Final = ("essential", "rpi4", "image-rpios", "trixie-minbase")
"""The layers that the configuration names, and the one that the tool puts before them."""
PYTHON: Final = "/usr/bin/python3"
PROCESSORS: Final = {
    "ARCH": "arm64",
    "DEB_BUILD_ARCH": "arm64",
    "DEB_BUILD_GNU_TYPE": "aarch64-linux-gnu",
    "DEB_HOST_ARCH": "arm64",
    "DEB_HOST_GNU_TYPE": "aarch64-linux-gnu",
    "TOOLCHAIN_MODE": "native",
}


def main(words: list[str]) -> int:
    if len(words) != 1:
        sys.stderr.write("Say: python -m tests.station.image RPI-IMAGE-GEN\n")
        return 2
    try:
        with tempfile.TemporaryDirectory() as name:
            print(judged(Path(words[0]).resolve(), Path(name)))
    except CannotRun as reason:
        print(f"image: FAILED: {reason}")
        return 1
    return 0


def judged(tool: Path, folder: Path) -> str:
    """Let the tool judge the layer and the configuration; say what it made of them. Raises CannotRun."""
    ig = ["env", f"PATH={tool}/bin:{tool}/bin/generators:/usr/bin:/bin", PYTHON, "-B", str(tool / "bin/ig")]
    ran([*ig, "metadata", "--lint", str(IMAGE / f"layer/{NAME}.yaml")])
    given, layers = folder / "config.env", folder / "layer.plan"
    told = (_registry(ig, tool), _configured(ig, tool, folder), _surroundings(tool, folder))
    given.write_text("".join(told), encoding="utf-8")
    words = [*ig, "pipeline", "--env-in", str(given), "--layers", *BASE, NAME, "--path", _path(tool, folder)]
    ran([*words, "--env-out", str(folder / "env.out"), "--plan-out", str(layers)])
    return _resolved(layers.read_text(encoding="utf-8"), (folder / "env.out").read_text(encoding="utf-8"))


def _path(tool: Path, folder: Path) -> str:
    return f"DYNlayer={folder}:SRClayer={IMAGE}/layer:IGdevice={tool}/device:IGimage={tool}/image:IGlayer={tool}/layer"


def _registry(ig: list[str], tool: Path) -> str:
    return ran([*ig, "metadata", "--emit", str(tool / "registry.defs")]) + "\n"


def _configured(ig: list[str], tool: Path, folder: Path) -> str:
    own, none, written = IMAGE / f"config/{NAME}.yaml", folder / "none", folder / "user.env"
    none.touch()
    path = f"{IMAGE}/config:{tool}/config"
    ran([*ig, "config", "--path", path, str(own), "--overrides", str(none), "--write-to", str(written)])
    return written.read_text(encoding="utf-8") + "\n"


def _surroundings(tool: Path, folder: Path) -> str:
    told = {**PROCESSORS, "IGTOP": tool, "IGROOT": tool, "LAYER_HOOKS": tool / "layer-hooks", "SRCROOT": IMAGE}
    told |= {"RPI_TEMPLATES": tool / "templates/rpi", "DYNROOT": folder}
    return "".join(f'{name}="{value}"\n' for name, value in told.items())


def _resolved(plan: str, variables: str) -> str:
    order = [line.split(":")[0] for line in plan.splitlines()]
    wanted = f"IGconf_trapdial_package={IMAGE}/trapdial_{project()['version']}_arm64.deb"
    if order[-1:] != [NAME] or wanted not in variables.splitlines():
        raise CannotRun(f"the layer is not the last of {', '.join(order)}, or its package is not {wanted}")
    return f"image: rpi-image-gen's lint finds nothing, and its pipeline resolves {len(order)} layers, this one last"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
