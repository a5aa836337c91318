"""Functions made inside the program: lambdas and nested ``def``.

Such a function is a value of compile time. It keeps the activation it was made in, and
is written out where it is called::

    def f(x, a):
        scale = lambda t: a * t          scale is a Closure
        a = a + 1.0                ->    a = a + 1.0
        return scale(x)                  return a * x

Names of the activation are read when the function is called, as in Python. Where two
paths bind a name to different functions, a variable holds which one it is.
"""

import ast
from weakref import WeakKeyDictionary

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.source.text.parsed import FunctionNode
from s2sad.source.text.source_function import SourceFunction

_nested: WeakKeyDictionary[SourceFunction, dict[FunctionNode, SourceFunction]] = (
    WeakKeyDictionary()
)


def nested_source(outer: SourceFunction, node: FunctionNode) -> SourceFunction:
    """The function that a node inside another function defines; always the same."""
    known = _nested.setdefault(outer, {})
    if node not in known:
        name = getattr(node, "name", "<lambda>")
        known[node] = SourceFunction(
            name=name,
            qualname=f"{outer.qualname}.<locals>.{name}",
            module=outer.module,
            filename=outer.filename,
            lines=outer.lines,
            node=node,
            resolver=outer.resolver,
            function=None,
            defaults={},
            file=outer.file,
        )
    return known[node]


def closure_of(spec: Specialiser, node: FunctionNode) -> core.Closure:
    """The value of a lambda or ``def``, its defaults evaluated."""
    parameters = node.args
    positional = [*parameters.posonlyargs, *parameters.args]
    count = len(positional) - len(parameters.defaults)
    pairs = list(zip(positional[count:], parameters.defaults, strict=True))
    pairs += [
        (parameter, default)
        for parameter, default in zip(
            parameters.kwonlyargs, parameters.kw_defaults, strict=True
        )
        if default is not None
    ]
    defaults = tuple((p.arg, spec.evaluate(default)) for p, default in pairs)
    source = nested_source(spec.frame.source, node)
    return core.Closure(source, spec.frame, defaults, made=object())


@core.expression(ast.Lambda)
def lambda_expression(spec: Specialiser, node: ast.Lambda) -> core.Value:
    return function_records.made(spec, closure_of(spec, node))


@core.statement(ast.FunctionDef)
def nested_function(spec: Specialiser, node: ast.FunctionDef) -> None:

    decorators = [spec.evaluate(decorator) for decorator in node.decorator_list]
    value = function_records.made(spec, closure_of(spec, node))
    for decorator, at in zip(
        reversed(decorators), reversed(node.decorator_list), strict=True
    ):
        with spec.at(at):
            value = spec.call_value(decorator, (value,), {})
    spec.bind(node.name, value)


@core.statement(ast.Nonlocal)
def nonlocal_statement(spec: Specialiser, node: ast.Nonlocal) -> None:
    """Nothing to do: names are looked up in the activations around anyway."""


@core.statement(ast.Global)
def global_statement(spec: Specialiser, node: ast.Global) -> None:
    """Reads are those of a global name; a store is refused where it stands."""


def check_is_called(source: SourceFunction) -> None:
    """Refuse functions whose call doesn't run their body."""
    if isinstance(source.node, ast.AsyncFunctionDef):
        raise core.Unsupported(
            f"{source.name} is async, and coroutines can't be differentiated",
            "make it a plain function",
        )
