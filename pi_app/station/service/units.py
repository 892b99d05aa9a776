"""The files of a station as a service, as texts: units, users, folders, rules for devices, drop-ins. Pure.

Sources: systemd.service(5), systemd.exec(5), systemd.kill(5), systemd.socket(5), systemd-system.conf(5),
journald.conf(5), sysusers.d(5), tmpfiles.d(5), modules-load.d(5), udev(7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pi_app.station.service.leftovers import SCRUBBED
from pi_app.station.service.system_files import JOURNALD, LOCKED_DOWN, MANAGER, MODULES, UDEV
from pi_app.station.staff.stick import MOUNTED_AT

UNITS: Final = "etc/systemd/system"

PLAY: Final = "trapdial.service"
PAGES: Final = "trapdial-pages.service"
PAGES_SOCKET: Final = "trapdial-pages.socket"
DISPLAY: Final = "trapdial-display.service"
SENDER: Final = "trapdial-sender.service"
REBOOT_PATH: Final = "trapdial-reboot.path"
REBOOT: Final = "trapdial-reboot.service"
UPDATE_PATH: Final = "trapdial-update.path"
UPDATE: Final = "trapdial-update.service"

WANTED: Final[Mapping[str, str]] = {
    PLAY: "multi-user.target",
    PAGES: "multi-user.target",
    PAGES_SOCKET: "sockets.target",
    DISPLAY: "multi-user.target",
    SENDER: "multi-user.target",
    REBOOT_PATH: "multi-user.target",
    UPDATE_PATH: "multi-user.target",
}
"""The units that start with the machine, each with the target that wants it."""

STATE: Final = "/var/lib/trapdial"
RUN: Final = "/run/trapdial"
SETTINGS: Final = "/etc/trapdial"
LIGHTS: Final = f"{RUN}/lights"
MEETING: Final = f"{RUN}/pages.sock"
FEED: Final = f"{RUN}/public.sock"

HEAD: Final = """\
# Written by `trapdial station install`; `trapdial station remove` deletes it. Put changes of your own into a drop-in
# (systemctl edit), or change this file: the next install then leaves it as it is, and says so.
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the files depend on. `program`: the path of the command; `python`: of its interpreter. `listen`: where
    phones find the pages, such as `0.0.0.0:80`; empty for a station without pages. `display`: whether a screen on HDMI
    shows the public display. `sends`: whether the record is handed over to a centre, or
    witnesses are asked."""

    program: str
    python: str
    listen: str = "0.0.0.0:80"
    display: bool = True
    sends: bool = False


def files(plan: Plan) -> dict[str, str]:
    """Return the text of each file, by its path below the root."""
    made = {
        f"{UNITS}/{PLAY}": _play(plan),
        f"{UNITS}/{REBOOT_PATH}": REBOOT_PATH_TEXT,
        f"{UNITS}/{REBOOT}": REBOOT_TEXT,
        f"{UNITS}/{UPDATE_PATH}": UPDATE_PATH_TEXT,
        f"{UNITS}/{UPDATE}": _update(plan),
        "etc/sysusers.d/trapdial.conf": SYSUSERS,
        "etc/tmpfiles.d/trapdial.conf": TMPFILES,
        "etc/udev/rules.d/60-trapdial.rules": UDEV,
        "etc/modules-load.d/trapdial.conf": MODULES,
        "etc/systemd/journald.conf.d/trapdial.conf": JOURNALD,
        "etc/systemd/system.conf.d/trapdial.conf": MANAGER,
    }
    if plan.listen:
        made |= {f"{UNITS}/{PAGES_SOCKET}": _socket(plan), f"{UNITS}/{PAGES}": _pages(plan)}
    if plan.display:
        made[f"{UNITS}/{DISPLAY}"] = _display(plan)
    if plan.sends:
        made[f"{UNITS}/{SENDER}"] = _sender(plan)
    return {path: HEAD + "\n" + text for path, text in sorted(made.items())}


def links(plan: Plan) -> dict[str, str]:
    """Return what each link that enables a unit points to, by its path below the root."""
    there = files(plan)
    return {
        f"{UNITS}/{target}.wants/{unit}": f"/{UNITS}/{unit}"
        for unit, target in WANTED.items()
        if f"{UNITS}/{unit}" in there
    }


def starting(plan: Plan) -> tuple[tuple[str, ...], ...]:
    """Return the commands that put the files into use on a running system, in order."""
    units = [unit for unit in WANTED if f"{UNITS}/{unit}" in files(plan)]
    return (
        ("systemd-sysusers", "/etc/sysusers.d/trapdial.conf"),
        ("systemd-tmpfiles", "--create", "/etc/tmpfiles.d/trapdial.conf"),
        ("modprobe", "i2c-dev"),
        ("udevadm", "control", "--reload"),
        ("udevadm", "trigger", "--subsystem-match=i2c-dev", "--subsystem-match=gpio"),
        ("systemctl", "daemon-reload"),
        ("systemctl", "restart", "systemd-journald.service"),
        ("systemctl", "restart", "--no-block", *units),
    )


STOPPING: Final = (
    ("systemctl", "stop", PAGES_SOCKET, PAGES, DISPLAY, SENDER, REBOOT_PATH, UPDATE_PATH, PLAY),
    ("systemctl", "daemon-reload"),
    ("systemctl", "start", "--no-block", "getty@tty1.service"),
)
"""The commands that end a running station; the second and third follow when its files are gone."""

RESTART_S: Final = 0.1
"""So soon is the table started again. One that could not become ready waits longer by itself (`service.PAUSE_S`)."""

_KEPT_UP: Final = """\
# Started again for ever: the station counts its own failures (trapdial docs station).
Restart=always
RestartSec={pause}
# A stop by SIGTERM is an end in good order: the unit is inactive then, not failed.
SuccessExitStatus=143
WatchdogSec=10
TimeoutStopSec=5
KillMode=mixed
"""


def _play(plan: Plan) -> str:
    return f"""\
