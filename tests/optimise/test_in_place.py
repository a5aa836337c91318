"""Sums go into a buffer that nobody else sees, and only there."""

from __future__ import annotations

import re

import numpy as np
import pytest

from s2sad import differentiate
from s2sad.optimise.buffers.in_place import accumulate_in_place
from s2sad.optimise.buffers.own_buffers import own_written_buffers
from tests.optimise.rewriting import after
from tests.support.ir_text import matrix, vector

KINDS = dict.fromkeys(("w", "bar", "other", "t", "first", "part"), vector("n")) | {
    "wide": matrix("m", "n"),
    "out": vector("n"),
}


def accumulated(text):
    return after(accumulate_in_place, text, KINDS)


SUM = """
def f(w, t, n):
    bar = np.zeros_like(w)
    for i in range(n):
        bar = derived(bar + t)
    out = derived(own_copy(bar))
    return out
"""


def test_an_own_buffer_is_added_into_and_returned():
    lines = accumulated(SUM)
    assert "    bar = iadd(bar, t)" in lines and "out = bar" in lines


def test_the_callers_array_is_not():
    lines = accumulated(SUM.replace("np.zeros_like(w)", "w"))
    assert "    bar = add(bar, t)" in lines and "out = own_copy(bar)" in lines


def test_a_buffer_that_is_read_later_under_another_name_is_not():
    text = """
    def f(w, t):
        bar = np.exp(w)
        other = bar
        bar = derived(bar + t)
        out = derived(bar * other)
        return out
    """
    assert "bar = add(bar, t)" in accumulated(text)


def test_a_view_of_a_buffer_is_not():
    text = """
    def f(w, t):
        bar = np.broadcast_to(t, 3)
        bar = derived(bar + t)
        return bar
    """
    assert "bar = add(bar, t)" in accumulated(text)


def test_nothing_that_widens_the_buffer():
    text = """
    def f(w, wide):
        bar = np.exp(w)
        bar = derived(bar + wide)
        return bar
    """
    assert "bar = add(bar, wide)" in accumulated(text)


def test_the_users_sums_stay():
    text = "def f(w, t):\n    bar = np.exp(w)\n    bar = bar + t\n    return bar"
    assert "bar = add(bar, t)" in accumulated(text)


def test_a_written_buffer_is_copied_first_unless_it_is_own():
    text = """
    def f(w, t, i):
        bar = w
        bar = index_add(bar, i, t)
        return bar
    """
    lines = after(own_written_buffers, text, KINDS)
    assert lines == [
        "bar = w",
        "bar = own_copy(bar)",
        "bar = index_add(bar, i, t)",
        "return bar",
    ]
    own = text.replace("bar = w", "bar = np.zeros_like(w)")
    assert not any(
        "own_copy" in line for line in after(own_written_buffers, own, KINDS)
    )


def test_a_slice_of_an_own_buffer_is_written_into():
    text = """
    def f(wide, t):
        bar = np.zeros_like(wide)
        part = bar[0]
        part = index_add(part, 0, t)
        return part
    """
    lines = after(own_written_buffers, text, KINDS)
    assert not any("own_copy" in line for line in lines)
    shared = text.replace("return part", "out = bar + part\n        return out")
    assert "part = own_copy(part)" in after(own_written_buffers, shared, KINDS)


@pytest.mark.parametrize(
    "view", ["np.broadcast_to(bar, (3, 2, 2))", "np.diagonal(bar)"]
)
def test_a_slice_of_what_may_be_read_only_is_not(view):
    text = f"""
    def f(wide, t):
        bar = np.exp(wide)
        other = {view}
        part = other[0]
        part = index_add(part, 0, t)
        return part
    """
    assert "part = own_copy(part)" in after(own_written_buffers, text, KINDS)


def test_what_may_share_memory_in_a_loop_is_copied_in_front_of_it():
    text = """
    def f(w, t, k, n):
        first = np.exp(w)
        other = np.exp(t)
        if k:
            other = first
        for i in range(n):
            x = first[i]
            other = index_add(other, i, x)
            first = index_add(first, i, x)
        out = first + other
        return out
    """
    lines = after(own_written_buffers, text, KINDS)
    copies = [line for line in lines if "own_copy" in line]
    assert len(copies) == 1 and not copies[0].startswith(" ")


def test_what_a_loop_makes_shared_is_copied_only_there():
    text = """
    def f(w, t, n):
        first = np.exp(w)
        other = first
        for i in range(n):
            x = first[i]
            other = first
            other = index_add(other, i, x)
            w = w + first
        out = other + w
        return out
    """
    lines = after(own_written_buffers, text, KINDS)
    copies = [line for line in lines if "own_copy" in line]
    assert len(copies) == 1 and copies[0].startswith("    ")


@differentiate(wrt="x")
def written_under_two_names(x, v, k):
    n = len(v)
    a = v * x
    b = a if k > 0 else x * v * v
    for i in range(1, n):
        a[i] *= b[i - 1]
        b[i] += x * a[i]
    return np.sum(a * b)


@differentiate(wrt="x")
def shrinking_and_growing(x, v, n):
    q = [x]
    for i in range(n):
        q.append(v[i] * q[-1])
        q.append(v[i] * q[-2])
        q.pop()
        q[i % 3 if i > 2 else 0] *= x
    return sum(q)


@pytest.mark.parametrize(
    ("function", "args", "cotangent", "ahead"),
    [
        (written_under_two_names, (0.5, np.linspace(0.5, 1.5, 6), 1), "[ab]_bar", 1),
        (shrinking_and_growing, (0.5, np.linspace(0.5, 1.5, 6), 6), "q_bar", 0),
    ],
)
def test_no_copy_of_a_cotangent_in_each_iteration(function, args, cotangent, ahead):
    text = function.grad.source_for(*args)
    copies = re.findall(rf"^( *){cotangent}\w* = .*\.copy\(\)", text, re.MULTILINE)
    assert copies == ["    "] * ahead, text
    step = 1e-6
    low, high = (function(args[0] + d, *map(np.copy, args[1:])) for d in (-step, step))
    assert function.grad(*args) == pytest.approx((high - low) / (2 * step), rel=1e-6)


@differentiate
def views_of_a_parameter(m, n):
    m = m * 1.0
    total = 0.0
    for _ in range(n):
        m = np.squeeze(m)
        m[0] = 0.5 * np.sum(m)
        total += m[1] * m[0]
    return total


@differentiate(wrt="v")
def parameter_bound_anew(v, n):
    for _ in range(n):
        v = np.squeeze(v)
        v.fill(0.5 * v[0])
    return np.sum(v**2)


@pytest.mark.parametrize("function", [views_of_a_parameter, parameter_bound_anew])
def test_what_a_parameter_held_before_a_loop_is_kept(function):
    v, direction = np.linspace(0.5, 1.5, 4), np.array([0.3, -0.2, 0.5, 0.1])
    low, high = (function(v + e * direction, 3) for e in (-1e-6, 1e-6))
    slope = (high - low) / 2e-6
    assert function.grad(v, 3) @ direction == pytest.approx(slope, rel=1e-6)
