"""Jumps: break, continue, early return, the else of loops, loops without end."""

from __future__ import annotations

import pytest

from s2sad import grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a loop of unknown length that an assertion alone reads": """
        def bounded(x):
            while 0.5:
                return np.clip(x, -0.9, 1.05)

        def program(x, y):
            assert bounded(y) < 10.0, f"{bounded(y)}"
            z = y
            while z < 1.0:
                z = z + 0.4
            assert z < 10.0
            return x * y
    """,
    "convergence": """
        def program(x):
            y = x * x + 1.0
            for _ in range(30):
                step = (y * y - 2.0 - x * x) / (2.0 * y)
                y = y - step
                if abs(step) < 1e-3:
                    break
            return y
    """,
    "break before the work": """
        def program(x, y, k):
            for i in range(k + 4):
                if x * x > 3.0:
                    break
                x = 1.3 * x + 0.2 * i * y
            return x * y
    """,
    "work before and behind the break": """
        def program(x, y, k):
            total = 0.0
            for i in range(1, 9, 2):
                x = math.sin(x) + y * i
                if x > 1.5:
                    total = total + x * i
                    break
                x = x * x
                total += i * x
            return total * x
    """,
    "break in a nested branch": """
        def program(x, y, k):
            for i in range(6):
                if y > 0.0:
                    x = x + 0.3
                    if x > 1.2:
                        break
                    x = x * 1.1
                y = y + 0.2 * x
            return x * y
    """,
    "continue": """
        def program(x, v, k):
            total = x
            for i in range(3):
                if v[i] < 0.0:
                    continue
                if i == k:
                    total = total * v[i]
                    continue
                total = total + v[i] ** 2 * x
            return total
    """,
    "continue in a nested branch": """
        def program(x, y, k):
            for i in range(5):
                if i % 2:
                    y = y * x
                    if y > 0.4:
                        continue
                    y = y + 0.1
                x = x + 0.2 * y
            return x * y
    """,
    "return from a loop": """
        def program(x, v):
            total = 0.0
            for i in range(3):
                total = total + v[i] * v[i] * x
                if total > 0.8:
                    return total * v[0]
            return -total
    """,
    "return from nested loops": """
        def program(x, y, k):
            t = x
            for i in range(k + 3):
                for j in range(i + 1):
                    if t > 2.0:
                        return t * x
                    if j == 2:
                        break
                    t = t * x + 0.1 * j + y * y
                else:
                    t = t * 1.3
                    continue
                t = t * 0.3 + y
            return t + x
    """,
    "a return ends loops with nothing behind": """
        def program(x, y, v, k):
            for a in v:
                for i in range(k + 1):
                    while True:
                        if x + i > 0.3:
                            return x * a * y
                        x = x + 0.4
                        break
            return x
    """,
    "a return that ends two loops at once": """
        def program(x, v):
            for i in range(3):
                for j in range(i + 1, 3):
                    return x * v[i] * v[j]
            return x
    """,
    "returns everywhere": """
        def program(x, y, k):
            if x > 1.0:
                if y > 0.0:
                    return x * y
                x = x + y
            elif k > 1:
                return x * x
            for i in range(k):
                if y > x:
                    return y * y * x
                y = y + 0.5
            else:
                y = y * x
            return x * y
    """,
    "a guard that returns again": """
        def program(x, v):
            if x > 0.5:
                return x * x
            if v[0] > -9.0:
                return 0.5
            for e in v:
                return 0.5 * e
            return x
    """,
    "else of for": """
        def program(x, y, k):
            for i in range(k):
                if x > 0.5:
                    x = x * 0.8
                    break
                x = x + 0.2 * y
            else:
                x = x * 3.0
            return x * y
    """,
    "else without break": """
        def program(x, y, k):
            for i in range(k):
                x = x * y
            else:
                x = x + y
            while k > 0:
                k -= 1
            else:
                x = x * 2.0
            return x
    """,
    "else that jumps": """
        def program(x, y, k):
            for i in range(3):
                for j in range(k):
                    if x * j > 1.0:
                        break
                    x = x + 0.1
                else:
                    y = y + x
                    continue
                x = x * 0.5 + y
            return x * y
    """,
    "while True": """
        def program(x, y):
            n = 0
            while True:
                x = x * 1.3
                n += 1
                if n > 4 and x > 2.0:
                    break
                if n == 7:
                    return x * y
                x = np.sin(x) + y
            return x
    """,
    "else of while": """
        def program(x, y, k):
            n = 0
            while n < k + 2:
                n += 1
                if x > 1.0:
                    x = x * y
                    break
                x = x + 0.3
            else:
                x = -x
            return x * y
    """,
    "assignment in the test": """
        def program(x, y):
            n = 0
            while (gap := x * x - 2.0) > 0.1:
                x = x - 0.3 * gap / (1.0 + x)
                n += 1
                if n > 3:
                    break
            else:
                x = x * y
            return x * gap
    """,
    "over a tuple": """
        def program(x, y):
            for a in (x, y, x * y):
                if a > 0.9:
                    break
                x = x * a
            else:
                x = -x
            return x * y
    """,
    "over rows": """
        def program(x, m):
            total = x
            for row in m:
                if row[0] > 0.3:
                    continue
                total = total + np.sum(row * total)
                if total > 1.0:
                    return total
            return total * x
    """,
    "arrays in jumps": """
        def program(x, v, k):
            w = v * x
            for i in range(k + 2):
                if np.sum(w) > 1.0:
                    w = w * 0.5
                    break
                w = w + 0.3 * np.sin(v) * i
            return np.sum(w * w)
    """,
    "bound in one branch, in a loop that may not run": """
        def program(x, v, k):
            if k > 0:
                w = v * x
            total = x
            for i in range(k):
                total = total + np.sum(w)
                w = w * x
                last = w[i % 3]
            if k > 0:
                total = total * last + i
            return total
    """,
    "values without adjoint, overwritten under control flow": """
        def program(x, y, k):
            h, g, n = 0.3, 1.0, 0
            for i in range(k + 3):
                x = x + h * y * g
                if i > 1:
                    h = h * 0.5
                else:
                    for j in range(i):
                        g = g * 1.1
                while n < i:
                    n += 1
                    h = h + 0.1
                y = y * h
            return x * y
    """,
    "helper with jumps, called twice in a loop with jumps": """
        def clipped(z, n):
            for i in range(n):
                if z > 1.0:
                    return z * 0.5
                if i == 2:
                    break
                z = z * 1.4
            return z

        def program(x, y, k):
            total = 0.0
            for i in range(k + 1):
                total = total + clipped(x, i + 1) * clipped(y, k)
                if total > 2.0:
                    break
                x = x + 0.1
            return total
    """,
    "a loop that returns or raises, tried": """
    def solve(x):
        tries = 0
        try:
            while tries < 40:
                new = 0.5 * (x + 2.0 / x)
                if abs(new - x) < 1e-3:
                    return new * x
                x = new
                tries += 1
            else:
                raise RuntimeError("not found")
        finally:
            tries = 0

    def program(v):
        roots = [solve(x * x + 1.0) for x in v if x > -1.0]
        return sum(root * root for root in roots)
    """,
    "an item of a sum of arrays": """
    def program(v, k):
        total = sum(v * v * i for i in range(k + 1))
        y = 0.0
        for i in range(3):
            y += total[i] * v[i]
            y += y * total[i] if total[i] > 0.5 else 0.25
        return y + np.sum(total[1:])
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_a_jump_is_differentiated(text):
    assert_differentiated(text, range(12))


