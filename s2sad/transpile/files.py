"""A module's text to the text of a file with its derivatives.

Takes a module that is read and never executed; gives Python source that needs NumPy
alone: the derivatives of the functions asked for, the constants that they read and the
run-time helpers that they call, both as copies. Data that isn't written as a literal is
read from the original module, which is then imported.

The file is put together as syntax and laid out once, so that it is formatted as
``ruff format`` would.
"""

import ast
import functools
import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from s2sad import ir
from s2sad.codegen import called_definitions, commented, entry_checks, layout
from s2sad.codegen.derivative import Derivative, Request
from s2sad.codegen.helper_sources import helper_definitions, local_names
from s2sad.codegen.numba.options import NumbaOptions
from s2sad.codegen.structures.written import check_pass
from s2sad.compiler import compile_gradient
from s2sad.errors import ArgumentError, S2sadError, one_line
from s2sad.source.annotations.signatures import ParsedSignature
from s2sad.source.static.module import StaticModule
from s2sad.source.static.registrations import rules_of_text
from s2sad.source.static.request import (
    decorated_functions,
    first_compiled,
    named_function,
    parameters_of,
    read_signature,
    wrt_of,
)
from s2sad.source.static.values import StaticClass, UnknownDefault
from s2sad.source.text.deep_recursion import with_room
from s2sad.source.text.resolve import StaticFunction
from s2sad.transpile.list_arguments import may_be_list
from s2sad.transpile.outside_names import OutsideNames, class_paths


@dataclass(frozen=True)
class Transpilation:
    """What to transpile of a module."""

    module: StaticModule
    names: Sequence[str] = ()
    """Functions besides the decorated ones; methods as ``Class.method``."""
    signatures: Sequence[str] = ()
    wrt: Sequence[str] = ()
    """For the functions in ``names``; empty for what their decorators say."""
    gradient: bool = True
    value_and_gradient: bool = True
    numba: NumbaOptions | None = None
    """What is asked of Numba; None for the NumPy backend."""


@with_room
def transpiled(request: Transpilation, header: Sequence[str] = ()) -> str:
    """The text of the file; ``header`` are the lines of the comment it opens with.

    Raises ``S2sadError`` for whatever stands in the way; the message says what to do.
    """
    module = request.module
    functions = _functions(request)
    signatures = _signatures(request, functions)
    file = _File(module)
    with rules_of_text(module):
        for name, function in functions.items():
            given = request.wrt if name in request.names else ()
            compiled = functools.partial(_derivatives, request, function, given)
            kinds, wrt, found = first_compiled(function, signatures.get(name), compiled)
            for derivative in found:
                file.add(derivative, kinds, wrt)
    return file.text(header, [f.name for f in functions.values()])


def _values(request: Transpilation) -> list[bool]:
    values = [True] * request.value_and_gradient + [False] * request.gradient
    if not values:
        raise ArgumentError("neither the gradient nor the value and gradient is wanted")
    return values


def _functions(request: Transpilation) -> dict[str, StaticFunction]:
    """The functions to transpile by their paths, in the order of the text."""
    module = request.module
    chosen, unnamed = decorated_functions(module)
    for name in request.names:
        chosen[name] = named_function(module, name)
    if request.wrt and not request.names:
        raise ArgumentError("--wrt is for functions that are named; name one")
    if not chosen and unnamed:
        raise ArgumentError(unnamed[0])
    if not chosen:
        known = ", ".join(module.functions) or "none"
        raise ArgumentError(
            f"{one_line(module.path)}: no function is decorated with "
            f"s2sad.differentiate; name the functions to transpile, of: {known}"
        )
    chosen = dict(sorted(chosen.items(), key=lambda item: item[1].source.node.lineno))
    count = Counter(function.name for function in chosen.values())
    return {
        path: _named_by_path(function, path) if count[function.name] > 1 else function
        for path, function in chosen.items()
    }


def _named_by_path(function: StaticFunction, path: str) -> StaticFunction:
    """A method whose derivatives are named after its class, too."""
    name = path.replace(".", "_")
    return replace(function, source=replace(function.source, name=name))


def _signatures(
    request: Transpilation, functions: Mapping[str, StaticFunction]
) -> dict[str, ParsedSignature]:
    found: dict[str, ParsedSignature] = {}
    for text in request.signatures:
        signature = read_signature(text, request.module)
        paths = [p for p in functions if p.rpartition(".")[2] == signature.name]
        if not paths:
            raise ArgumentError(
                f"signature: {signature.name} is not among the functions to transpile: "
                f"{', '.join(functions)}"
            )
        for path in paths:
            if path in found:
                raise ArgumentError(f"signature: {signature.name} has two of them")
            found[path] = signature
    return found


