"""Takes from the page process all that it does not need: another user's rights, files, new sockets, other processes.

What a system does not have is said and left out. Raspberry Pi OS has no Landlock in its kernel (6.18), but seccomp;
each alone keeps the process from opening a file. Sources: seccomp(2), prctl(2), capabilities(7), linux/audit.h, and the
kernel's tables of system calls (unistd_64.h, asm-generic/unistd.h, arch/arm/tools/syscall.tbl).
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import pwd
import resource
import struct
import subprocess
import sys
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

import msgspec

from hardware.landlock import no_new_privileges, restrict
from hardware.private_memory import keep_memory_private
from pi_app.pages.messages import Confined

USERS: Final = ("trapdial-pages", "nobody")
"""The user that a table of root's starts the pages as: its own, if somebody made it."""

OPEN_FILES: Final = 320
BYTES_IN_ALL: Final = 1 << 28

PR_SET_SECCOMP, PR_CAP_AMBIENT = 22, 47
PR_CAP_AMBIENT_CLEAR_ALL: Final = 4
SECCOMP_MODE_FILTER: Final = 2
CAPABILITY_VERSION_3: Final = 0x20080522


def own_user(_: ctypes.CDLL) -> bool:
    """Become another user, if this is root; a service manager may have started it as its own one."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name == USERS[0]
    for name in USERS:
        with contextlib.suppress(KeyError):
            found = pwd.getpwnam(name)
            os.setgroups([])
            os.setresgid(found.pw_gid, found.pw_gid, found.pw_gid)
            os.setresuid(found.pw_uid, found.pw_uid, found.pw_uid)
            return True
    return False


def no_capabilities(library: ctypes.CDLL) -> bool:
    """A service may have been given the right to open port 80: the page process does not need it."""
    library.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
    header, none = struct.pack("=Ii", CAPABILITY_VERSION_3, 0), bytes(24)
    return bool(library.capset(header, none) == 0)


def limited(_: ctypes.CDLL) -> bool:
    for kind, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_AS, BYTES_IN_ALL),
    ):
        hard = resource.getrlimit(kind)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (least, least))
    return True


def memory_closed(_: ctypes.CDLL) -> bool:
    return keep_memory_private()


def landlock(library: ctypes.CDLL) -> bool:
    """Allow no right on any file, no TCP port, and no signal to or abstract socket of a process outside."""
    return restrict(library)


# ---------------------------------------------------------------------------------------------------- seccomp

DENIED: Final = (
    *("open", "openat", "openat2", "creat", "open_by_handle_at", "execve", "execveat", "fork", "vfork", "clone"),
    *("clone3", "ptrace", "process_vm_readv", "process_vm_writev", "socket", "socketpair", "bind", "connect", "kill"),
    *("tkill", "tgkill", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "rt_sigqueueinfo", "unlink", "unlinkat"),
    *("rename", "renameat", "renameat2", "mkdir", "mkdirat", "mknodat", "link", "linkat", "symlink", "symlinkat"),
    *("chmod", "fchmodat", "truncate", "mount", "unshare", "setns", "chroot", "bpf", "perf_event_open"),
    *("io_uring_setup", "add_key", "request_key", "keyctl", "memfd_create", "userfaultfd", "init_module"),
    *("finit_module", "kexec_load", "shmget", "shmat", "msgget", "mq_open"),
)
"""System calls that open something, or reach another process. The page process needs none of them."""


def _numbers(text: str) -> Mapping[str, int]:
    return MappingProxyType(dict(zip(DENIED, (int(word) for word in text.split()), strict=True)))


NONE: Final = -1
X86_64: Final = _numbers(
    "2 257 437 85 304 59 322 57 58 56 435 101 310 311 41 53 49 42 62 200 234 434 438 424 129 87 263 82 264 316 83 258 "
    "259 86 265 88 266 90 268 76 165 272 308 161 321 298 425 248 249 250 319 323 175 313 246 29 30 68 240"
)
AARCH64: Final = _numbers(
    "-1 56 437 -1 265 221 281 -1 -1 220 435 117 270 271 198 199 200 203 129 130 131 434 438 424 138 -1 35 -1 38 276 -1 "
    "34 33 -1 37 -1 36 -1 53 45 40 97 268 51 280 241 425 217 218 219 279 282 105 273 104 194 196 186 180"
)
ARM: Final = _numbers(
    "5 322 437 8 371 11 387 2 190 120 435 26 376 377 281 288 282 283 37 238 268 434 438 424 178 10 328 38 329 382 39 "
    "323 324 9 330 83 331 15 333 92 21 337 375 61 386 364 425 309 310 311 385 388 128 379 347 307 305 303 274"
)
MACHINES: Final[Mapping[str, tuple[int, Mapping[str, int]]]] = MappingProxyType(
    {
        "x86_64": (0xC000003E, X86_64),
        "aarch64": (0xC00000B7, AARCH64),
        "armv7l": (0x40000028, ARM),
        "armv6l": (0x40000028, ARM),
    }
)
"""For each machine, the kernel's name of its system calls (linux/audit.h), and the numbers of those in DENIED."""

