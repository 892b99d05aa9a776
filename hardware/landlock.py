"""Takes from this process the right to open files and to reach ports, but for those that it names (Landlock).

Sources: landlock(7), linux/landlock.h, linux/prctl.h. Kernels before 5.13 and that of Raspberry Pi OS have none.
"""

from __future__ import annotations

import ctypes
import os
import stat
import struct
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
"""The numbers of the system calls, on every machine."""

_ASK_VERSION: Final = 1
_BENEATH, _PORT = 1, 2

_FILE_RIGHTS: Final[Mapping[int, int]] = MappingProxyType({1: 13, 2: 14, 3: 15, 4: 15, 5: 16})
"""How many rights on files each version of Landlock knows; later versions know those of 5."""

_BIND, _CONNECT = 1, 2
_SOCKETS_AND_SIGNALS: Final = 0b11
_WITH_PORTS, _WITH_SCOPES = 4, 6
"""The first versions that know ports, and sockets and signals."""

WRITE_FILE, READ_FILE, READ_FOLDER = 1 << 1, 1 << 2, 1 << 3
REMOVE_FILE, MAKE_FILE, TRUNCATE = 1 << 5, 1 << 8, 1 << 14

READ: Final = READ_FILE | READ_FOLDER
CHANGE: Final = READ | WRITE_FILE | REMOVE_FILE | MAKE_FILE | TRUNCATE

_ON_A_FILE: Final = WRITE_FILE | READ_FILE | TRUNCATE


def restrict(
    library: ctypes.CDLL, paths: Mapping[Path, int] = MappingProxyType({}), ports: Collection[int] = ()
) -> bool:
    """Allow only these rights on these files and on what is in these folders, TCP connections only to these ports, and
    no signal to or abstract socket of a process outside, for good. A path that is not there is left out. Return whether
    that worked; it needs `no_new_privileges`, or a privilege."""
    version = library.syscall(_CREATE_RULESET, None, 0, _ASK_VERSION)
    if version < 1:
        return False
    known = (1 << _FILE_RIGHTS.get(version, 16)) - 1
    rules = struct.pack("=Q", known)
    rules += struct.pack("=Q", _BIND | _CONNECT) if version >= _WITH_PORTS else b""
    rules += struct.pack("=Q", _SOCKETS_AND_SIGNALS) if version >= _WITH_SCOPES else b""
    handle = library.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(len(rules)), 0)
    if handle < 0:
        return False
    try:
        for path, rights in paths.items():
            _allow(library, handle, path, rights & known)
        if version >= _WITH_PORTS:
            for port in ports:
                library.syscall(_ADD_RULE, handle, _PORT, struct.pack("=QQ", _CONNECT, port), 0)
        return bool(library.syscall(_RESTRICT_SELF, handle, 0) == 0)
    finally:
        os.close(handle)


def _allow(library: ctypes.CDLL, handle: int, path: Path, rights: int) -> None:
    """Allow it if the path is there. A path that cannot be allowed stays forbidden."""
    try:
        there = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        folder = stat.S_ISDIR(os.fstat(there).st_mode)
        rule = struct.pack("=Qi", rights if folder else rights & _ON_A_FILE, there)
        library.syscall(_ADD_RULE, handle, _BENEATH, rule, 0)
    finally:
        os.close(there)


PR_SET_NO_NEW_PRIVS: Final = 38


def no_new_privileges(library: ctypes.CDLL) -> bool:
    """Give up what a program could gain by starting another one."""
    return bool(library.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
