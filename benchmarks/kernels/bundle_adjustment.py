"""Reprojection errors of bundle adjustment, and their Jacobian by observation blocks.

A camera has a rotation (axis times angle), a centre, a focal length, a principal point
and two radial distortions; an observation says where a camera saw a point, and has a
weight. The error of an observation depends on its own camera, point and weight only, so
the Jacobian is a block of shape (2, 11 + 3 + 1) for each.

Source: F. Srajer, Z. Kukelova, A. Fitzgibbon, A benchmark of selected algorithmic
differentiation tools on some problems in computer vision and machine learning,
Optimization Methods and Software 33 (2018).
"""

import numpy as np

import s2sad
from benchmarks.kernels.kernel import Kernel, timed


def projection_errors(cameras, points, weights, features):
    """Errors (p, 2) of p observations: (p, 11), (p, 3), (p,), (p, 2)."""
    rotation = cameras[:, :3]
    angle = np.sqrt(np.sum(rotation**2, axis=1, keepdims=True))
    axis = rotation / angle
    moved = points - cameras[:, 3:6]
    cosine, sine = np.cos(angle), np.sin(angle)
    along = np.sum(axis * moved, axis=1, keepdims=True) * (1.0 - cosine)
    rotated = moved * cosine + np.cross(axis, moved) * sine + axis * along
    plane = rotated[:, :2] / rotated[:, 2:]
    square = np.sum(plane**2, axis=1)
    radial = 1.0 + cameras[:, 9] * square + cameras[:, 10] * square**2
    seen = plane * (radial * cameras[:, 6])[:, None] + cameras[:, 7:9]
    return weights[:, None] * (seen - features)


def errors(cameras, points, weights, observations, features):
    """Errors of observations (p, 2) of cameras (n, 11) and points (m, 3)."""
    return projection_errors(
        cameras[observations[:, 0]], points[observations[:, 1]], weights, features
    )


def jacobian_blocks(cameras, points, weights, observations, features):
    """The blocks, of shape (p, 2, 15), from one pullback for each row of a block."""
    _, pullback = s2sad.vjp(
        projection_errors,
        cameras[observations[:, 0]],
        points[observations[:, 1]],
        weights,
        features,
    )
    blocks = np.empty((len(weights), 2, 15))
    for row in range(2):
        seed = np.zeros((len(weights), 2))
        seed[:, row] = 1.0
        cameras_bar, points_bar, weights_bar, _ = pullback(seed)
        blocks[:, row, :11] = cameras_bar
        blocks[:, row, 11:14] = points_bar
        blocks[:, row, 14] = weights_bar
    return blocks


def jacobian_blocks_by_hand(cameras, points, weights, observations, features):
    cameras, points = cameras[observations[:, 0]], points[observations[:, 1]]
    rotation = cameras[:, :3]
    angle = np.sqrt(np.sum(rotation**2, axis=1, keepdims=True))
    axis = rotation / angle
    moved = points - cameras[:, 3:6]
    cosine, sine = np.cos(angle), np.sin(angle)
    inner = np.sum(axis * moved, axis=1, keepdims=True)
    rest = 1.0 - cosine
    along = inner * rest
    crossed = np.cross(axis, moved)
    rotated = moved * cosine + crossed * sine + axis * along
    depth = rotated[:, 2:]
    plane = rotated[:, :2] / depth
    square = np.sum(plane**2, axis=1)
    radial = 1.0 + cameras[:, 9] * square + cameras[:, 10] * square**2
    focal = cameras[:, 6]
    scale = radial * focal
    seen = plane * scale[:, None] + cameras[:, 7:9]
    difference = seen - features
    slope = focal * (cameras[:, 9] + 2.0 * cameras[:, 10] * square)

    blocks = np.zeros((len(weights), 2, 15))
    for row in range(2):
        block = blocks[:, row]
        block[:, 14] = difference[:, row]
        block[:, 7 + row] = weights
        scale_bar = weights * plane[:, row]
        block[:, 6] = scale_bar * radial
        radial_bar = scale_bar * focal
        block[:, 9] = radial_bar * square
        block[:, 10] = radial_bar * square**2
        plane_bar = (2.0 * scale_bar * slope)[:, None] * plane
        plane_bar[:, row] += weights * scale
        rotated_bar = np.empty_like(rotated)
        rotated_bar[:, :2] = plane_bar / depth
        rotated_bar[:, 2] = -np.sum(rotated_bar[:, :2] * plane, axis=1)
        crossed_bar = rotated_bar * sine
        along_bar = np.sum(rotated_bar * axis, axis=1, keepdims=True)
        inner_bar = along_bar * rest
        moved_bar = rotated_bar * cosine + np.cross(crossed_bar, axis)
        moved_bar += inner_bar * axis
        axis_bar = rotated_bar * along + np.cross(moved, crossed_bar)
        axis_bar += inner_bar * moved
        cosine_bar = np.sum(rotated_bar * moved, axis=1, keepdims=True)
        cosine_bar -= along_bar * inner
        sine_bar = np.sum(rotated_bar * crossed, axis=1, keepdims=True)
        axis_bar /= angle
        angle_bar = sine_bar * cosine - cosine_bar * sine
        angle_bar -= np.sum(axis_bar * axis, axis=1, keepdims=True)
        block[:, :3] = axis_bar + angle_bar * axis
        block[:, 3:6] = -moved_bar
        block[:, 11:14] = moved_bar
    return blocks


