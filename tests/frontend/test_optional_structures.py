"""Structures that may be None: on one path a name holds a tuple or an object, on the
other None."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import UnsupportedError, grad
from tests.frontend.whole_programs import assert_differentiated

CASES = {
    "None default": """
def f(x, bias=None, w=None):
    if w is None:
        w = 2.0
    return x * w + (bias if bias is not None else 0.0)
def program(x, y):
    return f(x) + f(x, y) + f(x, w=y)
""",
    "structure may be none": """
def find(v, t):
    best = None
    for i, a in enumerate(v):
        if a > t and (best is None or a < best[1]):
            best = (i, a)
    return best
def program(v, x):
    b = find(v, x)
    if b is None:
        return x
    i, a = b
    return a * x * (i + 1)
""",
    "optional tuple ternary": """
def bracket(x, y):
    if x * y > 0:
        return None
    return (x, y)
def program(x, y):
    br = bracket(x, y)
    if br is None:
        return x * 2
    lo, hi = br
    return lo * hi
""",
    "optional dataclass": """
from dataclasses import dataclass
@dataclass
class Hit:
    t: float
    n: float
def hit(x, y):
    d = x * x - y
    if d < 0:
        return None
    return Hit(math.sqrt(d), x)
def program(x, y):
    h = hit(x, y)
    return h.t * h.n if h is not None else 0.0 * x
""",
    "optional nearest hit loop": """
from dataclasses import dataclass
@dataclass
class Hit:
    t: float
    n: float
def hit(c, y):
    d = c * c - y
    return None if d < 0 else Hit(math.sqrt(d), c)
def program(v, y):
    nearest = None
    for c in v:
        h = hit(c, y)
        if h and (nearest is None or h.t < nearest.t):
            nearest = h
    if not nearest:
        return y
    return nearest.t * nearest.n
""",
    "always assigned in loop": """
def program(v, x):
    prev = None
    t = 0.0
    for i, a in enumerate(v):
        if prev is not None:
            j, b = prev
            t += (a - b) * (i - j) * x
        prev = (i, a * x)
    return t + prev[1]
""",
    "reset to None": """
def program(v, x):
    run = (0, x)
    t = 0.0
    for i, a in enumerate(v):
        if a < 0:
            run = None
        elif run is None:
            run = (i, a)
        else:
            run = (i, run[1] * a)
    if run is None:
        t = x * x
    else:
        t = run[1] * x
    return t
""",
    "used without a test": """
def pick(x, y):
    if x > 100:
        return None
    return x, y
def program(x, y):
    a, b = pick(x, y)
    return a * b + pick(y, x)[1] * len(pick(x, x))
""",
    "with arrays": """
def find(m, x):
    found = None
    for row in m:
        if row[0] * x > 0.0:
            found = (row, row[1] * x)
    return found
def program(m, x):
    f = find(m, x)
    if f is None:
        return x
    row, c = f
    return np.sum(row * row) * c
""",
    "while true return": """
def step(x, y):
    return (x * 0.5, y) if y > 0 else None
def program(x, y):
    n = 0
    while True:
        nxt = step(x, y)
        if nxt is None or n > 3:
            return x * y
        x, y = nxt
        y = y - 0.7
        n += 1
""",
    "or default": """
def f(x):
    return (x, x * x) if x > 0 else None
def program(x, y):
    a, b = f(x) or (y, y * 2)
    c = f(y)
    d = c if c is not None else (x, x)
    return a * b + d[0] * d[1]
""",
    "dict or none": """
def cfg(x):
    if x > 0:
        return {"a": x, "b": x * x}
    return None
def program(x, y):
    c = cfg(x)
    if not c:
        return y * x
    return c["a"] * c["b"] * y
""",
    "method of optional": """
from dataclasses import dataclass
@dataclass(frozen=True)
class S:
    lo: float
    hi: float
    def width(self):
        return self.hi - self.lo
    @property
    def mid(self):
        return 0.5 * (self.lo + self.hi)
def intersect(a, b):
    lo = max(a.lo, b.lo)
    hi = min(a.hi, b.hi)
    return S(lo, hi) if lo < hi else None
def program(x, y):
    s = intersect(S(0.0, abs(x)), S(0.2, abs(y)))
    return s.width() * s.mid if s else x * y
""",
    "optional in optional": """
def f(x, y):
    if x < 0:
        return None
    return (x, (y, y * x) if y > 0 else None)
def program(x, y):
    r = f(x, y)
    if r is None:
        return x
    a, inner = r
    if inner is None:
        return a * y
    return a * inner[1]
""",
    "nested function with early returns": """
def root(f, lo, hi):
    if f(lo) * f(hi) > 0:
        return None
    for _ in range(4):
        mid = 0.5 * (lo + hi)
        if f(lo) * f(mid) <= 0:
            hi = mid
        else:
            lo = mid
    return lo, hi
def program(x, y):
    br = root(lambda t: t * t * t + x, -abs(y), abs(y))
    if br is not None:
        a, b = br
        return a * x + b
    return x * y
""",
    "sum over optionals": """
def hit(x, c):
    d = x - c
    return None if d < 0 else (d, d * d)
