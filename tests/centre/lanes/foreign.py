"""A witness that others wrote (aics-witness, from PyPI) takes our checkpoints, and our centre takes those of a log that
the same foreign programs write, sign and hand in with their own client.

The foreign programs need Python 3.12 or later and live in a virtual environment of their own.
"""

from __future__ import annotations

import contextlib
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

from pi_app.centre.settings import FILE
from pi_app.journal.cosigned import cosigner_key
from pi_app.journal.record.checkpoints import cosigned_at, record_key, signed_checkpoint
from pi_app.journal.record.keys import device_key
from pi_app.journal.record.merkle import consistency_proof, root_of
from pi_app.journal.record.notes import SIGNS_NOTES, SignedNote, VerifierKey, read_signatures
from pi_app.journal.record.witness_protocol import SIZE_TYPE, AddCheckpoint
from pi_app.sender.client import CentreReply, HttpClient
from pi_app.sender.outbox import Outbox
from pi_app.sender.pace import SendingPace
from pi_app.sender.witness_asker import WitnessAsker
from pi_app.workshop.bench.centre.centre_process import CentreProcess, free_port
from tests.centre.real_table import RealTable
from tests.pages.figures import Figures
from tests.pi_app.centre.records import entries_of
from tests.programs import CannotRun, cache, ran

WITNESS: Final = "aics-witness==0.1.0"
SEED: Final = bytes(range(7, 39))
ORIGIN: Final = "foreign.example/log"
GROWS: Final = {True: 20, False: 300}
STARTS_S: Final = 60.0

LOG: Final = """
import json, sys
from aics_tlog import Checkpoint, MerkleTree, sign_checkpoint, vkey_from_ed25519, format_vkey
from aics_witness.feeder import WitnessClient, WitnessConflict, WitnessRejected
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
asked = json.loads(sys.stdin.read())
key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(asked["seed"]))
def submit(tree, size, proof=None):
    note = sign_checkpoint(Checkpoint(asked["origin"], size, tree.root(size)), key, asked["origin"])
    client = WitnessClient(asked["url"], asked["witness"], max_attempts=2)
    try:
        return client.submit(note.to_bytes(), proof or tree.consistency_proof).count("\\n")
    except WitnessRejected as refused:
        return {"status": refused.status}
    except WitnessConflict as conflict:
        return {"size": conflict.known_size}
tree = MerkleTree(b"leaf %d" % number for number in range(asked["grows"] * 3))
other = MerkleTree(b"other %d" % number for number in range(asked["grows"] * 3 + 5))
last = asked["grows"] * 3
print(json.dumps({
    "grew": [submit(tree, 3 * number) for number in range(1, asked["grows"] + 1)],
    "again": submit(tree, last),
    "rollback": submit(tree, last - 1),
    "fork": submit(other, last + 5),
    "same size": submit(other, last),
}))
"""


def run(figures: Figures, *, short: bool) -> None:
    """Both ways. Raises CannotRun where the foreign programs cannot be had."""
    python = environment()
    with tempfile.TemporaryDirectory() as inside:
        _ours_to_theirs(figures, python, Path(inside), short=short)
        _theirs_to_ours(figures, python, Path(inside), GROWS[short])


def environment() -> Path:
    """Return the Python of the environment with the foreign programs; make it once."""
    folder = cache() / f"foreign-{WITNESS.replace('==', '-')}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        found = next(filter(_is_new_enough, _pythons()), None)
        if found is None:
            raise CannotRun("there is no Python 3.12 or later with the module venv")
        ran([found, "-m", "venv", "--clear", str(folder)])
        ran([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", WITNESS])
        (folder / "ready").touch()
    return python


def _pythons() -> Sequence[str]:
    kept = sorted(glob.glob(os.path.expanduser("~/.pyenv/versions/3.1[2-9].*/bin/python3")), reverse=True)
    return [sys.executable, *(f"python3.{minor}" for minor in (13, 12, 14)), *kept]


def _is_new_enough(python: str) -> bool:
    asks = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 12))"
    with contextlib.suppress(OSError):
        return subprocess.run([python, "-c", asks], capture_output=True, check=False).returncode == 0
    return False


# ------------------------------------------------------------------------------------------- our table, their witness


