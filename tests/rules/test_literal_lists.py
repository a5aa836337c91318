"""Lists written where NumPy takes an array, beside arrays that are differentiated."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from s2sad import grad, jvp
from s2sad.testing import check_grads

CALLS = (
    *("np.dot({l}, v)", "np.dot(v, {l})", "v @ {l}", "{l} @ v", "m @ {l}"),
    *("np.inner({l}, v)", "np.vdot({l}, v)", "np.matmul({l}, v)", "v.dot({l})"),
    *("np.outer({l}, v)", "np.outer(v, {l})", "np.cross({l}, v)", "np.cross(v, {l})"),
    *("np.kron({l}, v)", "np.tensordot({l}, v, 1)", "np.einsum('i,ij->j', {l}, m)"),
    *("np.dot([{l}, [1, 2, 3]], m)", "{l} * v", "v * {l}", "v + {l}", "{l} - v"),
    *("v / {l}", "v**{l}", "np.add({l}, v)", "np.maximum({l}, v)", "np.hypot(v, {l})"),
    *("np.arctan2(v, {l})", "np.logaddexp({l}, v)", "np.copysign(v, {l})"),
    *("np.where([True, False, True], v, {l})", "np.clip(v, {l}, [3.0, 3.0, 3.0])"),
    *("np.convolve(v, {l})", "np.average(v, weights=[1.0, 2.0, 3.0]) * v"),
    *("np.trapezoid(v, {l}) * v", "np.linalg.solve(m, {l})", "np.append(v, {l})"),
    *("np.concatenate([{l}, v])", "np.stack([v, {l}])", "np.vstack([{l}, v])"),
    *("np.interp(v, [0.0, 1.0, 4.0], {l})", "np.full(3, {l}) * v", "v * np.array({l})"),
    *("np.polyval({l}, v)", "np.linalg.norm(v - {l}) * v", "np.cumsum({l}) * v"),
    "np.select([[True, False, True]], [v], {l})",
)
LITERALS = {
    "ints": "[2, 3, 1]",
    "varying": "[v[0], 2.0 * v[1], 0.5]",
    "tuple": "(0.5, 0.25, 1.5)",
}
CASES = [
    (call, name)
    for k, call in enumerate(CALLS)
    for name in tuple(LITERALS)[k % 3 : k % 3 + 1]
    if "{l} @" not in call or name != "tuple" or "v" in call
]
V, M = np.array([1.1, 2.2, 3.3]), np.arange(9.0).reshape(3, 3) + 2 * np.eye(3)


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """The functions in a module, for s2sad reads their text."""
    path = tmp_path_factory.mktemp("literals") / "literal_lists.py"
    lines = ["import numpy as np"]
    for k, (call, name) in enumerate(CASES):
        lines.append(f"def call_{k}(v, m): return {call.format(l=LITERALS[name])}")
    path.write_text("\n".join(lines))
    specification = importlib.util.spec_from_file_location("literal_lists", path)
    loaded = importlib.util.module_from_spec(specification)
    sys.modules["literal_lists"] = loaded
    specification.loader.exec_module(loaded)
    yield vars(loaded)
    del sys.modules["literal_lists"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("k", range(len(CASES)), ids=map(" with ".join, CASES))
def test_calls(functions, k):
    report = check_grads(functions[f"call_{k}"], (V, M), order=1 + (k % 8 == 0))
    assert report.passed, str(report)


OF_LISTS = {
    "array * list": (lambda x: np.sum(np.array([1.0, 2.0]) * x), [1.0, 2.0]),
    "function * list": (
        lambda x: np.sum(np.sin(x) * x),
        [1.3817732906760363, 0.0770037537313969],
    ),
    "both": (lambda x: np.sum(np.outer(x, x)), [6.0, 6.0]),
    "matrix product": (lambda x: np.dot(x, [1, 2]), [1.0, 2.0]),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", OF_LISTS)
def test_arguments(name):
    function, expected = OF_LISTS[name]
    found = grad(function)([1.0, 2.0])
    assert type(found) is list
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(grad(function)((1.0, 2.0)), expected)
    _, tangent = jvp(function, ([1.0, 2.0],), ([0.5, 1.0],))
    np.testing.assert_allclose(tangent, np.dot(expected, [0.5, 1.0]))


def test_lists_of_run_time_length():
    def f(x: list[float]):
        squares = [a * a for a in x]
        return np.sum(np.sin(squares) * x) + np.dot(squares, x)

    x = np.array([0.3, 1.2, 0.7])
    expected = 2 * x**2 * np.cos(x * x) + np.sin(x * x) + 3 * x * x
    np.testing.assert_allclose(grad(f)(x.tolist()), expected)
