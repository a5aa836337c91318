"""The state of a specialisation: where statements go, what names hold, what was
read."""

from __future__ import annotations

import ast
import itertools
import operator
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from s2sad.errors import Problem, UnsupportedError
from s2sad.frontend.scopes import names_written_outside
from s2sad.frontend.source import SourceFunction
from s2sad.frontend.specialise.values import (
    Aggregate,
    Choice,
    Closure,
    Draft,
    Leaf,
    Method,
    Missing,
    Partial,
    Selector,
    Value,
    is_function,
    leaves,
    map_leaves,
    parts_of,
    with_parts,
)
from s2sad.ir.kinds import BOOL, OPAQUE, Kind
from s2sad.ir.nodes import (
    Apply,
    Assign,
    Const,
    Global,
    If,
    Operand,
    Span,
    Statement,
    Var,
    may_raise,
    pack_tuple,
)


class SpecialiseOnValue(Exception):
    """The kind of something depends on the number passed at ``path`` in the
    arguments."""

    def __init__(self, path: Hashable) -> None:
        super().__init__(path)
        self.path = path


class AxesAssumedEqual(Exception):
    """Two axes of arguments are combined elementwise, and neither's length is known.

    Compiled without a call, they are assumed to be equal; a check at entry raises
    otherwise.
    """

    def __init__(self, first: Hashable, second: Hashable) -> None:
        super().__init__(first, second)
        self.first, self.second = first, second


