"""Lists by value that are put into what a program is given, several times."""

from __future__ import annotations

import numpy as np

from tests.run_time.programs.kept_lists import tanks, tanks_of_arrays
from tests.run_time.programs.table import program


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filtered(ts, x):
    for t in ts:
        t.levels = [v * x for v in t.levels if v > 0.8]
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filtered_items(ts, x):
    for t in ts:
        t.levels[:] = [v * x for v in t.levels if v > 0.8]
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def copied_and_summed(ts, x):
    xs = [v * x for v in ts[0].levels if v > 0.2]
    ts[1].levels = list(xs)
    ts[2].levels = list(xs)
    ts[3].levels = xs.copy()
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filled_twice(ts, x):
    xs = [v * x for v in ts[0].levels if v > 0.2]
    ts[1].levels[:] = xs
    ts[2].levels[:] = xs
    xs.append(x)
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def filled_twice_2(ts, x):
    xs = [v * x for v in ts[0].levels]
    for t in ts:
        t.levels[:] = xs
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def repeated(ts, x):
    xs = [v * x for v in ts[0].levels]
    for t in ts:
        t.levels = xs + t.levels
        t.levels = t.levels * 2
    return sum(
        v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    ) + sum(xs)


@program(lambda n: (tanks(n), 0.7), ("ts", "x"))
def copied_twice(ts, x):
    xs = [v * x for v in ts[0].levels]
    ts[1].levels = list(xs)
    ts[2].levels = list(xs)
    return sum(v * v * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels))


@program(lambda n: (tanks_of_arrays(n), 0.7), ("ts", "x"))
def arrays_filled_twice(ts, x):
    xs = [v * x for v in ts[0].levels]
    ts[1].levels[:] = xs
    ts[2].levels[:] = xs
    return sum(
        (v * v).sum() * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    )


@program(lambda n: (tanks_of_arrays(n), 0.7), ("ts", "x"))
def arrays_kept_from_few(ts, x):
    xs = [ts[0].gain * np.ones(2), x * np.ones(2)]
    ts[1].levels = xs
    xs.append(ts[0].levels[0] * x)
    ts[2].levels = xs
    xs[0] = xs[1] * ts[2].gain
    return sum(
        (v * v).sum() * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    )


@program(lambda n: (tanks_of_arrays(n), 0.7), ("ts", "x"))
def arrays_sorted(ts, x):
    for t in ts:
        t.levels.sort(key=lambda v: -v[0])
        t.levels[1:] = [v * x for v in t.levels if v[1] > 0.7]
    return sum(
        (v * v).sum() * (k + 1) * t.gain for t in ts for k, v in enumerate(t.levels)
    )
