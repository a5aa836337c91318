"""Lists, dicts and objects that are kept as they are, in programs with handlers,
checkpoints, results beside the value, Jacobians and gradients inside; and what is
refused."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

from s2sad import (
    ArgumentError,
    UnsupportedError,
    checkpoint,
    grad,
    hvp,
    jacobian,
    jacrev,
    jvp,
    linearize,
    value_and_grad,
    vjp,
)
from tests.support.kept_values import vector, with_numbers
from tests.transform.test_run_time_values import (
    Dense,
    Spring,
    close,
    flat,
    kept_largest,
    moved,
    numbers,
    polynomial,
    slope,
    springs,
)


def attempts(springs, x):
    t = x
    for s in springs:
        try:
            t = t * s.k + 1.0 / s.rest
            if t > 1:
                raise ValueError
            t = t * s.rest
        except ValueError:
            t = t * 0.5 + s.rest**2
    return t


def missing_keys(weights, x):
    t = x
    for word in ("a", "z", "b", "f", "q", "a"):
        try:
            t = t * weights[word] + weights[word] ** 2
        except KeyError:
            t = t * x
    return t


def at_last(springs, x):
    t = x
    for s in springs:
        try:
            t = t * s.k
        finally:
            t = t + s.rest**2
    return t


def checkpointed(springs, x):
    t = x
    for s in checkpoint(springs, snapshots=2):
        t = math.sin(t * s.k) + s.rest**2
    return t


@checkpoint
def step(s, t):
    return math.sin(t * s.k) + s.rest**2


def checkpointed_step(springs, x):
    t = x
    for s in springs:
        t = step(s, t)
    return t


def slices(springs, x):
    t = x
    for s in springs[1:-1]:
        t = t * s.k + s.rest
    return t


def inner_gradient(springs, x):
    return grad(polynomial, wrt=1)(springs, x) ** 2 * springs[0].rest


def inner_tangent(springs, x):
    return jvp(polynomial, (springs, x), (None, x))[1] * x


def named(rng, n):
    return dict(zip("abcdefgh"[:n], numbers(rng, n)))


PROGRAMS = {
    "handlers": (attempts, springs),
    "missing keys": (missing_keys, named),
    "finally": (at_last, springs),
    "checkpointed loop": (checkpointed, springs),
    "checkpointed step": (checkpointed_step, springs),
    "slices": (slices, springs),
    "gradient inside": (inner_gradient, springs),
    "tangent inside": (inner_tangent, springs),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_modes(name):
    function, make = PROGRAMS[name]
    rng = np.random.default_rng(len(name))
    args = make(rng, 7), 0.4
    direction = [with_numbers(a, rng.normal(size=vector(a).size)) for a in args]
    both = tuple(direction)
    gradient = grad(function, wrt=(0, 1))
    along = flat(gradient(*args)) @ flat(both)
    close(along, slope(function, args, direction))
    close(jvp(function, args, direction)[1], along, 1e-9)
    close(linearize(function, *args)[1](*direction), along, 1e-9)
    pullback = vjp(function, *args)[1]
    for _ in range(2):
        close(flat(pullback(1.0)), flat(gradient(*args)), 1e-9)
    product = flat(hvp(function, wrt=(0, 1))(*args, both))
    ahead = flat(gradient(*moved(args, direction, 1e-6)))
    behind = flat(gradient(*moved(args, direction, -1e-6)))
    close(product, (ahead - behind) / 2e-6, 1e-4)
    close(flat(linearize(gradient, *args)[1](*direction)), product, 1e-9)


def of_two(first, second, x):
    t = x
    for s, r in zip(first, second):
        t = t * s.k + r.rest * r.k * t
    return t


def test_one_object_as_two_arguments():
    args = springs(np.random.default_rng(1), 6)
    other = with_numbers(args, vector(args))
    gradient = grad(of_two, wrt=(0, 1, 2))
    shared = gradient(args, args, 0.5)
    assert shared == gradient(args, other, 0.5)
    tangents = args, other, 1.0
    assert jvp(of_two, (args, args, 0.5), tangents)[1] == pytest.approx(
        flat(shared) @ flat(tangents)
    )


def test_an_object_in_two_places_has_its_total():
    one = Spring(0.3, 0.4)
    shared = [one, Spring(1.0, 2.0), one, one, one, one]
    apart = [Spring(s.k, s.rest) for s in shared]
    total = sum(
        vector(s)
        for k, s in enumerate(grad(polynomial)(apart, 0.7))
        if shared[k] is one
    )
    gradient = grad(polynomial)(shared, 0.7)
    assert all(gradient[k] is gradient[0] for k in (2, 3, 4, 5))
    np.testing.assert_allclose(vector(gradient[0]), total)


def with_aux(springs, x):
    t = x
    for s in springs:
        t = t * s.k + s.rest
    return t, (springs[0], t)


def test_results_beside_the_value():
    args = springs(np.random.default_rng(2), 6), 0.5
    value, aux = with_aux(*args)
    (found, found_aux), gradient = value_and_grad(with_aux, wrt=(0, 1), has_aux=True)(
        *args
    )
    assert (found, found_aux) == (value, aux)
    again, found_aux = grad(with_aux, wrt=(0, 1), has_aux=True)(*args)
    assert again == gradient
    assert found_aux == aux
    assert found_aux[0] is args[0][0]
    found, tangent, found_aux = jvp(with_aux, args, args, has_aux=True)
    assert (found, found_aux) == (value, aux)
    assert tangent == pytest.approx(flat(gradient) @ flat(args))


def scaled(springs, x):
    return np.array([s.k * x for s in springs]) * springs[1].rest


def values(layers, x):
    for layer in layers:
        x = layer(x)
    return x, x[0] * layers[0].b


@pytest.mark.parametrize("make", [jacobian, jacrev])
def test_jacobians(make):
    rng = np.random.default_rng(3)
    args = springs(rng, 6), 0.5
    direction = [with_numbers(a, rng.normal(size=vector(a).size)) for a in args]
    by_springs, by_x = make(scaled, wrt=(0, 1))(*args)
    tangent = by_x * direction[1] + sum(
        row.k * t.k + row.rest * t.rest for row, t in zip(by_springs, direction[0])
    )
    close(tangent, slope(scaled, args, direction))
    close(make(scaled, wrt=1)(*args), by_x, 1e-9)


def test_jacobians_of_several_results():
    rng = np.random.default_rng(4)
    layers = [Dense(rng.normal(size=(2, 2)), rng.normal(size=2)) for _ in range(6)]
    x = rng.normal(size=2)
    found = jacrev(values)(layers, x)
    assert [block[0].w.shape for block in found] == [(2, 2, 2), (2, 2, 2)]
    for place in range(2):
        for k in range(2):
            seeds = [np.zeros(2), np.zeros(2)]
            seeds[place][k] = 1.0
            row = vjp(values, layers, x)[1](tuple(seeds))[0]
            close(found[place][3].w[k], row[3].w, 1e-9)
            close(found[place][0].b[k], row[0].b, 1e-9)


@pytest.mark.parametrize(
    "tangents, message",
    [
        (lambda s: s[:5], "the tangent of springs has"),
        (lambda s: [*s[:5], (1.0, 2.0)], r"springs\[5\] is a tuple, but must be a Spr"),
        (lambda s: [*s[:5], Spring("a", 2.0)], r"springs\[5\]\.k must be a number"),
        (lambda s: [*s[:5], Spring(np.ones(2), 2.0)], r"springs\[5\]\.k has shape"),
    ],
)
def test_tangents_of_another_form(tangents, message):
    args = springs(np.random.default_rng(7), 6)
    with pytest.raises(ArgumentError, match=message):
        jvp(polynomial, (args, 0.5), (tangents(args), None))


def test_tangents_that_are_zero():
    args = springs(np.random.default_rng(7), 6)
    nothing = [None] * 5 + [Spring(None, 1.0)]
    zeros = [Spring(0.0, 0.0)] * 5 + [Spring(0.0, 1.0)]
    assert jvp(polynomial, (args, 0.5), (nothing, None)) == jvp(
        polynomial, (args, 0.5), (zeros, None)
    )


def largest_under_checkpoint(springs, x):
    best = springs[0]
    t = x
    for s in checkpoint(springs, snapshots=2):
        if s.k > best.k:
            best = s
        t = math.sin(t * best.k) + s.rest
    return t * best.rest


@pytest.mark.taken_apart
def test_references_handed_on_under_checkpoint():
    args = springs(np.random.default_rng(8), 7), 0.3
    with pytest.raises(UnsupportedError, match="checkpoint"):
        grad(largest_under_checkpoint)(*args)


def test_whole_numbers_among_floats():
    args = [Spring(1, 0.5), Spring(0.5, 2), *springs(np.random.default_rng(9), 4)]
    floats = [Spring(float(s.k), float(s.rest)) for s in args]
    gradient = grad(kept_largest)(args, 0.7)
    wanted = grad(kept_largest)(floats, 0.7)
    wanted[0].k = wanted[1].rest = None
    assert gradient == wanted
    tangents = [Spring(None, 1.0), Spring(1.0, None), *floats[2:]]
    zeros = [Spring(0.0, 1.0), Spring(1.0, 0.0), *floats[2:]]
    assert jvp(polynomial, (args, 0.7), (tangents, 1.0)) == jvp(
        polynomial, (floats, 0.7), (zeros, 1.0)
    )


def test_seeds_of_results():
    rng = np.random.default_rng(10)
    args = springs(rng, 6), 0.5
    seed = rng.normal(size=6)
    by_springs, by_x = grad(scaled, wrt=(0, 1))(*args, gradient=seed)
    rows, column = jacrev(scaled, wrt=(0, 1))(*args)
    close(by_x, seed @ column, 1e-9)
    close(
        vector(by_springs),
        [seed @ part for s in rows for part in (s.k, s.rest)],
        1e-9,
    )


def test_one_object_has_one_tangent():
    one = Spring(0.3, 0.4)
    args = [one, Spring(1.0, 2.0), one, one, one, one], 0.7
    direction = copy.deepcopy(args[0])
    tangent = jvp(polynomial, args, (direction, None))[1]
    gradient = grad(polynomial)(*args)
    counted_once = vector(gradient) @ vector(direction)
    assert tangent == pytest.approx(counted_once)
    apart = [Spring(s.k, s.rest) for s in direction]
    for derivative in (
        lambda: jvp(polynomial, args, (apart, None)),
        lambda: hvp(polynomial)(*args, apart),
        lambda: linearize(polynomial, *args)[1](apart, None),
        lambda: jvp(polynomial, args, ([one, None, None, one, one, one], None)),
    ):
        with pytest.raises(ArgumentError, match="several tangents for a Spring"):
            derivative()