[Unit]
Description=Trapdial, a demo station: the table
# No network, clock, phone or screen is waited for.
After=local-fs.target boot-firmware.mount boot.mount
RequiresMountsFor={STATE}
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={plan.program} station play
# Makes screens and lamps dark after any end: KillMode=mixed may end the program's own watchdog too early.
ExecStopPost=-/bin/sh -c 'if [ -e {LIGHTS} ]; then exec {plan.python} -I -m hardware.lights_out <{LIGHTS}; fi'
TimeoutStartSec=90
{_KEPT_UP.format(pause=RESTART_S)}
User=trapdial
Group=trapdial
SupplementaryGroups=i2c gpio dialout
StateDirectory=trapdial
StateDirectoryMode=0700
# The run folder keeps what the next start is to know of this one.
RuntimeDirectory=trapdial
RuntimeDirectoryMode=0755
RuntimeDirectoryPreserve=yes
WorkingDirectory={STATE}
Environment=LANG=C.UTF-8 PYTHONUNBUFFERED=1{f" TRAPDIAL_PAGES={MEETING}" if plan.listen else ""}
# What the program forgets of its visitors is overwritten in its memory.
Environment={" ".join(f"{name}={value}" for name, value in SCRUBBED.items())}
# The staff's report is written to a USB stick there.
ReadWritePaths=-{MOUNTED_AT}

# Before every ordinary program, and never on a slow card: see `trapdial docs service`.
CPUSchedulingPolicy=fifo
CPUSchedulingPriority=10
LimitRTPRIO=10
LimitMEMLOCK=infinity
OOMScoreAdjust=-800

# Buses, pins, hubs, and what says whether the power is low; nothing else.
DevicePolicy=closed
DeviceAllow=char-i2c rw
DeviceAllow=char-gpiochip rw
DeviceAllow=char-ttyACM rw
DeviceAllow=char-ttyUSB rw
DeviceAllow=/dev/gpiomem rw
DeviceAllow=/dev/gpiomem0 rw
DeviceAllow=/dev/vcio rw
IPAddressDeny=any
{LOCKED_DOWN}
[Install]
WantedBy={WANTED[PLAY]}
"""


def _socket(plan: Plan) -> str:
    return f"""\
[Unit]
Description=Trapdial, a demo station: the port of the pages for phones

[Socket]
ListenStream={plan.listen}
FreeBind=yes
Backlog=512

[Install]
WantedBy={WANTED[PAGES_SOCKET]}
"""


def _pages(plan: Plan) -> str:
    return f"""\
[Unit]
Description=Trapdial, a demo station: the pages for phones
Requires={PAGES_SOCKET}
# The table comes first: it is what everybody waits for, and without it there is nothing to serve.
After={PAGES_SOCKET} {PLAY}
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={plan.python} -P -m pi_app.pages.process meet {MEETING}
{_KEPT_UP.format(pause=1)}
# A user of its own, which can read nothing of the table. It has no right to open a port: it is handed an open one.
User=trapdial-pages
Group=trapdial-pages
Environment=LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=1
InaccessiblePaths=-{STATE} -{SETTINGS} -/boot -{MOUNTED_AT}
PrivateDevices=yes
MemoryMax=128M
TasksMax=16
{LOCKED_DOWN}
[Install]
WantedBy={WANTED[PAGES]}
"""


def _display(plan: Plan) -> str:
    return f"""\
