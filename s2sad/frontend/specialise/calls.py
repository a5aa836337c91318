"""Calls: of functions with rules, of user functions (inlined), of methods and builtins."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from s2sad.errors import SourceError
from s2sad.frontend.normalise import normalised
from s2sad.frontend.resolve import StaticFunction
from s2sad.frontend.source import SourceFunction, source_of
from s2sad.frontend.specialise.context import Frame, Unsupported
from s2sad.frontend.specialise.specialiser import (
    Specialiser,
    assigned_names,
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
    operand_of,
    slice_of,
)
from s2sad.ir.kinds import BOOL, OPAQUE, Array, Kind, Known, NumPyScalar, Scalar, Unknown
from s2sad.ir.nodes import Apply, Effect, Var, function_name
from s2sad.rules.registry import rule_for
from s2sad.rules.result_kinds import is_static, static_value

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
            keywords.update({str(k): v for k, v in zip(value.keys, value.items, strict=True)})
        else:
            raise Unsupported(node, "only a dict of known keys can be unpacked here", "")
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
        answer = function(*map(kind_of, args), **{k: kind_of(v) for k, v in keywords.items()})
        return static_answer(answer)
    special = _SPECIAL.get(function) if _hashable(function) else None
    if special is not None:
        return special(spec, args, keywords, node)
    if rule_for(function) is not None:
        if spec.derived:
            from s2sad.frontend.specialise.algebra import simplified

            simpler = simplified(spec, function, args) if not keywords else None
            if simpler is not None:
                return simpler
        return spec.apply(function, args, keywords, node=node)
    source = user_source(function, node)
    if source is not None:
        return inline(spec, source, args, keywords, node)
    if isinstance(function, type):
        return _construct(spec, function, args, keywords, node)
    return spec.apply(function, args, keywords, node=node)


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
    """The source of a function written in Python by the user; None for library functions."""
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
    try:
        for name, value in bound.items():
            if isinstance(value, Method) or spec.derived:
                spec.frame.names[name] = value
            else:
                spec.bind(name, value)
        spec.run(body)
        result = _detached(spec, spec.frame.result)
    finally:
        spec.frame = outer
        spec.trail.pop()
    return constant(None) if result is None else result


def _detached(spec: Specialiser, result: Value | None) -> Value | None:
    """A result in variables that the next call of the same function doesn't overwrite."""

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
    """Inlined variables keep their names unless the caller has the same."""
    if spec.derived:
        return f".{source.name}:"
    return f"{source.name}_" if names & spec.user_names else ""


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
            f"{name} takes {len(positional)} positional arguments, {len(args)} are given",
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
            raise Unsupported(node, f"{name} has no parameter {key!r}", "check the call")
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
        f"the default of {name!r} in {source.name} is neither a number, a string nor None",
        "pass the argument",
    )


# ------------------------------------------------------------------ methods

_ARRAY_METHODS: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "max": np.max,
    "min": np.min,
    "var": np.var,
    "std": np.std,
    "prod": np.prod,
    "cumsum": np.cumsum,
    "dot": np.dot,
    "transpose": np.transpose,
    "squeeze": np.squeeze,
    "swapaxes": np.swapaxes,
    "ravel": np.ravel,
    "flatten": np.ndarray.flatten,
    "copy": np.copy,
    "astype": np.ndarray.astype,
    "clip": np.clip,
    "any": np.any,
    "all": np.all,
    "argmax": np.argmax,
    "argmin": np.argmin,
    "round": np.round,
    "trace": np.trace,
    "diagonal": np.diagonal,
    "repeat": np.repeat,
    "take": np.take,
}


