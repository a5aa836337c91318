"""An array of several elements has no truth: NumPy raises, and a handler may wait."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a test of nothing": """
        def program(x, v, m, k):
            try:
                if m:
                    pass
            except ValueError:
                x = 0.5
            return x
    """,
    "a test between lines that are done": """
        def program(x, v, m, k):
            t = x
            try:
                t = t * x
                if v > 0.5:
                    k = 3
                t = t * 3.0
            except ValueError:
                t = t + 0.5
            return t * k
    """,
    "loops and choices": """
        def program(x, v, m, k):
            t = x
            w = v[:k]
            try:
                t = t * x
                while w > 0.5:
                    w = w / 2.0
                    t = t * x
                t = t * (2.0 if w else 3.0)
            except ValueError:
                t = t + 0.5
            return t * k + np.sum(w)
    """,
    "operands of and and not": """
        def program(x, v, m, k):
            t = x
            try:
                y = v.sum() and m
                t = t * x
                if m > 0.2 and x > 0.1:
                    t = t * 3.0
                b = not m
            except ValueError:
                t = t + 0.5
            return t * k
    """,
    "arrays of one element": """
        def program(x, v, m, k):
            a = v[k % 3 : k % 3 + 1] * x
            if a > 0.1:
                a = a * 2.0
            while a > 0.3:
                a = a * 0.7
            return a[0] * (1.0 if a else x)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_truth_of_arrays(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(5))
