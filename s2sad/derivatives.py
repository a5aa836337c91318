"""Derivatives as objects to call: gradients, second derivatives, pullbacks.

They bring the arguments of a call into order, ask the dispatcher which compiled
function is meant for them, and check the tangents and cotangents that come along.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from s2sad import floating_errors
from s2sad.codegen.seeds import (
    check_one_tangent,
    copied,
    fits,
    holds_complex,
    number_of_elements,
    outline,
    same_dtypes,
    seed_like,
    shapes_by_argument,
    shapes_of,
)
from s2sad.dispatch.dispatcher import Entry, Wanted, check_arguments, derive
from s2sad.dispatch.target import Target
from s2sad.errors import ArgumentError, OtherForms
from s2sad.user_tracebacks import border, for_user

if TYPE_CHECKING:
    from s2sad.codegen.numba.options import NumbaOptions

Optimise = Mapping[str, bool] | bool | None


class Derivative:
    """A derivative of a function, to be called with the function's arguments.

    It is compiled at the first call, for the kinds of the arguments; later calls of the
    same kinds use what was compiled.
    """

    __s2sad_derivative__ = True
    _recipe = "gradient"
    _verb = "grad"
    _more_parameters: tuple[str, ...] = ()
    """What it takes behind the arguments of the function."""
    _more_keywords: tuple[str, ...] = ()
    """What it takes by keyword beside them."""

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: Any = 0,
        *,
        value: bool = False,
        has_aux: bool = False,
        optimise: Optimise = None,
        numba: NumbaOptions | None = None,
        target: Target | None = None,
        reduced: tuple[Any, ...] | None = None,
    ) -> None:
        self._function, self._optimise, self._reduced = function, optimise, reduced
        self._numba = numba
        self._target = target or Target(function)
        names, self._single = self._target.wrt_names(wrt)
        self._wrt, self._value = wrt, value
        self._form: Any = value
        self._has_aux = has_aux
        """What tells it from other derivatives of its class."""
        self._wanted = Wanted(
            self._recipe,
            names,
            single=self._single,
            value=value,
            has_aux=has_aux,
            switched_off=switched_off(optimise),
            numba=numba,
        )
        self._compiled_target = self._target
        """The function from which it is compiled."""
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
        return _rebuilt, (type(self), self._function, self._wrt, self._options())

    def _options(self) -> dict[str, Any]:
        """The keywords that make such a derivative."""
        return {
            "value": self._value,
            "has_aux": self._has_aux,
            "optimise": self._optimise,
            "numba": self._numba,
        }

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The derivative for these arguments."""
        raise NotImplementedError

    @functools.cached_property
    def as_target(self) -> Target:
        """The derivative as a function to differentiate."""
        return Target(self)

    @property
    @border
    def source(self) -> str:
        """The generated code for arguments as the annotations describe them.

        It never depends on earlier calls. Raises ArgumentError where the code depends
        on the value of an argument, UnsupportedError where kinds must be known to
        differentiate the function.
        """
        target, wanted = self._compiled_target, self._wanted
        kinds, defaults = target.annotated_kinds()
        check_arguments(self._target.name, wanted.wrt, kinds, {})
        return derive(target.function, kinds, defaults, wanted)[0].text

    @border
    def source_for(self, *args: Any, **kwargs: Any) -> str:
        """The generated code for a call with these arguments."""
        return self._entry(args, kwargs).specialisation.text

    @border
    def compiled(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """The function that a call with these arguments runs, without any checks.

        It takes one positional argument for each parameter of the function, and is
        right only for arguments of the same kinds.
        """
        run = self._entry(args, kwargs).run
        return getattr(run, "dispatcher", run)

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
        try:
            if not kwargs and len(args) == self._arity:
                entries = self._dispatcher.entries
                for entry in entries:
                    if entry[0](*args):
                        if entry is not entries[0]:
                            self._dispatcher.promote(entry)
                        try:
                            return entry[1](*args)
                        except OtherForms:  # it has done nothing yet
                            return self._dispatcher.find(args).run(*args)
            if any(map(self._is_seed, kwargs)):
                return self._seeded(args, kwargs)
            return self._dispatcher.run(self._target.bind(args, kwargs))
        except Exception as error:
            others = {k: v for k, v in kwargs.items() if not self._is_seed(k)}
            if floating_errors.is_of_derivative(error, self._target, args, others):
                with floating_errors.floating_errors_ignored():
                    return self(*args, **kwargs)
            for_user(error)
            raise

    def _is_seed(self, keyword: str) -> bool:
        return self._seedable and keyword == "gradient"

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        if any(map(self._is_seed, kwargs)):
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
            has_aux=self._has_aux,
            switched_off=self._wanted.switched_off,
            numba=self._numba,
        )
        return values, self._target.dispatcher(wanted).find(values)

    def _seeded(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        seed = kwargs["gradient"]
        if type(seed) is int:
            seed = float(seed)
        what = f"gradient= of {self.__name__}"
        values, entry = self._seeded_entry(args, kwargs)
        try:
            value, gradient = entry.run(*values, seed)
        except floating_errors.FLOATING:
            raise
        except Exception:
            # Shapes that don't fit fail somewhere in the middle, and None may do.
            found = self._main(self._target.call(values))
            fitting = seed_like(seed, found, what, of_result=True)
            if same_dtypes(seed, fitting):
                raise
            value, gradient = entry.run(*values, fitting)
        fitting = seed_like(seed, self._main(value), what, of_result=True)
        if not same_dtypes(seed, fitting):
            value, gradient = entry.run(*values, fitting)
        if self._value:
            return value, gradient
        return (gradient, value[1]) if self._has_aux else gradient

    def _main(self, value: Any) -> Any:
        """What is differentiated of what the function returns."""
        return value[0] if self._has_aux else value


class Jacobian(Derivative):
    """The derivative of each element of the result with respect to each of the
    arguments."""

    _recipe = "jacobian"
    _verb = "jacobian"

    def __init__(
        self,
        function: Callable[..., Any],
        wrt: Any = 0,
        *,
        direction: str = "",
        verb: str = "jacobian",
        **more: Any,
    ) -> None:
        self._verb = verb
        super().__init__(function, wrt, **more)
        self._form = direction
        if verb == "hessian":  # the Jacobian of a gradient
            self.__name__ = self._target.name.removesuffix("_grad") + "_hessian"
            self.__doc__ = self._describe()
        self._compiled_target = Target(self)
        self._wanted = replace(self._wanted, recipe="primal", keeps_lists=True)
        self._dispatcher = self._compiled_target.dispatcher(self._wanted)
        if not direction:
            self._ways = {
                way: Jacobian(function, wrt, direction=way, verb=verb, **more)
                for way in ("forward", "reverse")
            }
            self._chosen: dict[Any, Jacobian] = {}
            """Which way is shorter, by shapes of arguments."""

    def _options(self) -> dict[str, Any]:
        return {
            "direction": self._form,
            "verb": self._verb,
            "has_aux": self._has_aux,
            "optimise": self._optimise,
        }

    def _describe(self) -> str:
        listed = ", ".join(self._wanted.wrt or ())
        name = self._target.name
        if self._verb == "hessian":
            name = name.removesuffix("_grad")
        title = self._verb.replace("_grad", " gradient").capitalize()
        return f"{title} of {name} with respect to {listed}."

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            way = self._way(args, kwargs)
            values = way._compiled_target.bind(args, kwargs)
            return way._dispatcher.find(values).run(*values)
        except Exception as error:
            if floating_errors.is_of_derivative(error, self._target, args, kwargs):
                with floating_errors.floating_errors_ignored():
                    return self(*args, **kwargs)
            for_user(error)
            raise

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        way = self._way(args, kwargs)
        return way._dispatcher.find(way._compiled_target.bind(args, kwargs))

    def _way(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Jacobian:
        """Forward or reverse mode, by the number of arguments and results; by their
        ranks for a function that mustn't be run once more."""
        if self._form:
            return self
        values = self._target.bind(args, kwargs)
        if holds_complex(values):
            return self  # the kinds decide
        shapes = shapes_by_argument(values)
        chosen = self._chosen.get(shapes)
        if chosen is None:
            chosen = self._chosen[shapes] = self._shorter_way(values, args, kwargs)
        return chosen

    def _shorter_way(
        self, values: tuple[Any, ...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Jacobian:
        by_ranks = self._dispatcher.find(self._compiled_target.bind(args, kwargs))
        if not by_ranks.specialisation.repeatable:
            return self
        if by_ranks.specialisation.kept.intersection(self._wanted.wrt or ()):
            return self  # one way for structures of any size
        names = self._target.parameters
        active = [v for n, v in zip(names, values) if n in (self._wanted.wrt or ())]
        result = self._target.call(tuple(copied(value) for value in values))
        if holds_complex(result):
            return self
        fewer = number_of_elements(result) < number_of_elements(active)
        return self._ways["reverse" if fewer else "forward"]


class HessianProduct(Derivative):
    """The product of the second derivative of a function with a vector.

    It is called with the arguments of the function and, behind them, the vector: of the
    structure of the argument, or a tuple of such for a tuple ``wrt``.
    """

    _recipe = "hvp"
    _verb = "hvp"
    _more_parameters = ("vector",)

    def _describe(self) -> str:
        listed = ", ".join(self._wanted.wrt or ())
        return (
            f"Second derivative of {self._target.name} with respect to {listed}, "
            "times a vector."
        )

    def __init__(self, function: Callable[..., Any], wrt: Any = 0, **more: Any) -> None:
        super().__init__(function, wrt, **more)
        names, parameters = self._wanted.wrt or (), self._target.parameters
        plain = self._arity >= 0 and all(name in parameters for name in names)
        self._places = tuple(map(parameters.index, names)) if plain else None
        """Where the arguments stand to which the vector belongs, where calls with one
        value for each parameter need no binding."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            places = self._places
            if places is not None and not kwargs and len(args) == self._arity + 1:
                vectors = (args[-1],) if self._single else args[-1]
                if type(vectors) is tuple and len(vectors) == len(places):
                    if all(map(fits, vectors, [args[place] for place in places])):
                        values = args[:-1]
                        return self._dispatcher.find(values).run(*values, *vectors)
            args, vector = self._split(args)
            values = self._target.bind(args, kwargs)
            entry = self._dispatcher.find(values)
            names = entry.specialisation.wrt
            vectors = (vector,) if self._single else vector
            if not isinstance(vectors, tuple) or len(vectors) != len(names):
                raise ArgumentError(
                    f"the vector of {self.__name__} must be a tuple of {len(names)}, "
                    f"one for each of {', '.join(names)}"
                )
            named = dict(zip(self._target.parameters, values))
            tangents = [
                seed_like(v, named[name], f"the vector for {name}")
                for name, v in zip(names, vectors)
            ]
            _check_kept(entry, named, dict(zip(names, tangents)))
            return entry.run(*values, *tangents)
        except Exception as error:
            if floating_errors.is_of_derivative(error, self._target, args[:-1], kwargs):
                with floating_errors.floating_errors_ignored():
                    return self(*args, **kwargs)
            for_user(error)
            raise

    def _entry(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        return super()._entry(self._split(args)[0], kwargs)

    def _split(self, args: tuple[Any, ...]) -> tuple[tuple[Any, ...], Any]:
        for name in self._wanted.wrt or ():
            if name not in self._target.parameters:
                raise ArgumentError(
                    f"{self.__name__} with respect to {name}, a local variable, isn't "
                    "defined: name parameters"
                )
        if not args:
            raise ArgumentError(
                f"{self.__name__}() takes the vector as its last argument"
            )
        return args[:-1], args[-1]


class Pullback:
    """Takes a cotangent of the value back to the arguments; made by :func:`vjp`.

    It may be called any number of times.
    """

    def __init__(
        self,
        entry: Entry,
        target: Target,
        values: Any,
        count: int,
        has_aux: bool = False,
    ) -> None:
        forward, self._reverse, *_ = entry.programs
        self._value, self._residuals = forward(*values)
        main = self._value[0] if has_aux else self._value
        self._outline = outline(main)
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
        try:
            if not fits(gradient, self._outline):
                what = f"the cotangent of {self._target.name}"
                if gradient is None:
                    raise ArgumentError(f"{what} is None")
                gradient = seed_like(gradient, self._outline, what, of_result=True)
            found = dict(zip(self._names, self._reverse(self._residuals, gradient)))
            return self._target.by_position(found, self._count)
        except Exception as error:
            if floating_errors.is_by_settings(error):  # the function has run
                with floating_errors.floating_errors_ignored():
                    return self(gradient)
            for_user(error)
            raise


class Linearized:
    """Takes tangents of the arguments to that of the value, at the point for which it
    was made; made by :func:`linearize`.

    It may be called any number of times.
    """

    def __init__(
        self,
        entry: Entry,
        target: Target,
        values: Any,
        primals: tuple[Any, ...],
        has_aux: bool,
    ) -> None:
        forward, self._tangent, *_ = entry.programs
        self.value, self._residuals = forward(*values)
        self._names = entry.specialisation.wrt
        self._target, self._count = target, len(primals)
        named = dict(zip(target.parameters, values))
        self._outlines = {name: outline(named[name]) for name in self._names}
        self._entry = entry
        self.source: str = entry.specialisation.text
        """The generated code: the function of the value and that of the tangent."""

    def take_value(self) -> Any:
        """The value of the function, which isn't kept; for :func:`linearize` alone."""
        value, self.value = self.value, None
        return value

    def __repr__(self) -> str:
        return f"<s2sad: {self._target.name} linearized>"

    def __call__(self, *tangents: Any) -> Any:
        """The tangent of the value. There is one argument for each positional argument
        of the function; None holds it.

        Raises ArgumentError if one doesn't fit.
        """
        try:
            if len(tangents) != self._count:
                raise ArgumentError(
                    f"{self._target.name} was linearized for {self._count} arguments, "
                    f"but there are {len(tangents)} tangents"
                )
            by_name = self._target.by_name(tangents)
            for name, tangent in by_name.items():
                if tangent is not None and name not in self._outlines:
                    raise ArgumentError(
                        f"the tangent of {name} must be None: it has no derivative"
                    )
            seeds = []
            for name, expected in self._outlines.items():
                seed = by_name.get(name)
                if not fits(seed, expected):
                    seed = seed_like(seed, expected, f"the tangent of {name}")
                seeds.append(seed)
            _check_kept(self._entry, self._outlines, dict(zip(self._names, seeds)))
            return self._tangent(self._residuals, *seeds)
        except Exception as error:
            if floating_errors.is_by_settings(error):  # the function has run
                with floating_errors.floating_errors_ignored():
                    return self(*tangents)
            for_user(error)
            raise


def linearized(
    target: Target, primals: tuple[Any, ...], off: frozenset[str], has_aux: bool
) -> Linearized:
    """A function at a point, as a function of tangents."""
    values = target.bind(primals, {})
    found = target.dispatcher_for("linearized", None, off, has_aux, None)
    try:
        entry = found.find(values)
        return Linearized(entry, target, values, primals, has_aux)
    except Exception as error:
        if not floating_errors.is_of_derivative(error, target, primals, {}):
            raise
        with floating_errors.floating_errors_ignored():
            return linearized(target, primals, off, has_aux)


def _rebuilt(
    cls: type[Derivative],
    function: Callable[..., Any],
    wrt: Any,
    options: dict[str, Any],
) -> Derivative:
    """A derivative that was pickled."""
    return cls(function, wrt, **options)


def pushforward(
    target: Target,
    primals: tuple[Any, ...],
    tangents: tuple[Any, ...],
    off: frozenset[str],
    has_aux: bool = False,
    numba: NumbaOptions | None = None,
) -> tuple[Any, ...]:
    """The value of a function and its tangent, and what it returns beside the value;
    None as a tangent holds an argument."""
    values = target.bind(primals, {})
    if len(tangents) == target.arity and all(map(fits, tangents, values)):
        names, seeds = target.parameters, tangents
    else:
        names, seeds = _seeds_of_arguments(target, values, tangents)
    if not seeds:
        raise ArgumentError(
            f"no argument of {target.name} has a tangent: give one for a float or an "
            "array of floats"
        )
    found = target.dispatcher_for("pushforward", names, off, has_aux, numba)
    try:
        entry = found.find(values)
        if entry.specialisation.kept:
            named = dict(zip(target.parameters, values))
            _check_kept(entry, named, dict(zip(names, seeds)))
        value, tangent = entry.run(*values, *seeds)
    except Exception as error:
        if not floating_errors.is_of_derivative(error, target, primals, {}):
            raise
        with floating_errors.floating_errors_ignored():
            value, tangent = found.find(values).run(*values, *seeds)
    return (value[0], tangent, value[1]) if has_aux else (value, tangent)


def _check_kept(
    entry: Entry, values: Mapping[str, Any], tangents: Mapping[str, Any]
) -> None:
    """What is one object in several places of a kept argument has one tangent."""
    for name in entry.specialisation.kept.intersection(tangents):
        check_one_tangent(tangents[name], values[name], f"the tangent of {name}")


def _seeds_of_arguments(
    target: Target, values: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[tuple[str, ...], tuple[Any, ...]]:
    """The parameters that have a tangent, and those."""
    found = {}
    for name, value, tangent in target.beside(values, tangents):
        if tangent is None:
            continue
        if not fits(tangent, value):
            tangent = seed_like(tangent, value, f"the tangent of {name}")
            if next(shapes_of(value), None) is None:
                continue
        found[name] = tangent
    return tuple(found), tuple(found.values())


def pullback_of(
    target: Target,
    primals: tuple[Any, ...],
    off: frozenset[str],
    has_aux: bool = False,
    numba: NumbaOptions | None = None,
) -> Pullback:
    """The value of a function, and its pullback."""
    values = target.bind(primals, {})
    found = target.dispatcher_for("vjp", None, off, has_aux, numba)
    try:
        return Pullback(found.find(values), target, values, len(primals), has_aux)
    except Exception as error:
        if not floating_errors.is_of_derivative(error, target, primals, {}):
            raise
        with floating_errors.floating_errors_ignored():
            return Pullback(found.find(values), target, values, len(primals), has_aux)


_NONE: frozenset[str] = frozenset()


def switched_off(optimise: Optimise) -> frozenset[str]:
    """The optimisations that ``optimise`` or the variable S2SAD_NO_OPT switch off;
    False stands for all passes and what else works on the program of a derivative: not
    for those that decide which program it is. True and None stand for none.

    Raises ArgumentError for names that aren't optimisations.
    """
    variable = os.environ.get("S2SAD_NO_OPT", "")
    if optimise is None and not variable:
        return _NONE
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
    from s2sad.optimise.pipeline import OF_THE_PROGRAM, SWITCHES

    known = sorted(SWITCHES)
    if optimise is False:
        optimise = dict.fromkeys(set(known) - OF_THE_PROGRAM, False)
    for name in (*sorted(named), *optimise):
        if name not in known:
            source = "S2SAD_NO_OPT" if name in named else "optimise"
            raise ArgumentError(
                f"{source} names {name!r}, which is no optimisation; there are: "
                + ", ".join(known)
            )
    return frozenset(named | {n for n, on in optimise.items() if not on})
