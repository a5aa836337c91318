"""Dicts of classes derived from dict that the program makes and keeps. They are plain
dicts when it runs: what their class does beside is written out.

::

    table = defaultdict(list)                   table = {}
    table[key].append(x)            ->          if key not in table:
                                                    table[key] = []
                                                table[key].append(x)
"""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.library import texts
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser

DERIVED = (defaultdict, Counter, OrderedDict)


def base_of(cls: Any) -> Any:
    """``dict`` for a class of such dicts, other classes as they are."""
    return dict if cls in DERIVED else cls


def form_made_by(spec: Specialiser, maker: Hashable, cls: type) -> ir.Form:
    """A form for what an expression makes, a list or dict."""
    made = spec.makers.get(maker)
    own = cls if made is None else made.constructor
    sort = None
    if own in DERIVED:
        sort = (own, maker if own is defaultdict else None)
    return ir.Form(base_of(cls), (ir.EACH,), sort=sort, is_made=True)


def made_empty(
    spec: Specialiser,
    form: ir.Form,
    wish: str = "",
    limit: core.Value | None = None,
) -> core.Leaf:
    """A dict or deque of such a form that holds nothing; ``wish`` is the name that it
    will be bound to, and ``limit`` the greatest length of a deque."""
    words: tuple[tuple[str, ir.Operand], ...] = ()
    if limit is not None:
        words = (("maxlen", core.operand_of(limit)),)
        if not form.has_limits:
            form.has_limits = True
            spec.learn(replace(spec.facts, grown=spec.facts.grown + 1))
            raise core.Learned
    args = (ir.Const(form.constructor), ir.Const(()))
    operation = ir.Apply(ops.make_object, args, words)
    target = spec.fresh(spec.wanted_title or "entries")
    if wish:
        target = spec.variable(wish)
    return spec.assign(target, operation, ir.Reference((form,)))


def class_of(value: core.Value) -> type | None:
    """The class of such a dict, in whichever way it is held; None for other values."""
    cls: Any = value.constructor if isinstance(value, core.Cell) else None
    if isinstance(value, core.Leaf) and isinstance(value.kind, ir.Reference):
        if any(form.sort is not None for form in value.kind.forms):
            sort = sort_of(value)
            cls = sort and sort[0]
    return cls if cls in DERIVED else None


def text_of_method(value: core.Value, name: str) -> Any:
    """The text of a method that dicts lack, or have otherwise; None for others."""
    cls = class_of(value)
    text = None if cls is None else texts.all_texts().get((cls, name))
    return text and text.function


def check_operator(*operands: core.Value) -> None:
    """Raise Unsupported for an operator that such dicts have otherwise than others."""
    for operand in operands:
        cls = class_of(operand)
        if cls in (Counter, OrderedDict):
            raise core.Unsupported(
                f"an operator on a {cls.__name__}",
                "write a loop over its items, or make a dict of it",
            )


def sort_of(value: core.Leaf) -> tuple[type, Hashable] | None:
    """The class of such a dict, and what tells what it makes; None for others."""
    assert isinstance(value.kind, ir.Reference)
    sorts = {form.sort for form in value.kind.forms}
    if len(sorts) < 2:
        return next(iter(sorts), None)
    raise core.Unsupported(
        f"which of several sorts of dicts a {value.kind} is isn't known before the "
        "program runs",
        "use defaultdicts that one expression makes, or dicts alone",
    )
