"""Common subexpressions: a function that a rule calls with the same numbers as before
isn't called again.

::

    d.1 = digamma(a)                       d.1 = digamma(a)
    a.bar = sub(a.bar, d.1)                a.bar = sub(a.bar, d.1)
    d.2 = digamma(a)              ->       d.2 = d.1
    b.bar = add(b.bar, d.2)                b.bar = add(b.bar, d.2)

Only lines that rules wrote are changed, lines of the user's that stand in the program
more than once since calls were written out, and parts of the user's expressions, as
``math.sqrt(t)`` in two lines. Of numbers, which cost no memory, all calls that cost
more than arithmetic are shared, elements of arrays, and arithmetic of the user's that
has a name, since the derivative reads it; of arrays, products. Arguments are compared
through sums and products, so ``digamma(t)`` and ``digamma(s)`` are the same call where
``t = a + b`` and ``s = a + b`` hold. Source: value numbering, Aho, Lam, Sethi and
Ullman, Compilers (2nd ed.), section 6.1.2.
"""

import operator
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeGuard

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.analysis.dataflow.dataflow import Facts
from s2sad.analysis.passes.purity import is_pure
from s2sad.custom import CustomFunction

NEAREST = 24
"""How many calls of the same function back the same one is looked for."""
_DEEPEST = 6
"""Through how many operations arguments are compared."""
_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.truediv, operator.pow),
    operator.neg,
)


def share_common_subexpressions(function: ir.Function) -> ir.Function:
    """The function with repeated calls as copies of the first result.

    >>> import math
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> def line(name):
    ...     return ir.Assign(
    ...         None, ir.Var(name), ir.Apply(math.exp, (ir.Var("x"),)), ir.FLOAT, True
    ...     )
    >>> body = (
    ...     line("a"),
    ...     line("b"),
    ...     ir.Return(None, ir.pack_tuple(ir.Var("a"), ir.Var("b"))),
    ... )
    >>> function = ir.Function("f", ("x",), body, dict.fromkeys("xab", ir.FLOAT))
    >>> print(ir.function_text(share_common_subexpressions(function)))
    def f(x: float):
        a = exp(x)  # float
        b = a  # float
        return tuple(a, b)
    """
    sharing = _Sharing(function)
    functions = [
        s.value.function for s in ir.walk(function.body) if sharing.concerns(s)
    ]
    return function if len(functions) == len(set(functions)) else sharing.run()


class _Sharing:
    def __init__(self, function: ir.Function) -> None:
        self.function = function
        self.uses = ir.uses_in(function.body)
        self.apart = _apart(function.body)
        self.calls: dict[Any, list[ir.Line]] = {}
        """The calls so far, by function."""

    @cached_property
    def facts(self) -> Facts[Equations]:
        """The equations that hold at each place."""
        return available_equations(self.function.body)

    def concerns(self, s: ir.Statement) -> TypeGuard[ir.Line]:
        """True for lines that may be shared with others."""
        return _may_be_shared(s) or self._is_named_part(s)

    def run(self) -> ir.Function:
        return ir.altered(self.function, body=self.block(self.function.body))

    def block(self, block: ir.Block) -> ir.Block:
        result: list[ir.Statement] = []
        for s in block:
            s = ir.with_blocks(s, self.block)
            if self.concerns(s):
                # the user may ask whether two arrays are one
                own = s.derived or not isinstance(s.kind, ir.Array)
                earlier = self._earlier(s) if own else None
                if earlier is None:
                    self.calls.setdefault(s.value.function, []).append(s)
                else:
                    s = replace(s, value=earlier)
            result.append(s)
        return ir.as_block(result, block)

    def _is_named_part(self, s: ir.Statement) -> TypeGuard[ir.Line]:
        """True for arithmetic within an expression of the user's that has a name, since
        its derivative reads it, too."""
        return (
            ir.is_line(s, *_ARITHMETIC)
            and not s.derived
            and isinstance(s.kind, ir.Scalar | ir.NumPyScalar)
            and self._is_part(s)
            and self.uses.reads[s.target.name] > 1
        )

    def _is_part(self, s: ir.Line) -> bool:
        """True for an operation on numbers within an expression of the user's."""
        variables = [*ir.value_variables(s.value)]
        return (
            s.target.name in self.function.temporaries
            and id(s) not in self.apart
            and not isinstance(s.value.function, CustomFunction)
            and bool(variables)
            and all(map(self._is_number, s.value.args))
            and not s.value.keywords
        )

    def _is_number(self, operand: ir.Operand) -> bool:
        if isinstance(operand, ir.Const):
            return True
        kind = ir.kind_of(operand, self.function.kinds)
        return isinstance(kind, ir.Scalar | ir.NumPyScalar)

    def _may_repeat(self, s: ir.Line, call: ir.Line) -> bool:
        """True for a line that a rule wrote, a line of the user's that was written out
        again, and a part of an expression like one that the user wrote before."""
        if s.derived:
            return True
        if call.derived or call.span == s.span:
            return not call.derived
        return id(call) not in self.apart and self._is_part(s)

    def _earlier(self, s: ir.Line) -> ir.Var | ir.Apply | None:
        """The variable that holds what a line would compute again, or minus that."""
        equations = self.facts.before.get(id(s), Equations())
        own = _key(s.value, equations)
        sign, without_sign = _signed(s.value, equations)
        for call in reversed(self.calls.get(s.value.function, [])[-NEAREST:]):
            holds = equations.get(call.target.name) is call
            if not holds or call.kind != s.kind:
                continue
            if not self._may_repeat(s, call):
                continue
            if _has_key(call.value, own, equations):
                return call.target
            other, value = _signed(call.value, equations)
            if other != sign and _has_key(
                value, _key(without_sign, equations), equations
            ):
                return ir.Apply(operator.neg, (call.target,))
        return None


