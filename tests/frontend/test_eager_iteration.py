"""Iterators that run before their consumer, and those that loops take items of: each
program is differentiated right or refused."""

import pytest

from tests.frontend.whole_programs import IMPORTS, assert_differentiated
from tests.fuzz.checking import check

WRITTEN = "import itertools\n"
LOGGED = """
def program(x, v):
    log = [1.0]
    def g():
        for t in v:
            log.append(t)
            yield t
    s = 0.0
    {}
        s += t * len(log)
    return s * x
"""
BEFORE_A_GENERATOR = """
def program(x, v):
    {}
    def g():
        for k in range(3):
            {}
            yield x + k
    s = 0.0
    for a, b in zip({}, g()):
        s += a * b
        {}
    return s
"""
ITSELF = """
def g(v, k, log):
    if k < len(v):
        {}
        yield v[k] * {}
        yield from g(v, k + 1, log)
def program(x, v):
    log, w = [x, 1.0], v.copy()
    s = 0.0
    for t in g(w, 0, log):
        s += t * x
        {}
    return s + log[0]
"""
IN_A_TRY = """
def g(v, t):
    for a in v:
        yield np.sqrt(a * a) * t
def h(v, k):
    if k < len(v):
        yield math.log(v[k] * v[k])
        yield from h(v, k + 1)
def program(x, v):
    s = x
    try:
        {}
            s += a * x
    except ValueError:
        s = s * 2.0
    return s
"""
AT_TWO_PLACES = """
class One:
    def __init__(self, w):
        self.w = w
def put(w, s):
    w[1] = s
def logged(v, log):
    for t in v:
        log.append(t)
        yield t
def halves(t):
    while True:
        yield t
        t = t * 0.5
def halves_above(t, least):
    while t * t > least:
        yield t
        t = t * 0.5
def program(x, v):
    one, w, rows, s = One(x), v * x, [*v], x
    items = {}
    s = s * next(items)
    {}
    return s * next(items) + s
"""
REFUSED = {
    "a generator that calls itself and reads an array that changes": ITSELF.format(
        "pass", "1.0", "w[2] = s"
    ),
    "a list that changes between a generator and itself": """
def g(v, k, taken):
    if k == len(v):
        yield sum(taken)
        return
    taken.append(v[k])
    for t in g(v, k + 1, taken):
        yield t * len(taken)
    taken.pop()
    yield from g(v, k + 1, taken)
def program(x, v):
    return sum(t * x for t in g(v, 0, []))
""",
    "two generators in a try": IN_A_TRY.format("for a, b in zip(g(v, x), g(v, 2.0)):"),
    "two generators that draw": """
def program(x, v):
    rng = np.random.default_rng(3)
    def g():
        for t in v:
            yield rng.normal() * t
    return sum(a * b * x for a, b in zip(g(), g()))
""",
    "turns of an iterator that go on": """
def program(x, v):
    it = iter(v)
    s = x
    for a, b in zip(it, it):
        s += a * b
        if s > 0.1:
            break
    return s + sum(it)
""",
    "two generators that change a list": """
def g(log, x, t):
    for k in range(2):
        log.append(t * x)
        yield x * k + t
def program(x):
    log = [1.0]
    s = 0.0
    for a, b in zip(g(log, x, 2.0), g(log, x, 3.0)):
        s = s + a * b * log[-1] * log[-2]
    return s
""",
    "two generators, and an array that changes": """
def g(v, t):
    for a in v:
        if a > -9.0: yield a * t
def program(x, v):
    w = v.copy()
    s = 0.0
    for a, b in zip(g(w, x), g(w, 2.0)):
        s += a * b
        w[2] = s
    return s
""",
    "two generators, and a name that is bound again": """
def program(x, v):
    s = 1.0
    for a, b in zip((t * s for t in v if t > -9.0), (t + s for t in v if t > -9.0)):
        s = s + a * b
    return s
""",
    "a function that zip calls once more": """
def program(x, v):
    log = []
    def f(t):
        log.append(t)
        return t * x
    s = 0.0
    for a, b in zip(map(f, v), (1.0, 2.0)):
        s += a * b
    return s * len(log)
""",
    "groupby": LOGGED.format("for _, (t, *_) in itertools.groupby(g()):"),
    "tee": LOGGED.format("for t in itertools.tee(g())[0]:"),
    "cycle": LOGGED.format("for t, _ in zip(itertools.cycle(g()), v):"),
    "zip_longest": LOGGED.format("for t, _ in itertools.zip_longest(g(), v):"),
    "groups of an array that changes": """
def program(x, v):
    w = v.copy()
    s = 0.0
    for k, group in itertools.groupby(w, key=lambda t: t > 0.0):
        s += x * sum(group)
        w[2] = s
    return s
""",
    "a list before a generator that changes it": BEFORE_A_GENERATOR.format(
        "log = [1.0, 2.0, 3.0]", "log[2] = x * k", "log", "pass"
    ),
    "an array before a generator that changes it": BEFORE_A_GENERATOR.format(
        "w = v.copy()", "w[k] = x * k", "w", "pass"
    ),
    "what is computed before a generator": BEFORE_A_GENERATOR.format(
        "log = [1.0]", "log.append(x)", "(t * log[-1] for t in v)", "pass"
    ),
    "next in a while loop": """
def g(x):
    while True:
        yield x
        x = x * 0.5
def program(x):
    values = g(x)
    s = 0.0
    while (v := next(values)) > 0.1:
        s += v * v
    return s
""",
    "tee of a generator over an array that changes": """
def program(x, v):
    w = v * x
    ones, others = itertools.tee(t * t for t in w if t > -9.0)
    s = next(ones)
    w[1] = s * x
    return s + next(ones) + sum(others)
""",
    "tees of generators that read a name bound again": """
def program(x, v):
    pairs = [itertools.tee(t * k for t in v if t > -9.0) for k in (x, 2.0)]
    return sum(pairs[0][0]) + 3.0 * sum(pairs[1][1])
""",
    "some items of generators that read what a comprehension binds": """
def program(x, v):
    items = [(t * k for t in v if t > -9.0) for k in (x, 2.0)]
    return next(items[0]) * next(items[1]) + sum(items[0])
""",
    "some items of filters that read what a loop binds": """
def program(x, v):
    items = []
    for k in (x, 2.0):
        items.append(filter(lambda t: t * k > -9.0, v))
    return next(items[0]) * next(items[1]) + sum(items[0])
""",
    "some items of a generator over an array that changes": AT_TWO_PLACES.format(
        "(t * t for t in w if t > -9.0)", "w[1] = s"
    ),
    "some items of a filter, and a function that writes": AT_TWO_PLACES.format(
        "filter(lambda t: t > -9.0, w)", "put(w, s)"
    ),
    "some items of a generator over a list that grows": AT_TWO_PLACES.format(
        "(t * t for t in rows if t > -9.0)", "rows.append(s)"
    ),
    "some items of a generator that reads an object": AT_TWO_PLACES.format(
        "(t * one.w for t in v if t > -9.0)", "one.w = s"
    ),
    "some items of a generator that reads a name bound again": AT_TWO_PLACES.format(
        "(t * s for t in v if t > -9.0)", "s = s * s"
    ),
    "some items of a generator that is logged": AT_TWO_PLACES.format(
        "logged(v, rows)", "s = s * len(rows)"
    ),
    "some items of a generator that only its consumer ends": AT_TWO_PLACES.format(
        "halves(x)", "pass"
    ),
    "some items of a generator that may not end": AT_TWO_PLACES.format(
        "halves_above(x, 1e-3)", "pass"
    ),
    "reversed before a list grows": """
def program(x, y):
    values = [x, y]
    items = reversed(values)
    values.append(x * y)
    return sum(a * (i + 1) for i, a in enumerate(items))
""",
}
RIGHT = {
    "an iterator under another one, used up": """
def program(v, x):
    values = (t * t for t in v if t > -9.0)
    return sum(a * b * x for a in v for b in values)
""",
    "an iterator under a loop": """
def program(v, x, k):
    values = (t * t for t in v)
    s = x * x
    for _ in range(k + 1):
        s = s + sum(values)
    return s
""",
    "some items of a generator, and what changes is something else": (
        AT_TWO_PLACES.format(
            "(t * t * x for t in v if t > -9.0)", "w[1] = s; rows.append(s); one.w = s"
        )
    ),
    "some items of generators that are given what a comprehension binds": """
def scaled(v, k):
    for t in v:
        if t > -9.0:
            yield t * k
def program(x, v):
    items = [scaled(v, k) for k in (x, 2.0)]
    return next(items[0]) * next(items[1]) + sum(items[0])
""",
    "some items of a generator that calls itself": """
def tree(v, first, last):
    if last - first == 1:
        yield v[first] * v[first]
    else:
        middle = (first + last) // 2
        yield from tree(v, first, middle)
        yield from tree(v, middle, last)
def program(x, v):
    items = tree(v, 0, len(v))
    return next(items) * x + sum(items) * x * x
""",
    "an iterator of an iterator is this itself": """
def program(x, v):
    items = iter(t * x for t in v if t > -9.0)
    return next(iter(items), x) * next(items, 2.0) + next(items, 0.5) + sum(items)
""",
    "a generator that calls itself": ITSELF.format("pass", "log[0]", "pass"),
    "a generator that calls itself and changes a list": ITSELF.format(
        "log.append(v[k])", "log[0]", "s += log[-1]"
    ),
    "a generator that calls itself and reads a list that changes": ITSELF.format(
        "pass", "log[0]", "log[0] = s"
    ),
    "a generator that calls itself and prints": ITSELF.format("print()", "1.0", "pass"),
    "a generator that calls itself and binds a name": """
def program(x, v):
    n = 0.0
    def g(k):
        nonlocal n
        if k < len(v):
            n += v[k]
            yield v[k]
            yield from g(k + 1)
    s = 0.0
    for t in g(0):
        s += t * n * x
    return s
""",
    "a generator that calls itself and reads a name that is bound again": """
def program(x, v):
    r = x
    def g(k):
        if k < len(v):
            yield v[k] * r
            yield from g(k + 1)
    s = 0.0
    for t in g(0):
        s += t
        r = r * 1.1
    return s
""",
    "a list that a generator yields and goes on to change": """
def g(v, k, taken):
    if k == len(v):
        yield taken
        return
    taken.append(v[k])
    yield from g(v, k + 1, taken)
    taken.pop()
    yield from g(v, k + 1, taken)
def program(x, v):
    return sum(sum(t) * x for t in g(v, 0, []))
""",
    "a generator that calls itself in a try": IN_A_TRY.format("for a in h(v, 0):"),
    "what runs over one and changes something else": """
def g(v, k):
    if k < len(v):
        yield v[k]
        yield from g(v, k + 1)
def program(x, v):
    log, n = [], 0
    for t in g(v, 0):
        log.append(t * x)
        n += 1
    for t, (a, b) in zip(g(v, 1), zip(v, v)):
        log[0] = log[0] + a * b * t
    return sum(log) * n
""",
    "a generator in the loop over itself": """
def g(v):
    for t in v:
        if t > -9.0:
            yield t
def program(x, v):
    return sum(a * b * x for a in g(v) for b in g(v))
""",
    "an iterator under another": """
def program(v, x):
    values = (t * t for t in v)
    return sum(a * b * x for a in v for b in values)
""",
    "an iterator in a recursion": """
def program(v, k):
    values = iter(v)
    def summed(n):
        if n == 0: return 0.0
        return next(values) + summed(n - 1)
    return summed(k)
""",
    "a list that the body changes": BEFORE_A_GENERATOR.format(
        "log = [1.0, 2.0, 3.0]", "pass", "log", "log[2] = s"
    ),
    "reversed before a list changes": """
def program(x, y):
    values = [x, y]
    items = reversed(values)
    values[0] = 3.0 * y
    return sum(a * (i + 1) for i, a in enumerate(items))
""",
    "two generators": """
def g(v, t):
    for a in v:
        if a > -9.0: yield a * t
def program(x, v):
    w = v.copy()
    for i, (a, b) in enumerate(zip(g(v, x), g(v, 2.0))):
        w[i] = a * b
    return np.sum(w * w)
""",
    "two generators over a list": """
def g(values, t):
    for a in values:
        if a > -9.0: yield a * t
def program(x, v):
    values = [t * x for t in v]
    values.append(x)
    out = []
    for a, b in zip(g(values, x), g(values, 2.0)):
        out.append(a * b)
    return sum(out)
""",
    "groups, and an array of results": """
def program(x, v):
    w = np.zeros(3)
    for i, (k, group) in enumerate(itertools.groupby(v, key=lambda t: t > 0.0)):
        w[i] = sum(group) * x
    return np.sum(w * w)
""",
    "an array before a generator": BEFORE_A_GENERATOR.format(
        "w = v.copy()", "pass", "v", "w[1] = s"
    ),
    "a list behind a generator that changes it": """
def program(x, v):
    values = [t * x for t in v]
    def g():
        for t in v:
            values[2] = t * x
            yield t
    return sum(a * b for b, a in zip(g(), values))
""",
    "a list before a generator, which the body changes": """
def program(x, v):
    values = [t * x for t in v]
    s = 0.0
    for a, b in zip(values, (t for t in v if t > -9.0)):
        s += a * b
        values[2] = s
    return s
""",
    "made in the loop": """
def program(v, k):
    s = 0.0
    for i in range(k):
        s += next(t * i for t in v if t > -9.0) + sum(map(lambda t: t * s, v))
    return s
""",
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", REFUSED)
def test_what_runs_at_another_time_is_refused(name):
    outcome = check(IMPORTS + WRITTEN + REFUSED[name], 0)
    assert outcome.verdict == "refused", outcome
    why = (
        "what runs when isn't followed|isn't known|in a way that isn't followed|"
        "was made before|since then|is passed to a fun|may not end by itself"
    )
    assert any(part in outcome.detail for part in why.split("|")) or (
        outcome.detail == "this loop never ends"
    )


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", RIGHT)
def test_what_makes_no_difference_is_differentiated(name):
    assert_differentiated(WRITTEN + RIGHT[name], range(3))
