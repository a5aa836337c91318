"""Questions about sparse matrices, which the compiler answers of what it knows."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from s2sad.frontend.library.texts import stands_for
from s2sad.ir.kinds import (
    Array,
    Kind,
    Known,
    List,
    NumPyScalar,
    Scalar,
    Sparse,
    Structure,
)
from s2sad.rules.predicates import static_predicate


@stands_for(sparse.issparse, always=True)
def issparse(x: Any) -> Any:
    """``sparse.issparse(x)``."""
    if is_known(x):
        return is_sparse(x)
    return sparse.issparse(x)


@static_predicate
def is_known(x: Kind) -> bool:
    """True where the kind says whether a value is a sparse matrix."""
    dense = Array | Known | List | NumPyScalar | Scalar | Structure
    return isinstance(x, dense | Sparse)


@static_predicate
def is_sparse(x: Kind) -> bool:
    """True for a sparse matrix."""
    return isinstance(x, Sparse) or (isinstance(x, Known) and sparse.issparse(x.value))
