"""Context managers: with statements.

The body of one under a generator of the user's stands where that yields.
``with suppress(...)`` is a try statement. An object of a user's class that is made of
values that vary is followed: ``__enter__`` runs before the body, ``__exit__`` in a
``finally``. Other managers stay in the program.
"""

import ast
import contextlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from s2sad import checkpoints, ir, rules
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.parameters import bind_parameters
from s2sad.frontend.specialise.control import attempts, generators, trials
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.iteration.iteration import drive
from s2sad.frontend.specialise.language.user_sources import user_source
from s2sad.frontend.specialise.library_calls.exit_stacks import stacked
from s2sad.frontend.specialise.objects import construction, objects
from s2sad.frontend.specialise.run_time import queries
from s2sad.frontend.specialise.shaping.checkpoints import checkpointed_block
from s2sad.frontend.specialise.shaping.stopped_values import constants, is_no_grad
from s2sad.source.kinds.external_data import is_live_object
from s2sad.source.text import scopes, source_function

NEVER_SWALLOWS = (
    np.errstate,
    np.printoptions,
    warnings.catch_warnings,
    contextlib.redirect_stdout,
    contextlib.redirect_stderr,
    contextlib.closing,
)
"""Managers that let every exception pass."""


@core.statement(ast.With)
def with_statement(spec: Specialiser, node: ast.With) -> None:
    _managed(spec, node, 0)


def _managed(spec: Specialiser, node: ast.With, position: int) -> None:
    if position == len(node.items):
        return spec.run(node.body)
    item = node.items[position]
    call = item.context_expr
    function, args, keywords = _manager(spec, call)

    def inside() -> None:
        _managed(spec, node, position + 1)

    known = _known(function)
    if is_no_grad(known):
        if item.optional_vars is not None:
            spec.bind_target(item.optional_vars, core.constant(None))
        with constants(spec):
            return inside()
    if function is checkpoints.checkpoint:
        if args or keywords or item.optional_vars is not None:
            raise core.Unsupported(
                "a checkpointed block", "write with checkpoint():", call
            )
        return checkpointed_block(spec, inside)
    if function is contextlib.nullcontext:
        if item.optional_vars is not None:
            given = (*args, *keywords.values(), core.constant(None))
            spec.bind_target(item.optional_vars, given[0])
        return inside()
    if function is contextlib.ExitStack and not (args or keywords):
        return stacked(spec, node, position)
    if function is contextlib.suppress:
        return _suppressed(spec, args, inside)
    if isinstance(function, _Generated):
        return _around(spec, node, position, function, args, keywords)
    if isinstance(function, core.Aggregate | core.Cell) or queries.is_reference(
        function
    ):
        return _entered(spec, node, position, function)
    if isinstance(function, core.Leaf) and is_live_object(known):
        if user_source(getattr(type(known), "__enter__", None)) is not None:
            return _entered(spec, node, position, function)
    if item.optional_vars is not None and core.is_plain_class(function):
        read = _is_read(item.optional_vars, node)
        found = _followed(spec, function, args, keywords, call, read)
        if found is not None:
            return _entered(spec, node, position, found)
    leaves = [leaf for v in (*args, *keywords.values()) for leaf in core.leaves(v)]
    if any(map(_varies, leaves)) or _changes_others(function):
        with spec.at(call):
            made = construction.construct(spec, function, args, keywords)
        if made is not None:
            return _entered(spec, node, position, made)
        raise core.Unsupported(
            "a context manager is made from a value that may vary",
            "make it from constants, or outside of the differentiated function",
            call,
        )
    operation: Any = (
        core.operand_of(function) if isinstance(function, core.Leaf) else None
    )
    if operation is None:
        operation = ir.Apply(
            function,
            tuple(map(core.operand_of, args)),
            tuple((k, core.operand_of(v)) for k, v in keywords.items()),
        )
    passes = function in NEVER_SWALLOWS
    completed = ""
    if not passes:
        completed = spec.fresh("completed").name.replace(".", "_")
        completed = f".{completed}"
        spec.bind(completed, core.constant(False))
    with spec.new_block() as body:
        if item.optional_vars is not None:
            entered = spec.apply(ir.entered_value, (), hint="entered")
            spec.bind_target(
                item.optional_vars, core.Leaf(core.operand_of(entered), ir.OPAQUE)
            )
        hiding = [] if passes else [core.Awaited(None, of_manager=True)]
        with attempts.awaiting(spec, *hiding):
            inside()
        if completed and not spec.unreachable:
            spec.bind(completed, core.constant(True))
    reentered = function is np.errstate and _never_raises(keywords)
    spec.emit(ir.With(spec.span, operation, tuple(body), reentered, not passes))
    if completed and not spec.unreachable:
        _require_completed(spec, completed)


def _known(manager: Any) -> Any:
    """The object itself, of a manager that is known by name."""
    is_known = isinstance(manager, core.Leaf) and isinstance(manager.kind, ir.Known)
    return manager.kind.value if is_known else manager


