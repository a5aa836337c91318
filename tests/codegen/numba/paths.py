"""Programs in which a variable is one thing on one path and another on another, and
calls that Numba doesn't know."""

import math

import numpy as np

PLACES = np.array([0, 2, 0, 1])
ROWS = np.array([0, 1, 0, 1])


def none_then_number(x):
    last = None
    total = 0.0
    for v in x:
        if last is not None:
            total += (v - last) ** 3
        last = v
    return total


def none_again(x):
    best = None
    total = 0.0
    for v in x:
        if best is None or v > best:
            best = v * v
        else:
            total += best * v
            best = None
    return total


def none_then_array(m):
    last = None
    total = 0.0
    for row in m:
        if last is not None:
            total += np.sum((row - last) ** 2)
        last = np.tanh(row)
    return total


def number_then_array(x):
    s = 0.0
    for i in range(3):
        s = s + x * i
    return np.sum(s * s)


def sums_of_rows(m):
    total = sum(row**2 for row in m)
    return total[1] * total[0]


def number_or_array(x, n):
    """A number where the loop doesn't run."""
    h = 0.5
    for _ in range(n):
        h = np.tanh(h + x)
    return np.sum(h * 2.0) + np.sum(x)


def added_at_places(x):
    v = np.zeros(3)
    v[PLACES] += x * x
    np.add.at(v, PLACES, x)
    return np.sum(v**2)


def stored_at_places(x):
    v = np.ones(3) * x[0]
    v[PLACES] = x * x
    return np.sum(v**3)


def stored_at_pairs(x):
    m = np.ones((2, 3)) * x[1]
    m[ROWS, PLACES] = x**2
    m[[0, 1]] = m[[1, 0]] * x[0]
    return np.sum(m**3)


def overlapping(x):
    """NumPy reads all of what is added before it adds."""
    v = x.copy()
    v[::-1] += v
    v[1:] += v[:-1] * v[1:]
    return np.sum(v**2)


def in_order(m):
    flat = np.sort(m[0] * m[1])
    return np.sum(np.sort(m, axis=0) * m) + flat[0] - np.median(m[:, 0])


def in_one_line(m):
    line = np.sort(m, axis=None)
    places = np.argsort(np.sin(7.0 * m), axis=None)
    return np.sum(line * np.arange(line.size)) + np.sum(m.ravel()[places] * line)


def turned_about(m):
    """What rearranges an array is read at other places."""
    turned = np.rot90(m, -1) * np.fliplr(np.swapaxes(m, 0, 1))
    return np.sum(turned * np.flipud(m.T)) + np.sum(np.expand_dims(m, (0, 2)) ** 2)


def ties(x):
    y = np.concatenate([x, x])
    return np.sum(np.sort(y) * np.arange(8.0)) + np.median(y) + np.prod(x)


def cumulated(m):
    first = np.cumsum(m, axis=0) + np.cumsum(m, axis=1) ** 2
    return np.sum(first) + np.sum(np.cumprod(m[0])) + np.sum(np.cumsum(m[:, 1]) ** 2)


def turned(m):
    turned = np.roll(m, 1, axis=0) * np.flip(m, axis=1) + np.flip(m)
    return np.sum(turned * np.roll(m[:, 0], -1)[:, None]) + np.sum(
        np.diff(m, 2, axis=0)
    )


def joined(x):
    rows = np.stack([x, x**2], axis=1)
    again = np.vstack([x, np.hstack([x[2:], x[:2]])])
    return np.sum(rows @ again) + np.sum(np.tile(x, 2) * np.arange(8.0))


def special(x):
    total = 0.0
    for v in x:
        total += math.lgamma(v) + math.erf(v)
    return total


def quietly(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        y = np.where(x > 0.5, np.log(x), 0.0)
    return np.sum(y * y)


def messages(x):
    if x[0] > 100.0:
        raise ValueError(f"{x[0]} is too much")
    assert x[1] < 100.0, f"{x[1]} is too much"
    return np.sum(x * x)


X = np.array([0.3, 1.4, 0.9, 1.1])
M = np.array([[0.4, -1.2, 0.7], [1.5, 0.2, -0.6], [-0.3, 0.9, 1.1]])
CASES = [
    (none_then_number, (X,)),
    (none_again, (X,)),
    (none_then_array, (M,)),
    (number_then_array, (X,)),
    (sums_of_rows, (M,)),
    (number_or_array, (X, 2)),
    (number_or_array, (X, 0)),
    (added_at_places, (X,)),
    (stored_at_places, (X,)),
    (stored_at_pairs, (X,)),
    (overlapping, (X,)),
    (in_order, (M,)),
    (in_one_line, (M,)),
    (turned_about, (M,)),
    (ties, (X,)),
    (cumulated, (M,)),
    (turned, (M,)),
    (joined, (X,)),
    (special, (X,)),
    (quietly, (X,)),
    (messages, (X,)),
]
