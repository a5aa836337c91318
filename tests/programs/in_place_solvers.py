"""Linear algebra and differential equations that work in the arrays they are given."""

import math

import numpy as np

from tests.programs.registry import normal, program, uniform

SPD = normal(21, 4, 4) @ normal(21, 4, 4).T + 4.0 * np.eye(4)
SQUARE = normal(22, 4, 4) + 4.0 * np.eye(4)


@program(SPD, normal(23, 4), wrt=("a", "b"))
def cholesky_in_place(a, b):
    """Factors the lower triangle of a copy, then solves forward in the right side."""
    a, b = 0.5 * (a + a.T), b.copy()
    n = len(a)
    for k in range(n):
        a[k, k] = np.sqrt(a[k, k])
        a[k + 1 :, k] /= a[k, k]
        for j in range(k + 1, n):
            a[j:, j] -= a[j:, k] * a[j, k]
    for i in range(n):
        b[i] -= a[i, :i] @ b[:i]
        b[i] /= a[i, i]
    return b @ b + 2.0 * np.sum(np.log(np.diag(a)))


@program(SPD, wrt="matrix", scalar=True)
def cholesky_of_lists(matrix):
    """Cholesky and Banachiewicz on lists of lists, by elements."""
    n = len(matrix)
    low = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1):
            rest = matrix[i, j]
            for k in range(j):
                rest -= low[i][k] * low[j][k]
            low[i][j] = math.sqrt(rest) if i == j else rest / low[j][j]
    return sum(row[i] * (i + 1) for i, row in enumerate(low)) + low[-1][0] ** 2


@program(SQUARE, normal(24, 4), wrt=("a", "b"))
def lu_with_pivots(a, b):
    """Gauss elimination in place, with rows exchanged by index."""
    a, b = a[::-1].copy(), b.copy()
    n = len(b)
    for k in range(n - 1):
        pivot = k + int(np.argmax(np.abs(a[k:, k])))
        if pivot != k:
            a[[k, pivot]] = a[[pivot, k]]
            b[k], b[pivot] = b[pivot], b[k]
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
        b[k + 1 :] -= a[k + 1 :, k] * b[k]
    x = np.zeros(n)
    for k in reversed(range(n)):
        x[k] = (b[k] - a[k, k + 1 :] @ x[k + 1 :]) / a[k, k]
    return x @ x


@program(normal(25, 5, 3), normal(26, 5), wrt=("a", "b"))
def householder_qr(a, b):
    """Least squares: reflections turn both sides in place."""
    r, y = a.copy(), b.copy()
    for k in range(r.shape[1]):
        v = r[k:, k].copy()
        v[0] += np.sign(v[0]) * np.sqrt(np.sum(v**2))
        v /= np.sqrt(np.sum(v**2))
        r[k:, k:] -= 2.0 * np.outer(v, v @ r[k:, k:])
        y[k:] -= 2.0 * v * (v @ y[k:])
    n = r.shape[1]
    for k in range(n - 1, -1, -1):
        y[k] = (y[k] - r[k, k + 1 :] @ y[k + 1 : n]) / r[k, k]
    return np.sum(y[:n] ** 2) + 3.0 * np.sum(y[n:] ** 2)


@program(normal(27, 4, 3), wrt="a")
def gram_schmidt(a):
    """Modified Gram and Schmidt: columns are views that become orthonormal."""
    q = a.copy()
    norms = []
    for k in range(q.shape[1]):
        column = q[:, k]
        norms.append(np.sqrt(column @ column))
        column /= norms[-1]
        for other in q.T[k + 1 :]:
            other -= (column @ other) * column
    return norms[0] * norms[1] ** 2 * norms[2] + np.sum(q[0] ** 3)


@program(SPD, normal(28, 4), 1.2, wrt=("a", "b", "omega"))
def successive_over_relaxation(a, b, omega):
    """Gauss and Seidel with relaxation: each unknown is used as soon as it is known."""
    x = np.zeros_like(b)
    for sweep in range(6):
        for i in range(len(b)):
            rest = b[i] - a[i, :i] @ x[:i] - a[i, i + 1 :] @ x[i + 1 :]
            x[i] += omega * (rest / a[i, i] - x[i])
    return np.sum(x**2) + x[0]


@program(uniform(29, 3.0, 4.0, 5), normal(30, 5), normal(31, 4), wrt=("d", "r", "u"))
def thomas_in_place(d, r, u):
    """A tridiagonal system; diagonal and right side are overwritten."""
    d, r = d.copy(), r.copy()
    low = 0.5 * u
    for k in range(1, len(d)):
        factor = low[k - 1] / d[k - 1]
        d[k] -= factor * u[k - 1]
        r[k] -= factor * r[k - 1]
    r[-1] /= d[-1]
    for k in range(len(d) - 2, -1, -1):
        r[k] = (r[k] - u[k] * r[k + 1]) / d[k]
    return np.sum(r**2) + np.sum(np.log(d))


