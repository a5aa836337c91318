"""Contractions: sums of products along an axis don't make the array of all products.

::

    t = mul(row, g)                                q = transpose(row)  # row (1, m)
    c.bar = sum(t, axis=1, keepdims=True)   ->     c.bar = matmul(g, q)      # (n, 1)
    column = expand_dims(w, 1)
    t = mul(column, g)
    r.bar = sum(t, axis=0)                  ->     r.bar = matmul(w, g)      # (m,)
    t = mul(a, b)
    s.bar = sum(t, axis=1)                  ->     s.bar = einsum("ij,ij->i", a, b)

A matrix times a row or column, as broadcasting gives them, is summed by a product of
matrices, anything else by ``einsum``, in double precision only: it adds numbers one
after another, where ``sum`` may add pairs. Only lines that rules wrote are rewritten;
sums are taken in another order, which may change the last bits.
"""

import operator
from dataclasses import replace

import numpy as np

from s2sad import ir, ops
from s2sad.analysis.dataflow.available import Equations
from s2sad.optimise.axes import same_length
from s2sad.optimise.products import product_terms, products

_LABELS = "ijklmn"


def contract_sums(function: ir.Function) -> ir.Function:
    """The function with sums of derived products along an axis as contractions.

    >>> from s2sad.analysis.passes.dead_code import remove_dead_code
    >>> from s2sad.rules.load import load_all
    >>> load_all()
    >>> n, m = ir.Axis("many", "n"), ir.Axis("many", "m")
    >>> matrix, vector = ir.Array("float64", (n, m)), ir.Array("float64", (n,))
    >>> t = ir.Apply(operator.mul, (ir.Var("a"), ir.Var("g")))
    >>> total = ir.Apply(np.sum, (ir.Var("t"),), (("axis", ir.Const(1)),))
    >>> body = (
    ...     ir.Assign(None, ir.Var("t"), t, matrix, True),
    ...     ir.Assign(None, ir.Var("b"), total, vector, True),
    ...     ir.Return(None, ir.Var("b")),
    ... )
    >>> kinds = {"a": matrix, "g": matrix, "t": matrix, "b": vector}
    >>> function = ir.Function("f", ("a", "g"), body, kinds)
    >>> print(ir.function_text(remove_dead_code(contract_sums(function))))
    def f(a: float64[n, n], g: float64[n, n]):
        product.1 = einsum('ij,ij->i', a, g)  # float64[n]
        b = product.1  # float64[n]
        return b
    """
    return _Contractions(function).run()


