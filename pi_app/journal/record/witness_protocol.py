"""What a log and its witness say to each other (C2SP tlog-witness v1.1.0, `add-checkpoint`): bytes on both sides, and
the witness's decision. HTTP and stores are elsewhere.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from pi_app.journal.record.checkpoints import Checkpoint, is_signed, read_checkpoint, read_hash, read_size
from pi_app.journal.record.merkle import EMPTY_ROOT, proven_earlier_root, proves_consistency
from pi_app.journal.record.notes import SignedNote, VerifierKey, read_note, signatures_of
from pi_app.text.language import count_entries

MOST_STEPS: Final = 63
LARGEST_REQUEST: Final = 256 * 1024
SIZE_TYPE: Final = "text/x.tlog.size"
"""The content type of an answer that names the size of the latest cosigned checkpoint."""

_OLD: Final = "old "


@dataclass(frozen=True, slots=True)
class AddCheckpoint:
    """A request: `old`, the size that the witness has cosigned last; a consistency proof from there (RFC 6962); and the
    new checkpoint."""

    old: int
    proof: tuple[bytes, ...]
    note: SignedNote

    def written(self) -> bytes:
        """Write the body of the request."""
        steps = "".join(f"{base64.b64encode(step).decode()}\n" for step in self.proof)
        return f"{_OLD}{self.old}\n{steps}\n{self.note.written()}".encode()


def read_request(body: bytes) -> AddCheckpoint:
    """Read the body of a request. Raises ValueError with the reason."""
    if len(body) > LARGEST_REQUEST:
        raise ValueError(f"a request has at most {LARGEST_REQUEST:,} bytes, and this is longer")
    above, empty, below = body.partition(b"\n\n")
    if not empty:
        raise ValueError("no empty line stands before a checkpoint")
    try:
        first, *steps = above.decode("ascii").split("\n")
    except UnicodeDecodeError as error:
        raise ValueError("the lines before the checkpoint are not ASCII") from error
    if not first.startswith(_OLD):
        raise ValueError("its first line does not say which size is old")
    if len(steps) > MOST_STEPS:
        raise ValueError(f"a proof has at most {MOST_STEPS} lines, and this has {len(steps)}")
    note = read_note(below)
    read_checkpoint(note.text)
    return AddCheckpoint(read_size(first.removeprefix(_OLD)), tuple(map(read_hash, steps)), note)


class NotCosignedError(Exception):
    """A witness does not cosign. `status`: of the answer; `size`: what it has cosigned last, for CONFLICT.
    `contradicts`: the log's own key has signed what does not fit its history, which is evidence."""

    def __init__(self, status: HTTPStatus, why: str, *, size: int | None = None, contradicts: bool = False) -> None:
        self.status, self.why, self.size, self.contradicts = status, why, size, contradicts
        super().__init__(why)


def checked(asked: AddCheckpoint, keys: Sequence[VerifierKey], latest: Checkpoint | None) -> Checkpoint:
    """Return the checkpoint that a witness may cosign. `keys`: those that it trusts for this origin; none for an
    unknown one. `latest`: what it has cosigned last. Raises NotCosignedError."""
    new = read_checkpoint(asked.note.text)
    if not keys:
        raise NotCosignedError(HTTPStatus.NOT_FOUND, f"no log with the origin {new.origin[:100]!a} is known here")
    if not any(is_signed(asked.note, key) for key in keys) or _is_wrong(asked.note, keys):
        raise NotCosignedError(HTTPStatus.FORBIDDEN, "no key that is trusted for this log has signed the checkpoint")
    if asked.old > new.size:
        raise NotCosignedError(
            HTTPStatus.BAD_REQUEST, f"the old size {asked.old} is larger than the checkpoint's {new.size}"
        )
    size, root = (0, EMPTY_ROOT) if latest is None else (latest.size, latest.root)
    if asked.old != size:
        rewritten = latest is not None and new.size == size and new.root != root
        why = f"the latest cosigned checkpoint has {count_entries(size)}"
        raise NotCosignedError(HTTPStatus.CONFLICT, why, size=size, contradicts=rewritten)
    if not _grows(asked, new, size, root):
        why = f"the checkpoint of {count_entries(new.size)} does not continue that of {size}"
        shown = proven_earlier_root(asked.proof, size, new.size, root, new.root)
        rewritten = shown not in (None, root)  # a wrong proof alone shows nothing: anybody can send one
        raise NotCosignedError(HTTPStatus.UNPROCESSABLE_ENTITY, why, contradicts=rewritten)
    return new


def _is_wrong(note: SignedNote, keys: Sequence[VerifierKey]) -> bool:
    """Whether a line under a trusted key's name and id is wrong: such a note is malformed."""
    return any(signatures_of(note.signatures, key) and not is_signed(note, key) for key in keys)


def _grows(asked: AddCheckpoint, new: Checkpoint, size: int, root: bytes) -> bool:
    if new.size == 0 and new.root != EMPTY_ROOT:
        return False
    if size == 0:
        return not asked.proof
    return proves_consistency(asked.proof, size, new.size, root, new.root)
