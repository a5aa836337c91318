"""Functions that are nested as deeply as Python takes them, and parsing in threads."""

from __future__ import annotations

import ast
import importlib.util
import linecache
import sys
import threading

import numpy as np
import pytest

from s2sad import grad, hvp, jvp
from s2sad.errors import SourceError
from s2sad.source.text import parsed
from s2sad.source.text.deep_recursion import with_room

HEAD = """
import numpy as np

class Node:
    value = 1.5

root = node = Node()
for _ in range(300):
    node.next = Node()
    node = node.next
"""
FUNCTIONS = {
    "elif": (
        "if x < 0:\n    return x\n"
        + "".join(f"elif x < {k}:\n    return x * {k}.0\n" for k in range(1, 99))
        + "return 0.0",
        7.5,
        8.0,
    ),
    "sum": ("return " + " + ".join(f"x * {k}.0" for k in range(300)), 1.0, 44850.0),
    "product": ("return " + " * ".join(["x"] * 200), 1.0, 200.0),
    "parentheses": ("return " + "(" * 95 + "x" + " * 1.0)" * 95, 0.5, 1.0),
    "calls": ("return " + "np.abs(" * 90 + "x" + ")" * 90, 0.5, 1.0),
    "and": ("return x if " + " and ".join(["x > 0"] * 60) + " else -x", 0.5, 1.0),
    "or": ("return x if " + " or ".join(["x < 0"] * 60) + " else -x", 0.5, -1.0),
    "minus": ("return " + "-" * 150 + "x", 0.5, 1.0),
    "choice": (
        "return " + "".join(f"{k} * x if x < {k} else " for k in range(1, 90)) + "x",
        9.5,
        10.0,
    ),
    "comparisons": (
        "return x if " + " < ".join(map(str, range(300))) + " else -x",
        0.5,
        1.0,
    ),
    "attributes": ("return x * root" + ".next" * 299 + ".value", 2.0, 1.5),
}
LONG = {
    "sum": ("return " + " + ".join(f"x * {k}.0" for k in range(1000)), 1.0, 499500.0),
    "and": ("return x if " + " and ".join(["x > 0"] * 200) + " else -x", 0.5, 1.0),
}


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """The functions in a module each, for s2sad reads the text of whole modules."""
    directory, found = tmp_path_factory.mktemp("deep"), {}
    for group, bodies in (("short", FUNCTIONS), ("long", LONG)):
        for name, (body, *_) in bodies.items():
            path = directory / f"deep_{group}_{name}.py"
            lines = "\n    ".join(body.split("\n"))
            path.write_text(f"{HEAD}\ndef f(x):\n    {lines}\n")
            specification = importlib.util.spec_from_file_location(path.stem, path)
            loaded = importlib.util.module_from_spec(specification)
            sys.modules[path.stem] = loaded
            specification.loader.exec_module(loaded)
            found[group, name] = loaded.f
    yield found
    for group, name in found:
        del sys.modules[f"deep_{group}_{name}"]


QUICK = ("parentheses", "minus", "comparisons", "attributes", "choice")


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=() if n in QUICK else pytest.mark.long) for n in FUNCTIONS],
)
def test_gradients(functions, name):
    _, x, expected = FUNCTIONS[name]
    f, limit = functions["short", name], sys.getrecursionlimit()
    assert grad(f)(x) == pytest.approx(expected)
    assert jvp(f, (x,), (2.0,)) == pytest.approx((f(x), 2.0 * expected))
    assert sys.getrecursionlimit() == limit


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_longer_ones(functions, name):
    _, x, expected = LONG[name]
    f = functions["long", name]
    assert grad(f)(x) == pytest.approx(expected)
    assert hvp(f)(x, 1.0) == 0.0


def test_elif(functions):
    assert grad(functions["short", "elif"])(7.5) == 8.0


@pytest.mark.long
def test_many_parameters():
    names = [f"a{k}" for k in range(300)]
    text = f"lambda {', '.join(names)}: {' + '.join(f'{n} * {n}' for n in names)}"
    namespace = {}
    filename = "<many parameters>"
    source = f"f = {text}\n"
    linecache.cache[filename] = len(source), None, [source], filename
    exec(compile(source, filename, "exec"), namespace)
    found = grad(namespace["f"], wrt=tuple(range(300)))(*np.arange(300.0))
    np.testing.assert_array_equal(found, 2.0 * np.arange(300.0))


@pytest.mark.long
def test_what_is_too_deep_is_refused():
    @with_room
    def endless(n):
        return endless(n + 1) + 1

    with pytest.raises(SourceError, match="nested more deeply"):
        endless(0)


def test_work_in_a_thread_raises_what_it_raises():
    @with_room
    def work(n):
        if n == 5000:
            raise ValueError("at the end")
        return work.__wrapped__(n + 1)

    with pytest.raises(ValueError, match="at the end"):
        work(0)


def test_parsing_is_tried_again(monkeypatch):
    """CPython 3.11 raises where several threads parse at a time."""
    failures, parse = [1, 1, 1], ast.parse

    def racing(*args, **words):
        if failures:
            failures.pop()
            raise SystemError("AST constructor recursion depth mismatch")
        return parse(*args, **words)

    monkeypatch.setattr(ast, "parse", racing)
    assert isinstance(parsed.syntax_tree("x = 1"), ast.Module)
    assert not failures


def test_parsing_in_threads():
    text = "def f(x):\n    return " + " + ".join(["x"] * 200) + "\n"
    errors = []

    def work():
        try:
            for _ in range(10):
                parsed.syntax_tree(text)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def at(x):
    return x * x


class Slope:
    def __init__(self, a):
        self.a = a

    def at(self, x):
        return self.a * x


def test_functions_named_at():
    assert grad(lambda x: at(x) * 2.0)(3.0) == 12.0
    assert grad(lambda x: Slope(x).at(x))(3.0) == 6.0
