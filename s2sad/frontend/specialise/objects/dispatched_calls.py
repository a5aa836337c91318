"""Calls of ``functools.singledispatch`` functions and methods: the class of the first
argument is known, and tells which function is meant."""

import functools
from dataclasses import dataclass
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import special_calls
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.objects.objects import class_of, on_the_second
from s2sad.frontend.specialise.optionals import values_as_references
from s2sad.frontend.specialise.run_time import queries, unions


@functools.singledispatch
def _sample(value: Any) -> Any:
    return value


def is_dispatched(function: Any) -> bool:
    """True for what ``functools.singledispatch`` has made of a function."""
    return getattr(function, "__code__", None) is _sample.__code__  # type: ignore[attr-defined]


_BOUND = functools.singledispatchmethod(_sample.__wrapped__).__get__(None, object)  # type: ignore[attr-defined]


def check_not_of_class(function: Any) -> None:
    """A method that dispatches, read from its class, has lost what it is."""
    if getattr(function, "__code__", None) is _BOUND.__code__:
        raise core.Unsupported(
            f"{ir.function_name(function)} of functools.singledispatchmethod is called "
            "on its class",
            "call it on an object",
        )


@dataclass(frozen=True)
class _Choice:
    """Which function a class is given to, now."""

    dispatcher: Any
    cls: type

    @property
    def function(self) -> Any:
        return self.dispatcher.dispatch(self.cls)


def function_for(spec: Specialiser, dispatcher: Any, args: Args) -> Any:
    """The function that is registered for the first argument."""
    name = ir.function_name(dispatcher)
    if not args:
        raise core.Unsupported(f"{name} is called without arguments", "pass one")
    classes = values_as_references.classes_of(args[0])
    if queries.is_reference(args[0]):
        classes = tuple(form.called for form in queries.kind_of(args[0]).forms)
    choices = [_Choice(dispatcher, cls) for cls in classes or ()]
    if len({choice.function for choice in choices}) != 1:
        raise core.Unsupported(
            f"{name} is given a value {core.describe(args[0])}, whose class isn't "
            "known before the program runs",
            "call the function itself",
        )
    found = choices[0].function
    for choice in choices:
        live = core.LiveObject(choice)
        spec.module.reads.append(core.Read(live, "", ("function",), found))
    return found


def call_dispatched(
    spec: Specialiser, dispatcher: Any, args: Args, keywords: Words
) -> core.Value:
    """``area(shape)``; of one of several classes a branch for each."""

    def of_one(*first: core.Value) -> core.Value:
        given = (*map(spec.read_itself, first), *args[1:])
        return spec.call_function(
            function_for(spec, dispatcher, given), given, keywords
        )

    if not args or not queries.is_reference(args[0]):
        return of_one(*args[:1])
    spec.shared((*args, *keywords.values()), times=2)
    return unions.by_form(spec, unions.present(args[0]), of_one)


def _on_the_second(spec: Specialiser, args: Args, words: Words) -> core.Value:

    dispatcher, receiver, *given = args
    known = dispatcher.kind.value  # type: ignore[union-attr]
    found = function_for(spec, known, tuple(given))
    first: tuple[core.Value, ...] = (receiver,)
    if isinstance(found, staticmethod):
        first = ()
    elif isinstance(found, classmethod):
        first = (core.constant(class_of(receiver)),)
    function = getattr(found, "__func__", found)
    return spec.call_function(function, (*first, *given), words)


special_calls.SPECIAL_CALLS[on_the_second] = _on_the_second
