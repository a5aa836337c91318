"""Lists, dicts and objects that a branch binds on some of its paths: the others jump,
or read another value. Or a loop or a try behind it binds them anew, or lets their
length change."""

import operator

import pytest

from s2sad.frontend.specialise.control.phi_copies import with_phi_copies_placed
from s2sad.ir.kinds import FLOAT
from s2sad.ir.nodes import Apply, Assign, Const, Function, If, Var
from s2sad.ir.text import function_text
from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a list that another name says is there": """
        def checked(value):
            if value > 0.1:
                raise ValueError("too large")
            return 0.5 * value

        def program(x, v):
            groups = [[e * f for f in v] for e in [g * x for g in v]]
            kept = groups
            try:
                y = checked(x)
            except ValueError:
                groups = [groups[1]]
                y = 0.3
            groups[len(groups) // 2] = groups[0]
            return groups[-1][1] * y + sum(kept[1])
    """,
    "a list, or a return": """
        def program(x, y):
            if x < 0:
                if y > 0.1:
                    one = [y * x, y]
                else:
                    return y * x
            else:
                one = [x]
                one[-1] *= x
            one.append(x)
            return sum(one) * one[0]
    """,
    "an object, or a return": """
        class State:
            def __init__(self, h):
                self.h = h
        def program(x, y):
            if x < 0:
                if y > 0.1:
                    one = State(y * x)
                else:
                    return y
            else:
                one = State(x)
                one.h *= x
            return one.h * one.h * x
    """,
    "an object in handlers, or a return": """
        class State:
            def __init__(self, h):
                self.h = h
        def program(x, y):
            try:
                z = math.log(x)
            except ValueError:
                try:
                    y = math.log(y)
                except ValueError:
                    one = State(y * x)
                else:
                    return y
            else:
                one = State(z)
                one.h *= x
            return one.h * one.h * x
    """,
    "in the body of a try, or a return": """
        def program(x, y, k):
            if k > 0:
                try:
                    if y > 0.0:
                        one = [math.log(x), y]
                    else:
                        return x * y
                except ValueError:
                    one = [y * y]
            else:
                one = {0: x, 1: y}
                one = [one[0] * x]
            one.append(x)
            return sum(one) * one[0]
    """,
    "a dict, with more behind it": """
        def program(x, y, k):
            z = x
            if x < 0.5:
                if y > 0.1:
                    one = {"a": y * x, "b": y}
                elif k > 1:
                    return y * x
                else:
                    return x
                z = z * y
            else:
                one = {"b": x}
                one["b"] *= x
            one["c"] = z
            return sum(one.values()) * one["b"]
    """,
    "left out by a continue or a break": """
        class State:
            def __init__(self, h):
                self.h = h
        def program(x, y, v):
            t = 0.0
            for e in v:
                if x < 0:
                    if e > 0.1:
                        one = State(y * x)
                    elif e > -0.4:
                        continue
                    else:
                        break
                else:
                    one = State(x)
                    one.h *= x
                t += one.h * one.h * x
            return t
    """,
    "left by an earlier iteration": """
        def program(x, y, v):
            t = 0.0
            one = [y, x]
            for e in [*v, 0.9, -0.9, 0.2]:
                if e > -0.7:
                    if e > 0.5:
                        one = [y * x * e, y]
                    else:
                        continue
                else:
                    one = [x * e]
                    one[-1] *= x
                t += one[0] * x
            return t * one[0] * len(one)
    """,
    "left by an earlier iteration alone": """
        def program(x, y, v):
            t = 0.0
            for e in [*v, 0.9, -0.9, 0.2]:
                if e > -0.7:
                    if e > 0.5:
                        one = [y * x * e, y]
                    else:
                        continue
                else:
                    one = [x * e]
                    one[-1] *= x
                t += one[0] * x
            return t * one[0] * len(one)
    """,
    "left by an earlier iteration, without a jump": """
        def program(x, y, v):
            t = 0.0
            for e in [*v, 0.9, -0.9, 0.2]:
                if e > -0.7:
                    if e > 0.5:
                        one = [y * x * e, y]
                else:
                    one = [x * e]
                    one[-1] *= x
                t += e * x
            return t * one[0] * len(one)
    """,
    "read before it is bound, from an earlier iteration": """
        def program(x, y, v):
            t = 0.0
            for i, e in enumerate([*v, 0.9, -0.9, 0.2]):
                if i > 0:
                    t += one[0] * len(one)
                if e > -0.7 or i == 0:
                    if e > 0.5 or i == 0:
                        one = [y * x * e, y]
                    else:
                        continue
                else:
                    one = [x * e]
                    one[-1] *= x
            return t * one[0] * len(one)
    """,
    "tested by the condition that bound it": """
        def program(x, y):
            if x < 0:
                if y > 0.1:
                    one = [y * x, y]
            else:
                one = [x]
                one[-1] *= x
            if x >= 0 or y > 0.1:
                one.append(x)
                return sum(one) * one[0]
            return x * y
    """,
    "a finally block reads it": """
        def program(x, y):
            one, t = [y], x
            try:
                if x < 0:
                    if y > 0.1:
                        one = [y * x, y]
                    else:
                        return y
                else:
                    one = [x * t]
                    one[-1] *= x
                one.append(x)
            finally:
                t = sum(one) * one[0]
            return t * len(one)
    """,
    "in a function that calls itself": """
        def f(x, n):
            if n <= 0:
                return x
            if x < 0.3:
                if n > 1:
                    one = [x * x]
                else:
                    return x * 2.0
            else:
                one = [x, f(x * 0.5, n - 1)]
                one[0] *= x
            one.append(x)
            return sum(one) * f(one[0], n - 1)
        def program(x, y, k):
            return f(x, k) * f(y, 2)
    """,
    "one of two": """
        def program(x, y):
            a, b = [x], [y]
            if x < 0:
                if y > 0.1:
                    one = a if y > 0.4 else b
                else:
                    return y * x
            else:
                one = [x * x]
            one.append(x * y)
            return sum(one) * len(a) * one[0] + sum(b)
    """,
    "a dict before a loop that binds it anew": """
        def program(x, y, v):
            if y > 0:
                pass
            else:
                one = {"q": [e * -y for e in v], "n": 0}
            path = [x, y]
            for i in range(3):
                one = {"q": path, "n": i}
            one["n"] += 1
            return y * one["q"][0] * x * one["n"]
    """,
    "a list before a loop that makes it longer": """
        def program(x, y, v):
            if y > 0:
                one = [x * y, x]
            for i, e in enumerate([*v, 0.3]):
                if i == 0 and y <= 0:
                    one = [y * e]
                one.append(x * e)
            return sum(one) * one[0]
    """,
    "an object before a while": """
        class State:
            def __init__(self, h):
                self.h = h
                self.path = [h]
        def program(x, y, k):
            if y > 0:
                one = State(x * y)
            n = 0
            while n < k + 1:
                if n == 0 and y <= 0:
                    one = State(y)
                other = State(one.h * x)
                other.path.append(one.path[0] * y)
                one = other
                n += 1
            return one.h * sum(one.path)
    """,
    "before a loop within another": """
        def program(x, y, v):
            t = 0.0
            for i, e in enumerate([*v, 0.9, -0.9, 0.2]):
                if e > 0 or i == 0:
                    one = {"q": [e * x, y], "n": i}
                for j in range(2):
                    one["q"].append(e * y)
                    one = {"q": one["q"], "n": j}
                t += one["q"][0] * x * len(one["q"])
            return t + sum(one["q"]) * one["n"]
    """,
    "before a loop within another, changed there alone": """
        def program(x, y, v):
            t = 0.0
            if y > 0:
                one = [x]
            for i, e in enumerate([*v, 0.9, -0.9, 0.2]):
                if e > 0 or (i == 0 and y <= 0):
                    one = [e * x, y, y * x]
                for j in range(2):
                    if len(one) > 2 or j > i:
                        one.pop(0)
                    else:
                        one.append(e * y)
                        one.append(e)
                t += one[0] * x * len(one)
            return t + sum(one)
    """,
    "made in each iteration of a loop that is in the finally block of a try": """
        def program(x, y, v, k):
            for e in reversed(v * y):
                one = [d * -x for d in np.maximum(v, 0.0)]
                try:
                    if np.sum(np.array(one)) > 1.0 or e < 0.3:
                        raise ValueError
                    two = one
                    e = k * y
                except (ValueError, KeyError):
                    one.reverse()
                finally:
                    if len(one) < 7:
                        one.append(np.maximum(x, e))
                    if len(one) < 7:
                        one.append(np.min(y * v))
            return x + y + e + sum(one)
    """,
    "left by an earlier iteration of two loops": """
        def program(x, y, v):
            t = 0.0
            for j in range(3):
                for i, e in enumerate(v):
                    if i + j > 0:
                        one["q"].append(e * x)
                        t += one["q"][0] * x * len(one["q"])
                    if i != j:
                        one = {"q": [y * x * e, y], "n": i}
                        if e > 0:
                            one["q"].append(t)
                    elif i + j == 0:
                        one = {"q": [y], "n": i}
            return t * one["q"][0] * len(one["q"])
    """,
    "before a try of which the body changes its length": """
        def program(x, y, v, k):
            one = {"q": [x, y * y], "n": y}
            try:
                if k > 0:
                    one["q"] += [np.sum(v)]
                two = one["q"]
                z = math.log(y)
            except ValueError:
                one.update(n=x, q=[y ** 2, x * y])
                z = x
            try:
                while len(one["q"]) > 2:
                    one["q"].pop(0)
                z = z * math.log(x)
            except (ValueError, KeyError):
                z = y
            return y + z * one["q"][0] + one["q"][1] * one["n"]
    """,
    "a list that a branch makes, and a try makes longer": """
        def program(x, y, k):
            if k > 1:
                one = [x, y]
            try:
                if k <= 1:
                    one = [y * y]
                while len(one) < k + 1:
                    one.append(one[-1] * y)
                z = math.log(y)
            except ValueError:
                z = sum(one) * x
            return z * one[0] * len(one)
    """,
    "a list that a loop binds anew, or a return before": """
        def program(x, v, r, k):
            match len(v) * k:
                case 0:
                    return 0.5 * x
                case 3 | 6:
                    pass
                case _:
                    kept = [e * x for e in v]
            for e in r:
                kept = []
            del kept[1:]
            return sum(kept) + x * x
    """,
}


@pytest.mark.sampled(6, of_long=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_bound_on_some_paths(name):
    assert_differentiated(PROGRAMS[name], range(8))


def test_what_no_line_binds_is_there_on_all_paths():
    """Variables from outside, as the captured ones of a procedure."""
    moved = Assign(None, Var("met"), Apply(operator.mul, (Var("h"), Var("outside"))))
    inner = If(None, Var("d"), (Assign(None, Var("h"), Const(2.0)),), ())
    other = Assign(None, Var("met"), Const(1.0))
    whole = If(None, Var("c"), (inner, moved), (other,))
    function = Function("f", ("c", "d"), (whole,), {"c": FLOAT, "d": FLOAT})
    text = function_text(with_phi_copies_placed(function, [moved]))
    assert "            h = 2.0\n            met = mul(h, outside)\n" in text


def test_a_line_stays_behind_what_it_must_not_pass():
    """Another line between reads what it writes."""
    moved = Assign(None, Var("met"), Var("h"))
    inner = If(None, Var("d"), (Assign(None, Var("h"), Const(2.0)),), ())
    reads = Assign(None, Var("t"), Var("met"))
    block = (Assign(None, Var("met"), Const(1.0)), inner, reads, moved)
    function = Function("f", ("d",), block, {"d": FLOAT})
    assert with_phi_copies_placed(function, [moved]).body == block
