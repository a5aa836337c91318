"""Lines that let go of arrays: where they stand, and that they change nothing else."""

import ast
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from s2sad import grad, hvp, value_and_grad
from s2sad.codegen.python.releases import with_releases
from tests.support.finite_differences import central_difference_gradient


def network(layers, x):
    """The scale behind the matrices has another rank: each item is followed by
    itself."""
    *matrices, scale = layers
    h = x
    for w in matrices:
        h = np.tanh(h @ w)
    return np.mean((h * scale) ** 2)


def deep(depth, width):
    rng = np.random.default_rng(0)
    layers = [rng.normal(size=(width, width)) / np.sqrt(width) for _ in range(depth)]
    return [*layers, np.ones(width)], rng.normal(size=(width, width))


def peak_of(function, *args):
    function(*args)
    tracemalloc.start()
    function(*args)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak


@pytest.mark.taken_apart
def test_gradients_take_the_place_of_activations():
    args = deep(20, 40)
    kept = value_and_grad(network, optimise={"release": False})
    released = value_and_grad(network)
    size = args[1].nbytes
    assert peak_of(kept, *args) > 40 * size
    assert peak_of(released, *args) < 30 * size
    assert "del " not in kept.source_for(*args)
    for own, other in zip(released(*args)[1], kept(*args)[1], strict=True):
        np.testing.assert_array_equal(own, other)


@pytest.mark.taken_apart
def test_so_they_do_where_the_matrices_stay_a_list():
    def chain(matrices, x):
        h = x
        for w in matrices:
            h = np.tanh(h @ w)
        return np.mean(h**2)

    layers, x = deep(20, 40)
    args = layers[:-1], x
    assert peak_of(value_and_grad(chain), *args) < 30 * x.nbytes
    made_first = value_and_grad(chain, optimise={"list_cotangents": False})
    assert peak_of(made_first, *args) > 40 * x.nbytes


@pytest.mark.taken_apart
def test_the_gradient_is_right_where_arrays_are_let_go():
    layers, x = deep(12, 3)
    assert "    del " in grad(network).source_for(layers, x)
    reference = central_difference_gradient(network, [layers, x])
    for own, other in zip(grad(network)(layers, x), reference, strict=True):
        np.testing.assert_allclose(own, other, rtol=1e-5, atol=1e-9)
    direction = [np.ones_like(w) for w in layers]
    assert "    del " in hvp(network).source_for(layers, x, direction)
    step = 1e-6
    ahead = grad(network)([w + step for w in layers], x)
    behind = grad(network)([w - step for w in layers], x)
    for exact, up, down in zip(
        hvp(network)(layers, x, direction), ahead, behind, strict=True
    ):
        np.testing.assert_allclose(
            exact, (up - down) / (2 * step), rtol=1e-4, atol=1e-8
        )


def test_a_pullback_keeps_its_residuals():
    from s2sad import vjp

    args = deep(20, 4)
    _, pullback = vjp(network, *args)
    first, second = pullback(1.0), pullback(1.0)
    for one, other in zip(first[0], second[0], strict=True):
        np.testing.assert_array_equal(one, other)


def test_small_programs_have_no_such_lines():
    def loss(w, b, x, y):
        return np.mean((np.tanh(x @ w + b) - y) ** 2)

    w, b, x, y = np.ones((3, 2)), np.ones(2), np.ones((5, 3)), np.ones((5, 2))
    assert "del " not in value_and_grad(loss, wrt=(0, 1)).source_for(w, b, x, y)


def released(text, counted="abcdef"):
    (definition,) = ast.parse(text).body
    return ast.unparse(with_releases(definition, frozenset(counted), slack=0))


@pytest.mark.parametrize(
    "line",
    [
        "key = lambda i: a[i]",
        "key = (a[i] for i in range(2))",
        "for i in range(2): a = np.exp(a)",
        "for i in range(2): a += 1.0",
    ],
)
def test_names_that_are_read_elsewhere_stay(line):
    text = (
        f"def f(x):\n a = x + 1\n {line}\n b = x + 2\n c = x + b\n d = x + c\n return d"
    )
    assert "del a" not in released(text)


def test_a_view_holds_the_whole():
    made = ["a = x + 1", "b = a.T[1:]", "c = x + x", "d = b + c", "e = d + c"]
    lines = released("\n ".join(["def f(x):", *made, "return e"])).splitlines()
    assert lines.index("    del a, b") == lines.index("    e = d + c") - 1


NAMES = "abcde"
EXPRESSIONS = st.one_of(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).map(
        lambda pair: "{} * {}".format(*pair)
    ),
    st.sampled_from(NAMES),
    st.sampled_from(NAMES).map("{}.T".format),
    st.sampled_from(NAMES).map("{}[:1] + x".format),
    st.sampled_from(NAMES).map("np.reshape({}, (2, 2))".format),
)
LINES = st.one_of(
    st.tuples(st.sampled_from(NAMES), EXPRESSIONS).map(
        lambda pair: "{} = {}".format(*pair)
    ),
    st.tuples(st.sampled_from(NAMES), EXPRESSIONS).map(
        lambda pair: "if x[0, 0] > 1: {} = {}".format(*pair)
    ),
    st.tuples(st.sampled_from(NAMES), EXPRESSIONS).map(
        lambda pair: "{} = ({}).copy(); {}[0] += 2.0".format(*pair, pair[0])
    ),
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).map(
        lambda pair: "{0}, {1} = {1} + 1.0, {0} + 2.0".format(*pair)
    ),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(LINES, min_size=3, max_size=14), st.sets(st.sampled_from(NAMES)))
def test_programs_give_what_they_gave(lines, counted):
    start = [f"{name} = x * {k}" for k, name in enumerate(NAMES, 2)]
    text = "def f(x):\n " + "\n ".join([*start, *lines, "return a + b[:1]"])
    results = []
    for program in (text, released(text, counted)):
        scope = {"np": np}
        exec(program, scope)
        results.append(scope["f"](np.array([[1.0, 2.0], [3.0, 4.0]])))
    np.testing.assert_array_equal(*results)
