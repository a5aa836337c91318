"""Filters over time: the log-likelihood of a Kalman filter, and of a hidden Markov
model by the forward algorithm."""

import math

import numpy as np

from benchmarks.kernels.kernel import Kernel, timed


def kalman(f, q, h, r, observations):
    """Negative log-likelihood of observations (t, m): transition (d, d), its noise (d,
    d), what is seen (m, d), its noise (m, m)."""
    d = f.shape[0]
    x, p = np.zeros(d), np.eye(d)
    total = 0.0
    for z in observations:
        x = f @ x
        p = f @ p @ f.T + q
        s = h @ p @ h.T + r
        inverse = np.linalg.inv(s)
        innovation = z - h @ x
        weighted = inverse @ innovation
        total += np.log(np.linalg.det(s)) + innovation @ weighted
        gain = p @ h.T @ inverse
        x = x + gain @ innovation
        p = p - gain @ h @ p
    return 0.5 * (total + observations.size * math.log(2.0 * math.pi))


def kalman_grad(f, q, h, r, observations):
    d = f.shape[0]
    x, p = np.zeros(d), np.eye(d)
    kept = []
    for z in observations:
        x_old, p_old = x, p
        x = f @ x
        fp = f @ p
        p = fp @ f.T + q
        hp = h @ p
        pht = p @ h.T
        inverse = np.linalg.inv(hp @ h.T + r)
        innovation = z - h @ x
        weighted = inverse @ innovation
        gain = pht @ inverse
        kept.append(
            (x_old, p_old, x, p, fp, hp, pht, inverse, innovation, weighted, gain)
        )
        x = x + gain @ innovation
        p = p - gain @ hp
    f_bar, q_bar = np.zeros_like(f), np.zeros_like(q)
    h_bar, r_bar = np.zeros_like(h), np.zeros_like(r)
    x_bar, p_bar = np.zeros(d), np.zeros((d, d))
    while kept:
        x_old, p_old, x, p, fp, hp, pht, inverse, innovation, weighted, gain = (
            kept.pop()
        )
        # p = p - gain @ h @ p; x = x + gain @ innovation
        gain_bar = np.outer(x_bar, innovation) - p_bar @ hp.T
        hp_bar = -gain.T @ p_bar
        innovation_bar = gain.T @ x_bar + 0.5 * (weighted + inverse.T @ innovation)
        # gain = p @ h.T @ inverse
        pht_bar = gain_bar @ inverse.T
        inverse_bar = pht.T @ gain_bar + 0.5 * np.outer(innovation, innovation)
        s_bar = inverse.T @ (0.5 * np.eye(len(r)) - inverse_bar @ inverse.T)
        # innovation = z - h @ x
        h_bar -= np.outer(innovation_bar, x)
        x_bar = x_bar - h.T @ innovation_bar
        # s = h @ p @ h.T + r
        r_bar += s_bar
        hp_bar += s_bar @ h
        h_bar += s_bar.T @ hp + pht_bar.T @ p + hp_bar @ p.T
        p_bar = p_bar + h.T @ hp_bar + pht_bar @ h
        # p = f @ p @ f.T + q; x = f @ x
        q_bar += p_bar
        fp_bar = p_bar @ f
        f_bar += p_bar.T @ fp + fp_bar @ p_old.T + np.outer(x_bar, x_old)
        p_bar = f.T @ fp_bar
        x_bar = f.T @ x_bar
    return f_bar, q_bar, h_bar, r_bar


def kalman_data(rng, t, d, m):
    a, b = rng.normal(size=(d, d)), rng.normal(size=(m, m))
    f = 0.9 * np.linalg.qr(rng.normal(size=(d, d)))[0]
    return (
        f,
        0.1 * (a @ a.T / d + np.eye(d)),
        rng.normal(size=(m, d)),
        0.1 * (b @ b.T / m + np.eye(m)),
        rng.normal(size=(t, m)),
    )


def hidden_markov(start, transition, emission, observations):
    """Log-likelihood of symbols (t,): logits (k,), (k, k), (k, s)."""
    chances = np.exp(transition)
    chances = chances / np.sum(chances, axis=1, keepdims=True)
    seen = np.exp(emission)
    seen = seen / np.sum(seen, axis=1, keepdims=True)
    first = np.exp(start)
    alpha = first / np.sum(first) * seen[:, observations[0]]
    total = 0.0
    for t in range(1, len(observations)):
        scale = np.sum(alpha)
        total += np.log(scale)
        alpha = (alpha / scale) @ chances * seen[:, observations[t]]
    return total + np.log(np.sum(alpha))


def hidden_markov_grad(start, transition, emission, observations):
    chances = np.exp(transition)
    chances /= np.sum(chances, axis=1, keepdims=True)
    seen = np.exp(emission)
    seen /= np.sum(seen, axis=1, keepdims=True)
    first = np.exp(start)
    first /= np.sum(first)
    alpha = first * seen[:, observations[0]]
    kept = []
    for t in range(1, len(observations)):
        scale = np.sum(alpha)
        scaled = alpha / scale
        moved = scaled @ chances
        kept.append((scale, scaled, moved))
        alpha = moved * seen[:, observations[t]]
    alpha_bar = np.full_like(alpha, 1.0 / np.sum(alpha))
    chances_bar, seen_bar = np.zeros_like(chances), np.zeros_like(seen)
    for t in reversed(range(1, len(observations))):
        scale, scaled, moved = kept.pop()
        symbol = observations[t]
        seen_bar[:, symbol] += alpha_bar * moved
        moved_bar = alpha_bar * seen[:, symbol]
        chances_bar += np.outer(scaled, moved_bar)
        scaled_bar = chances @ moved_bar
        alpha_bar = (scaled_bar + (1.0 - scaled_bar @ scaled)) / scale
    seen_bar[:, observations[0]] += alpha_bar * first
    first_bar = alpha_bar * seen[:, observations[0]]
    return (
        first * (first_bar - first_bar @ first),
        chances * (chances_bar - np.sum(chances_bar * chances, axis=1, keepdims=True)),
        seen * (seen_bar - np.sum(seen_bar * seen, axis=1, keepdims=True)),
    )


def hidden_markov_data(rng, t, k, symbols):
    return (
        rng.normal(size=k),
        rng.normal(size=(k, k)),
        rng.normal(size=(k, symbols)),
        rng.integers(0, symbols, size=t),
    )


KERNELS = (
    Kernel(
        "kalman_filter",
        kalman,
        kalman_grad,
        kalman_data,
        timed((10, 6, 3), 100, 1_000, tiny=(3, 3, 2)),
        ("f", "q", "h", "r"),
    ),
    Kernel(
        "hidden_markov_model",
        hidden_markov,
        hidden_markov_grad,
        hidden_markov_data,
        timed((10, 16, 20), 100, 1_000, tiny=(5, 3, 4)),
        ("start", "transition", "emission"),
    ),
)
