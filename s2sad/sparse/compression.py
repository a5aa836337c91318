"""How a sparse Jacobian is compressed: colours of columns or rows, seeds, and entries
read back from what the seeds became.

>>> from scipy.sparse import csr_array
>>> made = Compression(csr_array(np.eye(3, dtype=bool)), "")
>>> made.direction, made.count, made.seeds(0, 1, float)
('forward', 1, array([[1., 1., 1.]]))
>>> made.assembled([np.array([[4.0, 5.0, 6.0]])], float).toarray()[1]
array([0., 5., 0.])
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from s2sad.errors import ArgumentError
from s2sad.sparse.colouring import column_colours, seeds_of, symmetric_colours


class Compression:
    """The colours for one pattern, a boolean ``csr_array``; ``symmetric`` says that it
    is one of a symmetric matrix."""

    def __init__(self, pattern: Any, direction: str, symmetric: bool = False) -> None:
        self.pattern = pattern
        self._rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        self._whole = np.zeros(pattern.shape[1], bool)
        """The columns of which the rows are read, too."""
        self.direction = direction or "forward"
        """``"forward"`` where columns are summed, ``"reverse"`` where rows are."""
        if symmetric and is_symmetric(pattern):
            self.colours, self._whole = symmetric_colours(pattern)
        elif direction == "reverse":
            self.colours = column_colours(pattern.T.tocsr())
        else:
            self.colours = column_colours(pattern)
        if direction == "" and self._fewest_rows() < self.count:
            colours = column_colours(pattern.T.tocsr())
            if colours.max(initial=-1) + 1 < self.count:
                self.direction, self.colours = "reverse", colours

    def _fewest_rows(self) -> int:
        """No colouring of rows has fewer colours."""
        return int(np.bincount(self.pattern.indices, minlength=1).max())

    @property
    def count(self) -> int:
        """How many colours there are."""
        return int(self.colours.max(initial=-1)) + 1

    @property
    def uses_symmetry(self) -> bool:
        """Whether entries are read across the diagonal."""
        return bool(self._whole.any())

    def fits(self, pattern: Any) -> bool:
        """Whether this is the compression of such a pattern."""
        own = self.pattern
        return own is pattern or (
            own.shape == pattern.shape
            and np.array_equal(own.indptr, pattern.indptr)
            and np.array_equal(own.indices, pattern.indices)
        )

    def seeds(self, first: int, last: int, dtype: Any) -> np.ndarray:
        """The seeds of some colours, flat."""
        return seeds_of(self.colours, first, last, dtype)

    def assembled(self, sums: Sequence[np.ndarray], dtype: Any) -> Any:
        """The Jacobian from what the seeds became, flat: a ``csr_array``."""
        from scipy.sparse import csr_array

        pattern = self.pattern
        if not sums:
            return csr_array(pattern.shape, dtype=dtype)
        table = np.concatenate(sums) if len(sums) > 1 else sums[0]
        if self.direction == "forward":
            rows, columns = self._rows, pattern.indices
            if self._whole.any():
                across = self._whole[rows] & ~self._whole[columns]
                rows, columns = (
                    np.where(across, columns, rows),
                    np.where(across, rows, columns),
                )
            data = table[self.colours[columns], rows]
        else:
            data = table[self.colours[self._rows], pattern.indices]
        parts = (data, pattern.indices.copy(), pattern.indptr.copy())
        return csr_array(parts, shape=pattern.shape)


def is_symmetric(pattern: Any) -> bool:
    """Whether a pattern with sorted indices is that of its transpose."""
    if pattern.shape[0] != pattern.shape[1]:
        return False
    other = pattern.T.tocsr()
    return np.array_equal(pattern.indptr, other.indptr) and np.array_equal(
        pattern.indices, other.indices
    )


def as_pattern(structure: Any) -> Any:
    """A structure as users give it, as a boolean ``csr_array`` with sorted indices.

    Raises ArgumentError for anything but a matrix; what is stored counts as an entry,
    of an array without sparse format what isn't zero.
    """
    from scipy.sparse import csr_array, issparse

    if not issparse(structure):
        structure = np.asarray(structure)
        if structure.ndim != 2 or structure.dtype.kind not in "biuf":
            raise ArgumentError(
                "structure must be a sparse matrix or a boolean array with two axes, "
                "a row for each element of the result"
            )
        structure = structure != 0
    found = csr_array(structure, copy=True)
    if len(found.shape) != 2:
        raise ArgumentError("structure must have two axes")
    found.sum_duplicates()
    ones = np.ones(len(found.indices), bool)
    return csr_array((ones, found.indices, found.indptr), shape=found.shape)


def difference_of_product(
    result: Any, direction: str, vector: np.ndarray, found: Any, *, roughly: bool
) -> str:
    """Compare the product of a Jacobian with a vector with what a sweep gave for it;
    where they differ by more than rounding explains, says so, "" elsewhere.

    The structure was right if both agree: an entry that it lacks is missing in one of
    them. ``roughly``: differences below a thousandth are let pass, as of sums in which
    most digits cancel.
    """
    if direction == "reverse":
        result = result.T.tocsr()
    product = result @ vector
    sizes = abs(result) @ vector
    precision = np.finfo(np.result_type(product, found)).eps
    finite = np.isfinite(product)
    largest = sizes[finite].max(initial=0.0)
    allowed = np.sqrt(precision) * sizes + 1000 * precision * largest
    if roughly:
        allowed = np.maximum(allowed, 1e-3 * sizes + 1e-6 * largest)
    apart = finite & ~(np.abs(product - found) <= allowed)
    if not apart.any():
        return ""
    place = int(np.argmax(apart))
    what = "row" if direction == "forward" else "column"
    return (
        f"{what} {place}: a product with the matrix gives {float(found[place])!r} "
        f"there, but {float(product[place])!r} is what the entries of the structure "
        "give"
    )
