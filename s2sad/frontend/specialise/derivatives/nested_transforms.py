"""s2sad's own transforms called inside a function that is differentiated.

``grad(f)(x)`` makes ``f`` a procedure for the call at hand; its gradient is a procedure
too, which is differentiated like any other.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.analysis.passes.purity import draws
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives import (
    given_draws,
    inlined_programs,
    nested_functions,
    nested_parts,
    own_arguments,
    structure_jacobians,
)
from s2sad.frontend.specialise.recursion import forms, recursion
from s2sad.source.text.resolve import StaticS2sad


def transform_call(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """A call of one of s2sad's transforms, or of what one returned; None for anything
    else."""
    if is_derivative(function):
        args, words = own_arguments.own_values(spec, args, words)
    if function in _MARKS:
        return _MARKS[function](spec, args, words)
    if getattr(function, "__s2sad_derivative__", False):
        return _of_live(spec, function, args, words)
    handler = _TRANSFORMS.get(_name_of_transform(function))
    return None if handler is None else handler(spec, args, words)


def _name_of_transform(function: Any) -> str:
    if isinstance(function, StaticS2sad):
        return function.path.removeprefix("s2sad.")
    module = getattr(function, "__module__", "")
    return getattr(function, "__name__", "") if module in _OF_TRANSFORMS else ""


_OF_TRANSFORMS = ("s2sad.api", "s2sad.frontend.library.transforms")


def is_derivative(function: Any) -> bool:
    """True for what calls a program made of a function with copies of the arguments."""
    try:
        if function in _MARKS:
            return True
    except TypeError:  # it can't be hashed
        return False
    known = getattr(function, "__s2sad_derivative__", False)
    return known or _name_of_transform(function) in ("vjp", "jvp")


def _of_live(
    spec: Specialiser, derivative: Any, args: Args, words: Words
) -> core.Value | None:
    """``loss.grad(x)``, and ``g(x)`` with ``g = grad(f)`` at module level."""
    mark = _MARKS_OF_RECIPES.get(derivative._recipe)
    if mark is None:
        return None
    wanted, target = derivative._wanted, derivative._target
    wrt = core.constant(wanted.wrt[0]) if wanted.single else _tuple_of(wanted.wrt)
    form, aux = core.constant(derivative._form), core.constant(wanted.has_aux)
    given = (core.constant(target.function), wrt, form, aux)
    bound = nested_functions.held_objects(spec, target.bound)
    return _MARKS[mark](spec, (*given, *bound, *args), words)


def _tuple_of(items: tuple[Any, ...]) -> core.Value:
    return core.aggregate_of(tuple(map(core.constant, items)))


def _derivative(mark: Any, form: Any) -> Callable[..., core.Value]:
    def make(spec: Specialiser, args: Args, words: Words) -> core.Value:
        words = {k: v for k, v in words.items() if k != "optimise"}
        aux = words.pop("has_aux", core.constant(False))
        bound = {**dict(zip(("function", "wrt"), args, strict=False)), **words}
        if "function" not in bound or set(bound) - {"function", "wrt"}:
            raise core.Unsupported("a function and wrt are expected here")
        wrt = bound.get("wrt", core.constant(0))
        if not core.is_known(wrt):
            raise core.Unsupported("wrt isn't known before the program runs")
        given = (bound["function"], wrt, core.constant(form), aux)
        return core.Partial(core.constant(mark), given)

    return make


def _hessian(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """The Jacobian of the gradient."""
    inner = _TRANSFORMS["grad"](spec, args, words)
    wrt = inner.args[1]  # type: ignore[union-attr]
    aux = inner.args[3]  # type: ignore[union-attr]
    return core.Partial(
        core.constant(nested_functions.jacobian),
        (inner, wrt, core.constant("forward"), aux),
    )


@dataclass(frozen=True)
class _Asked:
    """A derivative of a function by some of its parameters, for a call."""

    procedure: ir.Procedure
    given: list[core.Leaf]
    names: tuple[str, ...]
    single: bool
    """One parameter was asked for by itself."""
    active: tuple[str, ...]

    def by_argument(self, adjoints: list[core.Leaf]) -> core.Value:
        """Adjoints in the structure of what was asked for."""
        parts = nested_parts.structured(
            self.procedure, self.names, self.active, adjoints
        )
        return parts[0] if self.single else core.aggregate_of(tuple(parts))

    def gradients(self, spec: Specialiser, adjoints: list[core.Leaf]) -> core.Value:
        """The same, of lists as lists."""
        found = nested_parts.in_lists(
            spec, self.procedure, self.given, self.active, adjoints
        )
        return self.by_argument(found)

    def with_aux(
        self, aux: bool, value: core.Value, results: list[core.Leaf]
    ) -> core.Value:
        """A value, beside what the function returns that isn't differentiated."""
        if not aux:
            return value
        beside = nested_parts.result_like(self.procedure, results).items[1]  # type: ignore[union-attr]
        return core.aggregate_of((value, beside))


