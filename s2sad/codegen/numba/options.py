"""What users ask of Numba, as part of a request for a derivative."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from s2sad.errors import ArgumentError, S2sadError


@dataclass(frozen=True)
class NumbaOptions:
    """The keywords of ``numba.njit`` with which a derivative is compiled.

    Division is NumPy's by default: a reverse line never raises where the function
    didn't.
    """

    fastmath: bool | frozenset[str] = False
    parallel: bool = False
    cache: bool = False
    nogil: bool = False
    boundscheck: bool | None = None
    error_model: str = "numpy"

    def keywords(self) -> dict[str, Any]:
        """As ``njit`` takes them."""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        if isinstance(self.fastmath, frozenset):
            given["fastmath"] = set(self.fastmath)
        return given


NAMES = tuple(field.name for field in fields(NumbaOptions))


def options_of(given: Mapping[str, Any] | None) -> NumbaOptions:
    """The options that a mapping names.

    >>> options_of({"fastmath": True}).fastmath
    True

    Raises ArgumentError for others.
    """
    for name in given or {}:
        if name not in NAMES:
            raise ArgumentError(
                f"options names {name!r}; those of the Numba backend are: "
                + ", ".join(NAMES)
            )
    return NumbaOptions(**_hashable(given or {}))


def options_of_function(function: Any) -> NumbaOptions | None:
    """The options that a function under ``njit`` was compiled with; None for what isn't
    one. Its cache and its model of errors are its own."""
    given = getattr(function, "targetoptions", None)
    if not isinstance(given, Mapping) or not hasattr(function, "py_func"):
        return None
    if not given.get("nopython", True):
        return None
    shared = ("fastmath", "parallel", "nogil", "boundscheck")
    known = {name: given[name] for name in shared if given.get(name) is not None}
    if type(getattr(function, "_cache", None)).__name__ == "FunctionCache":
        known["cache"] = True
    return NumbaOptions(**_hashable(known))


def backend_of(
    backend: str | None, options: Mapping[str, Any] | None, function: Any
) -> NumbaOptions | None:
    """What is asked of Numba; None for the NumPy backend.

    ``backend`` is ``"numpy"``, ``"numba"`` or None, with which a function under
    ``njit`` has its derivatives compiled as it is itself. Raises ArgumentError for
    anything else, and for options of the NumPy backend.
    """
    if backend == "numba":
        return options_of(options)
    if backend not in (None, "numpy"):
        raise ArgumentError(f'backend is "numpy" or "numba", not {backend!r}')
    found = None if backend == "numpy" else options_of_function(function)
    if options is not None:
        if found is None:
            raise ArgumentError('options are for backend="numba"')
        return options_of(options)
    return found


def require_numba() -> Any:
    """The module numba. Raises S2sadError, which names the extra, where it is
    missing."""
    try:
        import numba
    except ImportError as error:
        raise S2sadError(
            "the Numba backend needs Numba: pip install 's2sad[numba]'"
        ) from error
    return numba


def _hashable(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: frozenset(value) if isinstance(value, set) else value
        for name, value in given.items()
    }
