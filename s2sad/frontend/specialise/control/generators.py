"""Generator functions: the consumer's code stands at each ``yield``.

A call gives an iterator. When it is consumed, the generator's body is run like that of
an inlined function; where it yields, the body of its one consumer runs::

    def squares(x):                        for v in x:
        for v in x:                            total = total + v * v
            yield v * v            ->
                                           y = total
    y = sum(squares(x))

A consumer that leaves early sets a flag; the generator returns at the yield then.
"""

import ast
import copy
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.core.work import DEEPEST_CALL, Call
from s2sad.frontend.specialise.iteration.iteration import drive
from s2sad.frontend.specialise.recursion.under_way import RecursionFound, note_recursion
from s2sad.source.normalise.jumps import without_jumps
from s2sad.source.text.scopes import assigned_names, nodes_in_scope, remembered
from s2sad.source.text.source_function import SourceFunction

LEFT = ".left"
"""In a generator's activation: whether its consumer has left."""
GIVEN = ".given"
"""In a generator's activation: what a yield gives that is bound to a name next."""
_sorts: WeakKeyDictionary[ast.AST, str] = WeakKeyDictionary()
"""The yields that are statements, and those whose ``value`` is bound."""


def is_generator(source: SourceFunction) -> bool:
    """True for a function that yields."""
    return _yields(source.node)


@remembered
def _yields(node: Any) -> bool:
    body = node.body if isinstance(node.body, list) else [node.body]
    return any(
        isinstance(inner, ast.Yield | ast.YieldFrom) for inner in nodes_in_scope(body)
    )


@remembered
def leaving_at_yields(node: Any) -> list[ast.stmt]:
    """The body of a generator that returns where its consumer has left."""
    return _with_told_yields(node, leaving=True)


@remembered
def never_leaving(node: Any) -> list[ast.stmt]:
    """The body of a generator that runs to its end, whatever its consumer does."""
    return _with_told_yields(node, leaving=False)


def _with_told_yields(node: Any, leaving: bool) -> list[ast.stmt]:
    assert isinstance(node.body, list)
    module = ast.Module(copy.deepcopy(node.body), [])
    written = _Yields(leaving).visit(module).body
    return without_jumps(written, f"{node.name}.generator")


class _Yields(ast.NodeTransformer):
    """``yield x`` as a statement, followed by a test; what it gives is bound behind
    that."""

    def __init__(self, leaving: bool) -> None:
        self.leaving = leaving

    def visit_Expr(self, node: ast.Expr) -> Any:
        if not isinstance(node.value, ast.Yield | ast.YieldFrom):
            return node
        _sorts[node.value] = "statement"
        return [node, *self._leave_at(node)]

    def visit_Assign(self, node: ast.Assign | ast.AnnAssign | ast.Return) -> Any:
        value = node.value
        if not isinstance(value, ast.Yield | ast.YieldFrom):
            return node
        _sorts[value] = "value"
        given = ast.Assign([ast.Name(GIVEN, ast.Store())], value)
        ast.fix_missing_locations(ast.copy_location(given, node))
        node.value = ast.copy_location(ast.Name(GIVEN, ast.Load()), value)
        return [given, *self._leave_at(node), node]

    visit_AnnAssign = visit_Return = visit_Assign

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return node

    visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]

    def _leave_at(self, node: ast.stmt) -> list[ast.stmt]:
        if not self.leaving:
            return []
        test = ast.Name(LEFT, ast.Load())
        leave = ast.If(test, [ast.Return(ast.Constant(None))], [])
        return [ast.fix_missing_locations(ast.copy_location(leave, node))]


def generator(
    spec: Specialiser,
    source: SourceFunction,
    bound: Mapping[str, core.Value],
    parent: core.Frame | None = None,
) -> core.Lazy:
    """The iterator that a call of a generator function gives."""
    names, place = tuple(bound), spec.place

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Stream:
        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            arguments = dict(zip(names, sources, strict=True))
            stream.returned = _activation(
                spec, source, arguments, body, leave, known, place, parent
            )

        stream = core.Stream(run)
        return stream

    key = source.identity, names, parent
    return core.Lazy("generator", tuple(bound.values()), start, core.Mark(), key=key)