def _asked(
    spec: Specialiser,
    function: core.Value,
    wrt: core.Value,
    primals: list[core.Value],
    words: Words,
) -> _Asked:
    procedure, bound, seen = nested_functions.procedure_for_call(
        spec, function, tuple(primals), words
    )
    names, single = nested_parts.names_of_parameters(seen, core.known_value(wrt))
    given = recursion.arguments_of(spec, procedure, bound)
    active = nested_parts.active_parameters_of(procedure, names)
    return _Asked(procedure, given, names, single, active)


def _gradient(spec: Specialiser, args: Args, words: Words) -> core.Value:
    function, wrt, with_value, with_aux, *primals = args
    words = dict(words)
    seed = words.pop("gradient", None)
    asked = _asked(spec, function, wrt, primals, words)
    procedure, active = asked.procedure, asked.active
    value, aux = bool(core.known_value(with_value)), bool(core.known_value(with_aux))
    main, count = nested_parts.differentiated(spec, procedure, aux)
    seeds = nested_parts.seeds_of(procedure, seed, main)

    made = spec.derivatives.gradient_of(
        procedure, active, value=value or aux, seeded=seed is not None, results=count
    )
    found = inlined_programs.results_of_derivative(spec, made, [*asked.given, *seeds])
    own = found[: len(found) - len(active)] if value or aux else []
    result = asked.gradients(spec, found[len(own) :])
    if value:
        return core.aggregate_of((nested_parts.result_like(procedure, own), result))
    return asked.with_aux(aux, result, own)


def _hessian_product(spec: Specialiser, args: Args, words: Words) -> core.Value:
    function, wrt, _form, with_aux, *primals, vector = args
    asked = _asked(spec, function, wrt, primals, words)
    procedure, active = asked.procedure, asked.active
    aux = bool(core.known_value(with_aux))
    main, count = nested_parts.differentiated(spec, procedure, aux)
    nested_parts.seeds_of(procedure, None, main)
    made = spec.derivatives.gradient_of(
        procedure, active, value=aux, seeded=False, results=count
    )
    pushed = spec.derivatives.pushforward_of(made, active)
    vectors = (vector,) if asked.single else vector.items  # type: ignore[union-attr]
    dots = [
        leaf
        for name, part in zip(asked.names, vectors, strict=True)
        for _, leaf in nested_parts.tangents_of(procedure, (name, -1), part)
    ]
    found = inlined_programs.results_inlined(spec, pushed, [*asked.given, *dots])
    product = asked.gradients(spec, found[-len(active) :])
    own = found[: len(forms.dynamic_leaves(procedure.details.result))]
    return asked.with_aux(aux, product, own)


def _jacobian(spec: Specialiser, args: Args, words: Words) -> core.Value:
    function, wrt, form, with_aux, *primals = args
    asked = _asked(spec, function, wrt, primals, words)
    procedure, active = asked.procedure, asked.active
    aux = bool(core.known_value(with_aux))
    main, count = nested_parts.differentiated(spec, procedure, aux)
    direction = core.known_value(form)
    if direction == "sum" and len(forms.dynamic_leaves(main)) != 1:
        raise core.Unsupported(
            f"elementwise_grad of {procedure.__name__}, which returns "
            f"{core.describe(main)}",
            "return one number or array",
        )
    results, blocks = spec.nested_jacobian(
        procedure, asked.given, active, direction, count
    )
    remaining = iter(blocks)
    values = dict(zip(map(id, forms.dynamic_leaves(main)), results, strict=False))

    def part(leaf: core.Leaf) -> core.Value:
        if not ir.is_real_number_kind(leaf.kind) or isinstance(leaf.operand, ir.Const):
            return core.constant(None)
        rows = [next(remaining) for _ in active]
        outline = asked.by_argument([core.constant(k) for k in range(len(rows))])
        if isinstance(outline, core.Leaf) or not structure_jacobians.is_kept(leaf):
            return asked.by_argument(rows)
        value = values[id(leaf)]
        return structure_jacobians.joined(spec, value, rows, outline)

    return asked.with_aux(aux, core.map_leaves(main, part), results)


def _jvp(spec: Specialiser, args: Args, words: Words) -> core.Value:

    aux = _has_aux(words)
    if len(args) != 3:
        raise core.Unsupported("jvp takes a function, primals and tangents")
    function, primals, tangents = args
    if not isinstance(primals, core.Aggregate) or not isinstance(
        tangents, core.Aggregate
    ):
        raise core.Unsupported("jvp takes tuples of primals and tangents")
    if len(primals.items) != len(tangents.items):
        raise core.Unsupported(
            f"{len(primals.items)} primals and {len(tangents.items)} tangents",
            "give one tangent for each primal, None where there is none",
        )
    procedure, bound, _ = nested_functions.procedure_for_call(
        spec, function, primals.items, {}
    )
    places = nested_functions.places_of(spec, function, len(primals.items))
    given = recursion.arguments_of(spec, procedure, bound)
    pairs = [
        pair
        for place, tangent in zip(places, tangents.items, strict=True)
        if tangent != core.constant(None)
        for pair in nested_parts.tangents_of(procedure, place, tangent)
    ]
    dots = [dot for _, dot in pairs]
    active = nested_parts.active_leaves([leaf for leaf, _ in pairs])
    pushed = spec.derivatives.pushforward_of(procedure, active)
    found = inlined_programs.results_inlined(spec, pushed, [*given, *dots])
    half = len(found) // 2
    value = nested_parts.result_like(procedure, found[:half])
    tangent = nested_parts.result_like(procedure, found[half:])
    nested_parts.differentiated(spec, procedure, aux)
    if not aux:
        return core.aggregate_of((value, tangent))
    main, beside = value.items  # type: ignore[union-attr]
    return core.aggregate_of((main, tangent.items[0], beside))  # type: ignore[union-attr]


