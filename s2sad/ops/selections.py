"""Operations that choose from a pool whose size is known only when the program runs, as
functions of the IR.

What itertools makes is computed once, as a list of tuples; those of numbers without
derivative are read from it, others are gathered by their places in the pool.
"""

import itertools
from collections.abc import Sequence
from typing import Any


def list_of_combinations(pool: Any, r: int) -> list[Any]:
    """``list(itertools.combinations(pool, r))``."""
    return list(itertools.combinations(pool, r))


def list_of_multisets(pool: Any, r: int) -> list[Any]:
    """``list(itertools.combinations_with_replacement(pool, r))``."""
    return list(itertools.combinations_with_replacement(pool, r))


def list_of_permutations(pool: Any, r: int | None = None) -> list[Any]:
    """``list(itertools.permutations(pool, r))``."""
    return list(itertools.permutations(pool, r))


def list_of_tuples(pool: Any, repeat: int) -> list[Any]:
    """``list(itertools.product(pool, repeat=repeat))``."""
    return list(itertools.product(pool, repeat=repeat))


LISTS_OF_SELECTIONS = {
    list_of_combinations: itertools.combinations,
    list_of_multisets: itertools.combinations_with_replacement,
    list_of_permutations: itertools.permutations,
    list_of_tuples: itertools.product,
}


def gathered(items: Sequence[Any], indices: Sequence[int]) -> list[Any]:
    """``[items[i] for i in indices]``."""
    return [items[i] for i in indices]


def bounds_of_runs(keys: Sequence[Any]) -> list[int]:
    """Where runs of equal keys start, and where the last one ends."""
    ends = (0, len(keys))
    return [k for k in range(len(keys) + 1) if k in ends or keys[k] != keys[k - 1]]
