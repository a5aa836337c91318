"""``fixed_point`` and ``root`` inside a function that is differentiated.

The iterations are written out; one operation behind them says what they have found::

    z = fixed_point(step, z0, a)    ->    z.1 = ... (a loop with step written out)
                                          z = solution(z.1, a)

``step`` is a procedure besides, which the derivatives of the operation differentiate.
What it reads of the functions around it are parameters of the procedure, and get their
derivatives like any other.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad.frontend.normalise import normalised
from s2sad.frontend.resolve import StaticFunction, StaticS2sad
from s2sad.frontend.scopes import assigned_names
from s2sad.frontend.source import source_of_own
from s2sad.frontend.specialise.activations import Frame
from s2sad.frontend.specialise.cells import by_value, contents
from s2sad.frontend.specialise.exceptions import BindsOutside, Unsupported
from s2sad.frontend.specialise.inlining import activation_of, inline
from s2sad.frontend.specialise.nested_functions import procedure_for_call
from s2sad.frontend.specialise.recursion import (
    arguments_of,
    call_with,
    new_procedure,
    procedure_of,
    specialise_procedure,
)
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
    Cell,
    Closure,
    Leaf,
    Partial,
    Value,
    aggregate_of,
    constant,
    describe,
    kind_of,
    leaves,
    map_leaves,
)
from s2sad.implicit import fixed_point, root
from s2sad.implicit.iterations import iterated, newton
from s2sad.implicit.jacobians import columns_of_difference, columns_of_jacobian
from s2sad.ir.kinds import (
    Array,
    Axis,
    Kind,
    Scalar,
    is_promoted,
    is_real_number_kind,
    rank_of,
    without_value,
)
from s2sad.ir.nodes import Const
from s2sad.ir.procedures import Procedure, draws
from s2sad.rules.result_kinds import is_static, static_value

Args = tuple[Value, ...]
Words = dict[str, Value]


def implicit_call(
    spec: Specialiser, function: Any, args: Args, words: Words, node: ast.AST
) -> Value | None:
    """A call of ``fixed_point`` or ``root``, or of what stands for their arguments
    while they are written out; None for anything else."""
    if isinstance(function, StaticS2sad):
        name = function.path.removeprefix("s2sad.").removeprefix("implicit.")
        handler = {"fixed_point": _fixed_point, "root": _root}.get(name)
    else:
        handler = _HANDLERS.get(function)
    return None if handler is None else handler(spec, args, words, node)


def _fixed_point(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    step, z0, others, tol, maxiter = _arguments(spec, args, words, 1000, node)
    equation, given = _equation(spec, step, z0, others, node)
    written = Partial(constant(flat_call), (step, _form(z0), aggregate_of(others)))
    given_to = (written, _flat(z0), tol, maxiter)
    found = inline(spec, source_of_own(iterated), given_to, {}, node)
    own = _own(spec, _like(z0, found))
    if not _same_kinds(own, z0):
        equation, given = _equation(spec, step, own, others, node)
    return _solution(spec, equation, given, own, node, is_root=False)


def _root(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    f, z0, others, tol, maxiter = _arguments(spec, args, words, 100, node)
    equation, given = _equation(spec, f, z0, others, node)
    count = len(list(leaves(z0)))
    matrix = _matrix(spec, equation, given, count, True, node)
    known = (constant(equation), constant(matrix), aggregate_of(tuple(given[count:])))
    slope = Partial(constant(matrix_call), known)
    written = Partial(constant(flat_call), (f, _form(z0), aggregate_of(others)))
    given_to = (written, slope, _flat(z0), tol, maxiter)
    found = inline(spec, source_of_own(newton), given_to, {}, node)
    own = _own(spec, _like(z0, found))
    if not _same_kinds(own, z0):
        equation, given = _equation(spec, f, own, others, node)
    return _solution(spec, equation, given, own, node, is_root=True)


# ------------------------------------------------------------------ the iterations


def flat_call(*args: Any) -> Any:
    """Stands for ``step`` as a function of a number, an array or a tuple of these."""
    raise NotImplementedError


def _flat_call(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    from s2sad.frontend.specialise.calls import call_value

    step, form, others, z = args
    assert isinstance(others, Aggregate)
    given = (_like(form, z), *others.items)
    return _flat(by_value(spec, call_value(spec, step, given, {}, node)))


def matrix_call(*args: Any) -> Any:
    """Stands for the Jacobian of a root's function."""
    raise NotImplementedError


