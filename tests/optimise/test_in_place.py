"""Sums go into a buffer that nobody else sees, and only there."""

from __future__ import annotations

from s2sad.optimise.in_place import accumulate_in_place, own_written_buffers
from tests.optimise.rewriting import after
from tests.support.ir_text import matrix, vector

KINDS = dict.fromkeys(("w", "bar", "other", "t"), vector("n")) | {
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
