"""Products of a sparse matrix of SciPy and what may vary; matrices that the program
makes of constants."""

import operator
import sys
from dataclasses import replace
from typing import Any, TypeGuard

from s2sad import ir, ops
from s2sad.analysis.passes.purity import is_pure
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.rules.numpy.kinds_of_arrays import result_dtype
from s2sad.source.kinds.foreign_classes import star_is_product

_MAKES_MATRICES = ("diags", "eye", "identity", "spdiags")
_MAKES_ARRAYS = ("diags_array", "eye_array")
_FORMS = tuple(
    f"to{form}" for form in ("csr", "csc", "coo", "dia", "bsr", "lil", "dok")
)


def made_sparse(
    spec: Specialiser, function: Any, args: Args, words: Words
) -> core.Value | None:
    """A sparse matrix that is made of constants; None for other calls."""
    cls = None if spec.derived else _class_made(function)
    values = (*args, *words.values())
    leaves = [leaf for value in values for leaf in core.leaves(value)]
    if cls is None or not all(_is_constant(spec, leaf) for leaf in leaves):
        return None
    if any(core.is_container(value) for value in values):
        return None
    plain = not any(ir.is_complex(leaf.kind) for leaf in leaves)
    dtype = "float64" if plain and "dtype" not in words else None
    kind = ir.Sparse(
        cls=cls,
        dtype=dtype,
        axes=(ir.Axis("any"), ir.Axis("any")),
        star_is_product=star_is_product(cls),
    )
    operands = tuple(map(core.operand_of, args))
    given = tuple((word, core.operand_of(value)) for word, value in words.items())
    return spec.define(ir.Apply(function, operands, given), kind, "matrix")


def _is_constant(spec: Specialiser, leaf: core.Leaf) -> bool:
    """True for what carries no derivative, and what the lines of this block make of
    such."""
    return not core.may_vary(leaf) or _made_of_constants(spec, leaf.operand)


def _made_of_constants(spec: Specialiser, operand: ir.Operand) -> bool:
    if not isinstance(operand, ir.Var):
        return True
    line = next(
        (s for s in reversed(spec.block) if operand in ir.direct_writes(s)), None
    )
    if line is None:
        given = (leaf for value in spec.given.values() for leaf in core.leaves(value))
        return any(g.operand == operand and not core.may_vary(g) for g in given)
    if not isinstance(line, ir.Assign):
        return False
    if not ir.is_real_number_kind(line.kind or ir.UNKNOWN):
        return True
    pure = not isinstance(line.value, ir.Apply) or is_pure(line.value.function)
    return pure and all(_made_of_constants(spec, v) for v in ir.direct_reads(line))


def _class_made(function: Any) -> Any:
    """A class of the sparse matrices that a function of SciPy makes."""
    module = getattr(function, "__module__", None) or ""
    if not module.startswith("scipy.sparse"):
        return None
    if isinstance(function, type):
        return function if hasattr(function, "tocsr") else None
    name = function.__name__
    sparse: Any = sys.modules["scipy.sparse"]
    if name in _MAKES_MATRICES:
        return sparse.csr_matrix
    return sparse.csr_array if name in _MAKES_ARRAYS else None


@core.verb
def sparse_product(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value | None:
    """``X @ w`` or ``w @ X``, and ``X * w`` of a ``spmatrix``, for a dense ``w``; ``X``
    times a constant; None for other operations."""
    if spec.derived or not any(map(is_sparse, operands)):
        return None
    if function is operator.neg:
        return _scaled(spec, function, operands)
    if len(operands) != 2:
        return None
    left, right = operands
    if is_sparse(left) and is_sparse(right):
        return _of_two(spec, function, left, right)
    matrix, w = (left, right) if is_sparse(left) else (right, left)
    assert isinstance(matrix, core.Leaf) and isinstance(matrix.kind, ir.Sparse)
    if (
        function in (operator.mul, operator.truediv)
        and ir.rank_of(core.kind_of(w)) == 0
    ):
        if function is operator.mul or matrix is left:
            return _scaled(spec, function, operands)
    by_star = function is operator.mul and matrix.kind.star_is_product
    if not (function is operator.matmul or (by_star and _is_array(w))):
        return None
    if not isinstance(w, core.Leaf) or not ir.is_real_number_kind(w.kind):
        return None
    product = ops.sparse_times if matrix is left else ops.times_sparse
    return spec.apply(product, (w, matrix), hint="product")


def _of_two(
    spec: Specialiser, function: Any, left: core.Leaf, right: core.Leaf
) -> core.Value | None:
    """A sum, difference or product of two constant sparse matrices."""
    a, b = left.kind, right.kind
    assert isinstance(a, ir.Sparse) and isinstance(b, ir.Sparse)
    times = function is operator.matmul or (
        function is operator.mul and a.star_is_product and b.star_is_product
    )
    if not times and function not in (operator.add, operator.sub):
        return None
    axes = (a.axes[0], b.axes[1]) if times else a.axes
    dtype = a.dtype if a.dtype == b.dtype else None
    operation = ir.Apply(function, (left.operand, right.operand))
    return spec.define(operation, replace(a, dtype=dtype, axes=axes), "matrix")


def _scaled(
    spec: Specialiser, function: Any, operands: tuple[core.Value, ...]
) -> core.Value:
    """A sparse matrix times a constant."""
    matrix = next(filter(is_sparse, operands))
    assert isinstance(matrix, core.Leaf) and isinstance(matrix.kind, ir.Sparse)
    if any(core.may_vary(leaf) for value in operands for leaf in core.leaves(value)):
        raise core.Unsupported(
            f"a {matrix.kind.cls.__name__} is multiplied by what may vary",
            "multiply the product: s * (X @ w)",
        )
    dense = ir.Array(matrix.kind.dtype, None)
    factors = [dense if o is matrix else core.kind_of(o) for o in operands]
    made = replace(matrix.kind, dtype=result_dtype(function, factors))
    operation = ir.Apply(function, tuple(map(core.operand_of, operands)))
    return spec.define(operation, made, "scaled")


def sparse_attribute(
    spec: Specialiser, value: core.Value, name: str
) -> core.Value | None:
    """``X.T``; None for other attributes."""
    if name != "T" or not is_sparse(value):
        return None
    return spec.apply(ops.sparse_transposed, (value,), hint="transposed")


def sparse_method(
    spec: Specialiser, value: core.Value, name: str, args: Args
) -> core.Value | None:
    """``X.dot(w)``, ``X.transpose()``, ``X.tocsr()`` and the like; None for other
    methods."""
    if name in _FORMS and not args and is_sparse(value):
        assert isinstance(value, core.Leaf) and isinstance(value.kind, ir.Sparse)
        method = getattr(value.kind.cls, name)
        operation = ir.Apply(method, (value.operand,), (), f"method:{name}")
        return spec.define(operation, value.kind, "matrix")
    if name == "transpose" and not args:
        return sparse_attribute(spec, value, "T")
    if name == "dot" and len(args) == 1:
        return sparse_product(spec, operator.matmul, (value, *args))
    return None


def is_sparse(value: core.Value) -> TypeGuard[core.Leaf]:
    """True for a sparse matrix."""
    return isinstance(value, core.Leaf) and isinstance(value.kind, ir.Sparse)


def _is_array(value: core.Value) -> bool:
    kind = value.kind if isinstance(value, core.Leaf) else None
    return isinstance(kind, ir.Array) and bool(kind.axes)
