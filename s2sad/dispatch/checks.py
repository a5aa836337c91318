"""The check before each call: do the arguments fit, and is what was read unchanged?

Takes the kinds that a derivative was compiled for and what compilation read of the
user's module and closure; gives the source of one function that tests all of it::

    def matches(w, x):
        try:
            if registrations() != 245:
                return False
            read_1 = globals_1["np"]
            read_2 = cell_1.cell_contents
            return (
                (type(w) is ndarray or array_like(w, kind_1))
                ...
                and read_1 is known_2
                and type(read_2) is int
                and read_2 == value_3
            )
        except Exception:
            return False

Functions, modules and classes are compared by identity; flags, whole numbers and
strings by value; other data, which the derivative reads live, by kind.
"""

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from s2sad import errors, ir, rules
from s2sad.codegen.structures.written import check_pass
from s2sad.dispatch.cache import cells_of
from s2sad.frontend.specialise import core
from s2sad.source.kinds.external_data import DataForm, data_kind, is_live_object
from s2sad.source.kinds.matchers import matcher_source
from s2sad.source.kinds.orders import orders_in
from s2sad.source.text.resolve import LiveResolver, NameNotFound
from s2sad.source.text.source_function import SourceFunction


class NotCheckable(errors.S2sadError):
    """What compilation read can't be looked up again, so the result can't be kept."""


def compile_check(
    parameters: Sequence[str],
    kinds: Mapping[str, ir.Kind],
    reads: Iterable[core.Read],
    source: SourceFunction,
    registrations: int,
    data_form: DataForm = "open",
) -> Callable[[FunctionType], Callable[..., bool]]:
    """A maker of checks: ``compile_check(...)(function)(*arguments)``.

    The maker takes any function that runs the code of ``source``, whose globals and
    captured variables the check then reads. Checks never raise if they get one argument
    for each parameter. They are false once there are more than ``registrations`` of
    rules. Raises NotCheckable for a read whose name means nothing.
    """
    fresh = _fresh_names(parameters)
    places = _Places(source, fresh)
    count = next(fresh)
    all_kinds = dict(kinds)
    lines = [f"if {count}() != {registrations}:\n    return False"]
    read_names = []
    for read in _distinct(reads):
        name = next(fresh)
        found = places.expression(read)
        if read.by_order:
            found = f"{places.constant(orders_in)}({found})"
        lines.append(f"{name} = {found}")
        all_kinds[name] = _kind_of_read(read, data_form)
        read_names.append(name)
    text, namespace = matcher_source(
        [*parameters, *read_names], all_kinds, lambda k: check_pass(k, "argument")
    )
    namespace |= places.constants | {count: rules.registration_count}
    code = _code(text, len(parameters), lines)
    captured, globals_name = places.captured, places.globals_name

    def check_of(function: FunctionType) -> Callable[..., bool]:
        cells = cells_of(function)
        names: dict[str, Any] = {n: cells[v] for n, v in captured.items()}
        if globals_name:
            names[globals_name] = function.__globals__
        return FunctionType(code, {**namespace, **names})

    return check_of


def _fresh_names(taken: Iterable[str]) -> Iterator[str]:
    taken = frozenset(taken)
    names = (f"read_{k}" for k in itertools.count(1))
    return (name for name in names if name not in taken)


