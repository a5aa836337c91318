"""Calls that stay calls under Numba: pairs that it compiles, and recursion."""

import contextlib
import math
import re

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad, vjp
from s2sad.codegen.numba.calls import residuals
from s2sad.errors import UnsupportedError
from tests.codegen.numba import calls
from tests.codegen.numba.comparing import assert_same, differences
from tests.frontend.test_kept_calls import doubling, functions_of, module_of
from tests.support.numba_text import run_as_python

numba = pytest.importorskip("numba")

KEPT = {"inlining": False}
of_cases = pytest.mark.parametrize(
    ("function", "arguments"),
    calls.CASES,
    ids=[f"{f.__name__}{k}" for k, (f, a) in enumerate(calls.CASES)],
)


def kept(transform, function, **words):
    return transform(function, backend="numba", optimise=KEPT, **words)


def check_gradient(function, arguments):
    value, found = kept(value_and_grad, function)(*arguments)
    assert_same(float(value), float(function(*arguments)))
    assert_same(found, grad(function)(*arguments))
    (close,) = differences(function, arguments, (0,))
    np.testing.assert_allclose(found, close, rtol=1e-5, atol=1e-6)


@pytest.mark.sampled(6)
@of_cases
def test_gradients_as_python(function, arguments):
    with run_as_python():
        check_gradient(function, arguments)


@pytest.mark.sampled(12)
@of_cases
def test_gradients(function, arguments):
    check_gradient(function, arguments)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("words", [0, 10**6])
@of_cases
def test_residuals_in_tuples_and_in_lists(function, arguments, words, monkeypatch):
    monkeypatch.setattr(residuals, "LARGEST_TUPLE", words)
    wanted = grad(function)(*arguments)
    with run_as_python():
        # no compiled form is found again that was made otherwise
        own = {"inlining": False, "cancelling": bool(words)}
        found = grad(function, backend="numba", optimise=own)(*arguments)
    assert_same(found, wanted)


@pytest.mark.sampled(16, of_long=3)
@of_cases
def test_second_derivatives(function, arguments):
    direction = np.cos(np.arange(float(arguments[0].size)))
    direction = direction.reshape(arguments[0].shape)
    found = kept(hvp, function, wrt=0)(*arguments, direction)
    wanted = hvp(function, wrt=0)(*arguments, direction)
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-10)


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("function", "arguments"), calls.RECURSIONS)
def test_tangents(function, arguments):
    x, *more = arguments
    direction = np.cos(np.arange(float(x.size))).reshape(x.shape)

    def of_first(x):
        return function(x, *more)

    found = jvp(of_first, (x,), (direction,), backend="numba")
    wanted = jvp(of_first, (x,), (direction,))
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_calls_are_written_out_while_the_program_is_short(request):
    if request.config.getoption("--keep-calls"):
        pytest.skip("all calls are kept")
    text = grad(calls.prices, backend="numba").source_for(calls.X, 1.0)
    assert functions_of(text) == ["prices_grad"]


def with_helpers(count):
    """A function of so many helpers, each called three times."""
    lines = []
    for k in range(count):
        lines += [f"def g{k}(x):", "    t = x"]
        lines += [f"    t = math.sin(t) * {j}.5 + math.cos(x * t)" for j in range(6)]
        lines.append("    return t")
    lines.append("def main(x):")
    lines += [f"    x = g{k}(x) + g{k}(0.5 * x) * g{k}(x + 1.0)" for k in range(count)]
    lines.append("    return x")
    return module_of("\n".join(lines) + "\n", "with_helpers")["main"]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", [doubling(7), with_helpers(6)])
def test_long_programs_keep_their_calls(function):
    arguments = (0.3, 0.8)[: function.__code__.co_argcount]
    with run_as_python():
        derived = grad(function, wrt="x", backend="numba")
        text = derived.source_for(*arguments)
        assert len(functions_of(text)) >= 9
        assert_same(derived(*arguments), grad(function, wrt="x")(*arguments))


@pytest.mark.long
def test_texts_and_tuples_grow_with_the_functions():
    lengths = []
    for depth in (6, 12, 18):
        function = doubling(depth)
        with run_as_python():
            derived = grad(function, wrt="x", backend="numba", optimise=KEPT)
            lengths.append(len(derived.source_for(0.3, 0.8)))
    assert lengths[2] < 1.25 * (2 * lengths[1] - lengths[0])


def test_a_recursion_keeps_its_calls_in_a_list():
    off = {"preaccumulation": False}
    text = grad(calls.powers, backend="numba", optimise=off).source_for(calls.X, 5)
    assert "calls = [(False, False, 0.0, 0.0, 0, 0, 0.0)][:0]" in text
    assert "return result, kept_call(calls, (" in re.sub(r"\s+", " ", text).replace(
        "return ( result, kept_call( calls, (", "return result, kept_call(calls, ("
    )
    assert re.search(r" = calls\[residuals\]", text)


def test_slices_cost_no_copies():
    """A recursion over parts of a matrix keeps views."""
    text = grad(calls.trace).source_for(calls.M, calls.M)
    assert "copy" not in text
    with run_as_python():
        derived = grad(calls.trace, backend="numba")
        text = derived.source_for(calls.M, calls.M)
    body = text.partition("def trace_forward")[2]
    assert "m[::1, ::1]" in body
    assert "ascontiguousarray" not in body


def test_data_is_read_at_each_call(monkeypatch):
    compiled = kept(grad, calls.data_of_the_module)
    compiled(calls.X)
    monkeypatch.setattr(calls, "RATES", np.array([1.5, -1.0]))
    (close,) = differences(calls.data_of_the_module, (calls.X,), (0,))
    np.testing.assert_allclose(compiled(calls.X), close, rtol=1e-5)


