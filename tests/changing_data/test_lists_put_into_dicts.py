"""Lists that stand in other lists, given or made, are put into dicts under keys that
only the run knows, and change there or where they were: one list stays one, or is
refused."""

from __future__ import annotations

import copy
import itertools
import textwrap

import numpy as np
import pytest

from s2sad import UnsupportedError, grad

ROWS = [[1.0 + 0.1 * i, 2.0, 0.5 * i] for i in range(7)]
SOURCES = {
    "given": ("rows, t", "pass", (ROWS,)),
    "made": ("t", "rows = [[t * i, 2.0, t] for i in range(7)]", ()),
    "made one by one": (
        "t",
        "rows = []\nfor i in range(7): rows.append([t * i, 2.0])",
        (),
    ),
    "slices": ("xs, t", "rows = [xs[i : i + 2] for i in range(7)]", (sum(ROWS, []),)),
    "given in a dict": ("d, t", "rows = list(d.values())", (dict(enumerate(ROWS)),)),
    "in pairs": (
        "t",
        "rows = [r for r, _ in [([t * i, 1.0], i) for i in range(7)]]",
        (),
    ),
    "in given pairs": (
        "ps, t",
        "rows = [p[0] for p in ps]",
        ([(row, k) for k, row in enumerate(ROWS)],),
    ),
    "one seven times": ("t", "rows = [[t, 1.0]] * 7", ()),
}
PUTS = {
    "stores": "by = {}\nfor i, r in enumerate(rows): by[i % 3] = r",
    "a comprehension": "by = {i: r for i, r in enumerate(rows)}",
    "setdefault": "by = {}\nfor i, r in enumerate(rows): by.setdefault(i % 3, r)",
    "update": "by = {}\nby.update(enumerate(rows))",
    "unpacking": "by = {**{i: r for i, r in enumerate(rows)}}",
    "pairs": "by = dict(zip(range(7), rows))",
    "lists": (
        "by = {}\nfor i, r in enumerate(rows): by.setdefault(i % 3, []).append(r)\n"
        "by = {k: v[-1] for k, v in by.items()}"
    ),
    "functions": (
        "fs = [lambda v, r=r: r.append(v) for r in rows]\n"
        "for i, f in enumerate(fs): f(t * i)\nby = {i: r for i, r in enumerate(rows)}"
    ),
}
CHANGES = {
    "append": "by[0].append(t)",
    "store": "by[1][0] = t * t",
    "multiply": "by[2][0] *= t",
    "pop": "by[0].pop()\nby[1].append(t)",
    "where they were": "rows[0].append(t)\nby[1].append(sum(by[0]))",
    "all": "for k in by: by[k].append(t * k)",
    "under a name": "q = by[0]\nq += [t]\nby[1] = q\nby[1][0] = t",
}
RESULT = (
    "return sum(sum(r) * (i + 1.5) for i, r in enumerate(rows))"
    " + sum(v[0] * (k + 1) for k, v in by.items())"
)
CASES = list(itertools.product(SOURCES, PUTS, CHANGES))


@pytest.mark.sampled(12, of_long=2)
@pytest.mark.parametrize(("source", "put", "change"), CASES)
def test_a_list_stays_one(source, put, change, tmp_path):
    parameters, made, given = SOURCES[source]
    body = "\n".join([made, PUTS[put], CHANGES[change], RESULT])
    text = f"def program({parameters}):\n{textwrap.indent(body, '    ')}\n"
    path = tmp_path / "program.py"
    path.write_text(text)
    names = {}
    exec(compile(text, str(path), "exec"), names)
    program, before = names["program"], copy.deepcopy(given)
    ends = [program(*copy.deepcopy(given), 1.3 + by) for by in (1e-6, -1e-6)]
    try:
        found = grad(program, wrt="t")(*given, 1.3)
    except UnsupportedError:
        return
    np.testing.assert_allclose(found, (ends[0] - ends[1]) / 2e-6, rtol=1e-6)
    assert given == before
