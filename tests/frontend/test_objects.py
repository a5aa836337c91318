"""Objects of classes: made inside, held by modules, passed as arguments."""

from __future__ import annotations

import dataclasses
import types
from dataclasses import dataclass, field

import numpy as np
import pytest

from s2sad import grad, hvp, jvp, value_and_grad, vjp
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "plain class": """
        class Layer:
            scale = 2.0
            def __init__(self, w, b=0.5):
                self.w = w
                self.b = b * self.w
            def __call__(self, t):
                return np.tanh(self.scale * t * self.w + self.b)
            def squared(self):
                return self.w**2 + self.b
        def program(x, y):
            first, second = Layer(x), Layer(y, b=x)
            return second(first(y)) * first.squared()
    """,
    "stored under a condition and in a loop": """
        class Sums:
            def __init__(self, values, k):
                self.total = 0.0
                self.kind = "plain"
                for v in values:
                    self.total += v * v
                for i in range(k):
                    self.add(self.total * 0.1)
                if self.total > 1.0:
                    self.last = self.total
                else:
                    self.last = -self.total
            def add(self, v):
                self.total = self.total + np.sin(v)
        def program(x, y, k):
            s = Sums((x, y, x * y), k)
            return s.total * s.last
    """,
    "static and class methods, properties": """
        class Point:
            def __init__(self, a, b):
                self._a, self.b = a, b
            @property
            def a(self):
                return self._a * 2.0
            @a.setter
            def a(self, value):
                self._a = value
            @staticmethod
            def dot(p, q):
                return p.a * q.a + p.b * q.b
            @classmethod
            def diagonal(cls, t):
                return cls(t, t)
        def program(x, y):
            p = Point(x, y)
            return Point.dot(p, Point.diagonal(x * y)) * p.a + p.dot(p, p)
    """,
    "inheritance and super": """
        class Base:
            def __init__(self, w):
                self.w = w
            def value(self, t):
                return self.inner(t) * self.w
            def inner(self, t):
                return t
        class Middle(Base):
            def inner(self, t):
                return super().inner(t) ** 2
        class Last(Middle):
            def __init__(self, w, v):
                super().__init__(w * v)
                self.v = v
            def inner(self, t):
                return super(Last, self).inner(t) * self.v + Base.inner(self, t)
        def program(x, y):
            return Last(x, y).value(y) + Middle(y).value(x)
    """,
    "operators": """
        class Vec:
            def __init__(self, a, b):
                self.a, self.b = a, b
            def __add__(self, other):
                if not isinstance(other, Vec):
                    return NotImplemented
                return Vec(self.a + other.a, self.b + other.b)
            def __radd__(self, other):
                return Vec(self.a + other, self.b + other)
            def __sub__(self, other):
                return self + -other
            def __neg__(self):
                return Vec(-self.a, -self.b)
            def __mul__(self, k):
                return Vec(self.a * k, self.b * k)
            __rmul__ = __mul__
            def __matmul__(self, other):
                return self.a * other.a + self.b * other.b
            def __getitem__(self, k):
                return (self.a, self.b)[k]
            def __len__(self):
                return 2
            def __abs__(self):
                return np.sqrt(self @ self)
            def __lt__(self, other):
                return abs(self) < abs(other)
            def __eq__(self, other):
                return self.a == other.a
            def __float__(self):
                return self.a * self.b
            def __pow__(self, k):
                return Vec(self.a**k, self.b**k)
            def __call__(self, k=1.0):
                return self.a * k
            def __contains__(self, v):
                return self.a == v
            def __bool__(self):
                return True
        def program(x, y):
            u, v = Vec(x, y), Vec(y, 2.0)
            w = 2.0 * u + v * x - u**2
            w += v
            z = (3.0 + w) @ v + w[0] * abs(u) + len(u) * v.__float__() + u(k=y)
            if u < v and not u == v:
                z = z * x
            if x not in v:
                z = z + x
            return z
    """,
    "dataclass": """
        from dataclasses import dataclass, field, replace
        @dataclass
        class Params:
            w: float
            scale: float = 2.0
            parts: list = field(default_factory=lambda: [1.0, 2.0])
            size: float = field(init=False)
            def __post_init__(self):
                self.size = self.w * self.w
                if self.size > 1.0:
                    self.scale = self.scale * self.w
            def value(self, t):
                return (self.w * t + self.parts[1]) * self.scale * self.size
        def program(x, y):
            p = Params(x)
            q = replace(p, w=y, scale=x)
            return p.value(y) * q.value(x)
    """,
    "frozen dataclass, comparison": """
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class P:
            a: float
            b: float = 1.0
            def __post_init__(self):
                object.__setattr__(self, "b", self.b * self.a)
        def program(x, y):
            p, q = P(x), P(y, b=x)
            return p.b * q.b if p != q else x
    """,
    "namedtuple methods": """
        from typing import NamedTuple
        class P(NamedTuple):
            a: float
            b: float = 2.0
            def norm(self):
                return self.a**2 + self.b
            @property
            def twice(self):
                return 2.0 * self.a
            def moved(self, d):
                return self._replace(a=self.a + d)
        def program(x, y):
            p = P(x)
            a, b = p
            return p.norm() * p.twice + p.moved(y).a * b + P(y, x).norm()
    """,
    "methods as values": """
        class M:
            def __init__(self, w):
                self.w = w
            def f(self, t):
                return t * self.w
        def twice(g, t):
            return g(g(t))
        def program(x, y):
            m = M(x)
            g = m.f if x > 0.0 else M(y * y).f
            return twice(m.f, y) + twice(g, x) + M.f(m, y)
    """,
    "an object of the module": """
        class M:
            def __init__(self, w):
                self.w = w
                self.parts = {"a": [0.5, 1.5]}
            def f(self, t):
                return t * self.w + self.parts["a"][1] * t
            def __mul__(self, other):
                return self.w * other
        class Outer:
            def __init__(self):
                self.inner = M(2.5)
        MODEL = M(1.5)
        OUTER = Outer()
        def program(x, y):
            f = MODEL.f
            return f(x) * (MODEL * y) + OUTER.inner.f(x) * OUTER.inner.w
    """,
    "arrays leave the operator to the object": """
        class Scale:
            __array_ufunc__ = None
            def __init__(self, k):
                self.k = k
            def __rmul__(self, array):
                return array * self.k
            __mul__ = __rmul__
        def program(x, v):
            return np.sum(v * Scale(x)) * np.sum(Scale(x * x) * v)
    """,
    "slots and private names": """
        class S:
            __slots__ = ("a", "__b")
            def __init__(self, a):
                self.a = a
                self.__b = a * a
            def value(self):
                return self.a * self.__b
        def program(x, y):
            return S(x).value() + S(y).value() * x
    """,
    "getattr, hasattr, callable": """
        class S:
            def __init__(self, a):
                self.a = a
                if not hasattr(self, "b"):
                    self.b = a * a
        def program(x, y):
            s = S(x)
            z = getattr(s, "a") * getattr(s, "missing", y)
            return z * getattr(s, "b") if callable(np.sin) else x
    """,
    "objects in structures and on two paths": """
        class L:
            def __init__(self, w):
                self.w = w
            def __call__(self, t):
                return np.sin(t * self.w)
        def program(x, y):
            net = [L(x), L(y), L(2.0)]
            h = x
            for layer in net:
                h = layer(h)
            chosen = net[0] if x > 0.0 else L(x * y)
            return h * chosen(y)
    """,
    "carried by a loop": """
        class State:
            def __init__(self, q, p):
                self.q, self.p = q, p
            def step(self, h):
                p = self.p - h * self.q
                return State(self.q + h * p, p)
        def program(x, y, k):
            s = State(x, y)
            for _ in range(k):
                s = s.step(0.1)
            return s.q * s.p
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    assert_differentiated(PROGRAMS[name])


class Model:
    scale = 2.0

    def __init__(self, w, b):
        self.w, self.b, self.name = w, b, "model"

    def __call__(self, x):
        return np.sum(np.tanh(x @ self.w + self.b)) * self.scale


class Slotted:
    __slots__ = ("w", "b", "name")

    def __init__(self, w, b):
        self.w, self.b, self.name = w, b, "slotted"

    __call__ = Model.__call__
    scale = 2.0


@dataclass
class Data:
    w: np.ndarray
    b: float
    name: str = "data"
    total: float = field(init=False, default=0.0)

    def __post_init__(self):
        self.w = self.w * 1.0

    __call__ = Model.__call__
    scale = 2.0


def loss(model, x):
    return model(x) ** 2


def reference(w, b, x):
    return (np.sum(np.tanh(x @ w + b)) * 2.0) ** 2


@pytest.mark.taken_apart
@pytest.mark.sampled(3)
@pytest.mark.parametrize("cls", [Model, Slotted, Data])
def test_objects_as_arguments(cls):
    rng = np.random.default_rng(0)
    w, x = rng.normal(size=(3, 2)), rng.normal(size=(4, 3))
    model = cls(w, 0.5)
    want_w, want_b = grad(reference, wrt=("w", "b"))(w, 0.5, x)
    value, found = value_and_grad(loss)(model, x)
    assert type(found) is cls
    assert np.allclose(found.w, want_w) and np.isclose(found.b, want_b)
    assert found.name is None
    assert np.isclose(value, reference(w, 0.5, x))
    assert model.w.tolist() == w.tolist() and model.b == 0.5
    _, pullback = vjp(loss, model, x)
    assert np.allclose(pullback(2.0)[0].w, 2.0 * want_w)
    direction = cls(np.ones_like(w), 1.0)
    direction.name = None
    if cls is Data:
        direction.total = 0.0
    _, tangent = jvp(loss, (model, x), (direction, np.zeros_like(x)))
    assert np.isclose(tangent, np.sum(want_w) + want_b)
    product = hvp(loss)(model, x, direction)
    wanted = hvp(reference, wrt=("w", "b"))(w, 0.5, x, (np.ones_like(w), 1.0))
    assert np.allclose(product.w, wanted[0]) and np.isclose(product.b, wanted[1])
    text = grad(loss).source_for(model, x).replace("\n        ", "")
    assert f"instance_of({cls.__name__}" in text


def test_namespaces():
    p = types.SimpleNamespace(a=2.0, b=(3.0, 1))
    found = grad(lambda p: p.a * p.b[0])(p)
    assert found == types.SimpleNamespace(a=3.0, b=(2.0, None))


def test_nested_objects():
    class Outer:
        def __init__(self):
            self.inner = Model(np.ones(2), 1.0)
            self.k = 3.0

    found = grad(lambda o: o.k * np.sum(o.inner.w) * o.inner.b)(Outer())
    assert found.inner.w.tolist() == [3.0, 3.0] and found.k == 2.0


def test_changes_of_classes_are_noticed():
    class Local:
        factor = 2.0

        def __init__(self, w):
            self.w = w

        def value(self):
            return self.w * self.factor

    derivative = grad(lambda m: m.value())
    assert derivative(Local(1.0)).w == 2.0
    Local.factor = 5.0
    assert derivative(Local(1.0)).w == 5.0
    Local.value = lambda self: self.w**2
    assert derivative(Local(3.0)).w == 6.0
    Local.factor = 7


MODEL = Model(np.ones(2), 0.5)


def test_changes_of_known_objects_are_noticed():
    def program(x):
        return x * MODEL.b * np.sum(MODEL.w)

    derivative = grad(program)
    assert derivative(1.0) == 1.0
    MODEL.b = 2.0
    assert derivative(1.0) == 4.0
    MODEL.w = np.ones((3, 1))
    assert derivative(1.0) == 6.0
    MODEL.b, MODEL.w = 0.5, np.ones(2)


def test_objects_in_lists_of_the_module_are_known_by_identity():
    parts = [Model(np.ones(2), 1.0), Model(np.ones(2), 2.0)]

    def program(x):
        return parts[0].b * x

    derivative = grad(program)
    assert derivative(1.0) == 1.0
    parts[0] = Model(np.ones(2), 7.0)
    assert derivative(1.0) == 7.0


def test_bound_methods():
    model = Model(np.array([1.0, 2.0]), 0.5)

    def program(f, x):
        return f(x)

    x = np.array([0.1, 0.2])
    want = grad(lambda x: np.sum(np.tanh(x @ model.w + model.b)) * 2.0)(x)
    assert np.allclose(grad(program, wrt="x")(model.__call__, x), want)
    model.b = 0.7
    want = grad(lambda x: np.sum(np.tanh(x @ model.w + model.b)) * 2.0)(x)
    assert np.allclose(grad(program, wrt="x")(model.__call__, x), want)


class Circular:
    def __init__(self):
        self.me = self
        self.w = 2.0


def test_what_holds_itself_has_a_gradient_that_does():
    circular = Circular()
    assert grad(lambda c, x: c.w * x * x, wrt="x")(circular, 3.0) == 12.0
    gradient = grad(lambda c, x: c.w * x, wrt="c")(circular, 3.0)
    assert gradient.w == 3.0
    assert gradient.me is gradient


def calls(model):
    return model.missing()


def holds_itself(x):
    class_ = Method(x)
    return class_.w


class Method:
    def __init__(self, w):
        self.w = w
        self.g = self.f

    def f(self, t):
        return t


class Computed:
    def __init__(self):
        self.a = 1.0

    def __getattr__(self, name):
        return 1.0


def computed(x):
    return Computed().other * x


def looped(model):
    total = 0.0
    for v in model:
        total = total + v
    return total


class Described:
    def __init__(self, w):
        self.w = w

    double = property(lambda self: self.w)


class Custom:
    def __get__(self, owner, cls=None):
        return owner.w


class WithCustom(Described):
    part = Custom()


def described(x):
    return WithCustom(x).part


class Made:
    def __new__(cls, w):
        return object.__new__(cls)


class NoArrays(Described):
    def __rmul__(self, other):
        return other


def unpacked(model):
    w, b, name = model
    return b


def test_attributes_that_are_computed():
    assert grad(computed)(2.0) == 1.0
    assert grad(lambda x: described(x) ** 2)(3.0) == 6.0


@pytest.mark.taken_apart
@pytest.mark.parametrize(
    ("function", "argument", "message"),
    [
        (calls, Model(np.ones(2), 1.0), "a Model has no attribute 'missing'"),
        (holds_itself, 1.0, "the attribute 'g' of a Method refers to the object"),
        (looped, Model(np.ones(2), 1.0), "a loop over|an iteration over|iterat"),
        (unpacked, Model(np.ones(2), 1.0), "can't be iterated over or unpacked"),
        (lambda m: m + 1.0, Model(np.ones(2), 1.0), "no class says what it is"),
        (lambda x: Made(x), 1.0, "a Made is made by more than __init__"),
        (lambda x: sum(Described(x)), 1.0, "a Described is passed to sum"),
        (lambda x: np.ones(2) * NoArrays(x), 1.0, "NumPy applies the operator to each"),
        (lambda m: m[0], Model(np.ones(2), 1.0), "a Model has no __getitem__"),
        (lambda m: len(m), Model(np.ones(2), 1.0), "a Model has no __len__"),
        (lambda m: m.b(1.0), Model(np.ones(2), 1.0), "a call of a value"),
        (lambda m: m.name.w, Model(np.ones(2), 1.0), "has no attribute|attribute"),
    ],
)
def test_refused(function, argument, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(function)(argument)


def test_dataclass_with_its_own_init_comes_back_without_calling_it():
    @dataclasses.dataclass
    class Strict:
        w: float

        def __post_init__(self):
            assert self.w > 0.0

    assert grad(lambda s: -s.w)(Strict(1.0)).w == -1.0
