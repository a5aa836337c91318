"""Distances between two vectors: ``scipy.spatial.distance``."""

import numpy as np
from scipy import special
from scipy.spatial import distance

from s2sad.frontend.library.texts import stands_for


def difference(u, v):
    """The difference of two vectors."""
    if np.ndim(u) != 1 or np.ndim(v) != 1:
        raise ValueError("Input vector should be 1-D.")
    return np.asarray(u) - np.asarray(v)


def root_of_square(square):
    """The root, of which all derivatives are 0 at 0, as those of norms are here."""
    if np.ndim(square) == 0:
        return 0.0 if square == 0.0 else np.sqrt(square)
    return np.where(square == 0.0, 0.0, np.sqrt(square))


@stands_for(distance.euclidean)
def euclidean(u, v, w=None):
    """``distance.euclidean(u, v, w)``."""
    step = difference(u, v)
    return np.linalg.norm(step if w is None else np.sqrt(w) * step)


@stands_for(distance.sqeuclidean)
def sqeuclidean(u, v, w=None):
    """``distance.sqeuclidean(u, v, w)``."""
    step = difference(u, v)
    return np.dot(step, step if w is None else w * step)


@stands_for(distance.cityblock)
def cityblock(u, v, w=None):
    """``distance.cityblock(u, v, w)``."""
    lengths = np.abs(difference(u, v))
    return np.sum(lengths if w is None else w * lengths)


@stands_for(distance.chebyshev)
def chebyshev(u, v):
    """``distance.chebyshev(u, v)``."""
    return np.max(np.abs(difference(u, v)))


@stands_for(distance.minkowski)
def minkowski(u, v, p=2, w=None):
    """``distance.minkowski(u, v, p, w)``."""
    if p <= 0:
        raise ValueError("p must be greater than 0")
    step = difference(u, v)
    return np.linalg.norm(step if w is None else np.power(w, 1 / p) * step, ord=p)


@stands_for(distance.cosine)
def cosine(u, v, w=None):
    """``distance.cosine(u, v, w)``."""
    return correlation(u, v, w, False)


@stands_for(distance.correlation)
def correlation(u, v, w=None, centered=True):
    """``distance.correlation(u, v, w, centered)``."""
    u, v = np.asarray(u), np.asarray(v)
    if w is not None:
        w = w / np.sum(w)
    if centered:
        u = u - (np.mean(u) if w is None else np.dot(u, w))
        v = v - (np.mean(v) if w is None else np.dot(v, w))
    weighted_u, weighted_v = (u, v) if w is None else (u * w, v * w)
    squares = np.dot(u, weighted_u) * np.dot(v, weighted_v)
    return np.clip(1.0 - np.dot(u, weighted_v) / np.sqrt(squares), 0.0, 2.0)


@stands_for(distance.canberra)
def canberra(u, v, w=None):
    """``distance.canberra(u, v, w)``; where both are 0 there is no part."""
    lengths, sizes = np.abs(difference(u, v)), np.abs(u) + np.abs(v)
    parts = lengths / np.where(sizes == 0, 1.0, sizes)
    return np.sum(parts if w is None else w * parts)


@stands_for(distance.braycurtis)
def braycurtis(u, v, w=None):
    """``distance.braycurtis(u, v, w)``."""
    lengths, sums = np.abs(difference(u, v)), np.abs(np.asarray(u) + np.asarray(v))
    if w is not None:
        lengths, sums = w * lengths, w * sums
    return np.sum(lengths) / np.sum(sums)


@stands_for(distance.mahalanobis)
def mahalanobis(u, v, VI):
    """``distance.mahalanobis(u, v, VI)``."""
    step = difference(u, v)
    return root_of_square(np.dot(np.dot(step, np.asarray(VI)), step))


@stands_for(distance.seuclidean)
def seuclidean(u, v, V):
    """``distance.seuclidean(u, v, V)``."""
    return np.linalg.norm(np.sqrt(1 / np.asarray(V)) * difference(u, v))


@stands_for(distance.jensenshannon)
def jensenshannon(p, q, base=None, *, axis=0, keepdims=False):
    """``distance.jensenshannon(p, q, base, axis=axis)``."""
    p = p / np.sum(p, axis=axis, keepdims=True)
    q = q / np.sum(q, axis=axis, keepdims=True)
    middle = (p + q) / 2.0
    left = np.sum(special.rel_entr(p, middle), axis=axis, keepdims=keepdims)
    right = np.sum(special.rel_entr(q, middle), axis=axis, keepdims=keepdims)
    both = left + right if base is None else (left + right) / np.log(base)
    return root_of_square(both / 2.0)
