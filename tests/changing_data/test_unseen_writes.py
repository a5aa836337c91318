"""Writes that are easily overlooked: the name written is never read again, or the
writer is a function that nobody thinks of."""

from __future__ import annotations

import functools
import textwrap

import numpy as np
import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check

PROGRAM = """
import bisect
import collections
import functools
import heapq
import itertools
import operator
import random

SHARED = np.ones(3)


class Squared:
    def __get__(self, owner, cls=None):
        return owner._e

    def __set__(self, owner, e):
        owner._e = e * e


class Checked:
    e = Squared()

    def __init__(self, e):
        self.e = e


class Log:
    def __init__(self, items):
        self.items = items
        self.items += [items[0] ** 2]

    def grow(self, e):
        self.items *= 2


def halve(t, n):
    if n == 0:
        return 0.0
    t *= 0.5
    return halve(t, n - 1)


def program(x, v, k):
    a = v * x
    b = a
    n = np.array([0, 1, 0])
    p = n
    q = [x, v[0], x * v[1]]
    r = q
    d = {"a": x, "b": a}
    w = np.array([1.0, 2.5, 4.5])
    {line}
    items = sum((i + 1) * e**2 for i, e in enumerate(q))
    return np.sum((a**2 + v[n] * x + SHARED * x).T @ w) + items + d["a"] ** 2
"""
LINES = (
    # names that are not read again
    "b += x",
    "b -= v",
    "b *= 2.0",
    "b /= x",
    "b **= 2",
    "b //= x",
    "p += 1",
    "p |= 1",
    "c = b[1:]; c += x",
    "c = b.T; c *= x",
    "c = np.ravel(b)[:2]; c -= x",
    "c = b if x > 0.0 else v * 1.0; c += x",
    "c = (a, w)[k % 2]; c += x",
    "c = np.split(b, 3)[0]; c += x",
    "c, e = b, x; c += e",
    "z = SHARED; z += 1.0",
    "[z.fill(x) for z in [b]]",
    "c = a[0, ...]; c += x",
    "z = np.array(x); y = z; y += x; x = z * x",
    "z = Log(q); z.grow(x)",
    "z = Checked(x); x = z.e",
    "z = collections.defaultdict(float); y = z['a']; x = x * len(z)",
    # procedures
    "halve(a, 2)",
    "y = halve(b[1:], k)",
    "halve(w, 1)",
    # functions that write
    "operator.iadd(b, x)",
    "operator.imod(b, x)",
    "operator.setitem(b, 0, x)",
    "operator.setitem(r, 0, x * x)",
    "operator.setitem(d, 'a', x * x)",
    "operator.delitem(q, 0)",
    "operator.iadd(r, [x])",
    "operator.iconcat(r, [x])",
    "functools.reduce(operator.iadd, [v], b)",
    "functools.reduce(operator.iadd, [[x]], r)",
    "list(itertools.accumulate([b, v], operator.iadd))",
    "np.ndarray.fill(b, x)",
    "np.ndarray.sort(b)",
    "np.ndarray.partition(b, 1)",
    "np.choose([0, 0, 0], [v, v], out=b)",
    "np.choose([0, 0, 0], [v, v], b)",
    "np.compress([True, True, True], v, out=b)",
    "np.median(b, overwrite_input=True)",
    "np.maximum.accumulate(b, out=b)",
    "list.insert(r, 0, x * x)",
    "list.append(r, x * x)",
    "list.sort(r)",
    "dict.update(d, a=x * x)",
    "dict.setdefault(d, 'c', x)",
    "heapq.heapify(r)",
    "heapq.heappush(r, x * x)",
    "bisect.insort(r, x)",
    "random.Random(0).shuffle(r)",
    "exec('b[0] = x')",
    "eval('b.fill(x)')",
)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("line", LINES)
def test_never_overlooked(line):
    text = IMPORTS + textwrap.dedent(PROGRAM).replace("{line}", line)
    outcome = check(text, 0)
    assert outcome.verdict in ("differentiated", "refused"), outcome


class Scaled:
    def __init__(self, x, v):
        self.x, self.v = x, v

    @functools.cached_property
    def product(self):
        return self.v * self.x


def of_a_cached_property(x, v):
    scaled = Scaled(x, v)
    product = scaled.product
    product += x
    return np.sum(scaled.product * product)


