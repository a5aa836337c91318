"""Lists that the body of a try makes longer, and its finally block."""

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "appended to": """
def program(x, y):
    log = []
    try:
        z = math.exp(x)
        log.append(z)
    finally:
        log.append(x * y)
    return log[0] * log[1] * 2.0
""",
    "in a loop": """
def program(x, y, k):
    log = [y]
    for i in range(k + 1):
        try:
            z = math.log(x + i)
            log.append(z)
        except ValueError:
            pass
        finally:
            log.append(x * y)
    return sum(a * b for a, b in zip(log, log[1:]))
""",
    "left alone": """
def program(x, y):
    log = []
    try:
        z = math.exp(x)
        log.append(z)
    finally:
        y = y * 2.0
    a, = log
    return a * y
""",
    "behind a return": """
def f(x, log):
    try:
        log.append(x)
        return math.exp(x)
    finally:
        log.append(x * x)
def program(x, y):
    log = []
    a = f(x, log)
    return a * log[1] + f(y, log) * log[2]
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_list_beside_a_finally_block(name):
    assert_differentiated(PROGRAMS[name])