def error(camera, point, weight, feature):
    """The error of one observation: (11,), (3,), a number, (2,)."""
    rotation = camera[:3]
    moved = point - camera[3:6]
    square_angle = np.sum(rotation**2)
    if square_angle != 0.0:
        angle = np.sqrt(square_angle)
        axis = rotation / angle
        cosine, sine = np.cos(angle), np.sin(angle)
        along = np.dot(axis, moved) * (1.0 - cosine)
        rotated = moved * cosine + np.cross(axis, moved) * sine + axis * along
    else:
        rotated = moved + np.cross(rotation, moved)
    plane = rotated[:2] / rotated[2]
    square = np.sum(plane**2)
    radial = 1.0 + camera[9] * square + camera[10] * square**2
    return weight * (plane * (radial * camera[6]) + camera[7:9] - feature)


def errors_in_a_loop(cameras, points, weights, observations, features):
    return np.stack(
        [
            error(cameras[camera], points[point], weights[k], features[k])
            for k, (camera, point) in enumerate(observations)
        ]
    )


_block = s2sad.jacobian(error, (0, 1, 2))


def jacobian_blocks_in_a_loop(cameras, points, weights, observations, features):
    blocks = np.empty((len(weights), 2, 15))
    for k, (camera, point) in enumerate(observations):
        found = _block(cameras[camera], points[point], weights[k], features[k])
        blocks[k, :, :11], blocks[k, :, 11:14], blocks[k, :, 14] = found
    return blocks


def _skew(v):
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def jacobian_blocks_in_a_loop_by_hand(cameras, points, weights, observations, features):
    blocks = np.empty((len(weights), 2, 15))
    for k, (camera_place, point_place) in enumerate(observations):
        camera, block = cameras[camera_place], blocks[k]
        moved = points[point_place] - camera[3:6]
        rotation = camera[:3]
        square_angle = rotation @ rotation
        if square_angle != 0.0:
            angle = np.sqrt(square_angle)
            axis = rotation / angle
            cosine, sine = np.cos(angle), np.sin(angle)
            inner = axis @ moved
            skew = _skew(axis)
            crossed = skew @ moved
            along = inner * (1.0 - cosine)
            rotated = moved * cosine + crossed * sine + axis * along
            by_point = cosine * np.eye(3) + sine * skew
            by_point += (1.0 - cosine) * np.outer(axis, axis)
            by_axis = -sine * _skew(moved) + along * np.eye(3)
            by_axis += (1.0 - cosine) * np.outer(axis, moved)
            by_angle = cosine * crossed + sine * (inner * axis - moved)
            by_rotation = by_axis / angle
            by_rotation += np.outer(by_angle - by_rotation @ axis, axis)
        else:
            by_point = np.eye(3) + _skew(rotation)
            rotated = by_point @ moved
            by_rotation = -_skew(moved)
        plane = rotated[:2] / rotated[2]
        square = plane @ plane
        radial = 1.0 + camera[9] * square + camera[10] * square**2
        scaled = (weights[k] * camera[6]) * plane
        slope = 2.0 * (camera[9] + 2.0 * camera[10] * square)
        by_plane = slope * np.outer(scaled, plane)
        by_plane[0, 0] += weights[k] * camera[6] * radial
        by_plane[1, 1] += weights[k] * camera[6] * radial
        by_rotated = np.empty((2, 3))
        by_rotated[:, :2] = by_plane / rotated[2]
        by_rotated[:, 2] = -(by_rotated[:, :2] @ plane)
        block[:, :3] = by_rotated @ by_rotation
        block[:, 11:14] = by_rotated @ by_point
        block[:, 3:6] = -block[:, 11:14]
        block[:, 6] = weights[k] * radial * plane
        block[0, 7], block[0, 8], block[1, 7], block[1, 8] = (
            weights[k],
            0,
            0,
            weights[k],
        )
        block[:, 9] = square * scaled
        block[:, 10] = square**2 * scaled
        seen = plane * (radial * camera[6]) + camera[7:9]
        block[:, 14] = seen - features[k]
    return blocks


def data(rng, p, n, m):
    cameras = np.empty((n, 11))
    cameras[:, :3] = 0.3 * rng.normal(size=(n, 3))
    cameras[:, 3:6] = rng.normal(size=(n, 3))
    cameras[:, 6] = 500.0 + 50.0 * rng.random(n)
    cameras[:, 7:9] = rng.normal(size=(n, 2))
    cameras[:, 9:] = 0.01 * rng.normal(size=(n, 2))
    points = rng.normal(size=(m, 3)) + np.array([0.0, 0.0, 15.0])
    observations = np.stack(
        [rng.integers(0, n, size=p), rng.integers(0, m, size=p)], axis=1
    )
    return (
        cameras,
        points,
        0.5 + rng.random(p),
        observations,
        10.0 * rng.normal(size=(p, 2)),
    )


KERNELS = (
    Kernel(
        "bundle_adjustment",
        errors,
        jacobian_blocks_by_hand,
        data,
        timed((100, 20, 500), 1_000, 30_000, tiny=(5, 3, 4)),
        derivative=jacobian_blocks,
        wanted="Jacobian by blocks",
    ),
    Kernel(
        "bundle_adjustment_in_a_loop",
        errors_in_a_loop,
        jacobian_blocks_in_a_loop_by_hand,
        data,
        timed((10, 5, 20), 30, 100, tiny=(5, 3, 4)),
        derivative=jacobian_blocks_in_a_loop,
        wanted="Jacobian by blocks",
    ),
)
