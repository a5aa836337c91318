"""Numbers that vary and were keys, members or parts of texts: a program that computes
with them again is refused, in all modes; one that only looks up isn't."""

from __future__ import annotations

import collections

import numpy as np
import pytest

from s2sad import errors, grad, hvp, jvp, value_and_grad

TEXTS = ("elm", "oaks", "ash", "elm", "fir")
WORDS = [(TEXTS[k % 5], 0.52 + 0.37 * (k * k % 11) + 0.01 * k) for k in range(10)]


def of_a_comprehension(words):
    by_number = {x: w for w, x in words}
    return sum(x * len(by_number[x]) for x in sorted(by_number))


def run_over(words):
    total = 0.0
    for x in {x: w for w, x in words}:
        total += x * x
    return total


def of_items(words):
    by_number = {}
    for w, x in words:
        by_number[x] = w
    total = 0.0
    for x, w in by_number.items():
        total += x * len(w)
    return total


def of_tuples(words):
    places = {(w, x): k for k, (w, x) in enumerate(words)}
    return sum(x * k for (w, x), k in places.items())


def counted(words):
    counts = collections.Counter(x for w, x in words)
    return sum(x * n for x, n in counts.items())


def members(words):
    seen = set()
    for w, x in words:
        seen.add(x)
    return sum(x * x for x in seen)


def members_in_tuples(words):
    seen = set()
    for w, x in words:
        seen.add((w, x))
    return sum(x for w, x in seen)


def popped(words):
    weights = {}
    for w, x in words:
        weights[x] = 1.0
    total = 0.0
    while weights:
        x, weight = weights.popitem()
        total += x * weight
    return total


def of_inner_dicts(words):
    inner = collections.defaultdict(dict)
    for w, x in words:
        inner[w][x] = 1.0
    return sum(x for held in inner.values() for x in held)


def first_of(words):
    weights = {x: 1.0 for w, x in words}
    return next(iter(weights)) + list(weights)[0]


def put_in_by_a_call(words):
    weights = {}

    def add(k):
        if k < len(words):
            weights[words[k][1]] = 1.0
            add(k + 1)

    add(0)
    return words[0][1] + sum(x * x for x in weights)


def computed_in_a_call(words):
    def total_of(keys, k):
        return keys[k] ** 2 + total_of(keys, k + 1) if k < len(keys) else 0.0

    return total_of(list({x: 1.0 for w, x in words}), 0)


class Node:
    def __init__(self, x):
        self.x = x


def objects(words):
    held = {Node(x): 1.0 for w, x in words}
    return sum(node.x for node in held)


def formatted(words):
    return sum(float(f"{x}") for w, x in words)


def formatted_by_an_operator(words):
    return sum(float("%.17g" % x) for w, x in words)


def formatted_by_a_method(words):
    return sum(float("{}".format(x)) for w, x in words)


def shown(words):
    return sum(float(str(x)) for w, x in words)


def shown_and_joined(words):
    line = " ".join(repr(x) for w, x in words)
    return sum(float(word) for word in line.split())


def parsed_from_lines(words):
    lines = [f"{w}={x}" for w, x in words]
    return sum(float(line.split("=")[1]) for line in lines)


REFUSED = [
    *(of_a_comprehension, run_over, of_items, of_tuples, counted, members),
    *(members_in_tuples, popped, of_inner_dicts, first_of, put_in_by_a_call),
    *(computed_in_a_call, objects, formatted, formatted_by_an_operator),
    *(formatted_by_a_method, shown, shown_and_joined, parsed_from_lines),
]
TANGENT = [(w, 1.0) for w, x in WORDS]


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_computing_with_them_is_refused(function):
    with pytest.raises(errors.UnsupportedError):
        grad(function)(WORDS)
    with pytest.raises(errors.UnsupportedError):
        jvp(function, (WORDS,), (TANGENT,))
    with pytest.raises(errors.UnsupportedError):
        hvp(function)(WORDS, TANGENT)


def looked_up(words):
    known = {}
    for w, x in words:
        known[x] = x * x
    return sum(known[x] * x for w, x in words)


def ordered_and_looked_up(words):
    known = {x: x * x for w, x in words}
    total = 0.0
    for x in sorted(known):
        total = 0.5 * total + known[x]
    return total


def seen_before(words):
    seen = set()
    total = 0.0
    for w, x in words + words[:3]:
        total += x if (w, x) in seen else x * x
        seen.add((w, x))
    return total


def told(words):
    lines = []
    seen = {}
    for w, x in words:
        lines.append(f"{w}: {x:.3f} " + str(x) + format(x, ".3f"))
        seen[f"{x:.1f}"] = x
    if len(lines[0]) > 100:
        raise ValueError(", ".join(lines))
    return sum(x * x for x in seen.values())


def numbers_beside_texts(words):
    total = {}
    for w, x in words:
        total[w, len(w)] = total.get((w, len(w)), 0.0) + x * x
    return sum(x * n for (w, n), x in total.items())


ALLOWED = [looked_up, ordered_and_looked_up, seen_before, told, numbers_beside_texts]


@pytest.mark.parametrize("optimise", [True, False])
@pytest.mark.parametrize("function", ALLOWED, ids=lambda f: f.__name__)
def test_looking_up_is_not(function, optimise):
    value, gradient = value_and_grad(function, optimise=optimise)(WORDS)
    assert value == pytest.approx(function(WORDS), rel=1e-12)
    step = 1e-6
    for k, (w, x) in enumerate(WORDS):
        up, down = (
            function([*WORDS[:k], (w, moved), *WORDS[k + 1 :]])
            for moved in (x + step, x - step)
        )
        assert gradient[k][1] == pytest.approx((up - down) / (2 * step), rel=1e-6)


def test_what_does_not_vary_may_be_taken_out_again():
    def weighted(times, w):
        table = {}
        for k, t in enumerate(times):
            table[t] = w * k
        return sum(np.exp(-t) * v for t, v in table.items())

    times = [0.5 * k for k in range(9)]
    expected = sum(np.exp(-t) * k for k, t in enumerate(times))
    assert grad(weighted, wrt="w")(times, 2.0) == pytest.approx(expected)
    with pytest.raises(errors.UnsupportedError):
        grad(weighted)(times, 2.0)
