"""The cotangent of an indexed read, kept as a pair until it is added into one
buffer."""

from typing import Any, NamedTuple


class Scattered(NamedTuple):
    """A cotangent that is ``value`` at ``index`` and zero elsewhere.

    A rule that returns it has ``value`` added into the adjoint's buffer at ``index``,
    so that reading one element costs the same whatever the array's length. ``repeats``
    (a literal) says that the index may name an element more than once.
    """

    index: Any
    value: Any
    repeats: bool = False
