"""Several numbers and arrays as one vector, and back.

>>> parts = (2.0, np.array([[3.0], [4.0]]))
>>> as_vector(parts)
array([2., 3., 4.])
>>> as_parts(np.array([5.0, 6.0, 7.0]), parts)[1].tolist()
[[6.0], [7.0]]
"""

from typing import Any

import numpy as np


def as_vector(parts: Any) -> Any:
    """The elements of a number, an array or a tuple of these, in order."""
    if isinstance(parts, tuple):
        return np.concatenate([np.reshape(part, -1) for part in parts])
    return parts if np.ndim(parts) == 1 else np.reshape(parts, -1)


def as_parts(vector: Any, like: Any) -> Any:
    """The elements of a vector in the form of ``like``: a number, an array or a tuple
    of these."""
    if isinstance(like, tuple):
        found: Any = ()
        start = 0
        for part in like:
            stop = start + size_of(part)
            found = (*found, as_part(vector[start:stop], part))
            start = stop
        return found
    return as_part(vector, like)


def as_part(vector: Any, like: Any) -> Any:
    if np.ndim(like) == 0:
        return vector[0]
    return vector if np.ndim(like) == 1 else np.reshape(vector, np.shape(like))


def count_of(parts: Any) -> Any:
    """The number of elements in all."""
    if isinstance(parts, tuple):
        count = 0
        for part in parts:
            count = count + size_of(part)
        return count
    return size_of(parts)


def size_of(part: Any) -> Any:
    return 1 if np.ndim(part) == 0 else np.size(part)
