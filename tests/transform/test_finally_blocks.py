"""Finally blocks between what raises and the handler around: they run whatever was
raised, and may raise something else."""

from __future__ import annotations

import textwrap

import pytest

from s2sad import UnsupportedError, grad
from tests.frontend.whole_programs import IMPORTS
from tests.fuzz.checking import check, check_one

HEADER = """
def checked(value):
    if value > 0.5:
        raise ValueError
    return value * value

def program(x, k):
    y = 0.3 + x
"""
BODIES = {
    "nothing raises": "y = x * 3",
    "a raise": """
        if x > 0:
            raise ValueError
        y = x * x
    """,
    "a call": "y = checked(x)",
    "a function": "y = math.log(x)",
    "a loop": """
        for i in range(3):
            y += checked(y)
    """,
    "another class": """
        if k == 1:
            raise KeyError
        y = checked(x * y)
    """,
}
FINALS = {
    "a product": "x = x * 1.1",
    "a call": "x = x + checked(0.1 * x)",
    "a raise": """
        y = y * x
        if k == 2:
            raise ValueError
        x = x * y
    """,
    "another class": """
        if k == 2:
            raise KeyError
        x = x * y
    """,
    "a loop": """
        for i in range(3):
            x = x * 1.1
            y = y + x
    """,
    "a loop with a call": """
        for i in range(3):
            x = x + checked(0.2 * x)
            y = y + x
    """,
    "a try": """
        try:
            x = x + checked(x)
        except ValueError:
            x = x * 0.5
        y = y + x
    """,
    "a function": "y = math.sqrt(x) * y",
    "a call between": """
        x *= 1.2
        y = y + checked(y)
        x *= y
    """,
    "a while": """
        while x < 2:
            x = x + 0.7 + checked(0.1)
            y = y * 1.1
    """,
}
HANDLERS = {
    "one": """
        except ValueError:
            y = y * 0.7
    """,
    "two": """
        except ValueError:
            x = x + 0.3
        except KeyError:
            x = y * y
    """,
    "else and finally": """
        except (ValueError, KeyError) as error:
            y = y + x
        else:
            y = y * 2
        finally:
            x = x * y
    """,
    "one within another": """
        except KeyError:
            y = y * 1.3
        else:
            x = x + checked(x * y)
            y = y + x
    """,
}


def indented(text: str, levels: int) -> str:
    return textwrap.indent(textwrap.dedent(text).strip(), "    " * levels)


@pytest.mark.sampled(64, of_long=2)
@pytest.mark.parametrize("handlers", HANDLERS)
@pytest.mark.parametrize("final", FINALS)
def test_is_right(final, handlers):
    for number, body in enumerate(BODIES.values()):
        lines = [
            *("        try:", "            try:", indented(body, 4)),
            *("            finally:", indented(FINALS[final], 4)),
            indented(HANDLERS[handlers], 2),
        ]
        outer = ["    try:", *lines, "    except (ValueError, KeyError):"]
        text = "\n".join([*outer, "        y = y + 0.1", "    return x * y"])
        for seed in range(3):
            only = ("vjp", "hvp", "gradient unoptimised", "jvp")[(number + seed) % 4]
            outcome = check_one(IMPORTS + HEADER + text + "\n", seed, only)
            if outcome.verdict == "refused":
                assert handlers == "else and finally" or "class" in final
                continue
            assert outcome.verdict == "differentiated", (outcome.detail, text)


LAST = "what is raised last counts"
PROGRAMS = {
    LAST: """
        def program(x, v, k):
            try:
                try:
                    try:
                        v = v + checked(x)
                    finally:
                        raise ValueError
                except ValueError:
                    pass
            except KeyError:
                v = v * x
            return v
    """,
    "a body that raises nothing": """
        def program(x, v, k):
            try:
                z = x * 0.5
                try:
                    pass
                except ValueError:
                    pass
                else:
                    try:
                        pass
                    finally:
                        z = checked(x)
                finally:
                    try:
                        z = z + checked(z)
                    except (ValueError, ZeroDivisionError):
                        v = v * x
            except (ValueError, KeyError, ZeroDivisionError):
                pass
            return v * x
    """,
    "an else behind a raise for a handler around": """
        def program(x, v, k):
            z = 0.1 * x
            try:
                for i in range(3):
                    try:
                        try:
                            pass
                        finally:
                            if x > 0.1 * i:
                                raise KeyError
                            z = 0.5 * x
                    except ValueError:
                        pass
                    else:
                        z = x * x
            except KeyError:
                pass
            return z * x
    """,
    "a handler that nothing is for": """
        def program(x, v, k):
            log = [0.5 * x]
            try:
                try:
                    if k:
                        raise KeyError
                except ValueError:
                    raise
                finally:
                    log[0] = x * x
            except KeyError:
                pass
            return sum(log)
    """,
    "a second handler of the same class": """
        def program(x, v, k):
            log = [x]
            try:
                try:
                    x = checked(x)
                except KeyError:
                    x = x * 0.5
                except KeyError:
                    raise
                finally:
                    log[0] = x * x
            except ValueError:
                pass
            return sum(log)
    """,
    "a break in the body, and one in the handler": """
        def program(x, v, k):
            y = x
            for i in range(4):
                try:
                    if any(e > 0.3 * i for e in v):
                        break
                    w = np.array([0.5 for _ in range(k)])
                except ValueError:
                    break
                else:
                    y = 0.5 * v[0] + x * i
            return y
    """,
    "of another class than the one around is for": """
        def program(x, v, k):
            y = 0.5 * x
            try:
                try:
                    z = x
                finally:
                    try:
                        z = z + checked(z)
                    except ArithmeticError:
                        pass
                    else:
                        v = v * y
            except KeyError:
                pass
            return z + v
    """,
}
RAISES_KEY_ERROR = """
def checked(value):
    if value > -0.2:
        raise KeyError
    return value * value
"""


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_attempts_in_attempts(name):
    text = IMPORTS + RAISES_KEY_ERROR + textwrap.dedent(PROGRAMS[name])
    for seed in range(3):
        outcome = check(text, seed)
        expected = ("differentiated", "refused") if name == LAST else "differentiated"
        assert outcome.verdict in expected, (outcome.detail, outcome.text)


def test_what_a_generator_raises_when_it_is_closed_is_refused():
    """Python ignores it."""

    def first(x):
        def numbers():
            try:
                yield x
            finally:
                if x > 0.5:
                    raise ValueError

        try:
            y = next(numbers()) * x
        except ValueError:
            y = x * x * x
        return y

    with pytest.raises(UnsupportedError, match="the finally block of a generator may"):
        grad(first)(0.7)


MANAGED = """
import contextlib

def program(x, k):
    @contextlib.contextmanager
    def manager():
        try:
            yield x
        finally:
            if x > 0.1:
                raise ValueError
    y = x
    try:
        with manager() as w:
            y = w * x
    except ValueError:
        y = y + x**3
    return y
"""


def test_what_a_manager_raises_at_its_end_is_right():
    for seed in range(3):
        outcome = check(IMPORTS + MANAGED, seed)
        assert outcome.verdict == "differentiated", (outcome.detail, outcome.text)
