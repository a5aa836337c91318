"""Comprehensions and generator expressions.

A comprehension has a scope of its own, whose parent is the function around it. Where
the number of its items is known, it is written out and its value is a structure; else
a loop builds a list. A generator expression runs when it is consumed: its consumer's
code stands at the place of its element::

    total = sum(v * v for v in x if v > 0)

    total = 0
    for v in x:
        if v > 0:
            total = total + v * v
"""

import ast
from collections.abc import Callable
from typing import Any

from s2sad import ir, ops
from s2sad.frontend.library.iterators import Mapped
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.containers import dict_making
from s2sad.frontend.specialise.control.conditions import evaluate_test
from s2sad.frontend.specialise.control.trials import attempt
from s2sad.frontend.specialise.core.specialiser import Specialiser
from s2sad.frontend.specialise.heap.cells import new_cell
from s2sad.frontend.specialise.iteration import collecting, iteration, unrolling
from s2sad.frontend.specialise.iteration.begun_early import begun_early
from s2sad.frontend.specialise.library_calls.truth import static_truth
from s2sad.frontend.specialise.run_time import queries
from s2sad.source.text import scopes

SHORT = 16
"""Ranges up to this length are written out where a list is made over them."""


class Comprehension:
    """One run of a comprehension or generator expression."""

    def __init__(self, spec: Specialiser, node: Any, outer: core.Frame) -> None:
        self.spec, self.node = spec, node
        targets = {
            name
            for part in node.generators
            for name in scopes.assigned_names([part.target])
        }
        self.targets = targets
        self.walrus = set(scopes.names_bound_in_expressions(node))
        self.outer = outer
        self.first: core.Iteration | None = None
        """What the outermost loop runs over, if that is found already."""
        key = (outer.key or outer.source, "comprehension", node)
        self.frame = core.Frame(
            outer.source,
            prefix=outer.prefix,
            local_names=frozenset(targets),
            parent=outer,
            key=key,
        )
        for name in sorted(targets):
            spec.name_variable(key, outer.prefix, name)

    def run(
        self,
        first: core.Value,
        body: Callable[[], None],
        leave: core.Exit | None,
        known: bool,
    ) -> None:
        """Run ``body`` in the comprehension's scope, once for each item."""
        self.leave, self.known, self.body = leave, known, body
        owners = self._owners()
        with self.spec.inside(self.frame):
            if not owners:
                return self._level(0, first)
            owner, names = owners
            with iteration.binding(self.spec, owner, names):
                self._level(0, first)

    def _owners(self) -> tuple[core.Frame, set[str]] | None:
        """The function whose names assignment expressions inside bind."""
        if not self.walrus:
            return None
        owner = self.outer.owner(next(iter(sorted(self.walrus)))) or self.outer
        return owner, self.walrus

    def items(self, position: int, first: core.Value) -> core.Iteration:
        """What one of the ``for`` parts runs over."""
        part = self.node.generators[position]
        if part.is_async:
            raise core.Unsupported(
                "async for can't be differentiated", "use for", part.iter
            )
        if position == 0 and self.first is not None:
            return self.first
        value = first if position == 0 else self.spec.evaluate(part.iter)
        with self.spec.at(part.iter):
            return self.spec.iterate(value)

    def _level(self, position: int, first: core.Value) -> None:
        """One ``for`` part and those inside it."""
        part = self.node.generators[position]
        items = self.items(position, first)

        def each(item: core.Value) -> None:
            self._bind(part.target, item)
            self._conditions(position, 0)

        with self.spec.at(part.iter):
            iteration.drive(
                self.spec,
                items,
                each,
                self.targets,
                hint=_hint(part.target),
                leave=self.leave,
                known=self.known,
            )

    def elements(self, first: core.Elements) -> core.Elements:
        """A single loop without conditions, as elements at any index."""
        target = self.node.generators[0].target

        def change(item: core.Value) -> core.Value:
            with self.spec.inside(self.frame):
                self._bind(target, item)
                return self.element(self.node.elt)

        return first.mapped(change, _hint(target))

    def is_single_loop(self) -> bool:
        """One ``for`` without conditions, which binds nothing outside."""
        (part, *others) = self.node.generators
        return not (others or part.ifs or self.walrus)

    def _bind(self, target: ast.expr, item: core.Value) -> None:
        spec = self.spec
        if isinstance(target, ast.Name) and isinstance(item, core.Leaf):
            last = spec.block[-1] if spec.block else None
            made_here = getattr(last, "target", None) == item.operand
            # what stands in a list may be replaced while the name is in use
            if not (made_here or self.walrus or spec.facts.changing):
                spec.shared([item], times=2)
                with spec.inside(self.frame):
                    spec.hold(target.id, item)
                return
        spec.bind_target(target, item)

    def _conditions(self, position: int, number: int) -> None:
        part = self.node.generators[position]
        if number == len(part.ifs):
            if position + 1 == len(self.node.generators):
                self.body()
            else:
                self._level(position + 1, core.constant(None))
            return
        test = evaluate_test(self.spec, part.ifs[number])
        if self.known and static_truth(test) is None:
            raise core.NotKnown
        self.spec.choose(
            test, lambda: self._conditions(position, number + 1), lambda: None
        )

    def element(self, node: ast.expr) -> core.Value:
        """The value of an expression, in operands that the next item doesn't
        overwrite."""
        return self.spec.held(self.spec.evaluate(node), self.targets)