X32_CALLS: Final = 0x40000000
_NUMBER_AT, _ARCHITECTURE_AT = 0, 4
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # SECCOMP_RET_ALLOW; SECCOMP_RET_ERRNO with EPERM


def filter_program(architecture: int, numbers: Mapping[str, int]) -> bytes:
    """The filter as the kernel reads it: 8 bytes for each step. A refused call fails with EPERM."""
    known = sorted({number for number in numbers.values() if number != NONE})
    refusing = len(known) + 5  # the place of the last step, which refuses
    steps = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_EQUAL, 0, refusing - 2, architecture), (_LOAD, 0, 0, _NUMBER_AT)]
    steps.append((_AT_LEAST, refusing - 4, 0, X32_CALLS))
    steps += [(_EQUAL, refusing - 5 - place, 0, number) for place, number in enumerate(known)]
    steps += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _REFUSE)]
    return b"".join(struct.pack("=HBBI", *step) for step in steps)


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("steps", ctypes.c_char_p))


def seccomp(library: ctypes.CDLL) -> bool:
    wide = sys.maxsize > 1 << 32  # a 32-bit Python may run on a 64-bit kernel
    machine = platform.machine()
    if not wide and machine == "aarch64":
        machine = "armv7l"
    if machine not in MACHINES or (not wide and machine == "x86_64"):
        return False
    steps = filter_program(*MACHINES[machine])
    program = _Program(len(steps) // 8, steps)
    return bool(library.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0) == 0)


# --------------------------------------------------------------------------------------------------- all of it

Step = Callable[[ctypes.CDLL], bool]
STEPS: Final[Mapping[str, Step]] = MappingProxyType(
    {
        "a user of its own": own_user,
        "no capabilities": no_capabilities,
        "no new privileges": no_new_privileges,
        "limits on files, processes and memory": limited,
        "memory closed to other programs": memory_closed,
        "no files, signals or connections (Landlock)": landlock,
        "no files, programs or new sockets (seccomp)": seccomp,
    }
)
"""What is given up, in this order, and how a person reads it."""


def confine(steps: Mapping[str, Step] = STEPS) -> Confined:
    """Give up what this process does not need, for good, and say what worked. Call it when all modules are loaded and
    the event loop has its handles; then nothing can be opened any more."""
    library = ctypes.CDLL(None, use_errno=True)
    worked = {name: _done(step, library) for name, step in steps.items()}
    return Confined(
        tuple(name for name, done in worked.items() if done), tuple(name for name, done in worked.items() if not done)
    )


def _done(step: Step, library: ctypes.CDLL) -> bool:
    try:
        return step(library)
    except (OSError, ValueError, KeyError, AttributeError):
        return False


# ----------------------------------------------------------------------------------------------- for the doctor


def tried() -> Confined | None:
    """What `confine` can do on this system, tried in a process of its own; None if that process failed."""
    command = [sys.executable, "-m", "pi_app.pages.confined"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    with contextlib.suppress(msgspec.MsgspecError):
        return msgspec.json.decode(done.stdout, type=Confined)
    return None


if __name__ == "__main__":
    sys.stdout.write(msgspec.json.encode(confine()).decode())
