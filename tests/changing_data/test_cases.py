"""Small nasty programs that change their data, each differentiated right or refused.

The reference is tested as well: hyper-dual numbers beside differences of the program
on floats.
"""

from __future__ import annotations

import textwrap

import numpy as np
import pytest

from tests.changing_data import (
    cases_of_aliases,
    cases_of_arrays,
    cases_of_containers,
    cases_of_objects,
    cases_of_paths,
    cases_of_views,
)
from tests.changing_data.expected_refused import EXPECTED_REFUSED
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import (
    _as_tuple,
    _copies,
    _direction,
    _oracle,
    _weighed,
    check,
    draw_arguments,
    load,
)
from tests.support.dual_numbers import Kink

GROUPS = {
    "arrays": cases_of_arrays.CASES,
    "views": cases_of_views.CASES,
    "aliases": cases_of_aliases.CASES,
    "paths": cases_of_paths.CASES,
    "containers": cases_of_containers.CASES,
    "objects": cases_of_objects.CASES,
}
PROGRAMS = {
    f"{group}: {name}": IMPORTS + textwrap.dedent(text)
    for group, cases in GROUPS.items()
    for name, (_, text) in cases.items()
}
SEEDS = (0, 1)
STEP = 1e-5

programs = pytest.mark.parametrize(
    ("name", "text"), PROGRAMS.items(), ids=list(PROGRAMS)
)


def test_there_are_enough_and_each_has_its_reason():
    assert len(PROGRAMS) == sum(map(len, GROUPS.values())) >= 90
    reasons = [reason for cases in GROUPS.values() for reason, _ in cases.values()]
    assert len(set(reasons)) == len(reasons)
    assert not any("\n" in reason or len(reason) > 90 for reason in reasons)
    assert set(PROGRAMS) >= EXPECTED_REFUSED


@pytest.mark.sampled(16, of_long=4)
@programs
def test_right_or_refused(name, text):
    known: dict = {}
    outcomes = [check(text, seed, known=known) for seed in SEEDS]
    for outcome in outcomes:
        assert outcome.verdict != "wrong", f"{outcome.detail}\n{outcome.text}"
    verdicts = {outcome.verdict for outcome in outcomes}
    if name in EXPECTED_REFUSED:
        assert "refused" in verdicts, "differentiated now: no more EXPECTED_REFUSED"
    else:
        assert "refused" not in verdicts, outcomes
        assert "differentiated" in verdicts, outcomes


@programs
def test_the_reference_is_right(name, text):
    """The value is that of floats, the first derivative that of differences of floats,
    and the second that of differences of the first."""
    assert any([reference_is_right(text, seed) for seed in SEEDS])


def reference_is_right(text: str, seed: int) -> bool:
    """False where the program is at a kink; fails where the reference is wrong."""
    _, args = draw_arguments(text, seed)
    rng = np.random.default_rng([seed, 1])
    along, across = (tuple(_direction(rng, a) for a in args) for _ in range(2))
    function = load(text)["program"]
    value = _as_tuple(function(*_copies(args)))
    weights = tuple(_direction(rng, v) for v in value)
    try:
        oracle = _oracle(text, args, [along, across])
    except Kink:
        return False

    def of_floats(t: float) -> float:
        result = _as_tuple(function(*_moved(args, along, t)))
        return sum(
            float(np.sum(r * w)) for r, w in zip(result, weights) if w is not None
        )

    def slope(t: float) -> float:
        there = _oracle(text, _moved(args, across, t), [along, across])
        return _weighed(there, weights, "first")

    got = [_weighed(oracle, weights, part) for part in ("value", "first", "mixed")]
    differences = [(f(STEP) - f(-STEP)) / (2.0 * STEP) for f in (of_floats, slope)]
    scale = 1.0 + max(map(abs, got))
    assert all(np.shape(o) == np.shape(v) for o, v in zip(oracle, value, strict=True))
    assert np.isclose(got[0], of_floats(0.0), 1e-12, 1e-12)
    assert np.allclose(got[1:], differences, 1e-6, 1e-6 * scale), (got, differences)
    assert abs(got[1]) > 1e-6 and abs(got[2]) > 1e-9, "nothing to see"
    return True


def _moved(args: tuple, direction: tuple, t: float) -> tuple:
    pairs = zip(args, direction)
    return _copies(tuple(a if d is None else a + t * d for a, d in pairs))
