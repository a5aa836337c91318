"""Functions of NumPy that are made of others."""

import numpy as np

from s2sad import rules
from s2sad.frontend.library.texts import stands_for


@stands_for(np.ediff1d)
def ediff1d(ary, to_end=None, to_begin=None):
    """``np.ediff1d(ary, to_end, to_begin)``."""
    ary = np.ravel(ary)
    steps = ary[1:] - ary[:-1]
    if to_begin is not None:
        steps = np.concatenate((np.ravel(to_begin), steps))
    if to_end is not None:
        steps = np.concatenate((steps, np.ravel(to_end)))
    return steps


@stands_for(np.append)
def append(arr, values, axis=None):
    """``np.append(arr, values, axis)``."""
    if axis is None:
        return np.concatenate((np.ravel(arr), np.ravel(values)))
    return np.concatenate((arr, values), axis)


@stands_for(np.vander)
def vander(x, N=None, increasing=False):
    """``np.vander(x, N, increasing)``."""
    x = np.asarray(x)
    if rules.is_floating(x) and not rules.is_double(x):
        x = x.astype(np.float64)
    count = len(x) if N is None else N
    column = x[:, None]
    higher = np.cumprod(np.repeat(column, max(count - 1, 0), axis=1), axis=1)
    powers = np.concatenate((np.ones_like(column), higher), axis=1)[:, :count]
    return powers if increasing else powers[:, ::-1]


@stands_for(np.select)
def select(condlist, choicelist, default=0):
    """``np.select(condlist, choicelist, default)``."""
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    chosen = default
    for condition, choice in zip(reversed(condlist), reversed(choicelist)):
        chosen = np.where(condition, choice, chosen)
    return chosen


@stands_for(np.kaiser)
def kaiser(M, beta):
    """``np.kaiser(M, beta)``, in double precision."""
    if rules.is_floating(beta) and not rules.is_double(beta):
        beta = np.float64(beta)
    if M == 1:
        return np.ones(1)
    middle = (M - 1) / 2.0
    arch = np.sqrt(1 - ((np.arange(0, M) - middle) / middle) ** 2.0)
    return np.i0(beta * arch) / np.i0(beta)
