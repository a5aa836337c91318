"""What runs of the specialiser find out is known when another derivative is asked
for."""

from __future__ import annotations

import numpy as np
import pytest

import s2sad.frontend.specialise as specialising
from s2sad import grad, hessian, jvp, value_and_grad

TEXT = """
def f(x):
    seen, last = [], {}
    for v in x:
        seen.append(v * v)
        last["v"] = v
    return sum(seen) + last["v"]
"""
POINT = np.arange(3.0)


@pytest.fixture
def runs(monkeypatch):
    """How often programs were specialised since the last time it was asked."""
    made = []
    once = specialising._specialised

    def counted(*args, **keywords):
        made.append(args)
        return once(*args, **keywords)

    def count():
        found = len(made)
        made.clear()
        return found

    monkeypatch.setattr(specialising, "_specialised", counted)
    return count


def function(directory, text=TEXT, name="f"):
    """A function of a text of its own."""
    path = directory / f"{name}_{len(list(directory.iterdir()))}.py"
    path.write_text(text)
    names = {}
    exec(compile(text, str(path), "exec"), names)
    return names[name]


def test_another_derivative_takes_one_run(runs, tmp_path):
    f = function(tmp_path)
    assert grad(f)(POINT).tolist() == [0.0, 2.0, 5.0]
    assert runs() > 1
    value, gradient = value_and_grad(f)(POINT)
    assert (value, gradient.tolist()) == (7.0, [0.0, 2.0, 5.0])
    assert runs() == 1
    assert jvp(f, (POINT,), (np.ones(3),)) == (7.0, 7.0)
    assert runs() == 1


@pytest.mark.parametrize("first", [value_and_grad, hessian])
def test_texts_are_those_of_a_first_compilation(first, tmp_path):
    f, again = function(tmp_path), function(tmp_path)
    first(again)(POINT)
    assert grad(f).source_for(POINT) == grad(again).source_for(POINT)


def test_functions_of_a_factory_are_told_apart(tmp_path):
    text = """
def made(kept):
    def f(x):
        kept_here = kept(x)
        kept_here.append(x * x)
        return sum(kept_here)
    return f
"""
    factory = function(tmp_path, text, "made")
    f, g = factory(lambda x: []), factory(lambda x: [3.0 * x])
    for _ in range(2):
        assert (grad(f)(2.0), grad(g)(2.0)) == (4.0, 7.0)
        assert (value_and_grad(f)(2.0), value_and_grad(g)(2.0)) == ((4, 4), (10, 7))


def test_data_may_have_changed_since(tmp_path):
    text = """
APPENDS = True

def f(x):
    seen = [x]
    if APPENDS:
        seen.append(x * x)
    return sum(seen)

def change(how):
    global APPENDS
    APPENDS = how
"""
    f = function(tmp_path, text)
    change = f.__globals__["change"]
    assert grad(f)(2.0) == 5.0
    change(False)
    assert value_and_grad(f)(2.0) == (2.0, 1.0)
    change(True)
    assert value_and_grad(f)(2.0) == (6.0, 5.0)
    assert jvp(f, (2.0,), (1.0,)) == (6.0, 5.0)
