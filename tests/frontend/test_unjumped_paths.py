"""Names that are something else where a path has jumped."""

from __future__ import annotations

import pytest

from tests.frontend.whole_programs import IMPORTS, assert_differentiated
from tests.fuzz.checking import check

PROGRAMS = {
    "a case that returns": """
        def program(x, y, v):
            match (2, x, v[0] * v[1]):
                case [1, a, b] | [2, b, a] if a > 0.0:
                    return b * a
                case [n, *b]:
                    b[1] = b[1] * n
            b.append(y)
            return sum(b) * b[0]
    """,
    "a case that goes on": """
        def program(x, y):
            match (2, x, y):
                case [1, a, b] | [2, b, a] if a > 0.1:
                    data = [a * b, b]
                case [n, *b]:
                    return b[0] * n
            data.append(b)
            return sum(data) * data[0] * b
    """,
    "a handler that returns": """
        def program(x, y):
            state = [x, y]
            try:
                z = math.log(x)
                state = z * y
            except ValueError:
                if y > 0:
                    return sum(state)
                else:
                    state = x * x
            state = state * 2.0
            return state * state
    """,
    "an attribute": """
        class State:
            def __init__(self, h):
                self.h = h
        def program(x, y):
            one = State(x)
            match (1, x, y):
                case [1, a, b] if a > 0.0:
                    one.h = [a, b]
                    return one.h[0] * sum(one.h)
                case [1, b, *a]:
                    one.h = b * a[0]
            one.h *= x
            return one.h * one.h
    """,
    "two returns": """
        def program(x, y):
            match (1, x, y):
                case [1, a, b] if a > 0.5:
                    return b * a
                case [1, *b] if y > 0.0:
                    return b[0]
                case b:
                    pass
            return b[1] * b[2] * len(b) * x
    """,
    "a return out of a function, twice": """
        def f(x, y):
            match (x, y):
                case [a, b] if a > 0.0:
                    return a * b
                case b:
                    pass
            return b[0] * b[1] * 3.0
        def program(x, y):
            return f(x, y) * f(y, f(y, x))
    """,
    "in a loop": """
        def program(x, y, v):
            t = x
            for e in v:
                match (e, y):
                    case [a, b] if a > 0.0:
                        t = t * a
                        continue
                    case b:
                        t = t + y
                t = t + b[0] * b[1]
            return t * t
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_where_no_path_jumped(name):
    assert_differentiated(PROGRAMS[name], range(8))


IN_A_FINALLY = """
def program(x, y):
    b = y
    try:
        match (x, y):
            case [a, b] if a > 0.0:
                return a * b
            case b:
                b = b[0] * b[1], 1.0
    finally:
        if isinstance(b, tuple):
            x = x * b[0]
    return b[0] * x
"""
LEFT_BY_AN_EARLIER_ITERATION = """
def program(x, y, v):
    t, b = x, x
    for e in v:
        if t > 0.0 and isinstance(b, tuple):
            t = t + b[0]
        match (e, y):
            case [a, b] if a > 0.0:
                continue
            case b:
                t = t + b[1]
    return t * t
"""


@pytest.mark.parametrize("text", [IN_A_FINALLY, LEFT_BY_AN_EARLIER_ITERATION])
def test_what_is_read_behind_a_jump_is_not_guessed(text):
    for seed in range(6):
        outcome = check(IMPORTS + text, seed)
        assert outcome.verdict in ("refused", "differentiated", "left out"), outcome
