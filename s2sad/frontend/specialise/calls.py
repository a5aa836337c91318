"""Calls: of functions with rules, and of user functions, which are inlined."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from s2sad.errors import SourceError
from s2sad.frontend.normalise import normalised
from s2sad.frontend.resolve import StaticFunction
from s2sad.frontend.scopes import assigned_names
from s2sad.frontend.source import SourceFunction, source_of
from s2sad.frontend.specialise.builtin_calls import BUILTIN_CALLS, construct
from s2sad.frontend.specialise.context import Frame, NothingFollows, Unsupported
from s2sad.frontend.specialise.foreign import foreign_call, is_report, report
from s2sad.frontend.specialise.methods import call_method
from s2sad.frontend.specialise.specialiser import (
    Specialiser,
    expression,
)
from s2sad.frontend.specialise.values import (
    Aggregate,
    Leaf,
    Method,
    Value,
    aggregate_of,
    constant,
    describe,
    kind_of,
    leaves,
    map_leaves,
)
from s2sad.ir.kinds import (
    Known,
)
from s2sad.ir.nodes import Var, function_name
from s2sad.rules.registry import rule_for

DEEPEST_CALL = 50
"""Calls nested deeper than this are reported as recursion."""


@expression(ast.Call)
def call(spec: Specialiser, node: ast.Call) -> Value:
    function = spec.evaluate(node.func)
    args: list[Value] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = spec.evaluate(argument.value)
            if not isinstance(value, Aggregate) or value.constructor is dict:
                raise Unsupported(
                    argument,
                    "only a tuple or list of known length can be unpacked into a call",
                    "pass the arguments one by one",
                )
            args.extend(value.items)
        else:
            args.append(spec.evaluate(argument))
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
    if isinstance(function, Method):
        return call_method(spec, function, tuple(args), keywords, node)
    if isinstance(function, Leaf) and isinstance(function.kind, Known):
        return call_function(spec, function.kind.value, tuple(args), keywords, node)
    raise Unsupported(
        node,
        f"a call of a value {describe(function)}",
        "call a function that is known by name",
    )


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
    special = BUILTIN_CALLS.get(function) if _hashable(function) else None
    if special is not None:
        return special(spec, args, keywords, node)
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
        return construct(spec, function, args, keywords, node)
    return foreign_call(spec, function, args, keywords, node)


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


def user_source(function: Any, node: ast.AST) -> SourceFunction | None:
    """The source of a function written in Python by the user; None for library
    functions."""
    if isinstance(function, StaticFunction):
        return function.source
    function = unwrapped(function)
    if not hasattr(function, "__code__"):
        return None
    root = (getattr(function, "__module__", "") or "").split(".")[0]
    if root in ("numpy", "scipy"):
        return None
    try:
        return source_of(function)
    except SourceError as error:
        raise Unsupported(
            node,
            f"the source of {function_name(function)} isn't available",
            str(error).splitlines()[0],
        ) from None


def unwrapped(function: Any) -> Any:
    """The plain function behind s2sad's own decorator and Numba's."""
    while True:
        inner = getattr(function, "__s2sad_primal__", None) or getattr(
            function, "py_func", None
        )
        if inner is None:
            return function
        function = inner


def inline(
    spec: Specialiser,
    source: SourceFunction,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """The body of a user function in place of its call."""
    if any(s.node is source.node for _, s, _ in spec.trail[1:]) or (
        source.node is spec.frame.source.node
    ):
        raise Unsupported(
            node,
            f"{source.name} calls itself, and recursion can't be differentiated",
            "write a loop",
        )
    if len(spec.trail) > DEEPEST_CALL:
        raise Unsupported(node, "calls are nested too deeply", "write a loop")
    bound = bind_parameters(spec, source, args, keywords, node)
    outer = spec.frame
    body = normalised(source)
    spec.trail.append((outer.source.name, outer.source, getattr(node, "lineno", 0)))
    names = assigned_names(body) | set(bound)
    spec.frame = Frame(source, {}, _prefix(spec, source, names), frozenset(names))
    spec.note_shared(spec.frame, body)
    if not spec.derived:
        spec.reserved_names |= names
    try:
        spec.shared(bound.values())
        for name, value in bound.items():
            if isinstance(value, Method) or spec.derived:
                spec.frame.names[name] = value
            else:
                spec.bind(name, value)
        spec.run(body)
        if spec.unreachable:
            raise NothingFollows
        result = _detached(spec, spec.frame.result)
    finally:
        spec.frame = outer
        spec.trail.pop()
    return constant(None) if result is None else result


def _detached(spec: Specialiser, result: Value | None) -> Value | None:
    """A result in variables that the next call of the same function doesn't
    overwrite."""

    def detach(leaf: Leaf, path: tuple) -> Leaf:
        operand = leaf.operand
        if not isinstance(operand, Var) or operand.name not in own:
            return leaf
        spec.assign(target := spec.fresh(operand.name.strip(".")), operand, leaf.kind)
        return Leaf(target, leaf.kind, leaf.path)

    if result is None or isinstance(result, Method):
        return result
    own = {
        leaf.operand.name
        for value in spec.frame.names.values()
        for leaf in leaves(value)
        if isinstance(leaf.operand, Var)
        and (not spec.derived or leaf.operand.name.startswith(spec.frame.prefix))
    }
    return map_leaves(result, detach)


def _prefix(spec: Specialiser, source: SourceFunction, names: set[str]) -> str:
    """Inlined variables keep their names unless the caller has the same.

    Those of rules are new in each call: a program that is differentiated again holds
    some already.
    """
    if spec.derived:
        _, number = spec.fresh_owner(source.name)
        return f".{source.name}.{number}:"
    taken = spec.user_names | spec.reserved_names
    return f"{source.name}_" if names & taken else ""


def bind_parameters(
    spec: Specialiser,
    source: SourceFunction,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> dict[str, Value]:
    """The values of a user function's parameters, by Python's rules of calling."""
    parameters = source.node.args
    positional = [p.arg for p in (*parameters.posonlyargs, *parameters.args)]
    bound: dict[str, Value] = dict(zip(positional, args, strict=False))
    extra = args[len(positional) :]
    name = source.name
    if extra and parameters.vararg is None:
        raise Unsupported(
            node,
            f"{name} takes {len(positional)} positional arguments, {len(args)} are "
            "given",
            "check the call",
        )
    if parameters.vararg is not None:
        bound[parameters.vararg.arg] = aggregate_of(extra)
    positional_only = {p.arg for p in parameters.posonlyargs}
    by_keyword = [*positional, *(p.arg for p in parameters.kwonlyargs)]
    rest: dict[str, Value] = {}
    for key, value in keywords.items():
        if spec.derived and parameters.vararg and key == parameters.vararg.arg:
            bound[key] = value
        elif key in by_keyword and key not in positional_only:
            if key in bound:
                raise Unsupported(node, f"{name} gets {key!r} twice", "check the call")
            bound[key] = value
        elif parameters.kwarg is not None:
            rest[key] = value
        else:
            raise Unsupported(
                node, f"{name} has no parameter {key!r}", "check the call"
            )
    if parameters.kwarg is not None:
        bound[parameters.kwarg.arg] = Aggregate(dict, tuple(rest), tuple(rest.values()))
    for key in by_keyword:
        if key not in bound:
            if key not in source.defaults:
                raise Unsupported(node, f"{name} needs {key!r}", "check the call")
            bound[key] = default_value(source, key, node)
    return bound


def default_value(source: SourceFunction, name: str, node: ast.AST) -> Value:
    """The value of a parameter that isn't passed."""
    value = source.defaults[name]
    plain = (int, float, str, bool, type(None), np.dtype, type)
    if isinstance(value, tuple) and all(isinstance(v, plain) for v in value):
        return aggregate_of(tuple(constant(v) for v in value))
    if isinstance(value, plain) or callable(value):
        return constant(value)
    raise Unsupported(
        node,
        f"the default of {name!r} in {source.name} is neither a number, a string nor "
        "None",
        "pass the argument",
    )
