"""What a loop runs over is evaluated once, whatever is asked about it."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "a method of what a call has made": """
        def noted(seen, x):
            seen.append(x)
            return x

        def program(x, v, k):
            seen = []
            total = 0.0
            for e in {"a": v[0], "b": noted(seen, x * v[1])}.values():
                total += e
            return len(seen) * total + sum(seen)
    """,
    "a method of a property": """
        class Counted:
            def __init__(self, values):
                self.values, self.asked = values, 1.0

            @property
            def pairs(self):
                self.asked *= 2.0
                return dict(enumerate(self.values))

        def program(x, v, k):
            data = Counted([v[0] * x, v[1]])
            total = 0.0
            for key, e in data.pairs.items():
                total += e * (key + 1)
            return total * data.asked
    """,
    "a function of a list": """
        def program(x, v, k):
            seen = []

            def chosen():
                seen.append(x)
                return [enumerate, reversed]

            total = 0.0
            for i, e in chosen()[0](v):
                total += i * e
            return total * len(seen) + sum(seen)
    """,
    "functions by the name of their module": """
        import builtins

        def program(x, v, k):
            total = 0.0
            for i in builtins.range(k):
                total += v[i] * x
            for i, e in builtins.enumerate(v):
                total += e * i
            return total
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", PROGRAMS.values(), ids=list(PROGRAMS))
def test_effects_run_once(text):
    assert_differentiated(textwrap.dedent(text), seeds=range(3))
