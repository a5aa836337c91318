"""Sums of products over named axes, ``np.einsum`` and ``np.tensordot``, as labels.

>>> labels_of_einsum("ij,jk->ik", 2)
(('ij', 'jk'), 'ik')
"""

from collections import Counter
from typing import Any

import numpy as np

from s2sad import ir
from s2sad.codegen.numba.call_lines import known_value

Labels = tuple[tuple[str, ...], str]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def contraction(
    value: ir.Apply, ranks: tuple[int, ...]
) -> tuple[Labels, tuple[ir.Operand, ...]] | None:
    """The labels of the axes of operands and result, and the operands; None for another
    operation. ``ranks`` are those of the arguments."""
    if value.function is np.einsum:
        text, *operands = value.args
        names = {name for name, _ in value.keywords}
        if not isinstance(text, ir.Const) or not isinstance(text.value, str):
            return None
        labels = labels_of_einsum(text.value, len(operands))
        if labels is None or names - {"optimize"}:
            return None
        inputs, _ = labels
        if any(len(term) != rank for term, rank in zip(inputs, ranks[1:])):
            return None
        return labels, tuple(operands)
    if value.function is np.tensordot:
        left, right, *rest = value.args
        words = dict(value.keywords)
        axes = known_value(rest[0] if rest else words.get("axes", ir.Const(2)))
        if axes is None:
            return None
        found = labels_of_tensordot(ranks[0], ranks[1], axes)
        return None if found is None else (found, (left, right))
    return None


def labels_of_einsum(text: str, count: int) -> Labels | None:
    """The labels that a text names; None for an ellipsis."""
    left, arrow, result = text.replace(" ", "").partition("->")
    inputs = tuple(left.split(","))
    if "." in text or len(inputs) != count:
        return None
    if not arrow:
        counts = Counter(c for c in left if c.isalpha())
        result = "".join(sorted(c for c, n in counts.items() if n == 1))
    return inputs, result


def labels_of_tensordot(left: int, right: int, axes: Any) -> Labels | None:
    """The labels of a product summed over pairs of axes.

    >>> labels_of_tensordot(2, 2, 1)
    (('ab', 'bd'), 'ad')
    """
    if isinstance(axes, int):
        pairs = (range(left - axes, left), range(axes))
    else:
        pairs = tuple((a,) if isinstance(a, int) else tuple(a) for a in axes)  # type: ignore[assignment]
    one = list(LETTERS[:left])
    other = list(LETTERS[left : left + right])
    free = list(other)
    for a, b in zip(*pairs):
        other[b % right] = one[a % left]
        free[b % right] = ""
    summed = {one[a % left] for a in pairs[0]}
    result = "".join(c for c in one if c not in summed) + "".join(free)
    return ("".join(one), "".join(other)), result