def _vjp(spec: Specialiser, args: Args, words: Words) -> core.Value:
    function, *primals = args
    aux = _has_aux(words)
    procedure, bound, _ = nested_functions.procedure_for_call(
        spec, function, tuple(primals), {}
    )
    nested_parts.differentiated(spec, procedure, aux)
    given = recursion.arguments_of(spec, procedure, bound)
    if draws(procedure):
        value, procedure, drawn = given_draws.drawing(spec, procedure, given)
        given += drawn
    else:
        value = inlined_programs.call_inlined(spec, procedure, given)
    kept = core.aggregate_of(tuple(own_arguments.as_given_now(spec, given)))
    places = nested_functions.places_of(spec, function, len(primals))
    seen = core.aggregate_of(tuple(map(_tuple_of, places)))
    made = core.Partial(
        core.constant(nested_functions.pullback),
        (core.constant(procedure), seen, core.constant(aux), kept),
    )
    if not aux:
        return core.aggregate_of((value, made))
    main, beside = value.items  # type: ignore[union-attr]
    return core.aggregate_of((main, made, beside))


def _has_aux(words: Words) -> bool:
    """The keyword ``has_aux``, the only one that ``vjp`` and ``jvp`` take."""
    if set(words) - {"has_aux"}:
        raise core.Unsupported("only has_aux is taken as a keyword here")
    return bool(core.known_value(words.get("has_aux", core.constant(False))))


def _pullback(spec: Specialiser, args: Args, words: Words) -> core.Value:
    mark, seen, aux, kept, seed = args
    procedure: ir.Procedure = core.known_value(mark)
    places = core.known_value(seen)
    names = tuple(dict.fromkeys(name for name, _ in places))
    main, count = nested_parts.differentiated(spec, procedure, core.known_value(aux))
    active = nested_parts.active_parameters_of(procedure, names)
    made = spec.derivatives.gradient_of(
        procedure, active, value=False, seeded=True, results=count
    )
    given = list(core.leaves(kept))
    seeds = nested_parts.seeds_of(procedure, seed, main)
    found = inlined_programs.results_of_derivative(spec, made, [*given, *seeds])
    adjoints = nested_parts.in_lists(spec, procedure, given, active, found)
    found_parts = nested_parts.structured(procedure, names, active, adjoints)
    parts = dict(zip(names, found_parts, strict=True))
    return core.aggregate_of(
        tuple(nested_parts.part_at(parts[name], k) for name, k in places)
    )


def _compressed_sweep(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """Columns or rows of a Jacobian, each the sum of several: those along given
    seeds."""

    function, wrt, form, _aux, *primals = args
    direction, seeds = core.known_value(form).split()
    others = {name: value for name, value in words.items() if name != seeds}
    asked = _asked(spec, function, wrt, primals, others)
    (active,) = asked.active
    made = spec.derivatives.compressed_sweep_of(asked.procedure, active, direction)
    return inlined_programs.call_inlined(
        spec, made, [*asked.given, *core.leaves(words[seeds])]
    )


_MARKS: dict[Any, Callable[..., core.Value]] = {
    nested_functions.gradient: _gradient,
    nested_functions.hessian_product: _hessian_product,
    nested_functions.pullback: _pullback,
    nested_functions.jacobian: _jacobian,
    nested_functions.compressed_sweep: _compressed_sweep,
}
_MARKS_OF_RECIPES = {
    "gradient": nested_functions.gradient,
    "hvp": nested_functions.hessian_product,
    "jacobian": nested_functions.jacobian,
    "compressed_sweep": nested_functions.compressed_sweep,
}
_TRANSFORMS: dict[str, Callable[..., core.Value]] = {
    "grad": _derivative(nested_functions.gradient, False),
    "value_and_grad": _derivative(nested_functions.gradient, True),
    "hvp": _derivative(nested_functions.hessian_product, False),
    "jacobian": _derivative(nested_functions.jacobian, ""),
    "jacfwd": _derivative(nested_functions.jacobian, "forward"),
    "jacrev": _derivative(nested_functions.jacobian, "reverse"),
    "elementwise_grad": _derivative(nested_functions.jacobian, "sum"),
    "hessian": _hessian,
    "jvp": _jvp,
    "vjp": _vjp,
}
