"""Put the Debian package's program into its tree, and take it away: what the package's scripts run.

The system's Python runs this from the package's own wheel, before anything of Trapdial is installed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pi_app.station.service.systemctl import TRIAL, Systemd
from pi_app.station.updates import trees
from pi_app.station.updates.in_use import is_in_use, put_in_use
from pi_app.station.updates.trial import drop_pending
from pi_app.text.errors import UserFileError
from pi_app.text.printed import shown, shown_lines

PAYLOAD: Final = "payload"
USAGE: Final = "Say what to do: `put.py install` or `put.py remove`."


def install(payload: Path, home: Path, systemd: Systemd) -> str:
    """Make a tree from a payload and switch to it; return what was done, as a sentence.

    Where the service is used, the new tree is on trial. A tree that was made from this payload stays as it is; it is
    put in use if an installation was killed before that, or the station was removed since. Raises as `trees.build`."""
    made = trees.running(home)
    if made is not None and trees.same(made, payload):
        if is_in_use(home) and systemd.is_enabled():
            return f"Version {made.version} is there already."
    else:
        drop_pending(home)
        if trees.go_back(home) is not None:
            put_in_use(home, systemd)
        made = trees.build(payload, home)
        trees.switch(home, made, trial=systemd.is_used())
    if not trees.on_trial(home):
        trees.confirm(home)
    trouble = put_in_use(home, systemd)
    if trees.on_trial(home):
        systemd.start(TRIAL)
        return f"Version {made.version} is on trial: if it is not ready within a minute, the version before returns."
    return f"Version {made.version} is in place." + (f" {trouble}" if trouble else "")


def main(words: Sequence[str], payload: Path, systemd: Systemd | None = None) -> int:
    """Do what a script of the package asks for. Returns the exit code; what went wrong is on standard error."""
    try:
        match words:
            case ["install"]:
                sys.stdout.write(shown(install(payload, payload.parent, systemd or Systemd())) + "\n")
            case ["remove"]:
                drop_pending(payload.parent)
                trees.remove(payload.parent)
            case _:
                raise UserFileError([USAGE])
    except (UserFileError, OSError) as trouble:
        sys.stderr.write(f"trapdial: {shown_lines(_sentence(trouble))}\n")
        return 1
    return 0


def _sentence(trouble: UserFileError | OSError) -> str:
    if isinstance(trouble, UserFileError):
        return str(trouble)
    advice = "Make room on the disk, or make it writable, and try again; the program that ran before still runs"
    return str(UserFileError.at(str(trouble.filename or trees.HOME), "", trouble.strerror or str(trouble), advice))
