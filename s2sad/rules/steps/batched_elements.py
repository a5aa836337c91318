"""Elements of many arrays by their order, along one more axis in front: of many
tangents or cotangents, as Jacobians take them."""

import numpy as np

from s2sad import rules
from s2sad.ops.runtime.ties import mean_of_ties
from s2sad.rules.numpy.batched_transforms import axis_of_each


@rules.batched_as(np.take_along_axis)
def _taken(arr, indices, axis=-1, *, batched):
    if batched != ("arr",) or rules.known_rank(arr) < 2:
        return None
    if axis is None:
        return np.reshape(arr, (arr.shape[0], -1))[:, indices]
    if rules.known_rank(arr) == 2:
        return arr[:, indices]
    places = np.broadcast_to(indices, (arr.shape[0], *indices.shape))
    return np.take_along_axis(arr, places, axis_of_each(axis))


@rules.batched_as(mean_of_ties)
def _means(values, ordered, axis, *, batched):
    if batched != ("values",):
        return None
    each = np.broadcast_to(ordered, values.shape)
    return mean_of_ties(values, each, axis_of_each(axis))
