"""Where this machine's pip finds packages, for a system that is entered from it: an index, a mirror, folders.

Nothing of it is known here; a machine without such settings has none to hand on.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.programs import ran

PLACES: Final = (
    *("index-url", "extra-index-url", "no-index", "find-links", "constraint", "trusted-host"),
    *("cert", "client-cert", "proxy", "default-timeout", "timeout", "retries"),
)
"""The settings of pip that say where packages come from, and how they are reached."""
PROXIES: Final = ("http_proxy", "https_proxy", "no_proxy", "all_proxy")


@dataclass(frozen=True, slots=True)
class PipHere:
    """The text of a pip.conf, the files and folders that it names, and the environment that goes with it."""

    config: str
    paths: tuple[Path, ...]
    environment: Mapping[str, str]


def read_pip_here() -> PipHere:
    """Read this machine's settings. Raises CannotRun without a pip."""
    listed = ran([sys.executable, "-m", "pip", "config", "list"])
    settings = choose_places(listed.splitlines())
    proxies = {name: value for name, value in os.environ.items() if name.lower() in PROXIES}
    return PipHere(write_config(settings), tuple(find_paths(settings)), proxies)


def choose_places(lines: Iterable[str]) -> dict[str, str]:
    """Return the settings that matter from what `pip config list` prints; the environment's win over a file's."""
    found: dict[str, dict[str, str]] = {"global": {}, "install": {}, ":env:": {}}
    for line in lines:
        read = re.fullmatch(r"(global|install|:env:)\.([\w-]+)=(['\"].*)", line)
        if read is not None and read[2] in PLACES:
            found[read[1]][read[2]] = str(ast.literal_eval(read[3]))
    return found["global"] | found["install"] | found[":env:"]


def write_config(settings: Mapping[str, str]) -> str:
    """Write settings as a pip.conf, which has several values of one setting on a line."""
    return "[global]\n" + "".join(f"{name} = {' '.join(settings[name].split())}\n" for name in sorted(settings))


def find_paths(settings: Mapping[str, str]) -> list[Path]:
    """Return the files and folders of this machine that settings name; of an index also the files beside its pages."""
    named = [(name, Path(word.removeprefix("file://"))) for name, value in settings.items() for word in value.split()]
    here = [(name, path) for name, path in named if path.is_absolute() and path.exists()]
    return sorted({path.parent if name.endswith("index-url") else path for name, path in here})
