"""Lists of arrays that differ in shape, and have no value on some paths: they are empty
lists there."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import assert_differentiated

PROGRAMS = {
    "bound anew in a loop that may not run": """
        def program(x, v, m, k):
            history = [v*x for e in range(2)]
            history.append(m.reshape(6))
            c = 0
            while c < k:
                c += 1
                history = [v*e for e in range(2)]
            return history[1]
    """,
    "bound on some paths": """
        def program(x, v, m, k):
            if k % 2:
                history = [v*x for e in range(2)]
                history.append(m.reshape(6))
            c = 0
            while c < 2:
                c += 1
                if c == 2:
                    history = [v*x, m[0]*x, m[:, 0]]
                    history.append(m.reshape(6))
            return history[-1][0]*x
    """,
    "a return in a handler": """
        def program(x, v, m, k):
            groups = [[0.0], [x*e for e in v]]
            try:
                if k > 1: raise ValueError
                groups[0][0] -= v @ v
                groups[1][1] -= np.sum(v)
            except ZeroDivisionError:
                pass
            except ValueError as error:
                return groups[k % 2][0]
            return groups[0][-1]*groups[1][0]
    """,
    "made in each iteration, read behind the loop": """
        def program(x, v, m, k):
            grid = [[0.5*x for e18 in ()]]
            for i in range(4, 1, -2):
                rows = [np.array(grid) for e49 in v]
                for e52 in grid:
                    e52 += [x]
            return rows[1]*x
    """,
    "made in each iteration, with a break": """
        def program(x, v, m, k):
            s = 0.0
            for i in range(k+1):
                rows = [v*i, m[0], m.reshape(6)*x]
                rows.append(v[:i])
                if i == k:
                    break
                s += np.sum(rows[-1])
            for r in rows:
                s += np.sum(r)**2
            return s
    """,
    "read in the next iteration": """
        def program(x, v, m, k):
            s = 0.0
            for i in range(3):
                if i:
                    for r in rows:
                        s += np.sum(r)**2
                    rows.pop()
                rows = [v[:j]*x for j in range(3)]
                rows[i] = rows[i]*x
            return s
    """,
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_is_right(name):
    assert_differentiated(textwrap.dedent(PROGRAMS[name]), range(4))