def program(v, x):
    t = 0.0
    for c in v:
        h = hit(x, c)
        if h is not None:
            t += h[0] * h[1]
    return t
""",
    "list comprehension unrolled": """
def hit(x, c):
    d = x - c
    return None if d < 0 else (d, d * d)
def program(x, y):
    hits = [hit(x, c * y) for c in (0.1, -0.3, 0.7)]
    return sum(h[1] for h in hits if h is not None) + x
""",
    "try": """
def f(x):
    try:
        return math.sqrt(x), x
    except ValueError:
        return None
def program(x, y):
    p = f(x)
    if p is None:
        return y
    return p[0] * p[1] * y
""",
    "isinstance": """
def f(x):
    return (x, 1.0) if x > 0 else None
def program(x, y):
    p = f(x)
    if isinstance(p, tuple):
        return p[0] * y
    return y
""",
    "optional passed on": """
def f(x):
    return (x, 1.0) if x > 0 else None
def use(p, y):
    if p is None:
        return y
    return p[0] * y
def program(x, y):
    return use(f(x), y) + use(None, x) + use((x, y), y)
""",
    "equality with none": """
def f(x):
    return (x, 1.0) if x > 0 else None
def program(x, y):
    p = f(x)
    return y if p == None else p[0] * y
""",
    "in while condition": """
def nxt(x):
    return (x - 0.6, x * x) if x > 0.5 else None
def program(x, y):
    t = y
    p = (abs(x) + 2.0, x)
    while p is not None:
        t += p[1] * y
        p = nxt(p[0])
    return t
""",
    "isinstance cls": """
from dataclasses import dataclass
@dataclass
class H:
    t: float
def f(x):
    return H(x) if x > 0 else None
def program(x, y):
    p = f(x)
    if not isinstance(p, H):
        return y
    return p.t * y + bool(p)
""",
    "dict lookups of optional in loops with break": """
def program(v, x):
    best = None
    for i, a in enumerate(v):
        cand = {"cost": (a - x) ** 2, "i": i, "a": a}
        if best is None or cand["cost"] < best["cost"]:
            best = cand
        if best["cost"] < 1e-3:
            break
    return best["cost"] * best["a"]
""",
    "min-tracking with tuple compare": """
def program(m, x):
    best = None
    for i in range(2):
        for j in range(3):
            d = (m[i, j] - x) ** 2
            if best is None or d < best[0]:
                best = d, (i, j)
    d, (i, j) = best
    return d * m[i, j]
""",
    "kinds join int float and arrays": """
def program(v, x, k):
    state = None
    for i in range(k + 1):
        if state is None:
            state = (0, v)
        else:
            n, w = state
            state = (n + x, w * x)
    return np.sum(state[1]) * state[0] + x
""",
    "None again after use, in branch": """
def program(v, x):
    last = None
    t = 0.0
    for a in v:
        if last is not None and a > last[0]:
            t += last[1] * a
            last = None
        else:
            last = (a, a * x)
    if last:
        t = t + last[1] ** 2
    return t
""",
    "optional through closure": """
def program(v, x):
    best = None
    def consider(a):
        nonlocal best
        if best is None or a > best[0]:
            best = (a, a * x)
    for a in v:
        consider(a)
    return best[1] * best[0]
""",
    "default argument": """
def f(x, opts=None):
    a, b = opts if opts is not None else (1.0, 2.0)
    return a * x + b
def program(x, y):
    o = (x, y) if x > y else None
    return f(y, o) + f(x)
""",
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", CASES.values(), ids=list(CASES))
def test_differentiated(text):
    assert_differentiated(text, range(4))


def test_used_where_it_is_none():
    def f(x):
        pair = (x, x) if x > 10.0 else None
        return pair[0] * x

    assert grad(f)(20.0) == 40.0
    with pytest.raises(TypeError):
        grad(f)(2.0)


def returned(x):
    return (x, x) if x > 0.0 else None


def of_two_structures(x):
    if x > 0.5:
        r = (x, x)
    elif x < 0.0:
        r = {"a": x}
    else:
        r = None
    return r[0]


def number_or_structure(x):
    r = None
    if x > 1.0:
        r = (x, x)
    elif x > 0.0:
        r = x
    return 2.0 * x if r is None else 3.0 * x


def in_a_list(x, n):
    hits = [(x, k) if x > k else None for k in range(int(n))]
    return sum(hit[0] for hit in hits if hit)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (returned, (2.0,), "a tuple of 2 or None is returned"),
        (of_two_structures, (2.0,), "one of several structures, or None"),
        (number_or_structure, (2.0,), "'r' is a tuple of 2 on one path"),
    ],
)
def test_refused(function, arguments, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(function)(*arguments)


def test_the_test_is_made_once():
    def f(x):
        pair = (x, x) if x > 10.0 else None
        return pair[0] * pair[1] + pair[0]

    text = grad(f).source_for(20.0)
    assert text.count("is None") == 1 and np.isclose(grad(f)(20.0), 41.0)


def test_a_tuple_or_none_in_a_list_is_kept():
    assert grad(in_a_list)(2.0, 3.0) == 2.0
    assert grad(in_a_list)(2.5, 3.0) == 3.0
