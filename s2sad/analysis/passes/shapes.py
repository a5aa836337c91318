"""Shapes from named variables: a question about a temporary's shape is asked of one
that the user named.

::

    t = pow(residual, 2)
    n = size(t)              ->      n = size(residual)

so that the temporary itself need not be computed. A variable that is kept for its shape
alone isn't, where a parameter has that shape::

    restore y from y.saved
    y.bar = zeros_like(y)    ->      y.bar = zeros_like(x)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.ir.kinds import Array, Kind, is_lasting
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Block,
    Const,
    Function,
    Operand,
    Restore,
    Statement,
    Var,
)
from s2sad.ir.walking import (
    altered,
    direct_reads,
    direct_writes,
    operand_variables,
    walk,
    with_leaves,
)
from s2sad.ops.buffers import broadcast_like, full_like_of
from s2sad.rules.registry import rule_for
from s2sad.rules.steps.shape_queries import axis_length, shape_of

_SHAPE_ARGUMENT = {
    axis_length: 0,
    shape_of: 0,
    np.size: 0,
    len: 0,
    broadcast_like: 1,
    full_like_of: 1,
    np.zeros_like: 0,
}


def read_shapes_of_named(function: Function) -> Function:
    """The function with shape queries asked of the variables that the user named.

    >>> import operator
    >>> from s2sad.ir.kinds import Axis
    >>> from s2sad.ir.nodes import Return
    >>> from s2sad.ir.text import function_text
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = Array("float64", (Axis("many", "n"),))
    >>> power = Apply(operator.pow, (Var("r"), Const(2)))
    >>> square = Assign(None, Var("t"), power, vector)
    >>> size = Assign(None, Var("n"), Apply(np.size, (Var("t"),)))
    >>> kinds = {"r": vector, "t": vector}
    >>> body = (square, size, Return(None, Var("n")))
    >>> function = Function("f", ("r",), body, kinds, frozenset({"t"}))
    >>> print(function_text(read_shapes_of_named(function)))
    def f(r: float64[n]):
        t = pow(r, 2)  # float64[n]
        n = size(r)
        return n
    """
    facts = available_equations(function.body)

    def origin(variable: Var, equations: Equations, same_dtype: bool) -> Var:
        name = variable.name
        while True:
            equation = equations.get(name)
            if equation is None or not isinstance(equation.value, Apply):
                return Var(name)
            named = name not in function.temporaries and ".bar" not in name
            if named and name in valued:
                return Var(name)
            operation = equation.value
            rule = rule_for(operation.function)
            if rule is None or rule.partials is None:
                return Var(name)
            kind = equation.kind or function.kinds.get(name)
            for argument in operation.args:
                for other in operand_variables(argument):
                    if same_shape(function.kinds.get(other.name), kind, same_dtype):
                        name = other.name
                        break
                else:
                    continue
                break
            else:
                return Var(name)

    valued: set[str] = set()
    """Variables of which more than the shape is read."""
    for s in walk(function.body):
        reads = [v.name for v in direct_reads(s)]
        if isinstance(s, Assign) and isinstance(s.value, Apply):
            place = _SHAPE_ARGUMENT.get(s.value.function)
            measured = None if place is None else s.value.args[place]
            if isinstance(measured, Var):
                reads.remove(measured.name)
        valued.update(reads)
    written = {v.name for s in walk(function.body) for v in direct_writes(s)}
    restored = {s.target.name for s in walk(function.body) if isinstance(s, Restore)}
    measures: dict[object, Apply] = {}
    for parameter in function.parameters:
        kind = function.kinds.get(parameter)
        if (
            parameter not in written
            and isinstance(kind, Array)
            and kind.axes is not None
            and not kind.promoted
        ):
            for k, axis in enumerate(kind.axes):
                # else a residual, and the length is that of another iteration
                if is_lasting(axis.symbol):
                    length = Apply(axis_length, (Var(parameter), Const(k)))
                    measures.setdefault(axis.symbol, length)

    models = {
        name: kind
        for name, kind in ((p, function.kinds.get(p)) for p in function.parameters)
        if name not in written and has_lasting_shape(kind)
    }

    def parameter_like(variable: Var, same_dtype: bool) -> Var:
        """A parameter of the shape of a restored variable that is read for its shape
        alone."""
        if variable.name in valued or variable.name not in restored:
            return variable
        kind = function.kinds.get(variable.name)
        for name, own in models.items():
            if same_shape(own, kind, same_dtype):
                return Var(name)
        return variable

    def parameter_axis(value: Apply) -> Apply | None:
        """The length of a temporary's axis, read off a parameter with the same axis."""
        variable = value.args[0]
        if not isinstance(variable, Var):
            return None
        kind = function.kinds.get(variable.name)
        if variable.name not in function.temporaries or not isinstance(kind, Array):
            return None
        axes = kind.axes
        if axes is None or kind.promoted:
            return None
        if value.function is axis_length:
            place = value.args[1]
            assert isinstance(place, Const)
            return measures.get(axes[place.value].symbol)
        if value.function in (np.size, len) and len(axes) == 1:
            return measures.get(axes[0].symbol)
        return None

    def like_parameter(variable: Var) -> Var:
        """A parameter of the same shape and dtype as a variable of which nothing but
        the shape is read."""
        kind = function.kinds.get(variable.name)
        if variable.name in valued or not isinstance(kind, Array):
            return variable
        if not all(a.length == "one" or is_lasting(a.symbol) for a in kind.axes or ()):
            return variable
        for parameter in function.parameters:
            known = function.kinds.get(parameter)
            if parameter not in written and same_shape(known, kind, same_dtype=True):
                return Var(parameter)
        return variable

    def change(s: Statement, equations: Equations) -> Statement:
        if not isinstance(s, Assign) or not isinstance(s.value, Apply):
            return s
        place = _SHAPE_ARGUMENT.get(s.value.function)
        if place is None or not isinstance(s.value.args[place], Var):
            return s
        args: list[Operand] = list(s.value.args)
        same_dtype = s.value.function is np.zeros_like
        named = origin(args[place], equations, same_dtype)  # type: ignore[arg-type]
        args[place] = parameter_like(named, same_dtype)
        asked = (
            s.value
            if args[place] == s.value.args[place]
            else replace(s.value, args=tuple(args))
        )
        return altered(s, value=parameter_axis(asked) or asked)

    def line(s: Statement) -> Block:
        return (change(s, facts.before.get(id(s), Equations())),)

    return altered(function, body=with_leaves(function.body, line))


def has_lasting_shape(kind: Kind | None) -> bool:
    """True for an array whose lengths are known to be the same all the time."""
    if not isinstance(kind, Array) or kind.axes is None or kind.promoted:
        return False
    return bool(kind.axes) and all(
        a.length == "one" or is_lasting(a.symbol) for a in kind.axes
    )


def same_shape(a: Kind | None, b: Kind | None, same_dtype: bool) -> bool:
    """True for two arrays known to have equal shapes."""
    if not isinstance(a, Array) or not isinstance(b, Array):
        return False
    if a.axes is None or b.axes is None or len(a.axes) != len(b.axes):
        return False
    if (
        a.promoted
        or b.promoted
        or (same_dtype and (a.dtype is None or a.dtype != b.dtype))
    ):
        return False
    return all(
        x.length == y.length
        and (x.length == "one" or (x.symbol is not None and x.symbol == y.symbol))
        for x, y in zip(a.axes, b.axes, strict=True)
    )
