"""Calls that stay calls: by budget, and all of them."""

from __future__ import annotations

import inspect
import linecache
import math
import re

import numpy as np
import pytest

from s2sad import grad, hvp, jacrev, value_and_grad, vjp
from s2sad.errors import UnsupportedError
from s2sad.frontend.specialise.recursion import kept_calls
from s2sad.source.text.source import source_of
from tests.support.compiled import compiled

KEPT = {"inlining": False}
PAIRS = {**KEPT, "preaccumulation": False}


def text_of(function, *arguments, wrt="x", optimise=KEPT):
    return grad(function, wrt=wrt, optimise=optimise).source_for(*arguments)


def functions_of(text):
    return re.findall(r"^def (\w+)", text, re.M)


def module_of(text, name):
    """The functions of a text, which has a place where it is found again."""
    file = f"<{name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names = {"math": math, "np": np, "__name__": name}
    exec(compile(text, file, "exec"), names)
    return names


def doubling(depth):
    """Functions that call each other twice, so many deep."""
    lines = ["def f0(x, y):", "    return math.sin(x) * y + x * x"]
    for k in range(1, depth + 1):
        lines += [
            f"def f{k}(x, y):",
            f"    a = f{k - 1}(0.5 * x, y + {k}.0)",
            f"    b = f{k - 1}(a, y * x)",
            "    return math.tanh(a + b) * x + math.exp(-b * b) * y",
        ]
    return module_of("\n".join(lines) + "\n", f"doubling_{depth}")[f"f{depth}"]


def helpers(count):
    """So many helpers of ten lines, each called three times."""
    lines = []
    for k in range(count):
        lines += [f"def g{k}(x):", "    t = x"]
        lines += [f"    t = math.sin(t) * {j}.5 + x * t" for j in range(8)]
        lines.append("    return t")
    lines.append("def main(x):")
    lines += [f"    x = g{k}(x) + g{k}(0.5 * x) * g{k}(x + 1.0)" for k in range(count)]
    lines.append("    return x")
    return module_of("\n".join(lines) + "\n", f"helpers_{count}")["main"]


def numeric(function, x, *others):
    return (function(x + 1e-6, *others) - function(x - 1e-6, *others)) / 2e-6


# ------------------------------------------------------------------ the budget


def test_text_grows_with_the_depth_of_calls():
    lengths = []
    for depth in (6, 8, 10):
        function = doubling(depth)
        lengths.append(len(grad(function).source_for(0.3, 0.2).splitlines()))
    assert lengths[2] - lengths[1] == lengths[1] - lengths[0] < 140


def test_text_grows_with_the_number_of_helpers():
    lengths = [
        len(grad(helpers(count)).source_for(0.3).splitlines()) for count in (6, 12)
    ]
    assert lengths[1] < 2.1 * lengths[0]


def called_once_in(function):
    return kept_calls.surely_kept(source_of(function))


def test_the_text_tells_of_deep_calls_that_they_are_kept():
    assert called_once_in(doubling(10)) == frozenset()
    assert called_once_in(doubling(4)) is None


def nothing_of(x, used=False):
    if not used:
        return x
    return _DEEP(x, 0.2)


def of_nothing(x):
    return nothing_of(nothing_of(x)) * x


_DEEP = doubling(10)


@pytest.mark.written_out
def test_what_stands_in_branches_is_not_counted():
    assert called_once_in(of_nothing) is None
    assert functions_of(grad(of_nothing).source_for(0.3)) == ["of_nothing_grad"]


def around_deep_calls(x):
    return _DEEP(x, 0.2) * x


@pytest.mark.written_out
def test_a_deep_function_that_is_called_once_is_written_out():
    assert len(called_once_in(around_deep_calls)) == 1
    text = grad(around_deep_calls).source_for(0.3)
    assert "f10_value_and_grad" not in functions_of(text)
    assert "f9_value_and_grad" in functions_of(text)
    found = grad(around_deep_calls)(0.3)
    assert np.isclose(found, numeric(around_deep_calls, 0.3), rtol=1e-6)
    second = hvp(around_deep_calls)(0.3, 1.0)
    assert np.isclose(second, numeric(grad(around_deep_calls), 0.3), rtol=1e-5)


