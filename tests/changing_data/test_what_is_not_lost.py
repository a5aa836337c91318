"""What a copy, a list or another name must not lose: the identity of objects, and what
deques and defaultdicts hold beside their content."""

from __future__ import annotations

import pytest

from tests.changing_data.test_containers_and_objects import assert_refused
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a closure over an object that is made": """
        class A:
            def __init__(self, h, log):
                self.h = h
                log.append(lambda: self.h * 2.0)
        def program(x, v):
            log = []
            t = [A(x, log)]
            for e in v:
                t.append(t[0])
            t[-1].h *= x
            return log[0]() * t[0].h
        """,
    "an object kept by another while it is made": """
        class Reg:
            def __init__(self): self.first = None
        class A:
            def __init__(self, h, reg):
                self.h = h
                reg.first = self
        def program(x, v):
            reg = Reg()
            t = [A(x, reg), A(v[0], reg)]
            t.append(t[0])
            for i in range(3):
                t.append(t[i])
            a = t[-1]
            b = t[1]
            b.h *= x
            a.h += 1.0
            return reg.first.h * a.h
        """,
    "a deep copy of a list of references": """
    import copy
    class A:
        def __init__(self, h): self.h = h
    def program(x, v):
        t = [A(e * x) for e in v]
        t.append(t[0])
        c = copy.deepcopy(t)
        c[0].h *= x
        t[1].h += 1.0
        return sum(a.h ** 2 for a in t) + sum(a.h for a in c)
    """,
    "copies of a deque keep its greatest length": """
        import copy
        from collections import deque
        def program(x, v):
            d = deque([x, v[0]], maxlen=2)
            c = copy.copy(d)
            c.append(x * 3.0)
            e = d.copy()
            e.append(v[1])
            f = copy.deepcopy(d)
            f.append(v[2] * x)
            return sum(c) * len(c) + sum(e) * len(e) + sum(f) * len(f)
    """,
    "copies of a defaultdict keep its factory": """
        import copy
        from collections import defaultdict
        def program(x, v):
            d = defaultdict(float)
            d["a"] += x
            c = copy.copy(d)
            c["b"] += x * x
            e = d.copy()
            e["z"] += v[0]
            return sum(c.values()) + sum(e.values()) + len(d)
    """,
    "deques of two greatest lengths meet": """
        from collections import deque
        def program(x, v):
            d = deque([x, v[0]], maxlen=2)
            if x > 0:
                d = deque([x], maxlen=1)
            d.append(v[1])
            for e in v:
                d.append(e * x)
            return sum(d) * len(d)
    """,
    "extendleft": """
        from collections import deque
        def program(x, v):
            d = deque([x, v[0]], maxlen=2)
            d.extendleft([v[1], x * 2.0, v[2]])
            return sum(d) * len(d) + d[0] * d[1]
    """,
    "a deque equals no list": """
        from collections import deque
        def program(x, v):
            d = deque([1, 2], maxlen=2)
            e = deque([1, 2])
            d += [2]
            e.extend([])
            t = x * 2.0 if d == [2, 2] else x
            u = x ** 2 if d != e else 1.0
            if not d or 2 not in d:
                t = 0.0
            d.append(x)
            d.rotate(1)
            d[0] *= 3.0
            return t * u + sum(d) * len(d)
    """,
    "augmented sets, lists and dicts": """
        def program(x, v):
            s = {1, 2}
            s |= {3}
            s -= {1}
            s &= {2, 3, 4}
            l = [x, v[0]]
            l *= 2
            l += [x]
            d = {"a": x}
            d |= {"b": x * x}
            return sum(l) * len(s) + sum(d.values())
    """,
    "an object that its own method changes while it is made": """
        class A:
            def __init__(self, h):
                self.h = h
                self.twice = 0.0
                self.fill()
            def fill(self):
                self.twice = self.h * 2.0
                add(self)
        def add(a):
            a.h += 1.0
        def program(x, v):
            t = [A(e * x) for e in v]
            t.append(t[0])
            t[-1].h *= x
            return sum(a.h * a.twice for a in t)
    """,
    "slices, zip, stars and map of one object twice": """
        class A:
            def __init__(self, h): self.h = h
        def program(x, v):
            t = [A(e * x) for e in v]
            t.append(t[0])
            u = tuple(t)
            w = t[1:] + t[:1]
            w[-1].h += 1.0
            s = {id(t[0]): 1} if False else {}
            m = map(lambda a: a, t)
            first = next(m)
            first.h *= x
            z = list(zip(u, w))
            z[0][0].h += z[0][1].h
            a, *rest = w
            rest[0].h *= 2.0
            r = list(reversed(w))
            r[0].h += x
            return sum(a.h * (i + 1) for i, a in enumerate(u))
    """,
    "a deep copy of a dict of references": """
        import copy
        class A:
            def __init__(self, h): self.h = h
        def program(x, v):
            a, b = A(x), A(v[0])
            t = [a, b]
            for i in range(3):
                t.append(t[i])
            d = {"p": t[3], "q": b}
            e = copy.deepcopy(d)
            e["p"].h *= x
            c = copy.copy(d)
            c["q"].h += x
            return a.h * b.h + e["p"].h
    """,
    "a deque with a greatest length in a list": """
        from collections import deque
        def program(x, v):
            ds = [deque([e], maxlen=2) for e in v]
            for d in ds:
                d.append(x)
                d.append(x * x)
            return sum(sum(d) * len(d) for d in ds)
    """,
    "deques by key": """
        from collections import deque, defaultdict
        def program(x, v):
            g = defaultdict(lambda: deque(maxlen=2))
            for i, e in enumerate(v):
                g[i % 2].append(e * x)
                g[0].append(x)
            return sum(sum(d) * len(d) for d in g.values())
    """,
}
REFUSED = {
    "is of what was kept while it was made": (
        """
        class Reg:
            def __init__(self): self.first = None
        class A:
            def __init__(self, h, reg):
                self.h = h
                reg.first = self
        def program(x, v):
            reg = Reg()
            t = [A(x, reg), A(v[0], reg)]
            for i in range(3):
                t.append(t[i])
            t[-1].h *= x
            return t[1].h * (2.0 if t[1] is reg.first else 3.0)
        """,
        "the same object isn't followed",
    ),
    "a deque times a number": (
        """
        from collections import deque
        def program(x, v):
            d = deque([x], maxlen=2)
            d *= 3
            return sum(d) * len(d)
        """,
        "__imul__",
    ),
    "a sum of deques": (
        """
        from collections import deque
        def program(x, v):
            d = deque([x], maxlen=2)
            d += [v[0], v[1] * x]
            d.extend([x * x])
            d.rotate(1)
            d[0] *= 2.0
            e = d + deque([x])
            e.append(v[2])
            return sum(d) * len(d) + sum(e) * len(e)
        """,
        "a sum of deques",
    ),
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text, range(3))


@pytest.mark.parametrize(("text", "reason"), REFUSED.values(), ids=REFUSED)
def test_what_would_be_lost_is_refused(text, reason):
    assert_refused(text, reason)
