"""What a caller asks to be differentiated: a function, and which of its parameters.

Takes whatever users pass as a function and as ``wrt``; gives the plain Python function
behind it and names of its parameters, and brings the arguments of a call into one
order: one value for each parameter, ``*args`` as a tuple and ``**kwargs`` as a dict.

>>> def f(x, *rest, scale=2.0):
...     return x
>>> target = Target(f)
>>> target.wrt_names((0, "scale"))
(('x', 'scale'), False)
>>> target.bind((1.0, 2.0), {})
(1.0, (2.0,), 2.0)
"""

from __future__ import annotations

import inspect
import operator
import types
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from s2sad.dispatch.dispatcher import Dispatcher, Wanted
from s2sad.errors import ArgumentError
from s2sad.source.text.plain_functions import plain_function

if TYPE_CHECKING:
    from s2sad import ir
    from s2sad.codegen.numba.options import NumbaOptions


class Target:
    """A function to differentiate, with the dispatchers of its derivatives."""

    def __init__(self, function: Any, *, weakly: bool = False) -> None:
        """``weakly`` leaves it to others to keep the function alive. Raises SourceError
        for what isn't a Python function, ArgumentError for derivatives of s2sad and for
        undecorated ``staticmethod`` objects."""
        plain, self.bound = plain_function(function)
        self._held = weakref.ref(plain) if weakly else _Held(plain)
        self._defaults = plain.__defaults__
        self._defaults_by_keyword = dict(plain.__kwdefaults__ or {})
        self._code = plain.__code__
        self.signature = _signature(plain)
        parameters = self.signature.parameters.values()
        self.parameters = tuple(p.name for p in parameters)
        self.positional = all(
            p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters
        )
        """Each parameter can be given by position."""
        self._by_position = [
            p.name
            for p in parameters
            if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
        ]
        self._optional = tuple(
            p.default for p in parameters if p.default is not p.empty
        )
        self._rest = next(
            (p.name for p in parameters if p.kind is p.VAR_POSITIONAL), ""
        )
        self.name = plain.__name__
        self._dispatchers: dict[Wanted, Dispatcher] = {}
        self._asked_for: dict[tuple[Any, ...], Dispatcher] = {}

    @property
    def function(self) -> Any:
        """The Python function that is run."""
        found = self._held()
        assert found is not None
        return found

    @property
    def arity(self) -> int:
        """The number of arguments with which a call is complete and in order; -1 where
        calls must be bound."""
        plain = self.positional and not self.bound
        return len(self.parameters) if plain else -1

    def dispatcher(self, wanted: Wanted) -> Dispatcher:
        """The dispatcher of a derivative."""
        found = self._dispatchers.get(wanted)
        if found is None:
            made = Dispatcher(self._held, self.parameters, wanted)
            found = self._dispatchers.setdefault(wanted, made)
        return found

    def dispatcher_for(
        self,
        recipe: str,
        wrt: tuple[str, ...] | None,
        off: frozenset[str],
        has_aux: bool,
        numba: NumbaOptions | None,
    ) -> Dispatcher:
        """The dispatcher of a derivative of which each call says anew which it is."""
        key = recipe, wrt, off, has_aux, numba
        found = self._asked_for.get(key)
        if found is None:
            wanted = Wanted(recipe, wrt, has_aux=has_aux, switched_off=off, numba=numba)
            found = self._asked_for[key] = self.dispatcher(wanted)
        return found

    def is_of(self, function: types.FunctionType) -> bool:
        """Whether it is the target of this function, as the function is now."""
        return (
            self._held() is function
            and self._code is function.__code__
            and self._defaults is function.__defaults__
            and function.__kwdefaults__ is None
        )

    def bind(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """One value for each parameter. Raises TypeError as a call would."""
        args = self.bound + args
        if not kwargs and self.positional and len(args) == len(self.parameters):
            return args
        if self._has_other_defaults():
            return Target(self.function).bind(args, kwargs)
        if not kwargs and self.positional:
            missing = len(self.parameters) - len(args)
            if 0 < missing <= len(self._optional):
                return args + self._optional[-missing:]
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        bound.apply_defaults()
        return tuple(bound.arguments[name] for name in self.parameters)

    def _has_other_defaults(self) -> bool:
        """Whether somebody has given the function other defaults since."""
        plain = self.function
        by_keyword = plain.__kwdefaults__ or {}
        return plain.__defaults__ is not self._defaults or any(
            by_keyword.get(name, self) is not value
            for name, value in self._defaults_by_keyword.items()
        )

    def call(self, values: tuple[Any, ...]) -> Any:
        """The result of the function for one value for each parameter."""
        positional: list[Any] = []
        by_keyword: dict[str, Any] = {}
        for parameter, value in zip(self.signature.parameters.values(), values):
            if parameter.kind is parameter.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                by_keyword |= value
            elif parameter.kind is parameter.KEYWORD_ONLY:
                by_keyword[parameter.name] = value
            else:
                positional.append(value)
        return self.function(*positional, **by_keyword)

    def by_name(self, items: tuple[Any, ...]) -> dict[str, Any]:
        """Items that stand for positional arguments, by parameter; those of ``*args``
        in a tuple."""
        items = (None,) * len(self.bound) + items
        found = dict(zip(self._by_position, items))
        extra = items[len(self._by_position) :]
        if extra and self._rest:
            found[self._rest] = extra
        return found

    def beside(
        self, values: tuple[Any, ...], items: tuple[Any, ...]
    ) -> Iterable[tuple[str, Any, Any]]:
        """The name of each parameter, its value, and what stands for it among items
        for positional arguments."""
        if self.positional and not self.bound:
            return zip(self.parameters, values, items)
        named = dict(zip(self.parameters, values))
        return [(name, named[name], i) for name, i in self.by_name(items).items()]

    def by_position(self, found: Mapping[str, Any], count: int) -> tuple[Any, ...]:
        """The reverse: items by parameter, one for each of ``count`` positional
        arguments; None where there is none."""
        items = [found.get(name) for name in self._by_position]
        extra = count + len(self.bound) - len(items)
        if extra > 0 and self._rest:
            items.extend(found.get(self._rest) or (None,) * extra)
        return tuple(items[len(self.bound) : len(self.bound) + count])

    def _locals(self) -> tuple[str, ...]:
        """The local variables of the function, which have adjoints too."""
        code = self.function.__code__
        return tuple(
            name
            for name in (*code.co_varnames, *code.co_cellvars)
            if name not in self.parameters
        )

    def wrt_names(self, wrt: Any) -> tuple[tuple[str, ...], bool]:
        """The names of parameters, and whether one was given on its own.

        Raises ArgumentError for anything but a position, a name or a tuple of them.
        """
        if not isinstance(wrt, tuple):
            return (self._name(wrt),), True
        if not wrt:
            raise ArgumentError(f"wrt of {self.name} is empty: name a parameter")
        names = tuple(map(self._name, wrt))
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(f"wrt of {self.name} names {name} twice")
        return names, False

    def _name(self, wrt: Any) -> str:
        visible = self.parameters[len(self.bound) :]
        listed = ", ".join(visible) or "none"
        if isinstance(wrt, str):
            if wrt not in visible and wrt in self._locals():
                return wrt
            if wrt not in visible:
                raise ArgumentError(
                    f"{self.name} has no parameter {wrt!r}; its parameters: {listed}"
                )
            return wrt
        try:
            if isinstance(wrt, bool):
                raise TypeError
            position = operator.index(wrt)
        except TypeError:
            raise ArgumentError(
                "wrt must be a position, a name or a tuple of them, not "
                f"{wrt!r} ({type(wrt).__name__})"
            ) from None
        if not -len(visible) <= position < len(visible):
            raise ArgumentError(
                f"wrt={position}, but {self.name} has {len(visible)} parameters: "
                f"{listed}"
            )
        return visible[position]

    def annotated_kinds(self) -> tuple[dict[str, ir.Kind], dict[str, Any]]:
        """The kinds that annotations promise, and the defaults of parameters.

        A parameter without an annotation has the kind of its default, if that is a
        number, a string or None.
        """
        from s2sad import ir
        from s2sad.source.annotations.annotations import (
            kind_of_annotation,
            names_alike_kept,
        )
        from s2sad.source.kinds.kinds_of_values import kind_of_value
        from s2sad.source.text.resolve import LiveResolver

        resolver = LiveResolver(self.function)
        annotations = self.function.__annotations__
        kinds: dict[str, ir.Kind] = {}
        defaults: dict[str, Any] = {}
        for name, parameter in self.signature.parameters.items():
            default = parameter.default
            if default is not parameter.empty:
                defaults[name] = default
            kinds[name] = ir.UNKNOWN
            if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                continue
            if name in annotations:
                kinds[name] = kind_of_annotation(
                    annotations[name], name, lambda n: resolver.resolve(n).value
                )
            elif default is None or type(default) in (bool, int, float, str):
                kinds[name] = kind_of_value(default, name)
        for name in names_alike_kept(kinds):
            kept = kind_of_annotation(
                annotations[name], name, lambda n: resolver.resolve(n).value, kept=True
            )
            kinds[name] = kinds[name] if kept == ir.UNKNOWN else kept
        return kinds, defaults


@dataclass(frozen=True)
class _Held:
    """Called as a weak reference is, but keeps the function alive."""

    function: types.FunctionType

    def __call__(self) -> types.FunctionType:
        return self.function


_TARGETS: dict[int, tuple[weakref.ref[types.FunctionType], Target]] = {}
"""Targets of functions that are alive, by identity."""


def target_of(function: Any) -> Target:
    """The target of a function, kept as long as the function lives where that keeps
    nothing else alive: the function captures no variables."""
    if type(function) is not types.FunctionType or function.__closure__ is not None:
        return Target(function)
    known = _TARGETS.get(id(function))
    if known is not None and known[1].is_of(function):
        return known[1]
    key = id(function)

    def forget(gone: weakref.ref[types.FunctionType]) -> None:
        # The place may have been taken by a later function of the same identity.
        if key in _TARGETS and _TARGETS[key][0] is gone:
            del _TARGETS[key]

    made = Target(function, weakly=True)
    _TARGETS[key] = weakref.ref(function, forget), made
    return made


def _signature(function: types.FunctionType) -> inspect.Signature:
    """The parameters that the code of a function has, whatever it says of itself."""
    known = _SIGNATURES.get(function.__code__)
    if known is not None and known[0] is function.__defaults__:
        if function.__kwdefaults__ is None:
            return known[1]
    found = _inspected(function)
    if function.__kwdefaults__ is None:
        _SIGNATURES[function.__code__] = function.__defaults__, found
    return found


_Known = tuple[tuple[Any, ...] | None, inspect.Signature]
_SIGNATURES: weakref.WeakKeyDictionary[types.CodeType, _Known] = (
    weakref.WeakKeyDictionary()
)
"""Signatures that were asked for, with the defaults of the function: ``inspect`` takes
as long as many a derivative."""


def _inspected(function: types.FunctionType) -> inspect.Signature:
    bare = types.FunctionType(
        function.__code__, {}, "bare", function.__defaults__, function.__closure__
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(bare)
