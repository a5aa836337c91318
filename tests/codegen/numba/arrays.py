"""Programs of whole arrays."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

normal = np.random.default_rng(0).normal


class Line(NamedTuple):
    slope: np.ndarray
    offset: float


@dataclass
class Scaled:
    weights: np.ndarray
    scales: tuple


def network(params, x, y):
    hidden = np.tanh(x @ params["w1"] + params["b1"])
    out = hidden @ params["w2"] + params["b2"]
    return np.mean((out - y) ** 2)


def cross_entropy(w, x, labels):
    z = x @ w
    z = z - np.max(z, axis=1, keepdims=True)
    logs = np.log(np.sum(np.exp(z), axis=1))
    return -np.sum(z[np.arange(z.shape[0]), labels] - logs)


def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    a = np.exp(s - s.max(axis=-1, keepdims=True))
    a = a / a.sum(axis=-1, keepdims=True)
    return np.sum((a @ v) ** 2)


def clusters(centres, x):
    d = np.sum((x[:, None, :] - centres[None, :, :]) ** 2, axis=2)
    return np.sum(np.min(d, axis=1))


def gaussian_process(length, x, y):
    d = (x[:, None] - x[None, :]) ** 2
    K = np.exp(-d / length**2) + 0.1 * np.eye(len(x))
    L = np.linalg.cholesky(K)
    return 0.5 * y @ np.linalg.solve(K, y) + np.sum(np.log(np.diag(L)))


def lstm(w, xs, h, c):
    n = h.shape[0]
    for t in range(xs.shape[0]):
        g = np.concatenate((xs[t], h)) @ w
        i = 1.0 / (1.0 + np.exp(-g[:n]))
        f = 1.0 / (1.0 + np.exp(-g[n : 2 * n]))
        o = 1.0 / (1.0 + np.exp(-g[2 * n : 3 * n]))
        c = f * c + i * np.tanh(g[3 * n :])
        h = o * np.tanh(c)
    return np.sum(h * h)


def normalised(x, scale):
    mean = np.mean(x, axis=0)
    deviation = np.sqrt(np.mean((x - mean) ** 2, axis=0) + 1e-5)
    return np.sum(np.tanh(scale * (x - mean) / deviation))


def embedded(table, places, other):
    rows = table[places]
    return np.sum(rows * other) + np.sum(table[places, other_places()] ** 2)


def other_places():
    return np.array([0, 1, 0])


def masked(x):
    y = x.copy()
    y[y < 0.0] = 0.1
    z = np.where(x > 0.3, x * y, np.abs(x))
    return np.sum(np.clip(z, 0.0, 0.8) * np.maximum(x, 0.0)) + np.sum(x[x > 0.0])


def written(x, y):
    z = np.zeros_like(x)
    z[1:] = x[:-1] * 2.0
    z[0] += 3.0 * x[2]
    z *= y
    np.add.at(z, np.array([0, 1, 0]), y[:3])
    return np.sum(z**2)


def products(a, b, x):
    batch = np.stack((a, b)) @ b
    flat = batch.reshape(-1)[1:]
    return (
        np.sum(batch**2)
        + np.sum(flat * flat)
        + np.dot(x, a @ x)
        + np.sum(np.outer(x, x) * a.T)
        + np.trace(np.linalg.inv(b))
    )


def dotted(line, scaled, x):
    y = np.tanh(line.slope * x) + line.offset
    return np.sum(scaled.weights * y) * scaled.scales[0] + scaled.scales[1] ** 2


def of_unknown_lengths(x, n):
    a = np.zeros(n)
    b = np.ones(n // 2)
    return np.sum((a + b) * x) + np.sum((b + a) * x)


MATRIX = normal(size=(3, 3)) + 3.0 * np.eye(3)

CASES = [
    (
        network,
        (
            {
                "w1": normal(size=(3, 4)),
                "b1": normal(size=4),
                "w2": normal(size=(4, 2)),
                "b2": normal(size=2),
            },
            normal(size=(5, 3)),
            normal(size=(5, 2)),
        ),
        0,
    ),
    (
        cross_entropy,
        (normal(size=(3, 4)), normal(size=(5, 3)), np.array([0, 1, 2, 3, 0])),
        0,
    ),
    (
        attention,
        (normal(size=(4, 3)), normal(size=(5, 3)), normal(size=(5, 2))),
        (0, 1, 2),
    ),
    (clusters, (normal(size=(3, 2)), normal(size=(7, 2))), (0, 1)),
    (gaussian_process, (1.2, normal(size=5), normal(size=5)), (0, 1)),
    (
        lstm,
        (normal(size=(4, 8)), normal(size=(3, 2)), normal(size=2), normal(size=2)),
        (0, 2),
    ),
    (normalised, (normal(size=(6, 3)), normal(size=3)), (0, 1)),
    (embedded, (normal(size=(6, 3)), np.array([1, 5, 1]), normal(size=(3, 3))), 0),
    (masked, (np.array([0.5, -0.4, 0.2, 1.5, -2.0]),), 0),
    (written, (normal(size=5), normal(size=5)), (0, 1)),
    (products, (MATRIX, MATRIX.T @ MATRIX, normal(size=3)), (0, 1, 2)),
    (
        dotted,
        (Line(normal(size=3), 0.5), Scaled(normal(size=3), (1.0, 2.0)), normal(size=3)),
        (0, 1),
    ),
    (of_unknown_lengths, (normal(size=3), 3), 0),
]
