"""Iterators over arrays, lists and dicts that the loop changes.

Each item is what stood at its place when Python read it: all at once for what makes a
list of its own, one by one for what gives items as they are needed, and one ahead for
what keeps some.
"""

import textwrap

import pytest

from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check, check_one

HEADER = """
import collections
import copy
import itertools

class Pair:
    def __init__(self, h, w):
        self.h = h
        self.w = w

def flat(e):
    if isinstance(e, (tuple, list)):
        return sum(flat(q) * (1.0 + j) for j, q in enumerate(e))
    return np.sum(e)
"""
OVER_ANYTHING = """
list(v)
tuple(v)
sorted(v)
reversed(v)
[*v]
v
v[:]
iter(v)
enumerate(v)
tuple(enumerate(v))
zip(v, v[1:])
zip(v, range(3))
map(lambda e: e * 2, v)
filter(lambda e: e > -9, v)
itertools.pairwise(v)
itertools.pairwise(enumerate(v))
itertools.combinations(v, 2)
itertools.combinations(zip(v, v), 2)
itertools.permutations(v, 2)
itertools.combinations_with_replacement(v, 2)
itertools.product(v, v)
itertools.product(v, repeat=2)
itertools.product([1.0, 2.0], v)
itertools.product(v, [1.0, 2.0])
itertools.product(enumerate(v), [1.0, 2.0])
itertools.chain(v, v)
itertools.islice(v, 2)
itertools.accumulate(v)
itertools.islice(itertools.cycle(v), 5)
itertools.zip_longest(v, v[1:], fillvalue=x)
itertools.starmap(lambda a, b: a * b, zip(v, v))
itertools.takewhile(lambda e: e < 9, v)
itertools.dropwhile(lambda e: e > 9, v)
itertools.compress(v, [1, 0, 1])
itertools.tee(v)[0]
itertools.repeat(v[0], 3)
collections.deque(v)
dict(enumerate(v)).values()
dict(enumerate(v)).items()
(e * 2 for e in v)
[e * 2 for e in v]
(e for e in v if e > -9)
(v[0], v[2], v[1])
{0: v[2], 1: v[1]}.values()
(*v, v[2])
(lambda a, b, c: (a, b, c))(*v)
(v[2] if j == 0 else v[0] for j in range(3))
""".split("\n")[1:-1]
OVER_MATRICES = """
m
m.T
reversed(m)
zip(m, m.T)
itertools.pairwise(m)
itertools.combinations(m, 2)
itertools.product(m, [1.0, 2.0])
itertools.chain(*m)
m.flat
np.ndenumerate(m)
""".split("\n")[1:-1]
OVER_DICTS_AND_OBJECTS = """
d.values()
d.items()
list(d.values())
sorted(d.items())
dict(d).values()
{**d}.items()
(d | d).values()
d.copy().values()
(d.get(0), d.get(2))
zip(d.values(), d.values())
itertools.product(d.values(), repeat=2)
itertools.combinations(d.items(), 2)
(o.h, o.w)
{1: o.h, 2: o.w}.values()
vars(o).values()
list(vars(o).values())
""".split("\n")[1:-1]
KEEPS_SOME = ("tee(", "cycle(")
"""What is refused where the data changes, and where it can't be told from arrays that
change, ``pairwise``."""


def program(start: str, items: str, write: str, result: str) -> str:
    text = f"""
        def program(x, v, m, k):
            {start}
            s, n = 0.0, 1.0
            for e in {items}:
                {write}
                s += flat(e) * n
                n += 1.0
                if n > 12:
                    break
            return s + {result}
    """
    return IMPORTS + HEADER + textwrap.dedent(text)


def assert_right(text: str, refused: bool) -> None:
    outcome = check_one(text, 0, "vjp")
    if refused and outcome.verdict == "refused":
        return
    assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("write", ["v += 0.5", "v[-1] = v[-1] * x"])
@pytest.mark.parametrize("items", OVER_ANYTHING)
def test_arrays(items, write):
    text = program("v = v * x", items, write, "np.sum(v)")
    assert_right(text, any(w in items for w in (*KEEPS_SOME, "pairwise")))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("write", ["m += 0.5", "m[-1] = m[-1] * x"])
@pytest.mark.parametrize("items", OVER_MATRICES)
def test_matrices(items, write):
    assert_right(program("m = m * x", items, write, "np.sum(m)"), False)