class _Contractions(products.Products):
    def concerns(self, value: ir.Apply) -> bool:
        return value.function is np.sum

    def rewritten(self, s: ir.Line, equations: Equations) -> list[ir.Statement] | None:
        words, operand = dict(s.value.keywords), s.value.args[0]
        axis, kind = words.get("axis"), ir.array_kind(operand, self.kinds)
        if kind is None or not set(words) <= {"axis", "keepdims"}:
            return None
        if not isinstance(axis, ir.Const) or not isinstance(axis.value, int):
            return None
        rank = ir.rank_of(kind)
        if not rank or rank > len(_LABELS):
            return None
        product = self.expanded(operand, equations)
        arrays = [f for f in product.factors if not self.is_number(f)]
        if len(arrays) < 2 or any(not self.is_number(d) for d, _ in product.divisors):
            return None
        place = axis.value % rank
        kept = words.get("keepdims", ir.Const(False)) == ir.Const(True)
        lines = product_terms.Lines(self, s)
        total: product_terms.Product | None = None
        if rank == len(arrays) == 2:
            for matrix, thin in (arrays, arrays[::-1]):
                total = total or self.matrix_product(
                    matrix, thin, place, kept, equations, lines
                )
        if total is None:
            total = self.contraction(arrays, kind, place, kept, equations, lines)
        if total is None:
            return None
        numbers = [f for f in product.factors if self.is_number(f)]
        rest = product_terms.Product(product.coefficient, numbers, product.divisors)
        return lines.assigned(s, lines.build(total.times(rest)))

    def contraction(
        self,
        arrays: list[ir.Operand],
        kind: ir.Array,
        place: int,
        kept: bool,
        equations: Equations,
        lines: product_terms.Lines,
    ) -> product_terms.Product | None:
        """The sum by ``einsum``, of all factors but one times that one."""
        wanted = kind.axes or ()
        if kind.dtype != "float64" or wanted[place].length == "one":
            return None
        if any(not self.is_aligned(factor, wanted) for factor in arrays):
            return None
        *others, last = sorted(arrays, key=lines.size)
        if len(others) > 1:
            first = lines.named(lines.build(product_terms.Product(1, others)))
            if not self.is_aligned(first, wanted):
                return None
        else:
            (first,) = others
        first_labels, first = self.labels(first, len(wanted), equations)
        last_labels, last = self.labels(last, len(wanted), equations)
        places = [k for k in range(len(wanted)) if k != place]
        given = {*first_labels, *last_labels}
        if not {_LABELS[k] for k in range(len(wanted))} <= given:
            return None
        left = "".join(_LABELS[k] for k in places)
        equation = ir.Const(f"{first_labels},{last_labels}->{left}")
        axes = tuple(wanted[k] for k in places)
        whole = ir.Array("float64", axes) if axes else ir.NumPyScalar("float64")
        made = lines.named(ir.Apply(np.einsum, (equation, first, last)), whole)
        if kept:
            spread = ir.Apply(np.expand_dims, (made, ir.Const(place)))
            axes = (*axes[:place], ir.ONE, *axes[place:])
            made = lines.named(spread, ir.Array("float64", axes))
        return product_terms.Product(1, [made])

    def is_aligned(self, factor: ir.Operand, wanted: tuple[ir.Axis, ...]) -> bool:
        """True for arrays each axis of which is of length one, or surely as long as
        that of the product."""
        kind = ir.array_kind(factor, self.kinds)
        if kind is None or kind.dtype != "float64":
            return False
        axes = kind.axes
        if not axes or len(axes) > len(wanted):
            return False
        pairs = zip(reversed(axes), reversed(wanted))
        return all(
            own.length == "one" or same_length(own, other) for own, other in pairs
        )

    def labels(
        self, factor: ir.Operand, rank: int, equations: Equations
    ) -> tuple[str, ir.Operand]:
        """The labels of an array's axes. Those of length one have labels of their own,
        or are left out: ``w`` instead of ``expand_dims(w, 1)``."""
        assert isinstance(factor, ir.Var)
        kind = self.kinds[factor.name]
        assert isinstance(kind, ir.Array) and kind.axes is not None
        own = _LABELS[rank - len(kind.axes) : rank]
        labels = "".join(
            "abcdef"[k] if axis.length == "one" else label
            for k, (axis, label) in enumerate(zip(kind.axes, own, strict=True))
        )
        inner, added = self.without_new_axes(factor, equations)
        left = "".join(label for k, label in enumerate(labels) if k not in added)
        return left, inner

    def without_new_axes(
        self, factor: ir.Var, equations: Equations
    ) -> tuple[ir.Operand, frozenset[int]]:
        """The array to which axes of length one have been added, and their places."""
        line, kind = equations.get(factor.name), self.kinds[factor.name]
        plain = ir.is_line(line) and not line.value.keywords
        if not plain or len(line.value.args) != 2:
            return factor, frozenset()
        value = line.value
        inner, where = value.args
        known = ir.array_kind(inner, self.kinds)
        rank = ir.rank_of(kind) or 0
        added: frozenset[int] = frozenset()
        if value.function is np.expand_dims and isinstance(where, ir.Const):
            if isinstance(where.value, int) and -rank <= where.value < rank:
                added = frozenset((where.value % rank,))
        elif value.function is operator.getitem and isinstance(where, ir.Pack):
            new = [item == ir.Const(None) for item in where.items]
            rest = [item for item in where.items if item != ir.Const(None)]
            if all(item == ir.Slice(None, None, None) for item in rest):
                added = frozenset(k for k, one in enumerate(new) if one)
        if (
            known is None
            or not known.axes
            or len(known.axes) != rank - len(added)
            or not added
        ):
            return factor, frozenset()
        return inner, added

    def matrix_product(
        self,
        matrix: ir.Operand,
        thin: ir.Operand,
        place: int,
        kept: bool,
        equations: Equations,
        lines: product_terms.Lines,
    ) -> product_terms.Product | None:
        """``sum(matrix * thin, axis=place, keepdims=kept)``, where ``thin`` is a
        vector, or has a single row or column, as long as the matrix along the axis."""
        a, b = self.floats(matrix, 2), self.floats(thin, 1, 2)
        if a is None or b is None or a.dtype != b.dtype:
            return None
        long, *rest = (a.axes or ())[place], *(b.axes or ())
        if len(rest) == 1:
            if kept or place == 0 or not same_length(long, rest[0]):
                return None
            rows = replace(a, axes=(a.axes or ())[:1])
            made = ir.Apply(operator.matmul, (matrix, thin))
            return product_terms.Product(1, [lines.named(made, rows)])
        if rest[1 - place].length != "one" or not same_length(long, rest[place]):
            return None
        other = (a.axes or ())[1 - place]
        if kept:
            turned = replace(b, axes=(b.axes or ())[::-1])
            factor = lines.named(ops.transposed(thin), turned)
            axes: tuple[ir.Axis, ...] = (
                (other, ir.ONE) if place == 1 else (ir.ONE, other)
            )
        else:
            vector = self.vector_behind(thin, 1 - place, equations)
            if vector is None:
                return None
            factor, axes = vector, (other,)
        order = (matrix, factor) if place == 1 else (factor, matrix)
        made = ir.Apply(operator.matmul, order)
        return product_terms.Product(1, [lines.named(made, replace(a, axes=axes))])

    def floats(self, operand: ir.Operand, *ranks: int) -> ir.Array | None:
        """The kind of an array of floats of some rank."""
        kind = ir.array_kind(operand, self.kinds)
        if kind is None or ir.rank_of(kind) not in ranks:
            return None
        return kind if (kind.dtype or "").startswith("float") else None

    def vector_behind(
        self, thin: ir.Operand, place: int, equations: Equations
    ) -> ir.Operand | None:
        """The vector that a row or column is, as ``w[:, None]`` or by
        ``expand_dims``."""
        if not isinstance(thin, ir.Var):
            return None
        vector, added = self.without_new_axes(thin, equations)
        return vector if added == {place} else None
