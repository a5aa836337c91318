"""Heaps that nothing but heapq changes are ordered by heapq itself, by keys; others are
written out."""

from __future__ import annotations

import heapq
import math
import random
import re
import textwrap

import pytest

from s2sad import grad, value_and_grad
from s2sad.ops.keyed_heaps import key_of
from tests.fuzz.checking import check, draw_arguments, load

KEYED = {
    "a queue": """
        import heapq

        def program(x, v, k):
            events, time, total = [], 0.0, 0.0
            for gap in v:
                time += gap * gap + 0.1
                heapq.heappush(events, (time, "arrival"))
            while events:
                now, kind = heapq.heappop(events)
                total += now * now
                if kind == "arrival":
                    heapq.heappush(events, (now + x * x, "done"))
                    total += now * x
            return total
    """,
    "shortest paths": """
        from heapq import heappop, heappush

        def program(x, v, k):
            best = [0.0, 100.0, 100.0, 100.0]
            edges = [(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)]
            queue = [(0.0, 0)]
            while queue:
                d, i = heappop(queue)
                if d > best[i]:
                    continue
                for a, b in edges:
                    if a == i:
                        new = d + v[b - 1] ** 2 + x * x * b
                        if new < best[b]:
                            best[b] = new
                            heappush(queue, (new, b))
            return best[3] * best[2]
    """,
    "numbers, the first, the length, and one replaced": """
        import heapq as hq

        def program(x, v, k):
            heap: list = []
            total = 0.0
            for e in v:
                hq.heappush(heap, e * x)
                if len(heap) > 2 or not heap:
                    total += hq.heapreplace(heap, x * x + 3.0) ** 2
                total += heap[0] * len(heap)
            return total + hq.heappop(heap) * x if heap else total
    """,
    "begun anew in a helper": """
        import heapq

        def ordered(items, x):
            heap = []
            for k, item in enumerate(items):
                heapq.heappush(heap, ((item * x, k), item))
            total = 0.0
            while len(heap) > 1:
                (cost, place), item = heapq.heappop(heap)
                total += cost * (place + 1) * item
            return total + heap[0][1]

        def program(x, v, k):
            total = 0.0
            for i in range(k):
                total += ordered(v, x + i) * (i + 1)
            return total
    """,
    "left early": """
        import heapq

        def program(x, v, k):
            heap = [x]
            for e in v:
                heapq.heappush(heap, e)
                if e > 1.0:
                    break
                if e < 0.0 and heap:
                    continue
                heapq.heappush(heap, e * x)
            first = heapq.heappop(heap)
            return first * first + (heapq.heappop(heap) * x if len(heap) > 1 else x)
    """,
}
OTHERS = {
    "lists as items": """
        import heapq

        def program(x, v, k):
            heap = []
            for i, e in enumerate(v):
                heapq.heappush(heap, [e * x, i])
            return heapq.heappop(heap)[0] ** 2
    """,
    "another name": """
        import heapq

        def program(x, v, k):
            heap = []
            other = heap
            for e in v:
                heapq.heappush(heap, e * x)
            return other[0] ** 2 + other[-1]
    """,
    "changed otherwise": """
        import heapq

        def program(x, v, k):
            heap = []
            for e in v:
                heapq.heappush(heap, e * x)
            heap[0] = x
            heapq.heapify(heap)
            return heapq.heappop(heap) ** 2 * x
    """,
    "objects as items": """
        import heapq
        from dataclasses import dataclass

        @dataclass(frozen=True)
        class Job:
            cost: float

            def __lt__(self, other):
                return self.cost > other.cost

        def program(x, v, k):
            heap = []
            for e in v:
                heapq.heappush(heap, Job(e * x))
            return heapq.heappop(heap).cost ** 2 * x
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", [*KEYED, *OTHERS])
def test_derivatives_are_right(name):
    program = textwrap.dedent({**KEYED, **OTHERS}[name])
    verdicts, known = [], {}
    for seed in range(2):
        outcome = check(program, seed, seconds=120, known=known)
        assert outcome.verdict in ("differentiated", "left out"), outcome
        verdicts.append(outcome.verdict)
    assert "differentiated" in verdicts


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", [*KEYED, *OTHERS])
def test_which_heaps_have_keys(name):
    text = textwrap.dedent({**KEYED, **OTHERS}[name])
    program = load(text)["program"]
    _, args = draw_arguments(text, 0)
    keyed = re.search(r"range\(.*, 0\)\)", grad(program).source_for(*args))
    assert (keyed is not None) is (name in KEYED)


def of_keys(x, y, n):
    heap = []
    for k in range(n):
        heapq.heappush(heap, (math.sin(x * k), "a"))
        heapq.heappush(heap, (y * k, "b"))
    total = 0.0
    while heap:
        value, kind = heapq.heappop(heap)
        total += total * value + (value if kind == "a" else value * value)
    return total


def test_what_is_written():
    on = grad(of_keys, (0, 1))
    off = grad(of_keys, (0, 1), optimise={"keyed_heaps": False})
    text, other = on.source_for(1.5, 0.5, 4), off.source_for(1.5, 0.5, 4)
    assert "heapq.heappush(" in text and ".copy()" not in text
    assert "        heapq.heappush(" not in other.replace("# heapq", "")
    assert on(1.5, 0.5, 4) == pytest.approx(off(1.5, 0.5, 4), rel=1e-12)


def test_items_that_tie_are_taken_as_python_takes_them():
    def weighed(a, b, c, d):
        heap, total, weight = [], 0.0, 1.0
        for item in (a, b, c, d, a * 0.0, -0.0 * b):
            heapq.heappush(heap, item)
        while heap:
            total = total * 2.0 + math.atan2(heapq.heappop(heap), -1.0) * weight
            weight *= 3.0
        return total

    for args in ((0.0, -0.0, 0.0, -0.0), (1.0, 1.0, 1.0, 1.0), (0.0, 1.0, -0.0, 1.0)):
        value, bars = value_and_grad(weighed, (0, 1, 2, 3))(*args)
        assert value == weighed(*args)
        off = grad(weighed, (0, 1, 2, 3), optimise={"keyed_heaps": False})
        assert bars == off(*args)


@pytest.mark.parametrize("seed", range(20))
def test_keys_have_the_order_of_items(seed):
    rng = random.Random(seed)
    items: list = []
    keys: list = []
    taken, found = [], []
    pushed = 0
    for _ in range(60):
        if items and rng.random() < 0.4:
            taken.append(heapq.heappop(items))
            found.append(heapq.heappop(keys)[:-1])
        else:
            value = rng.choice([0.0, -0.0, 1.0, True, math.nan, 2])
            item = (value, Same(pushed))
            heapq.heappush(items, item)
            heapq.heappush(keys, key_of(item, pushed))
            pushed += 1
    assert [i[1].serial for i in taken] == [i[1].serial for i in found]


class Same:
    """Ties with all others, and can be told apart."""

    def __init__(self, serial):
        self.serial = serial

    def __eq__(self, other):
        return True

    def __lt__(self, other):
        return False
