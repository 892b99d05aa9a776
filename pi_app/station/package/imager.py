"""Print the list that Raspberry Pi Imager reads: `python -m pi_app.station.package.imager IMAGE.img.xz ADDRESS`.

ADDRESS is the folder on the web where the image will lie.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import lzma
import sys
from pathlib import Path
from typing import Final

CHUNK: Final = 1 << 20
DEVICES: Final = ("pi4-64bit", "pi5-64bit")


def entry(image: Path, address: str, released: datetime.date) -> dict[str, object]:
    """Return the entry of one image, which is compressed with xz. Raises OSError, EOFError and lzma.LZMAError."""
    packed, unpacked, size = hashlib.sha256(image.read_bytes()), hashlib.sha256(), 0
    with lzma.open(image) as opened:
        while chunk := opened.read(CHUNK):
            unpacked.update(chunk)
            size += len(chunk)
    return {
        "name": "Trapdial demo station",
        "description": "Reads the dials of 3D dungeon trap squares, and plays with whoever comes",
        "url": f"{address.rstrip('/')}/{image.name}",
        "release_date": released.isoformat(),
        "extract_size": size,
        "extract_sha256": unpacked.hexdigest(),
        "image_download_size": image.stat().st_size,
        "image_download_sha256": packed.hexdigest(),
        "devices": list(DEVICES),
    }


def main(words: list[str]) -> int:
    """Print the list for an image. Returns the exit code."""
    if len(words) != 2:
        sys.stderr.write("Say: python -m pi_app.station.package.imager IMAGE.img.xz ADDRESS\n")
        return 2
    try:
        made = entry(Path(words[0]), words[1], datetime.datetime.now(datetime.UTC).date())
    except (OSError, EOFError, lzma.LZMAError) as trouble:
        sys.stderr.write(f"{words[0]}: it cannot be read ({trouble}). Name an image that is compressed with xz.\n")
        return 2
    sys.stdout.write(json.dumps({"os_list": [made]}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
