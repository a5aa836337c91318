"""Curves, polygons and meshes."""

import functools
import math
from dataclasses import dataclass
from itertools import combinations, cycle, islice, pairwise
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program

SQUARE = np.array([[0.0, 0.1], [1.2, 0.0], [1.0, 1.1], [0.2, 0.9]])


@program(SQUARE, wrt="corners", scalar=True)
def polygon_moments(corners):
    """Area and centroid of a polygon, by the shoelace formula."""
    area = cx = cy = 0.0
    closed = [*corners, corners[0]]
    for (x0, y0), (x1, y1) in pairwise(closed):
        wedge = x0 * y1 - x1 * y0
        area += wedge / 2.0
        cx += (x0 + x1) * wedge / 6.0
        cy += (y0 + y1) * wedge / 6.0
    if area == 0.0:
        raise ZeroDivisionError("a polygon without area")
    return np.array([area, cx / area, cy / area])


@program(SQUARE, 0.3, wrt=("points", "t"))
def bezier(points, t):
    """A point of a Bézier curve, by de Casteljau's recursion."""

    def casteljau(points):
        if len(points) == 1:
            return points[0]
        return casteljau((1.0 - t) * points[:-1] + t * points[1:])

    x, y = casteljau(points)
    return math.sqrt(x**2 + y**2)


@functools.lru_cache
def knots(count, degree):
    """Clamped uniform knots."""
    inner = count - degree
    return (
        *([0.0] * degree),
        *(k / inner for k in range(inner + 1)),
        *([1.0] * degree),
    )


@program(0.37, normal(120, 6), wrt=("t", "control"), scalar=True)
def b_spline(t, control, degree=2):
    """A spline from the Cox-de Boor recursion, and its squared value."""
    u = knots(len(control), degree)

    def basis(i, k):
        if k == 0:
            return 1.0 if u[i] <= t < u[i + 1] else 0.0
        left = right = 0.0
        if (width := u[i + k] - u[i]) > 0.0:
            left = (t - u[i]) / width * basis(i, k - 1)
        if (width := u[i + k + 1] - u[i + 1]) > 0.0:
            right = (u[i + k + 1] - t) / width * basis(i + 1, k - 1)
        return left + right

    value = sum(c * basis(i, degree) for i, c in enumerate(control))
    return value * value


@dataclass(frozen=True)
class Quaternion:
    """A rotation."""

    w: float
    x: float
    y: float
    z: float

    @staticmethod
    def about(axis, angle):
        s = math.sin(0.5 * angle)
        return Quaternion(math.cos(0.5 * angle), *(s * a for a in axis))

    @property
    def conjugate(self):
        return Quaternion(self.w, -self.x, -self.y, -self.z)

    def __mul__(self, o):
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    def rotate(self, point):
        turned = self * Quaternion(0.0, *point) * self.conjugate
        return turned.x, turned.y, turned.z


@program(Quaternion(1.0, 0.2, -0.1, 0.3), 0.6, wrt=("turn", "angle"), scalar=True)
def quaternion_chain(turn, angle):
    """Where a point goes under a chain of rotations."""
    point = (1.0, 0.5, -0.2)
    for axis in ((1.0, 0.0, 0.0), (0.0, 0.6, 0.8)):
        turn = turn * Quaternion.about(axis, angle)
        point = turn.rotate(point)
    x, y, z = point
    return x + y * z


@program(normal(121, 5, 2), 0.25, wrt=("loop", "rate"))
def curve_shortening(loop, rate):
    """Length of a closed curve after some smoothing."""
    for _ in range(3):
        before, after = np.roll(loop, 1, axis=0), np.roll(loop, -1, axis=0)
        loop = loop + rate * (before - 2.0 * loop + after)
    around = islice(cycle(loop), 1, len(loop) + 1)
    return sum(np.linalg.norm(b - a) for a, b in zip(loop, around))


@program(normal(122, 5, 3), wrt="vertices")
def mesh_energy(vertices):
    """Bending of a small mesh: angles between neighbouring triangles."""
    triangles = [(0, 1, 2), (1, 3, 2), (2, 3, 4)]

    def unit_normal(triangle):
        a, b, c = (vertices[k] for k in triangle)
        n = np.cross(b - a, c - a)
        return n / np.linalg.norm(n)

    energy = 0.0
    for t, s in combinations(triangles, 2):
        shared = {*t} & {*s}
        if len(shared) == 2:
            energy += 1.0 - np.dot(unit_normal(t), unit_normal(s))
    return energy


@program(
    (
        "union",
        ("sphere", 0.2, 0.3, 0.5),
        ("minus", ("box", 1.0, 0.8), ("sphere", 1, 0, 0.4)),
    ),
    (0.6, 1.1),
    wrt=("shape", "point"),
    scalar=True,
)
def signed_distance(shape, point):
    """Distance to a shape that is built from others, smoothly joined."""
    x, y = point

    def smooth_min(a, b):
        return -math.log(math.exp(-4.0 * a) + math.exp(-4.0 * b)) / 4.0

    def distance(shape):
        kind, *rest = shape
        if kind == "sphere":
            cx, cy, radius = rest
            return math.sqrt((x - cx) ** 2 + (y - cy) ** 2) - radius
        if kind == "box":
            width, height = rest
            return max(abs(x) - width, abs(y) - height)
        a, b = map(distance, rest)
        return smooth_min(a, b) if kind == "union" else -smooth_min(-a, b)

    return distance(shape)


class Interval(NamedTuple):
    """What lies between two numbers; it is false where that is nothing."""

    low: float
    high: float

    def __bool__(self):
        return self.low < self.high

    def __contains__(self, value):
        return self.low <= value <= self.high

    def __and__(self, other):
        return Interval(max(self.low, other.low), min(self.high, other.high))

    @property
    def length(self):
        return self.high - self.low


@program(
    [Interval(0.0, 1.0), Interval(0.4, 1.7), Interval(1.2, 2.0)],
    wrt="intervals",
    scalar=True,
)
def overlaps(intervals):
    """Squared overlaps of neighbours, and a bonus for those that hold a point."""
    total = 0.0
    for one, other in combinations(intervals, 2):
        if shared := one & other:
            total += shared.length**2
        else:
            total += 0.1 * (other.low - one.high)
        if 0.5 in one:
            total += 0.01 * one.length
    return total
