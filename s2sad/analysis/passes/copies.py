"""Copy propagation: a variable that only repeats another is read from that one.

::

    t = x                     t = x
    y = mul(t, 2)     ->      y = mul(x, 2)

Only variables with one definition are replaced, where the equation still holds.
Constants replace temporaries; the user's named constants keep their names.
"""

import dataclasses
from typing import Any

from s2sad import ir
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.analysis.dataflow.dataflow import Facts


def propagate_copies(
    function: ir.Function, *, keep_bounds: bool = False
) -> ir.Function:
    """The function with copies read from their originals; with ``keep_bounds``, bounds
    of slices are read from the variables whose kinds say what they measure.

    >>> copy = ir.Assign(None, ir.Var("t"), ir.Var("x"))
    >>> product = ir.Assign(
    ...     None, ir.Var("y"), ir.Apply(max, (ir.Var("t"), ir.Const(2)))
    ... )
    >>> body = (copy, product, ir.Return(None, ir.Var("y")))
    >>> function = ir.Function("f", ("x",), body, {}, frozenset({"t"}))
    >>> print(ir.function_text(propagate_copies(function)))
    def f(x: ?):
        t = x
        y = max(x, 2)
        return y
    """
    kept = frozenset(
        name
        for name, kind in function.kinds.items()
        if keep_bounds and getattr(kind, "length_of", None) == ("bound", name)
    )
    return _Propagation(_with_results_named(function), kept).run()


def _with_results_named(function: ir.Function) -> ir.Function:
    """``t = operation; x = t`` as ``x = operation``, where ``t`` is a temporary read
    nowhere else."""
    copied = {
        s.value.name
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign)
        and isinstance(s.value, ir.Var)
        and s.value.name in function.temporaries
    }
    if not copied:
        return function
    uses = ir.uses_in(function.body)
    once = {n for n in copied if uses.reads[n] == uses.writes[n] == 1}
    if not once:
        return function
    return ir.altered(function, body=_with_named(function.body, once, False))


def _with_named(statements: ir.Block, once: set[str], watched: bool) -> ir.Block:
    """A block where ``once`` are the temporaries that are assigned and read once;
    ``watched``: where something raises in it, a handler may read what the variables
    held until then."""
    result: list[ir.Statement] = []
    for s in statements:
        inner = watched or isinstance(s, ir.Try | ir.With)
        s = ir.with_blocks(s, lambda block, w=inner: _with_named(block, once, w))  # type: ignore[misc]
        match s:
            case ir.Assign(target=ir.Var() as target, value=ir.Var(name)) if (
                name in once
            ):
                place = defining_place(result, name)
                if (
                    place is not None
                    # what a call gives beside residuals isn't called like a cotangent
                    and not (s.derived and _gives_several(result[place]))
                    and target.name not in _in_the_way(result[place])
                    and not (
                        watched and any(map(ir.may_raise, ir.walk(result[place + 1 :])))
                    )
                    and not any(
                        target.name in _occurring(other)
                        for other in result[place + 1 :]
                    )
                ):
                    result[place] = _with_name(result[place], s)
                    continue
        result.append(s)
    return ir.as_block(result, statements)


def _gives_several(statement: ir.Statement) -> bool:
    assert isinstance(statement, ir.Assign)
    return isinstance(statement.target, ir.Pack) and not statement.derived


def _with_name(statement: ir.Statement, copy: ir.Assign) -> ir.Statement:
    """The line that assigns a value, to the variable of a copy of it at once."""
    assert isinstance(statement, ir.Assign)
    if isinstance(statement.target, ir.Pack):
        items = (copy.target if i == copy.value else i for i in statement.target.items)
        target = dataclasses.replace(statement.target, items=tuple(items))
        return ir.altered(statement, target=target)
    return ir.altered(
        statement, target=copy.target, derived=copy.derived, span=copy.span
    )


