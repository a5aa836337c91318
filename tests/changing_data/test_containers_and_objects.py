"""Programs that change lists, dicts and objects, found by random ones."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import IMPORTS, assert_differentiated
from tests.fuzz.checking import check


def assert_refused(text: str, reason: str) -> None:
    outcome = check(IMPORTS + textwrap.dedent(text), 0)
    assert outcome.verdict == "refused", outcome
    assert reason in outcome.detail


CLASS = """
class Body:
    def __init__(self, h):
        self.h = h
"""


@pytest.mark.parametrize(
    "change",
    ["bodies[1].h = x * 0.5", "bodies[k % 3].h *= x", "for b in bodies: b.h += x"],
)
def test_items_of_a_list_that_itself_stays(change):
    text = f"""
def program(x, v, k):
    bodies = [Body(e) for e in v]
    {change}
    return sum(b.h * x for b in bodies) * bodies[1].h
"""
    assert_differentiated(CLASS + text)


STORED = {"Body(e)": ".h", '{"a": e}': '["a"]', "[e]": "[0]"}
"""What is stored into of each item."""


@pytest.mark.parametrize("item", STORED)
def test_items_of_a_tuple_of_unknown_length(item):
    text = f"""
def program(x, v):
    bodies = tuple({item} for e in v)
    bodies[0]{STORED[item]} = x
    return bodies[0]{STORED[item]} * x
"""
    assert_differentiated(CLASS + text)


@pytest.mark.parametrize("item", STORED)
def test_one_item_that_stands_in_a_list_often(item):
    text = f"""
def program(x, v, k):
    e = x
    bodies = [{item}] * (k + 2)
    for b in bodies:
        b{STORED[item]} *= v[0]
    return bodies[0]{STORED[item]} * x
"""
    assert_differentiated(CLASS + text)


@pytest.mark.parametrize(
    "bodies",
    ["bodies = [b for e in v]", "bodies = []\n    for e in v: bodies.append(b)"],
)
def test_an_object_that_goes_into_a_list_and_is_used_on(bodies):
    text = f"""
def program(x, v):
    b = Body(x)
    {bodies}
    bodies[0].h = b.h * v[0]
    return bodies[1].h
"""
    assert_differentiated(CLASS + text)


def test_an_object_made_anew_where_nothing_is_raised():
    text = """
def program(x, v):
    b = Body(0.5)
    try:
        if v[0] > 0.1:
            raise ValueError
    except ValueError:
        pass
    else:
        b = Body(x)
    finally:
        x = x * 2.0
    b.h += x
    return b.h * x
"""
    assert_differentiated(CLASS + text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("keep", "kept"),
    [
        ("old = b", "old.h"),
        ("old = (b, e)", "old[0].h"),
        ("old = lambda t, o=b: o.h * t", "old(x)"),
        ("if e < 9.0: old = b", "old.h"),
    ],
)
def test_what_an_earlier_iteration_left_is_kept_under_a_name_of_the_loop(keep, kept):
    text = f"""
def program(x, v):
    b = Body(x)
    for e in v:
        {keep}
        b = Body(b.h * e)
        b.h += v[1]
    return b.h + x * {kept}
"""
    assert_differentiated(CLASS + text)


def test_what_an_earlier_iteration_left_is_read_in_the_next():
    text = """
def program(x, v):
    old, b = Body(v[0]), Body(x)
    for e in v:
        again = old
        old = b
        b = Body(b.h * e + again.h)
        b.h += old.h
    return b.h + x * old.h
"""
    assert_differentiated(CLASS + text)


@pytest.mark.parametrize("item", ["[{}]", '{{"a": {}}}'])
def test_an_item_of_a_list_that_is_made_anew(item):
    place = "[0]" if item == "[{}]" else '["a"]'
    text = f"""
def program(x, v):
    rows = [{item.format("e")} for e in v]
    for e in v:
        first = rows[0]
        rows = [{item.format(f"a{place} * x + e")} for a in rows]
        first{place} += 1.0
    return rows[0]{place} + x * first{place}
"""
    assert_differentiated(text)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "change",
    [
        "bodies[0] = Body(x)",
        "if x > 0.1: bodies[0] = Body(x)",
        "for i in range(2): b.h += 1.0; bodies[0] = Body(x * b.h)",
        "bodies.pop(); bodies.append(Body(x))",
    ],
)
def test_an_item_of_which_the_place_is_taken(change):
    text = f"""
def program(x, v):
    bodies = [Body(e) for e in v]
    b = bodies[0]
    {change}
    b.h += 1.0
    return sum(b.h * (j + 1) for j, b in enumerate(bodies))
"""
    if "append" in change:
        text = text.replace("b = bodies[0]", "b = bodies[-1]")
    assert_differentiated(CLASS + text)


def test_a_part_of_an_item_is_replaced():
    text = """
class Pair:
    def __init__(self, body, h):
        self.body, self.h = body, h

def program(x, v):
    pairs = [Pair(Body(e), x) for e in v]
    for p in pairs:
        p.body = Body(p.h * x)
        p.h += p.body.h
        p.body.h += 1.0
    CHANGE
    return sum(p.h * p.body.h * (j + 1) for j, p in enumerate(pairs))
"""
    assert_differentiated(CLASS + text.replace("CHANGE", "pass"))
    change = "old = pairs[0].body; pairs[0].body = Body(x); old.h += 1.0"
    assert_differentiated(CLASS + text.replace("CHANGE", change))


def test_items_are_replaced_while_a_loop_runs_over_them():
    text = """
def program(x, v):
    bodies = [Body(e) for e in v]
    for i, b in enumerate(bodies):
        bodies[i] = Body(x * b.h)
        bodies[i].h += 1.0
    return sum(b.h * (j + 1) for j, b in enumerate(bodies))
"""
    assert_differentiated(CLASS + text)
