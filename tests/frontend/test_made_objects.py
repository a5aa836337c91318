"""Objects that the program makes, of classes that do more than to keep what they are
given."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from s2sad import grad
from s2sad.errors import ArgumentError, UnsupportedError


@dataclass
class Doubled:
    k: float

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value * 2.0)


class Constant:
    def __get__(self, owner, cls=None):
        return 3.0

    def __set__(self, owner, value):
        pass


@dataclass
class Described:
    k: float = Constant()


class Pair(NamedTuple):
    a: float
    b: float = 2.0


class Scaled(Pair):
    def __new__(cls, a):
        return super().__new__(cls, 2.0 * a, 3.0)


class Sum(namedtuple("Sum", "a b")):
    def __new__(cls, a, b=3.0):
        return super().__new__(cls, a + 1.0, b)


class Counted(Pair):
    def __len__(self):
        return 5


class Reversed(Pair):
    def __iter__(self):
        return iter((self.b, self.a, self.a))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: Doubled(x).k, "Doubled stores attributes by a __setattr__"),
        (lambda x: Described(x).k * x, "is the work of a Constant"),
        (lambda x: Scaled(x).a, "a Scaled is a tuple whose class has a __new__"),
        (lambda x: Sum(x, x).a, "a Sum is a tuple whose class has a __new__"),
        (lambda x: Counted(x).a, "a Counted is a tuple whose class has a __len__"),
    ],
)
def test_classes_with_code_for_what_they_keep_are_refused(function, message):
    with pytest.raises(UnsupportedError, match=message):
        grad(function)(2.0)


@dataclass
class Settings:
    k: float = 2.0
    j: float = field(init=False, default=4.0)


Settings.k, Settings.j = 13.0, 9.0
Node = namedtuple("Node", "a b")
Node.__new__.__defaults__ = (3.0, 4.0)


@dataclass
class Kept:
    _k: float = 1.0

    @property
    def k(self):
        return self._k

    @k.setter
    def k(self, value):
        self._k = 2.0 * value


def test_tuples_are_run_over_as_their_class_says():
    assert grad(lambda x: sum(v * v for v in Reversed(x)))(3.0) == 12.0


def test_defaults_are_those_that_objects_are_made_with():
    assert grad(lambda x: Settings().k * x)(1.0) == 2.0
    assert grad(lambda x: Settings(x).j * x)(1.0) == 9.0
    assert grad(lambda x: Node(x).b * Node().a * x)(1.0) == 12.0

    def stored(x):
        kept = Kept(x)
        kept.k = x
        return kept.k * Kept(x).k

    assert grad(stored)(3.0) == 12.0


def test_changed_defaults_are_noticed():
    @dataclass
    class Rate:
        k: float = 2.0

    function = grad(lambda x: Rate().k * x)
    assert function(1.0) == 2.0
    Rate.__init__.__defaults__ = (7.0,)
    assert function(1.0) == 7.0


class Twofold(namedtuple("Twofold", "a b")):
    def __getitem__(self, key):
        return 2.0 * tuple.__getitem__(self, key)


class Longer(namedtuple("Longer", "a b")):
    def __len__(self):
        return 7


@pytest.mark.parametrize("cls", [Twofold, Longer])
def test_given_tuples_whose_class_says_what_their_items_are(cls):
    def first(x, n):
        return x * n[0] + len(n) * x

    given = cls(1.0, 3.0)
    assert grad(first)(2.0, given) == given[0] + len(given)
    with pytest.raises(ArgumentError, match=cls.__name__):
        grad(first, "n")(2.0, given)
    with pytest.raises(ArgumentError, match=cls.__name__):
        grad(lambda x, ns: sum(first(x, n) for n in ns), "ns")(2.0, [given] * 8)
