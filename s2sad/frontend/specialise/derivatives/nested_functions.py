"""The functions whose derivatives a differentiated function asks for, as programs of
their own: with their arguments bound, methods and derivatives among them."""

import inspect
from dataclasses import replace
from types import MethodType
from typing import Any

from s2sad import ir
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import bind_parameters
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives.own_arguments import keep_apart
from s2sad.frontend.specialise.language.names import known_object
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.frontend.specialise.recursion.procedure_programs import procedure_of
from s2sad.source.normalise import normalised
from s2sad.source.text.composed import calling
from s2sad.source.text.plain_functions import plain_function
from s2sad.source.text.source import source_of_own
from s2sad.source.text.source_function import SourceFunction


def gradient(*args: Any, **words: Any) -> Any:
    """Stands for what ``grad`` and ``value_and_grad`` return."""
    raise NotImplementedError


def hessian_product(*args: Any, **words: Any) -> Any:
    """Stands for what ``hvp`` returns."""
    raise NotImplementedError


def pullback(*args: Any, **words: Any) -> Any:
    """Stands for what ``vjp`` returns behind the value."""
    raise NotImplementedError


def jacobian(*args: Any, **words: Any) -> Any:
    """Stands for what ``jacobian``, ``jacfwd`` and ``jacrev`` return."""
    raise NotImplementedError


def compressed_sweep(*args: Any, **words: Any) -> Any:
    """Stands for the sweeps of which a sparse Jacobian is put together."""
    raise NotImplementedError


MARKS = (gradient, hessian_product, pullback, jacobian, compressed_sweep)
"""What stands for derivatives among the values of the specialiser."""


def procedure_for_call(
    spec: Specialiser,
    function: core.Value,
    args: Args,
    words: Words,
    own_arguments: bool = True,
) -> tuple[ir.Procedure, dict[str, core.Value], tuple[str, ...]]:
    """A function as a program, its arguments by parameter, and the parameters that a
    caller sees: those of a bound method without ``self``. With ``own_arguments`` it
    works on copies of what it writes into."""
    cells, spec.given_cells = spec.given_cells, []
    function, first, more = _unbound(spec, function)
    words = {**more, **words}
    source, parent, defaults = _source(function)
    bound = bind_parameters(spec, source, (*first, *args), words, defaults)
    body = normalised(source)

    def activation() -> core.Frame:
        return spec.activation_of(source, parent, bound)

    try:
        procedure = procedure_of(spec, source, bound, activation, body, own_arguments)
    except core.BindsOutside as found:
        if not own_arguments or not found.procedure.details.exact:
            raise
        raise core.Unsupported(
            f"{source.name} changes {found.name!r}, which isn't its own, and a "
            "derivative changes nothing",
            "pass it as an argument, or return the new value",
        ) from None
    keep_apart(spec, procedure, cells)
    return procedure, bound, tuple(bound)[len(first) :]


def places_of(
    spec: Specialiser, function: core.Value, count: int
) -> tuple[tuple[str, int], ...]:
    """For each of ``count`` positional arguments its parameter, and its place in that
    where it is one of ``*args``; -1 for others."""
    function, first, _ = _unbound(spec, function)
    given = _source(function)[0].node.args
    names = [p.arg for p in (*given.posonlyargs, *given.args)]
    rest = given.vararg.arg if given.vararg else ""
    return tuple(
        (names[k], -1) if k < len(names) else (rest, k - len(names))
        for k in range(len(first), len(first) + count)
    )


def _unbound(spec: Specialiser, function: core.Value) -> tuple[core.Value, Args, Words]:
    """A function, and the arguments that a bound method or partial application has
    given it."""
    args: Args = ()
    words: Words = {}
    while True:
        known = function.kind if isinstance(function, core.Leaf) else None
        if isinstance(function, core.Partial) and not _is_derivative(function):
            args = (*function.args, *args)
            words = {**dict(function.keywords), **words}
            function = function.function
        elif isinstance(known, ir.Known) and isinstance(known.value, MethodType):
            method = known.value
            owner = held_objects(spec, (method.__self__,))
            args, function = (*owner, *args), core.constant(method.__func__)
        elif isinstance(known, ir.Known) and hasattr(
            known.value, "__s2sad_derivative__"
        ):
            composed, bound = plain_function(known.value)
            args = (*held_objects(spec, bound), *args)
            function = core.constant(composed)
        else:
            return function, args, words


def held_objects(spec: Specialiser, objects: tuple[Any, ...]) -> Args:
    """The objects that a bound method is bound to, read live."""
    return tuple(known_object(spec, one, "", one) for one in objects)


def _source(
    function: core.Value,
) -> tuple[SourceFunction, core.Frame | None, dict[str, core.Value] | None]:
    match function:
        case core.Closure():
            return function.source, function.frame, dict(function.defaults)
        case core.Partial() if _is_derivative(function):
            return _source_of_derivative(function)
        case core.Leaf(kind=ir.Known(value=known)):
            source = user_source(known)
            if source is not None:
                return source, None, None
    raise core.Unsupported(
        f"a derivative of {core.describe(function)} inside of a function",
        "pass a function written with def or lambda",
    )


def _is_derivative(function: core.Partial) -> bool:
    """True for what ``grad(f)`` and the like gave."""
    mark = function.function
    if not isinstance(mark, core.Leaf) or not isinstance(mark.kind, ir.Known):
        return False
    return any(mark.kind.value is known for known in MARKS)


def _source_of_derivative(
    derivative: core.Partial,
) -> tuple[SourceFunction, core.Frame, None]:
    """A function of the same parameters that calls a derivative."""
    inner: core.Value = derivative
    skipped = 0
    while isinstance(inner, core.Partial):
        if _is_derivative(inner):
            inner = inner.args[0]
        else:
            skipped, inner = skipped + len(inner.args), inner.function
    own, *_ = _source(inner)
    kinds = inspect.Parameter
    given = own.node.args
    kept = [p.arg for p in (*given.posonlyargs, *given.args)][skipped:]
    parameters = [kinds(name, kinds.POSITIONAL_OR_KEYWORD) for name in kept]
    if given.vararg:
        parameters.append(kinds(given.vararg.arg, kinds.VAR_POSITIONAL))
    parameters += [kinds(p.arg, kinds.KEYWORD_ONLY) for p in given.kwonlyargs]
    if given.kwarg:
        parameters.append(kinds(given.kwarg.arg, kinds.VAR_KEYWORD))
    mark = derivative.function.kind.value  # type: ignore[union-attr]
    if mark is hessian_product:
        parameters.append(kinds("vector", kinds.POSITIONAL_OR_KEYWORD))
    name = own.name if own.name.isidentifier() else "function"
    held, factory = calling(f"{name}_{mark.__name__}", parameters)
    source = replace(source_of_own(factory(None)), calls=own)
    frame = core.Frame(source, local_names=frozenset({held}))
    frame.names[held] = derivative
    return source, frame, None