class Node:
    def __init__(self, e):
        self.e = e
        self.kids = []

    def add(self, kid):
        self.kids.append(kid)
        kid.parent = self
        return kid


def of_parents(x):
    root = Node(x)
    a = root.add(Node(0.3))
    b = root.add(Node(0.5 * x))
    c = a.add(Node(0.9))
    c.e *= c.parent.e
    a.parent.e += c.e
    for kid in root.kids:
        kid.e = kid.e * root.e + len(kid.kids)
    return root.e * a.e * b.e + c.e


def test_calls_give_objects_attributes():
    found = grad(of_parents, optimise=KEPT)(0.7)
    assert np.isclose(found, numeric(of_parents, 0.7), rtol=1e-6)
    names = functions_of(grad(of_parents, optimise=KEPT).source_for(0.7))
    assert names == ["of_parents_grad", "add_forward", "add_reverse"]


def put_unlike(log, x):
    log.append(x)
    log.append((x, 2.0 * x))


def of_unlike_items(x):
    log = []
    put_unlike(log, x)
    put_unlike(log, x * x)
    return log[0] * log[3][1] * log[1][0]


def test_what_a_call_told_that_is_not_kept_is_forgotten_where_that_is_refused():
    found = grad(of_unlike_items, optimise=KEPT)(0.7)
    assert np.isclose(found, numeric(of_unlike_items, 0.7), rtol=1e-6)
    assert grad(of_unlike_items, optimise=KEPT).source_for(0.7) == grad(
        of_unlike_items
    ).source_for(0.7)


def calls_itself(x, n):
    if n == 0:
        return x
    return calls_itself(math.sin(x), n - 1) + calls_itself(x * x, n - 1)


def test_the_text_does_not_tell_of_recursion():
    assert called_once_in(calls_itself) is None


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, KEPT, False], ids=str)
def test_kept_calls_give_the_derivative(optimise):
    function = doubling(7)
    found = grad(function, optimise=optimise)(0.3, 0.2)
    assert np.isclose(found, numeric(function, 0.3, 0.2), rtol=1e-6)


@pytest.mark.written_out
def test_short_programs_are_written_out():
    assert functions_of(grad(doubling(3)).source_for(0.3, 0.2)) == ["f3_grad"]


@pytest.mark.written_out
def test_short_functions_are_written_out_in_long_programs():
    assert "f0_value_and_grad" not in grad(doubling(8)).source_for(0.3, 0.2)
    assert "f1_value_and_grad" in grad(doubling(8)).source_for(0.3, 0.2)


def test_the_text_is_the_same_whatever_was_compiled_before():
    first = grad(doubling(8)).source_for(0.3, 0.2)
    function = doubling(8)
    vjp(function, 0.3, 0.2)
    jacrev(function)(0.3, 0.2)
    grad(function, wrt="y")(0.3, 0.2)
    assert grad(function).source_for(0.3, 0.2) == first


def of_many_short_calls(x):
    for _ in range(3):
        x = (
            second(x) * second(x + 1.0) + second(x * 2.0) * second(x - 1.0)
            + second(x * 3.0) * second(x + 2.0) + second(x * 4.0) * second(x - 2.0)
            + second(x * 5.0) * second(x + 3.0) + second(x * 6.0) * second(x - 3.0)
        )  # fmt: skip
    return x


@pytest.mark.written_out
def test_a_program_that_stays_long_is_kept_once(monkeypatch):
    monkeypatch.setattr(kept_calls, "LEAST_TEXT", 20)
    monkeypatch.setattr(kept_calls, "MOST_COPIES", 1)
    text = grad(of_many_short_calls).source_for(0.01)
    assert functions_of(text) == ["of_many_short_calls_grad"]


def halving(x, n):
    if n == 0:
        return x * x
    return 0.5 * math.sin(halving(x, n - 1))


def of_a_recursion(x, n):
    x = halving(x, n) * halving(2.0 * x, n)
    for _ in range(3):
        x = second(x) * second(x + 1.0) + second(2.0 * x) * second(x - 1.0)
    return x


