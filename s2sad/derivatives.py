"""Derivatives as objects to call: gradients, second derivatives, pullbacks.

They bring the arguments of a call into order, ask the dispatcher which compiled
function is meant for them, and check the tangents and cotangents that come along.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from s2sad.codegen.dispatch import Entry, Wanted, check_arguments, derive
from s2sad.codegen.seeds import outline, same_dtypes, seed_like
from s2sad.errors import ArgumentError
from s2sad.frontend.target import Target

Optimise = Mapping[str, bool] | bool | None


class Derivative:
    """A derivative of a function, to be called with the function's arguments.

    It is compiled at the first call, for the kinds of the arguments; later calls of the
    same kinds use what was compiled.
    """

    __s2sad_derivative__ = True
    _recipe = "gradient"
    _verb = "grad"

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: Any = 0,
        *,
        value: bool = False,
        optimise: Optimise = None,
        target: Target | None = None,
        reduced: tuple[Any, ...] | None = None,
    ) -> None:
        self._function, self._optimise, self._reduced = function, optimise, reduced
        self._target = target or Target(function)
        names, self._single = self._target.wrt_names(wrt)
        self._wrt, self._value = wrt, value
        self._wanted = Wanted(
            self._recipe,
            names,
            single=self._single,
            value=value,
            switched_off=switched_off(optimise),
        )
        self._dispatcher = self._target.dispatcher(self._wanted)
        self._arity = self._target.arity
        self.__name__ = f"{self._target.name}_{self._verb}"
        self.__doc__ = self._describe()

    def _describe(self) -> str:
        listed = ", ".join(self._wanted.wrt or ())
        return f"Gradient of {self._target.name} with respect to {listed}."

    def __repr__(self) -> str:
        return f"<s2sad: {self._describe()[:-1].lower()}>"

    def __reduce__(self) -> Any:
        if self._reduced is not None:
            return getattr, self._reduced
        return _rebuilt, (
            type(self),
            self._function,
            self._wrt,
            self._value,
            self._optimise,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative for these arguments."""
        raise NotImplementedError

    @property
    def source(self) -> str:
        """The generated code for arguments as the annotations describe them.

        It never depends on earlier calls. Raises ArgumentError where the code depends
        on the value of an argument, UnsupportedError where kinds must be known to
        differentiate the function.
        """
        target = self._target
        kinds, defaults = target.annotated_kinds()
        check_arguments(target.name, self._wanted.wrt, kinds, {})
        return derive(target.function, kinds, defaults, self._wanted)[0].text

    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for a call with these arguments."""
        return self._entry(args, kwargs).specialisation.text

    def compiled(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The function that a call with these arguments runs, without any checks.

        It takes one positional argument for each parameter of the function, and is
        right only for arguments of the same kinds.
        """
        return self._entry(args, kwargs).run

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        return self._dispatcher.find(self._target.bind(args, kwargs))


class Gradient(Derivative):
    """The gradient of a function, alone or behind the value.

    The keyword ``gradient`` takes the cotangent of a result that isn't one number.
    """

    def __init__(self, function: Callable[..., Any], wrt: Any = 0, **more: Any) -> None:
        if more.get("value"):
            self._verb = "value_and_grad"
        super().__init__(function, wrt, **more)
        self._seedable = "gradient" not in self._target.parameters

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == self._arity:
            entries = self._dispatcher.entries
            for entry in entries:
                if entry[0](*args):
                    if entry is not entries[0]:
                        self._dispatcher.promote(entry)
                    return entry[1](*args)
        if self._seedable and "gradient" in kwargs:
            return self._seeded(args, kwargs)
        values = self._target.bind(args, kwargs)
        return self._dispatcher.find(values).run(*values)

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        if self._seedable and "gradient" in kwargs:
            return self._seeded_entry(args, kwargs)[1]
        return super()._entry(args, kwargs)

    def _seeded_entry(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], Entry]:
        others = {k: v for k, v in kwargs.items() if k != "gradient"}
        values = self._target.bind(args, others)
        wanted = Wanted(
            "gradient",
            self._wanted.wrt,
            single=self._single,
            value=True,  # against which the seed is checked
            seeded=True,
            switched_off=self._wanted.switched_off,
        )
        return values, self._target.dispatcher(wanted).find(values)

    def _seeded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        seed = kwargs["gradient"]
        what = f"gradient= of {self.__name__}"
        values, entry = self._seeded_entry(args, kwargs)
        try:
            value, gradient = entry.run(*values, seed)
        except Exception:
            # Shapes that don't fit fail somewhere in the middle.
            seed_like(seed, self._target.call(values), what, of_result=True)
            raise
        fitting = seed_like(seed, value, what, of_result=True)
        if not same_dtypes(seed, fitting):
            value, gradient = entry.run(*values, fitting)
        return (value, gradient) if self._value else gradient


