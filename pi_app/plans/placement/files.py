"""Load a map from a file or from the samples that ship."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pi_app.plans.placement.dungeon import Dungeon
from pi_app.plans.placement.reading import SIZE_ADVICE, read
from pi_app.text.errors import UserFileError
from pi_app.text.plain_file import NotPlainError, open_plain

LARGEST_BYTES: Final = 3_000_000
SAMPLE_PREFIX: Final = "sample:"
EXAMPLES: Final = Path(__file__).resolve().parents[2] / "settings" / "examples"
EMPTY: Final = EXAMPLES / "dungeon-new.txt"


def load(source: str) -> Dungeon:
    """The dungeon of a file, or of a sample as in `sample:SAMPLE-cellar`. Raises UserFileError with every problem."""
    return read(_text(path_of(source), source), source)


def path_of(source: str) -> Path:
    """The file behind a source. Raises UserFileError if no such sample ships."""
    if not source.startswith(SAMPLE_PREFIX):
        return Path(source)
    found = {path.stem: path for path in EXAMPLES.glob("SAMPLE-*.txt")}
    name = source.removeprefix(SAMPLE_PREFIX)
    if name not in found:
        raise UserFileError.at(source, "", "no such map ships", f"There are {', '.join(sorted(found))}")
    return found[name]


def _text(path: Path, name: str) -> str:
    try:
        with open_plain(path) as file:
            data = file.read(LARGEST_BYTES + 1)
    except NotPlainError as trouble:
        raise UserFileError.at(name, "", f"it is {trouble}", "Name a text file with a map") from None
    except FileNotFoundError:
        raise UserFileError.at(
            name, "", "there is no such file", "Check the name, or write trapdial place new"
        ) from None
    except (OSError, ValueError) as trouble:
        reason = getattr(trouble, "strerror", None) or trouble
        raise UserFileError.at(
            name, "", f"it cannot be read ({reason})", "Check the name and who may read it"
        ) from None
    return decoded(data, name)


def decoded(data: bytes, name: str) -> str:
    """Decode UTF-8, with or without a byte-order mark. Raises UserFileError for anything else."""
    if len(data) > LARGEST_BYTES:
        raise UserFileError.at(name, "", "it is larger than 3 MB", SIZE_ADVICE)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UserFileError.at(name, "", "it is written in UTF-16", "Save it again as UTF-8")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as trouble:
        line = data.count(b"\n", 0, trouble.start) + 1
        raise UserFileError.at(name, f"line {line}", "it is not UTF-8 text", "Save it again as UTF-8") from None