@pytest.mark.written_out
def test_short_functions_beside_one_that_calls_itself_are_written_out(monkeypatch):
    monkeypatch.setattr(kept_calls, "LEAST_TEXT", 20)
    monkeypatch.setattr(kept_calls, "MOST_COPIES", 1)
    text = grad(of_a_recursion).source_for(0.6, 3)
    named = ["of_a_recursion_grad", "halving_value_and_grad"]
    assert functions_of(text) == named


def test_functions_that_call_themselves_in_long_programs(monkeypatch):
    monkeypatch.setattr(kept_calls, "LEAST_TEXT", 20)
    monkeypatch.setattr(kept_calls, "MOST_COPIES", 1)
    gradient = grad(of_a_recursion)
    expected = numeric(of_a_recursion, 0.6, 3)
    assert np.isclose(gradient(0.6, 3), expected, rtol=1e-6)


def noted(log, x):
    y = x * math.sin(x) + 0.5 * x * x - math.cos(x) * x + 0.1 * x * x * x
    for _ in range(2):
        log.append(y)
    return y


def of_a_log(x):
    log = []
    x = noted(log, x) + noted(log, 2.0 * x)
    x = noted(log, x) + noted(log, 2.0 * x)
    return sum(log) * x


@pytest.mark.written_out
def test_what_changes_the_callers_lists_is_written_out_while_that_is_short(monkeypatch):
    monkeypatch.setattr(kept_calls, "LEAST_TEXT", 20)
    monkeypatch.setattr(kept_calls, "MOST_COPIES", 1)
    assert functions_of(grad(of_a_log).source_for(0.3)) == ["of_a_log_grad"]
    assert np.isclose(grad(of_a_log)(0.3), numeric(of_a_log, 0.3))


def doubling_with_a_log(depth):
    """As doubling; the innermost function changes a list."""
    lines = [
        "def f0(x, y, log):",
        "    log.append(x * y)",
        "    return math.sin(x) * y + x * x + len(log)",
    ]
    for k in range(1, depth + 1):
        lines += [
            f"def f{k}(x, y, log):",
            f"    a = f{k - 1}(0.5 * x, y + {k}.0, log)",
            f"    b = f{k - 1}(a, y * x, log)",
            "    return math.tanh(a + b) * x + math.exp(-b * b) * y",
        ]
    lines += [
        "def main(x, y):",
        "    log = []",
        f"    return f{depth}(x, y, log) + sum(log)",
    ]
    return module_of("\n".join(lines) + "\n", f"logged_{depth}")["main"]


@pytest.mark.long
def test_changing_functions_are_kept_where_nothing_else_helps():
    function = doubling_with_a_log(10)
    assert len(grad(function).source_for(0.3, 0.2).splitlines()) < 1200
    assert np.isclose(grad(function)(0.3, 0.2), numeric(function, 0.3, 0.2), rtol=1e-5)


# ------------------------------------------------------------------ versions


def powered(x, n):
    total = x
    for _ in range(n):
        total = total * math.sin(x) + n
    return total


def of_two_powers(x):
    return powered(x, 2) * powered(x, 3) + powered(0.5 * x, 2)


def of_many_powers(x):
    return (
        powered(x, 1) + powered(x, 2) + powered(x, 3) + powered(x, 4)
        + powered(x, 5) + powered(x, 6) + powered(x, 7)
    )  # fmt: skip


def test_known_whole_numbers_have_versions():
    text = text_of(of_two_powers, 0.5)
    assert functions_of(text).count("powered_value_and_grad") == 1
    assert functions_of(text).count("powered_2_value_and_grad") == 1
    assert "range(2)" in text and "range(3)" in text


def test_of_many_versions_whole_numbers_are_forgotten():
    text = text_of(of_many_powers, 0.5)
    assert sum(name.startswith("powered_") for name in functions_of(text)) == 5
    assert "range(n)" in text
    found = grad(of_many_powers, optimise=KEPT)(0.5)
    assert np.isclose(found, numeric(of_many_powers, 0.5))


def layer(w, b, x):
    h = w @ x + b
    return np.where(h > 0.0, h, 0.1 * h)


def network(w, b, v, x):
    return np.sum(layer(v, b, layer(w, b, x)) ** 2)