def test_a_helper_that_numba_cannot_take_is_refused_as_written_out():
    def tried(x):
        try:
            return math.log(x)
        except ValueError:
            return 0.0

    def f(x):
        return tried(x) * tried(x + 1.0)

    with pytest.raises(UnsupportedError, match="`try` isn't compiled"):
        kept(grad, f)(0.5)


def test_only_helpers_that_numba_cannot_take_are_written_out():
    def tried(x):
        with contextlib.suppress(ValueError):
            x = x * x
        return x

    def f(x):
        quiet = tried(2.0)  # nothing of it is left where it is written out
        return calls.price(x, quiet, 0.3) * calls.price(x, 1.0, 0.2)

    with run_as_python():
        text = kept(grad, f).source_for(0.7)
    assert "price_forward" in functions_of(text)
    assert "tried_forward" not in functions_of(text)


def test_pullbacks_of_recursions_of_numbers_keep_partial_derivatives():
    def f(x, n):
        total = 0.0
        for i in range(x.shape[0]):
            total += falling(x[i], n)
        return total

    found, pullback = kept(vjp_of, f)(calls.X, 5)
    wanted, other = vjp(f, calls.X, 5)
    assert_same(found, wanted)
    for seed in (1.0, -0.5):
        assert_same(pullback(seed), other(seed))


def test_pullbacks_keep_what_fits_into_tuples():
    found, pullback = kept(vjp_of, calls.data_of_the_module)(calls.X)
    wanted, other = vjp(calls.data_of_the_module, calls.X)
    assert_same(found, wanted)
    for seed in (1.0, -0.5):  # more than once
        assert_same(pullback(seed), other(seed))


def vjp_of(function, **words):
    from s2sad import differentiate

    words["options"] = None
    return differentiate(function, **words).vjp


def test_what_numba_cannot_compile_as_calls_is_compiled_as_one(monkeypatch):
    from s2sad.dispatch import numba_loading as loading

    compile_for = loading.compile_for
    refused = []

    def compile_one(core, arguments):
        if not refused:
            refused.append(core)
            raise TypeError("Numba says no")
        compile_for(core, arguments)

    monkeypatch.setattr(loading, "compile_for", compile_one)

    def f(x):
        return calls.rated(x) * calls.rated(x + 1.0)

    derived = kept(grad, f)
    assert_same(derived(0.4), grad(f)(0.4))
    assert refused
    assert functions_of(derived.source_for(0.4))[-1] == "f_grad_compiled"


def test_parallel_loops_call_none_that_keep_residuals():
    def f(x):
        total = 0.0
        for i in numba.prange(x.shape[0]):
            total += calls.price(x[i], 1.0, 0.3) * calls.price(x[i], 1.0, 0.2)
        return total

    def recursive(x):
        total = 0.0
        for i in numba.prange(x.shape[0]):
            total += falling(x[i], 3)
        return total

    def runs_at_once(text):
        return "in numba.prange(" in text.replace("# for i in numba.prange", "")

    options = {"parallel": True}
    with run_as_python():
        text = kept(grad, f, options=options).source_for(calls.X)
        assert functions_of(text) == ["f_grad"]
        assert runs_at_once(text)
        derived = kept(grad, recursive, options=options)
        assert runs_at_once(derived.source_for(calls.X))
        assert_same(derived(calls.X), grad(recursive)(calls.X))
        off = {**KEPT, "preaccumulation": False}
        derived = grad(recursive, backend="numba", optimise=off, options=options)
        assert not runs_at_once(derived.source_for(calls.X))


@pytest.mark.long
def test_views_of_any_layout_are_not_copied_in_recursion():
    def row_sums(m):
        if m.shape[1] == 1:
            return np.sum(m[:, 0] ** 2)
        return math.sin(np.sum(m[:, 0])) + row_sums(m[:, 1:])

    def f(m):
        return row_sums(m)

    m = np.linspace(0.1, 0.9, 12).reshape(3, 4)
    for given in (m, np.asfortranarray(m), m[::-1, ::2]):
        assert_same(grad(f, backend="numba")(given), grad(f)(given))


def bent(x, c):
    return math.sin(x) * c + x


def falling(x, n):
    if n < 2:
        return x
    return falling(x, n - 1) * bent(x, 0.5) + falling(x * 0.5, n - 2)


def test_products_by_several_partial_derivatives_are_numbers():
    def f(x, k):
        total = 0.0
        for i in range(x.shape[0]):
            total += bent(x[i], k) * falling(k, 2) + falling(x[i], 4)
        return total

    with run_as_python():
        found = kept(grad, f, wrt=("x", "k"))(calls.X, 0.4)
    assert_same(found, grad(f, ("x", "k"))(calls.X, 0.4))


def rooted(x):
    return math.sqrt(x * x + 0.2) * math.sin(x) + x


def test_residuals_where_a_later_call_asks_for_them():
    """The last call is met first, and partial derivatives are enough for it."""

    def f(x, y):
        a = rooted(x)
        largest = max(a, y)
        c = rooted(largest)
        b = rooted(y * c)
        if b > 100.0:
            return b
        return largest * b + b

    with run_as_python():
        derived = kept(grad, f, wrt=("x", "y"))
        assert "rooted_forward" in functions_of(derived.source_for(0.4, 0.7))
        for x, y in ((0.4, 0.7), (0.9, 0.05)):
            assert_same(derived(x, y), grad(f, ("x", "y"))(x, y))