def _ours_to_theirs(figures: Figures, python: Path, folder: Path, *, short: bool) -> None:
    table = RealTable(folder / "table")
    table.play(4)
    leaves = [leaf for *_, leaf in entries_of(table.path)]
    with foreign_witness(python, folder, record_key(table.key.public)) as (url, key):
        client = HttpClient(url)

        def asks(old: int, size: int, root: bytes | None = None) -> CentreReply:
            note = signed_checkpoint(table.key, size, root or root_of(leaves[:size]))
            proof = tuple(consistency_proof(leaves[:size], old)) if old else ()
            return client.post("add-checkpoint", AddCheckpoint(old, proof, note).written())

        def is_cosigned(reply: CentreReply, size: int) -> bool:
            note = signed_checkpoint(table.key, size, root_of(leaves[:size]))
            lines = tuple(read_signatures(reply.body.decode())) if reply.status == HTTPStatus.OK else ()
            return cosigned_at(SignedNote(note.text, (*note.signatures, *lines)), key) is not None

        first, grown = asks(0, 9), asks(9, 20)
        figures.holds("their witness cosigns our checkpoints (200), and we read its lines", is_so=(
            is_cosigned(first, 9) and is_cosigned(grown, 20)
        ))  # fmt: skip
        again = asks(20, 20)
        figures.holds("the same once more (200)", is_so=is_cosigned(again, 20))
        back, gap = asks(9, 12), asks(0, 24)
        figures.holds("a step back and a gap: 409 with the size", is_so=all(
            (each.status, each.body, each.kind) == (409, b"20\n", SIZE_TYPE) for each in (back, gap)
        ))  # fmt: skip
        figures.holds("a second history: 422", is_so=asks(20, 20, bytes(32)).status == 422)
        began_s = time.monotonic()
        asker = WitnessAsker(Outbox(table.path, table.key), client, key, lambda: len(leaves), SendingPace())
        sizes = [asker.step().size for _ in range(3)]
        figures.holds("the sender finds its place and has the rest cosigned", is_so=sizes[-1] == len(leaves))
        figures.note(f"three steps of the sender took {1_000 * (time.monotonic() - began_s):.0f} ms")
        kept = table.newest(key)
        figures.holds("the cosignature lies beside the journal", is_so=kept is not None)


@contextlib.contextmanager
def foreign_witness(python: Path, folder: Path, own: VerifierKey) -> Iterator[tuple[str, VerifierKey]]:
    """Run their witness, which knows the log with this key; yield its address and its key."""
    config, port = folder / "witness" / "witness.json", free_port()
    config.parent.mkdir()
    program = [str(python), "-m", "aics_witness"]
    named = ["--config", str(config)]
    vkey = subprocess.run(
        [*program, "init", *named, "--name", "witness.example/w1", "--listen", f"127.0.0.1:{port}"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    ran([*program, "add-log", *named, "--origin", own.name, "--vkey", own.text()])
    serving = subprocess.Popen([*program, "serve", *named], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await(f"http://127.0.0.1:{port}/")
        yield f"http://127.0.0.1:{port}/", cosigner_key(vkey)
    finally:
        serving.terminate()
        serving.wait()


def _await(url: str) -> None:
    until_s = time.monotonic() + STARTS_S
    while True:
        try:
            with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(url, timeout=5):
                pass
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.05)
        else:
            return


# ------------------------------------------------------------------------------------------- their log, our witness


def _theirs_to_ours(figures: Figures, python: Path, folder: Path, grows: int) -> None:
    centre = CentreProcess(folder / "centre")
    log = VerifierKey(ORIGIN, SIGNS_NOTES, device_key(SEED).public)
    file = centre.folder / FILE
    with file.open("a", encoding="utf-8") as more:
        more.write(f"\n[[witness_only]]\nkey = {json.dumps(log.text())}\n")
    centre.start()
    try:
        asked = {
            "seed": SEED.hex(), "origin": ORIGIN, "url": centre.settings.url, "witness": centre.key.verifier.text(),
            "grows": grows,
        }  # fmt: skip
        began_s = time.monotonic()
        done = subprocess.run(
            [str(python), "-c", LOG], input=json.dumps(asked), capture_output=True, text=True, check=False
        )
        if done.returncode:
            figures.note(done.stderr[-600:])
            figures.holds("the foreign log could ask", is_so=False)
            return
        found = json.loads(done.stdout)
        took_ms = 1_000 * (time.monotonic() - began_s) / (grows + 4)
    finally:
        centre.stop()
    with contextlib.closing(centre.opened()) as store:
        evidence = [each.origin for each in store.evidence.all()]
    figures.holds(f"our centre cosigns a foreign log that grows {grows} times", is_so=found["grew"] == [1] * grows)
    figures.holds("the same once more", is_so=found["again"] == 1)
    figures.holds("a step back: 409 with the size", is_so=found["rollback"] == {"size": 3 * grows})
    figures.holds("a fork: 422", is_so=found["fork"] == {"status": 422})
    figures.holds("another root at the same size: 422", is_so=found["same size"] == {"status": 422})
    figures.least("kept as evidence", len(evidence), 1)
    figures.note(f"{took_ms:.1f} ms for each checkpoint, foreign client included")
