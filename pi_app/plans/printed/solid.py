"""Solids and flat outlines; the only module that uses manifold3d. All lengths in mm.

Closed solids stay closed when they are joined or cut: the library guarantees it. Circles are polygons with the first
corner at angle 0, as in OpenSCAD, and corners at all four sides.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

import manifold3d
import numpy as np
from numpy.typing import NDArray

FEWEST_SIDES, MOST_SIDES = 24, 96
SIDE_MM: Final = 0.4
OFFSET_SIDES: Final = 48

Solid = Any
"""manifold3d.Manifold; the library has no type hints."""
Flat = Any
"""manifold3d.CrossSection."""
Floats = NDArray[np.float64]
Point = tuple[float, float]


def facets(diameter: float) -> int:
    """The number of sides of a circle."""
    return 4 * math.ceil(min(max(math.pi * diameter / SIDE_MM, FEWEST_SIDES), MOST_SIDES) / 4)


def disc(diameter: float, at: Point = (0, 0)) -> Flat:
    """A filled circle."""
    return manifold3d.CrossSection.circle(diameter / 2, facets(diameter)).translate(at)


def rectangle(left: float, bottom: float, right: float, top: float) -> Flat:
    return manifold3d.CrossSection.square((right - left, top - bottom)).translate((left, bottom))


def middle_square(side: float) -> Flat:
    """A square around the middle."""
    return rectangle(-side / 2, -side / 2, side / 2, side / 2)


def polygon(points: Iterable[Point]) -> Flat:
    """A filled polygon, corners counter-clockwise."""
    return manifold3d.CrossSection([np.array([*points], dtype=np.float64)])


def hull(flats: Sequence[Flat]) -> Flat:
    """The convex hull of all outlines."""
    return manifold3d.CrossSection.batch_hull(list(flats))


def joined(flats: Sequence[Flat]) -> Flat:
    return manifold3d.CrossSection.batch_boolean(list(flats), manifold3d.OpType.Add)


def grown(flat: Flat, by: float) -> Flat:
    """Every side moved outwards, or inwards if below 0; convex corners become round."""
    return flat.offset(by, manifold3d.JoinType.Round, circular_segments=OFFSET_SIDES)


def block(flat: Flat, bottom: float, top: float) -> Solid:
    """A flat outline extruded from one height to another."""
    return flat.extrude(top - bottom).translate((0, 0, bottom))


def cone(low: float, high: float, bottom: float, top: float, at: Point, sides: int) -> Solid:
    """A cone between two diameters."""
    made = manifold3d.Manifold.cylinder(top - bottom, low / 2, high / 2, sides)
    return made.translate((*at, bottom))


def union(solids: Iterable[Solid]) -> Solid:
    return manifold3d.Manifold.batch_boolean([*solids], manifold3d.OpType.Add)


def from_triangles(corners: Floats) -> Solid:
    """The solid inside triangles of shape (n, 3, 3); empty, with a status, if they do not close."""
    points, order = np.unique(corners.reshape(-1, 3).astype(np.float32), axis=0, return_inverse=True)
    return manifold3d.Manifold(manifold3d.Mesh(points, order.reshape(-1, 3).astype(np.uint32)))


def is_whole(solid: Solid) -> bool:
    """Whether the solid is closed, and not empty."""
    return solid.status() == manifold3d.Error.NoError and not solid.is_empty()


def triangles(solid: Solid) -> Floats:
    """The corners of all triangles, counter-clockwise from outside: shape (n, 3, 3)."""
    mesh = solid.to_mesh64()
    corners: Floats = np.asarray(mesh.vert_properties, dtype=np.float64)[:, :3][np.asarray(mesh.tri_verts)]
    return corners


def outlines(flat: Flat) -> list[Floats]:
    """The closed lines of a flat outline, each of shape (n, 2)."""
    return [np.asarray(way, dtype=np.float64) for way in flat.to_polygons()]


def bounds(solid: Solid) -> tuple[Floats, Floats]:
    """The least and the largest x, y and z."""
    box = np.array(solid.bounding_box(), dtype=np.float64)
    return box[:3], box[3:]
