"""Lists whose items come and go in front are deques."""

from __future__ import annotations

import pytest

from s2sad import grad, vjp
from tests.run_time.programs import PROGRAMS

MADE = [p for p in PROGRAMS if p.function.__name__.startswith("q_made")]
NAMES = [p.function.__name__ for p in MADE]
LISTS = {"q_made_and_read", "q_made_anew"}
"""Where other items are read, too, and where a deque is kept."""


def code_of(derivative, program):
    """The text without the comments, which quote the program."""
    lines = derivative.source_for(*program.arguments(20)).splitlines()
    return "\n".join(line for line in lines if line.strip()[:1] != "#")


def _case(program):
    in_calls = program.function.__name__ == "q_made_in_calls"
    return pytest.param(program, marks=[pytest.mark.written_out] if in_calls else [])


@pytest.mark.parametrize("program", [_case(p) for p in MADE], ids=NAMES)
def test_texts(program):
    text = code_of(grad(program.function), program)
    moved = any(word in text for word in ("pop(0)", "insert(0", "del values[0]"))
    assert moved == (program.function.__name__ in LISTS), text
    assert "deque(" in text or moved


@pytest.mark.parametrize("program", MADE, ids=NAMES)
@pytest.mark.parametrize("n", [5, 300])
def test_gradients_are_those_of_lists(program, n):
    arguments, name = program.arguments(n), (program.wrt or (0,))[0]
    plain = grad(program.function, name, optimise={"deques": False})
    assert "appendleft" not in code_of(plain, program)
    expected = plain(*arguments)
    assert grad(program.function, name)(*arguments) == expected
    _, pullback = vjp(program.function, *arguments)
    for _ in range(2):
        assert pullback(1.0)[0] == expected


def test_a_gradient_is_a_list():
    def drained(xs):
        total = 0.0
        while xs:
            total = 0.5 * total + xs.pop(0) ** 2
        return total

    found = grad(drained)([1.0, 2.0, 3.0])
    assert type(found) is list
    assert found == [0.5, 2.0, 6.0]
