"""Errors of a skinned hand, and their Jacobian.

A pose has a global rotation (axis times angle), a translation and four angles for each
of five fingers. The bones form a kinematic tree; a vertex of the surface moves with the
bones by its weights. The simple model compares vertices with measured points; the
complicated one points on triangles, whose barycentric coordinates are parameters too:
each error depends on its own two only, so that two directions hold all of that part of
the Jacobian.

Source: F. Srajer, Z. Kukelova, A. Fitzgibbon, A benchmark of selected algorithmic
differentiation tools on some problems in computer vision and machine learning,
Optimization Methods and Software 33 (2018).
"""

import numpy as np

import s2sad
from benchmarks.kernels.kernel import Kernel, timed

BONES = 22
PARENTS = (-1, 0, 1, 2, 3, 4, 1, 6, 7, 8, 1, 10, 11, 12, 1, 14, 15, 16, 1, 18, 19, 20)
"""Two bones of the arm, then four for each finger."""


def rotation_of_angles(x, z, y):
    """The matrix of turns about x, then y, then z."""
    cx, sx = np.cos(x), np.sin(x)
    cy, sy = np.cos(y), np.sin(y)
    cz, sz = np.cos(z), np.sin(z)
    return np.array(
        [
            [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
            [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy],
        ]
    )


def rotation_of_axis(r):
    """The matrix of a turn about r by the angle |r|."""
    angle = np.sqrt(np.sum(r**2))
    if angle < 0.0001:
        return np.eye(3)
    x, y, z = r / angle
    s, c = np.sin(angle), np.cos(angle)
    return np.array(
        [
            [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
            [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
            [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
        ]
    )


def vertices(theta, relatives, inverses, weights, positions):
    """Positions (v, 3) of the surface: pose (26,), bones (22, 4, 4) relative to their
    parents and inverted at rest, weights (v, 22), positions at rest (v, 4)."""
    angles = np.zeros((BONES, 3))
    place = 6
    for finger in range(5):
        bone = 2 + 4 * finger
        angles[bone, 0] = theta[place]
        angles[bone, 1] = theta[place + 1]
        angles[bone + 1, 0] = theta[place + 2]
        angles[bone + 2, 0] = theta[place + 3]
        place += 4
    absolutes = []
    posed = np.zeros((len(positions), 3))
    for bone in range(BONES):
        turn = np.eye(4)
        turn[:3, :3] = rotation_of_angles(*angles[bone])
        absolute = relatives[bone] @ turn
        if PARENTS[bone] >= 0:
            absolute = absolutes[PARENTS[bone]] @ absolute
        absolutes.append(absolute)
        transform = absolute @ inverses[bone]
        posed += weights[:, bone, None] * (positions @ transform[:3].T)
    return posed @ rotation_of_axis(theta[:3]).T + theta[3:6]


def errors(theta, relatives, inverses, weights, positions, chosen, points):
    """Errors (n, 3) of the vertices chosen."""
    posed = vertices(theta, relatives, inverses, weights, positions)
    return points - posed[chosen]


def errors_on_triangles(
    theta, us, relatives, inverses, weights, positions, triangles, points
):
    """Errors (n, 3) of points on triangles (n, 3), at coordinates ``us`` (n, 2)."""
    posed = vertices(theta, relatives, inverses, weights, positions)
    last = 1.0 - us[:, 0] - us[:, 1]
    return points - (
        us[:, :1] * posed[triangles[:, 0]]
        + us[:, 1:] * posed[triangles[:, 1]]
        + last[:, None] * posed[triangles[:, 2]]
    )


simple_jacobian = s2sad.jacobian(errors)


def errors_of_moved_points(
    theta, moved, us, relatives, inverses, weights, positions, triangles, points
):
    """The same with all coordinates moved by as much (2,)."""
    return errors_on_triangles(
        theta, us + moved, relatives, inverses, weights, positions, triangles, points
    )


_by_theta = s2sad.jacobian(errors_on_triangles)
_by_move = s2sad.jacobian(errors_of_moved_points, "moved")


def jacobian_on_triangles(theta, us, *model):
    """Of shape (n, 3, 28): by the two coordinates of the point, and by the pose."""
    found = np.empty((len(us), 3, 28))
    found[:, :, :2] = _by_move(theta, np.zeros(2), us, *model)
    found[:, :, 2:] = _by_theta(theta, us, *model)
    return found


def _turn_by_x(x, z):
    """The matrix of turns about x, then z, and its derivatives."""
    cx, sx, cz, sz = np.cos(x), np.sin(x), np.cos(z), np.sin(z)
    turn = np.array([[cz, -cx * sz, sx * sz], [sz, cx * cz, -sx * cz], [0, sx, cx]])
    by_x = np.array([[0, sx * sz, cx * sz], [0, -sx * cz, -cx * cz], [0, cx, -sx]])
    by_z = np.array([[-sz, -cx * cz, sx * cz], [cz, -cx * sz, sx * sz], [0, 0, 0]])
    return turn, by_x, by_z


def _skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _rotation_and_derivatives(r):
    angle = np.sqrt(r @ r)
    if angle < 0.0001:
        return np.eye(3), np.zeros((3, 3, 3))
    axis = r / angle
    s, c = np.sin(angle), np.cos(angle)
    skew, square = _skew(axis), np.outer(axis, axis)
    rotation = c * np.eye(3) + (1.0 - c) * square + s * skew
    by_angle = s * (square - np.eye(3)) + c * skew
    derivatives = np.empty((3, 3, 3))
    for j in range(3):
        turned = -axis[j] * axis
        turned[j] += 1.0
        turned /= angle
        outer = np.outer(turned, axis)
        derivatives[j] = axis[j] * by_angle + (1.0 - c) * (outer + outer.T)
        derivatives[j] += s * _skew(turned)
    return rotation, derivatives


def vertices_and_jacobian(theta, relatives, inverses, weights, positions):
    """Positions, and their derivatives (26, v, 3). An angle moves the bones from its
    own to the tip of the finger."""
    jacobian = np.zeros((26, len(positions), 3))
    absolutes = []
    posed = np.zeros((len(positions), 3))
    place, moved = 6, []
    for bone in range(BONES):
        absolute = relatives[bone]
        in_finger = (bone - 2) % 4 if bone >= 2 else -1
        if in_finger == 0:
            moved = []
        if 0 <= in_finger < 3:
            z = theta[place + 1] if in_finger == 0 else 0.0
            turn, by_x, by_z = _turn_by_x(theta[place], z)
            lines = [by_x, by_z] if in_finger == 0 else [by_x]
            relative = absolute.copy()
            relative[:, :3] = absolute[:, :3] @ turn
        else:
            relative, lines = absolute, []
        parent = absolutes[PARENTS[bone]] if PARENTS[bone] >= 0 else np.eye(4)
        moved = [(k, dot @ relative) for k, dot in moved]
        for line in lines:
            dot = np.zeros((4, 4))
            dot[:, :3] = absolute[:, :3] @ line
            moved.append((place, parent @ dot))
            place += 1
        absolutes.append(parent @ relative)
        weight = weights[:, bone, None]
        local = positions @ inverses[bone].T
        posed += weight * (local @ absolutes[-1][:3].T)
        for k, dot in moved:
            jacobian[k] += weight * (local @ dot[:3].T)
    rotation, derivatives = _rotation_and_derivatives(theta[:3])
    jacobian[6:] = jacobian[6:] @ rotation.T
    for j in range(3):
        jacobian[j] = posed @ derivatives[j].T
        jacobian[3 + j, :, j] = 1.0
    return posed @ rotation.T + theta[3:6], jacobian


def errors_by_hand(theta, relatives, inverses, weights, positions, chosen, points):
    _, jacobian = vertices_and_jacobian(theta, relatives, inverses, weights, positions)
    return -np.moveaxis(jacobian[:, chosen], 0, 2)


def errors_on_triangles_by_hand(
    theta, us, relatives, inverses, weights, positions, triangles, points
):
    posed, jacobian = vertices_and_jacobian(
        theta, relatives, inverses, weights, positions
    )
    found = np.empty((len(us), 3, 28))
    a, b, c = triangles.T
    found[:, :, 0] = posed[c] - posed[a]
    found[:, :, 1] = posed[c] - posed[b]
    last = 1.0 - us[:, 0] - us[:, 1]
    mixed = us[:, :1] * jacobian[:, a] + us[:, 1:] * jacobian[:, b]
    mixed += last[:, None] * jacobian[:, c]
    found[:, :, 2:] = -np.moveaxis(mixed, 0, 2)
    return found


def _model(rng, v):
    theta = 0.3 * rng.normal(size=26)
    relatives = np.tile(np.eye(4), (BONES, 1, 1))
    inverses = np.empty_like(relatives)
    absolutes = []
    for bone in range(BONES):
        turn, _ = _rotation_and_derivatives(0.3 * rng.normal(size=3))
        relatives[bone, :3, :3] = turn
        relatives[bone, :3, 3] = rng.normal(size=3)
        parent = absolutes[PARENTS[bone]] if PARENTS[bone] >= 0 else np.eye(4)
        absolutes.append(parent @ relatives[bone])
        inverses[bone] = np.linalg.inv(absolutes[-1])
    weights = rng.random(size=(v, BONES)) ** 4
    weights /= np.sum(weights, axis=1, keepdims=True)
    positions = np.concatenate([rng.normal(size=(v, 3)), np.ones((v, 1))], axis=1)
    return theta, relatives, inverses, weights, positions


def simple_data(rng, n, v):
    chosen = rng.integers(0, v, size=n)
    return (*_model(rng, v), chosen, rng.normal(size=(n, 3)))


def complicated_data(rng, n, v):
    theta, *model = _model(rng, v)
    triangles = np.stack([rng.permutation(v)[:3] for _ in range(n)])
    us = rng.random(size=(n, 2)) / 2.0
    return (theta, us, *model, triangles, rng.normal(size=(n, 3)))


KERNELS = (
    Kernel(
        "hand_tracking_simple",
        errors,
        errors_by_hand,
        simple_data,
        timed((100, 544), 1_000, 10_000, tiny=(4, 7)),
        derivative=simple_jacobian,
        wanted="Jacobian",
    ),
    Kernel(
        "hand_tracking_complicated",
        errors_on_triangles,
        errors_on_triangles_by_hand,
        complicated_data,
        timed((100, 544), 1_000, 10_000, tiny=(4, 7)),
        derivative=jacobian_on_triangles,
        wanted="Jacobian",
    ),
)