def defining_place(statements: list[ir.Statement], name: str) -> int | None:
    """Where in a block a variable is assigned by an operation."""
    target = ir.Var(name)
    for place in range(len(statements) - 1, -1, -1):
        s = statements[place]
        if isinstance(s, ir.Assign) and target in _targets(s):
            return place if isinstance(s.value, ir.Apply) else None
    return None


def _in_the_way(statement: ir.Statement) -> set[str]:
    """The names that no part of what a line assigns can have. One value alone isn't
    assigned to what it is computed from: that is kept more often than a product."""
    several = isinstance(statement, ir.Assign) and isinstance(statement.target, ir.Pack)
    if several:
        return {v.name for v in ir.direct_writes(statement)}
    return _occurring(statement)


def _targets(statement: ir.Assign) -> tuple[ir.Operand, ...]:
    target = statement.target
    return target.items if isinstance(target, ir.Pack) else (target,)


def _occurring(statement: ir.Statement) -> set[str]:
    return {
        v.name
        for s in ir.walk((statement,))
        for v in (*ir.direct_reads(s), *ir.direct_writes(s))
    }


class _Propagation:
    def __init__(self, function: ir.Function, kept: frozenset[str]) -> None:
        self.function = function
        self.replaceable = function.temporaries - kept
        writes = ir.uses_in(function.body).writes
        self.copies = {
            s.target.name: s.value
            for s in ir.walk(function.body)
            if isinstance(s, ir.Assign)
            and not isinstance(s.value, ir.Apply)
            and isinstance(s.target, ir.Var)
            and writes[s.target.name] == 1
            and s.target.name not in function.parameters
            and s.target.name not in kept
            and self._may_be_replaced(s.target.name, s.value)
        }
        """What variables repeat, where their equation holds: no statement that reads
        none of these changes."""
        self.facts: Facts[Equations] = available_equations(function.body)

    def run(self) -> ir.Function:
        if not self.copies:
            return self.function
        return ir.altered(self.function, body=self.block(self.function.body))

    def _may_be_replaced(self, name: str, value: ir.Apply | ir.Operand) -> bool:
        """True for a value that may be read in place of the variable."""
        temporary = name in self.function.temporaries
        if isinstance(value, ir.Const | ir.Global):
            return temporary or ".bar" in name
        named = isinstance(value, ir.Var) and value.name not in self.replaceable
        return named or (temporary and isinstance(value, ir.Var))

    def original(self, variable: ir.Var, equations: Equations) -> ir.Operand:
        """What a variable repeats, followed to its origin."""
        seen: Any = variable
        while isinstance(seen, ir.Var) and seen.name in self.copies:
            if seen.name not in equations:
                break
            seen = self.copies[seen.name]
        return seen

    def block(self, block: ir.Block) -> ir.Block:
        return ir.as_block([self.statement(s) for s in block], block)

    def statement(self, s: ir.Statement) -> ir.Statement:
        if self.copies.keys().isdisjoint(ir.names_read(s)):
            return ir.with_blocks(s, self.block)
        equations = self.facts.before.get(id(s), Equations())

        def read(variable: ir.Var) -> ir.Operand:
            return self.original(variable, equations)

        def read_again(variable: ir.Var) -> ir.Operand:
            """What the reverse of a branch or loop reads too, after it has run."""
            found = self.original(variable, equations)
            return variable if found in written else found

        within = ir.walk((s,)) if type(s) in ir.COMPOUND else ()
        written = {v for inner in within for v in ir.direct_writes(inner)}
        if isinstance(s, ir.While):
            last = s.condition[-1] if s.condition else None
            inner = self.facts.after.get(id(last), Equations())
            test = ir.map_value(s.test, lambda v: self.original(v, inner))
            return ir.altered(ir.with_blocks(s, self.block), test=test)
        rename = read_again if isinstance(s, ir.If | ir.For) else read
        return ir.with_variables(ir.with_blocks(s, self.block), rename)