@program(normal(32, 5, 6), 0.2, wrt=("u", "conductivity"))
def heat_ping_pong(u, conductivity):
    """The two-dimensional heat equation, between two buffers."""
    now, after = u.copy(), u.copy()
    for step in range(5):
        after[1:-1, 1:-1] = now[1:-1, 1:-1] + conductivity * (
            now[2:, 1:-1]
            + now[:-2, 1:-1]
            + now[1:-1, 2:]
            + now[1:-1, :-2]
            - 4.0 * now[1:-1, 1:-1]
        )
        after[0], after[-1] = after[1], after[-2]
        now, after = after, now
    return np.sum(now**2) + np.sum(now[2] * after[2])


@program(normal(33, 8), 0.4, wrt=("u", "courant"), scalar=True)
def burgers_by_elements(u, courant):
    """Upwind differences in one array, which is read before it is overwritten."""
    u = 1.5 + np.tanh(u)
    for step in range(3):
        left = u[0]
        for i in range(1, len(u)):
            kept = u[i]
            u[i] = u[i] - courant * 0.5 * (u[i] ** 2 - left**2)
            left = kept
        u[0] = u[-1]
    return sum(value**2 for value in u)


@program(normal(34, 7), normal(35, 7), 0.3, wrt=("shape", "speed", "c"))
def wave_three_buffers(shape, speed, c):
    """A string with fixed ends; the oldest of three arrays is overwritten."""
    old, now, new = shape.copy(), shape.copy(), np.zeros_like(shape)
    old[[0, -1]] = now[[0, -1]] = 0.0
    now[1:-1] += 0.1 * speed[1:-1]
    energy = 0.0
    for step in range(6):
        new[1:-1] = 2.0 * now[1:-1] - old[1:-1]
        new[1:-1] += c * c * np.diff(now, 2)
        energy += np.sum((new - now) ** 2)
        old, now, new = now, new, old
    return energy


@program(normal(36, 8), normal(37, 8), wrt=("real", "imag"))
def fft_of_reals(real, imag):
    """Cooley and Tukey's butterflies, in two arrays of reals and in place."""
    n = len(real)
    order = [0, 4, 2, 6, 1, 5, 3, 7]
    re, im = real[order], imag[order]
    size = 2
    while size <= n:
        half = size // 2
        angle = -2.0 * np.pi * np.arange(half) / size
        cos, sin = np.cos(angle), np.sin(angle)
        for start in range(0, n, size):
            top, low = slice(start, start + half), slice(start + half, start + size)
            t = cos * re[low] - sin * im[low]
            s = cos * im[low] + sin * re[low]
            re[low], im[low] = re[top] - t, im[top] - s
            re[top] += t
            im[top] += s
        size *= 2
    return np.sum(np.sqrt(1.0 + re**2 + im**2))


@program(100.0, 0.2, 0.03, 105.0, wrt=("spot", "volatility", "rate", "strike"))
def american_put(spot, volatility, rate, strike):
    """A binomial tree whose nodes are overwritten level by level."""
    steps, dt = 6, 0.1
    up = math.exp(volatility * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1.0 / up) / (up - 1.0 / up)
    discount = math.exp(-rate * dt)
    prices = np.array([spot * up ** (2 * j - steps) for j in range(steps + 1)])
    values = np.maximum(strike - prices, 0.0)
    for level in range(steps, 0, -1):
        values[:level] = p * values[1 : level + 1] + (1.0 - p) * values[:level]
        values[:level] *= discount
        prices[:level] = prices[:level] * up
        np.maximum(values[:level], strike - prices[:level], out=values[:level])
    return values[0]


@program(normal(38, 4), normal(39, 4, 4), wrt=("x", "a"))
def jacobi_rotations(x, a):
    """Rotations of rows and columns make a symmetric matrix nearly diagonal."""
    s = a + a.T + np.diag(3.0 * np.arange(4.0) + x)
    for p in range(3):
        for q in range(p + 1, 4):
            angle = 0.5 * np.arctan(2.0 * s[p, q] / (s[q, q] - s[p, p] + 0.1))
            c, d = np.cos(angle), np.sin(angle)
            rows = np.array([[c, -d], [d, c]])
            s[[p, q]] = rows @ s[[p, q]]
            s[:, [p, q]] = s[:, [p, q]] @ rows.T
    return np.sum(np.diagonal(s) ** 3) + s[0, 3]


@program(uniform(40, 0.5, 1.0, 3, 3), wrt="kernel")
def convolution_by_loops(kernel):
    """An image is padded, filtered and pooled into preallocated arrays."""
    image = np.zeros((6, 6))
    image[1:-1, 1:-1] = np.arange(16.0).reshape(4, 4) / 8.0 - kernel[0, 0]
    filtered = np.empty((4, 4))
    for i in range(4):
        for j in range(4):
            filtered[i, j] = np.sum(image[i : i + 3, j : j + 3] * kernel)
    pooled = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            pooled[i, j] = np.max(filtered[2 * i : 2 * i + 2, 2 * j : 2 * j + 2])
    pooled -= pooled.mean()
    return np.sum(pooled**2)
