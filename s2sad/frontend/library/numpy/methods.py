"""Methods of arrays that no function of NumPy says in the same words."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.ndarray.__array__)
def array(a, dtype=None, *, copy=None):
    """``a.__array__()``."""
    if copy:
        return np.array(a, dtype)
    return np.asarray(a, dtype)


@stands_for(np.ndarray.compress)
def compress(a, condition, axis=None):
    """``a.compress(condition, axis)``."""
    return np.compress(condition, a, axis)


def _plain(element):
    """A float as a Python number; ints as they are."""
    return float(element) if rules.is_floating(element) else element


@stands_for(np.ndarray.item)
def item(a, *place):
    """``a.item(*place)``."""
    if len(place) == 0:
        return _plain(np.ravel(a)[0])
    if len(place) > 1:
        return _plain(a[place])
    (only,) = place
    if isinstance(only, tuple):
        return _plain(a[only])
    return _plain(np.ravel(a)[only])


@stands_for(np.ndarray.tolist)
def tolist(a):
    """``a.tolist()``."""
    if rules.known_rank(a) == 0:
        return _plain(a)
    if rules.known_rank(a) == 1:
        return [_plain(x) for x in a]
    if rules.known_rank(a) == 2:
        return [[_plain(x) for x in row] for row in a]
    rules.not_supported(
        "tolist of an array of more than two axes", "loop over the array"
    )
    return []
