"""Compiling ends: what grows without end is refused, at the line that it grows at."""

import importlib.util
import inspect
import math
import sys
import textwrap
from functools import partial

import numpy as np
import pytest

from s2sad import UnsupportedError, compiler, grad, hvp, jvp, vjp
from s2sad.frontend.specialise import specialise
from s2sad.frontend.specialise.core.work import Budget, limited_to

SMALL = Budget(units=6_000, statements=400, items=500)


def tuple_that_doubles(x):
    held = (x,)
    for _ in (1,) * 40:
        held = held + held  # here
    return held[0]


def list_that_doubles(x):
    held = [x]
    for _ in (1,) * 40:
        held.extend(held)  # here
    return held[0]


def tuples_in_one_another(x):
    held = (x, x)
    for _ in (1,) * 40:
        held = (held, held)  # here
    return x


def dicts_in_one_another(x):
    held = {"a": x}
    for _ in (1,) * 40:
        held = {"a": held, "b": held}  # here
    return x


def repeated_tuple(x):
    held = (x,)
    for _ in (1,) * 40:
        held = held * 2  # here
    return held[0]


def starred_tuple(x):
    held = (x,)
    for _ in (1,) * 40:
        held = (*held, *held)  # here
    return held[0]


def partials_in_one_another(x):
    def total(f, g):
        return x

    held = total
    for _ in (1,) * 40:
        held = partial(total, held, held)  # here
    return held()


def one(x):
    return x * math.sin(x)


def two(x):
    return one(x) + one(0.5 * x)


def three(x):
    return two(x) + two(0.5 * x)  # helper


def four(x):
    return three(x) + three(0.5 * x)


def five(x):
    return four(x) + four(0.5 * x)


def six(x):
    return five(x) + five(0.5 * x)


def helpers_that_double(x):
    def seven(v):
        return six(v) + six(0.5 * v)

    def eight(v):
        return seven(v) + seven(0.5 * v)

    return eight(x) + eight(0.5 * x)


def called_twice(x):
    return loops_in_one_another(x) + loops_in_one_another(2.0 * x)  # helper


def of_a_caller(x):
    return called_twice(x)


def lambdas_that_double(x):
    held = one
    for _ in (1,) * 30:
        held = (lambda g: lambda v: g(v) + g(2 * v))(held)  # here
    return held(x)


def recursion_that_grows(x, held=()):
    if len(held) > 40:
        return x
    again = recursion_that_grows(x, (*held, x))  # here
    return again + recursion_that_grows(x, (*held, 1.0))


def loops_in_one_another(x):
    known, total = (1.0,) * 32, 0.0
    for a in known:
        for b in known:
            for c in known:
                total = total + a * b * c * x  # here
    return total


def comprehensions_in_one_another(x):
    known = (1.0,) * 32
    return sum([a * b * c * x for a in known for b in known for c in known])  # here


def loops_over_ranges(x):
    total = 0.0
    for a in range(3):
        for b in range(3):
            for c in (x,) * 64:
                for d in (x,) * 64:
                    total += a * b * c * d  # here
    return total


def branches_in_a_loop(x):
    f = math.sin
    for k in (1.0,) * 60:
        for j in (2.0,) * 60:
            f = math.sin if x > j else math.cos
            x = f(x) + k  # here
    return x


def loops_of_eight(x):
    for _ in (1.0,) * 8:
        for _ in (2.0,) * 8:
            x = x * math.sin(x) * math.cos(x)  # here
            x = x + 1.0
    return x


GROWING = [
    tuple_that_doubles,
    list_that_doubles,
    tuples_in_one_another,
    dicts_in_one_another,
    repeated_tuple,
    starred_tuple,
    partials_in_one_another,
    lambdas_that_double,
    recursion_that_grows,
    loops_in_one_another,
    comprehensions_in_one_another,
    loops_over_ranges,
    branches_in_a_loop,
]


def marked_line(function, mark):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if f"# {mark}" in line)


def refusal(function, *arguments, budget=SMALL):
    with limited_to(budget), pytest.raises(UnsupportedError) as refused:
        grad(function).source_for(*arguments)
    return refused.value.problems


