"""Lists: indices, slices, iterators, what is made of their items."""

from __future__ import annotations

import itertools
import math

import numpy as np

from tests.run_time.programs.table import (
    Neuron,
    number,
    program,
    springs_of,
)


@program(lambda n: (springs_of(n),))
def l_index(s):
    t = s[0].k * s[-1].rest
    for i in range(len(s)):
        t += s[i].k * s[i - 1].rest
    return t


@program(lambda n: (springs_of(n),))
def l_slices(s):
    t = 0.0
    for a, b in zip(s[1:], s[:-1]):
        t += a.k * b.k
    for a in s[::2]:
        t += a.rest**2
    return t


@program(lambda n: (springs_of(n), [number() for _ in range(3)]))
def l_zip(s, ws):
    t = 0.0
    for i, (a, w) in enumerate(zip(s, ws)):
        t += a.k * w * i
        if t > 1e3:
            break
    for a in reversed(s):
        t = t * 0.9 + a.rest
    return t


@program(lambda n: (springs_of(n),))
def l_sum(s):
    return sum(x.k**2 for x in s) + sum([x.rest for x in s if x.k > 0.8])


@program(lambda n: (springs_of(n),))
def l_max(s):
    return (
        max(x.k for x in s) * min(s, key=lambda x: x.rest).k
        + max(s, key=lambda x: x.k).rest
    )


@program(lambda n: (springs_of(n),))
def l_sorted(s):
    t = 0.0
    for i, x in enumerate(sorted(s, key=lambda x: x.k)):
        t += x.k * x.rest * i
    return t


@program(lambda n: (springs_of(n),))
def l_any(s):
    t = 1.0 if any(x.k > 1.4 for x in s) else 0.5
    if all(x.k > 0 for x in s):
        t *= 2
    return t * s[1].k


@program(lambda n: (springs_of(n),))
def l_unpack(s):
    a, *rest = s
    t = a.k
    for r in rest:
        t *= 0.5 + r.k / (1 + r.k)
    return t


@program(lambda n: (springs_of(n), springs_of(n)), ("a", "b"))
def l_concat(a, b):
    t = 0.0
    for s in a + b:
        t = 0.5 * t + s.k**2
    for s in list(a):
        t += s.rest
    return t


@program(lambda n: (springs_of(n),))
def l_filter(s):
    strong = [x for x in s if x.k > 0.9]
    t = 0.0
    for x in strong:
        t += x.rest * x.k
    return t + len(strong)


@program(lambda n: (springs_of(n),))
def l_chain(s):
    t = 0.0
    for x in itertools.chain(s[:2], s[2:]):
        t += x.k**3
    for x in itertools.islice(s, 1, 4):
        t += x.k
    for a, b in itertools.pairwise(s):
        t += a.k * b.rest
    return t


@program(
    lambda n: (
        [Neuron([number() for _ in range(3 + k % 2)], number()) for k in range(n)],
        [0.1, 0.2, 0.3],
    )
)
def slots_of_lists(net, x):
    t = 0.0
    for p in net:
        z = p.bias
        for i in range(3):
            z += p.weights[i] * x[i]
        t += math.tanh(z) + 0.1 * sum(p.weights)
    return t


@program(
    lambda n: ([Neuron([number() for _ in range(3)], number()) for k in range(n)],)
)
def slots_as_arrays(net):
    t = 0.0
    for p in net:
        w = np.array(p.weights)
        t += w @ w * p.bias + sorted(p.weights)[1] + max(p.weights)
    return t


@program(lambda n: ([number() for _ in range(n)], number()))
def chosen_by_truth(xs, c):
    total = 0.0
    for x in xs:
        total = 0.9 * total + [c, -0.5][x > 1.0] * x + (x, c)[x < 0.8]
    large = [x > 1.0 for x in xs]
    return total + large.count(True) * xs[0] + xs.count(xs[0]) * c + xs[c > 9.0]
