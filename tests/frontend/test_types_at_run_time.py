"""Types of numbers that are an int or bool on one path and a float on another."""

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "an int or a float": """
def program(x, y):
    n = 1 if x > 0 else y
    return x * (2.0 if isinstance(n, int) else 3.0)
""",
    "an int before a loop": """
def program(x, y, k):
    n = 1
    for i in range(k):
        n = n * y
    return x * (2.0 if isinstance(n, int) else 3.0)
""",
    "its type": """
def program(x, y):
    n = 1 if x > 0 else y
    return x * (2.0 if type(n) is int else 3.0)
""",
    "is True": """
def program(x, y):
    b = not x < y or y
    return x * (2.0 if b is True else 3.0)
""",
    "a pattern": """
def program(x, y):
    n = 1 if x > 0 else y
    match n:
        case int(): return x
        case float(): return x * 3.0
""",
    "a number of NumPy's": """
def program(x, v):
    n = x if x > 0 else v[0]
    return x * (2.0 if isinstance(n, np.floating) else 3.0)
""",
    "an array": """
def program(x, v):
    n = x if x > 0 else v
    return x * (2.0 if isinstance(n, np.ndarray) else 3.0)
""",
    "is False": """
def program(x, y):
    b = x < y and y
    return x * (2.0 if b is False else 3.0) * (1.0 if b is None else 2.0)
""",
    "a bool": """
def program(x, y):
    b = x < y and y
    return x * (2.0 if isinstance(b, bool) else 3.0)
""",
    "operands of or": """
def program(x, y, z):
    a = (x > 0) + (y > 0) * 2
    b = not x < y or z
    t = [x, y, z, x * y][a]
    return t * (b if b is not True else 2.0)
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_run_answers(name):
    assert_differentiated(PROGRAMS[name], range(4))
