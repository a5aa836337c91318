"""``np.put`` and ``np.putmask`` without places, or without values, change nothing."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import value_and_grad
from s2sad.testing import check_gradient
from tests.fuzz.checking import load

HEADER = """
import numpy as np

def program(x):
    x = 1.0 * x
"""
VECTOR, MATRIX = np.array([0.3, 1.0, 1.7]), np.array([[0.3, 0.9], [1.3, 0.7]])
WRITES = {
    "no places": "np.put(x, [], 3.0)",
    "no places, in a tuple": "np.put(x, (), 3.0)",
    "no places, by the method": "x.put([], x[0])",
    "no places, in an array": "np.put(x, np.array([], int), 3.0)",
    "no places that the run finds": "np.put(x, np.nonzero(x.ravel() > 5.0)[0], 3.0)",
    "a list that stays empty": """
        places = [k for k in range(3) if x.ravel()[k] > 5.0]
        np.put(x, places, 3.0)
    """,
    "no values": "np.put(x, [0, 1], [])",
    "no values for a mask": "np.putmask(x, x > 0.5, [])",
    "values that the run finds": "np.put(x, [0, 1], x[x > 1.1])",
    "no values that the run finds": "np.put(x, [0, 1], x[x > 5.0])",
    "no values for a mask that the run finds": "np.putmask(x, x > 0.5, x[x > 5.0])",
    "values in a list that stays empty": """
        values = [v for v in x.ravel() if v > 5.0]
        np.put(x, [0, 1], values)
    """,
    "values in a list": """
        values = [2.0 * v for v in x.ravel() if v > 0.5]
        np.put(x, [0, 1], values)
    """,
}


@pytest.mark.parametrize("array", [VECTOR, MATRIX], ids=["vector", "matrix"])
@pytest.mark.parametrize("write", WRITES.values(), ids=list(WRITES))
def test_is_right(write, array):
    body = textwrap.dedent(write).strip()
    body += "\nreturn np.sum(x**2 * np.arange(1.0, x.size + 1).reshape(x.shape))"
    program = load(HEADER + textwrap.indent(body, "    "))["program"]
    for optimise in (True, False):
        value, _ = value_and_grad(program, optimise=optimise)(array)
        assert value == pytest.approx(program(array))
    assert check_gradient(program, array).passed
