"""try and with: the path that ran is differentiated."""

from __future__ import annotations

import contextlib
import math
import textwrap

import numpy as np
import pytest

from s2sad import grad, jvp, value_and_grad
from s2sad.errors import UnsupportedError
from tests.frontend.whole_programs import IMPORTS, assert_differentiated
from tests.fuzz.checking import check

PROGRAMS = {
    "a handler gives another value": """
        def program(x, y):
            try:
                if x * y < 0.1:
                    raise ValueError("too small")
                z = x * y * y
            except ValueError:
                z = 0.5 * x
            return z * y
    """,
    "in a loop, with else and finally": """
        def program(x, y, k):
            total = y
            for i in range(k + 3):
                try:
                    if x - 0.5 * i < 0.0:
                        raise ValueError(f"{i}")
                    t = (x - 0.5 * i) ** 2
                    total = total + t * x
                except ValueError as error:
                    total = total * 1.5
                else:
                    total = total * 1.1
                finally:
                    total = total + x
            return total
    """,
    "values kept before an exception are forgotten": """
        def program(x, y, k):
            total = 0.0
            for i in range(3):
                try:
                    part = x
                    for j in range(4):
                        part = part * y + j
                        if part > 2.0 + i:
                            raise ValueError
                    total = total + part
                except ValueError:
                    total = total + 0.3 * x * total + y
            return total
    """,
    "jumps out of a try": """
        def program(x, y, k):
            for i in range(4):
                try:
                    if x > 1.0:
                        break
                    if y < 0.0:
                        y = y + 1.0
                        continue
                    if i == k + 1:
                        return x * y
                    if x * y > 0.5:
                        raise ZeroDivisionError
                    x = x + 0.4 * y
                except ZeroDivisionError:
                    x = x * 1.2
                finally:
                    y = y * 1.1
            return x * x * y
    """,
    "return from a loop inside": """
        def program(x, v, k):
            try:
                for i in range(k + 1):
                    if x * i > 0.3:
                        return x * v[i % 3]
                    if x * i < -0.5:
                        raise ValueError
            except ValueError:
                x = x * x
            return x
    """,
    "nothing to reverse in a loop": """
        def program(x, y, v, k):
            w = y * v
            for i in range(k):
                try:
                    unused = sum(w)
                except ValueError:
                    pass
            n = 0
            while n < k:
                n += 1
                try:
                    unused = sum(w)
                except ValueError:
                    pass
            return w * x
    """,
    "several handlers": """
        def check(x):
            if x > 1.0:
                raise OverflowError("large")
            if x < 0.0:
                raise ValueError("negative")
            return math.sqrt(x + 0.1)

        def program(x, y):
            try:
                z = check(x * y) * y
            except (OverflowError, KeyError):
                z = y * y
            except ValueError:
                z = x - y
            return z * x
    """,
    "a handler that raises": """
        def program(x, y):
            try:
                if x > 1e6:
                    raise ValueError
                z = x * y
            except ValueError as error:
                raise RuntimeError("no") from error
            return z * z
    """,
    "managers": """
        import contextlib

        def program(x, v):
            with np.errstate(divide="ignore", invalid="ignore"):
                w = v * v / (1.0 + x * x)
            with contextlib.nullcontext(x * 2.0) as z, np.errstate(all="ignore"):
                z = z * np.sum(w)
            with contextlib.suppress(ValueError):
                if z > 0.5:
                    raise ValueError
                z = z * x
            return z * x
    """,
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_the_path_that_ran_is_differentiated(text):
    assert_differentiated(text, range(12))


def root(x):
    try:
        y = math.sqrt(x)
    except ValueError:
        y = 0.0
    return y * x


def test_what_raises_is_kept_though_nothing_reads_it():
    def guarded(x):
        try:
            math.log(x)
            y = x * x
        except ValueError:
            y = -3.0 * x
        return y

    assert grad(guarded)(2.0) == 4.0
    assert grad(guarded)(-2.0) == -3.0
    assert value_and_grad(root)(-4.0) == (0.0, 0.0)
    assert value_and_grad(root)(4.0) == (8.0, 3.0)


def test_a_tangent_changes_only_where_the_value_does():
    def logarithm(x):
        with contextlib.suppress(ValueError):
            x = math.log(x)
        return x * x

    assert jvp(logarithm, (-1.5,), (1.0,)) == (2.25, -3.0)


def test_a_singular_matrix_is_caught():
    def log_determinant(a):
        try:
            factor = np.linalg.cholesky(a)
        except np.linalg.LinAlgError:
            return -1e10
        return 2.0 * np.sum(np.log(np.diag(factor)))

    a = np.array([[2.0, 0.3], [0.3, 1.0]])
    inverse = np.linalg.inv(a)
    of_lower_triangle = np.tril(inverse) + np.tril(inverse, -1)
    np.testing.assert_allclose(grad(log_determinant)(a), of_lower_triangle)
    np.testing.assert_array_equal(grad(log_determinant)(-a), np.zeros((2, 2)))


@contextlib.contextmanager
def swallowing():
    try:
        yield
    except ValueError:
        pass


class Swallowing:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return True


def test_a_manager_that_swallows_an_exception_is_noticed():
    def swallowed(x):
        with Swallowing():
            if x < 0.0:
                raise ValueError
            x = x * x
        return x

    assert grad(swallowed)(3.0) == 6.0
    with pytest.raises(RuntimeError, match="swallowed"):
        grad(swallowed)(-3.0)


HALF_DONE = {
    "by a function inside": """
        def push(t):
            nonlocal total
            if t > 0.0:
                total = total * math.exp(t)
                return total
            return t
        try:
            z = push(x)
            if z * total > 0.0:
                raise ValueError
        except ValueError:
            z = 0.0
    """,
    "before a break": """
        try:
            for i in range(3):
                if x + i > 0.5:
                    total = total * math.exp(x)
                    break
            if total > 0.1:
                raise ValueError
        except ValueError:
            z = x
    """,
    "before a continue": """
        try:
            for i in range(3):
                if x + i > 0.5 * i:
                    total = total * math.exp(x)
                    continue
                if total > 0.1:
                    raise ValueError
        except ValueError:
            z = x
    """,
}


@pytest.mark.parametrize("text", HALF_DONE.values(), ids=HALF_DONE)
def test_what_is_half_done_behind_jumps(text):
    head = "def program(x, y):\n    total, z = y, 1.0\n"
    body = textwrap.indent(textwrap.dedent(text), "    ")
    assert_differentiated(f"{head}{body}    return total * x * z\n", range(8))


def test_a_finally_that_returns_is_refused():
    def hiding(x):
        try:
            y = math.log(x)
        finally:
            return x  # noqa: B012
        return y

    with pytest.raises(UnsupportedError, match="finally") as caught:
        grad(hiding)(1.0)
    assert len(caught.value.problems) == 1


GOES_ON = {
    "a helper with a nonlocal, and a finally": """
        def counted(x):
            y = x
            def grow(t):
                nonlocal y
                y = y * t
                return y
            return grow(x) + y
        def program(x, v):
            try:
                z = counted(x) * math.sqrt(x)
            except ValueError:
                z = x * v[0]
            finally:
                on = False
            return z
    """,
    "both results in the try": """
        def pair(x, v):
            try:
                return math.exp(x), math.sqrt(x)
            except ValueError:
                y = x * x
            z = y * 2.0
            return z, y * v[0]
        def program(x, v):
            a, b = pair(x, v)
            return a * b + pair(-x, v)[1]
    """,
    "a handler that returns": """
        def program(x, v):
            try:
                y = math.sqrt(x)
                w = y * math.sqrt(x - 0.5)
            except ValueError:
                return x * v[0]
            z = w * y
            return z * 2.0
    """,
    "a handler that continues": """
        def program(x, v):
            s = 0.0
            for a in v:
                try:
                    y = math.sqrt(x)
                    w = y * math.sqrt(a)
                except ValueError:
                    continue
                else:
                    s += w
                    if s > 1.0:
                        break
                s += y * w
            return s
    """,
    "a jump in the try": """
        def program(x, v):
            s = 0.0
            for a in v:
                try:
                    if a > 0.5:
                        break
                    y = math.sqrt(x)
                    w = y * math.sqrt(a)
                except ValueError:
                    s += a * x
                except ZeroDivisionError:
                    continue
                else:
                    s += w
                s += x * a
            return s
    """,
    "a loop until the try succeeds": """
        def program(x, v):
            for a in v:
                try:
                    y = math.sqrt(a) * x
                    w = y * math.sqrt(a - 0.3)
                    break
                except ValueError:
                    x = x * a
                x = x + 1.0
            else:
                return x
            return w * y
    """,
    "a return in a loop": """
        def program(x, v):
            while True:
                try:
                    return math.sqrt(x) * v[0], math.log(x - 0.2)
                except ValueError:
                    x = x * x
                    x += 1.0
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", GOES_ON.values(), ids=GOES_ON)
def test_what_a_handler_does_not_need_may_be_half_done(text):
    assert_differentiated(text, range(6))


AROUND_JUMPS = """
import contextlib

@contextlib.contextmanager
def checked(x):
    yield
    if x > 0.0:
        raise ValueError
"""
UNDONE = {
    "a return inside a manager": """
        def program(x, v):
            try:
                with checked(x):
                    return x * v[0]
            except ValueError:
                y = x * x
            return y * v[1]
    """,
    "a break past a finally": """
        def program(x, v):
            s = 0.0
            for a in v:
                try:
                    try:
                        if a > 0:
                            break
                        s += a
                    finally:
                        z = math.sqrt(a + 0.5 * x)
                except ValueError:
                    s += x * a
                s += x
            else:
                s = s * 2.0
            return s * x
    """,
    "a return past a finally": """
        def program(x, v):
            try:
                try:
                    if v[0] > 0.0:
                        return x * x
                finally:
                    z = math.sqrt(x)
            except ValueError:
                x = x * v[0]
            return x * 3.0
    """,
    "a continue inside a manager": """
        def program(x, v):
            for a in v:
                try:
                    with checked(a):
                        continue
                except ValueError:
                    x = x * a
                x = x * 2.0
            return x
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", UNDONE.values(), ids=UNDONE)
def test_a_jump_is_undone_where_something_raises_behind_it(text):
    """The exit of a manager and a finally block run behind the jump."""
    for seed in range(8):
        outcome = check(f"{IMPORTS}{AROUND_JUMPS}{textwrap.dedent(text)}", seed)
        assert outcome.verdict == "differentiated", outcome


RETURNS_AND_FINALLY = """
    def program(x, v):
        try:
            if x > 0.1:
                a = x * x
                return a ** 2.0, sum((e * v for e in v), start=v)
            y = math.sqrt(x + 2.0)
            x = y
        except ValueError:
            u = x
        finally:
            x = x * 2.0
        return x, v * x
"""


def test_the_result_is_not_half_done_where_the_return_was_not_reached():
    assert_differentiated(RETURNS_AND_FINALLY, range(6))


BEHIND_FINALLY = {
    "a count in finally": """
        def program(x, v):
            n = 1
            try:
                try:
                    u = math.sqrt(x)
                finally:
                    n = n + 1
            except ValueError:
                return x * v[0] * n
            return x * u * n
    """,
    "finally reads what the body overwrites": """
        def program(x, v):
            w = 2.0
            try:
                try:
                    w = math.sqrt(v[0])
                    w = w + math.sqrt(v[1])
                finally:
                    r = w * 2.0
            except ValueError:
                return x * x
            return x * r * w
    """,
    "finally reads, nothing caught": """
        def inner(x, v):
            w = x
            try:
                w = w * math.sqrt(v[0])
                w = w + math.sqrt(v[1])
            finally:
                n = 3 if w > 0 else 2
            return w * n
        def program(x, v):
            try:
                return inner(x, v)
            except ValueError:
                return x * 2.0
    """,
    "exit of manager raising after write": """
        class M:
            def __enter__(self): return self
            def __exit__(self, *a):
                if self.bad: raise ValueError
                return False
        def program(x, v):
            n = 0
            for a in v:
                try:
                    try:
                        n = n + 1
                        q = math.sqrt(a)
                    finally:
                        n = n * 2
                        q = 1.0
                except ValueError:
                    n = n + 5
                x = x + n * a
            return x * x
    """,
    "loop with finally counter and continue": """
        def program(x, v):
            k = 0
            for a in v:
                try:
                    try:
                        if a > 0.5:
                            continue
                        x = x * math.exp(a)
                    finally:
                        k += 1
                except ValueError:
                    pass
                x = x + k
            return x * k
    """,
    "finally flag decides": """
        def program(x, v):
            ok = True
            s = x
            for a in v:
                try:
                    try:
                        s2 = s * math.sqrt(a)
                    finally:
                        ok = not ok
                except ValueError:
                    if ok:
                        s2 = s * 3.0
                    else:
                        s2 = s + 1.0
                s = s2 + x
            return s
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", BEHIND_FINALLY.values(), ids=BEHIND_FINALLY)
def test_a_finally_block_runs_on_the_way_to_a_handler(text):
    assert_differentiated(text, range(8))


ASSIGNED_IN_FINALLY = """
    def program(x, v):
        try:
            try:
                u = math.sqrt(x)
            finally:
                x = x * 1.1
        except ValueError:
            return x * v[0]
        return x * u
"""


def test_what_a_finally_block_assigns_is_half_done():
    assert_differentiated(ASSIGNED_IN_FINALLY, range(8))


ALWAYS_RAISES = """
    def program(x, v):
        try:
            total = [s for s in v if any(e > 0 for e in itertools.accumulate(v))]
            raise ValueError
        except ValueError:
            pass
        return x * v[0]
"""


def test_a_body_that_always_raises_leaves_its_stacks_as_they_were():
    assert_differentiated("    import itertools\n" + ALWAYS_RAISES, range(2))


MET_BEFORE_A_FINALLY = """
    def program(x, v):
        groups = [[x, 2 * x], v[0]]
        for i, _ in enumerate(groups):
            groups[0][i] += 0.5
            try:
                y = groups[0].pop() if x > 0.0 else x
            except ValueError as error:
                rows = [x]
                y = 1.0
            finally:
                groups[1] *= 0.5
        return groups[1] * sum(groups[0]) + y
"""


def test_a_finally_block_behind_paths_that_meet():
    text = IMPORTS + textwrap.dedent(MET_BEFORE_A_FINALLY)
    for seed in range(4):
        assert check(text, seed).verdict in ("differentiated", "refused", "left out")


FILLED_IN_A_TRY = """
    def program(x, v):
        store = {"q": [], "n": x}
        try:
            store["q"].append(x)
        except ValueError:
            pass
        else:
            store.update(n=x * x, q=[x, v[0]])
        finally:
            w = x * 2.0
        return store["n"] * sum(store["q"]) * w
"""


def test_a_dict_that_a_try_fills_before_a_finally():
    text = IMPORTS + textwrap.dedent(FILLED_IN_A_TRY)
    assert check(text, 0).verdict in ("differentiated", "refused")
