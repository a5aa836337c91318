"""Sparse Jacobians of random programs against tangents, one by one."""

from __future__ import annotations

import contextlib
import random

import numpy as np
import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.fuzz.aliases import alias_program
from tests.fuzz.checking import draw_arguments, load
from tests.fuzz.generator import random_program

MADE = {
    "plain": lambda seed: random_program(seed),
    "stores": lambda seed: random_program(seed, stores=True),
    "containers": lambda seed: random_program(seed, containers=True),
    "aliases": alias_program,
}


def copied(values):
    return [v.copy() if isinstance(v, np.ndarray) else v for v in values]


class LeftOut(Exception):
    """A program that fails by itself, or isn't differentiated."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", MADE)
def test_entries_are_those_of_tangents(kind):
    compared = 0
    for seed in range(500, 520):
        with contextlib.suppress(LeftOut):
            compare(MADE[kind](seed), seed)
            compared += 1
        if compared == 3:
            return
    raise AssertionError(f"all but {compared} of 20 programs are left out")


def compare(text, seed):
    """Each entry of the sparse Jacobian of a program is that of a tangent."""
    names, values = draw_arguments(text, seed)
    with np.errstate(all="ignore"):
        try:
            result = load(text)["program"](*copied(values))
        except (ArithmeticError, ValueError, IndexError) as error:
            raise LeftOut from error
        listed = ", ".join(names)
        if isinstance(result, tuple):
            parts = "".join(f"np.ravel(out[{k}]), " for k in range(len(result)))
            whole = f"np.concatenate(({parts}))"
        else:
            whole = "out"
        text += f"\n\ndef flat({listed}):\n    out = program({listed})\n"
        function = load(text + f"    return {whole}\n")["flat"]
        arrays = [n for n, v in zip(names, values) if np.ndim(v)]
        name = random.Random(seed).choice(arrays or ["x"])
        place = names.index(name)
        x = np.asarray(values[place])
        columns = []
        for k in range(x.size):
            unit = np.zeros(x.size)
            unit[k] = 1.0
            tangents: list = [None] * len(values)
            tangents[place] = unit.reshape(x.shape)[()]
            try:
                found = s2sad.jvp(function, copied(values), tangents)
            except UnsupportedError as error:
                raise LeftOut from error
            columns.append(np.ravel(found[1]))
        jacobian = s2sad.sparse_jacobian(function, name)
        found = jacobian(*copied(values)).toarray()
        np.testing.assert_allclose(found, np.transpose(columns), rtol=1e-7, atol=1e-9)
