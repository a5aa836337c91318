"""What a yield gives, and what a generator returns."""

import numpy as np
import pytest

import s2sad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

INNER = """
        def inner(v, x):
            for a in v:
                if a > 0.5:
                    return x * a
                yield a * x
            return x
"""


def test_a_generator_goes_no_further_than_its_consumer_where_it_binds_a_yield():
    assert_differentiated("""
        def powers(x):
            got = yield x
            if got is None:
                x = x * 3
            got = yield x * 2
            yield x * x

        def program(x, y):
            total = 0.0
            for a in powers(x):
                total += a * y
                if total > 0.1:
                    break
            return total
    """)


def test_what_stands_behind_a_bound_yield_is_not_run_after_a_break():
    assert_differentiated("""
        def steps(x, log):
            while True:
                got = yield x
                log.append(x if got is None else got)
                x = x * 0.5

        def program(x, y):
            log = [y]
            total = 0.0
            for a in steps(x, log):
                total += a * y
                if abs(a) < 0.2:
                    break
            return total * sum(log) + len(log)
    """)


def test_yield_from_gives_what_the_generator_returns():
    assert_differentiated(
        INNER
        + """
        def outer(v, x):
            yield x
            r = yield from inner(v, x)
            yield r * r

        def program(v, x):
            return sum(a * i for i, a in enumerate(outer(v, x)))
    """
    )


def test_a_consumer_leaves_while_a_generator_is_delegated_to():
    assert_differentiated(
        INNER
        + """
        def outer(v, x):
            yield x
            r = yield from inner(v, x)
            yield r * r

        def program(v, x):
            total = 0.0
            for a in outer(v, x):
                total += a
                if total > 0.5:
                    break
            return total
    """,
        range(8),
    )


def test_generators_return_what_others_return():
    assert_differentiated(
        INNER
        + """
        def outer(v, x):
            return (yield from inner(v, x))

        def top(v, x):
            r = yield from outer(v, x)
            q = yield from [r, x]
            yield 1.0 if q is None else 2.0

        def program(v, x):
            return sum(top(v, x))
    """
    )


def inside_an_expression(x):
    def doubled(a):
        yield a * ((yield a) or 2.0)

    return sum(doubled(x))


def test_a_yield_inside_of_an_expression_is_refused():
    with pytest.raises(UnsupportedError, match="inside of a larger expression"):
        s2sad.grad(inside_an_expression)(np.float64(2.0))
