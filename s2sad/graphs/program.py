"""The graph of a program, from its statements: each operation is a node that reads what
others give.

Takes the program of a function before anything is differentiated, and gives nodes,
edges and clusters (``graphs/drawing.py``). Which nodes give what a variable holds is
found by walking over the program with a table of definitions; bodies of loops are
walked twice, since an iteration reads what the last one left.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure
from s2sad.analysis.reverse.activity import active_variables, carries_derivative
from s2sad.codegen.argument_leaves import ArgumentLeaf, argument_leaves
from s2sad.codegen.python import head_tests, jumps
from s2sad.codegen.python.folding import with_short_circuits
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.control.local_values import is_retained
from s2sad.graphs.drawing import Graph, Node
from s2sad.graphs.parts import Parts, with_place
from s2sad.graphs.texts import UNNAMED, Texts
from s2sad.transform.reverse.reverse import may_vary

if TYPE_CHECKING:
    from s2sad.codegen.derivative import SpecialisedProgram

Definitions = dict[str, frozenset[int]]
"""The nodes that may have given each variable what it holds."""


def program_graph(
    program: SpecialisedProgram, wrt: Sequence[str], values: Mapping[str, Any]
) -> Graph:
    """The graph of a program; ``values`` are the arguments, by parameter, and tell the
    lengths of axes."""
    leaves, lengths = argument_leaves(program.specialised, values)
    function = head_tests.with_tests_in_heads(with_short_circuits(program.function))
    building = _Building(function, program, leaves, lengths, wrt)
    building.block(function.body, dict(building.given), None)
    return building.parts.graph(function.name)


class _Building:
    """Nodes and edges as they are found."""

    def __init__(
        self,
        function: ir.Function,
        program: SpecialisedProgram,
        leaves: Sequence[ArgumentLeaf],
        lengths: Mapping[Hashable, int],
        wrt: Sequence[str],
    ) -> None:
        self.function = function
        self.leaves = {leaf.variable: leaf for leaf in leaves}
        self.texts = Texts(function, program.spelling, leaves, lengths)
        self.wrt = {
            leaf.operand.name
            for name in wrt
            for leaf in core.leaves(program.specialised.arguments[name])
            if isinstance(leaf.operand, ir.Var) and ir.is_real_number_kind(leaf.kind)
        }
        last = function.body[-1]
        assert isinstance(last, ir.Return)
        results = {v.name for v in ir.operand_variables(last.value)}
        self.active = active_variables(
            function.body, self.wrt, results, may_vary(function)
        )
        self.flags = ir.flags_of(function.body)
        self.parts = Parts()
        self.carrying = False
        """Whether edges found now go from one iteration to another."""
        self.given: Definitions = {}
        for leaf in leaves:
            active = leaf.variable in self.active
            kind = self.texts.kind(leaf.kind)
            made = Node(0, "argument", leaf.text, kind, active)
            number = self.parts.node(leaf.variable, made)
            if leaf.variable not in self.wrt:
                self.parts.optional.add(number)
            self.given[leaf.variable] = frozenset({number})

    # ------------------------------------------------------------- statements

    def block(
        self, block: ir.Block, current: Definitions, cluster: int | None
    ) -> Definitions:
        """The definitions behind a block, from those before it."""
        for statement in block:
            current = self.statement(statement, dict(current), cluster)
        return current

    def statement(
        self, s: ir.Statement, current: Definitions, cluster: int | None
    ) -> Definitions:
        match s:
            case ir.Assign():
                return self.assignment(s, current, cluster)
            case ir.Return() | ir.Effect():
                self.leaf(s, current, cluster)
            case ir.If():
                return self.branch(s, current, cluster)
            case ir.For():
                return self.counted(s, current, cluster)
            case ir.While():
                return self.repeated(s, current, cluster)
            case ir.With():
                text = f"with {self.texts.operation(s.value)}"
                inner = self.parts.cluster(s, "", text, cluster)
                return self.block(s.body, current, inner)
            case ir.Try():
                return self.attempt(s, current, cluster)
        return current

    def assignment(
        self, s: ir.Assign, current: Definitions, cluster: int | None
    ) -> Definitions:
        names = [v.name for v in ir.direct_writes(s)]
        if names[0] in self.leaves and self.takes_apart(s):
            return current
        if names[0] in self.flags and s.value == ir.Const(False):
            return {**current, names[0]: frozenset()}
        if isinstance(s.value, ir.Apply) and s.value.function is ops.overwritten_part:
            return current  # read for the reverse sweep alone
        if isinstance(s.value, ir.Var) and (
            s.value == s.target or self.texts.is_unnamed(names[0])
        ):
            return {**current, names[0]: current.get(s.value.name, frozenset())}
        if is_retained(s.value):
            return {**current, names[0]: self.retained(s, current)}
        number = self.leaf(s, current, cluster)
        return {**current, **{name: frozenset({number}) for name in names}}

    def retained(self, s: ir.Assign, current: Definitions) -> frozenset[int]:
        """The nodes of a local variable that derivatives are taken for."""
        (source,) = ir.direct_reads(s)
        for number in current[source.name]:
            self.parts.nodes[number] = replace(self.parts.nodes[number], active=True)
        return current[source.name]

    def takes_apart(self, s: ir.Assign) -> bool:
        """True for ``params_w = params["w"]``, which the node of the argument shows."""
        kinds = [self.function.kinds.get(v.name) for v in ir.direct_reads(s)]
        return bool(kinds) and all(isinstance(kind, ir.Structure) for kind in kinds)

    def leaf(
        self,
        s: ir.Assign | ir.Return | ir.Effect,
        current: Definitions,
        cluster: int | None,
    ) -> int:
        """A statement without blocks: one node, and the edges to it."""
        number = self.parts.known.get(id(s), -1)
        if number < 0:
            number = self.parts.node(id(s), self.node_of(s, cluster))
            if self.is_optional(s):
                self.parts.optional.add(number)
        self.reads(number, (s.value,), current)
        return number

    def node_of(
        self, s: ir.Assign | ir.Return | ir.Effect, cluster: int | None
    ) -> Node:
        if isinstance(s, ir.Effect):
            return with_place(Node(0, "effect", self.texts.statement(s)), s, cluster)
        active = any(v.name in self.active for v in ir.direct_reads(s))
        if isinstance(s, ir.Return):
            node = Node(0, "result", self.texts.statement(s), active=active)
            return with_place(node, s, cluster)
        target = s.target.name if isinstance(s.target, ir.Var) else ""
        if target in self.flags:
            return with_place(Node(0, "jump", "leave the loop"), s, cluster)
        active = active and any(v.name in self.active for v in ir.direct_writes(s))
        active = active and carries_derivative(s.value)
        kind = s.kind or self.function.kinds.get(target)
        role = "value" if isinstance(s.value, ir.Const) else "operation"
        text = self.texts.statement(s)
        node = Node(0, role, text, self.texts.kind(kind), active)
        return with_place(node, s, cluster)

    def is_optional(self, s: ir.Assign | ir.Return | ir.Effect) -> bool:
        """True for what nobody misses where nothing reads it: operations without a name
        and effect, structures that are taken apart."""
        if not isinstance(s, ir.Assign) or not isinstance(s.target, ir.Var):
            return False
        name = s.target.name
        if name in self.flags:
            return False
        if isinstance(s.kind or self.function.kinds.get(name), ir.Structure):
            return True
        if not isinstance(s.value, ir.Apply):
            return name in self.function.temporaries
        return name in self.function.temporaries and is_pure(s.value.function)

    def branch(
        self, s: ir.If, current: Definitions, cluster: int | None
    ) -> Definitions:
        text = f"if {self.texts.operation(jumps.tested(s.test))}"
        number = self.test(s, text, cluster, (s.test,), current)
        found = []
        for word, block in (("then", s.body), ("else", s.orelse)):
            inner = self.parts.cluster(s, word, word, cluster) if block else cluster
            behind = self.block(block, current, inner)
            if not ops.ends_raising(block):
                found.append(behind)
            if block:
                self.parts.decides(number, inner)
        return _met(*found) if found else current

    def counted(
        self, s: ir.For, current: Definitions, cluster: int | None
    ) -> Definitions:
        target = self.texts.operation(s.target)
        counter = "_" if target == UNNAMED else target
        text = f"for {counter} in {self.texts.range(s)}"
        bounds = (s.start, s.stop, s.step)
        inner = self.parts.cluster(s, "", "repeated", cluster)
        number = self.test(s, text, inner, bounds, current)
        self.parts.heads.add(number)
        counted = {s.target.name: frozenset({number})}
        once = self.block(s.body, {**current, **counted}, inner)
        with_more = {**_met(current, once), **counted}
        carrying, self.carrying = self.carrying, True
        self.block(s.body, with_more, inner)
        self.carrying = carrying
        return _met(current, once)

    def repeated(
        self, s: ir.While, current: Definitions, cluster: int | None
    ) -> Definitions:
        text = f"while {self.texts.operation(jumps.tested(s.test))}"
        inner = self.parts.cluster(s, "", "repeated", cluster)
        entered = self.block(s.condition, current, inner)
        number = self.test(s, text, inner, (s.test,), entered)
        self.parts.heads.add(number)
        once = self.block(s.body, entered, inner)
        carrying, self.carrying = self.carrying, True
        again = self.block(s.condition, _met(current, once), inner)
        self.reads(number, (s.test,), again)
        self.block(s.body, again, inner)
        self.carrying = carrying
        return _met(entered, again)

    def attempt(
        self, s: ir.Try, current: Definitions, cluster: int | None
    ) -> Definitions:
        inner = self.parts.cluster(s, "try", "try", cluster)
        tried = self.block(s.body, current, inner)
        # it may have been left behind any of its statements
        left = _met(current, tried, *self.definitions_in(s.body))
        after = self.part(s, "else", s.orelse, tried, cluster)
        found = [after]
        for k, handler in enumerate(s.handlers):
            types = handler.types
            text = (
                "except" if types is None else f"except {self.texts.operation(types)}"
            )
            behind = self.part(s, (k, text), handler.body, left, cluster, text)
            if not ops.ends_raising(handler.body):
                found.append(behind)
        return self.part(s, "finally", s.final, _met(*found), cluster)

    def part(
        self,
        s: ir.Statement,
        key: Hashable,
        block: ir.Block,
        current: Definitions,
        cluster: int | None,
        text: str = "",
    ) -> Definitions:
        """A block of a statement in a cluster of its own, if it holds any."""
        if not block:
            return current
        inner = self.parts.cluster(s, key, text or str(key), cluster)
        return self.block(block, current, inner)

    def definitions_in(self, block: ir.Block) -> Iterator[Definitions]:
        for s in ir.walk(block):
            number = self.parts.known.get(id(s))
            if number is not None:
                yield {v.name: frozenset({number}) for v in ir.direct_writes(s)}

    # ------------------------------------------------------------------ reads

    def test(
        self,
        s: ir.Statement,
        text: str,
        cluster: int | None,
        reads: Sequence[ir.Operand],
        current: Definitions,
    ) -> int:
        """The node of what decides whether a block is run."""
        made = with_place(Node(0, "test", text), s, cluster)
        number = self.parts.node((id(s), "test"), made)
        self.parts.optional.add(number)
        self.reads(number, reads, current)
        return number

    def reads(
        self, number: int, values: Sequence[ir.Apply | ir.Operand], current: Definitions
    ) -> None:
        """Edges from all nodes whose values an operation reads."""
        for value in values:
            for operand in _operands(value):
                if isinstance(operand, ir.Global):
                    made = Node(0, "data", operand.name)
                    source = self.parts.node(("data", operand.name), made)
                    self.parts.edge(source, number)
                elif isinstance(operand, ir.Var):
                    active = (
                        operand.name in self.active and self.parts.nodes[number].active
                    )
                    for source in sorted(current.get(operand.name, ())):
                        carries = active and self.parts.nodes[source].active
                        self.parts.edge(source, number, carries, self.carrying)


def _operands(value: Any) -> Iterator[ir.Operand]:
    """The variables and module data in an operand or operation."""
    match value:
        case ir.Var() | ir.Global():
            yield value
        case ir.Apply(args=args, keywords=keywords):
            for part in (*args, *(v for _, v in keywords)):
                yield from _operands(part)
        case ir.Pack(items=items):
            for part in items:
                yield from _operands(part)
        case ir.Slice(lower=lower, upper=upper, step=step):
            for bound in (lower, upper, step):
                yield from _operands(bound)


def _met(*paths: Definitions) -> Definitions:
    """The definitions where paths meet."""
    found: Definitions = {}
    for path in paths:
        for name, nodes in path.items():
            found[name] = found.get(name, frozenset()) | nodes
    return found
