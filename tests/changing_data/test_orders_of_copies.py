"""Copies that lie by columns: ``ravel`` and ``reshape`` of them copy where NumPy's do,
and what is computed from them lies so, too."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import UnsupportedError, grad, value_and_grad
from s2sad.testing import check_gradient
from tests.fuzz.checking import load

HEADER = """
import numpy as np

def weighted(q):
    return np.sum(q**2 * np.arange(1.0, q.size + 1).reshape(q.shape))

def program(x):
"""
M = np.array([[0.3, 0.9, 0.55], [1.3, 0.77, 0.12]])
COPIES = {
    "a method": "x.copy(order='F')",
    "a method, by place": "x.copy('F')",
    "a function": "np.copy(x, 'F')",
    "array": "np.array(x, order='F')",
    "array, of a dtype": "np.array(x, float, order='F')",
    "array, with more words": "np.array(x, order='F', copy=True, ndmin=1)",
    "array of rows": "np.array([x[0], x[1]], order='F')",
    "astype": "x.astype(float, order='F')",
    "astype, by place": "x.astype(float, 'F')",
    "astype that need not copy": "x.astype(float, order='F', copy=False)",
    "asarray": "np.asarray(x, order='F')",
    "asarray, by place": "np.asarray(x, None, 'F')",
    "asarray of what isn't given": "np.asarray(2.0 * x, order='F')",
    "asfortranarray": "np.asfortranarray(x)",
    "a sum": "np.array(x, order='F') + 1.0",
    "a function of elements": "np.exp(np.array(x, order='F'))",
    "a product with a row": "x[0] * np.copy(x, order='F')",
    "like it": "np.zeros_like(x.copy('F')) + x[0, 0]",
    "copied again": "np.copy(x.copy('F'))",
    "its copy by rows": "x.copy('F').copy()",
    "back by rows": "np.array(x.copy('F'), order='C')",
    "transposed by rows": "np.array(x.T, order='C')",
    "transposed, taken by rows": "np.asarray(x.T, order='C')",
    "transposed, taken by columns": "np.asarray(x.T, order='F')",
    "transposed twice": "x.T.copy('F').T",
}
WRITES = {
    "its ravel": "f = y.ravel(); f[1] = 3.0 * x[0, 0]",
    "its reshape": "f = y.reshape(-1); f[1] = 3.0 * x[0, 0]",
    "by columns": "f = y.ravel('F'); f[1] = 3.0 * x[0, 0]",
    "its transpose's": "f = y.T.reshape(-1); f[1] = 3.0 * x[0, 0]",
    "itself": "f = y.ravel(); y[0, 1] = 3.0 * x[0, 0]",
}


def program_of(body: str):
    return load(HEADER + textwrap.indent(body, "    "))["program"]


def assert_right(program, *args):
    with np.errstate(all="ignore"):
        for optimise in (True, False):
            value, _ = value_and_grad(program, optimise=optimise)(*args)
            assert value == pytest.approx(program(*(a.copy() for a in args)))
        assert check_gradient(program, *args).passed


@pytest.mark.sampled(6)
@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
@pytest.mark.parametrize("copy", COPIES.values(), ids=list(COPIES))
def test_a_write_is_seen_where_numpy_shows_it(copy, write):
    body = f"y = {copy}\n{write}\nreturn weighted(y) + weighted(f) + weighted(x)"
    assert_right(program_of(body), M)


def test_taken_by_columns_an_array_by_rows_is_copied():
    assert_right(
        program_of("z = np.asarray(x, order='F'); z[0, 1] = 3.0; return weighted(x)"), M
    )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("part", ["v", "v[::-1]", "v[::2]"])
def test_a_vector_backwards_is_copied_and_one_with_gaps_refused(part, order):
    body = f"v = 2.0 * x[0]; w = np.asarray({part}, order={order!r})"
    program = program_of(f"{body}; w[0] = x[1, 1]; return weighted(v)")
    if part == "v[::2]":
        with pytest.raises(UnsupportedError):
            grad(program)(M)
        return
    assert_right(program, M)


def test_an_array_that_may_have_one_column_is_refused_or_right():
    program = program_of("""\
y = np.array(x[:, : int(np.sum(x > 0.7))], order='F')
f = y.ravel()
f[1] = 3.0 * x[0, 0]
return weighted(y) + weighted(f)""")
    for scale in (1.0, 0.6):
        try:
            assert_right(program, scale * M)
        except UnsupportedError:
            pass


def test_a_copy_that_is_handed_on_lies_by_columns():
    """A function that is kept as a call asks what it is given."""
    program = load(
        HEADER.replace("def program(x):", "")
        + """
def changed(y, k):
    if k == 0:
        return 0.0
    f = y.ravel()
    f[k] *= 2.0
    return changed(y, k - 1) + weighted(f)

def program(x):
    y = np.array(x, order='F')
    return changed(y, 3) + weighted(y)
"""
    )["program"]
    with pytest.raises(ValueError, match="layout of 'y'"):
        grad(program)(M)


@pytest.mark.parametrize("order", ["'f'", "'c'", "'K'", "'A'", "None"])
def test_all_names_of_orders_are_known(order):
    body = f"y = np.array(x, order={order}); y *= 2.0; return weighted(y)"
    assert_right(program_of(body), M)
    body = f"return weighted(np.asarray(x, order={order}))"
    assert_right(program_of(body), M)


def test_an_order_that_the_run_decides_is_refused():
    program = program_of("""\
order = 'F' if x[0, 0] > 0.0 else 'C'
return weighted(np.array(x, order=order))""")
    with pytest.raises(UnsupportedError):
        grad(program)(M)


@pytest.mark.written_out
def test_where_nothing_is_written_copies_are_as_before():
    program = program_of("return weighted(x.copy('F') * np.array(x, order='F'))")
    assert "order" not in grad(program).source_for(M).split('"""')[2].split("#")[0]
    assert "np.copy(x)" in grad(program).source_for(M)


HISTOGRAM = "y = np.histogram2d(x[0], x[1], bins=2, weights=x[0])[0]\n"
OF_HISTOGRAMS = {
    "its multiple": "y = 2.0 * y; f = y.ravel(); f[0] = 3.0 * x[1, 1]",
    "its copy": "y = np.copy(y); f = y.ravel(); f[0] = 3.0 * x[1, 1]",
    "a row": "f = y[0].ravel(); f[0] = 3.0 * x[1, 1]",
    "itself": "y[0, 0] = 3.0 * x[1, 1]; f = y.ravel()",
}


@pytest.mark.parametrize("write", OF_HISTOGRAMS.values(), ids=list(OF_HISTOGRAMS))
def test_histograms_are_cut_out_of_larger_arrays(write):
    body = f"{HISTOGRAM}{write}\nreturn weighted(y) + weighted(f)"
    assert_right(program_of(body), M)


@pytest.mark.parametrize(
    "histogram",
    [HISTOGRAM, "y = np.histogramdd(x.T, bins=(2, 3), weights=x[0])[0]\n"],
)
def test_the_ravel_of_a_histogram_is_no_view(histogram):
    """Which it is with one bin along an axis."""
    body = f"{histogram}f = y.ravel(); f[0] = 3.0 * x[1, 1]; return weighted(y)"
    with pytest.raises(UnsupportedError):
        grad(program_of(body))(M)