def _matrix_call(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    from s2sad.transform.implicit import slope

    equation, matrix, others, z = args
    given = [*leaves(z), *leaves(others)]
    program: Procedure | None = static_value(kind_of(matrix))
    if program is not None:
        return call_with(spec, program, given)
    return slope(spec, static_value(kind_of(equation)), given, True)


def push_call(*args: Any) -> Any:
    """Stands for the tangent of an equation, of that of its unknown."""
    raise NotImplementedError


def _push_call(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    from s2sad.transform.implicit import written_or_called
    from s2sad.transform.procedures import pushforward_of

    mark, given, tangent = args
    equation: Procedure = static_value(kind_of(mark))
    dots = list(leaves(tangent))
    names = (str(p.operand) for p in equation.details.parameters[: len(dots)])
    made = pushforward_of(equation, tuple(names))
    found = written_or_called(spec, made, [*leaves(given), *dots])
    assert isinstance(found, Aggregate)
    parts = found.items[len(dots) :]
    return parts[0] if len(parts) == 1 else aggregate_of(parts)


_HANDLERS: dict[Any, Callable[..., Value]] = {
    fixed_point: _fixed_point,
    root: _root,
    flat_call: _flat_call,
    matrix_call: _matrix_call,
    push_call: _push_call,
}


# ------------------------------------------------------------------ the solution


def _solution(
    spec: Specialiser,
    equation: Procedure,
    given: list[Leaf],
    found: Value,
    node: ast.AST,
    is_root: bool,
) -> Value:
    """What the iterations found, with the derivative of the solution. ``given`` are the
    arguments of the equation, at the first guess."""
    from s2sad.transform.implicit import Solution

    parts = list(leaves(found))
    count = len(parts)
    given = [*parts, *given[count:]]
    matrix = _matrix(spec, equation, given, count, is_root, node)
    name = f"{equation.__name__}_solution"
    operation = Solution(name, equation, count, matrix, is_root)
    if not operation.rule.differentiates:
        return found
    result = spec.apply(operation, tuple(given), node=node, hint="solution")
    return _like(found, result)


def _own(spec: Specialiser, found: Value) -> Value:
    return map_leaves(found, lambda leaf, path: _copied(spec, leaf))


def _same_kinds(value: Value, other: Value) -> bool:
    """True where a procedure for one fits the other: only the lengths may differ."""
    pairs = zip(leaves(value), leaves(other), strict=True)
    return all(_without_lengths(a.kind) == _without_lengths(b.kind) for a, b in pairs)


def _without_lengths(kind: Kind) -> Kind:
    kind = without_value(kind)
    if isinstance(kind, Array) and kind.axes is not None:
        ones = (Axis("one" if a.length == "one" else "any") for a in kind.axes)
        return replace(kind, axes=tuple(ones))
    return kind


def _copied(spec: Specialiser, leaf: Leaf) -> Leaf:
    """Nobody else holds an array that is a solution."""
    if not isinstance(leaf.kind, Array):
        return leaf
    made = spec.apply(np.copy, (leaf,), hint="solution")
    assert isinstance(made, Leaf)
    return made


def _equation(
    spec: Specialiser, f: Value, unknown: Value, others: Args, node: ast.AST
) -> tuple[Procedure, list[Leaf]]:
    """The equation as a procedure, and what its parameters get here."""
    try:
        if _is_plain(f):
            args = (unknown, *others)
            procedure, bound, _ = procedure_for_call(
                spec, f, args, {}, node, own_arguments=False
            )
        else:
            bound = {"unknown": unknown, "equation": f, "others": aggregate_of(others)}
            procedure = _procedure_of_applied(spec, f, bound, node)
    except BindsOutside as found:
        raise _changes_others(f, node) from found
    details = procedure.details
    if details.problems:
        spec.raise_problems()
    assert details.result is not None
    _check_form(unknown, details.result, f, node)
    first, *_ = details.arguments.values()
    count = len(list(leaves(unknown)))
    own = [leaf.operand for leaf in leaves(first)]
    if own != [p.operand for p in details.parameters[:count]]:
        raise Unsupported(
            node,
            f"the first parameter of {describe(f)} isn't the unknown of the equation",
            "let it take the unknown first, as a parameter of its own",
        )
    if details.changed or details.written:
        raise _changes_others(f, node)
    if draws(procedure):
        raise Unsupported(
            node,
            f"{describe(f)} draws random numbers, and is another function each time",
            "draw them before, and pass them in",
        )
    return procedure, arguments_of(spec, procedure, bound)


def _changes_others(f: Value, node: ast.AST) -> Unsupported:
    return Unsupported(
        node,
        f"{describe(f)} changes what isn't its own, and the derivative of a solution "
        "doesn't depend on the iterations",
        "let it only compute its result",
    )


def _is_plain(f: Value) -> bool:
    """True for a function written with def or lambda."""
    if isinstance(f, Leaf):
        known = getattr(f.kind, "value", None)
        return isinstance(known, types.FunctionType | StaticFunction)
    return isinstance(f, Closure)


def applied(unknown: Any, equation: Callable[..., Any], others: Any) -> Any:
    """A method, a partial function or an object that can be called, as an equation."""
    return equation(unknown, *others)


def _procedure_of_applied(
    spec: Specialiser, f: Value, bound: dict[str, Value], node: ast.AST
) -> Procedure:
    source = source_of_own(applied)

    def activation() -> Frame:
        return activation_of(spec, source, None, bound)

    made = procedure_of(spec, source, bound, activation, normalised(source), node)
    name = str(describe(f)).split()[-1].strip("'")
    made.__name__ = name if name.isidentifier() else "equation"
    return made


def _matrix(
    spec: Specialiser,
    equation: Procedure,
    given: list[Leaf],
    count: int,
    is_root: bool,
    node: ast.AST,
) -> Procedure | None:
    """The program of the Jacobian, with the parameters of the equation; None for an
    equation of numbers, whose derivative is one."""
    known = equation.derived.get(("matrix", is_root))
    if known is not None:
        return known
    if count == 1 and rank_of(given[0].kind) == 0:
        return None
    template = source_of_own(columns_of_jacobian if is_root else columns_of_difference)
    body = normalised(template)
    taken = {*assigned_names(body), "pushed", "unknown"}
    bound: dict[str, Value] = {}
    for parameter, leaf in zip(equation.details.parameters, given, strict=True):
        name = str(parameter.operand)
        while name in taken:
            name += "_"
        bound[name] = replace(leaf, kind=parameter.kind)
    name = equation.__name__
    wish = "jacobian" if name == "function" else f"{name}_jacobian"
    own = new_procedure(spec, template, bound, exact=True, name=wish)
    unknowns = ", ".join(str(p.operand) for p in own.details.parameters[:count])
    what = equation.__name__ if is_root else f"{unknowns} - {equation.__name__}"
    own.docstring = f"Jacobian of {what} with respect to {unknowns}."
    parts = tuple(own.details.parameters)
    unknown = parts[0] if count == 1 else aggregate_of(parts[:count])
    pushed = Partial(constant(push_call), (constant(equation), aggregate_of(parts)))

    def activation() -> Frame:
        frame = activation_of(spec, template, None, {})
        frame.names.update(pushed=pushed, unknown=unknown)
        return frame

    specialise_procedure(spec, own, activation, body, node)
    spec.procedures["exact", own] = own
    equation.derived["matrix", is_root] = own
    return own


# ------------------------------------------------------------------ arguments


def _arguments(
    spec: Specialiser, args: Args, words: Words, most: int, node: ast.AST
) -> tuple[Value, Value, Args, Value, Value]:
    """The function, the first guess, the other arguments, tol and maxiter."""
    words = dict(words)
    tol = words.pop("tol", constant(1e-10))
    maxiter = words.pop("maxiter", constant(most))
    if words or len(args) < 2:
        raise Unsupported(
            node,
            "a function and a first guess are expected here, and tol and maxiter as "
            "keywords",
            "pass other arguments of the function by position",
        )
    for name, value in (("tol", tol), ("maxiter", maxiter)):
        kind = kind_of(value)
        known = is_static(kind) and static_value(kind)
        whole = name == "tol" or (isinstance(kind, Scalar) and kind.type == "int")
        if not whole or (is_static(kind) and not known > 0):
            raise Unsupported(
                node,
                f"{name} is {describe(value)} here",
                "pass a positive number" if name == "tol" else "pass a positive int",
            )
    f, z0, *others = args
    z0 = by_value(spec, contents(spec, z0) if isinstance(z0, Cell) else z0)
    z0 = map_leaves(z0, lambda leaf, path: _as_float(spec, leaf))
    return f, _as_unknown(z0, node), tuple(others), tol, maxiter


def _as_float(spec: Specialiser, leaf: Leaf) -> Leaf:
    """A first guess that is an int stands for a float."""
    if not isinstance(leaf.kind, Scalar) or leaf.kind.type != "int":
        return leaf
    if isinstance(leaf.operand, Const):
        return constant(float(leaf.operand.value))
    made = spec.apply(float, (leaf,), hint="guess")
    assert isinstance(made, Leaf)
    return made


def _as_unknown(value: Value, node: ast.AST | None = None) -> Value:
    """The value, if it is made of real numbers and arrays."""
    parts = list(leaves(value)) if isinstance(value, Leaf | Aggregate) else []
    if not parts or not all(
        is_real_number_kind(part.kind)
        and not is_promoted(part.kind)
        and rank_of(part.kind) is not None
        for part in parts
    ):
        raise Unsupported(
            node,
            f"the unknown of an equation is {describe(value)} here",
            "use a real number, an array of known rank, or a structure of these",
        )
    return value


def _check_form(unknown: Value, new: Value, f: Value, node: ast.AST) -> None:
    """Refuse an equation whose result isn't like its unknown."""
    pairs = zip(leaves(unknown), leaves(new), strict=False)
    if _form(unknown) != _form(new) or any(
        rank_of(a.kind) != rank_of(b.kind) or is_promoted(b.kind) for a, b in pairs
    ):
        raise Unsupported(
            node,
            f"{describe(f)} returns something of another form than the first guess: "
            f"{kind_of(new)}, and {kind_of(unknown)}",
            "let both have the same structure and the same shapes",
        )


def _form(value: Value) -> Value:
    """The structure of a value, without what it holds."""
    return map_leaves(value, lambda leaf, path: constant(None))


def _flat(value: Value) -> Value:
    """The numbers and arrays of a structure as a tuple; a single one as it is."""
    if isinstance(value, Leaf):
        return value
    return aggregate_of(tuple(leaves(value)))


def _like(form: Value, flat: Value) -> Value:
    remaining = iter(list(leaves(flat)))
    return map_leaves(form, lambda leaf, path: next(remaining))
