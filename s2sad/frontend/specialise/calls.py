"""Calls: of functions with rules, and of user functions, which are inlined."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

from s2sad.codegen.effects import raise_exception
from s2sad.frontend.external_data import is_live_object
from s2sad.frontend.normalise import normalised
from s2sad.frontend.scopes import (
    assigned_names,
    declared_global,
    makes_functions,
    rebound_names,
)
from s2sad.frontend.source import SourceFunction
from s2sad.frontend.specialise.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.closures import check_is_called
from s2sad.frontend.specialise.columns import columns_of
from s2sad.frontend.specialise.construction import construct
from s2sad.frontend.specialise.context import (
    Frame,
    NothingFollows,
    Unsupported,
    function_key,
)
from s2sad.frontend.specialise.displays import unpacked_value
from s2sad.frontend.specialise.expressions import select
from s2sad.frontend.specialise.foreign import foreign_call, is_report, report
from s2sad.frontend.specialise.generators import generator, is_generator
from s2sad.frontend.specialise.members import member_of, note_read
from s2sad.frontend.specialise.methods import call_method
from s2sad.frontend.specialise.objects import bound_member, class_of
from s2sad.frontend.specialise.operator_methods import has_methods
from s2sad.frontend.specialise.parameters import bind_parameters
from s2sad.frontend.specialise.recursion import (
    RecursionFound,
    call_procedure,
    form_of,
)
from s2sad.frontend.specialise.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.specialiser import (
    Specialiser,
    expression,
)
from s2sad.frontend.specialise.starred_calls import positional_arguments
from s2sad.frontend.specialise.values import (
    Aggregate,
    Choice,
    Closure,
    Draft,
    Lazy,
    Leaf,
    Method,
    Partial,
    Value,
    aggregate_of,
    constant,
    describe,
    is_function,
    kind_of,
    leaves,
)
from s2sad.frontend.specialise.wrappers import call_wrapper, user_source
from s2sad.ir.kinds import Known
from s2sad.ir.nodes import Apply, Const, Effect, Var
from s2sad.rules.registry import rule_for

DEEPEST_CALL = 50
"""Calls nested deeper than this are reported as recursion."""


@expression(ast.Call)
def call(spec: Specialiser, node: ast.Call) -> Value:
    function = spec.evaluate(node.func)
    parts: list[tuple[ast.expr, Value]] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = spec.evaluate(argument.value)
            columns = columns_of(spec, function, value, node)
            if columns is not None:
                return columns
            if isinstance(value, Lazy):
                value = unpacked_value(spec, value, argument)
            parts.append((argument, value))
        else:
            parts.append((argument, spec.evaluate(argument)))
    keywords: dict[str, Value] = {}
    for keyword in node.keywords:
        value = spec.evaluate(keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, Aggregate) and value.constructor is dict:
            keywords.update(
                {str(k): v for k, v in zip(value.keys, value.items, strict=True)}
            )
        else:
            raise Unsupported(
                node, "only a dict of known keys can be unpacked here", ""
            )
    args = positional_arguments(spec, function, parts, keywords, node)
    return call_value(spec, function, args, keywords, node)


def call_value(
    spec: Specialiser,
    function: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A call of a value: of a known function, one made inside, a method, an object."""
    match function:
        case Leaf(kind=Known(value=known)):
            if not is_live_object(known):
                return call_function(spec, known, args, keywords, node)
            return call_object(spec, function, args, keywords, node)
        case Method():
            return call_method(spec, function, args, keywords, node)
        case Closure(source=source):
            return inline(spec, source, args, keywords, node, closure=function)
        case Partial():
            words = {**dict(function.keywords), **keywords}
            args = (*function.args, *args)
            return call_value(spec, function.function, args, words, node)
        case Choice():
            return _call_choice(spec, function, args, keywords, node)
        case Aggregate() | Draft() if has_methods(function):
            return call_object(spec, function, args, keywords, node)
    raise Unsupported(
        node,
        f"a call of a value {describe(function)}",
        "call a function that is known by name",
    )


