"""What classes hold and write for their objects, in files: data, properties with
setters, comparisons, dataclasses taken apart."""

import numpy as np
import pytest

from s2sad import grad
from s2sad.testing import check_grads
from tests.codegen.test_transpile import run, transpile
from tests.codegen.test_transpiled_names import F, X, check_right_or_refused, package

__all__ = ["package"]

HELD = {
    "array": (
        "import numpy as np\nclass A:\n    W = np.array([1.0, 2.0])\n"
        "    def m(self, x): return np.sum(self.W * x)",
        "A().m(x)",
    ),
    "list": (
        "class A:\n    W = [1.0, 2.0]\n"
        "    def m(self, x): return sum(w * x for w in self.W)",
        "A().m(x) * sum(w * x for w in A.W)",
    ),
    "dict": (
        "class A:\n    W = {'a': 1.5, 'b': 2.0}\n"
        "    def m(self, x, k): return self.W[k] * x",
        "A().m(x, 'b') * A.W['a']",
    ),
    "tuple": (
        "class A:\n    T = (1.0, 2.0)\n    def m(self, x): return self.T[0] * x",
        "A().m(x)",
    ),
    "product": (
        "import math\nclass A:\n    K = 2.0\n    L = K * math.pi\n"
        "    def m(self, x): return self.L * x",
        "A().m(x)",
    ),
    "object": (
        "class C:\n    def __init__(self, a: float): self.a = a\n"
        "class A:\n    c = C(2.0)\n    def m(self, x): return self.c.a * x",
        "A().m(x) * A.c.a",
    ),
    "class_in_a_class": (
        "class A:\n    class B:\n        T = [1.0, 2.0]\n"
        "        def m(self, x): return self.T[1] * x",
        "A.B().m(x) * A.B.T[1]",
    ),
    "setter": (
        "class A:\n    def __init__(self): self._k = 3.0\n    @property\n"
        "    def k(self): return self._k\n    @k.setter\n"
        "    def k(self, v): self._k = v * 2\n    def m(self, x):\n"
        "        self.k = x\n        return self.k * x",
        "A().m(x)",
    ),
    "inherited_setter": (
        "class B:\n    def __init__(self, k): self.k = k\n    @property\n"
        "    def k(self): return self._k\n    @k.setter\n"
        "    def k(self, v): self._k = v * 2\nclass A(B):\n    def m(self, x):\n"
        "        self.k += x\n        return self.k * x",
        "A(x).m(x)",
    ),
}


@pytest.mark.parametrize("name", HELD)
def test_objects_read_what_their_class_holds(package, name):
    text, read = HELD[name]
    check_right_or_refused(package, {"reader_m": text + F.format(read)})


def test_objects_read_what_a_class_of_another_file_holds(package):
    text = "import numpy as np\nclass A:\n    W = np.array([1.0, 2.0])\n"
    text += "    def m(self, x): return np.sum(self.W * x)"
    main = "from reader_c import A" + F.format("A().m(x)")
    check_right_or_refused(package, {"reader_c": text, "reader_m": main})


def test_a_property_of_another_class_with_a_new_setter_is_refused(package):
    text = (
        "class B:\n    def __init__(self): self._k = 3.0\n    @property\n"
        "    def k(self): return self._k\n    @k.setter\n"
        "    def k(self, v): self._k = v * 2\nclass A(B):\n    @B.k.setter\n"
        "    def k(self, v): self._k = v * 5\n"
        "def f(x: float):\n    a = A()\n    a.k = x\n    return a.k * x\n"
    )
    check_right_or_refused(package, {"reader_m": text}, refused=True)


