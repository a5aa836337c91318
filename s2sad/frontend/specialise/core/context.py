"""The state of a specialisation: where statements go, what names hold, what was
read."""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeGuard, TypeVar

from s2sad import errors, ir, ops
from s2sad.analysis.passes.stored_slots import slots_read, slots_stored
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.core import activations
from s2sad.frontend.specialise.core.activations import (
    Awaited,
    CellFrame,
    Frame,
    RaisePoints,
)
from s2sad.frontend.specialise.core.values import Leaf, Value, leaves, serials
from s2sad.frontend.specialise.core.work import Call, Work
from s2sad.frontend.specialise.derivatives.derivative_programs import DerivativePrograms
from s2sad.source.kinds.kinds_of_values import LONGEST_STRUCTURE
from s2sad.source.text import scopes, source_function

_T = TypeVar("_T")


class Context(core.Verbs):
    """The state shared by the handlers of statements and expressions."""

    def __init__(
        self,
        source: source_function.SourceFunction,
        derivatives: DerivativePrograms,
        options: core.Options,
        facts: core.Facts,
        work: Work,
    ) -> None:
        self.derivatives = derivatives
        """Makes the programs of the derivatives that functions take of others."""
        self.options = options
        self.module = core.ModuleView(source.resolver)
        self.procedures = core.Procedures(written_out=set(options.written_out))
        self.known = facts
        """What was known of the program before this run."""
        self.facts = facts
        """What is known by now."""
        self.asked: dict[Hashable, Any] = {}
        """Numbers among the arguments that decide kinds, which this run asked for."""
        self.turned: dict[Any, tuple[Value, Value]] = {}
        """Lists, dicts and objects that were treated by value before it did, with the
        cells that they are since."""
        self.given: Mapping[str, Value] = {}
        """The arguments, as they enter the program."""
        self.holders: dict[ir.Operand, ir.Operand] = {}
        """The arguments for which copies, and lists of the program's own, stand, by
        these."""
        self.changed_cells: set[CellFrame] = set()
        self.kinds_given: list[ir.Kind] = []
        """Of the arguments."""
        self.taken_apart: set[type] = set()
        """The classes of objects that were made and taken apart, which are kept where
        they are given."""
        self.loop_starts: list[int] = []
        """For each loop around: activations made in this iteration have a higher
        serial."""
        self.is_refused = False
        """True where there are problems other than that the program itself raises."""
        self.differ: set[type] = set()
        """``list`` and ``dict``, where a name was read that holds different ones, or
        one and None, on different paths."""
        self.holds_arguments = False
        """True while lists, dicts and objects that are given become cells."""
        self.makers: dict[Hashable, core.Cell] = {}
        self.factories: dict[Hashable, core.Value] = {}
        """The expressions that make lists and dicts, with one that each made."""
        self.put_into_lists: dict[type, set[Hashable]] = {}
        """The expressions that made lists and dicts which stand by value in lists whose
        length isn't known, by class."""
        self.froze = False
        """True where some list or dict was taken not to change."""
        """Those that the program changes, after they were made."""
        self.compared_cells: set[CellFrame] = set()
        """Those that ``a is b`` took for different objects."""
        self.given_cells: list[CellFrame] = []
        """Those that the derivative under way is given."""
        self.watched: list[Any] = []
        """The lists and dicts that are run over, see ``cells.Watch``."""
        self.resizes: Counter[Hashable] = Counter()
        """How often lists were resized that are kept where they stand, by their forms;
        under None by calls that may do so."""
        self.slot_stores: Counter[str] = Counter()
        """How often there were stores into slots of what is kept, see
        ``stored_slots.slots_stored``."""
        self.taken: list[tuple[CellFrame, int]] = []
        """The cells whose items the expression under way uses, with their changes."""
        self.slice_bounds: dict[Hashable, tuple[Leaf, frozenset[str]]] = {}
        """Variables of slices' bounds, with the variables that they depend on; of the
        lines since paths last parted or met."""
        self.title = ""
        """The name that the value under way is bound to."""
        self.wanted_title = ""
        """The same, for what the expression under way makes before it gives it."""
        self.work = work
        self.block: list[ir.Statement] = []
        self.frame = self.main_frame = Frame(source)
        self.active = [self.frame]
        """The activations under way, the latest last."""
        self.trail: list[Call] = []
        self.problems: list[errors.Problem] = []
        self.refused_anyway: list[errors.Problem] = []
        """Those that were found before anything could come of a call that is kept."""
        self.temporaries: set[str] = set()
        self.user_names: set[str] = set()
        self.parts: set[str] = set()
        """The variables of what stands in structures under the user's names."""
        self.read_again: set[ir.Operand] = set()
        """Temporaries that more than one name is bound to."""
        self.made: list[tuple[str, str | None]] = []
        """The variables of temporaries and of texts of rules in the order in which they
        were made, with what the former were named after."""
        self.reserved_names: set[str] = set()
        """The names that the functions under way assign somewhere."""
        self._variables: dict[tuple[Hashable, ...], str] = {}
        self._taken: set[str] = set()
        """What they are called."""
        self._last_of_wish: dict[str, int] = {}
        self.derived = False
        self.computes_complex = False
        """True while rules are compiled: algebra may be simplified, nothing is
        checked."""
        self.constants = False
        """True in a block of ``no_grad``: what operations give is a constant."""
        self.span: ir.Span | None = None
        self.main_span = source.span_of(source.node)
        self.called: ast.expr | None = None
        """The expression of the function that is called next."""
        self.opaque_items: set[ir.Operand] = set()
        """What was taken out of lists and tuples that nobody has looked into."""
        self.holds_arrays: set[ir.Operand] = set()
        """What functions of NumPy and SciPy gave: what is taken out of it needn't be a
        number."""
        self.classes_asked: dict[ir.Operand, tuple[Any, ...]] = {}
        """What ``type(x)`` may be of numbers and arrays."""
        self.opaque_classes: dict[ir.Operand | None, type] = {}
        """The classes of opaque values, where they are known."""
        self.keys_of: dict[ir.Operand, ir.Operand] = {}
        """Keys that were taken out of dicts, with these."""
        self.constant: set[ir.Operand] = set()
        """Variables of which nothing is known but that they don't vary."""
        self._tags: dict[Hashable, str] = {}
        self._tagged: defaultdict[str, list[Value]] = defaultdict(list)
        """The functions themselves by their plain names, kept since keys hold
        identities."""
        self.argument_symbols: set[Hashable] = set()
        """Axis symbols of arguments and data."""
        self.many_symbols: set[Hashable] = set()
        """Axis symbols known not to be of length one."""
        self.presence: dict[ir.Operand, tuple[frozenset[Any], frozenset[Any]]] = {}
        """What the tests of the statement under way say of values that may be None, or
        of one of several forms."""
        self.told_slots = False
        """Whether names hold what is known of slots of run-time values."""
        self.rebound: frozenset[str] = frozenset()
        """Names that assignment expressions of the statement under way bind."""
        self.raise_points: list[RaisePoints] = []
        """One for each try around."""
        self.unreachable = False
        """True behind a raise: nothing that follows on this path is run."""
        self.kinds_of_inlined: dict[str, ir.Kind] = {}
        """Kinds of the variables of programs that are written out."""
        self.retained: dict[str, Any] = {}
        """Local variables whose adjoints are asked for."""
        self.has_keyed_heaps = False
        self.serials = serials
        self.wish = ""
        """The name that the value of the list comprehension under way is bound to."""
        self.consumed: frozenset[object] = frozenset()
        """Marks of the iterators that have run."""
        self.repeated_since = -1
        """What was made before the repeated code under way has a lower serial."""
        self.eager_iteration_under_way: list[Any] = []
        """The iterators that run before their consumer."""
        self.gathered: set[str] = set()
        """The variables of lists in which the function itself gathers what generators
        yield."""
        self.eager_iteration: list[Any] = []
        """Those that have run, and read arrays."""
        self.unmet: dict[tuple[Frame, str], Any] = {}
        """Why names can't hold as one list, dict or set what paths leave in them."""
        self.forgotten: set[tuple[Frame, str]] = set()
        """Names that are unknown because of a problem, by activation."""
        self.forgotten_before: list[set[tuple[Frame, str]]] = []
        """The same of what stands in front of each loop that is run."""
        self.loop_bodies = 0
        """How many bodies of loops are under way."""
        self.caught: list[Awaited] = []
        """What is caught by the try statements whose bodies are under way, and by
        managers."""
        self.handlers_under_way = 0
        self.bound_later: frozenset[tuple[Frame, str]] = frozenset()
        """Names that the loops under way may bind, by activation."""
        self.unbound_reads: set[tuple[Frame, str]] = set()
        """Those of them that were read before anything bound them."""
        self.read_by_caches: dict[Hashable, dict[Frame, tuple[int, ...]]] = {}
        """How often the lists, dicts and objects had changed that a cached function
        reads, when it was called first."""
        self.copied_together: list[frozenset[Frame]] = []
        """The lists, dicts and objects of which one deep copy makes copies."""
        self.copies_lists_together = False
        """A deep copy makes copies of lists that are held by value, or of what a
        procedure is given: any two may be one and the same."""
        self.arrays_cached: set[str] = set()
        """Variables that cached functions read."""
        self.lacked: dict[Frame, set[str]] = {}
        """Attributes that an object made before the repeated code under way was asked
        for in it, and lacks."""
        self.made_late: dict[Frame, set[str]] = {}
        """Those that it gets there."""
        self.half_named: set[tuple[Frame, str]] = set()
        """Names that some path left without a value, by activation."""
        self.half_bound: dict[int, Any] = {}
        """Values that names have on some paths of an iteration alone, by identity: on
        the others the names have what an earlier iteration bound."""
        self.phi_copies: list[ir.Statement] = []
        """Those that paths end with where they meet."""
        self.carried: set[str] = set()
        """Variables that an iteration may have from an earlier one alone."""
        self.shared_frames: list[Frame] = []
        """Activations of which nested functions and comprehensions bind names."""
        self.consumers: list[tuple[Frame, frozenset[str], bool]] = []
        """Those of which what runs over an iterator binds names, each with the names
        that others bound before, and whether it was shared."""
        self._counts: dict[str, int] = {}
        self._trails: dict[ir.Span, tuple[Call, ...]] = {}
        """The calls that led to a statement of an inlined function."""
        self.owners = 0
        """How many axes have been given symbols of their own."""
        self.texts = 0
        """How many texts of rules and programs have been written out."""
        self.rule_texts: dict[Hashable, Any] = {}
        """What texts of rules became, by the forms of their arguments."""

    # ---------------------------------------------------------------- facts

    @property
    def has_learned(self) -> bool:
        """True where the run found out more: what it makes is thrown away."""
        return self.facts is not self.known

    def learn(self, facts: core.Facts) -> None:
        """Go on with more facts. What follows takes nothing of the budget, and ends
        early where it leads nowhere."""
        if self.asked:
            raise core.SpecialiseOnValue(*self.asked)
        if not self.has_learned:
            self.work = self.work.apart()
        self.facts = facts

    def learn_changing(self, cls: type) -> bool:
        """The program changes values of a class; False where that was known before the
        run."""
        if cls not in self.facts.changing:
            self.learn(self.facts.with_changing(cls))
        return cls not in self.known.changing

    def make_iterator_object(self, iterator: core.Lazy) -> None:
        """Only the run knows how many items were taken of an iterator."""
        if iterator.site is not None:
            sites = self.facts.iterators | {iterator.site}
            self.learn(replace(self.facts, iterators=sites))

    def may_ask(self, value: Value) -> TypeGuard[Leaf]:
        """True for a number passed in, on which the program may be specialised."""
        passed = isinstance(value, Leaf) and value.path is not None
        return passed and not self.options.static

    def ask(self, leaf: Leaf) -> Any:
        """The number passed for an argument that decides a kind: the program is
        specialised again with it. The run goes on to ask for other numbers of the same
        argument."""
        if self.has_learned:
            raise core.Learned
        number = core.value_passed(leaf.path)
        asked = {**self.asked, leaf.path: number}
        if (
            not isinstance(number, bool | int | float)
            or len(set(map(_argument_of, asked))) > 1
        ):
            raise core.SpecialiseOnValue(*self.asked or asked)
        self.asked = asked
        return number

    def ask_for_items(self, *values: Value, whole: bool = False) -> None:
        """Have the program specialised on the items one by one of a list, tuple or dict
        of numbers or arrays, ``whole`` ones alone, that is passed in and decides by
        what it holds, or how much, what the program is. Does nothing where there is no
        such one, or it holds many."""
        for leaf in (leaf for value in values for leaf in leaves(value)):
            item = _kind_of_items(leaf.kind)
            wanted = isinstance(item, ir.Numeric) and not ir.is_promoted(item)
            if whole and item is not None and ir.is_real_number_kind(item):
                wanted = False
            if wanted and self.may_ask(leaf):
                passed = core.value_passed(leaf.path)
                if passed is not None and len(passed) <= LONGEST_STRUCTURE:
                    if self.has_learned:
                        raise core.Learned
                    raise core.SpecialiseOnValue(leaf.path)

    # ---------------------------------------------------------------- activations

    @contextmanager
    def inside(self, frame: Frame) -> Iterator[None]:
        """Work in another activation; in one of the same text, such as that of a
        comprehension, at the same place unless it is at one of its own."""
        outer, self.frame, node = self.frame, frame, frame.node
        if node is None and frame.source is outer.source:
            frame.node = outer.node
        try:
            yield
        finally:
            self.frame, frame.node = outer, node

    @property
    def place(self) -> Any:
        """The part of the text that is run or evaluated now."""
        return self.frame.node or self.frame.source.node

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """What is done stands at a part of the text, and so does a problem, unless it
        is known more exactly."""
        frame = self.frame
        outer, frame.node = frame.node, node
        try:
            yield
        except core.Unsupported as problem:
            if not self.derived:
                problem.node = problem.node or node
            raise
        finally:
            frame.node = outer

    def from_here(self, function: Callable[..., _T]) -> Callable[..., _T]:
        """What is asked for here and done later: it stands at this place."""
        node = self.place

        def later(*args: Any) -> _T:
            with self.at(node):
                return function(*args)

        return later

    def frames_at_stake(self) -> list[Frame]:
        """The activations whose names the code under way may bind."""
        shared = [f for f in self.shared_frames if f is not self.frame]
        return [self.frame, *shared]

    def note_shared(self, frame: Frame, body: list[ast.stmt]) -> None:
        """Remember an activation whose names nested functions may bind."""
        frame.written_by_others = frame.local_names & scopes.names_written_outside(body)
        if frame.written_by_others:
            self.shared_frames.append(frame)

    def start_path(self, frames: list[Frame], names: list[dict[str, Value]]) -> None:
        """Go on with other names, as at the start of a branch or iteration."""
        for frame, held in zip(frames, names, strict=True):
            frame.names = dict(held)
        self.slice_bounds = {}
        self.unreachable = False

    @contextmanager
    def binding_later(
        self, frames: list[Frame], names: list[set[str]]
    ) -> Iterator[set[tuple[Frame, str]]]:
        """While the body of a loop is run, which binds these names: collect those that
        it reads before anything binds them."""
        self.loop_bodies += 1
        since, self.repeated_since = self.repeated_since, next(serials)
        outer = self.bound_later, self.unbound_reads
        bound = {
            (f, name) for f, own in zip(frames, names, strict=True) for name in own
        }
        self.bound_later, self.unbound_reads = outer[0] | bound, set()
        try:
            yield self.unbound_reads
        finally:
            self.loop_bodies -= 1
            self.repeated_since = since
            outer[1].update(self.unbound_reads)
            self.bound_later, self.unbound_reads = outer

    @contextmanager
    def raising(
        self, frames: list[Frame], catches_unbound: bool = False
    ) -> Iterator[RaisePoints]:
        """Collect what the names hold wherever the statements inside may raise."""
        points = RaisePoints(frames, catches_unbound)
        self.procedures.handlers_met = True
        self.raise_points.append(points)
        try:
            yield points
        finally:
            self.raise_points.remove(points)

    # ---------------------------------------------------------------- variables

    def fresh(self, hint: str) -> ir.Var:
        """A new temporary; the emitter gives it its final name."""
        count = self._counts[hint] = self._counts.get(hint, 0) + 1
        return self.temporary(f"{hint}.{count}", hint)

    def temporary(self, name: str, hint: str | None = None) -> ir.Var:
        """A temporary of a name that nothing else has."""
        self.temporaries.add(name)
        self.made.append((name, hint))
        return ir.Var(name)

    def fresh_owner(self, what: Hashable) -> ir.Passing:
        """A new owner for axis symbols. No symbol of a known length is equal to it,
        whatever it is called after: ``("length", 3)`` says that the length is 3."""
        self.owners += 1
        return ir.Passing((("new", what), self.owners))

    def fresh_prefix(self, name: str) -> str:
        """A prefix for the variables of a text that is written out: a program that is
        differentiated again holds some already."""
        self.texts += 1
        return f".{name}.{self.texts}:"

    def variable(self, name: str, path: tuple[Hashable, ...] = ()) -> ir.Var:
        """The variable that holds a user's name, or an item of the structure it is
        bound to."""
        prefix = self.frame.prefix
        path = tuple(part for part in path if part != "")  # of references, rows
        key = (self.frame.key or self.frame.source, prefix, name, *path)
        text = self._variables.get(key)
        if text is None:
            text = prefix + name
            if name.startswith(".") and prefix:
                text = f".{prefix.strip('.')}{name}"
            if path or (prefix and not text.startswith(".")):
                text = self._unused_name((text, *path))
            self._variables[key] = text
            self._taken.add(text)
            self.made.append((text, None))
        if text.startswith("."):
            self.temporaries.add(text)
        else:
            self.user_names.add(text)
        if path:
            self.parts.add(text)
        return ir.Var(text)

    def name_variable(self, key: Hashable, prefix: str, name: str) -> None:
        """Give a comprehension's own name a variable that nothing else has."""
        if (key, prefix, name) in self._variables:
            return
        text = self._free_name(prefix + name, "~")
        self._variables[key, prefix, name] = text
        self._taken.add(text)

    def _unused_name(self, key: tuple[Hashable, ...]) -> str:
        """``params_w`` for ``params["w"]``, unless that means something else."""
        wish = "_".join(_worded(part) for part in map(str, key) if part)
        # a name that the user gave isn't shared, one of another call may be
        return self._free_name(wish, "_" if wish in self.reserved_names else "~")

    def _free_name(self, wish: str, mark: str) -> str:
        """The name itself or with a number, which no variable has yet."""
        text, count = wish, self._last_of_wish.get(wish + mark, 1)
        taken = self._taken, self.reserved_names, self.names_of_parameters()
        while any(text in names for names in taken):
            count += 1
            text = f"{wish}{mark}{count}"
        self._last_of_wish[wish + mark] = max(count - 1, 1)
        return text

    def names_of_parameters(self) -> frozenset[str]:
        """The names of what the procedure under way is given: what is written out in it
        binds none of them."""
        procedure = self.procedures.under_way
        given = () if procedure is None else procedure.details.parameters
        return frozenset(str(parameter.operand) for parameter in given)

    def variables_of(self, names: Iterable[str]) -> set[ir.Operand]:
        """The variables that hold the user's names, items of structures included."""
        found: set[ir.Operand] = set()
        for name in names:
            found.add(self.variable(name))
            if name in self.frame.names:
                found |= {leaf.operand for leaf in leaves(self.frame.names[name])}
        return {operand for operand in found if isinstance(operand, ir.Var)}

    def read_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Let dispatch check what a live object or class holds under a name."""
        if not self.derived:
            self.module.reads.append(
                core.Read(core.LiveObject(owner), "", (name,), value)
            )

    # ---------------------------------------------------------------- emission

    def gathered_here(self) -> set[str]:
        """The variables of the program under way that hold what generators yield."""
        procedure = self.procedures.under_way
        return self.gathered if procedure is None else procedure.details.gathered

    def emit(self, statement: ir.Statement) -> None:
        """Append a statement to the current block."""
        span = statement.span
        if self.trail and span is not None and span not in self._trails:
            self._trails[span] = self._calls()
        if self.raise_points and ir.may_raise(statement):
            for points in self.raise_points:
                points.note()
        if self.facts.resizing:
            called = ir.all_procedures([(statement,)])
            self.resizes[None] += any(p.span in self.facts.resizing for p in called)
        if self.facts.stored and not self.derived:
            apart = self.gathered_here()
            for run in self.eager_iteration_under_way:
                run.note_slots(self, slots_read(statement, apart))
            self.slot_stores.update(slots_stored(statement, apart))
        self.work.spend()
        self.block.append(statement)

    def raise_now(self, *words: Any) -> None:
        """Raise an exception, of a class and with words: nothing follows."""
        operands = tuple(map(ir.Const, words))
        self.emit(ir.Effect(self.span, ir.Apply(ops.raise_exception, operands)))
        self.unreachable = True

    def assign(
        self, target: ir.Var, value: ir.Apply | ir.Operand, kind: ir.Kind
    ) -> Leaf:
        """Append ``target = value``."""
        if self.slice_bounds:
            self.slice_bounds = {
                key: (bound, names)
                for key, (bound, names) in self.slice_bounds.items()
                if target.name not in names
            }
        if self.told_slots:
            for frame in self.frames_at_stake():
                activations.forget_slots(frame, target)
        if self.presence:
            self.presence = {
                test: known
                for test, known in self.presence.items()
                if target not in known[0] and target not in known[1]
            }
        self.emit(ir.Assign(self.span, target, value, kind, self.derived))
        self.note_opaque(target, value)
        return Leaf(target, kind)

    def note_opaque(self, target: ir.Var, value: ir.Apply | ir.Operand) -> None:
        """What is known of an opaque value holds of its copy."""
        own = value if isinstance(value, ir.Var) else None
        for noted in (self.opaque_items, self.holds_arrays):
            if own in noted:
                noted.add(target)
        known = self.opaque_classes.get(own)
        if known is not None:
            self.opaque_classes[target] = known
        else:
            self.opaque_classes.pop(target, None)

    @contextmanager
    def new_block(self) -> Iterator[list[ir.Statement]]:
        """Collect the statements emitted inside, up to a point that nothing gets
        beyond."""
        outer, self.block = self.block, []
        self.slice_bounds = {}
        try:
            yield self.block
        except core.NothingFollows:
            pass
        finally:
            self.block = outer
            self.slice_bounds = {}

    @contextmanager
    def loop_over_places(self, place: ir.Var, count: Leaf) -> Iterator[Leaf]:
        """Emit what is emitted inside as the body of a loop: ``place`` is 0, then 1,
        and at last one less than ``count``."""
        with self.new_block() as body:
            yield Leaf(place, ir.INT)
        first, step = ir.Const(0), ir.Const(1)
        self.emit(ir.For(self.span, place, first, count.operand, step, tuple(body)))

    def _calls(self) -> tuple[Call, ...]:
        """The calls under way, innermost first."""
        return tuple(
            call
            for call in reversed(self.trail)
            if not call.source.is_made and hasattr(call.node, "lineno")  # rules call
        )


def _kind_of_items(kind: ir.Kind | None) -> ir.Kind | None:
    """What all items of a list, tuple or dict are that isn't taken apart."""
    if isinstance(kind, ir.List):
        return kind.item
    if not isinstance(kind, ir.Reference) or kind.may_be_none:
        return None
    uniform = all(form.is_uniform for form in kind.forms)
    return ir.kind_of_slot(kind, ir.EACH) if uniform else None


def _argument_of(path: Any) -> Hashable:
    """The parameter whose structure a path leads into.

    >>> _argument_of((((("roads",), 2), 0)))
    'roads'
    """
    return _argument_of(path[0]) if isinstance(path, tuple) else path


def _worded(part: str) -> str:
    """A part of a name, without what no name may contain: ``a_b`` for ``('a', 'b')``.

    >>> _worded("('a', 'b')"), _worded("_x")
    ('a_b', '_x')
    """
    if re.fullmatch(r"[\w.:]*", part):
        return part
    return re.sub(r"[^\w.:]+", "_", part).strip("_")
