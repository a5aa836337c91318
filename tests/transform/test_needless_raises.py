"""Lines that nobody needs raise what they raise in the function, wherever its value is
asked for."""

from __future__ import annotations

import math
import textwrap

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, linearize, value_and_grad, vjp
from tests.fuzz.checking import load


def divides(x):
    z = 1.0 / (x - x)
    return x * 2


def divides_without_a_name(x):
    1.0 / (x - x)
    return x * 2


def divides_on_the_way(x):
    z = 1.0 / (x - x)
    w = z * 2.0
    return x * 2


def divides_in_a_loop(x):
    for i in range(3):
        z = 1.0 / (2 - i)
    return x * 2


def divides_in_a_branch(x):
    if x > 1.0:
        z = 1.0 / (x - x)
    return x * 2


def divides_in_a_test(x):
    if 1.0 / (x - x) > 1.0:
        pass
    return x * 2


def divides_in_a_call(x):
    def inverse(y):
        return 1.0 / y

    inverse(x - x)
    return x * 2


def divides_in_a_recursion(x):
    def descend(y, n):
        if n < 0:
            return y
        w = 1.0 / n
        return descend(y * 1.5, n - 1)

    return descend(x, 2)


def remainder(x):
    z = x % (x - x)
    return x * 2


def logarithm(x):
    z = math.log(x - 3.0)
    return x * 2


def whole_number(x):
    z = int(x * math.inf)
    return x * 2


def power(x):
    z = (x * 1e200) ** 2
    return x * 2


def item_of_a_list(x):
    items = []
    for i in range(3):
        items.append(x * i)
    z = items[5]
    return x * 2


def element(x):
    values = np.ones(3) * x
    z = values[int(x) + 3]
    return x * 2


def stored_element(x):
    values = np.ones(3)
    values[int(x) + 3] = x
    return x * 2


def shapes(x):
    z = np.ones(3) * x @ np.ones(int(x) + 2)
    return x * 2


def unbound(x):
    if x > 5.0:
        y = 1.0
    z = y
    return x * 2


def unbound_operand(x):
    for i in range(int(x) - 2):
        y = x
    z = y + 1.0
    return x * 2