def call_method(
    spec: Specialiser,
    method: Method,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """``value.name(...)``."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Aggregate):
        found = _structure_method(receiver, name, args)
        if found is not None:
            return found
        raise Unsupported(
            node,
            f"the method {name!r} of {describe(receiver)} can't be differentiated",
            "read the items by index or key",
        )
    assert isinstance(receiver, Leaf)
    if isinstance(receiver.kind, Array | NumPyScalar | Unknown):
        if name in ("reshape", "transpose"):
            function = np.reshape if name == "reshape" else np.transpose
            if len(args) > 1 or (args and isinstance(kind_of(args[0]), Scalar)):
                args = (aggregate_of(args),)
            return _method(spec, function, name, (receiver, *args), keywords, node)
        if name in ("item", "tolist") and not args and not isinstance(receiver.kind, Unknown):
            if isinstance(receiver.kind, NumPyScalar) or receiver.kind.axes == ():
                return spec.apply(float, (receiver,), node=node)
        function = _ARRAY_METHODS.get(name)
        if function is not None:
            if name == "astype" and args:
                args = (_dtype_argument(args[0], node), *args[1:])
            return _method(spec, function, name, (receiver, *args), keywords, node)
    if isinstance(receiver.kind, Known) and isinstance(receiver.kind.value, str):
        operation = Apply(
            getattr(str, name), tuple(operand_of(a) for a in (receiver, *args)), (), ""
        )
        return spec.define(operation, OPAQUE, "text")
    raise Unsupported(
        node,
        f"the method {name!r} of a value {describe(receiver)} can't be differentiated",
        "use the NumPy function, or compute it outside and pass it in",
    )


def _method(
    spec: Specialiser,
    function: Any,
    name: str,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    if rule_for(function) is None:
        raise Unsupported(node, f"there is no rule for the method {name!r}", "")
    return spec.apply(
        function, args, keywords, node=node, spelling=f"method:{name}", hint=name
    )


def _dtype_argument(value: Value, node: ast.AST) -> Value:
    """``x.astype(float)``: the dtype behind a Python type or a string."""
    kind = kind_of(value)
    if isinstance(kind, Known):
        return value
    raise Unsupported(node, "the dtype isn't known before the program runs", "name it")


def _structure_method(
    receiver: Aggregate, name: str, args: tuple[Value, ...]
) -> Value | None:
    if receiver.constructor is dict:
        keys = tuple(constant(k) for k in receiver.keys)
        if name == "keys" and not args:
            return aggregate_of(keys)
        if name == "values" and not args:
            return aggregate_of(receiver.items)
        if name == "items" and not args:
            pairs = zip(keys, receiver.items, strict=True)
            return aggregate_of(tuple(aggregate_of(pair) for pair in pairs))
        if name == "get" and args and is_static(kind_of(args[0])):
            key = static_value(kind_of(args[0]))
            if key in receiver.keys:
                return receiver.item(key)
            return args[1] if len(args) > 1 else constant(None)
    return None


# ------------------------------------------------- functions the engine knows


def _print(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    words = tuple((k, operand_of(v)) for k, v in keywords.items())
    spec.emit(Effect(spec.span, Apply(print, tuple(map(operand_of, args)), words)))
    return constant(None)


def _len(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    (value,) = args
    if isinstance(value, Aggregate):
        return constant(len(value.items))
    result = spec.apply(len, (value,), node=node, hint="count")
    kind = kind_of(result)
    if isinstance(kind, Scalar) and kind.value is not None:
        return constant(kind.value)
    return result


def _isinstance(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    value, classes = args
    answer = is_instance_of(value, static_value(kind_of(classes)))
    if answer is None:
        return spec.apply(isinstance, args, node=node)
    return constant(answer)


def is_instance_of(value: Value, classes: Any) -> bool | None:
    """isinstance, decided by kinds; None where they don't tell."""
    classes = classes if isinstance(classes, tuple) else (classes,)
    kind: Kind = kind_of(value)
    types = {"float": float, "int": int, "bool": bool, "complex": complex}
    if isinstance(value, Aggregate):
        found: Any = value.constructor
    elif isinstance(kind, Scalar):
        found = types[kind.type]
    elif isinstance(kind, NumPyScalar) and kind.dtype is not None:
        found = np.dtype(kind.dtype).type
    elif isinstance(kind, Array) and not kind.promoted:
        found = np.ndarray
    elif isinstance(kind, Known):
        found = type(kind.value)
    else:
        return None
    return issubclass(found, classes)


def _tuple_or_list(constructor: type) -> Callable[..., Value]:
    def convert(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
        if not args:
            return aggregate_of((), constructor)
        (value,) = args
        if isinstance(value, Aggregate):
            items = value.items
            if value.constructor is dict:
                items = tuple(constant(k) for k in value.keys)
            return aggregate_of(items, constructor)
        raise Unsupported(
            node,
            f"{constructor.__name__}() of a value {describe(value)}",
            "use the array itself",
        )

    return convert


def _dict(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    entries: dict[Any, Value] = {}
    if args:
        (value,) = args
        if not isinstance(value, Aggregate) or value.constructor is not dict:
            raise Unsupported(node, "dict() of anything but a dict", "write {...}")
        entries.update(zip(value.keys, value.items, strict=True))
    entries.update(keywords)
    return Aggregate(dict, tuple(entries), tuple(entries.values()))


def _slice(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    none = constant(None)
    if len(args) == 1:
        return slice_of(none, args[0], none)
    lower, upper, *step = args
    return slice_of(lower, upper, step[0] if step else none)


def _zip_of_structures(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    if all(isinstance(a, Aggregate) for a in args):
        rows = zip(*(a.items for a in args), strict=False)
        return aggregate_of(tuple(aggregate_of(row) for row in rows))
    raise Unsupported(node, "zip outside of a for loop", "index the arrays")


def _enumerate_structure(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    if isinstance(args[0], Aggregate) and not keywords and len(args) == 1:
        return aggregate_of(
            tuple(aggregate_of((constant(k), v)) for k, v in enumerate(args[0].items))
        )
    raise Unsupported(node, "enumerate outside of a for loop", "loop over range")


def _range_outside(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    if all(is_static(kind_of(a)) for a in args):
        numbers = range(*(static_value(kind_of(a)) for a in args))
        if len(numbers) <= 64:
            return aggregate_of(tuple(constant(n) for n in numbers))
    raise Unsupported(node, "range outside of a for loop", "use np.arange")


def _bool(spec: Specialiser, args: Any, keywords: Any, node: ast.AST) -> Value:
    operation = Apply(bool, tuple(operand_of(a) for a in args))
    return spec.define(operation, BOOL, "condition")


_SPECIAL: dict[Any, Callable[..., Value]] = {
    print: _print,
    len: _len,
    isinstance: _isinstance,
    tuple: _tuple_or_list(tuple),
    list: _tuple_or_list(list),
    dict: _dict,
    slice: _slice,
    zip: _zip_of_structures,
    enumerate: _enumerate_structure,
    range: _range_outside,
    bool: _bool,
}


def _construct(
    spec: Specialiser,
    constructor: Any,
    args: tuple[Value, ...],
    keywords: dict[str, Value],
    node: ast.AST,
) -> Value:
    """A NamedTuple or dataclass made inside the function."""
    import dataclasses

    if hasattr(constructor, "_fields") and issubclass(constructor, tuple):
        fields = list(constructor._fields)
        defaults = dict(constructor._field_defaults)
    elif dataclasses.is_dataclass(constructor):
        listed = [f for f in dataclasses.fields(constructor) if f.init]
        fields = [f.name for f in listed]
        defaults = {
            f.name: f.default for f in listed if f.default is not dataclasses.MISSING
        }
    else:
        return spec.apply(constructor, args, keywords, node=node)
    values = dict(zip(fields, args, strict=False)) | keywords
    for name in fields:
        if name not in values:
            if name not in defaults:
                raise Unsupported(node, f"{constructor.__name__} needs {name!r}", "")
            values[name] = constant(defaults[name])
    if set(values) != set(fields):
        raise Unsupported(node, f"{constructor.__name__} has other fields", "")
    return Aggregate(constructor, tuple(fields), tuple(values[f] for f in fields))
