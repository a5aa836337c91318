"""s2sad's own transforms called inside a function that is differentiated.

``grad(f)(x)`` makes ``f`` a procedure for the call at hand; its gradient is a procedure
too, which is differentiated like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from s2sad.frontend.normalise import normalised
from s2sad.frontend.resolve import StaticS2sad
from s2sad.frontend.source import SourceFunction
from s2sad.frontend.specialise.activations import Frame
from s2sad.frontend.specialise.exceptions import Unsupported
from s2sad.frontend.specialise.forms import dynamic_leaves
from s2sad.frontend.specialise.inlined_programs import call_inlined
from s2sad.frontend.specialise.inlining import activation_of
from s2sad.frontend.specialise.parameters import bind_parameters
from s2sad.frontend.specialise.recursion import arguments_of, procedure_of
from s2sad.frontend.specialise.specialiser import Specialiser
from s2sad.frontend.specialise.values import (
    Aggregate,
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
from s2sad.frontend.specialise.wrappers import user_source
from s2sad.ir.kinds import Kind, Known, Scalar, is_real_number_kind, rank_of
from s2sad.ir.nodes import Var
from s2sad.ir.procedures import Procedure
from s2sad.rules.result_kinds import is_static, static_value

Args = tuple[Value, ...]
Words = dict[str, Value]


def gradient(*args: Any, **words: Any) -> Any:
    """Stands for what ``grad`` and ``value_and_grad`` return."""
    raise NotImplementedError


def hessian_product(*args: Any, **words: Any) -> Any:
    """Stands for what ``hvp`` returns."""
    raise NotImplementedError


def pullback(*args: Any, **words: Any) -> Any:
    """Stands for what ``vjp`` returns behind the value."""
    raise NotImplementedError


def transform_call(
    spec: Specialiser, function: Any, args: Args, words: Words, node: ast.AST
) -> Value | None:
    """A call of one of s2sad's transforms, or of what one returned; None for anything
    else."""
    if function in _MARKS:
        return _MARKS[function](spec, args, words, node)
    if isinstance(function, StaticS2sad):
        name = function.path.removeprefix("s2sad.")
    elif getattr(function, "__s2sad_derivative__", False):
        return _of_live(spec, function, args, words, node)
    else:
        module = getattr(function, "__module__", "")
        name = getattr(function, "__name__", "") if module == "s2sad.api" else ""
    handler = _TRANSFORMS.get(name)
    return None if handler is None else handler(spec, args, words, node)


def _of_live(
    spec: Specialiser, derivative: Any, args: Args, words: Words, node: ast.AST
) -> Value | None:
    """``loss.grad(x)``, and ``g(x)`` with ``g = grad(f)`` at module level."""
    mark = {"gradient": gradient, "hvp": hessian_product}.get(derivative._recipe)
    if mark is None:
        return None
    wrt = derivative._wrt
    value = constant(wrt) if not isinstance(wrt, tuple) else _tuple_of(wrt)
    function = constant(derivative._target.function)
    given = (function, value, constant(derivative._value))
    return _MARKS[mark](spec, (*given, *args), words, node)


def _tuple_of(items: tuple[Any, ...]) -> Value:
    return aggregate_of(tuple(map(constant, items)))


# ------------------------------------------------------------------ transforms


def _derivative(mark: Any, value: bool = False) -> Callable[..., Value]:
    def make(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
        words = {k: v for k, v in words.items() if k != "optimise"}
        bound = {**dict(zip(("function", "wrt"), args, strict=False)), **words}
        if "function" not in bound or set(bound) - {"function", "wrt"}:
            raise Unsupported(node, "a function and wrt are expected here", "")
        wrt = bound.get("wrt", constant(0))
        if not is_static(kind_of(wrt)):
            raise Unsupported(node, "wrt isn't known before the program runs", "")
        given = (bound["function"], wrt, constant(value))
        return Partial(constant(mark), given)

    return make


def _gradient(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    function, wrt, with_value, *primals = args
    words = dict(words)
    seed = words.pop("gradient", None)
    procedure, bound = _procedure(spec, function, tuple(primals), words, node)
    names, single = _names(bound, static_value(kind_of(wrt)), node)
    value = bool(static_value(kind_of(with_value)))
    given = arguments_of(spec, procedure, bound)
    active = _active(procedure, names, node)
    seeds = _seeds(spec, procedure, seed, node)
    from s2sad.transform.procedures import gradient_of

    made = gradient_of(procedure, active, value=value, seeded=seed is not None)
    found = dynamic_leaves(call_inlined(spec, made, [*given, *seeds]))
    own = found[: len(found) - len(active)] if value else []
    gradients = _structured(procedure, names, active, found[len(own) :])
    result = gradients[0] if single else aggregate_of(tuple(gradients))
    if not value:
        return result
    return aggregate_of((_result_like(procedure, own), result))


def _hessian_product(
    spec: Specialiser, args: Args, words: Words, node: ast.AST
) -> Value:
    from s2sad.transform.procedures import gradient_of, pushforward_of

    function, wrt, _, *primals, vector = args
    procedure, bound = _procedure(spec, function, tuple(primals), words, node)
    names, single = _names(bound, static_value(kind_of(wrt)), node)
    given = arguments_of(spec, procedure, bound)
    active = _active(procedure, names, node)
    _seeds(spec, procedure, None, node)
    made = gradient_of(procedure, active, value=False, seeded=False)
    pushed = pushforward_of(made, active)
    vectors = (vector,) if single else vector.items  # type: ignore[union-attr]
    dots = [
        leaf
        for name, part in zip(names, vectors, strict=True)
        for leaf in _dots_of(procedure, name, part, active)
    ]
    found = dynamic_leaves(call_inlined(spec, pushed, [*given, *dots]))
    parts = _structured(procedure, names, active, found[len(found) // 2 :])
    return parts[0] if single else aggregate_of(tuple(parts))


def _jvp(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    from s2sad.transform.procedures import pushforward_of

    if words or len(args) != 3:
        raise Unsupported(node, "jvp takes a function, primals and tangents", "")
    function, primals, tangents = args
    if not isinstance(primals, Aggregate) or not isinstance(tangents, Aggregate):
        raise Unsupported(node, "jvp takes tuples of primals and tangents", "")
    procedure, bound = _procedure(spec, function, primals.items, {}, node)
    names = [
        name
        for name, tangent in zip(bound, tangents.items, strict=False)
        if tangent != constant(None)
    ]
    given = arguments_of(spec, procedure, bound)
    active = _active(procedure, tuple(names), node)
    pushed = pushforward_of(procedure, active)
    dots = [
        leaf
        for name, tangent in zip(bound, tangents.items, strict=False)
        if name in names
        for leaf in _dots_of(procedure, name, tangent, active)
    ]
    found = dynamic_leaves(call_inlined(spec, pushed, [*given, *dots]))
    half = len(found) // 2
    return aggregate_of(
        (_result_like(procedure, found[:half]), _result_like(procedure, found[half:]))
    )


def _vjp(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    function, *primals = args
    procedure, bound = _procedure(spec, function, tuple(primals), {}, node)
    given = arguments_of(spec, procedure, bound)
    value = call_inlined(spec, procedure, given)
    kept = aggregate_of(tuple(given))
    return aggregate_of(
        (value, Partial(constant(pullback), (constant(procedure), kept)))
    )


def _pullback(spec: Specialiser, args: Args, words: Words, node: ast.AST) -> Value:
    from s2sad.transform.procedures import gradient_of

    mark, kept, seed = args
    procedure: Procedure = static_value(kind_of(mark))
    names = tuple(procedure.details.arguments)
    active = _active(procedure, names, node)
    made = gradient_of(procedure, active, value=False, seeded=True)
    given = list(leaves(kept))
    seeds = _seeds(spec, procedure, seed, node)
    found = dynamic_leaves(call_inlined(spec, made, [*given, *seeds]))
    return aggregate_of(tuple(_structured(procedure, names, active, found)))


# ------------------------------------------------------------------ parts


def _procedure(
    spec: Specialiser, function: Value, args: Args, words: Words, node: ast.AST
) -> tuple[Procedure, dict[str, Value]]:
    source, parent, defaults = _source(function, node)
    bound = bind_parameters(spec, source, args, words, node, defaults)
    body = normalised(source)

    def activation() -> Frame:
        return activation_of(spec, source, parent, bound)

    return procedure_of(spec, source, bound, activation, body, node), bound


def _source(
    function: Value, node: ast.AST
) -> tuple[SourceFunction, Frame | None, dict[str, Value] | None]:
    match function:
        case Closure():
            return function.source, function.frame, dict(function.defaults)
        case Leaf(kind=Known(value=known)):
            source = user_source(known, node)
            if source is not None:
                return source, None, None
    raise Unsupported(
        node,
        f"a derivative of {describe(function)} inside of a function",
        "pass a function written with def or lambda",
    )


def _names(
    bound: dict[str, Value], wrt: Any, node: ast.AST
) -> tuple[tuple[str, ...], bool]:
    """The parameters asked for, and whether it is a single one."""
    single = not isinstance(wrt, tuple)
    names = []
    for one in (wrt,) if single else wrt:
        known = list(bound)
        if isinstance(one, int) and -len(known) <= one < len(known):
            one = known[one]
        if one not in bound:
            raise Unsupported(node, f"there is no parameter {one!r}", "check wrt")
        names.append(one)
    return tuple(names), single


def _active(
    procedure: Procedure, names: tuple[str, ...], node: ast.AST
) -> tuple[str, ...]:
    """The parameters of the procedure that hold the numbers of some arguments."""
    parameters = {leaf.operand for leaf in procedure.details.parameters}
    found = []
    for name in names:
        for leaf in leaves(procedure.details.arguments[name]):
            if leaf.operand in parameters and is_real_number_kind(leaf.kind):
                found.append(str(leaf.operand))
    if not found:
        raise Unsupported(
            node, "there is nothing to differentiate by", "pass a float or an array"
        )
    return tuple(found)


def _seeds(
    spec: Specialiser, procedure: Procedure, seed: Value | None, node: ast.AST
) -> list[Leaf]:
    """The cotangents of the results; a gradient without one needs a number."""
    results = dynamic_leaves(procedure.details.result)
    if seed is None:
        kind: Kind | None = results[0].kind if len(results) == 1 else None
        if kind is None or rank_of(kind) != 0 or not is_real_number_kind(kind):
            raise Unsupported(
                node,
                f"{procedure.__name__} doesn't return a single number",
                "pass its cotangent as gradient=",
            )
        return []
    given = list(leaves(seed))
    if len(given) != len(results):
        raise Unsupported(node, "the cotangent has another structure", "")
    pairs = zip(given, results, strict=True)
    return [g for g, result in pairs if is_real_number_kind(result.kind)]


def _dots_of(
    procedure: Procedure, name: str, tangent: Value, active: tuple[str, ...]
) -> list[Leaf]:
    own = leaves(procedure.details.arguments[name])
    pairs = zip(own, leaves(tangent), strict=True)
    return [dot for leaf, dot in pairs if str(leaf.operand) in active]


def _structured(
    procedure: Procedure,
    names: tuple[str, ...],
    active: tuple[str, ...],
    found: list[Leaf],
) -> list[Value]:
    """Adjoints in the structure of the arguments; None where there is none."""
    by_name = dict(zip(active, found, strict=True))

    def adjoint(leaf: Leaf, path: tuple) -> Leaf:
        is_variable = isinstance(leaf.operand, Var)
        return (
            by_name.get(str(leaf.operand), constant(None))
            if is_variable
            else (constant(None))
        )

    return [map_leaves(procedure.details.arguments[name], adjoint) for name in names]


def _result_like(procedure: Procedure, found: list[Leaf]) -> Value:
    remaining = iter(found)

    def part(leaf: Leaf, path: tuple) -> Leaf:
        plain = isinstance(leaf.operand, Var) or isinstance(leaf.kind, Scalar)
        return next(remaining) if plain else leaf

    return map_leaves(procedure.details.result, part)


_MARKS: dict[Any, Callable[..., Value]] = {
    gradient: _gradient,
    hessian_product: _hessian_product,
    pullback: _pullback,
}
_TRANSFORMS: dict[str, Callable[..., Value]] = {
    "grad": _derivative(gradient),
    "value_and_grad": _derivative(gradient, value=True),
    "hvp": _derivative(hessian_product),
    "jvp": _jvp,
    "vjp": _vjp,
}
