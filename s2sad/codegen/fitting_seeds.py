"""A quick test of structures of tangents and cotangents that need no change.

Most of them come out of another derivative, or were made after the argument: object by
object of the same classes, with a float for a float. Nothing is recursive.

>>> stands_as_it_is([1.0, (2.0, None)], [3.0, (4.0, "name")])
True
>>> stands_as_it_is([1.0, 2], [3.0, 4.0]), stands_as_it_is([1.0], [3.0, 4.0])
(False, False)

What leads back to itself is walked once.

>>> ring, ring_dot = [1.0], [0.5]
>>> ring.append([ring]), ring_dot.append([ring_dot])
(None, None)
>>> stands_as_it_is(ring_dot, ring)
True
"""

import types
from collections.abc import Iterable
from typing import Any

import numpy as np

from s2sad.source.kinds.attributes import is_users_class


def stands_as_it_is(seed: Any, primal: Any) -> bool:
    """Whether a structure is one that :func:`~s2sad.codegen.seeds.seed_like` would give
    back with equal parts. It may be false for others that are: of ints, whose seeds are
    numbers, and of objects with slots nothing is asked."""
    plain: dict[type, bool] = {}
    beside: dict[int, int] = {}
    """The seed of each object: one that stands at several places has one."""
    waiting = [(seed, primal)]
    while waiting:
        seed, primal = waiting.pop()
        cls: Any = type(primal)
        if type(seed) is not cls:
            return False
        if cls is np.ndarray:
            same = seed.dtype == primal.dtype and seed.shape == primal.shape
            if not same or primal.dtype.kind != "f":
                return False
            continue
        if cls is not tuple:
            known = beside.get(id(primal))
            if known == id(seed):
                continue  # objects may lead back to those that lead to them
            if known is not None:
                return False
            beside[id(primal)] = id(seed)
        pairs: Iterable[tuple[Any, Any]]
        if cls is list or cls is tuple:
            if len(seed) != len(primal):
                return False
            pairs = zip(seed, primal, strict=True)
        elif cls is dict:
            if seed.keys() != primal.keys():
                return False
            pairs = ((seed[key], part) for key, part in primal.items())
        else:
            if cls not in plain:
                plain[cls] = _is_plain(cls)
            if not plain[cls] or seed.__dict__.keys() != primal.__dict__.keys():
                return False
            own = seed.__dict__
            pairs = ((own[name], part) for name, part in primal.__dict__.items())
        for one, other in pairs:
            of = type(other)
            if of is float:
                if type(one) is not float:
                    return False
            elif of is str or other is None:
                if one is not None and one != other:
                    return False
            elif of is int or of is bool:
                return False
            elif other is not primal or one is not seed:
                waiting.append((one, other))
    return True


def _is_plain(cls: Any) -> bool:
    """True for a user's class whose objects have no slots."""
    return is_users_class(cls) and not any(
        type(found) is types.MemberDescriptorType
        for base in cls.__mro__
        for found in base.__dict__.values()
    )
