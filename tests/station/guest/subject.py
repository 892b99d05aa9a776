"""What the lanes judge: a service in the guest that tells what it has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tests.station.guest.machine import Failed, Machine, Told
from tests.station.guest.unit import until_ready

LITTLE: Final = "little.service"
LITTLE_FOLDER: Final = "/var/lib/little"
LITTLE_UNIT: Final = f"""[Unit]
Description=A small service, with which the stage proves itself
StartLimitIntervalSec=0

[Service]
Type=notify
ExecStart=/usr/bin/python3 -I /stage/little.py {{mode}} {LITTLE_FOLDER}
StandardOutput=file:/dev/ttyS1
WatchdogSec=4
TimeoutStartSec={{start_s}}
Restart=always
RestartSec=1
TimeoutStopSec=5
KillMode=mixed
StateDirectory=little

[Install]
WantedBy=multi-user.target
"""


class Subject(Protocol):
    """A service that the lanes judge."""

    @property
    def unit(self) -> str: ...

    @property
    def ready_within_s(self) -> float:
        """How long the stage waits for READY: far longer than what is demanded, for a machine that is busy."""

    @property
    def well(self) -> str:
        """What its status says when it is well: a recovery table is ready too, and is no station that plays."""

    def lost(self, machine: Machine, told: Sequence[Told]) -> str | None:
        """A sentence about what was told and is not in the record of the running guest, or about a record that is
        damaged; None if all is there."""

    def newest(self, told: Sequence[Told]) -> str:
        """What was told last, in a few words; empty for nothing."""

    def odd_start(self, told: Sequence[Told]) -> str | None:
        """A sentence about a start after a fault that told too much or too little; None for a good one. `told` is of
        this start alone."""


@dataclass(frozen=True, slots=True)
class Little:
    """The small service, in one of its modes."""

    mode: str
    unit: str = LITTLE
    ready_within_s: float = 60.0
    well: str = ""

    def install(self, machine: Machine) -> None:
        """Write its unit, and start it with the machine."""
        start_s = 5 if self.mode == "mute" else 90
        text = LITTLE_UNIT.format(mode=self.mode, start_s=start_s)
        machine.must("sh", "-c", f"cat > /etc/systemd/system/{LITTLE}", text=text)
        machine.shell(f"systemctl daemon-reload; systemctl enable -q {LITTLE}; sync")

    def lost(self, machine: Machine, told: Sequence[Told]) -> str | None:
        number, last = claims(told)
        kept_number, kept = machine.must("python3", "-I", "/stage/little.py", "verify", LITTLE_FOLDER).split()
        if number > int(kept_number):
            return f"entry {number} was told, and the record ends with {kept_number}"
        if number == int(kept_number) and last != kept:
            return f"entry {number} was told with digest {last}, and the record has {kept}"
        return None

    def newest(self, told: Sequence[Told]) -> str:
        number, _ = claims(told)
        return f"entry {number}" if number else ""

    def odd_start(self, told: Sequence[Told]) -> str | None:
        return None


def claims(told: Sequence[Told]) -> tuple[int, str]:
    """The highest entry that the small service has told, and its digest."""
    rows = [line.text.split() for line in told if line.text.startswith("told ")]
    found = [(int(row[1]), row[2]) for row in rows if len(row) == 3 and row[1].isdigit()]
    return max(found, default=(0, ""))


def must_keep(subject: Subject, machine: Machine) -> None:
    """Check that nothing that was told until now is lost; while the record is read, more is told. Raises Failed."""
    trouble = subject.lost(machine, tuple(machine.told))
    if trouble is not None:
        raise Failed(f"told but lost: {trouble}")


def must_get_ready(subject: Subject, machine: Machine, *, not_pid: int = 0) -> int:
    """Wait until the service is ready and well; return its process. Raises Failed."""
    now = until_ready(machine, subject.unit, subject.ready_within_s, not_pid=not_pid)
    if subject.well not in now.status:
        raise Failed(f"{subject.unit} is ready, but not well: {now.status}")
    return now.main_pid


def must_start_well(subject: Subject, machine: Machine, since: int) -> None:
    """Check the start that has told the lines from `since` on. Raises Failed."""
    trouble = subject.odd_start(machine.told[since:])
    if trouble is not None:
        raise Failed(trouble)