class HessianProduct(Derivative):
    """The product of the second derivative of a function with a vector.

    It is called with the arguments of the function and, behind them, the vector: of the
    structure of the argument, or a tuple of such for a tuple ``wrt``.
    """

    _recipe = "hvp"
    _verb = "hvp"

    def _describe(self) -> str:
        listed = ", ".join(self._wanted.wrt or ())
        return (
            f"Second derivative of {self._target.name} with respect to {listed}, "
            "times a vector."
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        args, vector = self._split(args)
        values = self._target.bind(args, kwargs)
        entry = self._dispatcher.find(values)
        names = entry.specialisation.wrt
        vectors = (vector,) if self._single else vector
        if not isinstance(vectors, tuple) or len(vectors) != len(names):
            raise ArgumentError(
                f"the vector of {self.__name__} must be a tuple of {len(names)}, one "
                f"for each of {', '.join(names)}"
            )
        named = dict(zip(self._target.parameters, values))
        tangents = [
            seed_like(v, named[name], f"the vector for {name}")
            for name, v in zip(names, vectors)
        ]
        return entry.run(*values, *tangents)

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        return super()._entry(self._split(args)[0], kwargs)

    def _split(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        if not args:
            raise TypeError(f"{self.__name__}() takes the vector as its last argument")
        return args[:-1], args[-1]


class Pullback:
    """Takes a cotangent of the value back to the arguments; made by :func:`vjp`.

    It may be called any number of times.
    """

    def __init__(self, entry: Entry, target: Target, values: Any, count: int) -> None:
        forward, self._reverse, *_ = entry.programs
        self._value, self._residuals = forward(*values)
        self._outline = outline(self._value)
        self._names = entry.specialisation.wrt
        self._target, self._count = target, count
        self.source: str = entry.specialisation.text
        """The generated code: the forward function and the reverse one."""

    def take_value(self) -> Any:
        """The value of the function, which isn't kept; for :func:`vjp` alone."""
        value, self._value = self._value, None
        return value

    def __repr__(self) -> str:
        return f"<s2sad: pullback of {self._target.name}>"

    def __call__(self, gradient: Any, /) -> tuple[Any, ...]:
        """One cotangent for each positional argument; None where it has no derivative.

        Raises ArgumentError if ``gradient`` doesn't fit the value.
        """
        what = f"the cotangent of {self._target.name}"
        if gradient is None:
            raise ArgumentError(f"{what} is None")
        seed = seed_like(gradient, self._outline, what, of_result=True)
        found = dict(zip(self._names, self._reverse(self._residuals, seed)))
        return self._target.by_position(found, self._count)


def _rebuilt(
    cls: type[Derivative],
    function: Callable[..., Any],
    wrt: Any,
    value: bool,
    optimise: Optimise,
) -> Derivative:
    """A derivative that was pickled."""
    return cls(function, wrt, value=value, optimise=optimise)


def pushforward(
    target: Target,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    off: frozenset[str],
) -> tuple[Any, Any]:
    """The value of a function and its tangent; None as a tangent holds an argument."""
    values = target.bind(primals, {})
    by_name = target.by_name(tangents)
    named = dict(zip(target.parameters, values))
    seeds = {}
    for name, tangent in by_name.items():
        if tangent is None:
            continue
        what = f"the tangent of {name}"
        seed = seed_like(tangent, named[name], what)
        if _carries(seed):
            seeds[name] = seed
    if not seeds:
        raise ArgumentError(
            f"no argument of {target.name} has a tangent: give one for a float or an "
            "array of floats"
        )
    wanted = Wanted("pushforward", tuple(seeds), switched_off=off)
    entry = target.dispatcher(wanted).find(values)
    value, tangent = entry.run(*values, *seeds.values())
    return value, tangent


def _carries(seed: Any) -> bool:
    """Whether anything in a seed isn't None."""
    if isinstance(seed, dict):
        return any(map(_carries, seed.values()))
    if isinstance(seed, tuple | list):
        return any(map(_carries, seed))
    return seed is not None


def pullback_of(
    target: Target, primals: tuple[Any, ...], off: frozenset[str]
) -> Pullback:
    """The value of a function, and its pullback."""
    values = target.bind(primals, {})
    entry = target.dispatcher(Wanted("vjp", None, switched_off=off)).find(values)
    return Pullback(entry, target, values, len(primals))


def switched_off(optimise: Optimise) -> frozenset[str]:
    """The optimisations that ``optimise`` or the variable S2SAD_NO_OPT switch off;
    False stands for all of them, True and None for none.

    Raises ArgumentError for names that aren't optimisations.
    """
    variable = os.environ.get("S2SAD_NO_OPT", "")
    named = {name.strip() for name in variable.split(",")} - {""}
    if optimise is None or optimise is True:
        optimise = {}
    if optimise is not False and not isinstance(optimise, Mapping):
        raise ArgumentError(
            "optimise must be True, False, or say which optimisations are on or off: "
            '{"recompute": False}, not ' + repr(optimise)
        )
    if not named and optimise == {}:
        return frozenset()
    from s2sad.optimise.pipeline import SWITCHES

    known = sorted(SWITCHES)
    if optimise is False:
        optimise = dict.fromkeys(known, False)
    for name in (*sorted(named), *optimise):
        if name not in known:
            source = "S2SAD_NO_OPT" if name in named else "optimise"
            raise ArgumentError(
                f"{source} names {name!r}, which is no optimisation; there are: "
                + ", ".join(known)
            )
    return frozenset(named | {n for n, on in optimise.items() if not on})
