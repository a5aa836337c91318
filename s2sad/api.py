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
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Generic, ParamSpec, TypeVar, overload

from s2sad.derivatives import (
    Derivative,
    Gradient,
    HessianProduct,
    Optimise,
    Pullback,
    pullback_of,
    pushforward,
    switched_off,
)
from s2sad.errors import ArgumentError
from s2sad.frontend.target import Target

__all__ = ["differentiate", "grad", "hvp", "jvp", "value_and_grad", "vjp"]

P = ParamSpec("P")
R = TypeVar("R")
Wrt = int | str | tuple[int | str, ...]


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

    def __init__(
        self, function: Callable[P, R], wrt: Wrt = 0, optimise: Optimise = None
    ) -> None:
        if isinstance(function, Differentiated):
            function = function.__wrapped__
        functools.update_wrapper(self, function)
        target = Target(function)
        self.__s2sad_primal__ = target.function
        self._target, self._wrt, self._optimise = target, wrt, optimise
        self._off = switched_off(optimise)
        common: Any = {"optimise": optimise, "target": target}
        self.grad = Gradient(function, wrt, reduced=(self, "grad"), **common)
        self.value_and_grad = Gradient(
            function, wrt, value=True, reduced=(self, "value_and_grad"), **common
        )
        self.hvp = HessianProduct(function, wrt, reduced=(self, "hvp"), **common)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.__wrapped__(*args, **kwargs)

    def vjp(self, *primals: Any) -> tuple[R, Pullback]:
        """The value and the pullback, as :func:`s2sad.vjp` gives them."""
        made = pullback_of(self._target, primals, self._off)
        return made.take_value(), made

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[R, Any]:
        """The value and its tangent, as :func:`s2sad.jvp` gives them."""
        return pushforward(self._target, *_pair(primals, tangents), self._off)

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
        return Differentiated, (self.__wrapped__, self._wrt, self._optimise)


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

    def vjp(self, *primals: Any) -> tuple[Any, Pullback]:
        """The value and the pullback, as :func:`s2sad.vjp` gives them."""
        made = pullback_of(Target(self), primals, self.__func__._off)
        return made.take_value(), made

    def jvp(self, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
        """The value and its tangent, as :func:`s2sad.jvp` gives them."""
        pair = _pair(primals, tangents)
        return pushforward(Target(self), *pair, self.__func__._off)

    def __repr__(self) -> str:
        return f"<s2sad: differentiated {self.__wrapped__!r}>"


class BoundDerivative:
    """The derivative of a method, looked up on an instance."""

    __s2sad_derivative__ = True

    def __init__(self, derivative: Derivative, instance: Any) -> None:
        self.__func__, self.__self__ = derivative, instance

    @property
    def source(self) -> str:
        """The generated code for arguments as the annotations describe them."""
        return self.__func__.source

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for a call with these arguments."""
        return self.__func__.source_for(self.__self__, *args, **kwargs)

    def compiled(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The function that such a call runs; it takes the instance first."""
        return self.__func__.compiled(self.__self__, *args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self.__self__, *args, **kwargs)


@overload
def differentiate(
    function: Callable[P, R], /, *, wrt: Wrt = 0, optimise: Optimise = None
) -> Differentiated[P, R]: ...


@overload
def differentiate(
    *, wrt: Wrt = 0, optimise: Optimise = None
) -> Callable[[Callable[P, R]], Differentiated[P, R]]: ...


def differentiate(
    function: Any = None, /, *, wrt: Wrt = 0, optimise: Optimise = None
) -> Any:
    """Give a function its derivatives, as a decorator with or without arguments.

    The result runs the function itself when called, and has the attributes ``grad``,
    ``value_and_grad``, ``hvp``, ``vjp`` and ``jvp``. ``wrt`` is the position or the
    name of a parameter, or a tuple of them: one gives the bare gradient, a tuple a
    tuple. ``optimise={"recompute": False}`` switches off an optimisation, False all.

    Raises ArgumentError for an unknown parameter or optimisation, SourceError for what
    isn't a Python function. Nothing is compiled before the first call of a derivative.
    """
    if function is None:
        return functools.partial(Differentiated, wrt=wrt, optimise=optimise)
    if not callable(function) and not isinstance(function, staticmethod | classmethod):
        raise ArgumentError(
            f"differentiate takes a function, not {function!r}; write "
            f"differentiate(wrt={function!r}) for a parameter"
        )
    return Differentiated(function, wrt, optimise)


def grad(
    function: Callable[..., Any], wrt: Wrt = 0, *, optimise: Optimise = None
) -> Gradient:
    """The gradient of a function: ``grad(f)(x, y)`` takes the arguments of ``f``.

    For ``wrt`` and the errors raised see :func:`differentiate`. Calls raise
    ArgumentError if the result of the function isn't one real number, unless they give
    its cotangent as ``gradient=``; if an argument to differentiate is an int or holds
    no float; and if an argument is complex. They raise UnsupportedError if the function
    can't be differentiated.
    """
    return Gradient(function, wrt, optimise=optimise)


def value_and_grad(
    function: Callable[..., Any], wrt: Wrt = 0, *, optimise: Optimise = None
) -> Gradient:
    """The value of a function and its gradient, as a pair; see :func:`grad`."""
    return Gradient(function, wrt, value=True, optimise=optimise)


def hvp(
    function: Callable[..., Any], wrt: Wrt = 0, *, optimise: Optimise = None
) -> HessianProduct:
    """The second derivative of a function times a vector: ``hvp(f)(x, y, v)``.

    ``v`` has the structure of the argument to differentiate, or is a tuple of such for
    a tuple ``wrt``. See :func:`grad` for the errors raised.
    """
    return HessianProduct(function, wrt, optimise=optimise)


def vjp(function: Callable[..., Any], /, *primals: Any) -> tuple[Any, Pullback]:
    """The value of a function, and the pullback of cotangents to its arguments.

    ``pullback(gradient)`` may be called any number of times. It gives one cotangent for
    each positional argument; None for one that has no derivative (an int, a bool, a
    string, None, a function). ``pullback.source`` is the generated code.
    """
    made = pullback_of(_target(function), primals, switched_off(None))
    return made.take_value(), made


def jvp(
    function: Callable[..., Any], primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[Any, Any]:
    """The value of a function, and its tangent along ``tangents``.

    Both sequences have one item for each positional argument. The tangent of an
    argument that has no derivative, or is to be held, is None. Raises ArgumentError
    where a tangent differs in structure or shape from its argument.
    """
    pair = _pair(primals, tangents)
    return pushforward(_target(function), *pair, switched_off(None))


def _target(function: Any) -> Target:
    if isinstance(function, Differentiated):
        return function._target
    return Target(function)


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
