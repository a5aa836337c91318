"""Data of namespaces that share the name of a module, as code has that ``exec`` ran,
and a file that was loaded twice: it is read where the code is, or refused."""

import itertools
import linecache
import sys
import types

import numpy as np
import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from s2sad.source.text.resolve import is_apart, namespace_name

X = np.array([1.0, 2.0])
INNER = "def inner(x):\n    return np.sum(A * x)\n"
OUTER = "def outer(x):\n    return np.sum(A * x ** 2) + inner(x)\n"
_count = itertools.count()


def ran(text, name, **names):
    """The namespace that a text leaves behind."""
    file = f"<namespace {next(_count)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    namespace = {"np": np, **names}
    if name is not None:
        namespace["__name__"] = name
    exec(compile(text, file, "exec"), namespace)
    return namespace


@pytest.mark.parametrize("name", [None, "__main__", "no_such_module", "math"])
def test_one_namespace(name):
    names = ran(INNER + OUTER, name, A=np.array([1.0, 2.0]))
    np.testing.assert_allclose(grad(names["outer"])(X), 2 * X * [1, 2] + [1, 2])
    names["A"] = np.array([3.0, 5.0])
    np.testing.assert_allclose(grad(names["outer"])(X), 2 * X * [3, 5] + [3, 5])


@pytest.mark.parametrize("name", [None, "__main__", "no_such_module", "math"])
def test_another_namespace_of_that_name(name):
    inner = ran(INNER, name, A=np.array([10.0, 20.0]))["inner"]
    outer = ran(OUTER, name, A=np.array([1.0, 2.0]), inner=inner)["outer"]
    with pytest.raises(UnsupportedError, match="in no module that can be imported"):
        grad(outer)(X)


def test_a_module_and_a_namespace_of_its_name():
    """As doctests have one: a copy of the module's names."""
    module = types.ModuleType("module_with_a_copy")
    sys.modules[module.__name__] = module
    try:
        found = ran(INNER, module.__name__, A=np.array([10.0, 20.0]))
        vars(module).update(found)
        exec(INNER, vars(module))
        linecache.cache["<string>"] = (
            len(INNER),
            None,
            INNER.splitlines(True),
            "<string>",
        )
        outer = ran(OUTER, module.__name__, A=np.array([1.0, 2.0]), inner=module.inner)[
            "outer"
        ]
        np.testing.assert_allclose(grad(outer)(X), 2 * X * [1, 2] + [10, 20])
    finally:
        del sys.modules[module.__name__], linecache.cache["<string>"]


def test_names():
    assert namespace_name("math", vars(sys.modules["math"])) == "math"
    assert is_apart(namespace_name("math", {})) and is_apart(namespace_name("", {}))
    assert not is_apart("math")
