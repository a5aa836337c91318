"""Containers of which only the run knows what they hold, asked for their classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import singledispatch

from tests.run_time.programs.table import number, program


def numbers(n):
    return ([number() for _ in range(n + 1)],)


def thirds(xs):
    found = {}
    for k, x in enumerate(xs):
        found[k % 3] = x
    return found


@program(numbers)
def class_of_a_dict(xs):
    d = thirds(xs)
    factor = 2.0 if isinstance(d, dict) else 3.0
    factor *= 5.0 if isinstance(d, Mapping) else 7.0
    factor *= 11.0 if type(d) is dict else 13.0
    return factor * d[0] * (2.0 if isinstance(d.keys(), tuple) else 3.0)


@program(numbers)
def class_of_rows(xs):
    rows = [(x, x * x) for x in xs]
    fixed = tuple((x, x * x) for x in xs)
    factor = 2.0 if isinstance(rows, Sequence) else 3.0
    factor *= 5.0 if isinstance(rows, list) else 7.0
    factor *= 11.0 if type(rows) is list else 13.0
    factor *= 17.0 if isinstance(fixed, tuple) else 19.0
    factor *= 23.0 if isinstance(fixed, list) else 29.0
    factor *= 31.0 if type(fixed) is tuple else 37.0
    return factor * rows[0][1] + fixed[0][0]


@singledispatch
def weight(value):
    return 1.0


@weight.register(dict)
def weight_of_dicts(value):
    return 2.0


@weight.register(list)
def weight_of_lists(value):
    return 3.0


@program(numbers)
def weighed_by_class(xs):
    return xs[0] * weight(thirds(xs)) * weight([(x, x) for x in xs])


@program(numbers)
def key_on_one_path(xs):
    d = {}
    if xs[0] > 0.9:
        d["a"] = xs[0]
    d["b"] = xs[-1]
    return d["b"] * (2.0 if isinstance(d, dict) else 3.0)