@pytest.mark.sampled(20, of_long=2)
@pytest.mark.parametrize("start", ["v = [e * x for e in v]", "v = [x, 2 * x, v[1]]"])
@pytest.mark.parametrize(
    "write",
    [
        "v[-1] = v[-1] * x",
        "v[0] += 0.5; v[1] += 0.5",
        "v[(k + 1) % len(v)] *= x",  # from here on the run decides which one
    ],
)
@pytest.mark.parametrize("items", OVER_ANYTHING)
def test_lists(items, write, start):
    text = program(start, items, write, "sum(v)")
    assert_right(text, any(w in items for w in KEEPS_SOME))


@pytest.mark.sampled(10)
@pytest.mark.parametrize(
    "write", ["v.pop() if len(v) > 2 else None", "v.insert(0, x) if n < 4 else None"]
)
@pytest.mark.parametrize("items", OVER_ANYTHING)
def test_lists_that_grow_or_shrink(items, write):
    text = program("v = [e * x for e in v]", items, write, "sum(v)")
    assert_right(text, True)


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "write",
    [
        "d[2] = d[2] * x; o.w = o.w * x",
        "d[0] += 0.5; d[1] += 1; o.h += 0.5",
        "d[(k + 1) % 3] *= x; setattr(o, 'w', o.h * x)",
    ],
)
@pytest.mark.parametrize("items", OVER_DICTS_AND_OBJECTS)
def test_dicts_and_objects(items, write):
    start = "d, o = {0: 3 * x, 1: x * x, 2: x + 1.0}, Pair(2 * x, 3 * x)"
    text = program(start, items, write, "d[0] * d[1] * d[2] + o.h * o.w")
    may_lack = "d.get" in items and "d[(k" in write  # which keys it has isn't known
    assert_right(text, may_lack)


PAIRS = """
    def program(x, v):
        v = v * x
        s = 0.0
        v[0] = x * x
        for a, b in itertools.pairwise(v):
            s += a * b
        for a, b in itertools.combinations(v, 2):
            s += a * b
        v[1] = s
        return s + np.sum(v)
"""


def test_nothing_is_copied_where_nothing_is_written_meanwhile():
    from s2sad import grad
    from tests.fuzz.checking import draw_arguments, load

    text = IMPORTS + HEADER + textwrap.dedent(PAIRS)
    assert check(text, 0).verdict == "differentiated"
    emitted = grad(load(text)["program"]).source_for(*draw_arguments(text, 0)[1])
    assert "np.copy" not in emitted


MADE_BEFORE = {
    "combinations of an array": """
        def program(x, v, k):
            v = v * x
            c = itertools.combinations(v, 2)
            v[0] = 9.0 * x
            s = 0.0
            for a, b in c:
                s += a * b
            return s + np.sum(v)
    """,
    "product of a list that grows": """
        def program(x, v, k):
            l = [e * x for e in v]
            c = itertools.product(l, [1.0, 2.0])
            l[0] = 9.0 * x
            l.append(x)
            return sum(a * b for a, b in c) + sum(l)
    """,
    "permutations of a list": """
        def program(x, v, k):
            l = [x, 2 * x, v[0]]
            c = itertools.permutations(l, 2)
            l[0] = 9.0 * x
            return sum(a * b * b for a, b in c) + sum(l)
    """,
    "product of the values of a dict": """
        def program(x, v, k):
            d = {"a": x, "b": v[0]}
            c = itertools.product(d.values(), repeat=2)
            d["a"] = 9.0 * x
            return sum(a * b * b for a, b in c) + sum(d.values())
    """,
    "made in a function": """
        def program(x, v, k):
            def pairs(w):
                return itertools.combinations(w, 2)
            l = [x, 2 * x, v[0]]
            p = pairs(l)
            l[1] = 3.0
            return sum(a * b for a, b in p)
    """,
    "iterators that read when they run": """
        def program(x, v, k):
            l = [x, 2 * x, v[0]]
            z = zip(l, l[1:])
            e = enumerate(l)
            m = map(lambda t: t * x, l)
            r = reversed(l)
            l[1] = 3.0 * x
            s = sum(a * b for a, b in z) + sum(i * t for i, t in e)
            return s + sum(m) + sum((i + 1) * t for i, t in enumerate(r))
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", MADE_BEFORE.values(), ids=MADE_BEFORE)
def test_iterators_that_are_made_before_a_change_and_run_behind_it(text):
    text = IMPORTS + HEADER + textwrap.dedent(text)
    for seed in range(3):
        outcome = check(text, seed)
        assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)
