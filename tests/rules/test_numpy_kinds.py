"""The kind functions of NumPy's array functions, against the results themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from s2sad.ir.kinds import Scalar, Structure
from s2sad.rules.refusal import CallRefused
from s2sad.rules.registry import rule_for
from s2sad.rules.result_kinds import ValueNeeded
from tests.rules.numpy_rule_cases import NUMPY_RULE_CASES
from tests.rules.plain_python import (
    fits,
    kinds_of,
    live_kind,
    name_of,
    says_all,
    value_of,
)

VAGUE = {"restore_reduced_axes", "split_like", "unstack", "nested_like"}
VAGUE |= {"index_of_part", "diagonal_index", "index_along_axis"}


@pytest.mark.parametrize("case", NUMPY_RULE_CASES, ids=name_of)
def test_kind_is_that_of_the_result(case):
    kind = rule_for(case.function).kind(**kinds_of(case, live_kind))
    value = value_of(case)
    assert fits(kind, value), f"{kind} for {value!r}"
    assert says_all(kind) or case.function.__name__ in VAGUE


@pytest.mark.parametrize("case", NUMPY_RULE_CASES, ids=name_of)
def test_kind_where_numbers_are_unknown(case):
    def kind_of(value):
        kind = live_kind(value)
        if isinstance(kind, Scalar):
            return Scalar(kind.type)
        if isinstance(kind, Structure):
            return (
                replace(kind, items=tuple(map(kind_of, value)))
                if isinstance(value, tuple | list)
                else kind
            )
        return kind

    try:
        kind = rule_for(case.function).kind(**kinds_of(case, kind_of))
    except (ValueNeeded, CallRefused):
        return
    assert fits(kind, value_of(case))


@pytest.mark.parametrize(
    ("function", "arguments", "keywords"),
    [
        (np.pad, (np.ones(3), 1, "edge"), {}),
        (np.kron, (np.ones(3), np.ones((2, 2))), {}),
        (np.trace, (np.ones((2, 3, 4)),), {}),
        (np.linalg.norm, (np.ones((2, 2)), "nuc"), {}),
        (np.linalg.qr, (np.ones((2, 2)), "raw"), {}),
        (np.einsum, (np.ones(3), [0]), {}),
    ],
)
def test_calls_without_a_rule_are_refused(function, arguments, keywords):
    rule = rule_for(function)
    bound = rule.signature.bind(*arguments, **keywords).arguments
    with pytest.raises(CallRefused) as refused:
        rule.kind(**{name: live_kind(value) for name, value in bound.items()})
    assert refused.value.reason
