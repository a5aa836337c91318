"""Sparse Jacobians and Hessians as objects to call.

A call finds the structure, unless it is given, colours columns or rows, runs one
program that carries a seed for each colour, and puts the entries where they belong.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import derivatives, floating_errors, user_tracebacks
from s2sad.codegen.seeds import copied
from s2sad.dispatch.dispatcher import Wanted
from s2sad.dispatch.target import Target
from s2sad.errors import ArgumentError, S2sadError
from s2sad.sparse.compression import Compression, as_pattern, difference_of_product
from s2sad.sparse.sweeps import CompressedSweep, one_array

NUMBERS_AT_ONCE = 2**23
"""So many numbers the seeds of one sweep may hold; more take several sweeps."""


@dataclass(frozen=True)
class _Call:
    """What is known of one call before the sweeps."""

    values: tuple[Any, ...]
    x: np.ndarray
    pattern: Any
    shape: tuple[int, ...] | None
    """The shape of the result; None where nobody has asked yet."""


class SparseJacobian:
    """The Jacobian of a function that takes and returns one array, as a
    ``scipy.sparse.csr_array``; made by :func:`s2sad.sparse_jacobian`."""

    _verb = "sparse_jacobian"
    _what = "Sparse Jacobian"
    _symmetric = False

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: Any = 0,
        *,
        structure: Any = None,
        direction: str = "",
        optimise: derivatives.Optimise = None,
    ) -> None:
        _require_scipy(self._verb)
        if direction not in ("", "forward", "reverse"):
            raise ArgumentError(
                f'direction must be "forward" or "reverse", not {direction!r}'
            )
        self._target = self._target_of(function, wrt, optimise)
        names, single = self._target.wrt_names(wrt)
        if not single:
            raise ArgumentError(
                f"{self._verb} takes one parameter, not a tuple: make one for each of "
                + ", ".join(names)
            )
        (self._name,) = names
        off = derivatives.switched_off(optimise)
        wanted = Wanted("structure", names, single=True, switched_off=off)
        self._structures = self._target.dispatcher(wanted)
        self._given = None if structure is None else as_pattern(structure)
        self._direction = direction
        self._sweeps = {
            way: CompressedSweep(
                self._differentiated, self._name, direction=way, optimise=optimise
            )
            for way in ("forward", "reverse")
        }
        self._known: Compression | None = None
        own = self._target.name.removesuffix(self._suffix)
        self.__name__ = f"{own}_{self._verb}"
        self.__doc__ = f"{self._what} of {own} with respect to {self._name}."

    def _target_of(
        self, function: Callable[..., Any], wrt: Any, optimise: derivatives.Optimise
    ) -> Target:
        """The function that is run; the object of a method is an argument to it."""
        target = Target(function)
        self._differentiated: Any = target.function
        return target

    _suffix = ""
    """What the name of the function that is run has behind the user's."""

    def __repr__(self) -> str:
        return f"<s2sad: {str(self.__doc__)[:-1].lower()}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The matrix at these arguments, of shape ``(y.size, x.size)``, both in C
        order.

        It has an entry wherever the structure has one, also where that is zero. Raises
        ArgumentError where the argument or the result isn't one array or number, and
        where a given structure has another shape or lacks an entry; S2sadError where
        the structure is another each time the function runs.
        """
        try:
            call = self._call(args, kwargs)
            compression = self._compression(call.pattern)
            given = self._given is not None
            if compression.count == 0 and not given:
                return compression.assembled([], call.x.dtype)
            strictly = given or compression.uses_symmetry
            result, difference = self._swept_and_read(call, compression, strictly)
            if difference and compression.uses_symmetry:
                # Rules of users may give derivatives that aren't symmetric.
                compression = Compression(call.pattern, self._direction)
                result, difference = self._swept_and_read(call, compression, given)
            if difference and given:
                raise ArgumentError(
                    f"the structure lacks an entry in {difference}; leave structure "
                    "out to have it found"
                )
            if difference:
                raise S2sadError(
                    f"{self._target.name} has another structure each time it runs "
                    f"(does it draw random numbers?): in {difference} that was found; "
                    "pass what changes as an argument, or give the structure"
                )
            return result
        except Exception as error:
            if floating_errors.is_of_derivative(error, self._target, args, kwargs):
                with floating_errors.floating_errors_ignored():
                    return self(*args, **kwargs)
            user_tracebacks.for_user(error)
            raise

    @user_tracebacks.border
    def structure(self, *args: Any, **kwargs: Any) -> Any:
        """Where the matrix may have entries, as a boolean ``csr_array``.

        It holds for the branches that these arguments take. Passed as ``structure=`` it
        saves finding it again at each call.
        """
        return self._call(args, kwargs).pattern.copy()

    @user_tracebacks.border
    def colours(self, *args: Any, **kwargs: Any) -> tuple[str, np.ndarray]:
        """The direction, and the colour of each column ("forward") or row ("reverse"),
        -1 for those without entries. There is one tangent or cotangent a colour."""
        compression = self._compression(self._call(args, kwargs).pattern)
        return compression.direction, compression.colours.copy()

    @user_tracebacks.border
    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for a call with these arguments: the program that finds
        the structure, unless it is given, and the compressed sweep."""
        call = self._call(args, kwargs)
        compression = self._compression(call.pattern)
        seeds = compression.seeds(0, max(compression.count, 1), call.x.dtype)
        seeds = self._shaped(call, compression, seeds)
        text = self._sweeps[compression.direction].text_for(call.values, seeds)
        if self._given is not None:
            return text
        return f"{self._structures.find(call.values).specialisation.text}\n\n{text}"

    # ---------------------------------------------------------------- steps

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Call:
        values = self._target.bind(args, kwargs)
        value = dict(zip(self._target.parameters, values))[self._name]
        plain = isinstance(value, float | np.floating | np.ndarray)
        x = np.asarray(value) if plain else np.zeros(0, int)
        if x.dtype.kind != "f":
            raise ArgumentError(
                f"{self.__name__} needs a float or an array of floats as {self._name}, "
                f"not {_described(value)}"
            )
        if self._given is None:
            from s2sad.sparse.graph import DependencyGraph

            graph = DependencyGraph(x.size)
            entry = self._structures.find(values)
            nodes = entry.run(*map(copied, values), graph)
            return _Call(values, x, graph.pattern(nodes), np.shape(nodes))
        if self._given.shape[1] != x.size:
            raise ArgumentError(
                f"the structure has {self._given.shape[1]} columns, but {self._name} "
                f"has {x.size} elements"
            )
        return _Call(values, x, self._given, None)

    def _compression(self, pattern: Any) -> Compression:
        """How to compress a pattern; that of the last call, if it is the same."""
        if self._known is None or not self._known.fits(pattern):
            self._known = Compression(pattern, self._direction, self._symmetric)
        return self._known

    def _swept_and_read(
        self, call: _Call, compression: Compression, strictly: bool
    ) -> tuple[Any, str]:
        """The matrix, and where its product with a vector differs from what a sweep
        gives for it."""
        size = call.pattern.shape[1 if compression.direction == "forward" else 0]
        step = max(1, NUMBERS_AT_ONCE // max(size, 1))
        vector = np.random.default_rng(0).uniform(0.5, 1.5, size).astype(call.x.dtype)
        sums = []
        for first in range(0, max(compression.count, 1), step):
            last = min(first + step, compression.count)
            seeds = compression.seeds(first, last, call.x.dtype)
            if last == compression.count:
                seeds = np.concatenate([seeds, vector[None, :]])
            sums.append(self._swept(call, compression, seeds))
        sums[-1], product = sums[-1][:-1], sums[-1][-1]
        result = compression.assembled(sums, call.x.dtype)
        return result, difference_of_product(
            result, compression.direction, vector, product, roughly=not strictly
        )

    def _swept(
        self, call: _Call, compression: Compression, seeds: np.ndarray
    ) -> np.ndarray:
        """What becomes of flat seeds, flat."""
        shaped = self._shaped(call, compression, seeds)
        found = self._sweeps[compression.direction].swept(call.values, shaped)
        found = found.reshape(len(seeds), -1)
        if compression.direction == "forward":
            self._check_rows(found.shape[1])
        return found

    def _shaped(
        self, call: _Call, compression: Compression, seeds: np.ndarray
    ) -> np.ndarray:
        """Flat seeds in the shape of the argument, or of the result."""
        shape: tuple[int, ...] = call.x.shape
        if compression.direction == "reverse":
            if call.shape is not None:
                shape = call.shape
            else:
                result = self._target.call(tuple(map(copied, call.values)))
                shape = np.shape(one_array(self._target.name, result))
                self._check_rows(int(np.prod(shape, dtype=np.int64)))
        return seeds.reshape(len(seeds), *shape)

    def _check_rows(self, size: int) -> None:
        if self._given is not None and self._given.shape[0] != size:
            raise ArgumentError(
                f"the structure has {self._given.shape[0]} rows, but the result of "
                f"{self._target.name} has {size} elements"
            )


class SparseHessian(SparseJacobian):
    """The second derivatives of a function that returns a number, as a
    ``scipy.sparse.csr_array``; made by :func:`s2sad.sparse_hessian`."""

    _verb = "sparse_hessian"
    _what = "Sparse Hessian"
    _symmetric = True
    _suffix = "_grad"

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: Any = 0,
        *,
        structure: Any = None,
        optimise: derivatives.Optimise = None,
    ) -> None:
        # forward over reverse
        super().__init__(
            function, wrt, structure=structure, direction="forward", optimise=optimise
        )

    def _target_of(
        self, function: Callable[..., Any], wrt: Any, optimise: derivatives.Optimise
    ) -> Target:
        primal = Target(function)
        names, single = primal.wrt_names(wrt)
        own = derivatives.Gradient(
            primal.function, names[0] if single else names, optimise=optimise
        )
        self._differentiated = own
        target = Target(own)
        target.bound = primal.bound
        return target


def _require_scipy(verb: str) -> None:
    try:
        import scipy.sparse  # noqa: F401
    except ImportError:
        raise S2sadError(
            f"{verb} needs SciPy, which isn't installed: pip install 's2sad[scipy]'"
        ) from None


def _described(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
