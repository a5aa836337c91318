"""What a function gives may be the memory of its arguments: written into afterwards,
under either name, the other shows it where NumPy's does."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import numpy as np
import pytest

from s2sad import value_and_grad
from s2sad.errors import ArgumentError, UnsupportedError
from tests.fuzz.checking import load
from tests.rules.cases import CASES
from tests.rules.cases.form import Case
from tests.rules.rule_programs import _call, _Writer

WRITES = ("out[...] = 0.25", "out *= 3.0", "{0}[...] = 0.5", "{0} *= 2.0")
PROGRAM = """
import bisect
import math
import numpy as np

def program({parameters}):
    out = {call}
    {write}
    return {sums} + np.sum(out * 1.5)
"""


MATRIX = np.arange(6.0).reshape(2, 3) + 0.5
VECTOR = np.arange(4.0) + 0.5
OTHERS = {
    **dict.fromkeys(
        ("a0.conj()", "a0.view()", "a0.reshape(-1)", "a0.flatten()"), MATRIX
    ),
    **dict.fromkeys(("np.diff(a0, 0)", "np.diff(a0, n=0)", "a0[:, None]"), MATRIX),
    **dict.fromkeys(("np.choose(0, [a0])", "np.choose(1, [2.0, a0])"), VECTOR),
    **dict.fromkeys(("np.asfortranarray(a0)", "np.squeeze(a0[None])"), VECTOR),
    **dict.fromkeys(
        ("a0.astype(float, copy=False)", "np.array(a0, copy=False)"), MATRIX
    ),
    **dict.fromkeys(("np.asarray(a0, float)", "np.asarray(a0, np.float32)"), MATRIX),
    **dict.fromkeys(("np.real(a0)", "a0.real", "a0.T", "np.flip(a0).T"), MATRIX),
    **dict.fromkeys(("np.repeat(a0, 1)", "np.tile(a0, 1)", "np.roll(a0, 0)"), VECTOR),
    **dict.fromkeys(("np.clip(a0, None, None)", "np.round(a0)", "+a0"), VECTOR),
    **dict.fromkeys(
        ("np.pad(a0, 0)", "np.append(a0, [])", "np.delete(a0, [])"), VECTOR
    ),
    **dict.fromkeys(("np.nan_to_num(a0, copy=False)", "np.trim_zeros(a0)"), VECTOR),
    **dict.fromkeys(("np.resize(a0, 4)", "np.insert(a0, 0, [])", "a0[...]"), VECTOR),
    **dict.fromkeys(("a0[[0, 1]]", "a0[a0 > 0.0]", "a0[1:]", "np.unwrap(a0)"), VECTOR),
}
"""Other calls, each of one array."""


def calls() -> Iterator[tuple[str, dict]]:
    """Each function of NumPy, and each method of that name, once."""
    seen: set[str] = set()
    for case in CASES:
        for call, parameters in written(case):
            form = call.partition("(")[0]
            if form not in seen and not any(c in call for c in ("<", "[", "empty")):
                seen.add(form)
                yield call, parameters
    for call, array in OTHERS.items():
        yield call, {"a0": array}


def written(case: Case) -> list[tuple[str, dict]]:
    function = case.function
    writer = _Writer(True)
    words = [writer.argument(v, f"a{k}", True) for k, v in enumerate(case.arguments)]
    given = case.keywords.items()
    words += [f"{word}={writer.argument(v, word, True)}" for word, v in given]
    if not arrays_in(writer.parameters):
        return []
    texts = [_call(function, words)]
    name = function.__name__
    method = getattr(np, name, None) is function and callable(
        getattr(np.ndarray, name, None)
    )
    if method and words[0] in arrays_in(writer.parameters):
        texts.append(f"{words[0]}.{name}({', '.join(words[1:])})")
    known = ("np.", "a0", "abs(", "pow(", "sum(")
    return [(text, writer.parameters) for text in texts if text.startswith(known)]


def arrays_in(parameters: dict) -> list[str]:
    return [
        name
        for name, value in parameters.items()
        if isinstance(value, np.ndarray) and value.ndim and value.dtype.kind == "f"
    ]


FOUND = dict(calls())


@pytest.mark.sampled(12, of_long=3)
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", FOUND)
def test_a_write_is_seen_where_numpy_shows_it(call):
    parameters = FOUND[call]
    arrays = arrays_in(parameters)
    sums = " + ".join(f"np.sum({name} * {name})" for name in arrays)
    names = ", ".join(parameters)
    for write in WRITES:
        line = write.format(arrays[0])
        text = PROGRAM.format(parameters=names, call=call, write=line, sums=sums)
        program = load(text)["program"]
        given = {name: copy.copy(value) for name, value in parameters.items()}
        with np.errstate(all="ignore"):
            try:
                value = program(*copy.deepcopy(list(given.values())))
            except (ValueError, TypeError, AttributeError):
                continue  # what it gives can't be written into
            derivative = value_and_grad(program, wrt=tuple(arrays))
            try:
                found, _ = derivative(*given.values())
            except (UnsupportedError, ArgumentError):
                continue
            except ValueError as error:  # it says what to pass
                assert "shares memory" in str(error) or "layout" in str(error)
                continue
        np.testing.assert_allclose(found, value, rtol=1e-6, err_msg=text)
        for name, before in parameters.items():
            np.testing.assert_array_equal(given[name], before, err_msg=text)


def test_there_are_enough():
    assert len(FOUND) > 250 and "a0.conjugate()" in FOUND and "a0 + a1" in FOUND
