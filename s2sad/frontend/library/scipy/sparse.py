"""Questions about sparse matrices, which the compiler answers of what it knows."""

from scipy import sparse

from s2sad import ir, rules
from s2sad.frontend.library.texts import stands_for


@stands_for(sparse.issparse, always=True)
def issparse(x):
    """``sparse.issparse(x)``."""
    if is_known(x):
        return is_sparse(x)
    return sparse.issparse(x)


@rules.static_predicate
def is_known(x: ir.Kind) -> bool:
    """True where the kind says whether a value is a sparse matrix."""
    dense = ir.Array | ir.Known | ir.List | ir.NumPyScalar | ir.Scalar | ir.Structure
    return isinstance(x, dense | ir.Sparse)


@rules.static_predicate
def is_sparse(x: ir.Kind) -> bool:
    """True for a sparse matrix."""
    return isinstance(x, ir.Sparse) or (
        isinstance(x, ir.Known) and sparse.issparse(x.value)
    )
