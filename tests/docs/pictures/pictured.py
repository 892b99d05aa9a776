"""Read our own PNG files back."""

from __future__ import annotations

import struct
import zlib

import numpy as np

from tests.docs.pictures.render import Pixels


def pixels_of(data: bytes) -> Pixels:
    """The pixels of a file from `render.png`: rows, columns, RGBA."""
    columns, rows = struct.unpack(">II", data[16:24])
    (length,) = struct.unpack(">I", data[33:37])
    lines = np.frombuffer(zlib.decompress(data[41 : 41 + length]), dtype=np.uint8).reshape(rows, 1 + 4 * columns)
    return lines[:, 1:].reshape(rows, columns, 4).copy()
