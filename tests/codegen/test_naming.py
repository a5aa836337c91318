"""The final names of variables, as a reader meets them in the text."""

import math
import re

import numpy as np
import pytest

from s2sad.codegen.python.naming import final_names
from s2sad.ir.nodes import Apply, Assign, Const, Function, Restore, Return, Save, Var
from tests.support.compiled import compiled


def kept_totals(x, rate):
    for _ in range(3):
        x = x + math.cos(rate * x) * math.cos(rate + x)
    return x


def test_what_is_restored_is_called_as_where_it_was_saved():
    text = compiled("gradient", kept_totals, (0.5, 0.1), ("x", "rate")).text
    saved = re.findall(r"(\w+)\.append\((\w+)\)", text)
    (names, stacks) = re.findall(r"for ([\w, ]+) in zip\(([^:]+)\):", text)[0]
    restored = zip(re.findall(r"reversed\((\w+)\)", stacks), names.split(", "))
    assert ("cos_2_saved", "cos_2") in saved
    assert set(restored) == set(saved)
    assert all(stack == f"{name}_saved" for stack, name in saved)


def test_the_pullback_reads_residuals_under_the_names_they_were_given():
    text = compiled("vjp", kept_totals, (0.5, 0.1), ("x", "rate")).text
    forward, reverse = text.split("def kept_totals_reverse")
    stacks = re.findall(r"(\w+_saved) = \[\]", forward)
    assert "cos_2_saved" in stacks
    for stack in stacks:
        name = stack.removesuffix("_saved")
        assert f"{name} = next({stack}_reversed)" in reverse


def shared(x):
    exp = math.exp(x)
    return exp * np.exp(np.sin(x))


def test_functions_of_modules_take_no_names_from_variables():
    text = compiled("gradient", shared, (0.5,), "x").text
    assert "exp_2 = np.exp(" in text  # the user has an exp, too
    assert "sin_2" not in text


def half(x):
    y = x / 2.0
    return y * y


def halves(x):
    y = half(1.0) + half(2.0)
    return y * half(x)


@pytest.mark.written_out
def test_variables_that_are_gone_leave_no_gap_in_the_numbers():
    text = compiled("gradient", halves, (0.5,), "x").text
    assert "half_y = x / 2.0" in text


def test_a_restored_value_never_hides_one_that_is_live():
    old, new, stack = Var("t.1"), Var("t.1~2"), Var("t.1.saved")
    body = (
        Assign(None, stack, Const(None)),
        Assign(None, old, Const(1.0)),
        Save(None, stack, old),
        Restore(None, new, stack),
        Return(None, Apply(max, (old, new))),
    )
    function = Function("f", (), body, {}, frozenset({"t.1", "t.1~2"}))
    names = final_names(function)
    assert names == {"t.1": "t", "t.1~2": "t_2", "t.1.saved": "t_saved"}


def newton(a):
    x = a
    while abs(x * x - a) > 1e-10:
        x = 0.5 * (x + a / x)
    return x


def test_what_is_only_copied_has_the_name_of_the_copy():
    text = compiled("gradient", newton, (2.0,), ("a",)).text
    assert "x_bar = 0.5 * x_bar" in text
    assert not re.search(r"^ +\w+_bar = \w+_bar$", text, re.MULTILINE)
