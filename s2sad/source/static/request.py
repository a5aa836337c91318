"""What to compile of a function that is read, not executed.

Takes the text of the function and what the user adds on the command line; gives the
kinds of its parameters, and with respect to which of them it is differentiated.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar, is_typeddict

from s2sad import ir
from s2sad.errors import ArgumentError, S2sadError, one_line
from s2sad.source.annotations import annotations
from s2sad.source.annotations.annotation_nodes import (
    class_meant,
    evaluated_annotation,
    parsed_annotation,
    stand_in_of,
)
from s2sad.source.annotations.signatures import ParsedSignature, parse_signature
from s2sad.source.kinds.kinds_of_values import kind_of_value
from s2sad.source.static.module import StaticModule
from s2sad.source.static.namespaces import Resolver
from s2sad.source.text import resolve
from s2sad.source.text.parsed import FunctionNode
from s2sad.source.text.source_function import SourceFunction
from s2sad.source.uses.deduced import Deduced, deduced


def named_function(module: StaticModule, name: str) -> resolve.StaticFunction:
    """The function, or the method given as ``Class.method``. Raises ``ArgumentError``,
    which names what there is."""
    try:
        function = module.function(name)
    except resolve.NameNotFound as error:
        known = ", ".join(module.functions) or "none"
        raise ArgumentError(
            f"{error}; functions in {one_line(module.path)}: {known}"
        ) from None
    if isinstance(function.source.node, ast.AsyncFunctionDef):
        raise ArgumentError(f"{name} is an async function; make it a plain one")
    return function


def read_signature(text: str, module: StaticModule) -> ParsedSignature:
    """A signature whose classes are those of the module. Raises ``ArgumentError``."""
    classes = _Classes(module)
    signature = parse_signature(text, classes)
    for kind in signature.kinds.values():
        _check_fields(kind, module)
    return signature


Compiled = TypeVar("Compiled")


def first_compiled(
    function: resolve.StaticFunction,
    signature: ParsedSignature | None,
    compiled: Callable[[dict[str, ir.Kind]], Compiled],
) -> Compiled:
    """What is compiled for the kinds of the parameters. Those that nobody tells are
    numbers or arrays, or else what they are read as: lists, dicts and objects."""
    read = deduced(function)
    plain = replace(read, parameters={n: read.parameters[n] for n in read.certain})
    try:
        return compiled(kinds_of_parameters(function, signature, plain))
    except S2sadError:
        if len(plain.parameters) == len(read.parameters):
            raise
    return compiled(kinds_of_parameters(function, signature, read))


def kinds_of_parameters(
    function: resolve.StaticFunction, signature: ParsedSignature | None, read: Deduced
) -> dict[str, ir.Kind]:
    """The kind of each parameter: what the signature says, else the annotation, else
    that of a default that is a number, a string or None, else what it is read as.
    ``self`` is an object of the class.

    Raises ``ArgumentError`` for a parameter that the function hasn't, and for ``*args``
    and ``**kwargs``, of which the text doesn't tell how many there are.
    """
    source = function.source
    arguments = source.node.args
    star = arguments.vararg or arguments.kwarg
    if star is not None:
        stars = "*" if arguments.vararg else "**"
        raise ArgumentError(
            f"{source.name} takes {stars}{star.arg}, and it isn't known before a call "
            "how many there are: write a function with named parameters that calls it"
        )
    if "classmethod" in function.decorators:
        raise ArgumentError(
            f"{source.qualname} is a classmethod, whose first argument is a class: "
            "write a staticmethod or a function that takes what it reads"
        )
    given = dict(signature.kinds) if signature else {}
    written = signature.annotations if signature else {}
    parameters = {p.arg: p for p in parameters_of(source)}
    owned = next(iter(parameters), "") if function.owner is not None else ""

    def annotated(parameter: ast.arg, kept: bool) -> ir.Kind:
        told: Any = read.parameters.get(parameter.arg)
        kept |= is_typeddict(told)  # a dict may have other keys, which is checked
        if parameter.arg in written:
            node = parsed_annotation(written[parameter.arg])
            told = Any if node is None else evaluated_annotation(node, source.resolver)
        elif parameter.arg == owned and function.owner is not None:
            told = stand_in_of(function.owner)
        elif parameter.annotation is not None:
            told = evaluated_annotation(parameter.annotation, source.resolver)
        if told is None:
            return ir.UNKNOWN
        return annotations.kind_of_evaluated(
            told,
            (parameter.arg,),
            source.resolver,
            kept=kept,
            deduced=read.attributes,
        )

    kinds: dict[str, ir.Kind] = {}
    for name, parameter in parameters.items():
        kind = given.pop(name, ir.UNKNOWN)
        default = source.defaults.get(name, ...)
        plain = default is None or type(default) in (bool, int, float, str)
        untold = name != owned and parameter.annotation is None
        if name in written:
            kind = annotated(parameter, kept=False)
            if kind == ir.UNKNOWN:
                raise ArgumentError(
                    f"signature: {written[name]} doesn't say what {name} holds: write "
                    "it as in list[float], with classes whose attributes are annotated"
                )
        elif kind == ir.UNKNOWN and untold and plain:
            kind = kind_of_value(default, (name,))
        elif kind == ir.UNKNOWN:
            kind = annotated(parameter, kept=False)
        kinds[name] = kind
    for name in annotations.names_alike_kept(kinds):
        if signature and signature.kinds.get(name, ir.UNKNOWN) != ir.UNKNOWN:
            continue
        kept = annotated(parameters[name], kept=True)
        kinds[name] = kinds[name] if kept == ir.UNKNOWN else kept
    if given:
        raise ArgumentError(
            f"signature: {source.name} has no parameter {next(iter(given))}; its "
            f"parameters are {', '.join(kinds) or 'none'}"
        )
    return kinds


def parameters_of(source: SourceFunction) -> list[ast.arg]:
    """The parameters with names of their own, in order."""
    arguments = source.node.args
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def wrt_of(
    function: resolve.StaticFunction,
    kinds: Mapping[str, ir.Kind],
    given: Iterable[str] = (),
) -> tuple[tuple[str, ...], bool]:
    """The parameters to differentiate with respect to, and whether the gradient is bare
    instead of a tuple.

    What is given wins, then what the decorator says; else it is the first parameter.
    Raises ``ArgumentError``.
    """
    source = function.source
    names = tuple(kinds)
    if not names:
        raise ArgumentError(f"{source.name} has no parameters")
    chosen: Any = tuple(given)
    if len(chosen) == 1:
        chosen = chosen[0]
    chosen = chosen or _wrt_of_decorator(source)
    if chosen is None:
        method = function.owner is not None or names[0] == "self"
        method = method and len(names) > 1
        chosen = names[1] if method else names[0]
    single = not isinstance(chosen, tuple | list)
    wrt = tuple(_parameter(w, names, source) for w in ([chosen] if single else chosen))
    if len(set(wrt)) != len(wrt) or not wrt:
        raise ArgumentError(f"wrt of {source.name} must name each parameter once")
    for name in wrt:
        if not ir.is_real_number_kind(kinds[name]):
            raise ArgumentError(
                f"{name} of {source.name} is {kinds[name]}, which has no derivative: "
                "choose other parameters with wrt, or give it the kind float"
            )
    return wrt, single


def _parameter(chosen: Any, names: tuple[str, ...], source: SourceFunction) -> str:
    if isinstance(chosen, str) and chosen in names:
        return chosen
    if type(chosen) is int and -len(names) <= chosen < len(names):
        return names[chosen]
    raise ArgumentError(
        f"wrt of {source.name}: there is no parameter {chosen}; its parameters are "
        f"{', '.join(names)}"
    )


def _functions_in_text(module: StaticModule) -> Iterator[tuple[str, FunctionNode]]:
    """Every ``def`` in the text, with its path; that of one within a function
    has ``<locals>``."""
    waiting: list[tuple[str, Any]] = [("", module.file.tree)]
    while waiting:
        path, node = waiting.pop(0)
        for child in ast.iter_child_nodes(node):
            inner = path
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path + child.name, child
                inner = f"{path}{child.name}.<locals>."
            elif isinstance(child, ast.ClassDef):
                inner = f"{path}{child.name}."
            waiting.append((inner, child))


def decorated_functions(
    module: StaticModule,
) -> tuple[dict[str, resolve.StaticFunction], list[str]]:
    """The functions and methods that ``s2sad.differentiate`` decorates, by their paths;
    and why others are left out. What the module defines anew below is neither."""
    found: dict[str, resolve.StaticFunction] = {}
    others: list[str] = []
    for path, node in _functions_in_text(module):
        if _decorator(node, module.resolver) is None:
            continue
        try:
            function = named_function(module, path)
        except ArgumentError:
            place = f"{one_line(module.path)}:{node.lineno}"
            others.append(
                f"{place}: {path.replace('.<locals>', '')} is left out: it is defined "
                "within a function or a branch; define it at the top of the module or "
                "of a class"
            )
            continue
        if function.source.node is node:
            found[path] = function
    return found, others


def _decorator(node: ast.AST, resolver: Resolver) -> ast.expr | None:
    for decorator in getattr(node, "decorator_list", ()):
        if resolve.is_differentiate_decorator(decorator, resolver):
            return decorator
    return None


def _wrt_of_decorator(source: SourceFunction) -> Any:
    """``wrt`` as the decorator has it; None where it says nothing."""
    decorator = _decorator(source.node, source.resolver)
    if not isinstance(decorator, ast.Call):
        return None
    for keyword in decorator.keywords:
        if keyword.arg == "wrt":
            try:
                return ast.literal_eval(keyword.value)
            except ValueError:
                raise ArgumentError(
                    f"wrt of {source.name} is only known when the module runs: "
                    f"{ast.unparse(keyword.value)}; write the names there, or give "
                    "them with --wrt"
                ) from None
    return None


class _Classes(Mapping[str, Any]):
    """The classes that a module knows by name."""

    def __init__(self, module: StaticModule) -> None:
        self._module = module

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._module.resolver.resolve(name).value
        except resolve.NameNotFound:
            raise KeyError(name) from None
        if not isinstance(value, resolve.StaticClass):
            raise KeyError(name)
        return value

    def __iter__(self) -> Iterator[str]:
        for node in self._module.file.tree.body:
            if isinstance(node, ast.ClassDef):
                yield node.name

    def __len__(self) -> int:
        return len(list(iter(self)))


def _check_fields(kind: ir.Kind, module: StaticModule) -> None:
    """Raise ArgumentError where a signature gives a class other fields than it has."""
    if not isinstance(kind, ir.Structure):
        return
    for item in kind.items:
        _check_fields(item, module)
    constructor: Any = class_meant(kind.constructor)
    if not isinstance(constructor, resolve.StaticClass):
        return
    declared = annotations.kind_of_annotation_node(
        ast.Name(constructor.name), (), module.resolver
    )
    if isinstance(declared, ir.Structure) and declared.constructor is dict:
        raise ArgumentError(
            f"signature: {constructor.name} is a TypedDict, whose values are dicts: "
            "write {'name': float64[:]}"
        )
    if isinstance(declared, ir.Structure) and declared.keys != kind.keys:
        raise ArgumentError(
            f"signature: the fields of {constructor.name} are "
            f"{', '.join(map(str, declared.keys))}, in this order"
        )
    if not isinstance(declared, ir.Structure):
        raise ArgumentError(
            f"signature: the fields of {constructor.name} are not known from its text; "
            "make it a NamedTuple or a dataclass"
        )
