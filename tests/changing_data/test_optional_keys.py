"""Dicts of which some keys are there on some paths only."""

from __future__ import annotations

import textwrap

import pytest

from s2sad import UnsupportedError, grad
from tests.changing_data.test_cases import IMPORTS
from tests.fuzz.checking import check

PROGRAMS = {
    "read, stored and run over": """
        def program(x, v):
            d = {"a": x, "b": v[0], "w": v * 1.0}
            if v[1] > 0.0:
                d["c"] = x * v[1]
            total = 0.0
            if "c" in d:
                total += d["c"] ** 2
            total += d.get("c", x) * len(d)
            d["w"] = d["w"] * x
            d["a"] *= total
            for key, value in d.items():
                total += np.sum(value) * x
            for key in d:
                d[key] = d[key] * 0.5
            total += d.get("c", x)
            d["c"] = total
            return total * d["c"] + d["a"] * np.sum(d["w"])
    """,
    "stored in a loop": """
        def program(x, v, k):
            d = {"a": x, "b": v[0], "w": v * 1.0}
            for i in range(k):
                if v[i % 3] > 0.0:
                    d.update({"b": d["a"] * x, "c": v[i % 3] * d.get("c", 2.0)})
                d["w"][0] = d.get("c", x)
            return np.sum(d["w"]) * d.get("c", x) * d["b"] + len(d)
    """,
    "pop and setdefault": """
        def program(x, v, k):
            d = {"a": x, "w": v * 1.0}
            for i in range(k):
                d["c"] = x * d["a"] + i
            same = d
            t = same.pop("c", x)
            if v[0] > 0.0:
                d["q"] = x * t
            z = d.setdefault("q", t * t)
            return t * t + np.sum(d["w"]) * z + len(d) + d["q"]
    """,
    "other keys on each path": """
        def program(x, v):
            d = {"a": x, "w": v * 1.0}
            if v[0] > 0.0:
                d["c"] = x * x
            elif v[1] > 0.0:
                d["e"] = v[0]
            else:
                d["c"] = v[2] * x
                d["e"] = x
            total = 0.0
            while d:
                if "c" in d:
                    total += d.pop("c") * x
                elif "e" in d:
                    total += d.pop("e") ** 2
                else:
                    d.clear()
            return total * x
    """,
    "in an object and a try": """
        class Model:
            def __init__(self, x):
                self.d = {"a": x, "w": np.array([x, 2.0 * x])}

            def grow(self, e):
                if e > 0.0:
                    self.d["c"] = e * self.d["a"]

        def program(x, v):
            m = Model(x)
            for e in v:
                m.grow(e)
            d = {"a": x, "w": v * 1.0}
            try:
                d["e"] = math.sqrt(v[0])
            except ValueError:
                return m.d.get("c", x) * np.sum(m.d["w"]) * d.get("e", x)
            return d["e"] * d["a"] * m.d.get("c", x) + ("c" in m.d)
    """,
    "keys of objects in a list": """
        class A:
            def __init__(self, p):
                self.data = {"a": p, "b": 2.0 * p}
        def program(x, v, k):
            others = [A(e) for e in v]
            for j in range(k):
                others[j % 3].data["c"] = others[0].data.get("c", x) * x
            total = x
            for o in others:
                if "c" in o.data:
                    total += o.data["c"] * o.data["a"]
                total = total * 0.5 + sum(o.data.values()) * len(o.data)
                for key, value in o.data.items():
                    total += value * x if key == "c" else value
            return total
    """,
    "setdefault of objects in a list": """
        class A:
            def __init__(self, p):
                self.data = {"a": p, "b": 2.0 * p}
        def program(x, v, k):
            others = [A(e) for e in v]
            r = others[-1].data.setdefault("c", others[0].data["a"] * x)
            s = others[k % 3].data.setdefault("c", 3.0 * x)
            others[k % 3].data.update({"b": x, "c": s * r})
            return r * s + sum(o.data.get("c", x * x) * o.data["b"] for o in others)
    """,
    "a method adds the key, and objects leave the list": """
        class A:
            def __init__(self, p):
                self.data = {"a": p, "b": 2.0 * p}
            def push(self, e):
                self.data["c"] = self.data.get("c", self.data["b"] * e) * 2 * e
                return self
        def program(x, v, k):
            others = [A(e) for e in v]
            others[k % 3].push(x).push(v[0])
            keep = others[1]
            del others[0]
            keep.push(x)
            keep.data["b"] += x
            return sum(o.data.get("c", x) * o.data["b"] for o in others)
    """,
    "dicts taken out of a list": """
        def program(x, v, k):
            rows = []
            for j in range(k + 1):
                d = {"a": v[j % 3] * x}
                if d["a"] > 0.0:
                    d["b"] = x
                rows.append(d)
            rows[0]["a"] *= 2.0
            last = rows.pop()
            last["a"] += last.get("b", x)
            if "b" in last:
                x = x * last.pop("b")
            total = last["a"] * x + len(last)
            return total + sum(d["a"] * d.get("b", 2.0) for d in rows)
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_right(name):
    text = IMPORTS + textwrap.dedent(PROGRAMS[name])
    known: dict = {}
    outcomes = [check(text, seed, 120, known=known) for seed in range(4)]
    assert {outcome.verdict for outcome in outcomes} == {"differentiated"}, outcomes


def test_a_key_that_is_not_there_raises():
    def read(x):
        d = {"a": x, "w": [x, x]}
        if x > 0.0:
            d["c"] = x * x
        return d["c"]

    assert grad(read)(3.0) == 6.0
    with pytest.raises(KeyError):
        grad(read)(-3.0)


def test_an_order_that_depends_on_the_run():
    def ordered(x):
        d = {"a": x, "w": (x, x)}
        if x > 0.0:
            d["c"] = x
        if x > 1.0:
            d["e"] = x * x
        d["c"] = 2.0 * x
        return d["c"]

    with pytest.raises(UnsupportedError, match="the order of the keys"):
        grad(ordered)(2.0)


def test_such_a_dict_is_no_value():
    def whole(x):
        d = {"a": x, "w": (x, x)}
        if x > 0.0:
            d["c"] = x
        return {**d}

    with pytest.raises(UnsupportedError, match="is used as a whole"):
        grad(whole)(2.0)
