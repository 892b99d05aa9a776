"""`python -m tests.attack.hostile`: hostile inputs before every reader, each share in a process of its own."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import click
import msgspec

from tests.attack.hostile.readers import readers
from tests.attack.hostile.running import SPECIAL, Share, run

PER_PROCESS: Final = 2_000


@click.command()
@click.option("--inputs", default=20_000, show_default=True, help="All readers together.")
@click.option("--only", help="One reader, by its name.")
@click.option("--first", default=0, help="With --only: the number of the first input.")
@click.option("--keep", type=click.Path(path_type=Path), help="A folder for the inputs that were not answered well.")
@click.option("--special", is_flag=True, help="Pipes, devices, folders, links and 5 GB, to each reader of files.")
@click.option("--share", is_flag=True, hidden=True)
def hostile(inputs: int, only: str | None, first: int, keep: Path | None, special: bool, share: bool) -> None:
    """Hand hostile inputs to every reader; exit code 1 if one is not answered, takes over 5 s or over 200 MB."""
    if keep is not None:
        keep.mkdir(exist_ok=True)
    chosen = [reader for reader in readers() if only in (None, reader.name)]
    if share:
        (reader,) = chosen
        sys.stdout.buffer.write(msgspec.json.encode(run(reader, range(first, first + inputs), keep)))
        return
    if special:
        chosen = [reader for reader in chosen if reader.special]
    weights = sum(reader.weight for reader in chosen)
    total = Share("all readers")
    click.echo(f"{'reader':<22} {'inputs':>9} {'accepted':>9} {'slowest s':>10} {'memory MB':>10}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for reader in chosen:
            last = first + -(-inputs * reader.weight // weights)
            parts = [range(at, min(at + PER_PROCESS, last)) for at in range(first, last, PER_PROCESS)]
            if special:
                parts = [range(-len(SPECIAL), 0)]
            sums = Share(reader.name)
            for part in pool.map(functools.partial(_share, reader.name, keep), parts):
                _add(sums, part)
            _add(total, sums)
            _print(sums)
    _print(total)
    for line in total.wrong:
        click.echo(line)
    click.echo(f"{total.inputs} hostile inputs, {len(total.wrong)} not answered as they should be")
    raise SystemExit(bool(total.wrong))


def _share(name: str, keep: Path | None, numbers: range) -> Share:
    call = [sys.executable, "-m", "tests.attack.hostile", "--share", "--only", name]
    call += ["--first", str(numbers.start), "--inputs", str(len(numbers))]
    done = subprocess.run(call + ([] if keep is None else ["--keep", str(keep)]), capture_output=True, check=False)
    try:
        return msgspec.json.decode(done.stdout, type=Share)
    except msgspec.MsgspecError:
        end = (done.stderr or done.stdout)[-800:].decode("utf-8", "replace")
        return Share(name, wrong=[f"{name} {numbers}: the process ended with {done.returncode}: {end}"])


def _add(total: Share, part: Share) -> None:
    total.inputs, total.accepted = total.inputs + part.inputs, total.accepted + part.accepted
    total.slowest_s, total.memory = max(total.slowest_s, part.slowest_s), max(total.memory, part.memory)
    total.wrong += part.wrong


def _print(share: Share) -> None:
    counts = f"{share.reader:<22} {share.inputs:>9,} {share.accepted:>9,}"
    click.echo(f"{counts} {share.slowest_s:>10.2f} {share.memory / 1e6:>10.0f}")


if __name__ == "__main__":
    hostile()
