"""An element that is set to zero and then added to is stored once."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "each element scaled": """
        def program(v, y):
            w = v * y
            for k in range(len(w)):
                w[k] = w[k] * y
            return np.sum(w * w)
    """,
    "read twice": """
        def program(v, y):
            w = v * y
            for k in range(len(w)):
                w[k] = w[k] * np.sin(w[k])
            return np.sum(w)
    """,
    "its neighbour in between": """
        def program(v, y):
            w = v * y
            for k in range(len(w)):
                w[k] = w[k - 1] * w[k]
            return np.sum(w)
    """,
    "the same element under another index": """
        def program(v, y):
            w = v[:1] * y
            for k in range(len(w)):
                w[k] = w[k - 1] * w[k] + w[0]
            return np.sum(w)
    """,
    "places that repeat": """
        def program(v, y):
            w = v * y
            places = np.array([0, 1, 0])
            w[places] = w[places] * v
            return np.sum(w)
    """,
    "a mask": """
        def program(v, y):
            w = v * y
            big = w > 0.0
            w[big] = w[big] * y
            return np.sum(w * w)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_stores(text):
    assert_differentiated(text)


def test_no_zero_is_stored():
    def damped(x, c):
        for k in range(len(x)):
            x[k] = c * x[k]
        return np.sum(x)

    text = grad(damped).source_for(np.ones(3), 0.5)
    assert "x_bar[k] = x_bar[k] * c" in text
    assert "0.0" not in text
