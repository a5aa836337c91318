"""Programs over dicts that have names as keys, not all the same, and unlike values;
mapping patterns over these and others."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.changed_dicts import folded
from tests.run_time.programs.table import Spring, names_of, number, program


def components(n):
    def component(k):
        if k % 3 == 0:
            return {"kind": "spring", "k": number(), "rest": number()}
        if k % 3 == 1:
            return {"n": k, "kind": "damper", "c": number()}
        at = np.array([number(), number()])
        return {"kind": "mass", "m": number(), "at": at, "rest": 0.1}

    return [component(k) for k in range(n)], 0.7


@program(components, ("rows", "x"))
def by_what_stands_in_them(rows, x):
    found = 0.0
    for d in rows:
        if d["kind"] == "spring":
            found += d["k"] * (x - d["rest"]) ** 2
        elif d["kind"] == "damper":
            found += d["c"] * x**2 * d["n"]
        else:
            found += d["m"] * d["at"].sum()
    return found


@program(components, ("rows", "x"))
def by_their_keys(rows, x):
    found = 0.0
    for d in rows:
        if "k" in d:
            found += d["k"] * (x - d["rest"]) ** 2
        found += d.get("c", x) * len(d) + d.get("nowhere", x)
        if "nowhere" in d or "at" not in d:
            continue
        found += d["m"] * d["at"].sum() * sum(len(key) for key in d)
    return found


@program(components, ("rows", "x"))
def tried(rows, x):
    found = 0.0
    for d in rows:
        try:
            found += d["m"] * x
        except KeyError:
            found *= 0.9
    return found


@program(components, ("rows", "x"))
def stored_into(rows, x):
    for d in rows:
        if "k" in d:
            d["k"] = x * d["rest"]
        elif "m" in d:
            d["rest"] *= d["m"]
    return sum(d.get("k", 0.5) * d.get("rest", x) for d in rows)


@program(components, ("rows", "x"))
def called_with(rows, x):
    def of(kind, n=1, k=x, rest=2.0, c=0.5, m=1.0, at=None):
        size = x if at is None else at.sum()
        return n * k * rest * c * m * size * len(kind)

    return sum(of(**d) for d in rows)


@program(components, ("rows", "x"))
def matched(rows, x):
    found = 0.0
    for d in rows:
        match d:
            case {"kind": "spring", "k": k, "rest": r}:
                found += k * (x - r) ** 2
            case {"kind": "damper", "c": c} if c > 1.0:
                found += c * x**2
            case {"m": m, "at": at} as whole:
                found += m * at.sum() * whole["rest"]
            case {}:
                found += x
    return found


@program(
    lambda n: (
        [{"k": number()} if k % 2 else {"c": number(), "v": number()} for k in range(n)]
        + [None],
        0.7,
    ),
    ("rows", "x"),
)
def matched_with_numbers(rows, x):
    found = 0.0
    for d in rows:
        match d:
            case {"k": k, **rest}:
                rest["more"] = x
                found += k * x + folded(rest, x)
            case {"c": 1.0} | {"none": _}:
                found += 1.0
            case {"c": c, "v": v, **rest}:
                found += c * v**2 + len(rest)
            case None:
                found += x
    return found


@program(lambda n: (names_of(n), 0.7), ("d", "x"))
def matched_whole(d, x):
    found = 0.0
    match d:
        case {"k1": a, "k2": b, **rest}:
            found += a * b * folded(rest, x)
    match {**d, "a": x}:
        case {"nowhere": a}:
            found += a
        case {"a": a, "k1": b, **rest}:
            found += a**3 * b * folded(rest, x)
    d["new"] = x
    match d:
        case {"new": a, "k3": b}:
            d["k3"] = 2.0 * a
            found += a * b * d["k3"]
    return found


def pairs(n):
    def pair(k):
        if k % 2:
            return {"kind": "a", "at": [number(), number()], "in": {"u": number()}}
        spring = Spring(number(), number())
        return {"kind": "b", "at": [number()], "s": spring, "in": {"n": 3}}

    return [pair(k) for k in range(n)], 0.7


@program(pairs, ("rows", "x"))
def matched_inside(rows, x):
    found = 0.0
    for d in rows:
        match d:
            case {"kind": "a", "at": [u, v], "in": {"u": w}}:
                found += u * v * w
            case {"at": [u, *_], "s": Spring(k=k, rest=r), "in": {"n": n}}:
                found += u * k * r * n * x
    return found


def half(d, x):
    d["p"] = 0.5 * d["p"] * x
    return d["p"] > 0.3


@program(
    lambda n: (
        [{"tag": "a", "p": number()} if k % 2 else {"q": number()} for k in range(n)],
        0.7,
    ),
    ("rows", "x"),
)
def stored_in_a_guard(rows, x):
    found = 0.0
    for d in rows:
        match d:
            case {"p": p} if half(d, x):
                found += p * x * d["p"]
            case {"p": p}:
                found += 3.0 * p
            case {"q": q}:
                found += q
    return found


@program(lambda n: ({k if k % 2 else f"k{k}": number() for k in range(n)}, 0.7))
def keys_of_two_sorts(d, x):
    found = 0.0
    for key, value in d.items():
        found = 0.9 * found + value * value * x
        if isinstance(key, str):
            found += value
    return found * d[1] * d["k2"] + d.get(3, x) + d.get("k4", x)


@program(
    lambda n: ({k: np.array([number()] * 2) if k else None for k in range(n)}, 2.0)
)
def arrays_or_none(d, x):
    found = 0.0
    for value in d.values():
        if value is not None:
            found = 0.9 * found + (value * value).sum() * x
    return found


def records(n):
    made = []
    for k in range(n):
        d = {"x": number(), "name": "abc"}
        if k % 2:
            d = {"name": "b", "levels": [number(), number()], **d}
        if k % 3 == 0:
            d["y"] = number()
        made.append(d)
    return made


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def run_over_values(ds, x):
    total = 0.0
    for d in ds:
        for v in d.values():
            if isinstance(v, list):
                total += sum(v) * x
            elif isinstance(v, float):
                total = 0.9 * total + v**2 * x
    return total


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def run_over_items(ds, x):
    total = 0.0
    for d in ds:
        for key, v in d.items():
            if key == "name":
                continue
            if key == "levels":
                total += v[0] * v[1]
                if v[0] > 1.0:
                    break
            else:
                total = 0.8 * total + v * x
    return total


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def numbers_alone(ds, x):
    return sum(v * v * x for d in ds for v in d.values() if isinstance(v, float)) + sum(
        len(d) * x for d in ds
    )


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def stored_and_run_over(ds, x):
    total = 0.0
    for d in ds:
        for key, v in d.items():
            if isinstance(v, float):
                total = 0.9 * total + v * x
                d["x"] = d["x"] * x
        d["x"] += total
        if "levels" in d:
            d["levels"].append(d["x"])
    return total + sum(v * v for d in ds for v in d.values() if isinstance(v, float))


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def a_copy_without(ds, x):
    total = 0.0
    for d in ds:
        numbers = [v * x for key, v in d.items() if key not in ("name", "levels")]
        total += sum(numbers) * numbers[-1]
        if any(key == "levels" for key, v in d.items()):
            total += d["levels"][0]
    return total


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def by_a_function(ds, x):
    def cost(key, v):
        if key == "name":
            return len(v) * x
        if key == "levels":
            return sum(v)
        return v**2 * x

    return sum(cost(key, v) for d in ds for key, v in d.items())


@program(lambda n: (records(n), 0.7), ("ds", "x"))
def changed_meanwhile(ds, x):
    total = 0.0
    for d in ds:
        for key, v in d.items():
            if key == "x":
                total += v
                d["x"] = v * x * x
                if "y" in d:
                    d["y"] = d["x"] * x
            elif key == "y":
                total += v * v
        for v in d.values():
            if isinstance(v, float):
                total += v * total
                d["x"] = total
    return total + sum(d["x"] for d in ds)
