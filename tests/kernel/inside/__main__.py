"""The guest's command: run the checks of this folder, then send the exit code over the serial line."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.kernel.inside.host import Host


def main(words: list[str]) -> None:
    host = Host()
    host("booted")
    host.close()
    import pytest

    here = Path(__file__).resolve().parent
    if "--short" in words:  # a word of the kernel's command line has no blanks
        words = ["-m", "not slow", *(word for word in words if word != "--short")]
    options = [
        "-q",
        "--color=no",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(here.parents[2]),
        "--durations=3",
        *words,
    ]
    code = int(pytest.main([*options, str(here)]))
    sys.stdout.flush()
    host = Host()
    host("finished", code)


if __name__ == "__main__":
    main(sys.argv[1:])
