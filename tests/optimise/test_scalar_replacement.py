"""Without scalar_replacement lists, dicts and objects are kept as they are, however few
items they have: one text and one compilation for all sizes."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
import pytest

from s2sad import differentiate, grad, hessian, hvp, jacfwd, value_and_grad
from tests.support.compilations import counted
from tests.support.finite_differences import (
    assert_trees_close,
    tree_random_like,
)

KEPT = {"scalar_replacement": False}
SIZES = (1, 2, 3, 4, 5, 5000, 0)


@dataclass
class Spring:
    k: float
    rest: float


@dataclass
class Model:
    layers: list
    scale: float
    name: str


def numbers(n):
    return [0.2 + math.sin(i) for i in range(n)]


def springs(n):
    return [Spring(0.2 + math.sin(i), 0.1 * i) for i in range(n)]


def recurrence(xs, rate):
    total = 0.0
    for x in xs:
        total = rate * total + x * x
    return total


def pairs(pairs, rate):
    total = 0.0
    for a, b in pairs:
        total = rate * total + a * b * b
    return total


def energy(springs, rate):
    total = 0.0
    for s in springs:
        total = rate * total + 0.5 * s.k * (rate - s.rest) ** 2
    return total


def lookup(weights, rate):
    total = 0.0
    for name, weight in weights.items():
        total += rate * weight**2 if name != "k1" else weight
    return total


def arrays(layers, rate):
    total = 0.0
    for w in layers:
        total = rate * total + np.sum(w * w)
    return total


def rows(table, rate):
    total = 0.0
    for row in table:
        for x in row:
            total = rate * total + x * x
    return total


def of_a_model(model, rate):
    total = 0.0
    for w, b in model.layers:
        total = math.tanh(total * w + b) * rate
    return total * model.scale


def shared(springs, rate):
    return energy(springs, rate) + energy(springs[:2], rate)


PROGRAMS = {
    "numbers": (recurrence, numbers),
    "pairs": (pairs, lambda n: [(x, 2.0 * x) for x in numbers(n)]),
    "objects": (energy, springs),
    "dict": (lookup, lambda n: {f"k{i}": x for i, x in enumerate(numbers(n))}),
    "arrays": (arrays, lambda n: [np.array([x, 1.0]) for x in numbers(n)]),
    "rows": (rows, lambda n: [numbers(i % 3 + 1) for i in range(n)]),
    "object": (
        of_a_model,
        lambda n: Model([(x, 0.1) for x in numbers(n)], 1.3, "plain"),
    ),
    "parts": (shared, springs),
}
programs = pytest.mark.parametrize("function, make", PROGRAMS.values(), ids=PROGRAMS)
WRT = (0, 1)


@programs
def test_one_text_and_one_compilation_serve_all_sizes(function, make):
    derived = grad(function, WRT, optimise=KEPT)
    with counted() as compiled:
        texts = set()
        for n in SIZES:
            derived(make(n), 0.4)
            texts.add(derived.source_for(make(n), 0.4))
    assert len(texts) == 1
    assert len(compiled) <= 1  # none where another test has compiled it


@programs
@pytest.mark.parametrize("n", [n for n in SIZES if n < 6])
def test_gradients_are_those_with_it(function, make, n):
    derived = value_and_grad(function, WRT, optimise=KEPT)
    derived(make(5), 0.4)  # what is empty from the start has no gradient
    value, kept = derived(make(n), 0.4)
    assert value == function(make(n), 0.4)
    if n:  # taken apart, what holds no float has no gradient
        assert_trees_close(kept, grad(function, WRT)(make(n), 0.4), rtol=1e-12)
    if n == 0:
        return
    tangents = tree_random_like(np.random.default_rng(1), make(n)), 0.3
    slope = sum(map(dot, kept, tangents))
    derived = differentiate(function, wrt=WRT, optimise=KEPT)
    _, found = derived.jvp((make(n), 0.4), tangents)
    assert np.isclose(found, slope)
    _, pullback = derived.vjp(make(n), 0.4)
    for seed in (1.0, 0.5):
        bars = pullback(seed)
        assert np.isclose(sum(map(dot, bars, tangents)), seed * slope)
    first = hvp(function, WRT)(make(n), 0.4, tangents)
    second = hvp(function, WRT, optimise=KEPT)(make(n), 0.4, tangents)
    assert_trees_close(second, first, rtol=1e-10, atol=1e-12)


@pytest.mark.taken_apart
def test_an_object_that_stands_at_several_places_has_the_total_in_each():
    first, second = springs(2)
    apart = grad(energy)([first, second, first], 0.4)
    kept = grad(energy, optimise=KEPT)([first, second, first], 0.4)
    assert kept[0] is kept[2] and kept[1] == apart[1]
    assert np.isclose(kept[0].k, apart[0].k + apart[2].k)
    assert np.isclose(kept[0].rest, apart[0].rest + apart[2].rest)


def dot(bar, tangent):
    """The sum of products of what has a derivative."""
    if bar is None:
        return 0.0
    if isinstance(bar, dict):
        return sum(dot(bar[name], tangent[name]) for name in bar)
    if isinstance(bar, list | tuple):
        return sum(map(dot, bar, tangent))
    if isinstance(bar, float | np.ndarray):
        return float(np.sum(bar * tangent))
    names = vars(bar)
    return sum(dot(getattr(bar, name), getattr(tangent, name)) for name in names)


@programs
@pytest.mark.parametrize("n", [1, 3, 5])
def test_gradients_are_slopes(function, make, n):
    rate = grad(function, 1, optimise=KEPT)(make(n), 0.4)
    step = 1e-6
    slope = function(make(n), 0.4 + step) - function(make(n), 0.4 - step)
    assert np.isclose(rate, slope / (2 * step), rtol=1e-6, atol=1e-8)
    second = hessian(function, 1, optimise=KEPT)(make(n), 0.4)
    first = grad(function, 1)
    slope = first(make(n), 0.4 + step) - first(make(n), 0.4 - step)
    assert np.isclose(second, slope / (2 * step), rtol=1e-6, atol=1e-7)


WEIGHTS = [1.0, 2.0, 3.0]
BY_NAME = {"a": 0.5, "b": 0.25}
POWERS = [1, 2, 3]


def of_the_module(x):
    total = 0.0
    for w in WEIGHTS:
        total = total * 0.5 + w * x * x
    for name, w in BY_NAME.items():
        total += w * x * len(name)
    for n in POWERS:
        total += x**n
    return total + BY_NAME["a"] * WEIGHTS[-1] * x


def test_data_of_the_module_is_kept(monkeypatch):
    derived = grad(of_the_module, optimise=KEPT)
    text = derived.source_for(1.5)
    assert "for w in reversed(WEIGHTS):" in text
    for weights in (WEIGHTS, [2.0], [1.0] * 5000, []):
        monkeypatch.setitem(globals(), "WEIGHTS", [*weights, 1.0])
        monkeypatch.setitem(BY_NAME, "c", float(len(weights)))
        with counted() as compiled:
            found = derived(1.5)
        assert not compiled
        assert np.isclose(found, grad(of_the_module)(1.5), rtol=1e-12)
        slope = (of_the_module(1.5 + 1e-6) - of_the_module(1.5 - 1e-6)) / 2e-6
        assert np.isclose(found, slope, rtol=1e-5)


def test_changed_defaults_are_noticed():
    def scaled(t, k=2.0, *, parts=(1.0, 2.0)):
        return t * k * parts[0]

    derived = grad(lambda x: scaled(x) * part(x), optimise=KEPT)
    part = functools.partial(scaled, parts=[3.0, 1.0])
    assert derived(1.0) == 2 * 2.0 * 6.0
    scaled.__defaults__ = (5.0,)
    assert derived(1.0) == 2 * 5.0 * 15.0
    scaled.__kwdefaults__["parts"] = (2.0, 1.0)
    assert derived(1.0) == 2 * 10.0 * 15.0
    part.keywords["parts"][0] = 1.0
    assert derived(1.0) == 2 * 10.0 * 5.0


class Settings:
    weights = [1.0, 2.0]
    names = {"a": 1.0}


def test_changed_data_of_classes_is_noticed():
    def total(x):
        found = x * len(Settings.weights) * len(Settings.names)
        for w in Settings.weights:
            found += w * x * x
        for name, w in Settings.names.items():
            found += w * x if name == "a" else x**3
        return found

    derived = grad(total, optimise=KEPT)
    for _ in range(3):
        slope = (total(1.5 + 1e-6) - total(1.5 - 1e-6)) / 2e-6
        assert np.isclose(derived(1.5), slope, rtol=1e-7)
        Settings.weights.append(3.0)
        Settings.names["b"] = 2.0
        Settings.names["c"] = 1.0


def with_data(x):
    return x, WEIGHTS, BY_NAME


def test_what_is_returned_of_the_module_has_tangents_like_it():
    derived = differentiate(with_data, optimise=KEPT)
    _, tangents = derived.jvp((2.0,), (1.0,))
    assert tangents == (1.0, [0.0] * len(WEIGHTS), dict.fromkeys(BY_NAME, 0.0))


def copied(table):
    rows = [row[:] for row in table]
    rows[0][1] = rows[-1][0] * table[0][1]
    return sum(a * b for a, b in rows)


def test_rows_are_copied_and_changed():
    for n in (1, 2, 5):
        table = [[1.0 + k, 2.0 - k] for k in range(n)]
        found = grad(copied, optimise=KEPT)(table)
        assert_trees_close(found, grad(copied)(table), rtol=1e-12)


def chosen(options, x):
    if options["kind"] == "square":
        return x**2 * options["scale"]
    return x ** options["power"]


def padded(x, widths):
    return np.sum(np.pad(x, widths) ** 2 * x[0])


def test_what_is_refused_so_is_held_as_it_is_without_the_switch():
    # which arguments of NumPy's functions hold numbers is a matter of constants
    found = grad(padded, optimise=KEPT)(np.ones(3), [1, 2])
    np.testing.assert_allclose(found, grad(padded)(np.ones(3), [1, 2]))


@pytest.mark.parametrize("kind", ["square", "power"])
def test_short_texts_in_what_is_kept_are_read(kind):
    options = {"kind": kind, "scale": 2.0, "power": 3}
    derived = grad(chosen, (0, 1), optimise=KEPT)
    assert_trees_close(
        derived(options, 1.5), grad(chosen, (0, 1))(options, 1.5), rtol=1e-12
    )


def named(kind, xs):
    return sum(x**2 if kind == "square" else x for x in xs)


def test_texts_that_stand_alone_are_known():
    derived = grad(named, "xs", optimise=KEPT)
    assert derived("square", [1.0, 2.0]) == [2.0, 4.0]
    assert derived("plain", [1.0, 2.0]) == [1.0, 1.0]


@pytest.mark.taken_apart
def test_the_name_is_no_pass():
    def text(**options):
        return grad(energy, WRT, **options).source_for(springs(2), 0.4)

    assert "for s" in text(optimise=KEPT)
    assert "for s" not in text(optimise=False)
    assert text(optimise={"scalar_replacement": True}) == text()


def test_the_variable_switches_it_off(monkeypatch):
    wanted = grad(energy, WRT, optimise=KEPT).source_for(springs(2), 0.4)
    monkeypatch.setenv("S2SAD_NO_OPT", "scalar_replacement")
    assert grad(energy, WRT).source_for(springs(2), 0.4) == wanted


def doubled(springs, x):
    return np.array([s.k * x * x + s.rest * x for s in springs])


def test_jacobians_are_those_with_it():
    for n in (1, 2, 5):
        kept = jacfwd(doubled, 1, optimise=KEPT)(springs(n), 1.5)
        np.testing.assert_allclose(kept, jacfwd(doubled, 1)(springs(n), 1.5))
