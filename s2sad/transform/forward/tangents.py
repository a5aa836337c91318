"""Tangent parameters: the function that takes tangents and returns the tangent of its
result."""

from collections.abc import Sequence
from dataclasses import replace

from s2sad import ir
from s2sad.frontend.specialise import Specialised, core
from s2sad.transform.calls.refused_parameters import check_refused
from s2sad.transform.forward.forward import ForwardMode
from s2sad.transform.reverse.reverse import may_matter
from s2sad.transform.run_time.active_references import active_in


def fresh_parameter(wish: str, function: ir.Function) -> str:
    """A name for a new parameter that no variable of the function has."""
    name = wish
    while name in function.kinds or name in function.parameters:
        name += "_"
    return name


def with_tangents(
    specialised: Specialised,
    function: ir.Function,
    wrt: Sequence[str],
    *,
    value: bool = True,
    over_reverse: bool = False,
) -> ir.Function:
    """The function that takes one tangent for each of ``wrt`` and pushes them forward.

    It returns ``(value, tangent)``, or the tangent alone. A parameter's tangent has its
    structure; the items without a derivative are ignored. ``over_reverse``: the
    function is a gradient.
    """
    spec = specialised.specialiser
    spec.derived = True
    given: dict[str, core.Leaf] = {}
    names = []
    kinds = dict(function.kinds)
    with spec.new_block() as start:
        for parameter in wrt:
            name = fresh_parameter(f"{parameter}_dot", function)
            names.append(name)
            argument = specialised.arguments[parameter]
            kind = core.kind_of(argument)
            kinds[name] = kind
            tangent = spec.bind_argument(name, kind, None)
            for leaf, dot in zip(
                core.leaves(argument), core.leaves(tangent), strict=True
            ):
                if isinstance(leaf.operand, ir.Var) and ir.is_real_number_kind(
                    leaf.kind
                ):
                    given[leaf.operand.name] = dot
    check_refused(function, given, spec)
    active = active_in(function, list(given), may_matter(function, spec))
    mode = ForwardMode(replace(function, kinds=kinds), specialised, active, given)
    mode.over_reverse = over_reverse
    pushed = mode.run()
    body = (*start, *pushed.body)
    if not value:
        final = body[-1]
        assert isinstance(final, ir.Return) and isinstance(final.value, ir.Pack)
        body = (*body[:-1], replace(final, value=final.value.items[1]))
    return replace(pushed, parameters=(*function.parameters, *names), body=body)


def without_tangent_of_aux(function: ir.Function) -> ir.Function:
    """``(value, tangent)`` with the tangent of the first alone where the value is a
    pair."""
    value, tangent = ir.tuple_items(function.final.value)
    assert isinstance(tangent, ir.Pack)
    return function.returning(ir.pack_tuple(value, tangent.items[0]))


def with_tangent_beside_aux(function: ir.Function) -> ir.Function:
    """``((gradient, aux), (tangent, aux's))`` with ``(tangent, aux)``."""
    value, tangent = ir.tuple_items(function.final.value)
    assert isinstance(value, ir.Pack) and isinstance(tangent, ir.Pack)
    pair = replace(value, items=(tangent.items[0], value.items[1]))
    return function.returning(pair)
