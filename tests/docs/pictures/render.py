"""Render solids from their triangles: orthographic, flat shading, hidden surfaces removed.

A picture is an array of rows, columns and RGBA. It has no background, so it shows on light and on dark pages.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pi_app.plans.printed.solid import Floats

FINER: Final = 3
"""Oversampling, to smooth the edges."""
LIGHT: Final = (-0.45, 0.35, 0.82)
"""Direction to the light: right, up, towards the viewer."""
LINE: Final = (24, 30, 38)
Pixels = NDArray[np.uint8]
Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Look:
    """The viewpoint: `round_deg` counter-clockwise from the south, `up_deg` above the table. `scale`: pixels per mm."""

    round_deg: float = 30.0
    up_deg: float = 35.0
    scale: float = 8.0

    def axes(self) -> Floats:
        """Rows: right, up, towards the viewer."""
        turn, rise = np.radians(self.round_deg), np.radians(self.up_deg)
        eye = np.array([np.sin(turn) * np.cos(rise), -np.cos(turn) * np.cos(rise), np.sin(rise)])
        right = np.array([np.cos(turn), np.sin(turn), 0.0])
        return np.array([right, np.cross(eye, right), eye])


@dataclass(frozen=True, slots=True)
class Shot:
    """A rendered picture that can locate points in mm."""

    pixels: Pixels
    look: Look
    left: float
    upper: float

    def place(self, point: tuple[float, float, float]) -> tuple[float, float]:
        """Pixels from the left and from the top."""
        right, up, _ = self.look.axes() @ np.array(point)
        return float((right - self.left) * self.look.scale), float((self.upper - up) * self.look.scale)


def shot(bodies: Sequence[tuple[Floats, Colour | None]], look: Look, margin_mm: float = 1.0) -> Shot:
    """Render bodies, each with its triangles and colour. Without a colour a body is a hole: it hides what lies behind
    it, and is transparent itself."""
    axes = look.axes()
    seen = [corners @ axes.T for corners, _ in bodies]
    flat = np.concatenate([corners.reshape(-1, 3) for corners in seen])
    left, upper = flat[:, 0].min() - margin_mm, flat[:, 1].max() + margin_mm
    width = round((flat[:, 0].max() + margin_mm - left) * look.scale) * FINER
    height = round((upper - flat[:, 1].min() + margin_mm) * look.scale) * FINER
    depth = np.full((height, width), -np.inf)
    paint = np.zeros((height, width, 3))
    facing = np.zeros((height, width, 3))
    body = np.full((height, width), -1, dtype=np.int32)
    for number, (corners, (_, colour)) in enumerate(zip(seen, bodies, strict=True)):
        pixels = (corners - (left, upper, 0)) * (look.scale * FINER, -look.scale * FINER, 1)
        for triangle, normal in zip(pixels, _normals(corners), strict=True):
            if normal[2] > 1e-6:
                _fill(triangle, normal, number, np.array(colour or LINE) * _shade(normal), depth, paint, facing, body)
    holes = [number for number, (_, colour) in enumerate(bodies) if colour is None]
    return Shot(_finished(depth, paint, facing, body, holes, look.scale), look, float(left), float(upper))


def _normals(corners: Floats) -> Floats:
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    made: Floats = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-12)
    return made


def _shade(normal: Floats) -> float:
    light = np.array(LIGHT) / np.linalg.norm(LIGHT)
    return float(0.46 + 0.56 * max(0.0, float(normal @ light)))


def _fill(
    triangle: Floats, normal: Floats, number: int, colour: Floats,
    depth: Floats, paint: Floats, facing: Floats, body: NDArray[np.int32],
) -> None:  # fmt: skip
    low = np.maximum(np.floor(triangle[:, :2].min(axis=0)).astype(int), 0)
    high = np.minimum(np.ceil(triangle[:, :2].max(axis=0)).astype(int) + 1, (depth.shape[1], depth.shape[0]))
    if (high <= low).any():
        return
    x, y = np.arange(low[0], high[0]) + 0.5, (np.arange(low[1], high[1]) + 0.5)[:, None]
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = triangle
    area = (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)
    if abs(area) < 1e-9:
        return
    at_b = ((x - ax) * (cy - ay) - (y - ay) * (cx - ax)) / area
    at_c = ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / area
    away = az + at_b * (bz - az) + at_c * (cz - az)
    rows, columns = slice(low[1], high[1]), slice(low[0], high[0])
    mine = (at_b >= -1e-9) & (at_c >= -1e-9) & (at_b + at_c <= 1 + 1e-9) & (away > depth[rows, columns])
    depth[rows, columns][mine] = away[mine]
    paint[rows, columns][mine] = colour
    facing[rows, columns][mine] = normal
    body[rows, columns][mine] = number


def _finished(
    depth: Floats, paint: Floats, facing: Floats, body: NDArray[np.int32], holes: Sequence[int], scale: float
) -> Pixels:
    """Draw lines where bodies, depths or normals change, then downsample."""
    there = (body >= 0) & ~np.isin(body, holes)
    line = np.zeros(body.shape, dtype=bool)
    far = np.where(there, depth, -1e6)
    for axis in (0, 1):
        here = tuple(slice(None, -1) if axis == n else slice(None) for n in (0, 1))
        beyond = tuple(slice(1, None) if axis == n else slice(None) for n in (0, 1))
        edge = body[here] != body[beyond]
        edge |= (facing[here] * facing[beyond]).sum(axis=2) < 0.8
        edge |= np.abs(far[here] - far[beyond]) > 0.5
        line[here] |= edge
        line[beyond] |= edge
    line &= there
    colour = np.where(line[..., None], paint * 0.25 + np.array(LINE) * 0.75, paint)
    rows, columns = body.shape[0] // FINER, body.shape[1] // FINER
    cut = (rows, FINER, columns, FINER)
    solid = there[: rows * FINER, : columns * FINER].reshape(cut).mean(axis=(1, 3))
    total = (colour * there[..., None])[: rows * FINER, : columns * FINER].reshape((*cut, 3)).mean(axis=(1, 3))
    shown = total / np.maximum(solid, 1e-9)[..., None]
    pixels = np.concatenate([shown, solid[..., None] * 255], axis=2)
    made: Pixels = np.clip(np.rint(pixels), 0, 255).astype(np.uint8)
    made[made[..., 3] == 0] = 0
    return made


# ------------------------------------------------------------------------------------------------------- PNG


def png(pixels: Pixels) -> bytes:
    """A picture as a PNG file."""
    rows, columns = pixels.shape[:2]
    lines = np.concatenate([np.zeros((rows, 1), dtype=np.uint8), pixels.reshape(rows, -1)], axis=1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)
    chunks = (_chunk(b"IHDR", head), _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
