"""What parameters are bound to in a call, by Python's rules of calling."""

import ast
from collections.abc import Mapping
from typing import Any

import numpy as np

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import lists
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.language.names import known_object
from s2sad.frontend.specialise.run_time import merged_dicts
from s2sad.source.static.values import UnknownDefault
from s2sad.source.text.source_function import SourceFunction

STARRED = "*args of unknown length"
"""Among keywords: what ``*args`` gets where the number of its values isn't known."""
NAMED = "**kwargs of unknown keys"
"""The same of what ``**kwargs`` gets where its keys aren't known."""


def bind_parameters(
    spec: Specialiser,
    source: SourceFunction,
    args: Args,
    keywords: Words,
    defaults: Mapping[str, core.Value] | None = None,
) -> dict[str, core.Value]:
    """The values of a user function's parameters.

    ``defaults`` are those of a function that was made inside the program.
    """
    parameters = source.node.args
    positional = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    keywords = dict(keywords)
    bound: dict[str, core.Value] = dict(zip(positional, args, strict=False))
    extra = args[len(positional) :]
    name = "the lambda" if source.name == "<lambda>" else source.name
    if extra and parameters.vararg is None:
        raise core.Unsupported(
            f"{name} takes {len(positional)} positional arguments, {len(args)} are "
            "given",
            "check the call",
        )
    if parameters.vararg is not None:
        bound[parameters.vararg.arg] = core.aggregate_of(extra)
        further = keywords.pop(STARRED, None)
        if further is not None:
            bound[parameters.vararg.arg] = _with_further(spec, extra, further)
    positional_only = {p.arg for p in parameters.posonlyargs}
    by_keyword = [*positional, *(p.arg for p in parameters.kwonlyargs)]
    rest: dict[str, core.Value] = {}
    named = keywords.pop(NAMED, None)
    for key, value in keywords.items():
        if spec.derived and parameters.vararg and key == parameters.vararg.arg:
            bound[key] = value
        elif key in by_keyword and key not in positional_only:
            if key in bound:
                raise core.Unsupported(f"{name} gets {key!r} twice", "check the call")
            bound[key] = value
        elif parameters.kwarg is not None:
            rest[key] = value
        else:
            raise _no_parameter(source, name, key, by_keyword)
    if parameters.kwarg is not None:
        others: core.Value = core.Aggregate(dict, tuple(rest), tuple(rest.values()))
        if named is not None:
            others = merged_dicts.merged(spec, [others, named])
        bound[parameters.kwarg.arg] = others
    for key in by_keyword:
        if key in bound:
            continue
        if defaults is not None and key in defaults:
            bound[key] = defaults[key]
        elif key in source.defaults:
            bound[key] = default_value(spec, source, key)
        else:
            raise core.Unsupported(f"{name} needs {key!r}", "check the call")
    return bound


def _no_parameter(
    source: SourceFunction, name: str, key: str, names: list[str]
) -> core.Unsupported:
    """The problem of a keyword that a function doesn't take; a function of a library
    may take it where its text in the prelude doesn't."""
    if not source.module.startswith("s2sad.frontend.library."):
        return core.Unsupported(f"{name} has no parameter {key!r}", "check the call")
    return core.Unsupported(
        f"this call of {name} can't be differentiated: {key!r} isn't supported",
        f"the supported form is {name}({', '.join(names)})",
    )


def _with_further(
    spec: Specialiser, extra: tuple[core.Value, ...], further: core.Value
) -> core.Value:
    """``(*extra, *further)``, where the number of the latter isn't known."""
    if extra:
        parts = [(False, value) for value in extra]
        further = spec.display([*parts, (True, further)], tuple)
    return lists.made_tuple(spec, further)


def default_value(spec: Specialiser, source: SourceFunction, name: str) -> core.Value:
    """The value of a parameter that isn't passed."""
    value = source.defaults[name]
    if isinstance(value, UnknownDefault):
        raise core.Unsupported(
            f"the default of {name!r} of {source.name} reads {value.read}: what it is "
            "isn't known from the text",
            "pass the argument",
        )
    if isinstance(value, ast.expr):  # of a module that is only read
        with spec.inside(core.Frame(source)):
            return spec.evaluate(value)
    if spec.derived or source.function is None:
        return _plain_default(source, name, value)
    function: Any = source.function
    by_keyword = name in (function.__kwdefaults__ or {})
    where = "__kwdefaults__" if by_keyword else "__defaults__"
    held = getattr(function, where)
    spec.module.reads.append(core.Read(core.LiveObject(function), "", (where,), held))
    if by_keyword:
        key: Any = name
    else:
        code = function.__code__
        names = code.co_varnames[: code.co_argcount]
        key = names.index(name) - len(names) + len(held)
    if _is_fixed(value) or callable(value):
        return core.constant(value)
    if isinstance(value, tuple) and all(map(_is_fixed, value)):
        return core.aggregate_of(tuple(map(core.constant, value)))
    return known_object(spec, function, f".{where}[{key!r}]", value)


def _plain_default(source: SourceFunction, name: str, value: Any) -> core.Value:
    if isinstance(value, tuple) and all(map(_is_fixed, value)):
        return core.aggregate_of(tuple(core.constant(v) for v in value))
    if _is_fixed(value) or callable(value):
        return core.constant(value)
    raise core.Unsupported(
        f"the default of {name!r} in {source.name} is neither a number, a string nor "
        "None",
        "pass the argument",
    )


def _is_fixed(value: Any) -> bool:
    fixed = type(value) in (int, float, str, bool, type(None))
    return fixed or isinstance(value, np.dtype | type)
