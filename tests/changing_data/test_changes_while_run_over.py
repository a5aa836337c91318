"""Lists and dicts that change while a loop runs over them."""

from __future__ import annotations

import textwrap

import pytest

from s2sad import UnsupportedError, grad
from tests.changing_data.test_cases import IMPORTS
from tests.fuzz.checking import check

PROGRAMS = {
    "places that the run decides, in lists of known length": """
        class P:
            def __init__(self, h):
                self.h = h
                self.items = [h, 2 * h]

            def __iter__(self):
                for e in self.items:
                    yield e

        def program(x, v, k):
            two, total = P(0.5 * x), 0.0
            for e in two.items:
                for i in range(len(two.items)):
                    two.items[i] -= x
                total += e
            for e in two:
                two.items[(k + 1) % 2] *= x
                total += e
            items = [x, 2.0 * x, 3.0 * x]
            for i, e in enumerate(items):
                for j in range(len(items)):
                    if j > i:
                        items[j] *= x
                for f in items:
                    items[(k + i) % 3] += x
                    total += e * f
            rows = {"a": [x, x], "b": [x * 2.0, v[0]]}
            for row in rows.values():
                for e in row:
                    rows["b"][k % 2] *= x
                    rows["a"][(k + 1) % 2] *= x
                    total += e
            a, b = [v * x, v], [v, x * v]
            for pair in (a, b):
                for e in pair:
                    for j in range(2):
                        a[j] *= x
                        b[j] = b[j] + x
                    total += np.sum(e)
            return total
    """,
    "numbers take the place of known ones": """
        def program(x, v):
            log = [1, 2, 3]
            total = 0.0
            for e in log:
                total += e * e * x
                log[2] = total * x
                if e > 2:
                    total += x
            pair = [1, 2, 3]
            for i, (e, f) in enumerate(zip(pair, v)):
                total += e * f * x
                pair[(i + 1) % 3] = total * x
            return total * log[0] + pair[1]
    """,
    "numbers take the place of ints in a list of unknown length": """
        def program(x, v, k):
            log, rows = [1] * (k + 3), [(1, 2)] * (k + 3)
            total = 0.0
            for i, e in enumerate(log):
                total += e * e * x
                log[(i + 1) % len(log)] = 0.3 * total * x
            for e in map(lambda e: e * x, log):
                total += e
                log[2] = 0.2 * total
            for e in reversed(log):
                total += e * x
                log[0] = 0.2 * total
            for i, (a, b) in enumerate(rows):
                total += a * b * x
                rows[(i + 1) % 3] = (0.1 * total, x)
            return total * log[0] + rows[0][0]
    """,
    "other lists and objects take their place": """
        class P:
            def __init__(self, h):
                self.h = h

        def program(x, v):
            rows = [[x], [v[0]], [v[1]]]
            total = 0.0
            for r in rows:
                total += r[0] * x
                rows[2] = [total, x]
                r[0] = 3.0
            ps = [P(1), P(2)]
            for p in ps:
                total += p.h * x
                ps[1] = P(total)
                ps[0].h = total * x
            return total * rows[0][0] + rows[2][0] + ps[0].h * ps[1].h
    """,
    "generators, comprehensions and itertools see it": """
        import itertools

        def program(x, v):
            log = [1, 2, 3]
            total = x

            def gen():
                for e in log:
                    yield e * x

            def push(e):
                log[2] = 0.3 * e * x
                return log[2] + e

            for e in gen():
                total += e
                log[2] = 0.1 * total
            r = [push(e) for e in log]
            s = sum(push(e) for e in log)
            for a, b in itertools.pairwise(log):
                total += a * b * x
                log[2] = 0.1 * total
            for a in itertools.chain(log, [1.0]):
                total += a * x
                log[2] = 0.2 * total
            return s * log[2] + sum(r) * total
    """,
    "values of dicts": """
        def program(x, v, k):
            d = {"a": 1, "b": 2, "c": 3}
            total = x
            for key, e in d.items():
                total += e * x
                d["c"] = 0.1 * total
            for e in d.values():
                total += e * x
                d["b"] = 0.1 * total
            t = {i: 1 for i in range(k + 3)}
            for key, e in t.items():
                total += e * x
                t[(key + 1) % 3] = 0.2 * total
            for key in t:
                total += t[key] * x
                t[1] = 0.1 * total
            return total * d["a"] + d["b"] * t[1]
    """,
    "values of a dict, by keys that the run decides": """
        def program(x, y, v, k):
            d = {"a": x, "b": v[0] * y, "c": v[1]}
            key = ["a", "b", "c"][k % 3]
            s = 0.0
            for name, e in d.items():
                s += e * e
                d[key] *= x
                d[name] = e * d["a"]
            for e in d.values():
                for j in range(k):
                    d[["c", "a"][j % 2]] *= y
                s += e
            return s + d["c"] + d["a"] * d["b"]
    """,
    "values of dicts that objects of a list hold": """
        class Holder:
            def __init__(self, h):
                self.data = {"a": h, "b": 1.5 * h, "w": 0.5}

            def step(self, e):
                for name, value in self.data.items():
                    self.data[name] = value * e
                    self.data["b"] *= e

        def program(x, y, v, k):
            holders = [Holder(e * x) for e in v]
            for holder in holders:
                holder.step(y)
            return sum(h.data["a"] + h.data["b"] ** 2 + h.data["w"] for h in holders)
    """,
    "a list gets another name meanwhile": """
        def program(x, v):
            log = [x * e for e in v]
            total = 0.0
            for e in log:
                total += e * e
                log = log + [total]
                log = [2.0 * y for y in log]
            return total * log[0]
    """,
}
BOUND_ANEW = {
    "each time": """
        def program(x, v):
            log = [x * e for e in v]
            total = 0.0
            for e in log:
                total += e * e
                log[1] = total * x
                log = [total, x, e]
            return total * log[0]
    """,
    "on one path, of known length": """
        def program(x, v):
            log = [x, x * x, v[0]]
            total = 0.0
            for e in log:
                total += e * e
                if total > 0.01:
                    log[2] = total * x
                    log = [total, x, e]
            return total * log[0]
    """,
    "through an attribute": """
        class A:
            def __init__(self, log):
                self.log = log

        def program(x, v):
            a = A([x * e for e in v])
            total = 0.0
            for e in a.log:
                total += e * e
                a.log[1] = total * x
                a.log = [total, x, e]
            return total * a.log[0]
    """,
    "with zip": """
        def program(x, v):
            log = [x * e for e in v]
            total = 0.0
            for a, b in zip(log, v):
                total += a * b
                log[2] = total
                log = [2.0 * y for y in log]
            return total * log[0]
    """,
    "a dict": """
        def program(x, v):
            log = {"a": x, "b": v[0], "c": v[1]}
            total = 0.0
            for i, (key, e) in enumerate(log.items()):
                total += e * e
                if v[i] > 0.0:
                    log["c"] = total
                    log = {"a": x, "b": v[0] * total, "c": v[1]}
            return total * log["b"]
    """,
}


