"""Programs whose functions change an array or list that they are given."""

from __future__ import annotations

import math

import numpy as np

from tests.scale.program import Programs

PROGRAMS = Programs()


def an_array(size, rng):
    return (rng.uniform(0.5, 1.5, size),)


def a_list(size, rng):
    return (rng.uniform(0.5, 1.5, size).tolist(),)


def shuffled(size, rng):
    return (0.5 + rng.permutation(size) / size,)


def shuffled_list(size, rng):
    return (shuffled(size, rng)[0].tolist(),)


def weighted(values):
    total = 0.0
    for k, v in enumerate(values):
        total += (k % 7) * v * v
    return total


def fill(out, lo, hi, x):
    if hi - lo == 1:
        out[lo] = out[lo] * x[lo] + x[lo] ** 2
        return
    mid = (lo + hi) // 2
    fill(out, lo, mid, x)
    fill(out, mid, hi, x)


@PROGRAMS.over(an_array)
def array_filled(x):
    out = np.zeros(len(x))
    fill(out, 0, len(x), x)
    total = np.sum(out * out)
    fill(out, 0, len(x), x)
    return total + weighted(out)


@PROGRAMS.over(a_list)
def list_filled(x):
    out = [0.5] * len(x)
    fill(out, 0, len(x), x)
    total = weighted(out)
    fill(out, 0, len(x), x)
    return total + weighted(out)


def smoothed_sequence(n, tab, x):
    if tab[n] > 0:
        return tab[n]
    value = x[0] if n < 2 else smoothed_sequence(n - 1, tab, x) * 0.5
    if n > 1:
        value += 0.4 * smoothed_sequence(n - 2, tab, x)
    tab[n] = value
    return value


@PROGRAMS.over(an_array, sizes=(5, 400))
def memo_in_an_array(x):
    return smoothed_sequence(len(x), np.zeros(len(x) + 1), x)


@PROGRAMS.over(a_list, sizes=(5, 400))
def memo_in_a_list(x):
    return smoothed_sequence(len(x), [0.0] * (len(x) + 1), x)


def quicksort(a, lo, hi):
    if lo >= hi:
        return
    pivot = a[(lo + hi) // 2]
    i, j = lo, hi
    while i <= j:
        while a[i] < pivot:
            i += 1
        while a[j] > pivot:
            j -= 1
        if i <= j:
            a[i], a[j] = a[j], a[i]
            i += 1
            j -= 1
    quicksort(a, lo, j)
    quicksort(a, i, hi)


@PROGRAMS.over(shuffled)
def array_sorted(x):
    a = x.copy()
    quicksort(a, 0, len(a) - 1)
    return weighted(a)


@PROGRAMS.over(shuffled_list)
def list_sorted(x):
    a = list(x)
    quicksort(a, 0, len(a) - 1)
    return weighted(a) + x[0]


def merge_sort(a, room, lo, hi):
    if hi - lo < 2:
        return
    mid = (lo + hi) // 2
    merge_sort(a, room, lo, mid)
    merge_sort(a, room, mid, hi)
    i, j = lo, mid
    for k in range(lo, hi):
        if j >= hi or (i < mid and a[i] <= a[j]):
            room[k] = a[i]
            i += 1
        else:
            room[k] = a[j]
            j += 1
    for k in range(lo, hi):
        a[k] = room[k]


@PROGRAMS.over(shuffled_list)
def list_merged(x):
    a = list(x)
    merge_sort(a, [0.0] * len(a), 0, len(a))
    return weighted(a)


def butterflies(a, lo, hi):
    if hi - lo < 2:
        return
    h = (hi - lo) // 2
    butterflies(a, lo, lo + h)
    butterflies(a, lo + h, hi)
    for k in range(lo, lo + h):
        u, v = a[k], a[k + h]
        a[k] = (u + v) * 0.7
        a[k + h] = math.sin(u - v)


@PROGRAMS.over(an_array)
def transformed(x):
    a = 2.0 * x
    butterflies(a, 0, len(a))
    return np.sum(a**4)


def collect(lo, hi, x, out):
    if hi - lo == 1:
        out.append(x[lo] ** 2)
        return
    mid = (lo + hi) // 2
    collect(lo, mid, x, out)
    collect(mid, hi, x, out)


@PROGRAMS.over(an_array)
def collected(x):
    out = []
    collect(0, len(x), x, out)
    return weighted(out)


def halve(v, rate):
    if len(v) == 1:
        v[0] = v[0] ** 2 * rate
        return
    mid = len(v) // 2
    halve(v[:mid], rate)
    halve(v[mid:], rate)


@PROGRAMS.over(an_array)
def halves_of_views(x):
    v = x.copy()
    halve(v, 0.7)
    return weighted(v)
