"""Functions that see the names of the function that calls them: those of a derivative
are others."""

import inspect
import sys
import textwrap
import types

import pytest

from s2sad import UnsupportedError, grad
from s2sad.source.static.module import static_functions
from s2sad.transpile.files import Transpilation, transpiled

FACTOR = 5.0


def of_own_module(x):
    return x * globals()["FACTOR"]


def by_dir(x):
    y = 2.0 * x
    return y * len(dir())


def by_vars(x):
    y = 2.0 * x
    return y * len(vars())


def by_locals(x):
    return x * len(locals())


def by_frame(x):
    return x * len(inspect.currentframe().f_locals)


def by_system_frame(x):
    return x * len(sys._getframe().f_locals)


def by_stack(x):
    return x * len(inspect.stack()[0].frame.f_locals)


def test_the_module_of_the_function_is_that_of_its_derivative():
    assert grad(of_own_module)(2.0) == 5.0


@pytest.mark.parametrize(
    "f", [by_dir, by_vars, by_locals, by_frame, by_system_frame, by_stack]
)
def test_names_of_the_function_are_refused(f):
    with pytest.raises(UnsupportedError, match="works on the names"):
        grad(f)(2.0)


@pytest.mark.parametrize("optimise", [True, {"inlining": False}])
@pytest.mark.parametrize("read", ["['FACTOR']", ".get('FACTOR', 1.0)"])
def test_names_of_another_module_are_refused(tmp_path, monkeypatch, read, optimise):
    path = tmp_path / "other_factors.py"
    text = f"""
        FACTOR = 7.0

        def scaled(x):
            return x * globals(){read}
        """
    path.write_text(textwrap.dedent(text))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, path.stem, raising=False)
    module: types.ModuleType = __import__(path.stem)

    def f(x):
        return module.scaled(x)

    assert f(2.0) == 14.0
    with pytest.raises(UnsupportedError, match="globals works on the names"):
        grad(f, optimise=optimise)(2.0)


def test_names_of_a_module_are_refused_in_files(tmp_path):
    path = tmp_path / "factors.py"
    path.write_text(
        'FACTOR = 7.0\n\ndef f(x: float):\n    return x * globals()["FACTOR"]\n'
    )
    with pytest.raises(UnsupportedError, match="globals works on the names"):
        transpiled(Transpilation(static_functions(path), names=("f",)))
