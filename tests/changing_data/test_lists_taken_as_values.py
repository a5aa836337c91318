"""Lists in lists of unknown length are taken by value until one of them changes where
it stands, or under another name: then the change is seen, or refused."""

from __future__ import annotations

import textwrap

import pytest

from tests.frontend.whole_programs import IMPORTS, assert_differentiated
from tests.fuzz.checking import check

START = """
    import copy

    def program(x, v):
        rows = [[e * x, e] for e in v]
        log = []
        log.append(x)
"""
SEEN_OR_REFUSED = {
    "put, then changed": "row = [x]; rows.append(row); row.append(log[0])",
    "put twice": "row = [x]; rows.append(row); rows.append(row); rows[-1].append(x)",
    "changed where it stands": "row = rows[0]; rows.append(row); rows[-1][0] = x * x",
    "changed under a name": "row = rows[0]; row.append(x * x)",
    "a name chosen by the run": "row = rows[0] if x > 0 else rows[1]; row[0] *= x",
    "another list of them": "more = list(rows); more[0].append(x)",
    "a part of the list": "more = rows[1:]; more[0][0] = x",
    "copied by a comprehension": "more = [r for r in rows]; more[0].append(x)",
    "twice the list": "more = rows + rows; more[-1].append(x); rows = more",
    "a shallow copy": "more = copy.copy(rows); more[0].append(x)",
    "a shallow copy of a dict": (
        "d = {k: r for k, r in enumerate(rows)}; c = copy.copy(d); c[0].append(x); "
        "rows = [d[k] for k in range(len(v))]"
    ),
    "a deep copy": "more = copy.deepcopy(rows); more[0].append(x); rows += more",
    "the longest": "max(rows, key=len).append(x)",
    "the first of an iterator": "next(iter(rows)).append(x)",
    "sorted": "sorted(rows, key=sum)[0].append(x)",
    "unpacked": "first, *rest = rows; rest[0].append(x); first.append(x)",
    "a tuple of them": "pair = (rows[0], rows[1]); pair[0].append(x)",
    "under a key": "d = {'a': rows[0]}; d['a'].append(x)",
    "assigned in an expression": "(row := rows[0]).append(x)",
    "a store of another": "rows[0] = rows[1]; rows[1].append(x)",
    "extended": "rows.extend(rows[:1]); rows[0][1] = x",
    "taken out": "row = rows.pop(); row.append(x); rows.append(row); row[0] = 2.0",
}
IN_LOOPS = {
    "changed before it is put": """
        row = [x]
        for e in v:
            row.append(e * x)
            rows.append(row)
    """,
    "changed in the next iteration": """
        prev = [x, x]
        for e in v:
            prev[0] = prev[0] * e
            row = [e, prev[0]]
            rows.append(row)
            prev = row
    """,
    "changed behind the loop": """
        for e in v:
            row = [e, x]
            rows.append(row)
        row.append(x)
    """,
    "changed in some iterations": """
        row = [x, x]
        for k in range(len(v)):
            if k == 1:
                row[0] *= 3.0
            rows.append(row)
    """,
    "run over": """
        for r in rows:
            r.append(x)
    """,
    "run over in pairs": """
        for a, b in zip(rows, rows[1:]):
            a[0] += b[1]
    """,
    "by a helper": """
        def put(target, row):
            target.append(row)
            return row
        put(rows, [x]).append(x)
    """,
    "by a closure": """
        row = [x, x]
        def change():
            row[0] *= 2.0
        rows.append(row)
        change()
    """,
    "by a recursion": """
        def fill(n, row):
            if n == 0:
                return
            rows.append(row)
            row[0] *= x
            fill(n - 1, row)
        fill(2, [x, x])
    """,
    "under keys of the run": """
        kept = {}
        for k in range(len(v)):
            row = rows[k % 2]
            kept[k % 2] = row
            row[0] *= x
        rows.append(kept[0])
    """,
    "a while loop": """
        k, row = 0, rows[0]
        while k < 2:
            row[0] *= x
            row = rows[k]
            k += 1
    """,
    "a try": """
        row = [x]
        try:
            rows.append(row)
            if x > 0.3:
                raise ValueError
        except ValueError:
            row.append(x)
    """,
}
END = """
        return sum(sum(r) * r[0] for r in rows) + sum(log)
"""
OBJECTS = """
    import copy

    class Body:
        def __init__(self, h, w):
            self.h, self.w = h, w

    def program(x, v):
        bodies = [Body(e, [e * x, x]) for e in v]
        one = copy.copy(bodies[0])
        one.w.append(x)
        one.h = 3.0 * x
        bodies[1].h *= x
        return sum(sum(b.w) * b.h for b in bodies) + one.h * sum(one.w)
"""
DIFFERENTIATED = {
    "an item again": """
        def program(x, v):
            groups = [[e * f for f in v] for e in v * x]
            path = groups[0]
            groups.append(groups[-1])
            best = groups[0] if x > 0.3 else groups[1]
            log = []
            for g in groups:
                log.append(sum(g) * best[0])
            return sum(log) + path[1]
    """,
    "the best beams": """
        def program(x, v):
            beams = [[x]]
            for e in v:
                longer = []
                for b in beams:
                    longer.append(b + [b[-1] * e])
                    longer.append(b + [b[-1] + e * x])
                longer.sort(key=lambda b: -sum(b))
                beams = longer[:2]
            best = beams[0]
            return sum(best) + beams[1][-1]
    """,
    "a stack of pairs": """
        def program(x, v):
            stack = [[x, 0.5]]
            total = 0.0
            for e in v:
                top = stack.pop()
                total += sum(top) * e
                stack.append([top[0] * e, total])
                stack.append(top)
            return total + stack[0][1]
    """,
    "the last one under a key": """
        def program(x, v):
            kept = {}
            last = [x, x]
            for k in range(len(v)):
                kept[k % 2] = [v[k] * x, last[0]]
                last = kept[k % 2]
            return sum(sum(r) for r in kept.values()) + last[1]
    """,
}


def assert_right_or_refused(body: str) -> None:
    text = textwrap.dedent(START) + textwrap.indent(textwrap.dedent(body), "    ")
    text = IMPORTS + text + textwrap.indent(textwrap.dedent(END), "    ")
    for seed in range(2):
        outcome = check(text, seed)
        assert outcome.verdict != "wrong", f"{outcome.detail}\n{outcome.text}"


@pytest.mark.sampled(6)
@pytest.mark.parametrize("line", SEEN_OR_REFUSED.values(), ids=list(SEEN_OR_REFUSED))
def test_changes_are_seen_or_refused(line):
    assert_right_or_refused(line)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("body", IN_LOOPS.values(), ids=list(IN_LOOPS))
def test_changes_in_loops_and_calls_are_seen_or_refused(body):
    assert_right_or_refused(body)


LATER = "        bodies[1].h *= x\n"
CHANGED_FIRST = OBJECTS.replace(LATER, "").replace(
    "        one = ", f"{LATER}        one = "
)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", [OBJECTS, CHANGED_FIRST], ids=["later", "first"])
def test_a_shallow_copy_of_an_object_is_right_or_refused(text):
    outcome = check(IMPORTS + textwrap.dedent(text), 0)
    assert outcome.verdict != "wrong", f"{outcome.detail}\n{outcome.text}"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("text", DIFFERENTIATED.values(), ids=list(DIFFERENTIATED))
def test_what_stays_as_it_is(text):
    assert_differentiated(text, seeds=range(2))
