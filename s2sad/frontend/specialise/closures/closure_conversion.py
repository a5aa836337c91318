"""Closure conversion: a function as a record of what it keeps, and one that takes what
the record holds as parameters.

::

    def scaled(v, w=w):              Scaled(w)
        return rate * w * v    ->    def scaled(v, *, w, rate):
                                         return rate * w * v

Variables of calls around must not be bound any more once the function is made; those of
the differentiated function stay where they are.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.source.text import scopes
from s2sad.source.text.source_function import SourceFunction

Called = Callable[[Specialiser, dict[str, core.Value], Args, Words], core.Value]
"""A call of the function of a record that holds something."""


@dataclass(frozen=True)
class Plan:
    """A function as a record."""

    cls: type
    held: dict[str, core.Value]
    call: Called


NODES: dict[type, Any] = {}
"""The definitions of functions, by the classes of their records."""
KNOWN: set[type] = set()
"""The classes of records of known functions, of which all are one."""
_CLASSES: dict[Hashable, type] = {}
_CONVERTED: dict[type, SourceFunction] = {}
"""The functions that take what their records hold as parameters."""
_STATIC = (str, bool, bytes, type(None))


def plan_of(spec: Specialiser, value: core.Value) -> Plan | None:
    """How a function is a record; None for other values."""
    match value:
        case core.Closure():
            return _of_closure(spec, value)
        case core.Partial():
            return _of_partial(value)
        case core.Method(receiver=receiver, name=name):
            cls = _class(("method", name), name, "of")

            def call(
                spec: Specialiser,
                held: dict[str, core.Value],
                args: Args,
                keywords: Words,
            ) -> core.Value:
                return spec.call_value(core.Method(held["of"], name), args, keywords)

            return Plan(cls, {"of": receiver}, call)
        case core.Leaf(kind=ir.Known(value=function)):
            name = getattr(function, "__name__", "")
            cls = _class(("function", function), name, "")
            KNOWN.add(cls)
            return Plan(
                cls, {}, lambda spec, held, *call: spec.call_value(value, *call)
            )
    return None


def _of_closure(spec: Specialiser, closure: core.Closure) -> Plan:
    if closure.cached:
        raise core.Unsupported(
            "which of several cached functions is called is known only when the "
            "program runs",
            "call the function itself",
        )
    source = closure.source
    defaults = dict(closure.defaults)
    captured = dict(_captured(spec, closure))
    held, known = _parted({**captured, **defaults})
    around: core.Frame | None = closure.frame
    while around is not None and around is not spec.main_frame:
        around = around.parent
    key = (source.node, closure.frame.source.identity, *known.items())
    cls = _class((*key, *captured, None, *defaults), source.name)
    NODES[cls] = source.node
    if cls not in _CONVERTED:
        _CONVERTED[cls] = _with_parameters(source, captured)
    converted, reads_whole = _CONVERTED[cls], around is not None
    only = [p.arg for p in source.node.args.posonlyargs]
    places = [*only, *(p.arg for p in source.node.args.args)]

    def call(
        spec: Specialiser, held: dict[str, core.Value], args: Args, keywords: Words
    ) -> core.Value:
        given, left = {*places[: len(args)], *keywords}, only[len(args) :]
        for name in captured.keys() & keywords.keys():
            raise core.Unsupported(
                f"{source.name} reads {name!r} of the call that it was made in, and is "
                "given a keyword of this name",
                "use another name",
            )
        values = {**known, **held}
        if defaults.keys() >= {*left}:
            args = (*args, *(values[name] for name in left))
        words = {name: values[name] for name in (*captured, *defaults)}
        given.update(only)
        words = {n: v for n, v in words.items() if n in captured or n not in given}
        parent = core.Closure(converted, spec.main_frame) if reads_whole else None
        return spec.inline(converted, args, {**keywords, **words}, closure=parent)

    return Plan(cls, held, call)


def _with_parameters(source: SourceFunction, names: Iterable[str]) -> SourceFunction:
    """A function that takes what it keeps by its names, and has no defaults."""
    node = copy.copy(source.node)
    arguments = node.args = copy.copy(node.args)
    arguments.kwonlyargs = [*arguments.kwonlyargs, *map(ast.arg, names)]
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    arguments.defaults = []
    return replace(source, node=node)


def _captured(
    spec: Specialiser, closure: core.Closure
) -> Iterator[tuple[str, core.Value]]:
    """The variables of calls around that a function reads, but for those of the
    differentiated function. They must not be bound any more once the function is
    made."""
    node: Any = closure.source.node
    own = {parameter.arg for parameter in _parameters(node.args)}
    body = node.body if isinstance(node.body, list) else [node.body]
    own |= scopes.assigned_names(body)
    read = frozenset().union(*map(scopes.names_in_text, body))
    for name in ir.in_order(read - own):
        owner = closure.frame.owner(name)
        if owner is None or owner is spec.main_frame or name not in owner.names:
            continue
        value = owner.names[name]
        around = owner.source.node
        several = owner.written_by_others | scopes.names_bound_in_loops(around)
        if around is not node:
            several |= scopes.names_bound_behind(around, node)
        comprehension = owner.source.node is not node and _is_comprehension(owner)
        if name in several or comprehension:
            raise core.Unsupported(
                f"a function that only the run can tell from others reads {name!r} of "
                "the call that it was made in, which is bound at several places",
                f"give it the value as a default: {name}={name}",
            )
        if isinstance(value, core.Closure) and value.source is closure.source:
            raise core.Unsupported(
                f"{closure.source.name} calls itself, and only the run can tell it "
                "from others",
                "make it a function of the module",
            )
        yield name, value


def _is_comprehension(frame: core.Frame) -> bool:
    """True for the activation of a comprehension: its names are bound again and
    again."""
    around = frame.parent
    return around is not None and around.source is frame.source


def _parameters(arguments: Any) -> Iterator[Any]:
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _of_partial(partial: core.Partial) -> Plan:
    given = (getattr(core.kind_of(v), "value", None) for v in partial.args)
    if any(isinstance(value, ir.Procedure) for value in given):
        raise core.Unsupported(
            "which of several functions that transforms gave is called is known only "
            "when the program runs",
            "call it where it is made, and keep what it gives",
        )
    args = {f"arg_{k}": value for k, value in enumerate(partial.args)}
    words = dict(partial.keywords)
    held, known = _parted({"function": partial.function, **args, **words})

    def call(
        spec: Specialiser, held: dict[str, core.Value], given: Args, keywords: Words
    ) -> core.Value:
        values = {**known, **held}
        own = {name: values[name] for name in words}
        taken = tuple(values[name] for name in args)
        return spec.call_value(
            values["function"], (*taken, *given), {**own, **keywords}
        )

    name = core.describe(partial.function).rpartition(".")[2]
    key = ("partial", *known.items(), *args, None, *words)
    return Plan(_class(key, name), held, call)


def _parted(
    values: dict[str, core.Value],
) -> tuple[dict[str, core.Value], dict[str, core.Value]]:
    """What a record holds, and what its class says."""
    known = {name: value for name, value in values.items() if _is_static(value)}
    return {n: value for n, value in values.items() if n not in known}, known


def _is_static(value: core.Value) -> bool:
    if not isinstance(value, core.Leaf) or not isinstance(value.operand, ir.Const):
        return False
    constant = value.operand.value
    return isinstance(constant, _STATIC) or (
        isinstance(constant, Hashable) and core.is_function(value)
    )


def _class(key: Hashable, name: str, equal_by: str | None = None) -> type:
    """The class of the records of a function; ``equal_by`` is what tells them apart."""
    known = _CLASSES.get(key)
    if known is None:
        plain = re.sub(r"\W+", "_", name).strip("_") or "function"
        title = f"{plain[0].upper()}{plain[1:]}"
        doc = f"What {name} keeps."
        known = _CLASSES[key] = ops.record_class(title, doc, equal_by)
    return known
