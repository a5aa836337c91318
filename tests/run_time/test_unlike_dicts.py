"""Dicts that have names as keys, not all the same: gradients, and other data."""

from __future__ import annotations

import pytest

from s2sad import errors, grad


def total(rows):
    found = 0.0
    for d in rows:
        if "k" in d:
            found += d["k"] * len(d["tag"])
        else:
            found += d["c"] ** 2
    return found


def rows_of(count):
    return [
        {"tag": "spring", "k": 2.0} if k % 2 else {"c": 3.0, "tag": "damper"}
        for k in range(count)
    ]


def test_gradients_have_the_keys_of_the_data_in_their_order():
    gradient = grad(total)(rows_of(80))
    assert [list(d.items()) for d in gradient[:2]] == [
        [("c", 6.0), ("tag", None)],
        [("tag", None), ("k", 6.0)],
    ]


def test_other_keys_are_other_data():
    derivative = grad(total)
    rows = rows_of(80)
    text = derivative.source_for(rows)
    assert derivative.source_for(rows_of(5000)) == text
    rows[3] = {"k": 1.0, "tag": "s", "more": [1.0]}
    assert derivative(rows)[3] == {"k": 1.0, "tag": None, "more": [0.0]}
    rows[4] = {"tag": "s"}
    with pytest.raises(KeyError):
        derivative(rows)


def all_together(rows):
    return sum(len({**d}) * d["k"] for d in rows if "k" in d)


def test_what_is_refused():
    with pytest.raises(errors.UnsupportedError, match="whose items are of different"):
        grad(all_together)(rows_of(80))