@pytest.mark.taken_apart
@pytest.mark.sampled(3)
@pytest.mark.parametrize("function", GROWING, ids=lambda f: f.__name__)
def test_what_grows_without_end_is_refused_at_its_line(function):
    problem = refusal(function, 0.5)[0]
    assert problem.line == marked_line(function, "here"), problem
    assert problem.advice


@pytest.mark.taken_apart
@pytest.mark.written_out
def test_what_helpers_do_is_refused_with_the_calls_that_led_there():
    (problem,) = refusal(of_a_caller, 0.5)
    assert problem.line == marked_line(loops_in_one_another, "here")
    assert "times" in problem.reason
    assert [call.split()[0] for call in problem.trail] == [
        "called_twice",
        "of_a_caller",
    ]


def test_helpers_that_double_stay_calls():
    text = grad(helpers_that_double).source_for(0.5)
    assert len(text.splitlines()) < 250
    assert np.isclose(
        grad(helpers_that_double)(0.5),
        (helpers_that_double(0.5 + 1e-6) - helpers_that_double(0.5 - 1e-6)) / 2e-6,
    )


@pytest.mark.taken_apart
@pytest.mark.parametrize("derivative", ["vjp", "jvp", "hvp"])
def test_every_derivative_has_a_budget(derivative):
    with limited_to(SMALL), pytest.raises(UnsupportedError, match="written out"):
        match derivative:
            case "vjp":
                vjp(of_a_caller, 0.5)
            case "jvp":
                jvp(of_a_caller, (0.5,), (1.0,))
            case "hvp":
                hvp(of_a_caller)(0.5, 1.0)


@pytest.mark.taken_apart
def test_a_program_that_is_too_long_is_refused_before_it_is_differentiated():
    budget = Budget(units=10**6, statements=100)
    (problem,) = refusal(loops_of_eight, 0.5, budget=budget)
    assert problem.line == marked_line(loops_of_eight, "here")
    assert "of them for this line" in problem.reason


@pytest.mark.long
def test_a_long_text_may_take_as_long_as_it_is():
    lines = [f"y = math.sin(y) * x + {k}.0" for k in range(150)]
    text = textwrap.indent("\n".join(["y = x", *lines, "return y"]), "    ")
    module = {"math": math}
    import linecache

    text = f"def long(x):\n{text}\n"
    linecache.cache["<long text>"] = (len(text), None, text.splitlines(True), "")
    exec(compile(text, "<long text>", "exec"), module)
    with limited_to(Budget(units=100, statements=1)):
        assert grad(module["long"]).source_for(0.5)


@pytest.mark.taken_apart
def test_a_refusal_is_the_same_again():
    first, second = (refusal(of_a_caller, 0.5) for _ in range(2))
    assert first == second


# ------------------------------------------------------------------ constants


def tower(x):
    n = 10**10**8
    return 2.0 * x if x < 0.0 and n > 3 else x


def shifted(x):
    n = 1 << 10**10
    return 2.0 * x if x < 0.0 and n > 3 else x


def long_text(x):
    return 2.0 * x if x < 0.0 and "a" * 10**10 else x


def padded_text(x):
    return 2.0 * x if x < 0.0 and "a".ljust(10**10) else x


def formatted_text(x):
    return 2.0 * x if x < 0.0 and f"{3:>10000000000}" else x


def percent_text(x):
    return 2.0 * x if x < 0.0 and "%10000000000d" % 3 else x  # noqa: F501


def squares(x):
    n = 3
    for _ in (1,) * 30:
        n = n * n
        if x > 0.0:
            return x
    return x if n > 2 else 2.0 * x


def texts_that_double(x):
    s = "a"
    for _ in (1,) * 40:
        if x > 0.0:
            return x
        s = f"{s}{s}"
    return x * len(s)


@pytest.mark.parametrize(
    "function",
    [
        tower,
        shifted,
        long_text,
        padded_text,
        formatted_text,
        percent_text,
        squares,
        texts_that_double,
    ],
    ids=lambda f: f.__name__,
)
def test_constants_are_known_up_to_a_size(function):
    assert grad(function).source_for(0.5)