RAISING = (
    *(divides, divides_without_a_name, divides_on_the_way, divides_in_a_loop),
    *(divides_in_a_branch, divides_in_a_test, divides_in_a_call),
    *(divides_in_a_recursion, remainder, logarithm, whole_number, power),
    *(item_of_a_list, element, stored_element, shapes, unbound, unbound_operand),
)
WITH_THE_VALUE = {
    "value_and_grad": lambda f: value_and_grad(f)(2.0),
    "vjp": lambda f: vjp(f, 2.0),
    "jvp": lambda f: jvp(f, (2.0,), (1.0,)),
    "linearize": lambda f: linearize(f, 2.0),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("function", RAISING)
def test_what_gives_the_value_raises(function):
    with pytest.raises(Exception) as expected:
        function(2.0)
    for derivative in WITH_THE_VALUE.values():
        with pytest.raises(expected.type):
            derivative(function)


def harmless(x, a, items):
    double = x + 1.0
    part = a[1:]
    scaled = a * x
    half = x / 2.0
    count = len(items)
    rows = a.shape[0]
    return x * 2


@pytest.mark.taken_apart
def test_what_raises_nothing_is_left_out():
    text = value_and_grad(harmless).source_for(2.0, np.ones(3), [1.0, 2.0])
    assert text.splitlines()[2:] == ["    return x * 2, 2.0"]


def test_the_gradient_passes_operations_by():
    assert grad(divides)(2.0) == 2.0


@pytest.mark.parametrize("function", [unbound, unbound_operand])
def test_names_without_a_value_raise_in_gradients_too(function):
    with pytest.raises(UnboundLocalError):
        grad(function)(2.0)


UNBOUND = {
    "branch": "if n > 0:\n    y = x * 1.0",
    "constant": "if n > 0:\n    y = 2.0",
    "loop": "for i in range(n):\n    y = x * i",
    "counter": "for y in range(n):\n    pass",
    "while": "k = 0\nwhile k < n:\n    y = x * k\n    k = k + 1",
    "try": "try:\n    y = x / n\nexcept ZeroDivisionError:\n    pass",
    "break": "for i in range(3):\n    if i >= n:\n        break\n    y = x * i",
}
READ = {
    "by the value": "return x * x + y",
    "by a test": "return x * x + (1.0 if y > 0.0 else 2.0)",
    "by a test of branches": "if y > 0.0:\n    return x * x\nreturn 2.0 * x * x",
    "by an index": "return [x, x * x][int(y) * 0] * x",
    "alone": "y\nreturn x * x",
    "deleted": "del y\nreturn x * x",
    "compared with None": "if y is None:\n    return x\nreturn x * x",
    "asserted": "assert y is not None\nreturn x * x",
    "assigned": "z = y\nreturn x * x",
    "augmented": "y += 1.0\nreturn x * x",
    "in a loop": "t = 0.0\nfor j in range(2):\n    t = t + y\nreturn x * x + t",
    "in a branch": "if x > 0.0:\n    z = y\nreturn x * x",
    "in a comprehension": "z = [y for j in range(2)]\nreturn x * x",
}
OF_TWO = {
    "grad": lambda f: grad(f)(2.0, 0),
    "value_and_grad": lambda f: value_and_grad(f)(2.0, 0),
    "vjp": lambda f: vjp(f, 2.0, 0),
    "jvp": lambda f: jvp(f, (2.0, 0), (1.0, None)),
    "linearize": lambda f: linearize(f, 2.0, 0),
    "hvp": lambda f: hvp(f)(2.0, 0, 1.0),
}


@pytest.mark.taken_apart
@pytest.mark.sampled(8)
@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("unbound", UNBOUND)
def test_a_name_without_a_value_raises_wherever_it_is_read(unbound, read):
    lines = f"{UNBOUND[unbound]}\n{READ[read]}\n"
    text = "def program(x, n):\n" + textwrap.indent(lines, "    ")
    function = load(text)["program"]
    with pytest.raises(NameError):
        function(2.0, 0)
    for derivative in OF_TWO.values():
        with pytest.raises(UnboundLocalError):
            derivative(function)
    assert isinstance(grad(function)(2.0, 3), float)


def last_of_loop(x, v):
    for i in range(v.shape[0]):
        loss = (x - v[i]) ** 2
    return loss


def by_an_earlier_turn(x, n):
    total = 0.0
    for i in range(n + 1):
        for _ in range(1 - i):
            y = x * x
        total = total + y
    return total + y


def test_a_loop_without_turns_leaves_the_value_of_an_earlier_turn():
    assert grad(by_an_earlier_turn)(1.5, 2) == 4 * 3.0
    with pytest.raises(UnboundLocalError):
        grad(by_an_earlier_turn)(1.5, -1)


def surely_bound(x, n):
    if n > 0:
        y = x
    else:
        y = 2.0 * x
    y
    for i in range(n):
        if i > 2:
            return x * y
    return y


def test_a_value_that_is_returned_needs_no_other_line():
    text = value_and_grad(last_of_loop).source_for(2.0, np.ones(3))
    assert "    loss\n" not in text and "raise" not in text
    text = grad(last_of_loop).source_for(2.0, np.ones(3))
    assert "    loss\n" not in text and "if length <= 0:\n        raise" in text


def test_names_that_surely_have_a_value_are_not_read_again():
    text = grad(surely_bound).source_for(2.0, 3)
    assert "    y\n" not in text and "    result\n" not in text


def unread_list(x, y, v, k):
    if y > 0.2:
        x = v
    values = (0.5 for _ in [x for _ in range(k) for _ in v])  # noqa: F841
    return 0.5 * y


def test_lists_that_nobody_reads_need_hold_nothing_of_one_kind():
    v = np.ones(2)
    assert jvp(unread_list, (1.0, 0.1, v, 2), (1.0, 1.0, v, None)) == (0.05, 0.5)
