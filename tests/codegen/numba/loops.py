"""Programs of loops over numbers and elements, as people write them for Numba."""

import math

import numpy as np

DECAY = 0.9
WEIGHTS = np.array([0.5, -1.5, 2.0])


def running_product(x):
    p = 1.0
    for i in range(len(x)):
        p = p * x[i]
    return p


def rosenbrock(x):
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def leapfrog(q, p, m, steps, dt):
    """Bodies that attract each other."""
    n = q.shape[0]
    q = q.copy()
    p = p.copy()
    force = np.zeros((n, 2))
    for _ in range(steps):
        for i in range(n):
            for k in range(2):
                force[i, k] = 0.0
        for i in range(n):
            for j in range(n):
                if i != j:
                    dx = q[j, 0] - q[i, 0]
                    dy = q[j, 1] - q[i, 1]
                    r = math.sqrt(dx * dx + dy * dy + 0.1)
                    force[i, 0] += m[i] * m[j] * dx / r**3
                    force[i, 1] += m[i] * m[j] * dy / r**3
        for i in range(n):
            for k in range(2):
                p[i, k] += dt * force[i, k]
                q[i, k] += dt * p[i, k] / m[i]
    energy = 0.0
    for i in range(n):
        energy += (p[i, 0] ** 2 + p[i, 1] ** 2) / (2.0 * m[i])
    return energy


def lotka(x, y, a, b):
    return a * x - b * x * y, 0.5 * b * x * y - y


def runge_kutta(start, a, b, n, dt):
    x, y = start, 1.0
    for _ in range(n):
        k1x, k1y = lotka(x, y, a, b)
        k2x, k2y = lotka(x + 0.5 * dt * k1x, y + 0.5 * dt * k1y, a, b)
        k3x, k3y = lotka(x + 0.5 * dt * k2x, y + 0.5 * dt * k2y, a, b)
        k4x, k4y = lotka(x + dt * k3x, y + dt * k3y, a, b)
        x = x + dt / 6.0 * (k1x + 2.0 * k2x + 2.0 * k3x + k4x)
        y = y + dt / 6.0 * (k1y + 2.0 * k2y + 2.0 * k3y + k4y)
    return x * x + y


def kalman(observed, q, r):
    """The negative log-likelihood of a local level."""
    mean, variance, total = 0.0, 10.0, 0.0
    for t in range(observed.shape[0]):
        variance = variance + q
        s = variance + r
        error = observed[t] - mean
        total += 0.5 * (np.log(2.0 * np.pi * s) + error**2 / s)
        gain = variance / s
        mean = mean + gain * error
        variance = (1.0 - gain) * variance
    return total


def hidden_markov(logits, emitted):
    """The scaled forward algorithm for two states."""
    stay = 1.0 / (1.0 + np.exp(-logits[0]))
    likely = 1.0 / (1.0 + np.exp(-logits[1]))
    a, b, total = 0.5, 0.5, 0.0
    for t in range(len(emitted)):
        if emitted[t] == 1:
            ea, eb = likely, 1.0 - likely
        else:
            ea, eb = 1.0 - likely, likely
        new_a = (a * stay + b * (1.0 - stay)) * ea
        new_b = (a * (1.0 - stay) + b * stay) * eb
        scale = new_a + new_b
        a, b = new_a / scale, new_b / scale
        total = total + math.log(scale)
    return total


def heat(u, steps, k):
    """An explicit stencil in place."""
    u = u.copy()
    for _ in range(steps):
        left = u[0]
        for i in range(1, len(u) - 1):
            here = u[i]
            u[i] = u[i] + k * (left - 2.0 * here + u[i + 1])
            left = here
    total = 0.0
    for i in range(len(u)):
        total += u[i] ** 3
    return total


def normal_distribution(x):
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


def black_scholes(prices, strike, rate, sigma, years):
    total = 0.0
    for i in range(prices.shape[0]):
        root = sigma * math.sqrt(years)
        d1 = (math.log(prices[i] / strike) + (rate + 0.5 * sigma**2) * years) / root
        d2 = d1 - root
        total += prices[i] * normal_distribution(d1)
        total -= strike * math.exp(-rate * years) * normal_distribution(d2)
    return total


def while_leaves_early(x):
    y = 1.0
    while y * y < 50.0:
        y = y * np.sin(x) + x
        if y > 6.0:
            break
        if y < 2.0:
            continue
        y = y * 1.1
    return y


def returns_early(x, n):
    for i in range(n):
        x = x * 1.5
        if x > 10.0:
            return x * x
    return x


def steps_downwards(x):
    total = 0.0
    for i in range(len(x) - 1, 0, -2):
        total = total * 0.5 + x[i] * x[i - 1]
        for j in range(1, i, 3):
            total += x[j] * total
    return total


def reads_module(x, n):
    t = 0.0
    for i in range(n):
        t = DECAY * t + math.exp(x[i] * WEIGHTS[i])
    return t


def several(a, x, b):
    for i in range(len(x)):
        a = a * x[i] + b
    return a


CASES = [
    (running_product, (np.array([1.0, 0.0, 3.0, -2.0]),), 0),
    (rosenbrock, (np.array([0.5, -1.0, 1.5, 0.3]),), 0),
    (
        leapfrog,
        (
            np.array([[0.0, 0.0], [1.0, 0.2], [-0.5, 1.0]]),
            np.array([[0.1, 0.0], [0.0, 0.3], [0.2, -0.1]]),
            np.array([1.0, 2.0, 0.5]),
            4,
            0.05,
        ),
        (0, 2),
    ),
    (runge_kutta, (1.2, 0.8, 0.4, 6, 0.1), (0, 1, 2)),
    (kalman, (np.array([0.3, 1.0, -0.4, 0.8]), 0.2, 0.7), (1, 2)),
    (hidden_markov, (np.array([0.3, -0.8]), np.array([1, 0, 0, 1])), 0),
    (heat, (np.linspace(0.0, 1.0, 7) ** 2, 3, 0.1), (0, 2)),
    (black_scholes, (np.array([90.0, 100.0, 120.0]), 100.0, 0.02, 0.3, 1.5), (0, 3)),
    (while_leaves_early, (1.3,), 0),
    (returns_early, (3.0, 5), 0),
    (steps_downwards, (np.linspace(0.2, 1.3, 8),), 0),
    (reads_module, (np.array([0.1, 0.4, -0.3]), 3), 0),
    (several, (1.5, np.array([0.5, 2.0]), 0.3), (0, 1, 2)),
]