def call_object(
    spec: Specialiser,
    value: Value,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """``value(...)`` of an object with ``__call__``."""
    member = member_of(class_of(value), "__call__")
    if member is None:
        raise Unsupported(
            node, f"{describe(value)} can't be called", "give its class a __call__"
        )
    note_read(spec, class_of(value), "__call__")
    function = bound_member(spec, value, "__call__", member, node)
    return call_value(spec, function, args, keywords, node)


def _call_choice(
    spec: Specialiser,
    choice: Choice,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A call of one of several functions: a branch for each."""
    options = [(t, f) for t, f in choice.options if f != constant(None)]
    complete = choice.complete and len(options) == len(choice.options)
    if not options:
        raise Unsupported(node, "None is called", "test for it first")
    spec.shared((*args, *keywords.values()), times=2)

    def call_from(position: int) -> Value:
        if position == len(options):
            return _nothing_to_call(spec, choice)
        tag, function = options[position]
        if complete and position == len(options) - 1:
            return call_value(spec, function, args, keywords, node)
        return select(
            spec,
            spec.is_option(choice, tag),
            lambda: call_value(spec, function, args, keywords, node),
            lambda: call_from(position + 1),
            node,
            "choice",
        )

    return call_from(0)


def _nothing_to_call(spec: Specialiser, choice: Choice) -> Value:
    """What Python raises where there is no such function."""
    if choice.complete:
        words: tuple[Any, ...] = (TypeError, "'NoneType' object is not callable")
    elif any(isinstance(tag, str) for tag, _ in choice.options):
        words = (KeyError, "there is no such function")
    else:
        words = (IndexError, "there is no such function")
    spec.emit(Effect(spec.span, Apply(raise_exception, tuple(map(Const, words)))))
    spec.unreachable = True
    raise NothingFollows


def call_function(
    spec: Specialiser,
    function: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A call of a known function."""
    if getattr(function, "__s2sad_static__", False):
        answer = function(
            *map(kind_of, args), **{k: kind_of(v) for k, v in keywords.items()}
        )
        return static_answer(answer)
    for table in (SPECIAL_CALLS, BUILTIN_CALLS):
        special = table.get(function) if _hashable(function) else None
        found = special(spec, args, keywords, node) if special is not None else None
        if found is not None:
            return found
    for answer in (_transformed, call_wrapper):
        known = answer(spec, function, args, keywords, node)
        if known is not None:
            return known
    if rule_for(function) is not None:
        if spec.derived:
            from s2sad.frontend.specialise.algebra import simplified

            simpler = simplified(spec, function, args) if not keywords else None
            if simpler is not None:
                return simpler
        return spec.apply(function, args, keywords, node=node)
    if is_report(function):
        return report(spec, function, args, keywords, node)
    source = user_source(function, node)
    if source is not None:
        return inline(spec, source, args, keywords, node)
    if isinstance(function, type):
        made = construct(spec, function, args, keywords, node)
        if made is not None:
            return made
    return foreign_call(spec, function, args, keywords, node)


def _transformed(
    spec: Specialiser,
    function: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value | None:
    """A call of ``s2sad.grad`` and the like."""
    from s2sad.frontend.specialise.nested_transforms import transform_call

    if not _hashable(function):
        return None
    return transform_call(spec, function, args, keywords, node)


def static_answer(answer: Any) -> Value:
    """The answer of a predicate as a value; tuples item by item."""
    if isinstance(answer, tuple):
        return aggregate_of(tuple(map(static_answer, answer)))
    return constant(answer)


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def inline(
    spec: Specialiser,
    source: SourceFunction,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
    closure: Closure | None = None,
) -> Value:
    """The body of a user function in place of its call."""
    defaults = None if closure is None else dict(closure.defaults)
    check_is_called(spec, source, node)
    bound = bind_parameters(spec, source, args, keywords, node, defaults)
    parent = None if closure is None else closure.frame
    if is_generator(source):
        return generator(spec, source, bound, node, parent)
    body = normalised(source)

    def activation() -> Frame:
        return activation_of(spec, source, parent, bound)

    def called() -> Value:
        return call_procedure(spec, source, bound, parent, activation, body, node)

    if id(source.node) in spec.recursive and not spec.derived:
        return called()
    frame = _activation(spec, source, parent, bound)
    if not spec.derived:
        _note_recursion(spec, frame, bound)
    if len(spec.trail) > DEEPEST_CALL:
        raise Unsupported(node, "calls are nested too deeply", "write a loop")
    outer = spec.frame
    mark = _mark(spec)
    spec.trail.append((outer.source.name, outer.source, getattr(node, "lineno", 0)))
    spec.frame = frame
    spec.active.append(frame)
    spec.note_shared(frame, body)
    if not spec.derived:
        spec.reserved_names |= frame.local_names
    try:
        spec.shared(bound.values())
        for name, value in bound.items():
            if spec.derived:
                spec.frame.names[name] = value
            else:
                spec.bind(name, value)
        spec.run(body)
        if spec.unreachable:
            raise NothingFollows
        result = _detached(spec, spec.frame.result)
    except RecursionFound as found:
        if found.frame is not frame:
            raise
        spec.recursive.add(id(source.node))
        again = True
    else:
        again = False
    finally:
        spec.frame = outer
        spec.active.pop()
        spec.trail.pop()
    if again:
        _back_to(spec, mark)
        return called()
    return constant(None) if result is None else result


def run_whole(spec: Specialiser, source: SourceFunction, body: list[ast.stmt]) -> None:
    """Run the body of the whole function; as a call of a procedure if it calls
    itself."""
    bound = dict(spec.frame.names)
    mark = _mark(spec)
    whole = spec.frame
    with suppress(Unsupported):
        whole.form = form_of(bound)
    try:
        return spec.run(body)
    except RecursionFound:
        pass
    spec.recursive.add(id(source.node))
    spec.frame = whole
    _back_to(spec, mark)

    def activation() -> Frame:
        return activation_of(spec, source, None, bound)

    try:
        spec.frame.result = call_procedure(
            spec, source, bound, None, activation, body, source.node
        )
    except Unsupported as problem:
        spec.report(problem, source.node)
    except NothingFollows:
        pass


def _mark(spec: Specialiser) -> tuple[Any, ...]:
    """Where the program stands, to start again from there."""
    frames = spec.frames_at_stake()
    names = [dict(frame.names) for frame in frames]
    return frames, names, list(spec.block), len(spec.problems), spec.consumed


def _back_to(spec: Specialiser, mark: tuple[Any, ...]) -> None:
    frames, names, block, problems, spec.consumed = mark
    spec.start_path(frames, names)
    spec.block[:] = block
    del spec.problems[problems:]


def activation_of(
    spec: Specialiser, source: SourceFunction, parent: Any, bound: dict[str, Value]
) -> Frame:
    """The activation of a function that is a program of its own."""
    own = _activation(spec, source, parent, bound)
    own.prefix, own.key = "", spec.fresh_owner(source)
    return own


def _activation(
    spec: Specialiser, source: SourceFunction, parent: Any, bound: dict[str, Value]
) -> Frame:
    """A new activation. Its variables are its own where closures may read them later,
    and where another of the same function is under way."""
    body = normalised(source)
    names = assigned_names(body) | set(bound)
    frame = Frame(
        source,
        prefix=_prefix(spec, source, names),
        local_names=frozenset(names),
        parent=parent,
        rebound=rebound_names(body, bound),
        global_names=declared_global(body),
        called_with=tuple(
            function_key(value) for value in bound.values() if is_function(value)
        ),
    )
    under_way = any(s is source for _, s, _ in spec.trail) or (
        spec.frame.source is source
    )
    if not spec.derived and (under_way or makes_functions(body)):
        frame.key = spec.fresh_owner(source)
    return frame


def _note_recursion(spec: Specialiser, frame: Frame, bound: dict[str, Value]) -> None:
    """Find out whether the same function is under way, called with the same functions
    and with arguments of the same form."""
    under_way = [
        other
        for other in spec.active
        if other.source.node is frame.source.node
        and other.parent is frame.parent
        and other.called_with == frame.called_with
    ]
    try:
        frame.form = form_of(bound)
    except Unsupported:
        if under_way:
            raise
        return
    for other in under_way:
        if other.form == frame.form:
            raise RecursionFound(other)


def _detached(spec: Specialiser, result: Value | None) -> Value | None:
    """A result in variables that the next call of the same function doesn't
    overwrite."""

    def detach(leaf: Leaf, path: tuple) -> Leaf:
        operand = leaf.operand
        if not isinstance(operand, Var) or operand.name not in own:
            return leaf
        spec.assign(target := spec.fresh(operand.name.strip(".")), operand, leaf.kind)
        return Leaf(target, leaf.kind, leaf.path)

    if result is None:
        return result
    own = {
        leaf.operand.name
        for value in spec.frame.names.values()
        for leaf in leaves(value)
        if isinstance(leaf.operand, Var)
        and (not spec.derived or leaf.operand.name.startswith(spec.frame.prefix))
    }
    return spec.copied(result, detach)


def _prefix(spec: Specialiser, source: SourceFunction, names: set[str]) -> str:
    """Inlined variables keep their names unless the caller has the same.

    Those of rules are new in each call: a program that is differentiated again holds
    some already.
    """
    if spec.derived:
        _, number = spec.fresh_owner(source.name)
        return f".{source.name}.{number}:"
    taken = spec.user_names | spec.reserved_names
    return f"{_plain(source)}_" if names & taken else ""


def _plain(source: SourceFunction) -> str:
    """The name of a function as part of a variable's; the class's for ``__init__`` and
    the like."""
    name = source.name.strip("<>")
    if name.startswith("__") and name.endswith("__"):
        *_, owner, _ = ("", *source.qualname.split("."))
        return owner.strip("<>").lower() or name.strip("_")
    return name
