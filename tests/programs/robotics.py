"""Arms, vehicles and their control."""

import math
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np

from tests.programs.registry import normal, program


class Pose(NamedTuple):
    """Place and heading in the plane."""

    x: float
    y: float
    heading: float

    def __matmul__(self, other):
        """The other pose, given relative to this one, in the world."""
        c, s = math.cos(self.heading), math.sin(self.heading)
        return Pose(
            self.x + c * other.x - s * other.y,
            self.y + s * other.x + c * other.y,
            self.heading + other.heading,
        )

    def distance(self, x, y):
        return math.sqrt((self.x - x) ** 2 + (self.y - y) ** 2)


@program((0.4, -0.7, 0.9), (1.0, 0.8, 0.5), wrt=("angles", "lengths"), scalar=True)
def planar_arm(angles, lengths):
    """Distance of the tip of an arm from its target, and how far joints bend."""
    joints = [
        Pose(length * math.cos(a), length * math.sin(a), a)
        for a, length in zip(angles, lengths, strict=True)
    ]
    *_, tip = accumulate(joints, lambda pose, joint: pose @ joint)
    bending = sum(a**2 for a in angles)
    return tip.distance(1.2, 1.1) + 0.01 * bending


def rotation(axis, angle):
    """A rotation about a coordinate axis."""
    c, s = np.cos(angle), np.sin(angle)
    match axis:
        case "x":
            return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
        case "y":
            return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        case "z":
            return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    raise ValueError(f"no axis {axis}")


@program(np.array([0.3, -0.2, 0.5, 0.1]), 0.7, wrt=("angles", "link"))
def spatial_arm(angles, link):
    """Height of a chain of joints whose axes are named by a string."""
    orientation, tip = np.eye(3), np.zeros(3)
    for axis, angle in zip("zyxy", angles):
        orientation = orientation @ rotation(axis, angle)
        tip = tip + link * orientation[:, 2]
    return tip[2] ** 2 + np.linalg.norm(tip)


@dataclass(frozen=True)
class PID:
    """Gains of a controller."""

    p: float
    i: float
    d: float
    limit: float = 1.5

    def __call__(self, error, integral, slope):
        wanted = self.p * error + self.i * integral + self.d * slope
        return self.limit * math.tanh(wanted / self.limit)


@program(PID(2.0, 0.5, 0.4), 1.0, 15, wrt=("controller", "goal"), scalar=True)
def pid_control(controller, goal, n):
    """Squared error of a cart under a controller."""
    position = velocity = integral = 0.0
    cost = 0.0
    previous = None
    for _ in range(n):
        error = goal - position
        integral += 0.1 * error
        slope = 0.0 if previous is None else (error - previous) / 0.1
        force = controller(error, integral, slope)
        velocity += 0.1 * (force - 0.3 * velocity)
        position += 0.1 * velocity
        previous = error
        cost += error**2 + 0.01 * force**2
    return 0.1 * cost


@program(
    np.array([[1.0, 0.1], [0.0, 1.0]]),
    np.array([[0.0], [0.1]]),
    0.5,
    wrt=("a", "b", "effort"),
)
def riccati(a, b, effort):
    """Cost-to-go of a regulator, from a backward recursion."""
    q = np.diag([1.0, 0.2])
    r = np.array([[effort]])

    def sweep(p, steps):
        if not steps:
            return p
        gain = np.linalg.solve(r + b.T @ p @ b, b.T @ p @ a)
        return sweep(q + a.T @ p @ (a - b @ gain), steps - 1)

    start = np.array([1.0, -0.5])
    return start @ sweep(q, 5) @ start


@program(
    Pose(0.0, 0.0, 0.1),
    [("drive", 1.0), ("turn", 0.6), ("drive", 0.5, 0.2), ("stop",), ("drive", 9.0)],
    wrt=("pose", "commands"),
    scalar=True,
)
def vehicle(pose, commands):
    """Where a list of commands brings a vehicle."""
    driven = 0.0
    for command in commands:
        match command:
            case ("drive", distance):
                pose = pose @ Pose(distance, 0.0, 0.0)
            case ("drive", distance, bend):
                radius = distance / bend
                pose = pose @ Pose(
                    radius * math.sin(bend), radius * (1.0 - math.cos(bend)), bend
                )
            case ("turn", angle):
                pose = pose @ Pose(0.0, 0.0, angle)
                distance = 0.0
            case ("stop",):
                break
        driven += distance
    return pose.distance(2.0, 0.0) + 0.1 * driven**2


@program(normal(21, 5, 2), 0.3, 0.4, wrt=("path", "smoothness", "margin"))
def path_cost(path, smoothness, margin):
    """Length, bending and closeness to obstacles of a path between two points."""
    obstacles = {"tree": (0.5, 0.5), "rock": (-0.4, 0.2)}
    start, goal = np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    points = list(chain([start], path, [goal]))
    bends = [
        np.sum((before - 2.0 * here + after) ** 2)
        for before, here, after in zip(points, points[1:], points[2:])
    ]
    cost = smoothness * sum(bends)
    for name, centre in obstacles.items():
        weight = 2.0 if name == "tree" else 1.0
        for point in path:
            if (gap := np.linalg.norm(point - np.array(centre))) < 2.0 * margin:
                cost = cost + weight * (2.0 * margin - gap) ** 2
    return cost
