"""What is written into a run-time value is followed or refused."""

from __future__ import annotations

import copy
import heapq
import operator
import random
from dataclasses import dataclass

import numpy as np
import pytest

import s2sad
from s2sad import grad
from s2sad.testing import check_grads


@dataclass
class Spring:
    k: float
    rest: float


@dataclass
class Neuron:
    weights: list[float]
    bias: float


class Layer:
    def __init__(self, w):
        self.w = w
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.w @ x


KEPT: list[Spring] = []


def springs():
    return ([Spring(1.0 + 0.1 * k, 0.5) for k in range(7)],)


def neurons():
    return ([Neuron([1.0, 2.0, 3.0], 0.1 * k) for k in range(7)],)


def layers():
    return ([Layer(np.array([1.0, 2.0, 3.0])) for _ in range(7)],)


def names():
    return ({f"k{k}": 1.0 + 0.1 * k for k in range(7)},)


def attribute(s):
    for x in s:
        x.k = x.k * 2.0
    return s[0].k


def augmented_attribute(s):
    for x in s:
        x.k += 1.0
    return s[0].k


def set_by_name(s):
    for x in s:
        setattr(x, "k", 2.0)  # noqa: B010
    return s[0].k


def item(s):
    s[0] = s[1]
    return s[0].k


def swapped(s):
    s[0], s[1] = s[1], s[0]
    return s[0].k


def deleted(s):
    del s[0]
    return s[0].k


def appended(s):
    s.append(s[0])
    return sum(x.k for x in s)


def extended_in_place(s):
    r = s
    r += s[:1]
    return sum(x.k for x in s)


def ordered(s):
    s.sort(key=lambda x: -x.k)
    return s[0].k


def turned(s):
    s.reverse()
    return s[0].k


def popped(s):
    return s.pop().k


def shuffled(s):
    random.shuffle(s)
    return s[0].k


def by_operator(s):
    operator.setitem(s, 0, s[1])
    return s[0].k


def heap(s):
    heapq.heapify(s)
    return s[0].k


def attribute_dict(s):
    s[0].__dict__["k"] = 2.0
    return s[0].k


def kept_outside(s):
    KEPT.append(s[0])
    return s[0].k


def entry(d):
    d["k1"] = d["k2"] * 2.0
    return sum(d.values())


def augmented_entry(d):
    d["k1"] *= 2.0
    return sum(d.values())


def updated(d):
    d.update({"k1": 2.0})
    return sum(d.values())


def joined_in_place(d):
    d |= {"k1": 1.0}
    return sum(d.values())


def entry_popped(d):
    return d.pop("k1") + sum(d.values())


def entry_set_by_default(d):
    return d.setdefault("k9", 2.0) + sum(d.values())


def number_in_a_slot(s):
    w = s[0].weights
    w[0] = 2.0
    return sum(s[0].weights)


def appended_to_a_slot(s):
    w = s[0].weights
    w.append(2.0)
    return sum(s[0].weights)


def slot_extended_in_place(s):
    w = s[0].weights
    w += [2.0]
    return sum(s[0].weights)


def array_item(s):
    s[0].w[0] = 1.0
    return s[0].w.sum()


def array_by_a_name(s):
    w = s[0].w
    w[0] = w[1] * 2.0
    return s[0].w.sum()


def array_in_place(s):
    w = s[0].w
    w *= 2.0
    return s[0].w.sum()


def view_in_place(s):
    w = s[0].w[1:]
    w += 1.0
    return s[0].w.sum()


def array_as_output(s):
    np.multiply(s[0].w, 2.0, out=s[0].w)
    return s[0].w.sum()


def array_in_a_list(s):
    ws = [x.w for x in s]
    ws[0][0] = 3.0
    return s[0].w.sum()


def array_in_a_function(s):
    def clear(w):
        w[0] = 0.0

    clear(s[0].w)
    return s[0].w.sum()


def array_sorted(s):
    s[0].w.sort()
    return s[0].w[0]


def reshaped(s):
    r = s[0].w.reshape(-1)
    r[0] = 2.0
    return s[0].w.sum()


def counted_calls(s):
    return sum(x(np.ones(3)) for x in s)


WRITING = {
    springs: (
        *(attribute, augmented_attribute, set_by_name, item, swapped, deleted),
        *(appended, extended_in_place, ordered, turned, popped, shuffled),
        *(by_operator, heap, attribute_dict, kept_outside),
    ),
    names: (
        *(entry, augmented_entry, updated, joined_in_place, entry_popped),
        entry_set_by_default,
    ),
    neurons: (number_in_a_slot, appended_to_a_slot, slot_extended_in_place),
    layers: (
        *(array_item, array_by_a_name, array_in_place, view_in_place),
        *(array_as_output, array_in_a_list, array_in_a_function, array_sorted),
        *(reshaped, counted_calls),
    ),
}
INTO_ARRAYS = {
    *(array_item, array_by_a_name),
    *(array_in_place, view_in_place, array_as_output, array_in_a_list),
    *(array_in_a_function, array_sorted, reshaped),
}
REFUSED = {shuffled, by_operator, heap, kept_outside}
CASES = [
    pytest.param(function, make, id=function.__name__)
    for make, functions in WRITING.items()
    for function in functions
]


@pytest.mark.parametrize("function, make", CASES)
def test_a_store_is_refused_or_followed(function, make):
    arguments = make()
    if function in REFUSED:
        with pytest.raises(s2sad.S2sadError):
            grad(function)(*arguments)
    else:
        check_grads(function, arguments)


@pytest.mark.parametrize("function", sorted(INTO_ARRAYS, key=lambda f: f.__name__))
def test_writes_into_one_of_many_arrays_have_one_text(function):
    (few,) = layers()
    many = [*few, *(copy.deepcopy(few[0]) for _ in range(80))]
    gradient = grad(function)
    assert gradient.source_for(few) == gradient.source_for(many)
    found = gradient(few), gradient(many)
    for own, other in zip(*found, strict=False):
        np.testing.assert_allclose(own.w, other.w)


def copies(s):
    r, q, z, y = list(s), s.copy(), s[:], [*s]
    r.append(s[0])
    q.append(s[1])
    z.append(s[2])
    y.append(s[3])
    return sum(x.k for part in (r, q, z, y) for x in part) + sum(x.k for x in s)


def test_copies_of_a_list_can_be_changed():
    (given,) = springs()
    gradient = grad(copies)(given)
    assert [x.k for x in gradient] == [6.0, 6.0, 6.0, 6.0, 5.0, 5.0, 5.0]
    assert len(given) == 7
