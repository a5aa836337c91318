"""Elements of many arrays by their order, and products of vectors, along one more axis
in front: of many tangents or cotangents, as Jacobians take them."""

from __future__ import annotations

from typing import Any

import numpy as np

from s2sad.ops.runtime.ties import mean_of_ties
from s2sad.rules.numpy.batched_transforms import axis_of_each
from s2sad.rules.predicates import is_complex_number, known_rank
from s2sad.rules.registry import batched_as


@batched_as(np.take_along_axis)
def _taken(arr, indices, axis=-1, *, batched):
    if batched != ("arr",) or known_rank(arr) < 2:
        return None
    if axis is None:
        return np.reshape(arr, (arr.shape[0], -1))[:, indices]
    if known_rank(arr) == 2:
        return arr[:, indices]
    places = np.broadcast_to(indices, (arr.shape[0], *indices.shape))
    return np.take_along_axis(arr, places, axis_of_each(axis))


@batched_as(mean_of_ties)
def _means(values, ordered, axis, *, batched):
    if batched != ("values",):
        return None
    each = np.broadcast_to(ordered, values.shape)
    return mean_of_ties(values, each, axis_of_each(axis))


@batched_as(np.vdot)
def _products(a, b, *, batched):
    if is_complex_number(a):
        a = np.conjugate(a)
    if known_rank(a) == ("a" in batched) and known_rank(b) == ("b" in batched):
        return a * b
    if batched == ("a",):
        return _rows(a) @ _vector(b)
    if batched == ("b",):
        return _rows(b) @ _vector(a)
    return np.sum(_rows(a) * _rows(b), axis=1)


def _rows(each: Any) -> Any:
    return each if known_rank(each) == 2 else np.reshape(each, (each.shape[0], -1))


def _vector(x: Any) -> Any:
    return x if known_rank(x) == 1 else np.ravel(x)
