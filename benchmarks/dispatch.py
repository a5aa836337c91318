"""The cost of the checks of a call: a gradient called, less the generated function.

The function has four array arguments, and its gradient hardly any work to do.
"""

from __future__ import annotations

import numpy as np

from benchmarks.measure import Times, interleaved
from benchmarks.report import Table, duration
from s2sad import differentiate

AIM = 2e-6


@differentiate(wrt=("w", "b"))
def loss(w, b, x, y):
    return np.dot(w, x) + np.dot(b, y)


def measure(rounds: int) -> Times:
    """Time the calls in turns."""
    arguments = tuple(np.random.default_rng(0).normal(size=(4, 3)))
    compiled = loss.grad.compiled(*arguments)
    check = loss.grad._dispatcher.entries[0].check
    assert check(*arguments)
    return interleaved(
        {
            "called": (lambda *args: loss.grad(*args), arguments),
            "compiled": (lambda *args: compiled(*args), arguments),
            "check": (check, arguments),
        },
        rounds=rounds,
        batches=5,
    )


def tables(found: Times) -> list[Table]:
    """The cost and what it is made of."""
    rows = [
        ["loss.grad(w, b, x, y)", duration(found.seconds("called"))],
        ["the generated function", duration(found.seconds("compiled"))],
        ["difference", duration(found.difference("called", "compiled"))],
        ["of which the check of arguments and names", duration(found.seconds("check"))],
    ]
    return [
        Table(
            "Cost of a call with four array arguments",
            ("", "time"),
            rows,
            notes=[f"Aim: a difference of {duration(AIM)}."],
        )
    ]