def _manager(spec: Specialiser, call: ast.expr) -> tuple[Any, Args, Words]:
    """The function that makes a manager and its arguments; or the manager, a value."""
    if not isinstance(call, ast.Call):
        value = spec.evaluate(call)
        if core.is_object(value) or core.is_cell_of_object(value):
            return value, (), {}
        if not isinstance(value, core.Leaf):
            raise core.Unsupported(
                f"{core.describe(value)} is no context manager that can be followed",
                "use an object with __enter__ and __exit__, or a generator under "
                "contextlib.contextmanager",
                call,
            )
        return value, (), {}
    function = spec.evaluate(call.func)
    generated = _generated(function)
    if generated is None and not (
        isinstance(function, core.Leaf) and isinstance(function.kind, ir.Known)
    ):
        raise core.Unsupported(
            f"a context manager made by {core.describe(function)}",
            "use one that is known by name",
            call,
        )
    args: list[core.Value] = []
    for argument in call.args:
        if isinstance(argument, ast.Starred):
            raise core.Unsupported(
                "a starred argument of a context manager", "", argument
            )
        args.append(spec.evaluate(argument))
    keywords = {}
    for keyword in call.keywords:
        if keyword.arg is None:
            raise core.Unsupported("** in the call of a context manager", "", call)
        keywords[keyword.arg] = spec.evaluate(keyword.value)
    made_by = generated or function.kind.value  # type: ignore[union-attr]
    return made_by, tuple(args), keywords


@dataclass(frozen=True)
class _Generated:
    """A generator function under ``contextlib.contextmanager``."""

    source: source_function.SourceFunction
    parent: core.Frame | None
    defaults: dict[str, core.Value] | None


def _generated(function: core.Value) -> _Generated | None:
    """The generator function that a manager is made of, if it is."""
    match function:
        case core.Closure(source=source, frame=frame) if (
            source.module == "contextlib" and source.name == "helper"
        ):
            inner = frame.names.get("func")
            if isinstance(inner, core.Closure):
                return _Generated(inner.source, inner.frame, dict(inner.defaults))
        case core.Leaf(kind=ir.Known(value=known)):
            if getattr(known, "__code__", None) is _MANAGER_CODE:
                wrapped = user_source(known.__wrapped__)
                return None if wrapped is None else _Generated(wrapped, None, None)
    return None


@contextlib.contextmanager
def _any_manager() -> Iterator[None]:
    yield


_MANAGER_CODE = _any_manager.__code__


def _around(
    spec: Specialiser,
    node: ast.With,
    position: int,
    manager: _Generated,
    args: Args,
    keywords: Words,
) -> None:
    """The body of the with statement stands where the manager yields."""
    item = node.items[position]
    source = manager.source
    bound = bind_parameters(spec, source, args, keywords, manager.defaults)
    with spec.at(item.context_expr):  # each has variables of its own
        made = generators.generator(spec, source, bound, manager.parent)
    blocks: list[Any] = []
    before = spec.block

    def body(value: core.Value) -> None:
        blocks.append(spec.block)
        if item.optional_vars is not None:
            spec.bind_target(item.optional_vars, value)
        _managed(spec, node, position + 1)

    drive(spec, spec.iterate(made), body, scopes.assigned_names([node]))
    straight = len(blocks) == 1 and blocks[0] is before
    if not straight and not _yields_once(source):
        places = f"at {len(blocks)} places" if len(blocks) != 1 else "on some paths"
        raise core.Unsupported(
            f"{source.name} yields {places}, and a manager yields once",
            "yield at one place, outside of loops and branches",
            item.context_expr,
        )


def _followed(
    spec: Specialiser, cls: Any, args: Args, keywords: Words, node: ast.AST, read: bool
) -> core.Value | None:
    """A manager as an object; None if it can't be followed, which is refused where it
    is ``read``."""

    def make() -> core.Value | None:
        with spec.at(node):
            made = construction.construct(spec, cls, args, keywords)
            if made is not None:
                _require_plain_exit(made)
        return made

    try:
        return trials.attempt(spec, make)
    except core.Unsupported:
        if read:
            raise
        return None


def _yields_once(source: source_function.SourceFunction) -> bool:
    """True for a generator with one yield that runs once; what it is in may be
    specialised several times."""
    branches = (ast.For, ast.While, ast.If, ast.IfExp, ast.Match, ast.ExceptHandler)
    body: list[ast.stmt] = source.node.body  # type: ignore[assignment]
    scope = list(scopes.nodes_in_scope(body))
    yields = [n for n in scope if isinstance(n, ast.Yield | ast.YieldFrom)]
    within = {inner for n in scope if isinstance(n, branches) for inner in ast.walk(n)}
    if any(isinstance(n, ast.Return) for n in scope):
        return False
    return (
        len(yields) == 1
        and isinstance(yields[0], ast.Yield)
        and (yields[0] not in within)
    )


def _is_read(target: ast.expr, node: ast.With) -> bool:
    """True where a with statement reads what it binds."""
    bound = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
    return any(
        isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in bound
        for statement in node.body
        for n in ast.walk(statement)
    )


