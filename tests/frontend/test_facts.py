"""What runs of the specialiser find out: few runs find all of it, and it is known when
another derivative is asked for."""

from __future__ import annotations

from weakref import WeakKeyDictionary

import numpy as np
import pytest

import s2sad.frontend.specialise as specialising
from s2sad import grad, hessian, jvp, value_and_grad
from s2sad.dispatch.dispatcher import with_needed_values
from s2sad.dispatch.target import Target
from s2sad.frontend.specialise.core import facts
from s2sad.rules.load import load_all
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.source.text.source import source_of
from s2sad.transform.programs.derivative_programs import ProgramsOfTransforms
from tests.golden.programs import PROGRAMS
from tests.programs.registry import all_programs

TEXT = """
def f(x):
    seen, last = [], {}
    for v in x:
        seen.append(v * v)
        last["v"] = v
    return sum(seen) + last["v"]
"""
POINT = np.arange(3.0)


CALLS = {n: (p.function, p.sample) for n, p in all_programs().items()}
CALLS |= {
    f"golden.{n}": (p.function, p.make_arguments(np.random.default_rng(0), "small"))
    for n, p in PROGRAMS.items()
}
"""The suite's programs, with arguments."""


@pytest.fixture
def runs(monkeypatch):
    """How often programs were specialised since the last time it was asked."""
    made = []
    monkeypatch.setattr(facts, "_KNOWN", WeakKeyDictionary())
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


def specialised(name):
    """One of the suite's programs, as a first derivative of it starts."""
    made, arguments = CALLS[name]
    source, target = source_of(made), Target(made)
    bound = target.bind(arguments, {})
    values = dict(zip(target.parameters, bound, strict=True))
    kinds = {n: kind_of_value(value, n) for n, value in values.items()}
    load_all()
    found, _ = with_needed_values(
        lambda kinds: specialising.specialise(source, kinds, ProgramsOfTransforms()),
        kinds,
        values,
        name,
    )
    return found


MORE_RUNS = {"simulations.tape_of_closures": 6, "simulations.training_with_adam": 5}
"""Each dict whose keys only the run knows is found in a run of its own, and so is what
leads to objects that functions keep."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", sorted(CALLS))
def test_three_runs_find_all_facts(runs, name):
    specialised(name)
    assert runs() <= MORE_RUNS.get(name, 3)


@pytest.mark.long
def test_most_programs_take_one_run(runs):
    names = sorted(CALLS)
    for name in names:
        specialised(name)
    assert runs() <= 1.2 * len(names)


def test_a_run_goes_on_where_it_learns_a_fact(runs, tmp_path):
    assert grad(function(tmp_path))(POINT).tolist() == [0.0, 2.0, 5.0]
    assert runs() == 4  # of a list, of a dict with keys of the run, of what it holds


def test_problems_of_a_run_that_learned_a_fact_do_not_count(runs, tmp_path):
    text = """
def f(x):
    rows = [[] for _ in range(2)]
    rows[0].append(x)
    while len(rows[1]) < 3:
        rows[1].append(rows[0][0] * x)
    return rows[1][2] * rows[0][-1]
"""
    assert grad(function(tmp_path, text))(2.0) == 12.0
    assert runs() <= 3


@pytest.mark.taken_apart
def test_numbers_that_decide_kinds_are_asked_for_together(runs, tmp_path):
    text = """
def f(x, pairs):
    values = (x, x * x, 3.0)
    return sum(values[i] * values[j] for i, j in pairs)
"""
    f = function(tmp_path, text)
    assert grad(f)(2.0, [(0, 1), (1, 1), (0, 2)]) == 12.0 + 32.0 + 3.0
    assert runs() == 2
    assert grad(f)(2.0, [(0, 0), (0, 0), (2, 2)]) == 8.0


def test_another_derivative_takes_one_run(runs, tmp_path):
    f = function(tmp_path)
    assert grad(f)(POINT).tolist() == [0.0, 2.0, 5.0]
    assert runs() > 1
    value, gradient = value_and_grad(f)(POINT)
    assert (value, gradient.tolist()) == (7.0, [0.0, 2.0, 5.0])
    assert runs() == 1
    assert jvp(f, (POINT,), (np.ones(3),)) == (7.0, 7.0)
    assert runs() == 1


@pytest.mark.sampled(3)
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
