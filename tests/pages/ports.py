"""Which ports a process and its children have open, from the kernel's own lists."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_LISTENING: Final = "0A"
_LISTS: Final = ("tcp", "tcp6", "udp", "udp6", "raw", "raw6")


def family(process: int) -> list[int]:
    """The process and all that it has started, and they."""
    found, parents = [process], _parents()
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found


def _parents() -> dict[int, int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue
            parents[int(entry.name)] = int(text.rpartition(")")[2].split()[1])
    return parents


def open_ports(process: int) -> list[str]:
    """Return such as `tcp 0.0.0.0:80`, for every port at which a process or a child of it can be reached."""
    own = {socket for each in family(process) for socket in _sockets(each)}
    return sorted(
        f"{kind} {_address(fields[1])}"
        for kind in _LISTS
        for fields in _rows(process, kind)
        if fields[9] in own and (not kind.startswith("tcp") or fields[3] == _LISTENING)
    )


def _rows(process: int, kind: str) -> Iterator[list[str]]:
    path = Path(f"/proc/{process}/net/{kind}")
    if path.exists():
        yield from (line.split() for line in path.read_text(encoding="ascii").splitlines()[1:])


def _sockets(process: int) -> Iterator[str]:
    try:
        for handle in Path(f"/proc/{process}/fd").iterdir():
            target = os.readlink(handle)
            if target.startswith("socket:["):
                yield target[8:-1]
    except OSError:
        return


def _address(text: str) -> str:
    host, port = text.split(":")
    number = int(port, 16)
    if len(host) == 8:
        parts = bytes.fromhex(host)[::-1]
        return f"{'.'.join(map(str, parts))}:{number}"
    return f"[{host}]:{number}"