DATACLASS = "from dataclasses import asdict, astuple, dataclass, field, replace\n"
OWN = (
    "class A:\n    def __init__(self, k, n): self.k, self.n = k, n\n"
    "    def __eq__(self, o): return self.n == o.n\n"
)
PROGRAMS = {
    "own": (OWN, "a, b = A(x, 1), A(2 * x, 1)\n    return x * x if a == b else x"),
    "own_and_stored": (
        OWN,
        "a, b = A(x, 1), A(2 * x, 0)\n    b.n += 1\n"
        "    return x * x * a.k if a == b and a in [b] else x",
    ),
    "identity": (
        "class A: pass\n",
        "a, b = A(), A()\n    return x * x if a == b else x",
    ),
    "dataclass": (
        DATACLASS + "@dataclass\nclass A:\n    k: float\n    n: int\n",
        "a, b = A(x, 1), A(x, 0)\n    b.n += 1\n    return x * x if a == b else x",
    ),
    "order": (
        DATACLASS + "@dataclass(order=True)\nclass A:\n    n: int\n"
        "    k: float = field(compare=False)\n",
        "a, b = A(1, x), A(2, 3 * x)\n"
        "    return x * a.k if a < b and not a > b and a != b else x",
    ),
    "sorted": (
        DATACLASS + "@dataclass(order=True)\nclass A:\n    n: int\n    k: float\n",
        "return sorted([A(2, x), A(1, 3 * x * x)])[0].k",
    ),
    "derived": (
        DATACLASS + "@dataclass\nclass A:\n    n: int\n"
        "@dataclass\nclass B(A):\n    k: float\nclass C(B): pass\n",
        "return x * x if C(1, 2.0) == C(1, 2.0) and B(1, 2.0) != B(1, x) else x",
    ),
    "named_tuple": (
        "from typing import NamedTuple\nclass A(NamedTuple):\n    n: int\n",
        "return x * x if A(1) == A(1) and A(1) < A(2) else x",
    ),
    "taken_apart": (
        DATACLASS + "@dataclass\nclass B:\n    q: float\n"
        "@dataclass\nclass A:\n    n: float\n    b: B\n",
        "a = A(x, B(2 * x))\n    return asdict(a)['b']['q'] * astuple(a)[0]",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_are_compared_and_taken_apart(package, name):
    classes, body = PROGRAMS[name]
    text = f"{classes}def f(x: float):\n    {body}\n"
    check_right_or_refused(package, {"reader_m": text})


PAIR = (
    "from typing import NamedTuple\nclass Q(NamedTuple):\n    k: float\n"
    "    c: float = 0.5\n    @property\n    def s(self): return self.k + self.c\n"
)
CALLED = (
    "from collections import namedtuple\nQ = namedtuple('Q', 'k c', defaults=(0.5,))\n"
)
SHAPES = (
    "from abc import ABC\nclass S(ABC):\n    def m(self): return self.r * 3\n"
    "class C(S):\n    def __init__(self, r):\n        super().__init__()\n"
    "        self.r = r\nclass D(C): pass\n"
)
USED = {
    "unpacked": (PAIR, "k, c = Q(x, x * x)\n    return k * c"),
    "items": (PAIR, "q = Q(x, x * x)\n    return q[0] * q[-1] * len(q) * q.s * sum(q)"),
    "replaced": (PAIR, "q = Q(x)._replace(c=x * x)\n    return q.k * q._asdict()['c']"),
    "matched": (PAIR, "match Q(x, 2 * x):\n        case Q(k, c): return k * c"),
    "asked": (PAIR, "q = Q(x)\n    return q.k if isinstance(q, (Q, float)) else x * x"),
    "in_a_list": (PAIR, "return sum(a * b for a, b in [Q(x), Q(2 * x, x)])"),
    "called": (CALLED, "q = Q(x)\n    k, c = q._replace(c=x)\n    return k * c * q[0]"),
    "joined": (PAIR, "return sum(Q(x) + (x, x * x)) * sum(2 * Q(x, x)) * Q(x)[:1][0]"),
    "called_in_a_list": (CALLED, "return sum(q.k * q.c for q in [Q(x), Q(x, x)])"),
    "base": (SHAPES, "d = D(x)\n    return d.m() if isinstance(d, S) else x * x"),
    "other": (SHAPES, "d = D(x)\n    return x * x if isinstance(d, float) else d.m()"),
    "derived": (
        SHAPES,
        "match C(x):\n        case D(): return x * x\n        case c: return c.m()",
    ),
}


@pytest.mark.parametrize("name", USED)
def test_classes_tell_what_objects_are(package, name):
    classes, body = USED[name]
    text = f"{classes}def f(x: float):\n    {body}\n"
    check_right_or_refused(package, {"reader_m": text})


GIVEN = (
    "a, b = q\n    return a * b * q[-1]",
    "return sum(v * v for v in q) * max(q) * len(q)",
    "return sum(q + q[:1]) * q.k if q < (3.0, 1.0) else q.c",
    "return np.sum(np.array(q) ** 2) * np.linalg.norm(q)",
)


@pytest.mark.parametrize("body", GIVEN)
@pytest.mark.parametrize("told", ("by_annotation", "by_signature"))
def test_named_tuples_that_are_given_are_tuples(package, body, told):
    annotation = ": Q" if told == "by_annotation" else ""
    text = f"import numpy as np\n{PAIR}def f(q{annotation}):\n    {body}\n"
    live, path = package({"reader_m": text})
    signatures = [] if annotation else ["f(q: Q(k=float, c=float))"]
    file = run(transpile(path, "f", signatures=signatures))
    pair = live.Q(X, 0.5 * X)
    np.testing.assert_allclose(file.f_grad(pair), grad(live.f)(pair), rtol=1e-14)
    check_grads(live.f, (pair,))
