"""The recorded files of the corpus (`test_corpus.py` tells where they are from), and the facts about each."""

from __future__ import annotations

import gzip
import json
import shutil
import tarfile
from pathlib import Path
from typing import Any, Final

from pi_app import journal as jn

CORPUS: Final = Path(__file__).with_name("corpus")
EXPECTED: Final[dict[str, Any]] = json.loads((CORPUS / "expected.json").read_text(encoding="utf-8"))
UNFINISHED: Final = "squares_unfinished.db"


def unpack(folder: Path) -> Path:
    """Put all files of the corpus into a folder."""
    with tarfile.open(CORPUS / "damaged.tar.xz") as damaged:
        for member in damaged:  # not extractall: the Python of Debian 12 has no `filter`, and newer ones ask for it
            content = damaged.extractfile(member)
            assert content is not None, member.name
            (folder / member.name).write_bytes(content.read())
    for packed in (CORPUS / "sound").glob("*.gz"):
        (folder / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    keys = jn.keys_of(folder / UNFINISHED).folder
    shutil.copytree(CORPUS / "sound" / keys.name, keys)
    keys.chmod(0o700)  # which git does not keep
    return folder