def outcomes_of(text):
    known: dict = {}
    text = IMPORTS + textwrap.dedent(text)
    return [check(text, seed, 120, known=known) for seed in range(4)]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_right(name):
    outcomes = outcomes_of(PROGRAMS[name])
    assert {outcome.verdict for outcome in outcomes} == {"differentiated"}, outcomes


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", BOUND_ANEW)
def test_what_is_changed_and_bound_anew_is_never_wrong(name):
    outcomes = outcomes_of(BOUND_ANEW[name])
    assert "wrong" not in {outcome.verdict for outcome in outcomes}, outcomes


def test_a_dict_with_known_keys_that_gets_another_while_it_is_run_over():
    def grown(x, key):
        d = {"a": x, "b": x * x}
        s = 0.0
        for e in d.values():
            s += e
            d[["a", "c"][key]] = x * e
        return s + d["a"]

    assert grad(grown)(2.0, 0) == 1.0 + 4.0 + 12.0
    with pytest.raises((RuntimeError, UnsupportedError), match="changed size|grows"):
        grad(grown)(2.0, 1)


def test_a_dict_that_gets_a_key_while_it_is_run_over():
    def grown(x, n):
        d = {i: x for i in range(n)}
        for key in d:
            d[key + 1] = x * x
        return sum(d.values())

    with pytest.raises(RuntimeError, match="changed size"):
        grad(grown)(2.0, 3)


@pytest.mark.parametrize("optimise", [True, False])
def test_a_dict_that_gets_a_key_in_place_of_another_while_it_is_run_over(optimise):
    def replaced(x, n, gone):
        d = {i: x for i in range(n)}
        total = 0.0
        for key in d:
            if key == 1 and gone in d:
                del d[gone]
                d[key + gone + 10] = x * x
            total += x
        return total + sum(d.values())

    def put_back(x, n):
        d = {i: x * i for i in range(n)}
        for key in d:
            if key == n - 1:
                d[0] = d.pop(0) + x
        return sum(v * v for v in d.values())

    with pytest.raises(RuntimeError, match="keys changed"):
        grad(replaced, optimise=optimise)(2.0, 5, 0)
    assert grad(replaced, optimise=optimise)(2.0, 5, 7) == 10.0
    assert grad(put_back, optimise=optimise)(2.0, 4) == pytest.approx(60.0)


def begun_over_keys(x, n):
    d = {i: x for i in range(n)}
    it = iter(d)
    first = next(it)
    d[n] = x * x
    return d[first] + sum(d[key] for key in it)


def begun_over_values(x, n):
    d = {i: x for i in range(n)}
    it = iter(d.values())
    first = next(it)
    del d[n - 1]
    return first + sum(it)


def made_by_map(x, n):
    d = {i: x for i in range(n)}
    it = map(lambda v: v * x, d.values())
    d[n] = x * x
    return sum(it)


@pytest.mark.parametrize("program", [begun_over_keys, begun_over_values, made_by_map])
def test_a_dict_that_changes_its_size_after_an_iterator_over_it_is_made(program):
    with pytest.raises(RuntimeError, match="changed size"):
        grad(program)(2.0, 5)


def test_a_dict_of_which_values_change_after_an_iterator_over_it_is_made():
    def stored(x, n):
        d = {i: x for i in range(n)}
        it = iter(d.values())
        first = next(it)
        d[n - 1] = x * x
        return first + sum(it)

    assert grad(stored)(2.0, 5) == 8.0