def test_lengths_of_calls_are_known():
    w, b, x = np.ones((3, 3)), np.ones(3), np.arange(3.0)
    text = grad(network, wrt=("w", "v"), optimise=KEPT).source_for(w, b, w, x)
    assert "sum_to_shape_of" not in text
    assert "x_bar = w.T @ h_bar" in text


@pytest.mark.parametrize("k", [1, 3])
def test_captured_lengths_are_not_those_of_parameters(k):
    def captured(x, z):
        w = z[:k]

        def halved(y, n):
            if n == 0:
                return np.sum(y * w)
            return halved(y * 0.5, n - 1)

        return halved(x, 3) * z[0]

    x, z = np.array([1.0, 2.0, 3.0]), np.array([0.3, 0.4, 0.5])
    found = grad(captured, wrt=("x", "z"))(x, z)
    for wrt, gradient in enumerate(found):
        for place, direction in enumerate(np.eye(3)):
            ahead, back = [x, z], [x, z]
            ahead[wrt] = ahead[wrt] + 1e-6 * direction
            back[wrt] = back[wrt] - 1e-6 * direction
            difference = (captured(*ahead) - captured(*back)) / 2e-6
            assert np.isclose(gradient[place], difference)


def test_lengths_that_shrink_in_the_recursion_are_forgotten():
    def folded(x, w):
        if len(x) == 1:
            return x[0]
        return folded(x[1:] * w[:-1], w[:-1]) + x[0]

    x, w = np.array([0.5, 2.0, 3.0]), np.array([0.3, 0.4, 0.5])
    found = grad(folded)(x, w)
    steps = 1e-6 * np.eye(3)
    expected = [(folded(x + e, w) - folded(x - e, w)) / 2e-6 for e in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


# ------------------------------------------------------------------ the text


def smaller(p):
    """The lower tail."""
    if p < 0.02:
        q = math.sqrt(-2.0 * math.log(p))
        r = q * q * 0.7 - 0.3
        return (r * q + 2.9) / (r + q + 3.7)
    q = p - 0.5
    return q * math.exp(q) * q


def both_tails(x):
    return smaller(x) - smaller(0.001 * x)


def test_a_branch_hands_on_what_it_keeps():
    text = text_of(both_tails, 0.3, optimise=PAIRS)
    assert "None" not in text
    assert len(re.findall("^ +saved = ", text, re.M)) == 2
    for x in (0.3, 0.01):
        found = grad(both_tails, optimise=PAIRS)(x)
        expected = (both_tails(x + 1e-8) - both_tails(x - 1e-8)) / 2e-8
        assert np.isclose(found, expected, rtol=1e-5)


def last(x):
    return first(x) * 2.0 + second(x)


def first(x):
    return second(x) * math.sin(x) + second(2.0 * x)


def second(x):
    return x * x * math.cos(x)


def test_pairs_stand_in_the_order_of_the_users_functions():
    assert functions_of(text_of(last, 0.5, optimise=PAIRS)) == [
        "last_grad",
        "first_forward",
        "first_reverse",
        "second_forward",
        "second_reverse",
    ]


def stepped(x, v, h):
    a = -math.sin(x) - 0.1 * v
    return x + h * v, v + h * a


def pendulum(x, v, n):
    for _ in range(n):
        x, v = stepped(x, v, 0.1)
    return x * v


def test_results_have_the_names_of_the_caller():
    text = text_of(pendulum, 0.5, 1.0, 3, wrt=("x", "v"))
    assert "x, v, residuals = stepped_forward(x, v, 0.1)" in text
    assert "x_bar, v_bar = stepped_reverse(residuals, (x_bar, v_bar))" in text


def split(x, w):
    return x * w, np.sin(x) + w


def of_two_kinds(x, w):
    a, b = split(x, w)  # floats, then np.float64
    c, d = split(b, a)
    return c * d + a


def test_versions_of_the_same_text_are_one():
    text = text_of(of_two_kinds, 0.5, 0.3, wrt=("x", "w"))
    named = ["of_two_kinds_grad", "split_forward", "split_reverse"]
    assert functions_of(text) == named
    found = grad(of_two_kinds, optimise=KEPT)(0.5, 0.3)
    assert np.isclose(found, numeric(of_two_kinds, 0.5, 0.3))


def of_other_activity(x, w):
    a, b = split(w, w)
    c, d = split(x, w)
    e, f = split(x, x)
    return a * b + c * d + e * f + split(w, x)[1]


def test_versions_are_numbered_as_they_come():
    text = text_of(of_other_activity, 0.5, 0.3)
    assert functions_of(text)[1:] == [
        *("split_forward", "split_reverse", "split_2_reverse"),
        *("split_3_forward", "split_3_reverse"),
    ]
    found = grad(of_other_activity, optimise=KEPT)(0.5, 0.3)
    assert np.isclose(found, numeric(of_other_activity, 0.5, 0.3))


def test_cotangents_of_results_have_their_names():
    text = text_of(pendulum, 0.5, 1.0, 3, wrt=("x", "v"))
    assert "    x_bar, v_bar = gradient\n" in text
    text = text_of(of_exchanges, 0.5, 0.7)
    assert "    v_bar, x_bar = gradient\n" in text
    assert "gradient[" not in text


def exchanged(x, v):
    x, v = v * x, x + v
    v = v * x
    x = x * math.sin(v)
    return v, x


def of_exchanges(x, v):
    for _ in range(2):
        x, v = exchanged(x, v)
    return x - v * x


@pytest.mark.parametrize("optimise", [KEPT, {"inlining": False, "copies": False}])
def test_cotangents_of_names_that_change(optimise):
    for wrt in (0, 1):

        def at(p, wrt=wrt):
            return of_exchanges(*(p if k == wrt else 0.7 - 0.2 * k for k in (0, 1)))

        found = grad(of_exchanges, wrt=("x", "v"), optimise=optimise)(0.7, 0.5)[wrt]
        assert np.isclose(found, numeric(at, 0.7 - 0.2 * wrt), rtol=1e-6)


def slope(x, v):
    return v, -math.sin(x) - 0.1 * v


def heun(x, v, n):
    for _ in range(n):
        a, b = slope(x, v)
        c, d = slope(x + 0.1 * a, v + 0.1 * b)
        x += 0.05 * (a + c)
        v += 0.05 * (b + d)
    return x * v


def test_what_a_call_hands_through_has_its_name_from_the_start():
    text = text_of(heun, 0.5, 1.0, 3)
    assert "        c = v + 0.1 * b\n" in text
    assert " = c\n" not in text and "c = total" not in text
    assert np.isclose(
        grad(heun, optimise=KEPT)(0.5, 1.0, 3), numeric(heun, 0.5, 1.0, 3), rtol=1e-6
    )


def test_what_nobody_reads_of_a_call_is_a_blank():
    text = text_of(last, 0.5, optimise=PAIRS)
    assert "    _, residuals = first_forward(x)\n" in text
    assert "    second_2, residuals_2 = second_forward(2.0 * x)\n" in text


def test_residuals_of_calls_stand_in_their_order():
    text = text_of(last, 0.5, optimise=PAIRS)
    assert "(residuals, residuals_2, second, sin, x)" in text


def horner(c, x):
    if len(c) == 0:
        return 0.0
    return c[0] + x * horner(c[1:], x)


def test_what_the_reverse_does_not_read_is_not_kept():
    c, x = np.array([0.3, 0.4, 0.5]), 0.7
    text = grad(horner).source_for(c, x)
    assert "(condition, x, residuals)" in text  # the length of c isn't needed
    np.testing.assert_allclose(grad(horner)(c, x), [1.0, x, x * x])


def joined_halves(a, b):
    return np.concatenate([a * 2.0, b * b])


def of_halves(a, b):
    return np.sum(joined_halves(a, b)[1:] ** 2)


def shifted(a, b):
    return np.concatenate([a, b])


def of_shifts(a, b):
    return np.sum(np.sin(shifted(a, b)))


@pytest.mark.parametrize("function", [of_halves, of_shifts])
def test_gradients_of_calls_are_arrays_of_their_own(function):
    a, b = np.array([0.3, 0.4]), np.array([0.5, 0.6])
    found = grad(function, wrt=("a", "b"), optimise=KEPT)(a, b)
    for gradient, k in zip(found, (0, 1), strict=True):
        assert gradient.base is None and gradient.flags.writeable
        for place, step in enumerate(1e-6 * np.eye(2)):
            ahead = function(*(p + step if j == k else p for j, p in enumerate((a, b))))
            back = function(*(p - step if j == k else p for j, p in enumerate((a, b))))
            assert np.isclose(gradient[place], (ahead - back) / 2e-6)
    assert not np.shares_memory(*found)


def test_arrays_that_pairs_made_are_not_copied():
    def deep(w, b, x):
        return np.sum(layer(w, b, layer(w, b, x)))

    w, b, x = 0.1 + np.eye(3), np.ones(3), np.arange(3.0)
    gradient = grad(deep, wrt=("w", "b"), optimise=KEPT)
    assert "copy()" not in gradient.source_for(w, b, x)
    assert all(g.base is None for g in gradient(w, b, x))


def swept(p, n, a):
    if n == 0:
        return p
    return swept(a * p * math.sin(p), n - 1, a)


def of_a_sweep(a):
    return swept(1.5, 4, a)


def test_a_recursion_has_one_pair():
    text = grad(of_a_sweep).source_for(0.7)
    assert functions_of(text) == ["of_a_sweep_grad", "swept_value_and_grad"]
    assert np.isclose(grad(of_a_sweep)(0.7), numeric(of_a_sweep, 0.7))


def test_lines_that_stand_for_the_result_are_of_the_return():
    text = text_of(last, 0.5, optimise=PAIRS)
    reverse = text[text.index("def second_reverse") :]
    assert reverse.splitlines()[3].strip() == "# return x * x * math.cos(x)"


def pair_of_closures(x):
    state = {"n": 0, "s": x}

    def tick(e):
        state["s"] = state["s"] * e + x
        state["n"] += 1
        return state["s"]

    def peek():
        return state["s"] * state["n"]

    return tick, peek


def of_closures(x, v):
    tick, peek = pair_of_closures(x)
    other, seen = pair_of_closures(x * x)
    total = 0.0
    for e in v:
        total += tick(e)
        if total > 0.0:
            total += other(total)
    return total * peek() + seen()


def test_what_is_returned_twice_and_beside_others_keeps_its_name():
    v = np.array([0.3, 0.4])
    found = grad(of_closures, optimise=KEPT)(0.5, v)
    assert np.isclose(found, numeric(of_closures, 0.5, v))


# ------------------------------------------------------------------ written out


def items(x, y):
    return iter((x * y, y * y * y * x))


def of_two_iterators(x, y):
    return sum(items(x, y)) * sum(items(y, x))


def test_an_iterator_is_another_one_in_each_call():
    found = grad(of_two_iterators, optimise=KEPT)(0.5, 0.7)
    assert np.isclose(found, numeric(of_two_iterators, 0.5, 0.7))


def test_a_recursion_that_returns_an_iterator_is_refused():
    def given(x, n):
        if n == 0:
            return iter((x, x * x))
        return given(x * 0.5, n - 1)

    def summed(x):
        return sum(given(x, 2))

    with pytest.raises(UnsupportedError, match="another one in each call"):
        grad(summed)(0.5)


@pytest.mark.written_out
def test_numba_has_no_pairs_in_short_programs():
    text = compiled(
        "gradient",
        doubling(4),
        (0.3, 0.2),
        ("x",),
        backend="numba's text as Python",
    ).text
    assert not any("_reverse" in name for name in functions_of(text))


def test_functions_of_the_library_are_written_out():
    def deviation(x):
        return np.sqrt(np.mean((x - np.mean(x)) ** 2))

    text = grad(deviation, optimise=KEPT).source_for(np.ones(3))
    assert functions_of(text) == ["deviation_grad"]
    assert inspect.signature(deviation).parameters.keys() == {"x"}


def logarithms(x):
    return np.sum(np.log(x)), np.sum(x * x)


def test_a_result_without_a_cotangent_gives_none_to_the_reverse_program():
    def program(x):
        a, _ = logarithms(x)
        return 2.0 * a

    x, v = np.array([0.0, 1.0, 2.0]), np.ones(3)
    with np.errstate(divide="ignore"):
        for optimise in (True, KEPT):
            product = hvp(program, optimise=optimise)(x, v)
            np.testing.assert_array_equal(product, [-np.inf, -2.0, -0.5])
    kept = grad(program, optimise=KEPT).source_for(x)
    assert "zeros" not in kept


def mean_of_three(a, b, c, d, n):
    t = np.zeros(3)
    for i in range(3):
        t[i] = a[0] * b[i] * c[0]
    if n == 0:
        return np.mean(t * t) + d[0]
    return mean_of_three(a * 1.0, b * 1.0, c * 1.0, d, n - 1)


def unpacked_among_others(a, b, c, d, n):
    t = np.zeros((n, 3))
    for i in range(n):
        t[i, 0] = a[0] * b[i]
        t[i, 2] = c[i] * d[i]
    total = 0.0
    for i in range(n):
        total = total + product_of(*t[i]) + product_of(1.0, *t[i, 1:])
    return total


def product_of(x, y, z):
    return math.sin(x) * z + x * (1.0 + y)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("optimise", [None, KEPT], ids=str)
@pytest.mark.parametrize(
    "function",
    [
        lambda a, b, c, d: mean_of_three(a, b, c, d, 1),
        lambda a, b, c, d: unpacked_among_others(a, b, c, d, 2),
    ],
    ids=["in a recursion", "unpacked"],
)
def test_lengths_of_parameters_are_not_those_that_are_known(function, optimise):
    """An axis of a parameter isn't as long as an array of known length, by chance."""
    given = [np.linspace(0.5, 1.5, n) for n in (2, 5, 4, 7)]
    found = grad(function, wrt=("a", "b", "c", "d"), optimise=optimise)(*given)
    for place, own in enumerate(given):
        for k in range(len(own)):
            ahead, back = list(given), list(given)
            ahead[place] = own + 1e-6 * np.eye(len(own))[k]
            back[place] = own - 1e-6 * np.eye(len(own))[k]
            difference = (function(*ahead) - function(*back)) / 2e-6
            assert np.isclose(found[place][k], difference, atol=1e-8)


class Bag:
    def __init__(self, items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)


def abs(x):  # noqa: A001
    return x * x


def of_bags(bags, x):
    total = 0.0
    for bag in bags:
        total = total * len(bag) + abs(len(bag)) * x + abs(3.0)
        for item in bag:
            total = total * x + item
    return total


def test_functions_are_called_like_none_of_pythons():
    bags = [Bag([1.0, 0.5 * k, 2.0]) for k in range(6)]
    found = grad(of_bags, wrt="x", optimise=KEPT)(bags, 0.3)
    wanted = numeric(lambda x: of_bags(bags, x), 0.3)
    assert np.isclose(found, wanted)
    names = functions_of(text_of(of_bags, bags, 0.3))
    assert "bag_len" in names and not {"abs", "len", "iter"} & {*names}


def turned_or_new(p, q, c):
    if c > 0.0:
        return p[::-1], q
    return np.sin(p), np.sin(q)


def one_array_twice(y, c):
    a = y * 1.0
    x, z = turned_or_new(a, a, c)
    z += 1.3 * x
    return np.sum(x) + np.sum(z * z)


def given_twice(y, c):
    x, z = turned_or_new(y, y, c)
    z += 1.3 * x
    return np.sum(x) + np.sum(z * z)


def of_three(p, q, r, c):
    if c > 0.0:
        return p[1:], q[:-1], r
    return np.sin(p[1:]), np.sin(q[1:]), np.cos(r)


def one_array_three_times(y, c):
    a = 2.0 * y
    x, z, w = of_three(a, a, a, c)
    w *= 0.5
    z += 1.3 * x
    return np.sum(x) + np.sum(z * z) + np.sum(a * w)


@pytest.mark.parametrize("c", [1.0, -1.0])
@pytest.mark.parametrize(
    "function", [one_array_twice, given_twice, one_array_three_times]
)
def test_results_may_be_parts_of_one_array_that_is_given_twice(function, c):
    y, step = np.array([0.3, -0.2, 0.9]), 1e-6
    value, gradient = value_and_grad(function, optimise={"inlining": False})(y, c)
    assert value == pytest.approx(function(y.copy(), c), rel=1e-12)
    for k, unit in enumerate(step * np.eye(3)):
        slope = (function(y + unit, c) - function(y - unit, c)) / (2.0 * step)
        assert gradient[k] == pytest.approx(slope, rel=1e-7)