def test_small_constants_are_still_folded():
    def folded(x):
        names = "ab" * 2, f"{2**10:>6}", 3**40
        return x if names == ("abab", "  1024", 12157665459056928801) else 2.0 * x

    assert "if" not in grad(folded).source_for(0.5)


def test_large_exponents_of_what_varies_are_kept():
    assert np.isclose(grad(lambda x: x**1000)(1.001), 1000 * 1.001**999)


# ------------------------------------------------------------------ libraries

CHECKED = """
def checked(x):
    known = (1.0,) * 32
    for a in known:
        for b in known:
            if a > b:
                raise ValueError(a)
    return x


def applied(f, x):
    return f(x)
"""


@pytest.fixture
def checks(tmp_path, request):
    """A module whose file is that of an installed library, or of the user's."""
    folder = tmp_path / request.param
    folder.mkdir()
    path = folder / "checks_of_a_library.py"
    path.write_text(CHECKED)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[path.stem]


FEW_OF_LIBRARIES = Budget(of_libraries=3_000)


def of_a_library(checks):
    def called(x):
        return checks.checked(x) * x  # here

    return called


@pytest.mark.taken_apart
@pytest.mark.parametrize("checks", ["site-packages"], indirect=True)
def test_texts_of_libraries_have_a_smaller_budget(checks):
    called = of_a_library(checks)
    (problem,) = refusal(called, 0.5, budget=FEW_OF_LIBRARIES)
    assert problem.line == marked_line(called, "here")
    assert "call of checked" in problem.reason
    assert "stop_gradient" in problem.advice
    assert grad(called)(0.5) == 1.0


@pytest.mark.parametrize("checks", ["own"], indirect=True)
def test_texts_of_the_user_have_the_whole_budget(checks):
    with limited_to(FEW_OF_LIBRARIES):
        assert grad(of_a_library(checks)).source_for(0.5)


@pytest.mark.parametrize("checks", ["site-packages"], indirect=True)
def test_what_a_library_calls_of_the_user_is_the_users(checks):
    def long(x):
        known = (1.0,) * 32
        for a in known:
            for b in known:
                x = x * a if a > b else x
        return x

    with limited_to(FEW_OF_LIBRARIES):
        assert grad(lambda x: checks.applied(long, x)).source_for(0.5)


# ------------------------------------------------------------------ loops


def ever_new_lists(x):
    xs = [x[0], x[1], x[2]]
    ys, lists, b, t = xs, [[x[0]], [x[1]]], x * 2.0, 0.0
    for k in range(3):
        for _ in range(3):
            xs = [z * 0.9 for z in xs if z < 5]
        t += b[0]
        b[k] *= 0.5
    lists[0] = xs
    return t + sum(xs) + sum(ys) + sum(sum(items) for items in lists)


def test_lists_that_each_iteration_makes_are_found_to_be_without_end():
    """A name that means one more list after each run of a loop's body is kept as a
    reference after few of them, not when there are too many."""
    with limited_to(Budget(units=5_000)):
        found = grad(ever_new_lists)(np.array([0.53, 0.31, 0.87]))
    np.testing.assert_allclose(found, 2 * 0.9**9 + np.array([5.0, 2.0, 1.0]))


# ------------------------------------------------------------------ once


def refused_first(x):
    global kept_outside
    kept_outside = x
    return helpers_that_double(x)


def refused_behind_calls(x):
    y = helpers_that_double(x)
    global kept_outside
    kept_outside = y
    return y


@pytest.mark.taken_apart
@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "function, times", [(refused_first, 1), (refused_behind_calls, 2)]
)
@pytest.mark.written_out
def test_what_calls_have_nothing_to_do_with_is_refused_at_once(
    function, times, monkeypatch
):
    asked = []

    def counted(*arguments, **words):
        asked.append(arguments)
        return specialise(*arguments, **words)

    monkeypatch.setattr(compiler, "specialise", counted)
    with pytest.raises(UnsupportedError, match="global variable"):
        grad(function).source_for(0.5)
    assert len(asked) == times
