"""The transforms that users call. Each one names a derivative; the rest is dispatch.

>>> @differentiate
... def cube(x):
...     return x * x * x
>>> cube(2.0), cube.grad(2.0)
(8.0, 12.0)
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, overload

from s2sad.codegen.numba.options import backend_of, options_of
from s2sad.derivatives import (
    Derivative,
    Gradient,
    HessianProduct,
    Jacobian,
    Optimise,
    Pullback,
    linearized,
    pullback_of,
    pushforward,
    switched_off,
)
from s2sad.dispatch.target import Target, target_of
from s2sad.errors import ArgumentError
from s2sad.user_tracebacks import border

if TYPE_CHECKING:
    from s2sad.graphs import Graph
    from s2sad.sparse.derivatives import SparseHessian, SparseJacobian

__all__ = [
    "differentiate",
    "elementwise_grad",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linearize",
    "sparse_hessian",
    "sparse_jacobian",
    "value_and_grad",
    "vjp",
]

P = ParamSpec("P")
R = TypeVar("R")
Wrt = int | str | tuple[int | str, ...]
Options = Mapping[str, Any] | None
"""Keywords of ``njit``."""


class Differentiated(Generic[P, R]):
    """A function with its derivatives; calling it runs the function itself."""

    __name__: str
    __qualname__: str
    __wrapped__: Callable[P, R]
    grad: Gradient
    """The gradient with respect to ``wrt``."""
    value_and_grad: Gradient
    """The value and the gradient."""
    hvp: HessianProduct
    """The second derivative, times a vector that follows the arguments."""

    @border
    def __init__(
        self,
        function: Callable[P, R],
        wrt: Wrt = 0,
        optimise: Optimise = None,
        backend: str | None = None,
        options: Options = None,
    ) -> None:
        if isinstance(function, Differentiated):
            function = function.__wrapped__
        functools.update_wrapper(self, function)
        target = Target(function)
        self.__s2sad_primal__ = target.function
        self._target, self._wrt, self._optimise = target, wrt, optimise
        self._off = switched_off(optimise)
        self._backend, self._options = backend, options
        self._numba = backend_of(backend, options, function)
        common: Any = {"optimise": optimise, "target": target, "numba": self._numba}
        self.grad = Gradient(function, wrt, reduced=(self, "grad"), **common)
        self.value_and_grad = Gradient(
            function, wrt, value=True, reduced=(self, "value_and_grad"), **common
        )
        self.hvp = HessianProduct(function, wrt, reduced=(self, "hvp"), **common)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__wrapped__(*args, **kwargs)

    @border
    def vjp(self, *primals: Any) -> tuple[R, Pullback]:
        """The value and the pullback, as :func:`s2sad.vjp` gives them."""
        made = pullback_of(self._target, primals, self._off, numba=self._numba)
        return made.take_value(), made

    @border
    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, Any]:
        """The value and its tangent, as :func:`s2sad.jvp` gives them."""
        pair = _pair(primals, tangents)
        value, tangent = pushforward(self._target, *pair, self._off, numba=self._numba)
        return value, tangent

    @border
    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """The graph of the function for these arguments, as :func:`s2sad.graph` gives
        it."""
        from s2sad.graphs import graph_of

        return graph_of(self._target, self._wrt, args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None, /) -> Any:
        return self if instance is None else BoundDifferentiated(self, instance)

    def __repr__(self) -> str:
        return f"<s2sad: differentiated {self.__wrapped__!r}>"

    def __reduce__(self) -> Any:
        # By name, like a function, if that is where unpickling will find it.
        found: Any = sys.modules.get(self.__module__)
        for name in self.__qualname__.split("."):
            found = getattr(found, name, None)
        if found is self:
            return self.__qualname__
        more = (self._backend, self._options)
        return Differentiated, (self.__wrapped__, self._wrt, self._optimise, *more)


class BoundDifferentiated:
    """A differentiated method, looked up on an instance."""

    def __init__(self, method: Differentiated[..., Any], instance: Any) -> None:
        self.__func__, self.__self__ = method, instance
        self.__wrapped__ = MethodType(method.__wrapped__, instance)
        self.__name__, self.__doc__ = method.__name__, method.__doc__
        self.grad = BoundDerivative(method.grad, instance)
        self.value_and_grad = BoundDerivative(method.value_and_grad, instance)
        self.hvp = BoundDerivative(method.hvp, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)

    @border
    def vjp(self, *primals: Any) -> tuple[Any, Pullback]:
        """The value and the pullback, as :func:`s2sad.vjp` gives them."""
        own = self.__func__
        made = pullback_of(Target(self), primals, own._off, numba=own._numba)
        return made.take_value(), made

    @border
    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """The value and its tangent, as :func:`s2sad.jvp` gives them."""
        pair = _pair(primals, tangents)
        own = self.__func__
        value, tangent = pushforward(Target(self), *pair, own._off, numba=own._numba)
        return value, tangent

    @border
    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """The graph of the method for these arguments."""
        return self.__func__.graph(self.__self__, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<s2sad: differentiated {self.__wrapped__!r}>"


class BoundDerivative:
    """The derivative of a method, looked up on an instance."""

    __s2sad_derivative__ = True

    def __init__(self, derivative: Derivative, instance: Any) -> None:
        self.__func__, self.__self__ = derivative, instance

    @property
    @border
    def source(self) -> str:
        """The generated code for arguments as the annotations describe them."""
        return self.__func__.source

    @border
    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for a call with these arguments."""
        return self.__func__.source_for(self.__self__, *args, **kwargs)

    @border
    def compiled(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The function that such a call runs; it takes the instance first."""
        return self.__func__.compiled(self.__self__, *args, **kwargs)

    @border
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)


@overload
def differentiate(
    function: Callable[P, R],
    /,
    *,
    wrt: Wrt = 0,
    optimise: Optimise = None,
    backend: str | None = None,
    options: Options = None,
) -> Differentiated[P, R]: ...


@overload
def differentiate(
    *,
    wrt: Wrt = 0,
    optimise: Optimise = None,
    backend: str | None = None,
    options: Options = None,
) -> Callable[[Callable[P, R]], Differentiated[P, R]]: ...


@border
def differentiate(
    function: Any = None,
    /,
    *,
    wrt: Wrt = 0,
    optimise: Optimise = None,
    backend: str | None = None,
    options: Options = None,
) -> Any:
    """Give a function its derivatives, as a decorator with or without arguments.

    The result runs the function itself when called, and has the attributes ``grad``,
    ``value_and_grad``, ``hvp``, ``vjp`` and ``jvp``. ``wrt`` is the position or the
    name of a parameter, or a tuple of them: one gives the bare gradient, a tuple a
    tuple. ``optimise={"recompute": False}`` switches off an optimisation, False all.

    With ``backend="numba"`` derivatives are compiled by Numba's ``njit``, with the
    keywords in ``options`` (``{"fastmath": True}``); so they are where the function is
    one under ``njit`` itself, unless ``backend="numpy"`` says otherwise.

    Raises ArgumentError for an unknown parameter or optimisation, SourceError for what
    isn't a Python function. Nothing is compiled before the first call of a derivative.
    """
    if function is None:
        return functools.partial(
            Differentiated,
            wrt=wrt,
            optimise=optimise,
            backend=backend,
            options=options,
        )
    if not callable(function) and not isinstance(function, staticmethod | classmethod):
        raise ArgumentError(
            f"differentiate takes a function, not {function!r}; write "
            f"differentiate(wrt={function!r}) for a parameter"
        )
    return Differentiated(function, wrt, optimise, backend, options)


@border
def grad(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
    backend: str | None = None,
    options: Options = None,
) -> Gradient:
    """The gradient of a function: ``grad(f)(x, y)`` takes the arguments of ``f``.

    With ``has_aux`` the function returns a pair ``(result, aux)``, of which the first
    is differentiated; the gradient is returned in a pair with ``aux``.

    For ``wrt`` and the errors raised see :func:`differentiate`. Calls raise
    ArgumentError if the result of the function isn't one real number, unless they give
    its cotangent as ``gradient=``; if an argument to differentiate is an int or holds
    no float; and if an argument is complex. They raise UnsupportedError if the function
    can't be differentiated.
    """
    numba = backend_of(backend, options, function)
    return Gradient(function, wrt, has_aux=has_aux, optimise=optimise, numba=numba)


@border
def value_and_grad(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
    backend: str | None = None,
    options: Options = None,
) -> Gradient:
    """The value of a function and its gradient, as a pair; see :func:`grad`.

    With ``has_aux`` the value is all that the function returns: ``((result, aux),
    gradient)``.
    """
    numba = backend_of(backend, options, function)
    return Gradient(
        function, wrt, value=True, has_aux=has_aux, optimise=optimise, numba=numba
    )


@border
def hvp(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
    backend: str | None = None,
    options: Options = None,
) -> HessianProduct:
    """The second derivative of a function times a vector: ``hvp(f)(x, y, v)``.

    ``v`` has the structure of the argument to differentiate, or is a tuple of such for
    a tuple ``wrt``. See :func:`grad` for the errors raised. With ``has_aux`` the
    product is returned in a pair with what stands beside the result, as by
    :func:`grad`.
    """
    numba = backend_of(backend, options, function)
    return HessianProduct(
        function, wrt, has_aux=has_aux, optimise=optimise, numba=numba
    )


@border
def jacobian(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
) -> Jacobian:
    """The Jacobian of a function: ``jacobian(f)(x)``.

    For a result of shape (k, l) and an argument of shape (m, n) its shape is (k, l, m,
    n). A tuple of results gives a tuple, and so does a tuple ``wrt``; structures give
    structures: that of the result outside, that of the argument inside.

    All tangents, or cotangents, are carried at once, along one more axis. Forward or
    reverse mode is chosen by the number of arguments and results; the function is run
    once to count these, unless it prints or draws random numbers. See :func:`jacfwd`
    and :func:`jacrev`, and :func:`grad` for the
    errors raised. With ``has_aux`` it is returned in a pair, as by :func:`grad`.
    """
    return Jacobian(function, wrt, has_aux=has_aux, optimise=optimise)


@border
def jacfwd(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
) -> Jacobian:
    """The Jacobian in forward mode: one tangent for each element of the arguments."""
    return Jacobian(
        function, wrt, direction="forward", has_aux=has_aux, optimise=optimise
    )


@border
def jacrev(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
) -> Jacobian:
    """The Jacobian in reverse mode: one cotangent for each element of the results."""
    return Jacobian(
        function, wrt, direction="reverse", has_aux=has_aux, optimise=optimise
    )


@border
def elementwise_grad(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
) -> Jacobian:
    """The derivative of an elementwise function, of the shape of its argument.

    For a function whose result at each place depends on the argument at that place
    alone, ``elementwise_grad(f)(x)[k]`` is the derivative of ``f(x)[k]`` by ``x[k]``.
    Of any other function it is the gradient of the sum of all elements of the result.
    """
    return Jacobian(
        function,
        wrt,
        direction="sum",
        verb="elementwise_grad",
        has_aux=has_aux,
        optimise=optimise,
    )


@border
def hessian(
    function: Callable[..., Any],
    wrt: Wrt = 0,
    *,
    has_aux: bool = False,
    optimise: Optimise = None,
) -> Jacobian:
    """The second derivatives of a function that returns a number, forward over reverse.

    For an argument of shape (m, n) its shape is (m, n, m, n). For a tuple ``wrt`` it is
    a tuple of tuples, for a structure a structure of structures.
    """
    inner = Gradient(function, wrt, has_aux=has_aux, optimise=optimise)
    return Jacobian(
        inner,
        wrt,
        direction="forward",
        verb="hessian",
        has_aux=has_aux,
        optimise=optimise,
    )


@border
def sparse_jacobian(
    function: Callable[..., Any],
    wrt: int | str = 0,
    *,
    structure: Any = None,
    direction: str = "",
    optimise: Optimise = None,
) -> SparseJacobian:
    """The Jacobian of a function from an array to an array, in few sweeps, as a
    ``scipy.sparse.csr_array`` of shape ``(y.size, x.size)``.

    Where it may have entries is found by following what each number depends on; or
    ``structure`` says it, a sparse matrix or a boolean array, which is checked by one
    product with the Jacobian at each call. Columns without a common row are summed and
    carried as one tangent, or rows as one cotangent; ``direction`` "forward" or
    "reverse" chooses, otherwise that with fewer sums is taken.

    Needs SciPy (``pip install 's2sad[scipy]'``). Raises ArgumentError for a tuple
    ``wrt``. Calls raise ArgumentError for an argument or result that isn't one array or
    number of floats, and for a structure that lacks an entry or has another shape; see
    :func:`grad` for other errors.
    """
    from s2sad.sparse.derivatives import SparseJacobian

    return SparseJacobian(
        function, wrt, structure=structure, direction=direction, optimise=optimise
    )


@border
def sparse_hessian(
    function: Callable[..., Any],
    wrt: int | str = 0,
    *,
    structure: Any = None,
    optimise: Optimise = None,
) -> SparseHessian:
    """The second derivatives of a function that returns a number, in few sweeps, as a
    ``scipy.sparse.csr_array`` of shape ``(x.size, x.size)``: the sparse Jacobian of the
    gradient. See :func:`sparse_jacobian`.
    """
    from s2sad.sparse.derivatives import SparseHessian

    return SparseHessian(function, wrt, structure=structure, optimise=optimise)


@border
def vjp(
    function: Callable[..., Any],
    /,
    *primals: Any,
    has_aux: bool = False,
    backend: str | None = None,
    options: Options = None,
) -> tuple[Any, ...]:
    """The value of a function, and the pullback of cotangents to its arguments.

    With ``has_aux`` the function returns a pair ``(result, aux)``, and this gives
    ``(result, pullback, aux)``.

    ``pullback(gradient)`` may be called any number of times. It gives one cotangent for
    each positional argument; None for one that has no derivative (an int, a bool, a
    string, None, a function). ``pullback.source`` is the generated code.
    """
    numba = _backend_of(backend, options, function)
    made = pullback_of(_target(function), primals, switched_off(None), has_aux, numba)
    value = made.take_value()
    return (value[0], made, value[1]) if has_aux else (value, made)


@border
def jvp(
    function: Callable[..., Any],
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    has_aux: bool = False,
    backend: str | None = None,
    options: Options = None,
) -> tuple[Any, ...]:
    """The value of a function, and its tangent along ``tangents``.

    With ``has_aux`` the function returns a pair ``(result, aux)``, and this gives
    ``(result, tangent, aux)``.

    Both sequences have one item for each positional argument. The tangent of an
    argument that has no derivative, or is to be held, is None. Raises ArgumentError
    where a tangent differs in structure or shape from its argument.
    """
    pair = _pair(primals, tangents)
    numba = _backend_of(backend, options, function)
    return pushforward(_target(function), *pair, switched_off(None), has_aux, numba)


@border
def linearize(
    function: Callable[..., Any], /, *primals: Any, has_aux: bool = False
) -> tuple[Any, ...]:
    """The value of a function, and its tangent as a function of those of arguments.

    ``value, tangent_of = linearize(f, x, y)``; then ``tangent_of(x_dot, y_dot)`` is
    what ``jvp(f, (x, y), (x_dot, y_dot))`` gives behind the value. It may be called any
    number of times, without what doesn't depend on tangents being computed again;
    loops and branches are. ``tangent_of.source`` is the generated code. With
    ``has_aux`` the function returns a pair ``(result, aux)``, and this gives ``(result,
    tangent_of, aux)``.
    """
    made = linearized(_target(function), primals, switched_off(None), has_aux)
    value = made.take_value()
    return (value[0], made, value[1]) if has_aux else (value, made)


def _backend_of(backend: str | None, options: Options, function: Any) -> Any:
    """As :func:`backend_of`; a differentiated function has one of its own."""
    if backend is None and options is None:
        if type(function) is FunctionType:
            return None
        if isinstance(function, Differentiated):
            return function._numba
    if backend is None and isinstance(function, Differentiated):
        return options_of(options)
    return backend_of(backend, options, function)


def _target(function: Any) -> Target:
    if isinstance(function, Differentiated):
        return function._target
    if isinstance(function, Derivative):
        return function.as_target
    return target_of(function)


def _pair(primals: Any, tangents: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    for name, value in (("primals", primals), ("tangents", tangents)):
        if not isinstance(value, tuple | list):
            raise ArgumentError(
                f"{name} of jvp must be a tuple with one item for each positional "
                f"argument, not {type(value).__name__}"
            )
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"jvp got {len(primals)} primals, but {len(tangents)} tangents"
        )
    return tuple(primals), tuple(tangents)
