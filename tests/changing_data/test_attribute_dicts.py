"""``vars(x)`` and ``x.__dict__``: other names of an object's attributes."""

from __future__ import annotations

import pytest

import s2sad
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "filled by update, and run over while it changes": """
        class Store:
            def __init__(self, first, **items):
                self.__dict__.update(items)
                self.__dict__.update({"first": first}, last=first * 2.0)

            def scale(self, t):
                for name, value in vars(self).items():
                    setattr(self, name, value * t)
                    self.last = self.last + value

        def program(x, y):
            store = Store(x * y, a=x, b=y)
            store.scale(x)
            store.__dict__["a"] += store.b
            store.__dict__["b"] = store.last * vars(store)["a"]
            return store.a * store.b + store.first * store.last
    """,
    "under another name, and copied": """
        class Pair:
            def __init__(self, a, b):
                self.a, self.b = a, b

        def program(x, y):
            pair = Pair(x, y)
            held, copied = vars(pair), dict(vars(pair))
            again = vars(pair).copy()
            pair.a = x * y
            held["b"] = held["a"] + copied["a"]
            total = sum(v * v for v in held.values()) * len(held)
            for name in vars(pair):
                total += vars(pair)[name] * again[name]
            return total * copied["b"] + held.get("c", x) + held.get("a", x)
    """,
    "an object that doesn't change": """
        class Config:
            def __init__(self, **options):
                self.__dict__.update(options)

            def copy(self, **changes):
                return Config(**{**vars(self), **changes})

        def program(x, y):
            one = Config(rate=x, decay=y)
            two = one.copy(rate=x * y)
            found = "rate" in vars(two) and "speed" not in vars(two)
            return two.rate * two.decay * one.rate + (x if found else y)
    """,
    "an array, a list and an object in it": """
        class Inner:
            def __init__(self, e):
                self.e = e

        class Outer:
            def __init__(self, w, e):
                self.w, self.rows, self.inner = w, [e], Inner(e)

        def program(x, v):
            outer = Outer(v * x, x)
            outer.__dict__["w"][0] = x**2
            vars(outer)["w"] *= v
            vars(outer)["rows"].append(outer.w[0])
            vars(outer)["inner"].e *= outer.rows[-1]
            return np.sum(outer.w**2) * outer.inner.e + sum(outer.rows)
    """,
    "of objects in a list": """
        class Body:
            def __init__(self, q, p):
                self.q, self.p = q, p

        def program(x, v, k):
            bodies = [Body(e, e * x) for e in v]
            bodies.append(bodies[k % 3])
            for body in bodies:
                vars(body)["q"] += 0.1 * body.p
                body.__dict__.update(p=body.p - 0.1 * body.q)
            return sum(value**2 for body in bodies for value in vars(body).values())
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_attributes_as_a_dict(name):
    assert_differentiated(PROGRAMS[name])


class Slots:
    __slots__ = ("a", "__dict__")

    def __init__(self, a):
        self.a = a


class Plain:
    def __init__(self, a):
        self.a = a


def of_slots(x):
    return sum(vars(Slots(x)).values()) + x


def popped(x):
    return Plain(x).__dict__.pop("a") * x


def under_a_name_of_the_run(x):
    plain = Plain(x)
    plain.b = x * x
    name = "a" if x > 1.0 else "b"
    return vars(plain)[name] * x


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (of_slots, "slots"),
        (popped, "the method 'pop' of the attributes"),
        (under_a_name_of_the_run, "must be known before"),
    ],
)
def test_refused(function, message):
    with pytest.raises(s2sad.UnsupportedError, match=message):
        s2sad.grad(function)(2.0)


class Tripled:
    """A descriptor that keeps what is stored in the attributes of the object."""

    def __get__(self, owner, cls=None):
        return 3.0 * owner.__dict__["size"]

    def __set__(self, owner, value):
        owner.__dict__["size"] = value + 1.0


class Part:
    size = Tripled()

    def __init__(self, size):
        self.size = size


def test_what_a_descriptor_would_have_stored_is_refused():
    with pytest.raises(s2sad.UnsupportedError, match="the work of a Tripled"):
        s2sad.grad(lambda x: Part(x).size)(2.0)
