"""Dynamic programming and other tables, filled by elements or by rows."""

import math
from collections import defaultdict

import numpy as np

from tests.programs.registry import normal, program, uniform

TRANSITION = np.array([[0.7, 0.2, 0.1], [0.3, 0.5, 0.2], [0.2, 0.3, 0.5]])
EMISSION = np.array([[0.6, 0.4], [0.1, 0.9], [0.5, 0.5]])
OBSERVED = (0, 1, 1, 0, 1)
TEXT = "the cat sat on the mat the end"


@program(TRANSITION, EMISSION, np.array([0.5, 0.3, 0.2]), wrt=("a", "b", "start"))
def forward_algorithm(a, b, start):
    """The likelihood of a hidden Markov model; each row of the table is scaled."""
    steps, states = len(OBSERVED), len(start)
    alpha = np.zeros((steps, states))
    alpha[0] = start * b[:, OBSERVED[0]]
    log_likelihood = 0.0
    for t in range(1, steps):
        scale = np.sum(alpha[t - 1])
        alpha[t - 1] /= scale
        log_likelihood += np.log(scale)
        for j in range(states):
            for i in range(states):
                alpha[t, j] += alpha[t - 1, i] * a[i, j]
            alpha[t, j] *= b[j, OBSERVED[t]]
    return log_likelihood + np.log(np.sum(alpha[-1]))


@program(TRANSITION, EMISSION, wrt=("a", "b"))
def posterior_states(a, b):
    """Forward and backward tables, multiplied in place into posteriors."""
    steps = len(OBSERVED)
    forward = np.empty((steps, 3))
    backward = np.ones((steps, 3))
    forward[0] = b[:, OBSERVED[0]] / 3.0
    for t in range(1, steps):
        np.matmul(forward[t - 1], a, out=forward[t])
        forward[t] *= b[:, OBSERVED[t]]
    for t in range(steps - 2, -1, -1):
        backward[t] = a @ (b[:, OBSERVED[t + 1]] * backward[t + 1])
    forward *= backward
    forward /= forward.sum(axis=1, keepdims=True)
    return np.sum(forward[:, 0] * np.arange(steps)) + np.sum(forward[2] ** 2)


@program(normal(1, 5, 3), normal(2, 3, 3), 0.5, wrt=("scores", "moves", "sharpness"))
def soft_viterbi(scores, moves, sharpness):
    """The best path with a soft maximum in place of the hard one."""
    best = scores.copy()
    for t in range(1, len(best)):
        for j in range(3):
            reached = best[t - 1] + moves[:, j]
            best[t, j] += np.log(np.sum(np.exp(reached / sharpness))) * sharpness
    return np.log(np.sum(np.exp(best[-1] / sharpness))) * sharpness


@program(normal(3, 4), normal(4, 5), 0.8, wrt=("x", "y", "gap"), scalar=True)
def soft_edit_distance(x, y, gap):
    """Needleman and Wunsch with a soft minimum."""
    n, m = len(x), len(y)
    d = np.zeros((n + 1, m + 1))
    for i in range(n + 1):
        d[i, 0] = gap * i
    for j in range(m + 1):
        d[0, j] = gap * j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            change = d[i - 1, j - 1] + (x[i - 1] - y[j - 1]) ** 2
            skip, insert = d[i - 1, j] + gap, d[i, j - 1] + gap
            d[i, j] = -math.log(math.exp(-change) + math.exp(-skip) + math.exp(-insert))
    return d[n, m]


@program(normal(5, 5), normal(6, 4), 0.1, wrt=("x", "y", "gamma"), scalar=True)
def soft_dynamic_time_warping(x, y, gamma):
    """Cuturi and Blondel (2017), with two rows in place of the table."""
    large = 1e3
    previous = [0.0] + [large] * len(y)
    for xi in x:
        current = [large]
        for j, yj in enumerate(y):
            choices = (previous[j], previous[j + 1], current[j])
            low = min(choices)
            total = sum(math.exp(-(c - low) / gamma) for c in choices)
            current.append((xi - yj) ** 2 + low - gamma * math.log(total))
        previous = current
    return previous[-1]


@program(uniform(7, 0.5, 1.5, 6), wrt="weights", scalar=True)
def matrix_chain(weights):
    """The cheapest order of a chain of products, softly, over growing lengths."""
    n = len(weights) - 1
    cost = [[0.0] * n for _ in range(n)]
    for length in range(2, n + 1):
        for i in range(n - length + 1):
            j = i + length - 1
            total = 0.0
            for k in range(i, j):
                split = cost[i][k] + cost[k + 1][j]
                split += weights[i] * weights[k + 1] * weights[j + 1]
                total += math.exp(-5.0 * split)
            cost[i][j] = -math.log(total) / 5.0
    return cost[0][n - 1]


