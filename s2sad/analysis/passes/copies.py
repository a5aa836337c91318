"""Copy propagation: a variable that only repeats another is read from that one.

::

    t = x                     t = x
    y = mul(t, 2)     ->      y = mul(x, 2)

Only variables with one definition are replaced, where the equation still holds.
Constants replace temporaries; the user's named constants keep their names.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.analysis.dataflow.dataflow import Facts
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    For,
    Function,
    Global,
    If,
    Operand,
    Statement,
    Try,
    Var,
    While,
    With,
)
from s2sad.ir.walking import (
    altered,
    as_block,
    direct_reads,
    direct_writes,
    map_value,
    walk,
    with_blocks,
)


def propagate_copies(function: Function, *, keep_bounds: bool = False) -> Function:
    """The function with copies read from their originals; with ``keep_bounds``, bounds
    of slices are read from the variables whose kinds say what they measure.

    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> copy = Assign(None, Var("t"), Var("x"))
    >>> product = Assign(None, Var("y"), Apply(max, (Var("t"), Const(2))))
    >>> body = (copy, product, Return(None, Var("y")))
    >>> function = Function("f", ("x",), body, {}, frozenset({"t"}))
    >>> print(function_text(propagate_copies(function)))
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


def _with_results_named(function: Function) -> Function:
    """``t = operation; x = t`` as ``x = operation``, where ``t`` is a temporary read
    nowhere else."""
    reads = Counter(v.name for s in walk(function.body) for v in direct_reads(s))
    writes = Counter(v.name for s in walk(function.body) for v in direct_writes(s))

    def block(statements: Block) -> Block:
        result: list[Statement] = []
        for s in statements:
            match s:
                case If() | For() | While() | Try() | With():
                    s = with_blocks(s, block)
                case Assign(target=Var() as target, value=Var() as value):
                    place = defining_place(result, value.name)
                    if (
                        place is not None
                        and value.name in function.temporaries
                        and reads[value.name] == writes[value.name] == 1
                        and not any(
                            target.name in _occurring(other) for other in result[place:]
                        )
                    ):
                        result[place] = replace(
                            result[place],  # type: ignore[call-arg]
                            target=target,
                            derived=s.derived,
                            span=s.span,
                        )
                        continue
            result.append(s)
        return as_block(result, statements)

    return altered(function, body=block(function.body))


def defining_place(statements: list[Statement], name: str) -> int | None:
    """Where in a block a variable is assigned by an operation."""
    for place in range(len(statements) - 1, -1, -1):
        s = statements[place]
        if isinstance(s, Assign) and s.target == Var(name):
            return place if isinstance(s.value, Apply) else None
    return None


def _occurring(statement: Statement) -> set[str]:
    return {
        v.name
        for s in walk((statement,))
        for v in (*direct_reads(s), *direct_writes(s))
    }


class _Propagation:
    def __init__(self, function: Function, kept: frozenset[str]) -> None:
        self.function = function
        self.replaceable = function.temporaries - kept
        writes = Counter(v.name for s in walk(function.body) for v in direct_writes(s))
        writes.update(function.parameters)
        self.once = {name for name, count in writes.items() if count == 1} - kept
        self.facts: Facts[Equations] = available_equations(function.body)

    def run(self) -> Function:
        return altered(self.function, body=self.block(self.function.body))

    def original(self, variable: Var, equations: Equations) -> Operand:
        """What a variable repeats, followed to its origin."""
        seen: Operand = variable
        while isinstance(seen, Var) and seen.name in self.once:
            equation = equations.get(seen.name)
            if equation is None or isinstance(equation.value, Apply):
                break
            value = equation.value
            if isinstance(value, Const | Global):
                if (
                    seen.name not in self.function.temporaries
                    and ".bar" not in seen.name
                ):
                    break
            elif not isinstance(value, Var) or (
                value.name in self.replaceable
                and seen.name not in self.function.temporaries
            ):
                break
            seen = value
        return seen

    def block(self, block: Block) -> Block:
        return as_block([self.statement(s) for s in block], block)

    def statement(self, s: Statement) -> Statement:
        equations = self.facts.before.get(id(s), Equations())

        def read(variable: Var) -> Operand:
            return self.original(variable, equations)

        def read_again(variable: Var) -> Operand:
            """What the reverse of a branch or loop reads too, after it has run."""
            found = self.original(variable, equations)
            return variable if found in written else found

        written = {v for inner in walk((s,)) for v in direct_writes(inner)}
        match s:
            case If():
                return altered(
                    s,
                    test=map_value(s.test, read_again),
                    body=self.block(s.body),
                    orelse=self.block(s.orelse),
                )
            case For():
                return altered(
                    s,
                    start=map_value(s.start, read_again),
                    stop=map_value(s.stop, read_again),
                    step=map_value(s.step, read_again),
                    body=self.block(s.body),
                )
            case While():
                last = s.condition[-1] if s.condition else None
                inner = self.facts.after.get(id(last), Equations())
                return altered(
                    s,
                    condition=self.block(s.condition),
                    test=map_value(s.test, lambda v: self.original(v, inner)),
                    body=self.block(s.body),
                )
            case Try() | With():
                s = with_blocks(s, self.block)
        if hasattr(s, "value"):
            return altered(s, value=map_value(s.value, read))
        return s
