"""Every rule of a function that Numba has, by the Numba backend; its text runs as
Python."""

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.testing.structures import copied
from tests.rules.test_rules import ACTIVE, name_of
from tests.support.numba_text import run_as_python

numba = pytest.importorskip("numba")


def is_known(function):
    """Whether Numba has the function."""
    context = numba.core.registry.cpu_target.typing_context
    context.refresh()
    try:
        context.resolve_value_type(function)
    except (TypeError, ValueError, numba.errors.TypingError):
        return False
    return True


FIRST = {p.case.function: p for p in reversed(ACTIVE) if not p.is_single}
KNOWN = [p for function, p in FIRST.items() if is_known(function)]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("program", KNOWN, ids=name_of)
def test_has_an_entry(program):
    expected = grad(program.function, program.active)(*program.arguments.values())
    compiled = grad(program.function, program.active, backend="numba")
    arguments = map(copied, program.arguments.values())
    with np.errstate(all="ignore"), run_as_python():
        found = compiled(*arguments)
    for part, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("power", ["n**-1", "pow(n, -1)"])
def test_whole_numbers_to_a_negative_power_are_refused(power, tmp_path):
    """Python gives a float there, and Numba 0."""
    function = written(f"def f(x, n, k):\n    return {power} * x\n", tmp_path)
    with pytest.raises(UnsupportedError, match="isn't known to the Numba backend"):
        grad(function, backend="numba")(1.5, 2, -1)


@pytest.mark.parametrize("base", ["n", "2", "np.array([2, 3])", "(n > 1)"])
@pytest.mark.parametrize("power", ["{}**k", "np.power({}, k)", "pow({}, k)"])
def test_whole_numbers_to_a_power_raise_where_it_turns_out_negative(
    base, power, tmp_path
):
    function = written(
        f"def f(x, n, k):\n    return np.sum({power.format(base)} * x)\n", tmp_path
    )
    compiled = grad(function, backend="numba")
    with run_as_python():
        assert compiled(1.5, 2, 3) == grad(function)(1.5, 2, 3)
        with pytest.raises(ValueError, match="negative"):
            compiled(1.5, 2, -1)


def test_powers_of_what_a_loop_counts_stay_as_they_are(tmp_path):
    lines = ["def f(x, n, k):", "    t = 0.0", "    for i in range(n):"]
    lines += ["        t += n**i * x * x", "    return t", ""]
    function = written("\n".join(lines), tmp_path)
    compiled = grad(function, backend="numba")
    with run_as_python():
        assert compiled(1.5, 3, 0) == grad(function)(1.5, 3, 0)
    assert "power_of_whole" not in compiled.source_for(1.5, 3, 0)


@pytest.mark.parametrize("power", ["n**2", "x**k", "pow(n * 1.0, k)", "pow(x, k)"])
def test_other_powers_are_those_of_python(power, tmp_path):
    function = written(f"def f(x, n, k):\n    return {power} * x * x\n", tmp_path)
    expected = grad(function)(1.5, 2, -1)
    with run_as_python():
        assert grad(function, backend="numba")(1.5, 2, -1) == pytest.approx(expected)


def written(text, directory):
    """The function ``f`` of a text."""
    path = directory / "powers.py"
    path.write_text(f"import numpy as np\n\n{text}")
    names = {}
    exec(compile(path.read_text(), str(path), "exec"), names)
    return names["f"]


def log_determinant(x):
    return np.linalg.slogdet(x @ x.T)[1]


@pytest.mark.parametrize("x", ([[1.3, 0.7], [0.2, 1.9]], [[1.0, 1.0], [1.0, 1.0]]))
def test_inverses_of_singular_matrices_are_nan(x):
    """What does so in plain Python is a try statement, which Numba doesn't compile."""
    found = grad(log_determinant, backend="numba")(np.array(x))
    np.testing.assert_allclose(found, grad(log_determinant)(np.array(x)), rtol=1e-12)
