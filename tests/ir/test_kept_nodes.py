"""Nodes that stay the same ones where a pass changes nothing, and what is remembered of
them."""

from __future__ import annotations

import operator

import pytest

from s2sad.ir.kinds import FLOAT
from s2sad.ir.nodes import Apply, Assign, Const, Function, If, Return, Var
from s2sad.ir.walking import (
    altered,
    as_block,
    direct_reads,
    direct_writes,
    map_value,
    names_read,
    names_written,
    walk,
    with_blocks,
    with_leaves,
)
from s2sad.optimise import pipeline
from s2sad.rules.load import load_all

X, Y, Z = Var("x"), Var("y"), Var("z")
PRODUCT = Apply(operator.mul, (X, Y))
LINE = Assign(None, Z, PRODUCT, FLOAT)
BRANCH = If(None, X, (LINE,), ())


def test_what_a_statement_reads_is_that_of_its_own_parts_after_a_change():
    assert [v.name for v in direct_reads(LINE)] == ["x", "y"]
    other = altered(LINE, target=Y, value=Apply(operator.neg, (Z,)))
    assert names_read(other) == {"z"} and names_written(other) == {"y"}
    assert names_read(LINE) == {"x", "y"} and direct_writes(LINE) == (Z,)


def test_what_is_inside_a_branch_is_that_of_its_own_blocks_after_a_change():
    assert list(walk((BRANCH,))) == [BRANCH, LINE]
    other = with_blocks(BRANCH, lambda block: ())
    assert list(walk((other,))) == [other]
    assert list(walk((BRANCH,))) == [BRANCH, LINE]


def test_remembering_changes_no_comparison():
    seen, fresh = Apply(operator.mul, (X, Y)), Apply(operator.mul, (X, Y))
    map_value(seen, lambda v: v)
    direct_reads(Assign(None, Z, seen))
    assert seen == fresh and hash(seen) == hash(fresh) and repr(seen) == repr(fresh)


def test_nothing_changed_gives_the_same_nodes():
    body = (BRANCH, LINE)
    assert map_value(PRODUCT, lambda v: v) is PRODUCT
    assert altered(LINE, value=PRODUCT) is LINE
    assert as_block([BRANCH, LINE], body) is body
    assert with_leaves(body, lambda s: (s,)) is body


def test_a_change_gives_new_nodes_around_it_alone():
    body = (BRANCH, LINE)

    def renamed(s):
        return (altered(s, target=X),) if s is BRANCH.body[0] else (s,)

    new = with_leaves((BRANCH, Return(None, Z)), renamed)
    assert new[0] is not BRANCH and new[0].body[0].target == X
    assert BRANCH.body == (LINE,) and as_block([BRANCH], body) == (BRANCH,)
    words = Apply(max, (X,), (("key", Y), ("default", Const(None))))
    changed = map_value(words, lambda v: Z if v == Y else v)
    assert changed.keywords == (("key", Z), ("default", Const(None)))
    assert changed.args == (X,) and words.keywords[0] == ("key", Y)


@pytest.mark.parametrize("off", [frozenset(), frozenset({"products"})])
def test_a_pass_runs_again_only_after_a_change(monkeypatch, off):
    load_all()
    runs = []

    def noted(name, rewrite):
        def run(function):
            runs.append(name)
            return rewrite(function)

        return run

    passes = tuple((name, noted(name, rewrite)) for name, rewrite in pipeline.PASSES)
    monkeypatch.setattr(pipeline, "PASSES", passes)
    function = Function(
        "f", ("x", "y"), (LINE, Return(None, Z)), dict.fromkeys("xyz", FLOAT)
    )
    dumped = []
    result = pipeline.optimised(
        function, off, lambda name, f, same: dumped.append((name, same))
    )
    assert result.body == function.body
    assert sorted(runs) == sorted({name for name, _ in passes} - off)
    expected = [name for name, _ in passes if name not in off]
    assert dumped == [(name, True) for name in expected]