class _Places:
    """Where the values that were read are found again."""

    def __init__(self, source: SourceFunction, fresh: Iterator[str]) -> None:
        self.source = source
        self.fresh = fresh
        self.constants: dict[str, Any] = {}
        self.captured: dict[str, str] = {}
        """Name in the check -> captured variable of the function itself."""
        self.globals_name = ""
        self._names: dict[tuple[str, int], str] = {}

    def expression(self, read: core.Read) -> str:
        resolver = read.resolver
        if isinstance(resolver, core.LiveObject):
            return ".".join((self.constant(resolver.value), *read.attributes))
        if not isinstance(resolver, LiveResolver):
            raise NotCheckable(f"{read.name} was read from a text")
        try:
            origin = resolver.resolve(read.name).origin
        except NameNotFound as error:
            raise NotCheckable(str(error)) from None
        if origin == "closure":
            found = f"{self._cell(resolver, read.name)}.cell_contents"
        elif origin == "global":
            found = f"{self._globals(resolver)}[{read.name!r}]"
        else:
            builtins = self.constant(resolver._builtins)
            names = self._globals(resolver)
            found = f"{names}.get({read.name!r}, {builtins}[{read.name!r}])"
        return ".".join((found, *read.attributes))

    def _cell(self, resolver: LiveResolver, variable: str) -> str:
        if resolver is not self.source.resolver:
            return self.constant(resolver._free[variable])
        for name, known in self.captured.items():
            if known == variable:
                return name
        name = next(self.fresh)
        self.captured[name] = variable
        return name

    def _globals(self, resolver: LiveResolver) -> str:
        if resolver is not self.source.resolver:
            return self.constant(resolver._globals)
        if not self.globals_name:
            self.globals_name = next(self.fresh)
        return self.globals_name

    def constant(self, value: Any) -> str:
        for name, known in self.constants.items():
            if known is value:
                return name
        name = next(self.fresh)
        self.constants[name] = value
        return name


def _distinct(reads: Iterable[core.Read]) -> list[core.Read]:
    """Each read once, in order."""
    found = {
        (id(getattr(r.resolver, "value", r.resolver)), *_place_of(r)): r for r in reads
    }
    return list(found.values())


def _place_of(read: core.Read) -> tuple[object, ...]:
    return read.name, read.attributes, read.by_order


def _kind_of_read(read: core.Read, form: DataForm) -> ir.Kind:
    path = ".".join((read.name, *read.attributes))
    if read.by_order:
        return ir.Known(orders_in(read.value))
    if read.attributes == ("__code__",):
        return ir.Known(read.value)
    of_partial = isinstance(getattr(read.resolver, "value", None), partial)
    if of_partial or read.attributes[-1:] in (("__defaults__",), ("__kwdefaults__",)):
        # what holds them is no list of the program's
        kind = data_kind(read.value, path, "open" if form == "kept" else form)
        return _with_values(kind, read.value, path, int | float | str)
    return _with_values(data_kind(read.value, path, form), read.value, path)


def _with_values(kind: ir.Kind, value: Any, path: str, fixed: Any = int) -> ir.Kind:
    """The kind with the whole numbers inside a structure known, as they are when the
    structure belongs to a module. Objects in it are known by identity."""
    if is_live_object(value):
        return ir.Known(value)
    if isinstance(kind, ir.Structure):
        by_field = not isinstance(value, dict | list) and type(value) is not tuple
        items = []
        for key, item in zip(kind.keys, kind.items, strict=True):
            part: Any = getattr(value, str(key)) if by_field else value[key]
            items.append(_with_values(item, part, path, fixed))
        return replace(kind, items=tuple(items))
    if isinstance(kind, ir.Scalar) and isinstance(value, fixed):
        return replace(kind, value=value)
    # Objects of classes that nobody looks into are known.
    return data_kind(value, path) if isinstance(kind, ir.Unknown) else kind


def _code(text: str, count: int, lines: Iterable[str]) -> CodeType:
    """The code of a matcher that takes the first ``count`` of its parameters and finds
    the others by itself, with ``lines``."""
    tree = ast.parse(text)
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    attempt = definition.body[0]
    assert isinstance(attempt, ast.Try)
    definition.args.args = definition.args.args[:count]
    attempt.body[:0] = ast.parse("\n".join(lines)).body
    ast.fix_missing_locations(tree)
    module = compile(tree, "<s2sad check>", "exec")
    return next(c for c in module.co_consts if isinstance(c, CodeType))
