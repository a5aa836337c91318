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

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from s2sad import ir, ops, rules
from s2sad.analysis.dataflow.available import Equations, available_equations
from s2sad.rules.steps.shape_queries import axis_length, shape_of

_SHAPE_ARGUMENT = {
    axis_length: 0,
    shape_of: 0,
    np.size: 0,
    len: 0,
    ops.broadcast_like: 1,
    ops.full_like_of: 1,
    np.zeros_like: 0,
}


def read_shapes_of_named(function: ir.Function) -> ir.Function:
    """The function with shape queries asked of the variables that the user named.

    >>> import operator
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> vector = ir.Array("float64", (ir.Axis("many", "n"),))
    >>> power = ir.Apply(operator.pow, (ir.Var("r"), ir.Const(2)))
    >>> square = ir.Assign(None, ir.Var("t"), power, vector)
    >>> size = ir.Assign(None, ir.Var("n"), ir.Apply(np.size, (ir.Var("t"),)))
    >>> kinds = {"r": vector, "t": vector}
    >>> body = (square, size, ir.Return(None, ir.Var("n")))
    >>> function = ir.Function("f", ("r",), body, kinds, frozenset({"t"}))
    >>> print(ir.function_text(read_shapes_of_named(function)))
    def f(r: float64[n]):
        t = pow(r, 2)  # float64[n]
        n = size(r)
        return n
    """
    if not any(map(_asks_for_shape, ir.walk(function.body))):
        return function
    facts = available_equations(function.body)

    def origin(variable: ir.Var, equations: Equations, same_dtype: bool) -> ir.Var:
        name = variable.name
        while True:
            equation = equations.get(name)
            if equation is None or not isinstance(equation.value, ir.Apply):
                return ir.Var(name)
            named = name not in function.temporaries and ".bar" not in name
            if named and name in valued:
                return ir.Var(name)
            operation = equation.value
            rule = rules.rule_for(operation.function)
            if rule is None or rule.partials is None:
                return ir.Var(name)
            kind = equation.kind or function.kinds.get(name)
            for argument in operation.args:
                for other in ir.operand_variables(argument):
                    if same_shape(function.kinds.get(other.name), kind, same_dtype):
                        name = other.name
                        break
                else:
                    continue
                break
            else:
                return ir.Var(name)

    valued: set[str] = set()
    """Variables of which more than the shape is read."""
    for s in ir.walk(function.body):
        reads = ir.names_read(s)
        if _asks_for_shape(s):
            measured = s.value.args[_SHAPE_ARGUMENT[s.value.function]]
            others = [v.name for v in ir.direct_reads(s)]
            others.remove(str(measured))
            reads = frozenset(others)
        valued |= reads
    written = ir.names_written_in(function.body)
    restored = {
        s.target.name for s in ir.walk(function.body) if isinstance(s, ir.Restore)
    }
    measures: dict[object, ir.Apply] = {}
    for parameter in function.parameters:
        kind = function.kinds.get(parameter)
        if (
            parameter not in written
            and isinstance(kind, ir.Array)
            and kind.axes is not None
            and not kind.promoted
        ):
            for k, axis in enumerate(kind.axes):
                # else a residual, and the length is that of another iteration
                if ir.is_lasting(axis.symbol):
                    length = ir.Apply(axis_length, (ir.Var(parameter), ir.Const(k)))
                    measures.setdefault(axis.symbol, length)

    models = {
        name: kind
        for name, kind in ((p, function.kinds.get(p)) for p in function.parameters)
        if name not in written and has_lasting_shape(kind)
    }

    def parameter_like(variable: ir.Var, same_dtype: bool) -> ir.Var:
        """A parameter of the shape of a restored variable that is read for its shape
        alone."""
        if variable.name in valued or variable.name not in restored:
            return variable
        kind = function.kinds.get(variable.name)
        for name, own in models.items():
            if same_shape(own, kind, same_dtype):
                return ir.Var(name)
        return variable

    def parameter_axis(value: ir.Apply) -> ir.Apply | None:
        """The length of a temporary's axis, read off a parameter with the same axis."""
        variable = value.args[0]
        if not isinstance(variable, ir.Var):
            return None
        kind = function.kinds.get(variable.name)
        if variable.name not in function.temporaries or not isinstance(kind, ir.Array):
            return None
        axes = kind.axes
        if axes is None or kind.promoted:
            return None
        if value.function is axis_length:
            place = value.args[1]
            assert isinstance(place, ir.Const)
            return measures.get(axes[place.value].symbol)
        if value.function in (np.size, len) and len(axes) == 1:
            return measures.get(axes[0].symbol)
        return None

    def change(s: ir.Statement) -> ir.Statement:
        if not _asks_for_shape(s):
            return s
        place = _SHAPE_ARGUMENT[s.value.function]
        args: list[ir.Operand] = list(s.value.args)
        same_dtype = s.value.function is np.zeros_like
        equations = facts.before.get(id(s), Equations())
        named = origin(args[place], equations, same_dtype)  # type: ignore[arg-type]
        args[place] = parameter_like(named, same_dtype)
        asked = (
            s.value
            if args[place] == s.value.args[place]
            else replace(s.value, args=tuple(args))
        )
        return ir.altered(s, value=parameter_axis(asked) or asked)

    return ir.altered(
        function, body=ir.with_leaves(function.body, lambda s: (change(s),))
    )


def _asks_for_shape(s: ir.Statement) -> TypeGuard[ir.Result]:
    """True for a shape query about a variable."""
    if not ir.applies(s):
        return False
    place = _SHAPE_ARGUMENT.get(s.value.function)
    return place is not None and isinstance(s.value.args[place], ir.Var)


def has_lasting_shape(kind: ir.Kind | None) -> bool:
    """True for an array whose lengths are known to be the same all the time."""
    if not isinstance(kind, ir.Array) or kind.axes is None or kind.promoted:
        return False
    return bool(kind.axes) and all(
        a.length == "one" or ir.is_lasting(a.symbol) for a in kind.axes
    )


def same_shape(a: ir.Kind | None, b: ir.Kind | None, same_dtype: bool) -> bool:
    """True for two arrays known to have equal shapes."""
    if not isinstance(a, ir.Array) or not isinstance(b, ir.Array):
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
