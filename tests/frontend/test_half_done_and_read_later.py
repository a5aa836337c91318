"""Variables that a try body leaves half done, and that not only its handlers read."""

from __future__ import annotations

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "in the else, which may raise too": """
        def program(x, y, k):
            c, h = x * y, y
            try:
                h = h + math.sqrt(y + 0.5)
                t = math.sqrt(x + 1.0)
                c = c * t
                u = math.sqrt(x * y + 1.0)
                h = h * u
            except ValueError:
                h = h * x
            else:
                h = h + c * math.log(c * c)
            return h * x
    """,
    "a list, where a function calls itself": """
        def f(x, n):
            if n <= 0:
                return np.sin(x)
            return x * f(x * 0.5, n - 1)
        def program(x, y, v, k):
            log = list(v)
            try:
                for e in log[:]:
                    log.append(abs(k * log[0]))
            except (ValueError, KeyError):
                pass
            log[-1] = f(x, k) * log[-1]
            return log[-1] * y * sum(log)
    """,
    "a list that only the run tells from others": """
        def program(x, y, v, k):
            some = [v @ v, x]
            try:
                if k > 0:
                    some.clear()
                    if len(some) > 0:
                        del some[0]
                    return x * y
                made = math.sqrt(x * y + 0.2)
                some.append(made)
            except ValueError:
                pass
            del some[1:]
            some.append(x)
            return sum(some) * y
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_programs(text):
    assert_differentiated(text, range(8))
