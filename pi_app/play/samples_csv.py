"""Records samples of dials in a CSV file, for `trapdial decode` and for analysis.

With the trap tables, the angles in a recording reveal the players' secrets: recording is refused while a game is open,
and only the owner can read the file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hardware.clock import Clock
from hardware.readings import Magnet, Reading, Sample, TroubleKind
from pi_app.play.build import with_hubs
from pi_app.play.feed import DialSample, Feed, InlineFeed, ThreadFeed
from pi_app.play.parts import Parts
from pi_app.play.wires import TableWires
from pi_app.settings.model import Settings
from pi_app.text.errors import UserFileError
from pi_app.text.language import count_of
from pi_app.text.private_files import emptied_file, new_file
from pi_app.text.suggest import did_you_mean

ONE_SQUARE: Final = "t_ns,raw,status"
"""The format that `trapdial decode` reads."""

SEVERAL_SQUARES: Final = "t_ns,square,raw,status"

FLUSH_NS: Final = 250_000_000


# ----------------------------------------------------------------------------------------- what is recorded


def only(settings: Settings, labels: Collection[str]) -> Settings:
    """Return the same table with only these squares and their buses and hubs, and without seats. Raises UserFileError,
    with a suggestion, for a square that it does not have."""
    wanted, known = {label.casefold() for label in labels}, {label.casefold() for label in settings.squares}
    strangers = [label for label in labels if label.casefold() not in known]
    if strangers:
        raise UserFileError(
            [
                f"{settings.where}: it has no square {label!r}. Name one of its squares; "
                f"{did_you_mean(label, list(settings.squares))}."
                for label in strangers
            ]
        )
    squares = {label: square for label, square in settings.squares.items() if label.casefold() in wanted}
    used, hubs = ({getattr(square, place) for square in squares.values()} for place in ("bus", "hub"))
    return replace(
        settings,
        squares=MappingProxyType(squares),
        buses=MappingProxyType({name: bus for name, bus in settings.buses.items() if name in used}),
        hubs=MappingProxyType({name: hub for name, hub in settings.hubs.items() if name in hubs}),
        seats=MappingProxyType({}),
    )


def feed_of(settings: Settings, wires: TableWires, parts: Parts) -> Feed:
    """Return a feed of all dials of these wires, at the rate of the settings. Close it."""
    if parts.simulated:
        return with_hubs(InlineFeed(wires.sources, parts.clock), wires)
    return with_hubs(ThreadFeed(wires.sources, parts.clock, period_ns(settings)), wires)


def period_ns(settings: Settings) -> int:
    """Return the time between two samples of a dial."""
    return 1_000_000_000 // settings.table.scan_hz


# ------------------------------------------------------------------------------------------------- the file


def check_is_new(path: Path) -> None:
    """Raise UserFileError if the file is already there. A place that cannot be looked at refuses what is written."""
    if os.path.exists(path):
        raise _already_there(path)


def _already_there(path: Path) -> UserFileError:
    return UserFileError.at(str(path), "", "it is already there", "Give another name, or say --overwrite")


@dataclass(slots=True)
class RecordedCounts:
    """The samples that were recorded so far."""

    samples: int = 0
    failed: int = 0

    def __str__(self) -> str:
        return f"{count_of(self.samples, 'sample')}, {self.failed:,} of them failed reads"


def row(square: str | None, sample: Sample) -> str:
    """Return one line without its end. `status` is `ok`, the state of the magnet, or why there is no angle."""
    if isinstance(sample, Reading):
        raw = str(sample.raw)
        status = "ok" if sample.magnet is Magnet.UNKNOWN else sample.magnet.value
    else:
        raw, status = "", sample.kind.value
    fields = [str(sample.at_ns), raw, status] if square is None else [str(sample.at_ns), square, raw, status]
    return ",".join(fields)


class CsvFile:
    """A file that holds whole lines only, even if its writing is interrupted."""

    def __init__(self, path: Path, header: str, *, overwrite: bool = False) -> None:
        """Raises UserFileError if the file is already there (unless `overwrite`) or cannot be made."""
        self._path = path
        try:
            self._handle = emptied_file(path) if overwrite else new_file(path)
        except FileExistsError as error:
            raise _already_there(path) from error
        except OSError as error:
            raise self._refused(error) from error
        self._size = 0
        self._waiting: list[str] = [header]

    def add(self, line: str) -> None:
        """Queue a line for the next `flush`."""
        self._waiting.append(line)

    def flush(self) -> None:
        """Write the queued lines. If the disk takes only a part of them, remove it and raise UserFileError."""
        data = "".join(f"{line}\n" for line in self._waiting).encode("ascii")
        self._waiting.clear()
        try:
            while data:
                data = data[os.write(self._handle, data) :]
            self._size = os.lseek(self._handle, 0, os.SEEK_CUR)
        except OSError as error:
            if os.path.isfile(self._path):
                os.ftruncate(self._handle, self._size)
            raise self._refused(error) from error

    def close(self) -> None:
        """Flush and close. Closing twice is harmless."""
        if self._handle < 0:
            return
        handle = self._handle
        try:
            self.flush()
        finally:
            self._handle = -1
            os.close(handle)

    def __enter__(self) -> CsvFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _refused(self, error: OSError) -> UserFileError:
        advice = "Check the folder and the free space on the disk; the earlier lines are complete"
        return UserFileError.at(str(self._path), "", f"it cannot be written ({error.strerror})", advice)


def record(
    feed: Feed,
    clock: Clock,
    file: CsvFile | None,
    *,
    named: bool,
    every_ns: int,
    until_ns: int | None,
    go_on: Callable[[RecordedCounts], bool] = lambda counts: True,
    see: Callable[[Sequence[DialSample]], None] = lambda samples: None,
) -> RecordedCounts:
    """Write every sample to the file, if there is one, until `until_ns`, or until `go_on` returns False after a round.

    `named`: each line names its square. `see` gets the samples of each round. Samples from before a dial was first read
    are left out.
    """
    counts = RecordedCounts()
    next_ns = clock.now_ns()
    flushed_ns = next_ns
    while until_ns is None or next_ns < until_ns:
        samples = [(label, sample) for label, sample in feed.take() if _was_read(sample)]
        _add(file, samples, counts, named=named)
        see(samples)
        next_ns = max(next_ns + every_ns, clock.now_ns())
        if file is not None and next_ns - flushed_ns >= FLUSH_NS:
            file.flush()
            flushed_ns = next_ns
        if not go_on(counts):
            break
        feed.rest(next_ns)
    if file is not None:
        file.flush()
    return counts


def _was_read(sample: Sample) -> bool:
    return isinstance(sample, Reading) or sample.kind is not TroubleKind.NOT_READ


def _add(file: CsvFile | None, samples: Sequence[DialSample], counts: RecordedCounts, *, named: bool) -> None:
    for label, sample in samples:
        if file is not None:
            file.add(row(label if named else None, sample))
        counts.samples += 1
        counts.failed += not isinstance(sample, Reading)