def _derivatives(
    request: Transpilation,
    function: StaticFunction,
    given: Sequence[str],
    kinds: dict[str, ir.Kind],
) -> tuple[dict[str, ir.Kind], tuple[str, ...], list[Derivative]]:
    """The derivatives of a function for kinds of its parameters, with these and what it
    is differentiated with respect to."""
    wrt, single = wrt_of(function, kinds, given)
    found = []
    for value in _values(request):
        wanted = Request(wrt, single=single, value=value, numba=request.numba)
        found.append(compile_gradient(function.source, kinds, wanted, static=True))
    return kinds, wrt, found


@dataclass
class _File:
    """The parts of the file while it is put together."""

    module: StaticModule
    families: dict[str, called_definitions.Family] = field(default_factory=dict)
    """The derivatives by name, with what they call."""
    helpers: dict[str, Any] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    """Helpers that a parameter hides, by the name they are called by instead."""
    checks: dict[str, ast.FunctionDef] = field(default_factory=dict)
    outside: OutsideNames = field(init=False)

    def __post_init__(self) -> None:
        self.outside = OutsideNames(self.module)

    def add(
        self, derivative: Derivative, kinds: Mapping[str, ir.Kind], wrt: tuple[str, ...]
    ) -> None:
        """Add a derivative and note what it needs."""
        definition, *others = commented.parse_with_comments(derivative.text)
        assert isinstance(definition, ast.FunctionDef)
        if derivative.name in self.families:
            raise ArgumentError(
                f"two functions would be called {derivative.name}; transpile one of "
                "them to a file of its own"
            )
        data = self.outside.rewrite(definition, derivative, class_paths(kinds))
        called = [other for other in others if isinstance(other, ast.FunctionDef)]
        for other in called:
            data |= self.outside.rewrite(other, derivative, {})
        self._check_arguments(definition, derivative, wrt, data)
        _restore_parameters(definition, derivative)
        for name, helper in derivative.spelling.helpers.items():
            first, own = helper.__name__, self._helper(helper)
            if own != first:
                for one in (definition, *called):
                    called_definitions.rename(one, {first: own})
            if name not in (first, own):
                self.aliases[name] = own
        if derivative.numba is not None:
            self._under_njit(called, derivative.numba.options)
        self.families[derivative.name] = called_definitions.Family(
            [definition],
            {other.name: other for other in called},
            derivative.spelling.procedures,
        )

    def _under_njit(
        self, definitions: list[ast.FunctionDef], options: NumbaOptions
    ) -> None:
        """Let functions be compiled by Numba when they are called."""
        self.outside.note_module("numba", "numba")
        njit = ast.Attribute(ast.Name("numba", ast.Load()), "njit", ast.Load())
        plain = NumbaOptions(error_model="python").keywords()
        words = [
            ast.keyword(name, ast.Constant(value))
            for name, value in options.keywords().items()
            if value != plain[name]
        ]
        for definition in definitions:
            definition.decorator_list = [ast.Call(njit, [], words)]

    def _check_arguments(
        self,
        definition: ast.FunctionDef,
        derivative: Derivative,
        wrt: tuple[str, ...],
        data: Mapping[str, ir.Kind],
    ) -> None:
        """Let a derivative begin with the check of its arguments, and of the ``data``
        that it reads."""
        name = f"_check_{derivative.source.name}"
        kinds, node = derivative.kinds, derivative.source.node
        lists = [parameter for parameter in kinds if may_be_list(node, parameter)]
        taken = frozenset(kinds)
        spelling = replace(derivative.spelling, taken=taken, modules={})
        unchecked = {n: k for n, k in kinds.items() if n not in derivative.checked}
        structures = self._checks_of_structures({**unchecked, **data})
        check = entry_checks.entry_check(
            *(name, kinds, wrt, spelling, lists, data, structures),
            _classes_read(derivative),
        )
        if check is None:
            return
        read = {n.id for n in ast.walk(check) if isinstance(n, ast.Name)}
        for spelled, module in spelling.modules.items():
            if spelled in read:
                self.outside.note_module(spelled, module)
        helpers = {n: h for n, h in entry_checks.HELPERS.items() if n in read}
        self.helpers |= helpers
        if {name, *helpers} & local_names(definition):
            needed = " or ".join([name, *helpers])
            raise S2sadError(
                f"{derivative.source.name} has a variable called {needed}, which the "
                "transpiled file needs; rename it"
            )
        known = self.checks.setdefault(name, check)
        tested = set(map(ast.dump, known.body))
        known.body += [line for line in check.body if ast.dump(line) not in tested]
        arguments: list[ast.expr] = [ast.Name(n, ast.Load()) for n in derivative.kinds]
        call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), arguments, []))
        definition.body.insert(1, call)

    def _checks_of_structures(self, kinds: Mapping[str, ir.Kind]) -> dict[str, str]:
        """The names of the functions that check what is kept of the arguments, by what
        reads it."""
        found = {}
        for parameter, whole in kinds.items():
            for path, kind in entry_checks.leaves_of(parameter, whole):
                if isinstance(kind, ir.Reference):
                    found[path] = self._helper(check_pass(kind, path, for_file=True))
        return found

    def _helper(self, helper: Any) -> str:
        """The name by which the file has a helper. Several may be written for
        structures of one name."""
        name, text = helper.__name__, getattr(helper, "text", "")
        for number in itertools.count(2):
            known = self.helpers.get(name)
            if known is None or getattr(known, "text", "") == text:
                break
            name = f"{helper.__name__}_{number}"
            text = f"def {name}({text.partition('(')[2]}"
        if name != helper.__name__:
            helper.__name__, helper.text = name, text
        self.helpers[name] = helper
        return name

    def text(self, header: Sequence[str], names: Sequence[str]) -> str:
        """The whole file."""
        modules = {name: self._module_name(name) for name in _MODULES_OF_HELPERS}
        helpers = helper_definitions(self.helpers.values(), modules)
        read = {
            node.id
            for helper in helpers.values()
            for node in ast.walk(helper)
            if isinstance(node, ast.Name)
        }
        for name, spelled in modules.items():
            if spelled in read:
                self.outside.note_module(spelled, name)
        taken = {*self.outside.top_level(), *self.checks, *helpers, *self.aliases}
        families = tuple(self.families.values())
        definitions = called_definitions.joined(families, taken).definitions
        self._check_names((*definitions, *helpers))
        listed = " and ".join(
            [", ".join(names[:-1]), names[-1]] if names[1:] else names
        )
        docstring = ast.Expr(ast.Constant(f"Gradients of {listed}."))
        body: list[ast.stmt] = [docstring]
        for position, group in enumerate(self.outside.imports()):
            body += [*[layout.BlankLine()] * bool(position), *group]
        body += self.outside.constants()
        body += definitions.values()
        copies = self.outside.functions.definitions
        if copies:
            body += [layout.Comment(_ABOUT_COPIES), *copies.values()]
        if self.checks:
            body += [layout.Comment(_ABOUT_CHECKS), *self.checks.values()]
        if helpers:
            body += [layout.Comment(_ABOUT_HELPERS), *helpers.values()]
        body += (
            ast.Assign([ast.Name(alias, ast.Store())], ast.Name(name, ast.Load()))
            for alias, name in sorted(self.aliases.items())
        )
        comment = "".join(f"# {line}".rstrip() + "\n" for line in header)
        return comment + layout.render(body)

    def _module_name(self, module: str) -> str:
        """What the helpers call a module: what the file does, where they don't use that
        name themselves."""
        for name in self.outside.names_of_module(module):
            names = {**_MODULES_OF_HELPERS, module: name}
            copies = helper_definitions(self.helpers.values(), names)
            if not any(name in local_names(copy) for copy in copies.values()):
                return name
        return _MODULES_OF_HELPERS[module]

    def _check_names(self, names: Iterable[str]) -> None:
        taken = self.outside.top_level()
        for name in (*names, *self.checks, *self.aliases):
            if name in taken:
                raise S2sadError(
                    f"{name} would mean two things in the transpiled file; rename it "
                    f"in {self.module.path}"
                )
            taken.add(name)


