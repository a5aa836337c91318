"""What handlers ask of one another, as verbs of the specialiser.

A loop iterates over what a call returns, a call chooses between functions, a choice
runs over items: each would import the others. So what everybody asks is declared here,
at the ground, and defined above by a function of the same name under ``@verb``::

    @verb                                            spec.compare(op, left, right)
    def compare(spec, op, left, right): ...

Handlers import only what stands below them.
"""

import ast
from collections.abc import Callable, Hashable, Mapping, Set
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from s2sad import ir, ops, rules
from s2sad.frontend.specialise.core.activations import Frame
from s2sad.frontend.specialise.core.iterations import Endless, Exit, Iteration
from s2sad.frontend.specialise.core.values import (
    FALSE,
    Aggregate,
    Cell,
    Choice,
    Closure,
    Leaf,
    Method,
    Value,
)
from s2sad.source.text.source_function import SourceFunction

Args = tuple[Value, ...]
Words = dict[str, Value]


class Verbs:
    """What the specialiser does for the handlers of a program."""

    # ---- calls and functions

    def call_value(self, function: Value, args: Args, keywords: Words) -> Value:
        """A call of a value: of a known function, one made inside, a method, an
        object."""

    def call_function(self, function: Any, args: Args, keywords: Words) -> Value:
        """A call of a known function."""

    def call_method(self, method: Method, args: Args, keywords: Words) -> Value:
        """``value.name(...)``."""

    def inline(
        self,
        source: SourceFunction,
        args: Args,
        keywords: Words,
        closure: Closure | None = None,
    ) -> Value:
        """The body of a user function in place of its call."""

    def activation_of(self, source: SourceFunction, parent: Any, bound: Words) -> Frame:
        """The activation of a function that is a program of its own."""

    def expand(self, rule: Callable[..., Any], arguments: Mapping[str, Value]) -> Value:
        """Compile the text of a rule into the current block, with values for its
        parameters."""

    def read_variable(self, owner: Frame, name: str) -> Value:
        """What a name of an activation holds, as the code under way reads it: inside
        of a procedure, variables of other activations are parameters."""

    # ---- operators and attributes

    def operate(self, function: Any, operands: Args) -> Value:
        """An operator on values: on structures and known numbers at once, else as a
        statement. Objects say themselves what it is."""

    def known_operands(
        self,
        function: Callable[..., Any],
        rule: rules.Rule | None,
        args: Args,
        keywords: Mapping[str, Value],
    ) -> tuple[Args, Words]:
        """The operands of an operation as numbers and arrays that its rule knows.

        Raises Unsupported for a foreign one that meets what may vary."""

    def compare(self, op: ast.cmpop, left: Value, right: Value) -> Value:
        """One comparison; identity with None and equality of known values fold."""

    def truth_of(self, value: Value) -> Value | None:
        """What an object is in a test, by ``__bool__`` or ``__len__``, and a list or
        set by its length; None for what has neither."""

    def sparse_product(self, function: Any, operands: Args) -> Value | None:
        """``X @ w`` or ``w @ X``, and ``X * w`` of a ``spmatrix``, for a dense ``w``;
        ``X`` times a constant; None for other operations."""

    def result_as_constant(self, function: Any, args: Args, value: Value) -> Value:
        """The result of an operation in a block of ``no_grad``."""

    def attribute_of(self, value: Value, name: str) -> Value:
        """``value.name``."""

    def read_slot(self, value: Leaf, name: str, kind: ir.Kind) -> Value:
        """What stands in a slot of an object that is kept."""

    def attributes_now(self, dictionary: Method) -> Aggregate:
        """A dict of its own with what the object holds now."""

    def names_in(self, dictionary: Method) -> tuple[str, ...]:
        """The names of the attributes that the object has now, in their order."""

    def has_name(self, dictionary: Method, name: Value) -> Value:
        """``name in vars(x)`` of an object that is kept."""

    def set_operation(self, function: Any, operands: Args) -> Value | None:
        """An operator or comparison between sets; None for others."""

    # ---- choices

    def choose(
        self, test: Value, body: Callable[[], None], orelse: Callable[[], None]
    ) -> None:
        """Run ``body`` or ``orelse``: the one that is known to be taken, or both
        under an If."""

    def select(self, test: Value, body: Any, orelse: Any, hint: str) -> Value:
        """The value of ``body()`` or ``orelse()``, by a test made when the program
        runs."""

    def truth_of_choice(self, choice: Choice, op: ast.cmpop | None = None) -> Value:
        """Whether one of several functions, or None, is one; ``op`` is ``Is()`` for
        the negation."""

    def match_pattern(self, value: Value, pattern: ast.pattern) -> Any:
        """The test of a pattern, and what it binds where the test is true."""

    # ---- iteration

    def iterate(self, value: Value, live: bool = False) -> Iteration:
        """What a value runs over; an iterator is consumed. ``live``: its items stand
        in a list or dict that the loop may change, and sees."""

    def settled(self, part: Any) -> Value:
        """The items of a part of a run-time tuple, as a list or tuple."""

    def own_iterator(self, value: Value) -> Value | None:
        """The iterator of an object; None for what isn't one, and for tuples that are
        iterated over as tuples are."""

    def unfollowed(self, cell: Cell, content: Value) -> Value:
        """What a list holds that is about to be run over: where the loop isn't written
        out, its items aren't followed one by one from now on."""
        raise NotImplementedError

    def known_items(self, items: Iteration) -> Aggregate | None:
        """The items, where there is a known number of them."""

    def mapped(self, items: Iteration, change: Callable[[Value], Value]) -> Iteration:
        """What is made of each item, when it is reached."""

    def any_of(self, items: Iteration, wanted: bool = True) -> Value:
        """Whether one of the items is true; whether all are, where False is wanted."""

    def columns_of(self, function: Value, rows: Value) -> Value | None:
        """``zip(*rows)`` and the like, of rows whose number isn't known; None for
        other calls."""

    def to_fixed_point(
        self, assigned: set[str], run_once: Callable[[Callable[[], None]], Any]
    ) -> tuple[Any, dict[str, ir.Kind]]:
        """Run a loop body until the kinds at its head are stable.

        ``run_once(finish)`` emits and returns the loop's blocks; it calls ``finish``
        at the end of the body. Returns the blocks and the kinds at the head. A name
        that the body reads before it binds it has, at the head, what an earlier
        iteration bound."""

    def unchanged_bounds(self, operands: list[Value], blocks: Any) -> list[ir.Operand]:
        """Loop bounds as operands that the body doesn't change."""

    def zipped(self, *sources: Value, strict: Value = FALSE) -> Iteration:
        """The elements of several iterations side by side."""

    def numbered_without_end(self, items: Endless) -> Iteration:
        """The elements, one after the other."""

    def unless_left(self, leave: Exit | None, run: Callable[[], None]) -> None:
        """Run an iteration that is written out, unless the consumer has left."""

    def check_unchanged(self, mark: int) -> None:
        """Refuse lists and dicts that grew or shrank while they were run over;
        ``mark`` is the length of ``watched`` before."""

    def check_still_held(self, mark: int) -> None:
        """Hold the items of lists and dicts that change in the expression that takes
        them, or refuse them; ``mark`` is the length of ``taken`` before."""

    # ---- items and stores

    def item_of(self, value: Value, index: Value) -> Value:
        """``value[index]``."""

    def item_at(self, value: Value, index: Value) -> Value:
        """``value[index]``, in operands that stay when a list or dict changes."""

    def store(
        self, array: Leaf, index: Value, value: Value, function: Any = ops.stored
    ) -> None:
        """``array[index] = value``, or what ``function`` does there."""

    def bind_target(self, target: ast.expr, value: Value) -> None:
        """Assign a value to a name or to a nested tuple of names."""

    def augmented_part(
        self, node: ast.AugAssign, old: Value, value: Value, name: str
    ) -> Value:
        """The same of an item or attribute: an array that is written into keeps the
        variable that it was read into."""

    # ---- lists, dicts and objects that may change

    def as_cells(
        self, value: Value, title: str = "", outside: str = "", new: bool = False
    ) -> Value:
        """A value with each list, dict or object in it that the program may change as
        a cell of its own. Lists and dicts that aren't ``new`` may be items of what
        holds them by value: they can't be changed."""

    def by_value(
        self, value: Value, inside: tuple[Any, ...] = (), partly: bool = False
    ) -> Value:
        """The value with each cell in it as the structure that it is now; ``partly``
        where dicts may have keys that are there on some paths only."""

    def moved(self, value: Value) -> Value:
        """A value for a list that holds its items by value: cells in it can't be used
        by their own names any more."""

    def read_itself(self, value: Value) -> Value:
        """A reference to what is surely a number, array or text as that."""

    def keep_objects(self, value: Any, surely: bool = False) -> None:
        """Where an object can't be followed as a cell: specialise the program again,
        with the objects of its class kept as they are. Does nothing for what isn't
        such a cell. In a run that learned facts names may hold two cells for one
        object: they count only if it is ``surely`` so, whatever names hold."""

    def keep_functions(self, before: Value, after: Value) -> None:
        """Where a loop makes ever more functions by one text: let them be records."""

    def keep_nested(self, before: Value, after: Value) -> None:
        """Where what an expression made is put into another that it makes, ever
        deeper, from one iteration or call to the next: keep all that are of its
        sort."""

    def keep_alike(self, *values: Value) -> None:
        """Where tuples of one class and length that hold unlike things stand in one
        list: keep all of them, in one form. A list stands for its items."""

    def kept_if_refused(self, *values: Value | None) -> AbstractContextManager[None]:
        """Where an object among the values can't be held as what it is, keep the
        objects of its class."""

    def kept_container(self, held: ir.Kind, value: Value) -> Value:
        """A list or tuple that gets its place where such a kind is held, as the run
        keeps it; other values as they are."""

    def made_where_kept(self, value: Value, makers: Set[Hashable]) -> Value:
        """A list or dict that an expression made, as the run keeps it, if it does."""

    def at_its_time(self, function: Any, args: Args) -> Any:
        """What asks something of an object that a library gave: where the program
        changes such objects, an operation that isn't moved or done again."""

    def fill(self, owner: Leaf, content: Value) -> None:
        """Put the items of a list whose length only the run knows into one that is kept
        and holds none yet."""

    def put_under_key(self, owner: Leaf, key: Leaf, value: Value) -> None:
        """``owner[key] = value`` of a dict that is kept and may not have the key."""

    def put_into_new(
        self, owner: Leaf, key: Leaf, value: Value, may_have: bool
    ) -> None:
        """The same of a dict that is being made, which nothing else leads to."""

    def kept_record(self, cls: type, held: Mapping[str, Value]) -> Value:
        """A record of a class that the compiler made, with these attributes."""

    def content_of(self, cell: Cell) -> Value:
        """What a list or dict holds now, as a structure or a list of unknown length;
        its operands change when the cell does."""

    def contents(self, value: Value, at_once: bool = True) -> Value:
        """A list or dict that may change as what it holds now; other values as they
        are. ``at_once``: Python takes the items before anything else is computed."""

    def set_content(
        self, cell: Cell, value: Value, resized: bool = True, shifted: bool = True
    ) -> None:
        """Let a list or dict hold a content; ``resized`` where items came or went,
        ``shifted`` where others than the last."""

    def held_from_cells(self, value: Value) -> Value:
        """A value in operands that stay when any list, dict or object changes."""

    def value_at(self, cell: Cell) -> Value:
        """What stands at a place now."""

    def store_at(self, cell: Cell, value: Value, resized: bool) -> None:
        """Let something else stand at a place; ``resized`` for a list that grew or
        shrank."""

    def both_lists(self, first: Value, second: Value) -> Value:
        """``first + second``, of lists of which the length of one isn't known."""

    def display(self, parts: list[tuple[bool, Value]], constructor: type) -> Value:
        """``[*first, second]`` or ``(*first, second)`` where the length of what is
        unpacked isn't known; each part is a list, or an item."""

    def hold_sets(self, *values: Value) -> None:
        """Let sets among values, and in these, be held by the run: they are put where
        only the run knows what stands. Raises Learned or Unsupported if there are."""

    def set_held(self, value: Value) -> Value:
        """A set as one that the run holds; other values as they are."""

    # ---- derivatives and equations inside of the program

    def nested_jacobian(
        self,
        procedure: ir.Procedure,
        given: list[Leaf],
        active: tuple[str, ...],
        direction: str,
        count: int | None,
    ) -> tuple[list[Leaf], list[Leaf]]:
        """The results of a program, and the Jacobian of each real one of the first
        ``count`` with respect to each of the parameters ``active``. An empty
        ``direction`` is chosen by ranks."""

    def found_call(self, args: Args, words: Words) -> Value:
        """What a call of ``found_by`` becomes."""

    def integral_call(self, args: Args, words: Words) -> Value:
        """What a call of ``integral_by`` becomes."""

    def trajectory_call(self, args: Args, words: Words) -> Value:
        """What a call of ``trajectory_by`` becomes: times that the solver chooses
        between the ends of the span don't vary."""

    def solved(self, args: Args) -> Value:
        """What a call of ``states_by`` becomes in a derivative."""


Definition = TypeVar("Definition", bound=Callable[..., Any])


def verb(definition: Definition) -> Definition:
    """Let a function be what the specialiser does for the verb of its name."""
    if definition.__name__ not in vars(Verbs):
        raise TypeError(f"{definition.__name__} isn't declared among the verbs")
    setattr(Verbs, definition.__name__, definition)
    return definition
