"""``reshape`` and ``ravel`` of which only the run knows whether they give a view."""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from s2sad import grad
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check

HEADER = """
TABLE = np.array([0.4, -0.9, 1.3])

def program(x, v, m, k):
    k = k % 3 + 1
"""
PROGRAMS = {
    "transposed, to given lengths": """
        n = m * x
        w = n.T.reshape(2, 3)
        w -= n[0, 0]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "transposed, to its own lengths": """
        n = m * x
        w = n.T.reshape(n.shape[1], -1)
        w[1, 0] *= n[0, 1]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "transposed, with an axis between": """
        n = m * x
        w = n.T.reshape(3, 1, 2)
        w[1] *= n[0, 1]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "some columns, or all": """
        n = m * x
        w = n[:, :k].reshape(-1)
        w[0] *= n[0, 1]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "some columns, or all, by ravel": """
        n = m * x
        w = n[:, :k].ravel()
        w[0] *= n[0, 1]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "some columns, or all, by ascontiguousarray": """
        n = m * x
        w = np.ascontiguousarray(n[:, 3 - k:])
        w[0] *= n[0, 1]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "every other element": """
        n = v * x
        w = n[::k].ravel()
        w[0] *= n[1]
        return np.sum(n**2) + np.sum(w**3)
    """,
    "in a loop": """
        n = m * x
        for i in range(3):
            w = n[:, i:].reshape(-1)
            w[0] *= n[0, 1]
            x += np.sum(w)
        return np.sum(n**2) + x
    """,
    "the base is written": """
        n = m * x
        w = n[:, :k].reshape(-1)
        n[0, 0] = x
        return np.sum(n**2) + np.sum(w**3)
    """,
    "again and again": """
        n = m * x
        w = n.T.reshape(2, 3)
        u = w.T.reshape(2, 3)
        u[0] += x
        w[1] *= u[0]
        return np.sum(n**2) + np.sum(w**3) + np.sum(u**2)
    """,
}
SURE = {
    "one long axis": """
        n = np.mean(m, axis=1, keepdims=True) * x
        n.ravel()[::2] = x
        n.T.ravel()[1] *= n[0, 0]
        return np.sum(n**2)
    """,
    "stacked vectors": """
        n = np.stack([e * v for e in v], axis=1)
        n.reshape(-1)[1:4] *= x
        return np.sum(n**2)
    """,
    "a row of a table": """
        n = x * TABLE[None]
        w = n.reshape(3)
        w[1] = x
        return np.sum(n**3)
    """,
}


def program_of(body: str) -> str:
    return IMPORTS + HEADER + textwrap.indent(textwrap.dedent(body).strip(), "    ")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", PROGRAMS)
def test_is_right_in_both_cases(name, seed):
    """By all derivatives, optimised and not."""
    outcome = check(program_of(PROGRAMS[name]), seed)
    assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)


@pytest.mark.parametrize("name", SURE)
def test_is_known(name):
    outcome = check(program_of(SURE[name]), 0)
    assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)


def transposed(m):
    n = m * 1.0
    w = n.T.reshape(2, 3)
    w[0] = 0.0
    return np.sum(n)


def test_which_it_is_depends_on_the_lengths():
    np.testing.assert_array_equal(grad(transposed)(np.ones((2, 3))), np.ones((2, 3)))
    seen = grad(transposed)(np.ones((3, 2)))
    np.testing.assert_array_equal(seen, [[0.0, 1.0]] * 3)


def test_the_layout_of_an_argument_is_checked():
    with pytest.raises(ValueError, match="layout of 'm'"):
        grad(transposed)(np.ones((3, 2), order="F"))