def of_a_cached_function(x, v):
    @functools.lru_cache
    def multiple(n):
        return v * n * x

    first = multiple(2)
    first += 1.0
    return np.sum(first * multiple(2))


def of_a_cache_that_reads_what_changes(x, v):
    scale = x

    @functools.cache
    def multiple(n):
        return scale * n

    first = multiple(2)
    scale = x * x
    return first * multiple(2)


@pytest.mark.parametrize(
    "function",
    [of_a_cached_property, of_a_cached_function, of_a_cache_that_reads_what_changes],
)
def test_what_a_cache_gives_is_not_written_into(function):
    with pytest.raises(UnsupportedError):
        s2sad.grad(function)(1.5, np.ones(3))


def test_what_a_cache_gives_is_differentiated():
    def norm(x, v):
        scaled = Scaled(x, v)
        return np.sum(scaled.product * scaled.product)

    assert s2sad.grad(norm)(1.5, np.ones(3)) == 9.0


HANDED_ON = """
import collections
import functools
import heapq
import itertools
import operator


def add(a, e):
    a.append(e)
    return a


@functools.singledispatch
def add_to(a, e):
    return a


@add_to.register(list)
def _(a, e):
    return add(a, e)


class Owner:
    def same(self, a):
        return a


ADD = functools.partial(add)
ADD_ONE = functools.partial(add, e=1.0)
OWNER = Owner()
SAME = functools.partial(OWNER.same)


def program(x, v, k):
    w, r = v[0], v[1]
    o = Owner()
{begin}
    {line}
    return sum((i + 1) * e**2 for i, e in enumerate(q)) + len(q) * x
"""
BEGINS = {
    "display": "    q = [x, w, x * r]",
    "run-time length": "    q = []\n    for e in v:\n        q.append(x * (e + r))",
    "object": (
        "    o.q = []\n    for k in range(3):\n        o.q.append(x * (k + w))\n"
        "    q = o.q"
    ),
}
GIVEN_BACK = (
    # what a function gives back, or hands on to another, is the list itself
    "z = functools.reduce(add, [x], q)",
    "z = functools.reduce(operator.iadd, [[x], [x]], q)",
    "z = functools.reduce(lambda a, b: a, v, q); z.append(x)",
    "z = functools.reduce(heapq.heappush, [x], q)",
    "z = functools.reduce(add_to, [x, w], q)",
    "max([q], key=lambda e: e.append(x) or 1.0)",
    "min((q,), key=lambda e: e.append(x) or 1.0)",
    "max([x], key=lambda e: q.append(x) or e)",
    "min((e for e in [x]), key=lambda e: q.append(x) or e)",
    "sorted([q], key=lambda e: e.append(x) or 1.0)",
    "z = max([], key=len, default=q); z.append(x)",
    "z = min([], default=q); z.append(x)",
    "z = next(iter([]), q); z.append(x)",
    "z = next((e for e in [q] if x > 9.0), q); z.append(x)",
    "z = sum([], q); z.append(x)",
    "z = sum([[e] for e in v if e > 90.0], q); z.append(x)",
    "z = dict(b=1, a=q)['a']; z.append(x)",
    "z = dict({'a': q}, b=q)['b']; z.append(x)",
    "z = operator.itemgetter(0)([q]); z.append(x)",
    "z = list(itertools.accumulate([[x]], operator.iadd, initial=q))",
    "z = list(itertools.zip_longest([1, 2], [q], fillvalue=q))[1][1]; z.append(x)",
    "z = collections.defaultdict(list, a=q)['a']; z.append(x)",
    "ADD(q, x)",
    "ADD_ONE(q)",
    "add_to(q, x)",
    "z = SAME(q); z.append(x)",
    "list(map(ADD, [q], [x]))",
    "list(itertools.starmap(add, [(q, x)]))",
)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("begin", BEGINS.values(), ids=BEGINS)
@pytest.mark.parametrize("line", GIVEN_BACK)
def test_what_is_handed_on_is_the_list_itself(line, begin):
    text = HANDED_ON.replace("{line}", line).replace("{begin}", begin)
    outcome = check(IMPORTS + text, 0)
    assert outcome.verdict in ("differentiated", "refused"), outcome
    assert outcome.verdict == "differentiated" or "sum(" in line, outcome
