"""Points-to: who may share memory with whom."""

from __future__ import annotations

from dataclasses import replace

import pytest

from s2sad.analysis.memory.memory import OUTSIDE
from s2sad.analysis.memory.points_to import points_to
from s2sad.ir.nodes import Assign
from s2sad.ir.walking import walk
from tests.support.ir_text import matrix, program, vector

ARRAYS = dict.fromkeys("xyzwst", vector("n")) | {
    "m": matrix("n", "n"),
    "promoted": replace(vector("n"), promoted=True),
}


def aliases(*lines, parameters="x, m, i"):
    text = "\n".join([f"def f({parameters}):", *(f"    {line}" for line in lines)])
    return points_to(program(text + "\n    return x", ARRAYS)).anywhere


def places(*lines):
    """What holds before the last assignment of a name."""
    text = "\n".join(["def f(x, m, i):", *(f"    {line}" for line in lines)])
    function = program(text + "\n    return x", ARRAYS)
    found = points_to(function)
    assignments = {
        s.target.name: s for s in walk(function.body) if isinstance(s, Assign)
    }
    return lambda name: found.before(assignments[name])


def test_parameters_are_the_callers():
    found = aliases("y = np.exp(x)")
    assert OUTSIDE in found.of("x") and not found.is_own("x")
    assert found.is_own("y") and not found.shared_with("y", {"x"})
    assert not found.is_own("unknown")


@pytest.mark.parametrize(
    "line",
    [
        "y = x",
        "y = x[0]",
        "y = np.reshape(x, 4)",
        "y = np.transpose(x)",
        "y = np.ravel(x)",
        "y = np.broadcast_to(x, 4)",
        "y = np.einsum('i', x)",
        "y = np.asarray(x)",
        "y = m[promoted]",
    ],
)
def test_views_share(line):
    found = aliases(line)
    assert found.shared_with("y", {"x"}) and not found.is_own("y")


@pytest.mark.parametrize(
    "line",
    [
        "y = x * x",
        "y = np.copy(x)",
        "y = own_copy(x)",
        "y = np.einsum('i,i->i', x, x)",
        "y = np.zeros_like(x)",
        "y = np.concatenate((x, x))",
        "y = np.sum(m, axis=0)",
        "y = x[w]",
        "y = m[i, w]",
    ],
)
def test_results_are_new(line):
    found = aliases(line)
    assert found.is_own("y") and not found.shared_with("y", {"x", "m"})


def test_a_view_of_an_own_buffer_is_no_whole_buffer():
    found = aliases("y = np.exp(x)", "z = y[0]", "w = z")
    assert found.is_own("y")
    assert not found.is_own("z") and not found.is_own("w")
    assert found.shared_with("y", {"w"})


def test_scatters_keep_their_buffer():
    found = aliases("y = np.zeros_like(x)", "z = index_add(y, i, x)")
    assert found.is_own("z") and found.shared_with("z", {"y"})
    assert not found.shared_with("z", {"x"})


def test_stacks_pass_buffers_on():
    found = aliases(
        "y = np.exp(x)", "s = new_stack()", 'save(y, "s")', 'z = restore("s")'
    )
    assert found.shared_with("z", {"y"})
    found = aliases("s = new_stack()", 'save(x, "s")', 'z = restore("s")')
    assert not found.is_own("z")


def test_numbers_have_no_memory():
    found = aliases("a = x[i]")
    assert not found.shared_with("a", {"x"})


def test_each_place_has_its_own_answer():
    found = places("y = x", "w = y", "y = np.exp(x)", "z = y[0]")
    assert found("w").shared_with("y", {"x"}) and not found("w").is_own("y")
    assert found("z").is_own("y") and not found("z").shared_with("y", {"x", "w"})


def test_older_buffers_of_a_loop_are_kept_apart():
    found = places(
        "w = np.exp(x)",
        "for k in range(i):",
        "    z = w[0]",
        "    w = np.zeros_like(x)",
        "    t = index_add(w, k, x)",
        "    s = w[0]",
    )
    assert not found("t").shared_with("w", {"z"}) and found("t").is_own("w")
    assert not found("s").shared_with("z", {"w", "t"})
    assert found("w").shared_with("w", {"z"})


def test_what_a_stack_keeps_may_be_any_iterations():
    found = places(
        "s = new_stack()",
        "for k in range(i):",
        "    y = np.exp(x)",
        '    save(y, "s")',
        "    t = np.sin(y)",
        "for k in range(i):",
        '    z = restore("s")',
        "    w = np.sin(z)",
    )
    assert found("t").shared_with("y", {"s"})
    assert found("w").shared_with("z", {"s"}) and found("w").shared_with("z", {"y"})


def test_a_name_that_a_loop_binds_again_shares_what_it_is_bound_to():
    found = places(
        "w = np.exp(x)",
        "for k in range(i):",
        "    y = w[0]",
        "    z = np.reshape(y, 4)",
        "    t = index_add(w, k, x)",
        "    w = index_add(t, k, z)",
    )
    assert found("t").shared_with("w", {"z"}) and found("t").shared_with("w", {"y"})
    assert found("w").shared_with("t", {"z"})
