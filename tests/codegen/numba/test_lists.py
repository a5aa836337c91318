"""Lists of unknown length: the Numba backend gives what the NumPy backend gives, and
what differences give."""

import numpy as np
import pytest

from s2sad import grad, value_and_grad
from tests.codegen.numba import lists
from tests.codegen.numba.comparing import assert_same, differences

pytest.importorskip("numba")


@pytest.mark.sampled(6)
@pytest.mark.parametrize(
    ("function", "arguments"), lists.CASES, ids=[f.__name__ for f, _ in lists.CASES]
)
def test_gradients_of_lists(function, arguments):
    value, found = value_and_grad(function, backend="numba")(*arguments)
    assert_same(float(value), float(function(*arguments)))
    assert_same(found, grad(function)(*arguments))
    (close,) = differences(function, arguments, (0,))
    np.testing.assert_allclose(found, close, rtol=1e-5, atol=1e-6)


def test_what_is_appended_is_appended():
    text = grad(lists.kept_numbers, backend="numba").source_for(lists.X)
    assert "kept.append(" in text
    assert "grown" not in text
    text = grad(lists.in_while, backend="numba").source_for(lists.X)
    assert "_saved.append(" in text and "_saved.pop()" in text


def test_empty_lists_have_a_type():
    assert_same(
        grad(lists.kept_numbers, backend="numba")(-lists.X),
        grad(lists.kept_numbers)(-lists.X),
    )
