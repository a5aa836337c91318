"""What results depend on, by operation: never less than finite differences show.

One program of each function of the rules' tables, and more of those that have a form of
their own.
"""

from __future__ import annotations

import pathlib
import tempfile

import numpy as np
import pytest

import s2sad
from s2sad import ops
from s2sad.rules.load import load_all
from tests.rules.cases import ARRAYS, ELEMENTS, PRODUCTS
from tests.rules.rule_programs import rule_programs

load_all()
_directory = tempfile.TemporaryDirectory(prefix="s2sad-dependencies-")
_place = pathlib.Path(_directory.name)
CASES = [
    (ELEMENTS, "s2sad_dependent_elements", False),
    (ARRAYS, "s2sad_dependent_arrays", True),
    (PRODUCTS, "s2sad_dependent_products", True),
]
A_FUNCTION = 3
"""So many programs of each function."""


def _chosen():
    counts: dict[object, int] = {}
    for cases, module, literal in CASES:
        made = rule_programs(
            cases, module, _place, literal_numbers=literal, summed=False
        )
        for program in made:
            function = program.case.function
            usable = program.active and not program.is_complex and program.is_numeric
            if usable and not program.is_single and program.case.expected is None:
                counts[function] = counts.get(function, 0) + 1
                if counts[function] <= (
                    6 if ops.does(function, ops.Does.MOVES) else A_FUNCTION
                ):
                    yield program


PROGRAMS = list(_chosen())


def copied(value):
    return value.copy() if isinstance(value, np.ndarray) else value


def depends(program, name):
    """Which results change with which element of an argument."""
    arguments = program.arguments
    x = np.asarray(arguments[name])

    def value(moved):
        given = {n: copied(v) for n, v in arguments.items()}
        given[name] = moved if np.ndim(x) else float(moved)
        return program.function(*given.values())

    base = value(x.copy())
    columns = []
    for k in range(x.size):
        moved = x.copy().reshape(-1)
        moved[k] += 1e-4
        found = value(moved.reshape(x.shape))
        columns.append(found != base if found.shape == base.shape else base != base)
    return np.array(columns, bool).reshape(x.size, base.size).T


@pytest.mark.sampled(8)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.name)
def test_structures_lack_nothing(program):
    with np.errstate(all="ignore"):
        for name in program.active:
            jacobian = s2sad.sparse_jacobian(program.function, name)
            values = map(copied, program.arguments.values())
            found = jacobian.structure(*values).toarray()
            expected = depends(program, name)
            assert found.shape == expected.shape
            assert not (expected & ~found).any()


def test_nodes_change_only_where_values_do():
    def attempted(x, limit):
        y = x * 1.0
        try:
            y = y * np.roll(x, 1)
            if x[0] > limit:
                raise ValueError
            y = y * x[2]
        except ValueError:
            y = y + 1.0
        return y

    jacobian = s2sad.sparse_jacobian(attempted)
    x = np.array([0.5, 0.7, 0.9, 0.4])
    assert jacobian.structure(x, 0.6).nnz == 3 + 3 + 2 + 2
    assert jacobian.structure(x, 0.4).nnz == 8
    np.testing.assert_allclose(
        jacobian(x, 0.6).toarray(), s2sad.jacobian(attempted)(x, 0.6)
    )


def test_values_of_an_earlier_step():
    def f(x):
        y = np.zeros(len(x))
        a = x[0]
        b = np.sin(a)
        for i in range(1, len(x)):
            a = x[i] * 2.0
            y[i] = b * 3.0
            if i % 2:
                b = np.sin(a)
        return y

    x = np.array([0.5, 0.7, 0.9, 0.4, 0.3])
    np.testing.assert_allclose(
        s2sad.sparse_jacobian(f)(x).toarray(), s2sad.jacobian(f)(x)
    )


def test_a_rule_in_place_of_ours_may_have_another_derivative():
    from s2sad import rule
    from s2sad.rules.registry import register, rule_for

    def f(x):
        return np.flip(x) * 2.0

    own = rule_for(np.flip)
    assert own is not None
    x = np.array([0.5, 0.7, 0.9])
    assert s2sad.sparse_jacobian(f).structure(x).nnz == 3

    try:

        @rule.reverse_of(np.flip, kind=own.kind)
        def _(m, *, out, out_bar):
            return np.sum(out_bar) * m

        assert s2sad.sparse_jacobian(f).structure(x).nnz == 9
    finally:
        register(own)


def test_stores_into_views_and_copies():
    def f(x):
        y = x * 2.0
        part = y[1:3]
        other = part.copy()
        part[0] = x[0] * x[3]
        other[1] = x[0]
        z = np.zeros((2, 2))
        z[0] = part
        z.T[1] = other
        return np.concatenate((y, np.ravel(z)))

    x = np.array([0.5, 0.7, 0.9, 0.4])
    np.testing.assert_allclose(
        s2sad.sparse_jacobian(f)(x).toarray(), s2sad.jacobian(f)(x)
    )


def test_long_loops_take_time_in_proportion():
    def running(x):
        total = 0.0
        y = np.zeros(len(x))
        for i in range(len(x)):
            total = total + x[i] ** 2
            y[i] = np.sin(x[i])
        y[0] = total
        return y

    structure = s2sad.sparse_jacobian(running).structure(np.ones(3000))
    assert structure.nnz == 3000 + 2999
