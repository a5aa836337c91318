"""Heaps, sorted insertion, slices with bounds of the run, rotation, dicts of pairs."""

from __future__ import annotations

import bisect
import copy
import heapq
import random
import textwrap
from collections import deque

import pytest

from s2sad.frontend.library import lists, sorted_lists
from s2sad.ops.runtime.indices import count_of_slice, end_of_slice, first_of_slice
from tests.changing_data.test_cases import IMPORTS
from tests.fuzz.checking import check

PROGRAMS = {
    "a heap of pairs": """
        import heapq

        def program(x, v, k):
            queue = [(x * 0.0, 0)]
            total = 0.0
            while queue:
                d, i = heapq.heappop(queue)
                total += d * d * (i + 1)
                if i < 4 + k:
                    heapq.heappush(queue, (d + v[i % 3] ** 2, i + 2))
                    if i % 2 == 0:
                        heapq.heappush(queue, (d * 0.5 + x * x, i + 3))
            return total
    """,
    "smallest, largest and replaced": """
        import heapq

        def program(x, v):
            heap = [e * x for e in v]
            heapq.heapify(heap)
            b = heapq.heapreplace(heap, x * x)
            c = heapq.heappushpop(heap, b + x)
            return sum(heapq.nsmallest(2, heap)) * heapq.nlargest(1, heap)[0] * c
    """,
    "sorted insertion": """
        import bisect

        def program(x, v, k):
            s = [0.0, 1.0]
            bisect.insort(s, x)
            for i in range(k):
                bisect.insort_left(s, v[i % 3] * x)
            return sum(i * e for i, e in enumerate(s))
    """,
    "slices with bounds of the run": """
        def program(x, v, k):
            q = [e * x for e in v] + [x, x**2, x**3, x]
            q[k : k + 2] = [q[0] * q[3]]
            q[-2:k] = [v[0], x]
            del q[k:-2]
            q[::2] = [e**2 for e in q[::2]]
            q[::-1] = [e + x for e in q]
            del q[1 :: k + 2]
            return sum(i * e for i, e in enumerate(q, 1)) * len(q)
    """,
    "rotation": """
        from collections import deque

        def program(x, v, k):
            q = deque([x])
            for e in v:
                q.append(e * x)
                q.rotate(k)
            q.rotate(-2)
            return sum(i * e for i, e in enumerate(q, 1)) * q[0]
    """,
    "dicts of pairs": """
        def program(x, v, k):
            d = dict(zip(range(k + 2), v))
            e = dict(enumerate(v), extra=x)
            f = dict([(1, x), (2, v[0])])
            g = dict(d)
            g[0] = x
            t = {i: (e * x, i) for i, e in enumerate(v)}
            u = {(i, i + 1): e * x for i, e in enumerate(v) if e > -5.0}
            total = sum(d.values()) * d[1] + e[0] * e["extra"] + f[1] * f[2]
            for key, (a, b) in t.items():
                total += a * b * u[key, key + 1]
            while len(g) > 1:
                key, value = g.popitem()
                g[0] += value * key
            d.update(f)
            return total * g[0] * len(d)
    """,
    "one of several lists": """
        def program(x, v):
            a, b = [x, v[0]], [v[1] * x, x, x * x]
            log = a if v[2] > 0.1 else b
            log[0] = log[0] * 2
            total = sum(log) * len(log) + max(log)
            for e in log:
                total += e * e
                log[1] = total
            a.append(total)
            if log:
                total += 1.0
            del log[-1]
            r = [*log, x]
            return total * a[0] + b[1] * r[-1] + r[0] * sum(sorted(log))
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_right(name):
    text = IMPORTS + textwrap.dedent(PROGRAMS[name])
    known: dict = {}
    outcomes = [check(text, seed, 120, known=known) for seed in range(4)]
    assert {outcome.verdict for outcome in outcomes} == {"differentiated"}, outcomes


@pytest.mark.parametrize("seed", range(20))
def test_heaps_have_the_order_of_heapq(seed):
    rng = random.Random(seed)
    own = [rng.randrange(10) for _ in range(rng.randrange(12))]
    theirs = copy.copy(own)
    lists.heapify(own)
    heapq.heapify(theirs)
    for _ in range(40):
        number = rng.randrange(10)
        name = rng.choice(["heappush", "heappop", "heapreplace", "heappushpop"])
        args = () if name == "heappop" else (number,)
        if own or name in ("heappush", "heappushpop"):
            found = getattr(lists, name)(own, *args)
            assert found == getattr(heapq, name)(theirs, *args)
        assert own == theirs
    for n in (-1, 0, 3):
        assert lists.nsmallest(n, own) == heapq.nsmallest(n, own)
        assert lists.nlargest(n, own) == heapq.nlargest(n, own)


@pytest.mark.parametrize("seed", range(20))
def test_sorted_insertion_and_rotation(seed):
    rng = random.Random(seed)
    items = sorted(rng.randrange(5) for _ in range(8))
    pairs = (
        (sorted_lists.insort_left, bisect.insort_left),
        (sorted_lists.insort_right, bisect.insort_right),
    )
    for own, theirs in pairs:
        a, b = [float(i) for i in items], [float(i) for i in items]
        number = rng.randrange(5)  # an int is told from the floats that equal it
        own(a, number)
        theirs(b, number)
        assert list(map(repr, a)) == list(map(repr, b))
    queue, steps = deque(items), rng.randrange(-20, 20)
    queue.rotate(steps)
    assert lists.turned(items, steps) == list(queue)


@pytest.mark.parametrize("name", ["bisect_left", "bisect_right"])
def test_places_by_a_key_are_those_of_bisect(name):
    own, theirs = getattr(sorted_lists, name), getattr(bisect, name)
    words = [(), (1,), (0, 3), (2, None)]
    for items in ([], [1], [3, 2, 2, 2, 0, 0], [9, 8, 5, 4, 4, 1]):
        for number in range(-10, 2):
            for given in words if len(items) > 2 else words[:1]:
                found = own(items, number, *given, key=lambda i: -i)
                assert found == theirs(items, number, *given, key=lambda i: -i)
                assert own(items, number, *given) == theirs(items, number, *given)
    for known in (own, theirs):
        with pytest.raises(ValueError, match="lo must be non-negative"):
            known([1, 2], 1, -1, key=lambda i: i)


def test_bounds_of_slices():
    bounds = [None, *range(-7, 8)]
    for length in range(5):
        items = list(range(length))
        for start in bounds:
            for stop in bounds:
                longer = items[:]
                longer[start:stop] = ["new"]
                at = end_of_slice(start, stop, length)
                assert items[:start] * (start is not None) + ["new"] + items[at:] == (
                    longer
                )
                for step in (-3, -1, 1, 2):
                    args = (start, stop, step, length)
                    first, count = first_of_slice(*args), count_of_slice(*args)
                    places = [first + step * k for k in range(count)]
                    assert places == items[start:stop:step]
                    rest = items[:]
                    del rest[start:stop:step]
                    assert lists.without_steps(items, first, step, count) == rest
