"""Arrays at which elementwise functions are tested, away from kinks, and the forms of
their calls."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.rules.cases.form import Case, LiteralFloat, case

_random = np.random.default_rng(20240917)
ANY = _random.uniform(0.2, 1.8, (3, 4)) * _random.choice([-1.0, 1.0], (3, 4))
ROW = _random.uniform(0.3, 1.6, (1, 4)) * _random.choice([-1.0, 1.0], (1, 4))
COLUMN = _random.uniform(0.3, 1.6, (3, 1)) * _random.choice([-1.0, 1.0], (3, 1))
VECTOR = _random.uniform(0.3, 1.6, 4) * _random.choice([-1.0, 1.0], 4)
POSITIVE = _random.uniform(0.3, 2.5, (3, 4))
INSIDE = _random.uniform(0.1, 0.9, (3, 4)) * _random.choice([-1.0, 1.0], (3, 4))
ABOVE_ONE = _random.uniform(1.2, 3.0, (3, 4))
INTS = _random.integers(1, 5, (3, 4))
EMPTY = np.zeros((0, 4))
STRIDED = _random.uniform(0.3, 2.5, (8, 3)).T[:, ::2]
MASK = ANY > 0.4
ZERO = LiteralFloat(0.0)
INFINITE = np.array([np.inf, np.nan, -np.inf, 1.0])


def unary(function: Any, domain: np.ndarray) -> list[Case]:
    """Arrays of several layouts, a NumPy scalar and Python floats from the domain."""
    return [
        case(function, domain),
        case(function, domain.T[::2], note="strided"),
        case(function, domain[:0], note="empty"),
        case(function, domain[0, 0]),
        case(function, float(domain[1, 1])),
    ]


def scalar(function: Any, domain: np.ndarray) -> list[Case]:
    return [case(function, float(x)) for x in domain[:2, 1]]


def binary(function: Any, x: np.ndarray, y: np.ndarray) -> list[Case]:
    """Every way to broadcast, and numbers with arrays."""
    return [
        case(function, x, y),
        case(function, x, y[:1], note="row"),
        case(function, x[:, :1], y, note="column"),
        case(function, x[:, :1], y[1], note="outer"),
        case(function, x[0], y, note="vector"),
        case(function, x, float(y[0, 1])),
        case(function, float(x[1, 1]), y),
        case(function, x[0, 0], y[0, 0]),
        case(function, float(x[2, 1]), float(y[2, 1])),
        case(function, x[:0], y[:0], note="empty"),
    ]