def _apart(body: ir.Block) -> set[int]:
    """The statements whose parts are computed where they stand: those of blocks of
    managers, which may say what a call does, and tests of loops, which run once more
    than the body."""
    blocks: list[ir.Block] = []
    for s in ir.walk(body):
        if isinstance(s, ir.With):
            blocks.append((s,))
        elif isinstance(s, ir.While):
            blocks.append(s.condition)
    return {id(s) for block in blocks for s in ir.walk(block)}


def _may_be_shared(s: ir.Statement) -> TypeGuard[ir.Line]:
    """True for a call that costs more than arithmetic, whose result is a number, and
    for a product of arrays."""
    if not ir.is_line(s):
        return False
    function = s.value.function
    if isinstance(s.kind, ir.Array):
        return function is operator.mul and not s.value.keywords
    if not isinstance(s.kind, ir.Scalar | ir.NumPyScalar):
        return False
    if function is operator.getitem:
        return True
    if isinstance(function, ir.Procedure) or function is len:
        return False
    if not any(ir.value_variables(s.value)):
        return False  # a constant reads best where it is needed
    rule = rules.rule_for(function)
    module = getattr(function, "__module__", None) or ""
    known = rule is not None or module.startswith(ops.CALLED_BY_NAME)
    cheap = rule is not None and rule.cheap
    return known and not cheap and module != "_operator" and is_pure(function)


def _signed(value: ir.Apply, equations: Equations) -> tuple[int, ir.Apply]:
    """The sign that a product has from its first factor, and the product without."""
    if value.function is not operator.mul or not isinstance(value.args[0], ir.Var):
        return 1, value
    equation = equations.get(value.args[0].name)
    factor = equation.value if equation is not None else None
    if not isinstance(factor, ir.Apply) or factor.function is not operator.neg:
        return 1, value
    return -1, replace(value, args=(factor.args[0], *value.args[1:]))


def _key(value: Any, equations: Equations, depth: int = 0) -> Any:
    """Equal for operations on equal operands."""
    value, depth = _written_out(value, equations, depth)
    match value:
        case ir.Apply(function=function, args=args, keywords=keywords):
            parts = [_key(a, equations, depth) for a in args]
            words = [(k, _key(v, equations, depth)) for k, v in keywords]
            return function, parts, words
        case ir.Var(name=name):
            return ir.Var, name
        case ir.Const(value=number):
            return type(number), repr(number)
    return object()  # data, which may have changed


def _has_key(value: Any, key: Any, equations: Equations, depth: int = 0) -> bool:
    """True for a value that has a key; found out up to where it differs, since most
    that are compared do."""
    value, depth = _written_out(value, equations, depth)
    if not isinstance(value, ir.Apply):
        return bool(_key(value, equations, _DEEPEST) == key)
    if not isinstance(key, tuple) or len(key) != 3:
        return False
    function, parts, words = key
    return (
        value.function == function
        and len(value.args) == len(parts)
        and [k for k, _ in value.keywords] == [k for k, _ in words]
        and all(
            _has_key(v, k, equations, depth)
            for v, k in zip(value.args, parts, strict=True)
        )
        and all(
            _has_key(v, k, equations, depth)
            for (_, v), (_, k) in zip(value.keywords, words, strict=True)
        )
    )


def _written_out(value: Any, equations: Equations, depth: int) -> tuple[Any, int]:
    """What a variable is computed by, where that is a copy or arithmetic."""
    while isinstance(value, ir.Var) and depth < _DEEPEST:
        equation = equations.get(value.name)
        inner = equation.value if equation is not None else None
        arithmetic = isinstance(inner, ir.Apply) and inner.function in _ARITHMETIC
        if not arithmetic and not isinstance(inner, ir.Var):
            break
        value, depth = inner, depth + 1
    return value, depth