def _changes_others(cls: Any) -> bool:
    """True for a manager of the user's class that stores into what isn't its own:
    nobody would see that where it stays in the program."""
    methods = ("__enter__", "__exit__") if core.is_plain_class(cls) else ()
    sources = (user_source(getattr(cls, name, None)) for name in methods)
    return any(_stores_elsewhere(source.node) for source in sources if source)


def _stores_elsewhere(function: Any) -> bool:
    own = {*parameter_names(function), *scopes.assigned_names(function.body)}
    return any(
        isinstance(part, ast.Global)
        or (
            isinstance(part, ast.Attribute | ast.Subscript)
            and isinstance(part.ctx, ast.Store)
            and _root_of(part) not in own
        )
        for part in ast.walk(function)
    )


def _root_of(target: ast.expr) -> str | None:
    while isinstance(target, ast.Attribute | ast.Subscript):
        target = target.value
    return target.id if isinstance(target, ast.Name) else None


def _varies(leaf: core.Leaf) -> bool:
    return ir.is_real_number_kind(leaf.kind) and not rules.is_static(leaf.kind)


def _entered(
    spec: Specialiser, node: ast.With, position: int, manager: core.Value
) -> None:
    """``with manager``, an object that is followed."""
    item = node.items[position]
    with spec.at(item.context_expr):
        _require_plain_exit(manager)
    name = f".{spec.fresh('manager').name.replace('.', '_')}"
    spec.bind(name, manager)
    held = core.leaves(spec.frame.names[name])
    spec.read_again |= {leaf.operand for leaf in held}  # behind the body

    def call(method: str, *args: ast.expr) -> ast.Call:
        owner = ast.Attribute(ast.Name(name, ast.Load()), method, ast.Load())
        return ast.Call(owner, list(args), [])

    def placed(part: Any) -> Any:
        return ast.fix_missing_locations(ast.copy_location(part, item.context_expr))

    entered = spec.evaluate(placed(call("__enter__")))
    if item.optional_vars is not None:
        spec.bind_target(item.optional_vars, entered)
    rest = node.items[position + 1 :]
    body = node.body
    if rest:
        body = [ast.copy_location(ast.With(rest, node.body), node)]
    left = ast.Expr(call("__exit__", *[ast.Constant(None) for _ in range(3)]))
    spec.run([ast.copy_location(ast.Try(body, [], [], [placed(left)]), node)])
    spec.frame.names.pop(name, None)


def _require_plain_exit(manager: core.Value) -> None:
    """``__exit__`` must do the same whether the body raises or not, and hide
    nothing."""
    cls = objects.class_of(manager)
    methods = [getattr(cls, name, None) for name in ("__enter__", "__exit__")]
    source = user_source(methods[1]) if all(methods) else None
    if source is None:
        raise core.Unsupported(
            f"with {core.describe(manager)}, whose __enter__ and __exit__ aren't known",
            "use a generator under contextlib.contextmanager",
        )
    _, *others = parameter_names(source.node)
    for part in ast.walk(source.node):
        read = isinstance(part, ast.Name) and part.id in others
        hides = isinstance(part, ast.Return) and not _is_false(part.value)
        if read or hides:
            raise core.Unsupported(
                f"the __exit__ of {core.describe(manager)} asks for the exception, or "
                "hides it",
                "use a try statement, or a generator under contextlib.contextmanager",
            )


def _is_false(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and not node.value)


def parameter_names(node: Any) -> list[str]:
    """The names of all parameters of a function, in order."""
    words = node.args
    listed = [*words.posonlyargs, *words.args, *words.kwonlyargs]
    return [a.arg for a in (*listed, words.vararg, words.kwarg) if a is not None]


def _never_raises(keywords: Words) -> bool:
    kinds = map(core.kind_of, keywords.values())
    return all(
        rules.is_static(k) and rules.static_value(k) in ("ignore", "warn", "print")
        for k in kinds
    )


def _suppressed(spec: Specialiser, args: Args, inside: Any) -> None:
    """``with suppress(E): body`` is ``try: body`` with ``except E: pass``."""
    caught = args[0] if len(args) == 1 else core.aggregate_of(args)
    types, awaited = core.operand_of(caught), core.Awaited(caught)
    frames = spec.frames_at_stake()
    body, points = attempts.attempted(spec, frames, [awaited], inside)
    orelse: list[ir.Statement] = []
    handler: list[ir.Statement] = []
    ends = [(handler, attempts.joined_names(spec, frames, points.states, "suppress"))]
    if not spec.unreachable:
        ends.append((orelse, [dict(frame.names) for frame in frames]))
    spec.start_path(frames, attempts.names_behind(spec, frames, ends, "suppress"))
    handled = (ir.Handler(types, tuple(handler)),)
    spec.emit(ir.Try(spec.span, tuple(body), handled, tuple(orelse), ()))


def _require_completed(spec: Specialiser, flag: str) -> None:
    """A manager that swallowed an exception: how far its body came isn't known."""
    value = core.single(spec.frame.names.pop(flag))
    message = (
        "a context manager swallowed an exception, so the derivative of its body isn't "
        "known; catch the exception inside of the with block"
    )
    test = core.Leaf(value.operand, ir.BOOL)
    spec.raise_unless(test, RuntimeError, message)
