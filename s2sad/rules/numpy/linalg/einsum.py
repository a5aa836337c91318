"""``np.einsum``: the cotangent of an operand is again an einsum, of the others."""

from collections import Counter

import numpy as np

from s2sad import ir, rules
from s2sad.rules.numpy.kinds_of_arrays import IS_FALSE, result_dtype, settled_array_axes
from s2sad.rules.steps.shape_steps import conjugate, reduced_to

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def _terms(subscripts: ir.Kind, operands: ir.Kind) -> tuple[list[str], str]:
    """The labels of each operand and of the result, an ellipsis spelled out."""
    text = rules.static_value(subscripts) if rules.is_static(subscripts) else None
    if not isinstance(text, str):
        raise rules.CallRefused(
            "the subscripts of np.einsum are a text that is known only when the "
            "program runs",
            "write the text out, or pass it as an argument",
        )
    text = text.replace(" ", "")
    left, arrow, result = text.partition("->")
    inputs = left.split(",")
    kinds = operands.items if isinstance(operands, ir.Structure) else ()
    unused = [c for c in LETTERS if c not in text]
    widest = 0
    for position, (term, kind) in enumerate(zip(inputs, kinds)):
        if "..." not in term:
            continue
        axes = settled_array_axes(kind)
        if axes is None:
            raise rules.CallRefused(
                "np.einsum with an ellipsis needs arrays of known rank",
                "name all axes in the subscripts",
            )
        count = len(axes) - len(term) + 3
        widest = max(widest, count)
        inputs[position] = term.replace("...", "".join(unused[:count][::-1]))
    dots = "".join(unused[:widest][::-1])
    if not arrow:
        counts = Counter(c for c in left if c.isalpha())
        result = "..." + "".join(sorted(c for c, n in counts.items() if n == 1))
    unknown = sorted(set(result) - {*left, "."})
    if unknown:
        raise rules.CallRefused(
            f"the result of np.einsum({text!r}) has the label {unknown[0]!r}, which no "
            "operand has",
            "name axes of the operands",
        )
    return inputs, result.replace("...", dots)


def _axes_by_label(
    inputs: list[str], operands: ir.Kind
) -> dict[str, list[tuple[int, ir.Axis]]]:
    """The axes that each label names, with the numbers of the operands."""
    found: dict[str, list[tuple[int, ir.Axis]]] = {}
    for number, (term, kind) in enumerate(zip(inputs, getattr(operands, "items", ()))):
        axes = settled_array_axes(kind)
        for position, label in enumerate(term):
            known = axes is not None and len(axes) == len(term)
            axis = axes[position] if known and axes else ir.Axis("any")
            found.setdefault(label, []).append((number, axis))
    return found


def einsum_kind(
    subscripts: ir.Kind, operands: ir.Kind, optimize: ir.Kind = IS_FALSE
) -> ir.Kind:
    inputs, result = _terms(subscripts, operands)
    found = _axes_by_label(inputs, operands)
    axes = []
    for label in result:
        named = [a for _, a in found[label]]
        wide = [a for a in named if a.length != "one"] or named
        many = [a for a in wide if a.length == "many"]
        symbols = [a for a in (many or wide) if a.symbol is not None]
        axis = (symbols or many or wide)[0]
        # one of length 1 is broadcast to the other
        known = many or all(a.symbol == axis.symbol is not None for a in wide)
        axes.append(axis if known or len(wide) == 1 else ir.Axis("any"))
    dtype = result_dtype(np.multiply, operands.items[:2])  # type: ignore[attr-defined]
    for item in operands.items[2:]:  # type: ignore[attr-defined]
        dtype = result_dtype(np.multiply, [ir.Array(dtype, (ir.Axis("any"),)), item])
    if len(operands.items) == 1:  # type: ignore[attr-defined]
        dtype = result_dtype(np.positive, operands.items)  # type: ignore[attr-defined]
    return rules.array_or_number(dtype, tuple(axes))


def _plan(
    subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind
) -> tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """The subscripts of a cotangent, axes to insert, axes that repeat a label, and axes
    that neither the result nor the others may have in full.

    A label that the operand repeats is given a name of its own for each occurrence; a
    factor ``eye`` for each keeps the diagonal. A label that neither the result nor
    another operand has, or along which the operand alone has length 1, or all others
    have, is left out and its axis inserted afterwards. Where only the run knows that
    the others have length 1, a factor of ones has the operand's.
    """
    k = rules.static_value(position)
    inputs, result = _terms(subscripts, operands)
    term = inputs[k]
    others = inputs[:k] + inputs[k + 1 :]
    found = _axes_by_label(inputs, operands)
    own = settled_array_axes(operands.items[k])  # type: ignore[attr-defined]
    fresh = [c for c in LETTERS if c not in result + "".join(inputs)]
    wanted, eyes, missing, again, filled = "", [], [], [], []
    for place, label in enumerate(term):
        if label in term[:place]:
            twin = fresh.pop()
            wanted += twin
            eyes.append(label + twin)
            again.append(place)
            continue
        axis = own[place] if own is not None and len(own) == len(term) else None
        single = axis is not None and axis.length == "one" and term.count(label) == 1
        stretched = single and any(a.length != "one" for _, a in found[label])
        alone = label not in result and term.count(label) == 1 and not single
        around = [a for n, a in found[label] if n != k] if alone else []
        narrow = alone and not any(_is_as_long(a, axis) for a in around)
        unnamed = label not in result and len(found[label]) == 1
        if stretched or unnamed or (narrow and all(a.length == "one" for a in around)):
            missing.append(place)
        else:
            wanted += label
            if narrow:
                filled.append(place)
    factors = [*eyes, *(term[place] for place in filled)]
    return (
        ",".join([result, *others, *factors]) + "->" + wanted,
        tuple(missing),
        tuple(again),
        tuple(filled),
    )