def _hint(target: ast.expr) -> str:
    """How the loop's variable is named after the target."""
    return target.id if isinstance(target, ast.Name) else "item"


def first_source(spec: Specialiser, node: Any) -> core.Value:
    """The value of the outermost iterable, which is computed at once."""
    return spec.evaluate(node.generators[0].iter)


@core.expression(ast.GeneratorExp)
def generator_expression(spec: Specialiser, node: ast.GeneratorExp) -> core.Value:
    source = first_source(spec, node)
    plain = lambda: lazy_elements(spec, node, source)  # noqa: E731
    as_lambda = _as_lambda(node)
    if as_lambda is None:
        return begun_early(spec, plain())

    def as_object() -> core.Value:
        change = spec.evaluate(as_lambda)
        return spec.call_function(Mapped, (change, source), {})

    return iteration.begun_anywhere(spec, (source,), plain, as_object)


@scopes.remembered
def _as_lambda(node: Any) -> ast.Lambda | None:
    """What ``(f(x) for x in xs)`` makes of an item; None for others."""
    part = node.generators[0]
    target = part.target
    if len(node.generators) > 1 or part.ifs or not isinstance(target, ast.Name):
        return None
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(node.elt)):
        return None
    at = {name: getattr(target, name) for name in target._attributes}
    argument = ast.arg(target.id, **at)
    parameters = ast.arguments([], [argument], None, [], [], None, [])
    return ast.copy_location(ast.Lambda(parameters, node.elt), node)


def lazy_elements(
    spec: Specialiser, node: Any, source: core.Value | None = None
) -> core.Lazy:
    """A generator expression, or a list comprehension that is consumed at once."""
    outer = spec.frame

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Iteration:
        inner = Comprehension(spec, node, outer)
        if inner.is_single_loop():
            items = inner.items(0, sources[0])
            items = unrolling.looped(spec, items)
            if isinstance(items, core.Elements):
                return inner.elements(items)
            inner.first = items

        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            inner.run(sources[0], lambda: body(inner.element(node.elt)), leave, known)

        return core.Stream(run)

    source = first_source(spec, node) if source is None else source
    return core.Lazy("generator", (source,), start, core.Mark(), key=(node, outer))


@core.expression(ast.ListComp)
def list_comprehension(spec: Specialiser, node: ast.ListComp) -> core.Value:
    wish, spec.wish = free_wish(spec, node), ""
    lazy = lazy_elements(spec, node)
    source = lazy.sources[0]

    def collected() -> core.Value:
        short = _is_short(source)
        return collecting.collected(spec, lazy, short=short, wish=wish)

    maker = spec.frame.source.span_of(node)
    form = spec.facts.kept.get(maker)
    if form is not None and spec.raise_points:
        wish = ""  # in a try a name holds one kind of list: the one that is kept
    try:
        return attempt(spec, collected)
    except core.Unsupported:  # a list by value may not hold such items
        if form is None or form.constructor is not list:
            spec.makers.setdefault(maker, new_cell(spec, list))
            raise
        empty = ir.Apply(ops.make_object, (ir.Const(list), ir.Const(())))
        target = spec.fresh(spec.wanted_title or "items")
        made = spec.assign(target, empty, ir.Reference((form,)))
        spec.fill(made, lazy_elements(spec, node, source))
        return made


def free_wish(
    spec: Specialiser, node: ast.ListComp | ast.SetComp | ast.DictComp
) -> str:
    """The name that a list, set or dict is about to get, if building it doesn't read
    what the name holds now."""
    used = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    own = spec.wish in spec.frame.local_names and spec.wish not in used
    shared = spec.wish in spec.frame.written_by_others
    return spec.wish if own and not shared else ""


@core.expression(ast.DictComp)
def dict_comprehension(spec: Specialiser, node: ast.DictComp) -> core.Value:
    wish, spec.wish = free_wish(spec, node), ""
    outer = spec.frame

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> core.Stream:
        def run(body: core.Body, leave: core.Exit | None, known: bool) -> None:
            inner = Comprehension(spec, node, outer)

            def pair() -> None:
                key = inner.element(node.key)
                body(core.aggregate_of((key, inner.element(node.value))))

            inner.run(sources[0], pair, leave, known)

        return core.Stream(run)

    source = first_source(spec, node)
    lazy = core.Lazy("generator", (source,), start, core.Mark())
    once = _gives_keys_once(node, source)
    return dict_making.dict_of_pairs(spec, lazy, wish, once)


def _gives_keys_once(node: ast.DictComp, source: core.Value) -> bool:
    """True where the keys are those of another dict, or numbers of a range."""
    first, *others = node.generators
    names: ast.expr = first.target
    if isinstance(names, ast.Tuple):
        names = names.elts[0]
        views: tuple[str, ...] = (f"{core.VIEW}items",)
        given = isinstance(source, core.Lazy) and source.what in views
    else:
        given = isinstance(source, core.Lazy) and source.what == "range"
        given |= queries.is_dict(source)
    if not isinstance(names, ast.Name) or others:
        return False
    return given and isinstance(node.key, ast.Name) and node.key.id == names.id


def _is_short(value: core.Value) -> bool:
    """False for a range that is better looped over."""
    if isinstance(value, core.Lazy) and value.what == "range":
        if all(core.is_known(s) for s in value.sources):
            numbers = range(*(core.known_value(s) for s in value.sources))
            return len(numbers) <= SHORT
    return True
