"""Texts of rules, written again for other arguments of the same form."""

from __future__ import annotations

import numpy as np
import pytest

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import rule_texts
from tests.golden.programs import PROGRAMS
from tests.support.compiled import compiled


def _leaf(value: object, name: str = "x") -> core.Leaf:
    return core.Leaf(ir.Var(name), core.constant(value).kind)


DIFFERENT = (
    (core.constant(1), core.constant(1.0)),
    (core.constant(1), core.constant(True)),
    (core.constant(0.0), core.constant(-0.0)),
    (_leaf(0.0), _leaf(-0.0)),
    (_leaf(1), core.constant(1)),
    (
        core.aggregate_of((_leaf(1, "x"), _leaf(1, "x"))),
        core.aggregate_of((_leaf(1, "x"), _leaf(1, "y"))),
    ),
)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_forms_differ(one: core.Value, other: core.Value) -> None:
    assert rule_texts._form(one, {}) != rule_texts._form(other, {})


def test_variables_count_by_their_places() -> None:
    pairs = [core.aggregate_of((_leaf(1, a), _leaf(1, b))) for a, b in ("xy", "yx")]
    assert rule_texts._form(pairs[0], {}) == rule_texts._form(pairs[1], {})


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", PROGRAMS)
def test_texts_are_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gradient whose rules are compiled anew each time."""
    program = PROGRAMS[name]
    arguments = program.make_arguments(np.random.default_rng(0), "small")
    wrt = program.wrt if isinstance(program.wrt, str) else tuple(program.wrt)
    kept = compiled("gradient", program.function, arguments, wrt)
    asked = []

    def written(spec, rule, values, *_):
        asked.append(rule)
        return rule_texts._written(spec, rule, values)

    monkeypatch.setattr(rule_texts, "_kept", written)
    again = compiled("gradient", program.function, arguments, wrt)
    assert asked
    assert again.text == kept.text
