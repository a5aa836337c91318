"""What a function takes, as far as its text or class says."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from s2sad import ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import default_value
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.frontend.specialise.objects import construction, members, objects
from s2sad.source.kinds.external_data import is_live_object
from s2sad.source.text.source_function import SourceFunction

Default = Callable[[Specialiser, ast.AST], core.Value]
"""What gives the value of a parameter that isn't passed."""


@dataclass(frozen=True)
class Signature:
    """The parameters of a function."""

    name: str = ""
    required: tuple[str, ...] = ()
    """Those that are given by position, or by name, and must be."""
    optional: tuple[str, ...] = ()
    """Those with defaults, which come behind."""
    further: bool = False
    """Takes any number more by position."""
    by_name: tuple[str, ...] | None = None
    """All that may be given by name; None: not known."""
    rest: bool = False
    """Takes any others by name."""
    defaults: Mapping[str, Default] = field(default_factory=dict, compare=False)
    taken: tuple[str, ...] = ()
    """Those that are given, and may not be given again."""

    def behind(self, count: int) -> Signature:
        """Those left where the first ``count`` are given."""
        given = (*self.required, *self.optional)[:count]
        over = max(0, count - len(self.required))
        left = self._with_taken(n for n in given if n in (self.by_name or ()))
        return replace(
            left, required=self.required[count:], optional=self.optional[over:]
        )

    def before(self, keywords: Iterable[str]) -> Signature:
        """Those left where some are given by keyword."""
        left = self._with_taken(keywords)
        for group in ("required", "optional"):
            names = getattr(self, group)
            found = [k for k, name in enumerate(names) if name in left.taken]
            if found:
                kept = names[: found[0]]
                if group == "required":
                    return replace(left, required=kept, optional=(), further=False)
                return replace(left, optional=kept, further=False)
        return left

    def _with_taken(self, names: Iterable[str]) -> Signature:
        taken = (*self.taken, *names)
        if self.by_name is None:
            return replace(self, taken=taken)
        left = tuple(name for name in self.by_name if name not in taken)
        return replace(self, taken=taken, by_name=left)

    def with_defaults(self, given: Mapping[str, core.Value]) -> Signature:
        """The signature where some are given by keyword, and may be given anew."""
        left = self.before(given)
        defaults = {name: partial(_given_default, v) for name, v in given.items()}
        return replace(
            left,
            by_name=self.by_name,
            taken=self.taken,
            defaults={**self.defaults, **defaults},
        )


def signature_of(function: core.Value) -> Signature | None:
    """The signature of what is called; None where it isn't known."""
    match function:
        case core.Closure(source=source):
            return _of_definition(source, dict(function.defaults))
        case core.Partial():
            inner = signature_of(function.function)
            if inner is None:
                return None
            left = inner.behind(len(function.args))
            return left.with_defaults(dict(function.keywords))
        case core.Choice():
            found = [signature_of(option) for _, option in function.options]
            first = found[0]
            if first is None or any(other != first for other in found):
                return None
            return replace(first, by_name=None) if first.defaults else first
        case core.Leaf(kind=ir.Known(value=known)) if not is_live_object(known):
            return _of_known(known)
        case core.Leaf() | core.Aggregate() | core.Cell() if _has_class(function):
            member = members.member_of(objects.class_of(function), "__call__")
            if member is None or member.sort != "method":
                return None
            found_one = _of_known(member.value)
            return None if found_one is None else found_one.behind(1)
    return None


def _has_class(value: core.Value) -> bool:
    if isinstance(value, core.Cell):
        return not core.is_container(value)
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference):
        return value.kind.constructor is not None
    return isinstance(value, core.Aggregate) or isinstance(value.kind, ir.Known)  # type: ignore


def _of_known(function: Any) -> Signature | None:
    rule = rules.rule_for(function)
    if rule is None:
        source = user_source(function)
        if source is not None:
            return _of_definition(source)
        if isinstance(function, type) and core.is_plain_class(function):
            return _of_class(function)
    try:
        signature = rule.signature if rule else inspect.signature(function)
    except (TypeError, ValueError):
        return None
    parameters = list(signature.parameters.values())
    places = (
        inspect.Parameter.POSITIONAL_ONLY,
        inspect.Parameter.POSITIONAL_OR_KEYWORD,
    )
    fixed = [p for p in parameters if p.kind in places]
    if any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters):
        return None
    return Signature(
        ir.function_name(function),
        tuple(p.name for p in fixed if p.default is inspect.Parameter.empty),
        tuple(p.name for p in fixed if p.default is not inspect.Parameter.empty),
    )


def _of_definition(
    source: SourceFunction, made: Mapping[str, core.Value] | None = None
) -> Signature:
    """What the text of a function says; ``made`` are defaults that were computed where
    it was made."""
    parameters = source.node.args
    by_place = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    by_name = [p.arg for p in (*parameters.args, *parameters.kwonlyargs)]
    defaults: dict[str, Default] = {
        name: partial(_default_of, source, name) for name in source.defaults
    }
    for name, value in (made or {}).items():
        defaults[name] = partial(_given_default, value)
    return Signature(
        "the lambda" if source.name == "<lambda>" else source.name,
        tuple(name for name in by_place if name not in defaults),
        tuple(name for name in by_place if name in defaults),
        parameters.vararg is not None,
        tuple(by_name),
        parameters.kwarg is not None,
        defaults,
    )


def _default_of(source: SourceFunction, name: str, spec: Specialiser) -> core.Value:
    return default_value(spec, source, name)


def _given_default(value: core.Value, spec: Specialiser) -> core.Value:
    return value


def _of_class(cls: Any) -> Signature | None:
    """What a class takes where an object is made."""
    if issubclass(cls, tuple):
        return None
    if not construction.has_fields_alone(cls):
        member = members.member_of(cls, "__init__")
        if member is None or member.owner is object:
            return None
        source = user_source(member.value)
        if source is None:
            return None
        return replace(_of_definition(source).behind(1), name=cls.__name__)
    fields = construction.fields_taken(cls)
    defaults: dict[str, Default] = {
        name: partial(_field_default, cls, own)
        for name, own in fields.items()
        if own.default is not dataclasses.MISSING
        or own.default_factory is not dataclasses.MISSING
    }
    by_place = [name for name, own in fields.items() if not own.kw_only]
    return Signature(
        cls.__name__,
        tuple(name for name in by_place if name not in defaults),
        tuple(name for name in by_place if name in defaults),
        by_name=tuple(fields),
        defaults=defaults,
    )


def _field_default(cls: Any, own: Any, spec: Specialiser) -> core.Value:
    defaults = construction.defaults_of_init(spec, cls)
    found = construction.default_of_field(spec, cls, own, defaults)
    assert found is not None
    return found