@program(normal(8, 6, 4), normal(9, 4, 4), wrt=("scores", "pairs"))
def crf_partition(scores, pairs):
    """The log partition function of a chain, in one vector that is overwritten."""
    alpha = scores[0].copy()
    for row in scores[1:]:
        largest = np.max(alpha)
        alpha -= largest
        np.exp(alpha, out=alpha)
        alpha[:] = np.log(alpha @ np.exp(pairs)) + largest
        alpha += row
    return np.log(np.sum(np.exp(alpha)))


@program(uniform(10, 0.1, 0.9, 5), uniform(11, 0.5, 2.0, 5), wrt=("p", "value"))
def soft_knapsack(p, value):
    """The expected value of a random knapsack, filled from the end of its table."""
    sizes = (2, 1, 3, 2, 1)
    table = np.zeros(7)
    for i, size in enumerate(sizes):
        for room in range(6, size - 1, -1):
            taken = table[room - size] + value[i]
            table[room] = (1.0 - p[i]) * table[room] + p[i] * taken
    return np.sum(table**2)


@program(uniform(12, 0.2, 1.5, 3), 4, wrt="rates")
def partition_counts(rates, n):
    """Weighed ways of paying an amount, as a generating function by coins."""
    ways = np.zeros(3 * n)
    ways[0] = 1.0
    for coin, rate in zip((1, 2, 5), rates):
        for amount in range(coin, len(ways)):
            ways[amount] += rate * ways[amount - coin]
    ways[1:] = np.log1p(ways[1:])
    return ways[-1] + ways[n] * ways[1]


@program(uniform(13, 0.1, 1.0, 4, 4), wrt="distances")
def soft_shortest_paths(distances):
    """Floyd and Warshall with a soft minimum: the table is its own input."""
    d = np.array(distances)
    np.fill_diagonal(d, 0.0)
    for k in range(len(d)):
        through = d[:, k : k + 1] + d[k]
        d[:] = -np.log(np.exp(-4.0 * d) + np.exp(-4.0 * through)) / 4.0
    return np.sum(d**2) + d[0, 3]


@program(uniform(14, 0.0, 4.0, 9), uniform(15, 0.5, 1.5, 9), wrt=("x", "weight"))
def soft_histogram(x, weight):
    """Weights go into two bins each, by np.add.at."""
    counts = np.zeros(6)
    left = np.floor(x).astype(int)
    part = x - left
    np.add.at(counts, left, weight * (1.0 - part))
    np.add.at(counts, left + 1, weight * part)
    counts /= counts.sum()
    return -np.sum(counts * np.log(counts + 0.01))


@program(normal(16, 8), wrt="x")
def prefix_sums(x):
    """Blelloch's scan, in place: up the tree, then down."""
    a = np.sin(x)
    step = 1
    while step < len(a):
        a[2 * step - 1 :: 2 * step] += a[step - 1 :: 2 * step]
        step *= 2
    total, a[-1] = a[-1], 0.0
    while step > 1:
        step //= 2
        left = a[step - 1 :: 2 * step].copy()
        a[step - 1 :: 2 * step] = a[2 * step - 1 :: 2 * step]
        a[2 * step - 1 :: 2 * step] += left
    return np.sum(a**2) + total**3


@program(0.4, 1.5, wrt=("smoothing", "boost"), scalar=True)
def bigram_model(smoothing, boost):
    """Counts of pairs of words in dicts of dicts, and the text's own surprise."""
    words = TEXT.split()
    counts, totals = defaultdict(dict), defaultdict(float)
    for left, right in zip(words, words[1:]):
        weight = boost if left == "the" else 1.0
        counts[left][right] = counts[left].get(right, 0.0) + weight
        totals[left] += weight
    surprise = 0.0
    for left, right in zip(words, words[1:]):
        seen = counts[left].setdefault(right, 0.0) + smoothing
        surprise -= math.log(seen / (totals[left] + smoothing * len(set(words))))
    return surprise / len(words)


@program(0.3, 0.8, wrt=("p", "q"), scalar=True)
def memoised_walk(p, q):
    """The chance of ruin of a gambler, by recursion over a dict of known results."""
    known = {}

    def ruin(money, rounds):
        if money == 0:
            return 1.0
        if rounds == 0:
            return 0.0
        if (money, rounds) not in known:
            win, loss = ruin(money + 1, rounds - 1), ruin(money - 1, rounds - 1)
            known[money, rounds] = p * win + q * (1.0 - p) * loss
        return known[money, rounds]

    return ruin(2, 6) + 0.1 * len(known)
