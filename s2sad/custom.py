"""Functions whose derivative the user gives: ``custom_vjp``, ``custom_jvp`` and
``primitive``.

The result of these decorators calls the function as it is. Where it is called in
differentiated code, the derivative comes from what ``defvjp`` and ``defjvp`` were
given::

    @custom_vjp
    def log1pexp(x):
        return np.log(1.0 + np.exp(x))

    def forward(x):
        return log1pexp(x), x

    def reverse(x, out_bar):
        return out_bar / (1.0 + np.exp(-x))

    log1pexp.defvjp(forward, reverse)

These functions are ordinary Python. They are compiled into the derivative, which may be
differentiated again.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

from s2sad.errors import ArgumentError, RuleError

__all__ = ["CustomFunction", "custom_jvp", "custom_vjp", "primitive"]

Nondiff = str | tuple[str, ...]


class CustomFunction:
    """A function with a derivative of the user's; calling it runs the function."""

    __name__: str
    __wrapped__: Callable[..., Any]
    unclear: tuple[str, str] | None = None
    """Why its derivative can't be known, and what to write instead; None if it is."""

    def __init__(
        self,
        function: Callable[..., Any],
        nondiff: Nondiff = (),
        *,
        opaque: bool = False,
        kind: Callable[..., Any] | None = None,
    ) -> None:
        what = "primitive" if opaque else "custom_vjp and custom_jvp"
        if isinstance(function, CustomFunction) or not callable(function):
            raise ArgumentError(f"{what} take a function, not {function!r}")
        functools.update_wrapper(self, function)
        self.__dict__.setdefault("__name__", type(function).__name__)
        self.nondiff = (nondiff,) if isinstance(nondiff, str) else tuple(nondiff)
        """The names of arguments that aren't differentiable."""
        self.opaque, self.kind = opaque, kind
        """``opaque``: nobody looks into it, generated code calls it by name."""
        self.forward: Callable[..., Any] | None = None
        self.reverse: Callable[..., Any] | None = None
        self.pushforward: Callable[..., Any] | None = None
        names = _parameter_names(function)
        for name in self.nondiff:
            if names is not None and name not in names:
                raise ArgumentError(
                    f"{self.__name__} has no parameter {name!r}; its parameters: "
                    + ", ".join(names)
                )
        self.__s2sad_target__ = _marked(function, self)
        """What ``grad`` of the object takes apart: a function of the same text, that
        leads back to the object."""

    def defvjp(
        self, forward: Callable[..., Any], reverse: Callable[..., Any]
    ) -> CustomFunction:
        """Give the derivative for reverse mode, and return the object.

        ``forward(*args) -> (out, residuals)`` takes the arguments of the function and
        returns its result, and anything that ``reverse`` needs: a number, an array, a
        structure of them, or None. ``reverse(residuals, out_bar)`` returns one
        cotangent for each argument that isn't in ``nondiff``, in their order: in a
        tuple, or bare for one argument. Each has the structure, the shapes and the
        dtypes of its argument, or is None where nothing is passed on. ``out_bar`` has
        the structure and the full shape of ``out``.

        Raises RuleError where one of them can't be called. What they return is checked
        when a derivative is compiled.
        """
        _check_callable(self, "defvjp", forward, reverse)
        self.forward, self.reverse = forward, reverse
        _noted()
        return self

    def defjvp(self, pushforward: Callable[..., Any]) -> CustomFunction:
        """Give the derivative for forward mode, and return the object.

        ``pushforward(primals, tangents) -> (out, out_dot)`` takes two tuples with one
        item for each argument. The tangent of an argument in ``nondiff``, or of one
        that has no derivative, is None. ``out_dot`` must be linear in the tangents.
        Reverse mode transposes it, where ``defvjp`` gives nothing else.

        Raises RuleError where it can't be called.
        """
        _check_callable(self, "defjvp", pushforward)
        self.pushforward = pushforward
        _noted()
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__wrapped__(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None, /) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __repr__(self) -> str:
        return f"<s2sad: {self.__wrapped__!r} with a derivative of its own>"

    def __reduce__(self) -> str:
        return getattr(self, "__qualname__", self.__name__)


def custom_vjp(function: Any = None, /, *, nondiff: Nondiff = ()) -> Any:
    """A function whose derivative for reverse mode is given by ``defvjp``.

    As a decorator, with or without arguments. ``nondiff`` names arguments that aren't
    differentiable: ``reverse`` gives no cotangents for them, and a derivative that
    would need one is refused. Forward mode needs ``defjvp`` too.

    Raises ArgumentError for what isn't a function, and for unknown names.
    """
    if function is None:
        return functools.partial(CustomFunction, nondiff=nondiff)
    return CustomFunction(function, nondiff)


def custom_jvp(function: Any = None, /, *, nondiff: Nondiff = ()) -> Any:
    """A function whose derivative is given by ``defjvp``, for both modes.

    As a decorator, with or without arguments; see :func:`custom_vjp`.
    """
    if function is None:
        return functools.partial(CustomFunction, nondiff=nondiff)
    return CustomFunction(function, nondiff)


def primitive(
    function: Any = None,
    /,
    *,
    nondiff: Nondiff = (),
    kind: Callable[..., Any] | None = None,
) -> Any:
    """A function that nobody looks into: compiled code, a solver, a simulation.

    As a decorator, or ``solve = primitive(library.solve)``. Generated code calls it by
    the name under which the module has it. Its derivative is given by ``defvjp`` and
    ``defjvp``, or by a rule of ``s2sad.rule``. ``kind`` gives the kind of the result
    from those of the arguments, as in rules; without it shapes are dealt with when the
    program runs. The function must not write into its arguments, and gives the same for
    the same arguments.

    Raises ArgumentError for what can't be called, and for unknown names.
    """
    if function is None:
        return functools.partial(
            CustomFunction, nondiff=nondiff, opaque=True, kind=kind
        )
    return CustomFunction(function, nondiff, opaque=True, kind=kind)


def _marked(function: Any, custom: CustomFunction) -> Any:
    if not isinstance(function, FunctionType):
        return None
    marked = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    functools.update_wrapper(marked, function)
    del marked.__wrapped__  # type: ignore[attr-defined]
    marked.__kwdefaults__ = function.__kwdefaults__
    marked.__s2sad_custom__ = custom  # type: ignore[attr-defined]
    return marked


def _parameter_names(function: Any) -> tuple[str, ...] | None:
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):  # compiled code may not tell
        return None


def _check_callable(custom: CustomFunction, method: str, *given: Any) -> None:
    for one in given:
        if not callable(one):
            raise RuleError(
                f"{method} of {custom.__name__} takes functions, not {one!r}"
            )


def _noted() -> None:
    """Have derivatives that are compiled already compiled anew."""
    from s2sad.rules.registry import note_registration

    note_registration()