class Unsupported(Exception):
    """One problem; collected by the statement it occurs in."""

    def __init__(self, node: ast.AST | None, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.node, self.reason, self.advice = node, reason, advice


class NothingFollows(Exception):
    """An expression never gives a value: on every path it raises. ``unreachable`` is
    set; what is left of the block is not run."""


@dataclass(frozen=True)
class Read:
    """Something of the user's module or closure that compilation read; dispatch checks
    it."""

    resolver: Any
    name: str
    attributes: tuple[str, ...]
    value: Any


@dataclass(frozen=True)
class LiveObject:
    """Stands for the resolver where an attribute of a class or object was read that no
    name of a module leads to."""

    value: Any


_serials = itertools.count()


@dataclass(eq=False)
class Frame:
    """One activation of a user function."""

    source: SourceFunction
    names: dict[str, Value] = field(default_factory=dict)
    prefix: str = ""
    """Put before the names of an inlined function's variables where they would
    collide."""
    local_names: frozenset[str] = frozenset()
    result: Value | None = None
    parent: Frame | None = None
    """The activation that a nested function or comprehension was written in; its names
    are seen as they are when they are read."""
    written_by_others: frozenset[str] = frozenset()
    """Own names that nested functions and comprehensions may bind."""
    key: Hashable = None
    """What its variables belong to, if not to all activations of the source: closures
    made in it may read them when it has ended."""
    rebound: frozenset[str] = frozenset()
    """Names bound at more than one place."""
    global_names: frozenset[str] = frozenset()
    """Names declared global."""
    caller: Frame | None = None
    generator: Any = None
    """Of a generator that runs: its consumer."""
    called_with: tuple[Hashable, ...] = ()
    """Which functions it got as arguments."""
    form: Hashable = None
    """The structure and kinds of its arguments."""
    serial: int = field(default_factory=_serials.__next__)
    """Later activations have a higher one."""

    def owner(self, name: str) -> Frame | None:
        """The activation whose local variable a name is; None for a global one."""
        if name in self.global_names:
            return None
        frame: Frame | None = self
        while frame is not None and name not in frame.local_names:
            if name in frame.names:
                break
            frame = frame.parent
        return frame


@dataclass(eq=False)
class RaisePoints:
    """What names hold at the places of a try where something may raise."""

    frames: list[Frame]
    catches_unbound: bool = False
    """A handler is run where a name is read that has no value."""
    states: list[list[dict[str, Value]]] = field(default_factory=list)

    def note(self) -> None:
        """Something may raise now."""
        state = [dict(frame.names) for frame in self.frames]
        if not self.states or self.states[-1] != state:
            self.states.append(state)


class Context:
    """The state shared by the handlers of statements and expressions."""

    def __init__(self, source: SourceFunction, *, static: bool = False) -> None:
        self.static = static
        """True for transpiling: nothing of the user's program is live."""
        self.block: list[Statement] = []
        self.frame = Frame(source)
        self.active = [self.frame]
        """The activations under way, the latest last."""
        self.trail: list[tuple[str, SourceFunction, int]] = []
        self.problems: list[Problem] = []
        self.reads: list[Read] = []
        self.spellings: dict[Any, str] = {}
        """How the user's module spells a function or module."""
        self.temporaries: set[str] = set()
        self.user_names: set[str] = set()
        self.read_again: set[Operand] = set()
        """Temporaries that more than one name is bound to."""
        self.reserved_names: set[str] = set()
        """The names that the functions under way assign somewhere."""
        self._variables: dict[tuple[Hashable, ...], str] = {}
        self.head_kinds: dict[int, dict[str, Kind]] = {}
        """Kinds of the variables that a loop carries, by identity of the loop."""
        self.derived = False
        """True while rules are compiled: algebra may be simplified, nothing is
        checked."""
        self.span: Span | None = None
        self.main_span = source.span_of(source.node)
        self.global_kinds: dict[Global, Kind] = {}
        self.cells: dict[str, Any] = {}
        """Captured variables of inlined functions, under the names the output gives
        them."""
        self.objects: dict[str, Any] = {}
        """Live objects that the output reads, under the names it gives them."""
        self.places: dict[int, tuple[str, str]] = {}
        """Path and module that lead to an object, by its identity."""
        self._tags: dict[Hashable, str] = {}
        self._tagged: list[Value] = []
        """The functions themselves, kept since keys hold identities."""
        self.main_resolver = source.resolver
        self.main_module = source.module
        self.main_node = source.node
        self.argument_symbols: set[Hashable] = set()
        """Axis symbols of arguments and data."""
        self.many_symbols: set[Hashable] = set()
        """Axis symbols known not to be of length one."""
        self.facts: dict[Operand, tuple[frozenset[Operand], frozenset[Operand]]] = {}
        """What the tests of the statement under way say of values that may be None."""
        self.rebound: frozenset[str] = frozenset()
        """Names that assignment expressions of the statement under way bind."""
        self.raise_points: list[RaisePoints] = []
        """One for each try around."""
        self.unreachable = False
        """True behind a raise: nothing that follows on this path is run."""
        self.procedures: dict[Any, Any] = {}
        """Functions that call themselves, by the form of their arguments."""
        self.procedure: Any = None
        """The one under way."""
        self.kinds_of_inlined: dict[str, Kind] = {}
        """Kinds of the variables of programs that are written out."""
        self.enclosing_procedures: dict[Any, Any] = {}
        """The one that was under way when another was met."""
        self.recompute = True
        """Whether reverse programs may recompute what is cheap."""
        self.private_residuals = False
        """Whether residuals of procedures must share no memory with anything else."""
        self.recursive: set[int] = set()
        """Definitions of functions that call themselves."""
        self.serials = _serials
        self.wish = ""
        """The name that the value of the list comprehension under way is bound to."""
        self.consumed: frozenset[object] = frozenset()
        """Marks of the iterators that have run."""
        self.loop_bodies = 0
        """How many bodies of loops are under way."""
        self.bound_later: frozenset[tuple[Frame, str]] = frozenset()
        """Names that the loops under way may bind, by activation."""
        self.unbound_reads: set[tuple[Frame, str]] = set()
        """Those of them that were read before anything bound them."""
        self.shared_frames: list[Frame] = []
        """Activations of which nested functions and comprehensions bind names."""
        self._counts: dict[str, int] = {}
        self._trails: dict[Span, tuple[str, ...]] = {}
        """The calls that led to a statement of an inlined function."""
        self._loops = 0

    # ---------------------------------------------------------------- activations

    @contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        """Work in another activation."""
        outer, self.frame = self.frame, frame
        try:
            yield
        finally:
            self.frame = outer

    def frames_at_stake(self) -> list[Frame]:
        """The activations whose names the code under way may bind."""
        shared = [f for f in self.shared_frames if f is not self.frame]
        return [self.frame, *shared]

    def note_shared(self, frame: Frame, body: list[ast.stmt]) -> None:
        """Remember an activation whose names nested functions may bind."""
        frame.written_by_others = frame.local_names & names_written_outside(body)
        if frame.written_by_others:
            self.shared_frames.append(frame)

    def start_path(self, frames: list[Frame], names: list[dict[str, Value]]) -> None:
        """Go on with other names, as at the start of a branch or iteration."""
        for frame, held in zip(frames, names, strict=True):
            frame.names = dict(held)
        self.unreachable = False

    @contextmanager
    def binding_later(
        self, frames: list[Frame], names: list[set[str]]
    ) -> Iterator[set[tuple[Frame, str]]]:
        """While the body of a loop is run, which binds these names: collect those that
        it reads before anything binds them."""
        self.loop_bodies += 1
        outer = self.bound_later, self.unbound_reads
        bound = {
            (f, name) for f, own in zip(frames, names, strict=True) for name in own
        }
        self.bound_later, self.unbound_reads = outer[0] | bound, set()
        try:
            yield self.unbound_reads
        finally:
            self.loop_bodies -= 1
            outer[1].update(self.unbound_reads)
            self.bound_later, self.unbound_reads = outer

    @contextmanager
    def raising(
        self, frames: list[Frame], catches_unbound: bool = False
    ) -> Iterator[RaisePoints]:
        """Collect what the names hold wherever the statements inside may raise."""
        points = RaisePoints(frames, catches_unbound)
        self.raise_points.append(points)
        try:
            yield points
        finally:
            self.raise_points.remove(points)

    # ---------------------------------------------------------------- variables

    def fresh(self, hint: str) -> Var:
        """A new temporary; the emitter gives it its final name."""
        count = self._counts[hint] = self._counts.get(hint, 0) + 1
        name = f"{hint}.{count}"
        self.temporaries.add(name)
        return Var(name)

    def fresh_owner(self, what: Hashable) -> tuple[Hashable, int]:
        """A new owner for axis symbols."""
        self._loops += 1
        return (what, self._loops)

    def variable(self, name: str, path: tuple[Hashable, ...] = ()) -> Var:
        """The variable that holds a user's name, or an item of the structure it is
        bound to."""
        prefix = self.frame.prefix
        key = (self.frame.key or self.frame.source, prefix, name, *path)
        text = self._variables.get(key)
        if text is None:
            text = prefix + name
            if name.startswith(".") and prefix:
                text = f".{prefix.strip('.')}{name}"
            if path or (prefix and not text.startswith(".")):
                text = self._unused_name((text, *path))
            self._variables[key] = text
        if text.startswith("."):
            self.temporaries.add(text)
        else:
            self.user_names.add(text)
        return Var(text)

    def name_variable(self, key: Hashable, prefix: str, name: str) -> None:
        """Give a comprehension's own name a variable that nothing else has."""
        if (key, prefix, name) in self._variables:
            return
        taken = {*self._variables.values(), *self.reserved_names}
        text, count = prefix + name, 1
        while text in taken:
            count += 1
            text = f"{prefix}{name}~{count}"
        self._variables[key, prefix, name] = text

    def read_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Let dispatch check what a live object or class holds under a name."""
        if not self.derived:
            self.reads.append(Read(LiveObject(owner), "", (name,), value))

    # ---------------------------------------------------------------- emission

    def emit(self, statement: Statement) -> None:
        """Append a statement to the current block."""
        if self.trail and statement.span is not None:
            self._trails.setdefault(statement.span, self._calls())
        if self.raise_points and may_raise(statement):
            for points in self.raise_points:
                points.note()
        self.block.append(statement)

    def assign(self, target: Var, value: Apply | Operand, kind: Kind) -> Leaf:
        """Append ``target = value``."""
        if self.facts:
            self.facts = {
                test: known
                for test, known in self.facts.items()
                if target not in known[0] and target not in known[1]
            }
        self.emit(Assign(self.span, target, value, kind, self.derived))
        return Leaf(target, kind)

    @contextmanager
    def new_block(self) -> Iterator[list[Statement]]:
        """Collect the statements emitted inside, up to a point that nothing gets
        beyond."""
        outer, self.block = self.block, []
        try:
            yield self.block
        except NothingFollows:
            pass
        finally:
            self.block = outer

    def bind(self, name: str, value: Value) -> None:
        """Assign a value to a user's name: each of its leaves to a variable of its
        own."""
        owner = self.frame.owner(name) or self.frame
        procedure = self.procedure
        if procedure is not None and owner.serial < procedure.details.first_serial:
            raise Unsupported(
                None,
                f"{procedure.__name__} calls itself and assigns {name!r} of the "
                "function around it",
                "return the new value, and assign it where the recursion starts",
            )
        if owner is not self.frame:
            with self.inside(owner):
                self.bind(name, value)
            return
        if name in self.frame.global_names:
            raise Unsupported(
                None,
                f"{name!r} is a global variable, and storing into it can't be "
                "differentiated",
                "return the new value",
            )
        if isinstance(value, Missing | Draft):
            self.frame.names[name] = value
            return
        rebound = name.startswith(".") or name in self.frame.rebound
        told_apart = rebound and not self.derived
        if told_apart:
            value = self._as_choices(value)
        if isinstance(value, Leaf):
            value = self._bind_leaf(value, self.variable(name))
        else:
            value = self._bind_parts(name, value)
        self.frame.names[name] = _with_selectors(value) if told_apart else value

    def _bind_parts(self, name: str, value: Value) -> Value:
        self.shared([value])
        targets: dict[tuple, Var] = {}

        def note_target(leaf: Leaf, path: tuple) -> Leaf:
            targets.setdefault(path, self.variable(name, path))
            return leaf

        map_leaves(value, note_target)
        written = set(targets.values())

        def copy_if_overwritten(leaf: Leaf, path: tuple) -> Leaf:
            if leaf.operand in written and leaf.operand != targets[path]:
                return self.assign(self.fresh("previous"), leaf.operand, leaf.kind)
            return leaf

        value = self.copied(value, copy_if_overwritten)
        return self.copied(
            value, lambda leaf, path: self._bind_leaf(leaf, targets[path])
        )

    def copied(
        self, value: Value, copy: Callable[[Leaf, tuple], Leaf], path: tuple = ()
    ) -> Value:
        """The value with each leaf copied. What one of several functions keeps is
        copied where that one is chosen: else it may have no value."""
        if isinstance(value, Leaf):
            return copy(value, path)
        if not isinstance(value, Choice):
            parts = [
                self.copied(part, copy, (*path, key)) for key, part in parts_of(value)
            ]
            same = all(a is b for a, (_, b) in zip(parts, parts_of(value), strict=True))
            return value if same else with_parts(value, tuple(parts))
        value = replace(value, which=copy(value.which, path))
        options = []
        for tag, option in value.options:
            with self.new_block() as block:
                option = self.copied(option, copy, (*path, tag))
            if block and len(value.options) > 1:
                test = self.is_option(value, tag)
                self.emit(If(self.span, test.operand, tuple(block), ()))
            else:
                self.block += block
            options.append((tag, option))
        return replace(value, options=tuple(options))

    def is_option(self, choice: Choice, tag: Hashable) -> Leaf:
        """The test that a choice is this one."""
        from s2sad.frontend.specialise.comparisons import contains

        which = choice.which.operand
        if isinstance(tag, tuple):
            operation = Apply(contains, (which, pack_tuple(*map(Const, tag))))
        else:
            same = operator.is_ if tag is None else operator.eq
            operation = Apply(same, (which, Const(tag)))
        return self.assign(self.fresh("condition"), operation, BOOL)

    def _as_choices(self, value: Value) -> Value:
        """The value with each function in it as a choice of one, so that a variable
        will hold its name and functions bound on different paths are told apart."""
        if isinstance(value, Aggregate):
            parts = tuple(self._as_choices(part) for _, part in parts_of(value))
            return with_parts(value, parts)
        if not is_function(value) or _holds_choice(value):
            return value
        tag = self.tag_of(value)
        return Choice(Leaf(Const(tag), OPAQUE), ((tag, value),))

    def tag_of(self, function: Value) -> str:
        """A name for a known function, different from those of others."""
        key = function_key(function)
        if key not in self._tags:
            wish = _plain_name(function)
            tag, count = wish, 1
            while tag in self._tags.values():
                count += 1
                tag = f"{wish} {count}"
            self._tags[key] = tag
            self._tagged.append(function)
        return self._tags[key]

    def shared(self, values: Iterable[Value], times: int = 1) -> None:
        """Note the temporaries that are bound several times when each of the values is
        bound ``times`` times."""
        counts = Counter(leaf.operand for v in values for leaf in leaves(v))
        self.read_again |= {o for o, count in counts.items() if count * times > 1}

    def held(self, value: Value, assigned: Iterable[str]) -> Value:
        """The value in operands that stay as they are when names are assigned anew."""
        written = self.variables_of(assigned)

        def copy(leaf: Leaf, path: tuple) -> Leaf:
            if leaf.operand not in written:
                return leaf
            assert isinstance(leaf.operand, Var)
            target = self.fresh(leaf.operand.name)
            self.assign(target, leaf.operand, leaf.kind)
            return Leaf(target, leaf.kind, leaf.path)

        return self.copied(value, copy)

    def _unused_name(self, key: tuple[Hashable, ...]) -> str:
        """``params_w`` for ``params["w"]``, unless that means something else."""
        wish = "_".join(part for part in map(str, key) if part)
        wish = "".join(c if c.isalnum() or c in "_.:" else "_" for c in wish)
        taken = {*self._variables.values(), *self.reserved_names}
        text, count = wish, 1
        while text in taken:
            count += 1
            text = f"{wish}_{count}"
        return text

    def variables_of(self, names: Iterable[str]) -> set[Operand]:
        """The variables that hold the user's names, items of structures included."""
        found: set[Operand] = set()
        for name in names:
            found.add(self.variable(name))
            if name in self.frame.names:
                found |= {leaf.operand for leaf in leaves(self.frame.names[name])}
        return {operand for operand in found if isinstance(operand, Var)}

    def _bind_leaf(self, leaf: Leaf, target: Var) -> Leaf:
        operand = leaf.operand
        if operand == target:
            return leaf
        if isinstance(operand, Const) and not _is_plain(operand.value):
            return leaf  # functions, modules and dtypes live at compile time alone
        last = self.block[-1] if self.block else None
        if (
            isinstance(last, Assign)
            and last.target == operand
            and isinstance(operand, Var)
            and operand.name in self.temporaries
            and operand not in self.read_again
            and isinstance(last.value, Apply)
        ):
            self.block[-1] = replace(last, target=target)
        else:
            self.assign(target, operand, leaf.kind)
        return Leaf(target, leaf.kind, leaf.path)

    # ---------------------------------------------------------------- problems

    def report(self, problem: Unsupported, statement: ast.AST) -> None:
        """Keep a problem; all of a function's problems are raised together."""
        found: Any = problem.node
        node = found if hasattr(found, "lineno") else statement
        self.problems.append(
            self.frame.source.problem(
                node, problem.reason, problem.advice, self._calls()
            )
        )

    def raises(self, problem: Unsupported) -> NoReturn:
        """What is evaluated raises, from what is known so far. In a loop the kinds at
        its head may change still: nothing that follows is run in this iteration, and
        the problem is one only if it stays."""
        if not self.loop_bodies or self.derived:
            raise problem
        assert problem.node is not None
        self.report(problem, problem.node)
        self.unreachable = True
        raise NothingFollows

    def _calls(self) -> tuple[str, ...]:
        return tuple(
            f"{name} ({caller.filename}:{at})"
            for name, caller, at in reversed(self.trail)
        )

    def report_at(self, problem: Unsupported, span: Span | None) -> None:
        """Keep a problem found after the syntax is gone, at the place a statement came
        from."""
        if span is None:
            span = self.main_span
        lines = (
            self.frame.source.lines
            if span.filename == self.frame.source.filename
            else ()
        )
        text = lines[span.line - 1] if 0 < span.line <= len(lines) else ""
        end = span.end_column if span.end_line == span.line else len(text)
        found = Problem(
            problem.reason,
            problem.advice,
            span.filename,
            span.line,
            span.column,
            max(end, span.column + 1),
            text or span.statement,
            self._trails.get(span, ()),
        )
        self.problems.append(found)

    def raise_problems(self) -> None:
        """Raise UnsupportedError if there were problems."""
        if self.problems:
            raise UnsupportedError(tuple(self.problems))


def _holds_choice(value: Value) -> bool:
    """True for a function made of one that isn't known."""
    return any(
        isinstance(part, Choice) or _holds_choice(part) for _, part in parts_of(value)
    )


def _with_selectors(value: Value) -> Value:
    """The value with functions in place of choices of one, which note the variables
    that hold their names."""
    if isinstance(value, Aggregate):
        return with_parts(value, tuple(_with_selectors(v) for _, v in parts_of(value)))
    if not isinstance(value, Choice) or len(value.options) > 1:
        return value
    ((tag, function),) = value.options
    if not isinstance(function, Leaf | Closure | Partial | Method):
        return value
    return replace(function, selector=Selector(value.which.operand, str(tag)))


def function_key(value: Value) -> Hashable:
    """The same for functions that differ in nothing but the values they hold."""
    match value:
        case Leaf(operand=Const(value=known)):
            return id(known)
        case Closure(source=source, frame=frame):
            return (source, frame)
        case Partial():
            words = tuple(word for word, _ in value.keywords)
            inner = tuple(function_key(a) for a in value.args)
            return (function_key(value.function), inner, words)
        case Method():
            return (value.name, function_key(value.receiver))
        case Aggregate():
            items = tuple(map(function_key, value.items))
            return (value.constructor, value.keys, items)
    cls: Any = type(value)
    return cls


def _plain_name(function: Value) -> str:
    """The name of a function, as its variable holds it."""
    while isinstance(function, Partial):
        function = function.function
    if isinstance(function, Method):
        return function.name
    if isinstance(function, Closure):
        name = function.source.name
    else:
        known = getattr(function, "operand", Const(None)).value
        name = getattr(known, "__name__", None) or type(known).__name__
    return name.strip("<>")


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(
        value, bool | int | float | complex | str | bytes
    )


Handler = Callable[..., Any]