[Unit]
Description=Trapdial, a demo station: the public display on the first terminal
Conflicts=getty@tty1.service
After=getty@tty1.service {PLAY}
ConditionPathExists=/dev/tty1
StartLimitIntervalSec=0

[Service]
Type=notify
NotifyAccess=main
ExecStart={plan.program} station display --feed {FEED}
{_KEPT_UP.format(pause=2)}
# A user of its own, which sees what everybody may see.
User=trapdial-display
Group=trapdial-display
# For the feed alone; all else that this group may read is out of sight.
SupplementaryGroups=trapdial
StandardInput=tty-fail
StandardOutput=tty
# The picture is drawn on standard error.
StandardError=inherit
TTYPath=/dev/tty1
TTYReset=yes
TTYVHangup=yes
TTYVTDisallocate=yes
Environment=LANG=C.UTF-8 TERM=linux HOME=/run/trapdial-display
RuntimeDirectory=trapdial-display
InaccessiblePaths=-{STATE} -{SETTINGS} -/boot -{MOUNTED_AT}
PrivateNetwork=yes
MemoryMax=192M
{LOCKED_DOWN}
[Install]
WantedBy={WANTED[DISPLAY]}
"""


def _sender(plan: Plan) -> str:
    return f"""\
[Unit]
Description=Trapdial, a demo station: hands the record over to a centre, and asks witnesses
# The table comes first, and needs nothing of this one.
After={PLAY}
StartLimitIntervalSec=0

[Service]
Type=exec
ExecStart={plan.python} -P -m pi_app.station.service.sending {STATE}
Restart=always
RestartSec=10
# A stop by SIGTERM is an end in good order: the unit is inactive then, not failed.
SuccessExitStatus=143
TimeoutStopSec=5
KillMode=mixed
# The user of the record, which it reads. What talks to the network gives up all other files (Landlock).
User=trapdial
Group=trapdial
ReadWritePaths={STATE}
InaccessiblePaths=-{SETTINGS} -/boot -{MOUNTED_AT}
Environment=LANG=C.UTF-8 PYTHONDONTWRITEBYTECODE=1 MALLOC_ARENA_MAX=1
# After every other program.
Nice=10
CPUSchedulingPolicy=batch
IOSchedulingClass=idle
OOMScoreAdjust=500
PrivateDevices=yes
MemoryMax=192M
TasksMax=16
{LOCKED_DOWN}RestrictAddressFamilies=AF_INET6
SystemCallFilter=landlock_create_ruleset landlock_add_rule landlock_restrict_self

[Install]
WantedBy={WANTED[SENDER]}
"""


REBOOT_PATH_TEXT: Final = f"""\
[Unit]
Description=Trapdial, a demo station: starts the machine again when the table asks for it, at most once an hour

[Path]
PathExists={RUN}/reboot

[Install]
WantedBy={WANTED[REBOOT_PATH]}
"""

REBOOT_TEXT: Final = f"""\
[Unit]
Description=Trapdial, a demo station: start the machine again
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/rm -f {RUN}/reboot
ExecStart=/bin/systemctl --no-block reboot
"""

UPDATE_PATH_TEXT: Final = f"""\
[Unit]
Description=Trapdial, a demo station: updates it when the staff asks for it

[Path]
PathExists={RUN}/update

[Install]
WantedBy={WANTED[UPDATE_PATH]}
"""


def _update(plan: Plan) -> str:
    return f"""\
[Unit]
Description=Trapdial, a demo station: update it from the USB stick
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/mv -fT {RUN}/update {RUN}/update-asked
# The table says which signature the staff have confirmed; whether its package is installed, this program decides.
ExecStart={plan.program} station update --asked {RUN}/update-asked
Environment=LANG=C.UTF-8
"""


SYSUSERS: Final = f"""\
u trapdial - "Trapdial, the table" {STATE}
u trapdial-pages - "Trapdial, the pages for phones"
u trapdial-display - "Trapdial, the public display"
g i2c -
g gpio -
g dialout -
m trapdial i2c
m trapdial gpio
m trapdial dialout
"""

TMPFILES: Final = f"""\
# The settings name trap tables, which are secrets: only root writes them, and only the table reads them.
d {SETTINGS} 0750 root trapdial -
d {STATE} 0700 trapdial trapdial -
"""

_ALL: Final = Plan("", "", sends=True)
ALL_PATHS: Final = frozenset(files(_ALL)) | frozenset(links(_ALL))
"""Every path that an install can write."""
