"""Rules of the operations that reverse programs are made of, so that they can be
differentiated."""

from dataclasses import replace
from typing import Any

from s2sad import ir, ops, rules
from s2sad.ops.runtime.arguments import require_plain, to_numpy, toarray
from s2sad.ops.runtime.broadcasting import sum_to_shape_of
from s2sad.rules.own_tangents import own_tangent
from s2sad.rules.steps.shape_steps import reduced_to


def _buffer_kind(buffer: ir.Kind, **others: ir.Kind) -> ir.Kind:
    return buffer


def _shape_of_second(value: ir.Kind, x: ir.Kind) -> ir.Kind:
    if isinstance(x, ir.Scalar | ir.NumPyScalar):
        return value
    axes = ir.axes_of(ir.array_of_list(x) or x)
    if axes is None:
        return ir.UNKNOWN
    return ir.Array(ir.dtype_of(value), axes)


@rules.reverse_of(ops.index_add, kind=_buffer_kind, differentiable=("buffer", "value"))
def _index_add(buffer, index, value, repeats=False, *, out, out_bar):
    if rules.is_list(value):
        return out_bar, out_bar[index]
    return out_bar, sum_to_shape_of(out_bar[index], value)


@rules.forward_of(ops.index_add)
def _index_add_forward(
    buffer, index, value, repeats=False, *, out, buffer_dot, value_dot
):
    tangent = own_tangent(buffer_dot, buffer)
    if rules.is_list(value) and rules.is_literal_zero(value_dot):
        return tangent
    return ops.index_add(tangent, index, value_dot, repeats)


@rules.reverse_of(
    (ops.broadcast_like, ops.full_like_of), kind=_shape_of_second, linear=True
)
def _spread(value, x, *, out, out_bar):
    return reduced_to(out_bar, value)


rules.elementwise(ops.own_copy, lambda value, out: 1.0, kind=lambda value: value)
rules.elementwise(require_plain, lambda value, out: 1.0, kind=lambda value: value)
rules.without_derivative((to_numpy, toarray), kind=rules.opaque)
rules.reverse_of(ops.shared_result, kind=lambda value: value, linear=True, view=True)(
    lambda value, *, out, out_bar: out_bar
)
rules.without_derivative(ops.new_stack, kind=rules.opaque)


def _augmented(function: Any, plain: Any) -> None:
    """``x += v`` as the front end writes it, until it is known to be a new value."""
    known = rules.rule_for(plain)
    assert known is not None and known.kind is not None
    rules.register(
        replace(known, function=function, kind=_same_without_axes(known.kind))
    )


def _same_without_axes(kind: rules.KindFunction) -> rules.KindFunction:
    """An array without axes stays one, which its operators don't give."""

    def result(*args: ir.Kind, **words: ir.Kind) -> ir.Kind:
        first = next(iter((*args, *words.values())))
        if isinstance(first, ir.Array) and first.axes == () and not first.promoted:
            return first
        return kind(*args, **words)

    return result


for _in_place, _plain in ops.PLAIN.items():
    _augmented(_in_place, _plain)