_MODULES_OF_HELPERS = {"numpy": "np", "math": "math"}
"""The modules that helpers use, and what they call them."""
_ABOUT_COPIES = "Functions that the derivatives call as they are."
_ABOUT_CHECKS = "Checks of what the derivatives take for granted of their arguments."
_ABOUT_HELPERS = (
    "Helpers for shapes and kinds that are known only when the program runs."
)


def _classes_read(derivative: Derivative) -> set[StaticClass]:
    """The classes of which more was read than how objects are made."""
    return {
        read.value
        for read in derivative.reads
        if isinstance(read.value, StaticClass)
        and not {*read.attributes} <= {"__init__", "__post_init__"}
    }


def _restore_parameters(definition: ast.FunctionDef, derivative: Derivative) -> None:
    """Give the parameters the defaults that are literals, and the kinds they had."""
    source = derivative.source
    arguments = source.node.args
    defaults: dict[str, ast.expr] = {}
    for name, value in source.defaults.items():
        if not isinstance(value, ast.AST | UnknownDefault):
            finite = not isinstance(value, float) or math.isfinite(value)
            text = repr(value) if finite else f"float({str(value)!r})"
            defaults[name] = ast.parse(text, mode="eval").body
    by_name = {p.arg: ast.arg(p.arg) for p in parameters_of(source)}
    positional = [p.arg for p in (*arguments.posonlyargs, *arguments.args)]
    # A default may only be followed by others.
    optional: list[ast.expr] = []
    for name in reversed(positional):
        if name not in defaults:
            break
        optional.insert(0, defaults[name])
    definition.args = ast.arguments(
        posonlyargs=[by_name[p.arg] for p in arguments.posonlyargs],
        args=[by_name[p.arg] for p in arguments.args],
        kwonlyargs=[by_name[p.arg] for p in arguments.kwonlyargs],
        kw_defaults=[defaults.get(p.arg) for p in arguments.kwonlyargs],
        defaults=optional,
    )