def _is_as_long(axis: ir.Axis, own: ir.Axis | None) -> bool:
    """True for an axis that is surely not of length 1 where an operand's isn't."""
    same = own is not None and own.symbol is not None and own.symbol == axis.symbol
    return axis.length == "many" or same


@rules.static_predicate
def cotangent_subscripts(
    subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind
) -> str:
    """The subscripts of an operand's cotangent: result, other operands -> operand."""
    return _plan(subscripts, operands, position)[0]


@rules.static_predicate
def axes_left_out(
    subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind
) -> tuple[int, ...]:
    """Axes of the operand along which its cotangent is constant."""
    return _plan(subscripts, operands, position)[1]


@rules.static_predicate
def repeated_axes(
    subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind
) -> tuple[int, ...]:
    """Axes of the operand whose label stands before in its subscripts."""
    return _plan(subscripts, operands, position)[2]


@rules.static_predicate
def axes_in_full(
    subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind
) -> tuple[int, ...]:
    """Axes of the operand that nothing else may have in full."""
    return _plan(subscripts, operands, position)[3]


@rules.static_predicate
def is_product(subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind) -> bool:
    """The cotangent is the result's, a number, times the one other operand."""
    text, missing, _, _ = _plan(subscripts, operands, position)
    result, _, rest = text.partition(",")
    other, _, wanted = rest.partition("->")
    return not result and not missing and other == wanted and "," not in other


@rules.static_predicate
def is_spread(subscripts: ir.Kind, operands: ir.Kind, position: ir.Kind) -> bool:
    """The cotangent is the result's itself, but for inserted axes."""
    left, _, wanted = _plan(subscripts, operands, position)[0].partition("->")
    return left == wanted


def eyes_like(x, axes):
    """Unit matrices of the lengths of these axes."""
    eyes = ()
    for axis in axes:
        if rules.is_double(x) or rules.dtype_name(x) is None:
            eyes = eyes + (np.eye(x.shape[axis]),)
        else:
            eyes = eyes + (np.eye(x.shape[axis], dtype=rules.dtype_name(x)),)
    return eyes


def ones_along(x, axes):
    """Ones of the lengths of these axes."""
    ones = ()
    for axis in axes:
        if rules.is_double(x) or rules.dtype_name(x) is None:
            ones = ones + (np.ones(x.shape[axis]),)
        else:
            ones = ones + (np.ones(x.shape[axis], dtype=rules.dtype_name(x)),)
    return ones


def operand_cotangent(subscripts, operands, k, optimize, out_bar):
    """The cotangent of one operand."""
    x = operands[k]
    factors = ()
    for other in operands[:k] + operands[k + 1 :]:
        factors = factors + (conjugate(other),)
    factors = factors + eyes_like(x, repeated_axes(subscripts, operands, k))
    factors = factors + ones_along(x, axes_in_full(subscripts, operands, k))
    text = cotangent_subscripts(subscripts, operands, k)
    if is_product(subscripts, operands, k):
        x_bar = out_bar * factors[0]
    elif is_spread(subscripts, operands, k):
        x_bar = out_bar
    elif optimize is False:
        x_bar = np.einsum(text, out_bar, *factors)
    else:
        x_bar = np.einsum(text, out_bar, *factors, optimize=optimize)
    inserted = axes_left_out(subscripts, operands, k)
    if inserted == ():
        return reduced_to(x_bar, x)
    return reduced_to(np.expand_dims(x_bar, inserted), x)


@rules.reverse_of(np.einsum, kind=einsum_kind, differentiable=("operands",))
def _einsum(subscripts, *operands, optimize=False, out, out_bar):
    cotangents = ()
    for k, _ in enumerate(operands):
        x_bar = operand_cotangent(subscripts, operands, k, optimize, out_bar)
        cotangents = cotangents + (x_bar,)
    return cotangents


@rules.forward_of(np.einsum)
def _einsum_forward(subscripts, *operands, optimize=False, out, operands_dot):
    out_dot = 0.0
    for k, x_dot in enumerate(operands_dot):
        if not rules.is_literal_zero(x_dot):
            changed = operands[:k] + (x_dot,) + operands[k + 1 :]
            out_dot = out_dot + np.einsum(subscripts, *changed, optimize=optimize)
    return out_dot