def test_a_loop_left_early_is_counted():
    def decay(x, n):
        for _ in range(n):
            if x < 0.5:
                break
            x = x * x
        return x

    text = grad(decay).source_for(0.9, 9)
    assert "left_loop" not in text, text
    assert "iterations += 1" in text


def test_a_loop_without_end_is_refused():
    def spin(x):
        while True:
            x = x * 1.1
        return x

    with pytest.raises(UnsupportedError, match="never ends"):
        grad(spin)(1.0)


@pytest.mark.parametrize("jump", ["break", "return x * i", "break  # if v"])
def test_a_loop_of_which_only_the_last_number_counts(jump):
    test = "if v[i - 1] > 0.0: " if "v" in jump else ""
    assert_differentiated(
        f"""
        def program(x, v):
            for i in range(3, 0, -1):
                {test}{jump}
            return x * i
        """,
        range(3),
    )


READ_BEFORE = {
    "an earlier iteration's value": """
        def program(v, x):
            s = 0.0
            for i in range(len(v)):
                if i > 0:
                    s += last * x
                last = v[i] ** 2 * x
            return s
    """,
    "of the loop's own names": """
        def program(v, x):
            s = 0.0
            for i, a in enumerate(v):
                if i > 0:
                    d = a - last
                    s += d * d * x
                last = a
            return s + last
    """,
    "of a while loop": """
        def program(x, k):
            n = 0
            while n < k + 2:
                if n:
                    p, q = q + x, p * x
                else:
                    p, q = x, x * x
                if n > 1:
                    x = x + math.sin(r) * q
                r = p * x
                n += 1
            return x * p
    """,
    "a pair, two loops deep": """
        def program(v, x):
            s = 0.0
            for j in range(2):
                for i in range(len(v)):
                    if i + j > 0:
                        s += last[0] * last[1]
                    last = v[i] * x, i + 0.5 * x
            return s
    """,
    "read by an inner loop": """
        def program(v, x):
            s = 0.0
            first = True
            for a in v:
                if first:
                    first = False
                else:
                    for j in range(2):
                        s += last[j] * x
                last = np.array([a, a * x])
            return s
    """,
}
"""A name is bound at the end of an iteration, and read at the start of the next."""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", READ_BEFORE.values(), ids=READ_BEFORE)
def test_a_name_may_be_read_before_its_first_assignment_in_a_loop(text):
    assert_differentiated(text, range(6))


def test_a_name_that_is_never_assigned_before_it_is_read_is_refused():
    def early(x):
        total = 0.0
        for _ in range(3):
            total += later * x  # noqa: F821
            later = 2.0
        return total

    with pytest.raises(UnsupportedError, match="read before") as caught:
        grad(early)(1.0)
    assert len(caught.value.problems) == 1


def test_a_handler_of_unbound_names_is_refused():
    def caught_unbound(x):
        total = 0.0
        for _ in range(3):
            try:
                total += later * x  # noqa: F821
            except NameError:
                total += x
            later = 2.0
        return total

    with pytest.raises(UnsupportedError, match="read before"):
        grad(caught_unbound)(1.0)
