"""Regions: what a statement says of its blocks, of the ways of control between them and
of the variables in its own parts."""

from __future__ import annotations

import operator
import random

import pytest

from s2sad import ir
from s2sad.analysis.dataflow.assigned import assigned_variables, possibly_assigned
from s2sad.analysis.dataflow.liveness import live_variables

X, FLAG = ir.Var("x"), ir.Var("flag")
ZERO, ONE = ir.Const(0), ir.Const(1)


def line(target: str, source: str = "x") -> ir.Statement:
    return ir.Assign(None, ir.Var(target), ir.Apply(operator.neg, (ir.Var(source),)))


BODY, OTHER, LAST = (line("a"),), (line("b"),), (line("c"),)
HANDLER = ir.Handler(ir.Var("types"), OTHER, FLAG)
STATEMENTS = {
    "branch": ir.If(None, X, BODY, OTHER),
    "counted": ir.For(None, ir.Var("i"), ZERO, X, ONE, BODY),
    "repeated": ir.While(None, OTHER, X, BODY),
    "left": ir.While(None, OTHER, ir.Const(True), BODY, until=FLAG),
    "manager": ir.With(None, X, BODY),
    "hiding": ir.With(None, X, BODY, swallows=True),
    "attempt": ir.Try(None, BODY, (HANDLER,), (), LAST),
}
OUT = ir.OUTSIDE
WAYS = {
    "branch": {(OUT, 0), (OUT, 1), (0, OUT), (1, OUT)},
    "counted": {(OUT, 0), (0, 0), (OUT, OUT), (0, OUT)},
    "repeated": {(OUT, 0), (0, 1), (1, 0), (0, OUT)},
    "left": {(OUT, 0), (0, 1), (1, 0), (1, OUT)},
    "manager": {(OUT, 0), (0, OUT)},
    "hiding": {(OUT, 0), (0, OUT)},
    "attempt": {(OUT, 0), (0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, OUT)},
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_ways_of_control(name):
    statement = STATEMENTS[name]
    edges = ir.edges_of(statement)
    assert {(edge.source, edge.target) for edge in edges} == WAYS[name]
    assert any(edge.raised for edge in edges) is (name in ("hiding", "attempt"))
    assert ir.catches(statement) is (name in ("hiding", "attempt"))


@pytest.mark.parametrize("name", STATEMENTS)
def test_regions_are_the_blocks(name):
    statement = STATEMENTS[name]
    regions = ir.regions_of(statement)
    assert tuple(region.block for region in regions) == ir.blocks_of(statement)
    for region in regions:
        sources = {s for s, target in WAYS[name] if target == region.place}
        assert region.first is (sources == {OUT})
    changed = ir.rebuilt(statement, [LAST for _ in regions])
    assert ir.blocks_of(changed) == (LAST,) * len(regions)
    assert ir.with_blocks(statement, lambda block: block) is statement


def test_roles_and_what_is_false_where_a_region_starts():
    def seen(name):
        regions = ir.regions_of(STATEMENTS[name])
        return [(region.role, region.unless) for region in regions]

    assert seen("branch") == [("body", None), ("orelse", X)]
    assert seen("left") == [("condition", FLAG), ("body", None)]
    roles = [role for role, _ in seen("attempt")]
    assert roles == ["body", "handler", "orelse", "final"]
    assert ir.regions_of(BODY[0]) == () and ir.edges_of(BODY[0]) == ()


def test_loops_of_a_block():
    inner = STATEMENTS["repeated"]
    outer = ir.For(None, ir.Var("i"), ZERO, X, ONE, (STATEMENTS["branch"], inner))
    assert list(ir.loops_in((outer, *BODY))) == [outer, inner]


# ---------------------------------------------------------------------- paths


def random_block(draw: random.Random, depth: int, attempts: bool) -> ir.Block:
    return tuple(
        random_statement(draw, depth, attempts) for _ in range(draw.randint(1, 3))
    )


def random_statement(draw: random.Random, depth: int, attempts: bool) -> ir.Statement:
    def block() -> ir.Block:
        return random_block(draw, depth - 1, attempts)

    sort = draw.randrange(8 if attempts else 5) if depth else 0
    until = draw.choice((None, FLAG))
    match sort:
        case 1:
            return ir.If(None, X, block(), draw.choice(((), block())))
        case 2:
            number = ir.Var(draw.choice("ij"))
            return ir.For(None, number, ZERO, X, ONE, block(), until=until)
        case 3:
            return ir.While(None, block(), X, block(), until=until)
        case 4:
            return ir.While(None, block(), ir.Const(True), block(), until=FLAG)
        case 5:
            return ir.With(None, X, block(), swallows=draw.random() < 0.5)
        case 6:
            return ir.Try(None, block(), (), (), block())
        case 7:
            handlers = (ir.Handler(None, block()), ir.Handler(X, block()))
            return ir.Try(None, block(), handlers, block(), draw.choice(((), block())))
    return line(draw.choice("abcdefgh"), draw.choice("abcdefghx"))


class Raised(Exception):
    """A line of a program raised."""


def execute(block: ir.Block, held: set[str], draw: random.Random, check) -> None:
    """One run of a program, with drawn choices. ``held``: what is assigned."""
    for s in block:
        check(s, held)
        match s:
            case ir.If():
                execute(draw.choice((s.body, s.orelse)), held, draw, check)
            case ir.For():
                for _ in range(draw.randrange(3)):
                    held.add(s.target.name)
                    execute(s.body, held, draw, check)
            case ir.While():
                forever = s.test == ir.Const(True)
                while True:
                    execute(s.condition, held, draw, check)
                    if not forever and draw.random() < 0.5:
                        break
                    execute(s.body, held, draw, check)
                    if s.until is not None and draw.random() < 0.5:
                        break
            case ir.With():
                try:
                    execute(s.body, held, draw, check)
                except Raised:
                    if not s.swallows:
                        raise
            case ir.Try():
                attempt(s, held, draw, check)
            case _:
                if draw.random() < 0.1:
                    raise Raised
                held |= ir.names_written(s)


def attempt(s: ir.Try, held: set[str], draw: random.Random, check) -> None:
    try:
        try:
            execute(s.body, held, draw, check)
        except Raised:
            if not s.handlers:
                raise
            execute(draw.choice(s.handlers).body, held, draw, check)
        else:
            execute(s.orelse, held, draw, check)
    finally:
        execute(s.final, held, draw, check)


@pytest.mark.parametrize("seed", range(60))
def test_runs_are_on_the_paths_that_the_solver_follows(seed):
    draw = random.Random(seed)
    body = random_block(draw, 3, attempts=True)
    surely, possibly = assigned_variables(body, "x"), possibly_assigned(body, "x")

    def check(s: ir.Statement, held: set[str]) -> None:
        assert set(surely.before[id(s)]) <= held <= set(possibly.before[id(s)])

    for _ in range(50):
        held = {"x"}
        try:
            execute(body, held, draw, check)
        except Raised:
            continue
        assert set(surely.end) <= held <= set(possibly.end)


@pytest.mark.parametrize("seed", range(60))
def test_runs_read_what_is_live(seed):
    """Backwards: what a run reads before it assigns it is live where it starts."""
    draw = random.Random(seed)
    body = random_block(draw, 3, attempts=True)
    facts, _ = live_variables(body, lambda s: True)
    for _ in range(50):
        held: set[str] = set()
        read: set[str] = set()

        def check(s, held, read=read):
            # whatever flag or number a loop reads itself is its own affair
            read |= ir.names_read(s) - held - {"flag"}

        try:
            execute(body, held, draw, check)
        except Raised:
            pass
        assert read <= set(facts.start)


def test_a_place_that_no_path_comes_to():
    branch = STATEMENTS["branch"]

    def only_body(region, fact):
        return fact + 1 if region.role == "body" else None

    assert ir.follow(branch, 1, only_body, max, lambda r, f: f) == 2
    assert ir.follow(branch, 1, lambda r, f: None, max, lambda r, f: f) is None


# ------------------------------------------------------------ a statement's own parts


def renaming(suffix: str):
    return lambda variable: ir.Var(variable.name + suffix)


def test_what_is_read_and_assigned_gets_other_names():
    unpacked = ir.Assign(None, ir.pack_tuple(X, FLAG), ir.pack_tuple(X, ONE))
    loop = ir.For(None, X, X, X, ONE, BODY, until=FLAG)
    cases = [
        (unpacked, "tuple(x!, flag!) = tuple(x?, 1)"),
        (loop, "for x! in range(x?, x?, 1) until flag?:"),
        (STATEMENTS["left"], "while until flag?:"),
        (ir.Save(None, FLAG, X), "save x? on flag?"),
        (ir.Restore(None, X, FLAG), "restore x! from flag?"),
        (STATEMENTS["manager"], "with x?:"),
        (ir.Return(None, X), "return x?"),
    ]
    for statement, text in cases:
        changed = ir.with_variables(statement, renaming("?"), renaming("!"))
        assert ir.statement_text(changed) == text
        assert ir.blocks_of(changed) == ir.blocks_of(statement)
    same = ir.with_variables(unpacked, lambda v: v, lambda v: v)
    assert same is unpacked
    only_read = ir.with_variables(loop, renaming("?"))
    assert only_read.target == X and only_read.stop == ir.Var("x?")


def test_handlers_have_parts_of_their_own():
    attempt = STATEMENTS["attempt"]
    changed = ir.with_variables(attempt, renaming("?"), renaming("!"))
    (handler,) = changed.handlers
    assert (handler.types, handler.flag) == (ir.Var("types?"), ir.Var("flag!"))
    assert handler.body is OTHER
    assert ir.with_variables(attempt, lambda v: v) is attempt
    assert ir.names_read(attempt) == {"types"}


def test_a_renamed_block_is_a_copy():
    block = tuple(STATEMENTS.values())
    copied = ir.renamed(block, lambda v: v, lambda v: v)
    assert list(ir.block_lines(copied)) == list(ir.block_lines(block))
    assert not {*map(id, ir.walk(copied))} & {*map(id, ir.walk(block))}
    other = ir.renamed(block, renaming("?"))
    assert ir.names_read_in(other) == {f"{n}?" for n in ir.names_read_in(block)}
    assert ir.names_written_in(other) == ir.names_written_in(block)


def test_data_is_replaced_in_place_of_variables():
    data = ir.Global("table", "module")
    added = ir.Assign(None, X, ir.Apply(operator.add, (data, ir.pack_tuple(data, X))))
    (changed,) = ir.renamed((added,), lambda _: FLAG, leaf=ir.Global)
    assert ir.statement_text(changed) == "x = add(flag, tuple(flag, x))"
    assert sum(o == data for o in ir.all_operands(added)) == 2


def test_names_of_several_blocks():
    branch = STATEMENTS["branch"]
    assert ir.names_written_in(BODY, OTHER) == {"a", "b"}
    assert ir.names_written_within(STATEMENTS["counted"]) == {"i", "a"}
    assert ir.names_read_within(branch) == ir.names_read_in((branch,)) == {"x"}


def test_where_values_come_from_and_go_to():
    assert ir.value_flow(line("y")) == ({"x"}, {"y"})
    assert ir.value_flow(ir.Save(None, FLAG, X)) == ({"x"}, {"flag"})
    assert ir.value_flow(ir.Restore(None, X, FLAG)) == ({"flag"}, {"x"})
    assert ir.value_flow(STATEMENTS["counted"]) == (set(), set())


# ------------------------------------------------------------------ whole blocks


def test_statements_are_rewritten_from_the_innermost():
    nested = (ir.If(None, X, (STATEMENTS["counted"],), OTHER), *LAST)

    def lines(s: ir.Statement) -> ir.Block:
        if isinstance(s, ir.For):
            return s.body
        return () if ir.names_written(s) == {"c"} else (s,) * 2

    twice = ir.rewritten(nested, lines)
    assert (
        list(ir.block_lines(twice))
        == [
            *("if x:", "    a = neg(x)", "    a = neg(x)"),
            *("else:", "    b = neg(x)", "    b = neg(x)"),
        ]
        * 2
    )
    assert ir.rewritten(nested, lambda s: (s,)) is nested


def test_a_copy_has_no_statement_in_common():
    block = tuple(STATEMENTS.values())
    other = ir.copied(block)
    assert list(ir.block_lines(other)) == list(ir.block_lines(block))
    assert not {*map(id, ir.walk(other))} & {*map(id, ir.walk(block))}


def test_all_blocks():
    block = (STATEMENTS["attempt"], *LAST)
    assert list(ir.all_blocks(block)) == [block, BODY, OTHER, (), LAST]
