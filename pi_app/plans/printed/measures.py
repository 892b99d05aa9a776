"""Measure one part's mesh: walls, bridges, bores. Lengths in mm, independent of the square's numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pi_app.plans.printed.solid import Floats, Solid, block, grown, joined, polygon, triangles

DEEPEST: float = 8.0
"""Walls thicker than this are not measured."""
_EACH: float = 4.0
"""Square millimetres of a face per sample."""
_OPPOSITE: float = -0.5
"""Two faces make a wall if their directions differ by more than 120 degrees."""


def thinnest_wall(solid: Solid) -> float:
    """The shortest way through the part from any face, straight in, to an opposite face."""
    corners, normals = _faces(solid)
    thinnest = DEEPEST
    for at, normal in _samples(corners, normals):
        start, end = (at - 1e-5 * normal).tolist(), (at - thinnest * normal).tolist()
        for hit in solid.ray_cast(start, end)[:1]:
            if float(np.dot(hit.normal, normal)) < _OPPOSITE:
                thinnest = float(np.linalg.norm(np.array(hit.position) - at))
    return thinnest


def _faces(solid: Solid) -> tuple[Floats, Floats]:
    """Corners and outward normals of all triangles that have an area."""
    corners = triangles(solid)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    double = np.linalg.norm(normals, axis=1)
    large = double > 1e-6
    return corners[large], normals[large] / double[large, None]


def _samples(corners: Floats, normals: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Points spread over all faces (1, 4, 9 and so on, by the face's area), with the face's normal."""
    first, along, across = corners[:, 0], corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    parts = 1 + np.sqrt(np.linalg.norm(np.cross(along, across), axis=1) / 2 / _EACH).astype(int)
    for count in np.unique(parts):
        mine = parts == count
        for i in range(count):
            for j in range(count - i):
                b, c = (i + 1 / 3) / count, (j + 1 / 3) / count
                yield from zip(first[mine] + b * along[mine] + c * across[mine], normals[mine], strict=True)


def widest_bridge(lying: Solid) -> float:
    """How far plastic must span in the air if the part is printed as it lies: the width of the widest face above the
    bed that faces down more steeply than 45 degrees."""
    hanging = _hanging(lying)
    if not len(hanging):
        return 0.0
    below = joined([polygon(face[::-1, :2]) for face in hanging])
    low, high = 0.0, 30.0
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if grown(below, -middle / 2).is_empty() else (middle, high)
    return high


def _hanging(lying: Solid) -> Floats:
    """The triangles above the bed that face down."""
    corners, normals = _faces(lying)
    down: Floats = corners[(normals[:, 2] < -0.72) & (corners[:, :, 2].min(axis=1) > 0.05)]
    return down


def begun_in_the_air(lying: Solid) -> int:
    """How many pieces of layers have nothing below them if the part is printed as it lies."""
    heights = np.unique(np.round(_hanging(lying)[:, :, 2], 2))
    return sum(
        float((piece ^ lying.slice(height - 0.02)).area()) < 1e-3
        for height in heights.tolist()
        for piece in lying.slice(height + 0.02).decompose()
    )


def bore(solid: Solid, height: float) -> float:
    """Diameter of the round hole in the middle at this height."""
    inside = block(polygon(((-15, -15), (15, -15), (15, 15), (-15, 15))), height, height + 0.2) - solid
    hole = min((part for part in inside.decompose() if _holds_middle(part)), key=lambda part: float(part.volume()))
    flat = hole.slice(height + 0.1)
    return 2 * float(np.sqrt(flat.area() / np.pi))


def _holds_middle(part: Solid) -> bool:
    low_x, low_y, _, high_x, high_y, _ = part.bounding_box()
    return bool(low_x < 0 < high_x and low_y < 0 < high_y)


def ceiling(solid: Solid, x: float, y: float) -> float:
    """Height of the first face above (x, y, -50)."""
    return float(solid.ray_cast((x, y, -50.0), (x, y, 150.0))[0].position[2])
