"""Structures of arrays as vectors."""

import numpy as np


def flatten(value):
    """The numbers of a structure as one vector, dicts in the order of their keys, and
    the function that makes such a structure of a vector."""

    def unflatten(vector):
        return shaped(value, vector)

    parts = raveled(value)
    vector = np.concatenate(parts) if len(parts) > 0 else np.zeros(0)
    return vector, unflatten


def raveled(value):
    """The arrays of a structure, each as a vector."""
    if isinstance(value, dict):
        return [part for key in sorted(value) for part in raveled(value[key])]
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in raveled(item)]
    return [np.ravel(value)]


def size(value):
    """How many numbers a structure holds."""
    return sum([part.size for part in raveled(value)])


def shaped(value, vector):
    """A structure of the form of ``value``, of the numbers of a vector."""
    if isinstance(value, dict):
        made, start = {}, 0
        for key in sorted(value):
            stop = start + size(value[key])
            made[key] = shaped(value[key], vector[start:stop])
            start = stop
        return {key: made[key] for key in value}
    if isinstance(value, (tuple, list)):
        items, start = [], 0
        for item in value:
            stop = start + size(item)
            items.append(shaped(item, vector[start:stop]))
            start = stop
        return items if isinstance(value, list) else tuple(items)
    shaped_part = np.reshape(vector, np.shape(value))
    return shaped_part if isinstance(value, np.ndarray) else shaped_part[()]


def flatten_func(func, example):
    """``func``, of and to structures, as a function of vectors."""
    vector, unflatten = flatten(example)

    def flat_func(x, *args):
        return flatten(func(unflatten(x), *args))[0]

    return flat_func, unflatten, vector