def _activation(
    spec: Specialiser,
    source: SourceFunction,
    arguments: Mapping[str, core.Value],
    body: core.Body,
    leave: core.Exit | None,
    known: bool,
    place: ast.AST,
    parent: core.Frame | None,
) -> core.Value:
    """Run a generator, and its consumer at each yield; what it returns."""
    consumer = spec.frame
    statements = leaving_at_yields(source.node)
    names = assigned_names(statements) | set(arguments)
    if len(spec.trail) > DEEPEST_CALL:
        raise core.Unsupported("calls are nested too deeply", "write a loop")
    # a helper may call it for loops in one another, which have variables of their own
    outer, told = consumer.runs_over, (source.identity, place)
    key = (source, "generator", place, consumer.key, outer.count(told))
    frame = core.Frame(
        source, local_names=frozenset(names) | {LEFT}, key=key, parent=parent
    )
    for name in sorted(names):
        spec.name_variable(key, "", name)
    around = spec.trail, spec.active

    def of_consumer(item: core.Value) -> None:
        within = spec.trail, spec.active
        spec.trail, spec.active = around
        try:
            body(item)
        finally:
            spec.trail, spec.active = within

    frame.generator = Running(of_consumer, leave, known)
    try:
        note_recursion(spec, frame, dict(arguments))
    except RecursionFound:
        gathered = spec.facts.gathered | {source.identity}
        spec.learn(replace(spec.facts, gathered=gathered))
        raise core.Learned from None
    call = Call(consumer.source.name, consumer.source, place)
    spec.trail, spec.active = [*spec.trail, call], [*spec.active, frame]
    consumer.runs_over = (*outer, told)
    try:
        with spec.inside(frame):
            spec.note_shared(frame, statements)
            for name, value in arguments.items():
                spec.bind(name, value)
            frame.names[LEFT] = core.constant(False)
            with spec.work.within(consumer.source, place, source):
                spec.run(statements)
    finally:
        spec.trail, spec.active = around
        consumer.runs_over = outer
    return core.constant(None) if frame.result is None else frame.result


class Running:
    """The consumer of a generator that runs."""

    def __init__(self, body: core.Body, leave: core.Exit | None, known: bool) -> None:
        self.body, self.leave, self.known = body, leave, known

    def takes(self, iterator: core.Value) -> core.Value | None:
        """What ``yield from`` gives, where the consumer itself runs the iterator."""


@core.expression(ast.Yield)
def yield_value(spec: Specialiser, node: ast.Yield) -> core.Value:
    value = core.constant(None) if node.value is None else spec.evaluate(node.value)
    running, frame = _running(spec, node)
    running.body(spec.held(value, ()))
    _note_left(spec, frame, running)
    return core.constant(None)


@core.expression(ast.YieldFrom)
def yield_from(spec: Specialiser, node: ast.YieldFrom) -> core.Value:
    running, frame = _running(spec, node)
    iterator = spec.evaluate(node.value)
    returned = running.takes(iterator)
    if returned is not None:
        _note_left(spec, frame, running)
        return returned
    items = spec.iterate(iterator)
    names = set(frame.names) & {LEFT}
    given = ""
    if _sorts[node] == "value":
        given = f".{spec.fresh('returned').name.replace('.', '_')}"
        spec.bind(given, core.constant(None))
        if isinstance(items, core.Stream):
            items, names = _returning(spec, items, given), names | {given}
    drive(spec, items, running.body, names, leave=running.leave, known=running.known)
    _note_left(spec, frame, running)
    return frame.names.pop(given) if given else core.constant(None)


def _returning(spec: Specialiser, items: core.Stream, name: str) -> core.Stream:
    """The stream; ``name`` is bound to what its generator returns."""

    def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
        items.run(body, leave, known)
        if not spec.unreachable:
            spec.bind(name, items.returned)

    return core.Stream(run)


def _running(spec: Specialiser, node: ast.AST) -> tuple[Running, core.Frame]:
    if node not in _sorts:
        raise core.Unsupported(
            "a yield inside of a larger expression can't be differentiated",
            "give what it gives a name first: value = yield ...",
        )
    running = getattr(spec.frame, "generator", None)
    if running is None:
        raise core.Unsupported(
            "yield outside of a generator function can't be differentiated"
        )
    return running, spec.frame


def _note_left(spec: Specialiser, frame: core.Frame, running: Running) -> None:
    if running.leave is not None:
        with spec.inside(frame):
            spec.hold(LEFT, running.leave.value())
