"""Changes of the user's module after compilation: a call notices what it was compiled
from."""

import functools

import pytest

from s2sad import grad


class Base:
    k = 2.0

    def act(self, x):
        return x * self.k

    @functools.cached_property
    def rate(self):
        return 2.0


class Other(Base):
    k = 5.0

    def act(self, x):
        return x * x


class Derived(Base):
    pass


def linear(x, k=2.0, *, c=1.0):
    return x * k * c


def square(x, k=2.0, *, c=1.0):
    return x * x


def scaled(k, x):
    return k * x


class World:
    """What a case reads, made anew for each."""

    def __init__(self):
        self.a = Base()
        self.d = Derived()
        self.d.inner = Base()


def attribute(world, name, value):
    setattr(world.a, name, value)


CASES = {
    "an attribute that the class has": (
        lambda w: lambda x: x * w.a.k,
        lambda w: attribute(w, "k", 7.0),
        7.0,
    ),
    "an attribute of an inner object": (
        lambda w: lambda x: x * w.d.inner.k,
        lambda w: setattr(w.d.inner, "k", 7.0),
        7.0,
    ),
    "a method of an object": (
        lambda w: lambda x: w.a.act(x),
        lambda w: attribute(w, "act", square),
        4.0,
    ),
    "an attribute taken away": (
        lambda w: (attribute(w, "k", 7.0), lambda x: x * w.a.k)[1],
        lambda w: delattr(w.a, "k"),
        2.0,
    ),
    "the class, and its method": (
        lambda w: lambda x: w.a.act(x),
        lambda w: setattr(w.a, "__class__", Other),
        4.0,
    ),
    "the class, and its attribute": (
        lambda w: lambda x: x * w.a.k,
        lambda w: setattr(w.a, "__class__", Other),
        5.0,
    ),
    "the class, as isinstance sees it": (
        lambda w: lambda x: x * x if isinstance(w.a, Other) else x,
        lambda w: setattr(w.a, "__class__", Other),
        4.0,
    ),
    "what hasattr looks for": (
        lambda w: lambda x: x * x if hasattr(w.a, "z") else x,
        lambda w: attribute(w, "z", 1.0),
        4.0,
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_changes_of_objects_are_noticed(case):
    make, change, expected = CASES[case]
    world = World()
    f = make(world)
    gradient = grad(f)
    gradient(2.0)
    change(world)
    assert gradient(2.0) == pytest.approx(expected)
    assert gradient(2.0) == pytest.approx((f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6)


@pytest.fixture
def helper():
    """A function of its own, whose parts may be changed."""
    made = type(linear)(linear.__code__, globals(), "linear", (2.0,))
    made.__kwdefaults__ = {"c": 1.0}
    return made


def code(function):
    function.__code__ = square.__code__


def defaults(function):
    function.__defaults__ = (5.0,)


def defaults_by_keyword(function):
    function.__kwdefaults__ = {"c": 5.0}


def one_default_by_keyword(function):
    function.__kwdefaults__["c"] = 5.0


PARTS = {
    code: 4.0,
    defaults: 5.0,
    defaults_by_keyword: 10.0,
    one_default_by_keyword: 10.0,
}


@pytest.mark.parametrize("change", PARTS, ids=lambda f: f.__name__)
def test_changes_of_called_functions_are_noticed(helper, change):
    gradient = grad(lambda x: helper(x))
    assert gradient(2.0) == 2.0
    change(helper)
    assert gradient(2.0) == PARTS[change]


@pytest.mark.parametrize(
    "change", [p for p in PARTS if p is not code], ids=lambda f: f.__name__
)
def test_changes_of_defaults_are_noticed(helper, change):
    gradient = grad(helper)
    assert gradient(2.0) == 2.0
    change(helper)
    assert gradient(2.0) == PARTS[change]


def test_changes_of_partial_applications_are_noticed():
    part = functools.partial(scaled, 2.0)
    by_name = functools.partial(linear, k=2.0)
    gradient = grad(lambda x: part(x) * by_name(x))
    assert gradient(1.5) == pytest.approx(12.0)
    by_name.keywords["k"] = 5.0
    assert gradient(1.5) == pytest.approx(30.0)
    part.__setstate__((scaled, (3.0,), {}, {}))
    assert gradient(1.5) == pytest.approx(45.0)
