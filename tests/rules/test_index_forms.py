"""Every form of an index, on arrays of every rank: read, stored and added to."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

from s2sad.testing import check_grads

RNG = np.random.default_rng(5)
ARRAYS = {
    "number": np.float64(1.5),
    "0": np.array(1.5),
    "1": RNG.normal(size=4),
    "2": RNG.normal(size=(4, 3)),
    "3": RNG.normal(size=(4, 3, 2)),
}
ORDER = {"number": 2, "0": 2, "1": 1, "2": 1, "3": 1}
PLACES = np.array([[0, 1], [2, 0], [0, 2]])
ANY_RANK = ("()", "...", "None", "..., None", "None, ...")
OF_AN_AXIS = (
    *("1", "-2", "1:3", "::-2", "1, ...", "None, :2", "[0, 2, 0]"),
    *("i[0]", "i", "i % 2", "i[None]", "(i,)", "i, ...", "i, None", "[[0, 1], [2, 0]]"),
)
OF_TWO_AXES = (
    *("1, 2", "i, 1", "1, i", "1:, i", "i, 1:", "..., i % 2", "i, i[0]", ":, None, i"),
)
OF_THREE_AXES = (":, i, ..., 0", "0, :, i % 2", "i, :, i % 2")
FORMS = [
    (rank, form)
    for rank in ARRAYS
    for form in (
        *ANY_RANK,
        *(OF_AN_AXIS if rank in "12" else ()),
        *(OF_TWO_AXES if rank in "23" else ()),
        *(OF_THREE_AXES if rank == "3" else ()),
    )
]
STORES = [
    (rank, form)
    for rank, form in FORMS
    if rank in "123" or (rank == "0" and form in ("()", "..."))
]


def _each(forms, long):
    """The places of forms, those of the ranks ``long`` in the second step."""
    return pytest.mark.parametrize(
        "k",
        [
            pytest.param(
                FORMS.index((rank, form)),
                marks=pytest.mark.long if rank in long else (),
                id=f"{rank}: {form}",
            )
            for rank, form in forms
        ],
    )


READ = """
def read_{k}(x, i, row):
    part = x[{form}]
    total = np.sum(part) + np.sum(part**3) + np.max(part * part)
    return total + np.mean(np.sin(part)) + np.sum(x[{form}] * row)
"""
STORED = """
def stored_{k}(x, i, value):
    a = np.array(x * x)
    a[{form}] = value * 2.0
    b = np.array(np.sin(x))
    b[{form}] *= value
    return np.sum(a * x) + np.sum(b * b)
"""


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    """The functions of all forms, in a module, for s2sad reads their text."""
    path = tmp_path_factory.mktemp("forms") / "index_forms.py"
    text = "import numpy as np\n"
    for k, (_, form) in enumerate(FORMS):
        text += READ.format(k=k, form=form)
        text += STORED.format(k=k, form=form)
    path.write_text(text)
    specification = importlib.util.spec_from_file_location("index_forms", path)
    loaded = importlib.util.module_from_spec(specification)
    sys.modules["index_forms"] = loaded
    specification.loader.exec_module(loaded)
    yield vars(loaded)
    del sys.modules["index_forms"]


@pytest.mark.sampled(6)
@_each(FORMS, "3")
def test_reads(functions, k):
    """Cotangents that are a number, a row, and full ones reach all that was read."""
    rank, form = FORMS[k]
    x = ARRAYS[rank]
    part = eval(f"x[{form}]", {"x": x, "i": PLACES})
    row = np.linspace(0.5, 2.0, np.shape(part)[-1]) if np.shape(part) else 0.7
    report = check_grads(functions[f"read_{k}"], (x, PLACES, row), order=ORDER[rank])
    assert report.passed, str(report)


@pytest.mark.sampled(4)
@_each(STORES, "23")
def test_stores(functions, k):
    """What a store overwrote and what it stored have their cotangents."""
    rank, form = FORMS[k]
    x = ARRAYS[rank]
    part = eval(f"x[{form}]", {"x": x, "i": PLACES})
    row = np.linspace(0.5, 2.0, np.shape(part)[-1]) if part.ndim else 0.7
    report = check_grads(functions[f"stored_{k}"], (x, PLACES, row), order=1)
    assert report.passed, str(report)
