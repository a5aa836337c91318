"""What the specialiser knows of a value: its kind, and the operands that hold it at run
time."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

from s2sad import ir
from s2sad.source.text.source_function import SourceFunction

serials = itertools.count()
"""What was made later has a higher one."""


@ir.quickly_made
@dataclass(frozen=True, slots=True)
class Leaf:
    """A value held by one operand."""

    operand: ir.Operand
    kind: ir.Kind
    path: Hashable = None
    """Where in the arguments the value comes from, so that its number can be asked
    for."""
    selector: Selector | None = field(default=None, compare=False)
    """Of a known function: the variable that tells it from others."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A variable that holds the name of the function that a user's name is bound to, on
    this path."""

    operand: ir.Operand
    tag: str


@ir.quickly_made
@dataclass(frozen=True, slots=True)
class Aggregate:
    """A structure whose items are followed one by one."""

    constructor: type
    keys: tuple[Hashable, ...]
    items: tuple[Value, ...]
    maker: Hashable = field(default=None, compare=False, repr=False)
    """The expression that made it, if that is known."""
    size: int = field(init=False, compare=False, repr=False)
    """How many values it holds, those in its items included."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", 1 + sum(map(size_of, self.items)))

    def item(self, key: Hashable) -> Value:
        """The item under a key; raises KeyError."""
        alike = self.constructor is dict  # in which True and 1.0 are the key 1
        for known, value in zip(self.keys, self.items, strict=True):
            if known == key and (alike or type(known) is type(key)):
                return value
        raise KeyError(key)


class Rows:
    """Marks an Aggregate that is a list of structures whose length isn't known: one
    structure that holds a list for each item."""


class TupleRows(Rows):
    """Such a tuple of structures."""


ROWS: dict[type, type[Rows]] = {list: Rows, tuple: TupleRows}


ROW = ""
"""The only key of such a list: its parts are named after what they hold of an item."""


class Keys(tuple):
    """Marks an Aggregate that is the keys of a dict: run over like a tuple, compared
    like a set."""


class Partly:
    """Marks an Aggregate that is what a dict holds of which some keys are there on some
    paths only."""


class OptionalEntry:
    """Marks an Aggregate that is what stands under a key that may not be there, as
    lists hold it: the text that says whether it is, and the value, or a zero."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method looked up on a value, not called yet."""

    receiver: Value
    name: str
    selector: Selector | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Closure:
    """A function made inside the program: a lambda or nested ``def``."""

    source: SourceFunction
    frame: Any
    """The activation it was made in, whose names it reads when it is called."""
    defaults: tuple[tuple[str, Value], ...] = ()
    """The values of its defaults by parameter, computed when it was made."""
    made: object = field(default=None, compare=False)
    """Tells it from other functions made by the same text."""
    selector: Selector | None = field(default=None, compare=False)
    cached: bool = field(default=False, compare=False)
    """True where it gives the same object for the same arguments."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A function with its first arguments: ``functools.partial``, a bound method."""

    function: Value
    args: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...] = ()
    selector: Selector | None = field(default=None, compare=False)
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        held = (self.function, *self.args, *(value for _, value in self.keywords))
        object.__setattr__(self, "size", 1 + sum(map(size_of, held)))


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several functions; which one is known when the program runs."""

    which: Leaf
    """A name, None, or an index."""
    options: tuple[tuple[Hashable, Value], ...]
    """What the function is for each value of ``which``; a tuple stands for any of the
    values in it."""
    complete: bool = True
    """There are no other values."""
    size: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        held = (value for _, value in self.options)
        object.__setattr__(self, "size", 1 + sum(map(size_of, held)))


@dataclass(frozen=True, eq=False)
class Lazy:
    """An iterator that hasn't run (``zip``, ``map``, a generator), or a ``range``."""

    what: str
    """What it is, for messages."""
    sources: tuple[Value, ...]
    """The values it was made of."""
    start: Callable[[Any, tuple[Value, ...]], Any]
    """``start(spec, sources)`` says what it runs over, see ``iteration``."""
    token: Mark | None = None
    """Marks it as run; None for what may be run over again."""
    made_in: Any = field(default=None, compare=False)
    """The block of the program in which it was made, if ``next`` may take items one
    after the other there."""
    key: Hashable = field(default=None, compare=False)
    """What ``start`` does, so that another of the same key may take its place; None
    where nothing tells."""
    site: Any = field(default=None, compare=False)
    """The call of ``iter`` that made it, if that may make an object instead."""


@dataclass(frozen=True, eq=False)
class Part(Lazy):
    """Items of a run-time tuple, the first source, that are read where they are used,
    with others around them, the further sources. See ``run_time/records.py``."""

    bounds: tuple[int | None, ...] = ()
    """The places between which they stand, as those of a slice."""
    constructor: type = tuple
    """Of which class they are a value, ``list`` or ``tuple``."""
    front: int = 0
    """So many of the others stand in front of them."""


@dataclass(frozen=True, eq=False)
class Item(Part):
    """One item of a run-time tuple, at the first of the places, that is read where its
    name is: when more may be known of the form that the tuple has."""


VIEW = "view of "
"""How what ``d.values()`` and the like give is called."""


def is_view(value: Value) -> TypeGuard[Lazy]:
    """True for ``d.keys()``, ``d.values()`` and ``d.items()``."""
    return isinstance(value, Lazy) and value.what.startswith(VIEW)


@dataclass(eq=False, slots=True)
class Mark:
    """Tells whether an iterator has run; those made later have a higher serial."""

    serial: int = field(default_factory=serials.__next__)


@dataclass(frozen=True, slots=True)
class Cell:
    """A list, dict or object that the program may change: all names that hold the cell
    see what it holds now."""

    constructor: type
    frame: Any
    """An activation of its own. Its names are the attributes of an object; that of a
    list or dict holds its content, a structure or a list of unknown length."""
    selector: Selector | None = field(default=None, compare=False)
    """The variable that tells it from other cells that the name may hold."""


@dataclass(frozen=True, slots=True)
class Super:
    """``super()``: the attributes of the classes behind ``owner``."""

    owner: type
    receiver: Value


@dataclass(frozen=True, slots=True)
class Missing:
    """A name that can't be read, with the reason."""

    reason: str
    advice: str
    cls: Any = None
    """The class of the object that can't be followed here."""
    unjumped: tuple[tuple[ir.Operand, Any], ...] = ()
    """Flags of jumps, each with what the name is where the flag is false."""
    keeps: tuple[Any, ...] | None = None
    """The expression that made a list or dict, and as what that can be kept to be
    followed."""


CONTAINERS = (list, dict, set, deque)
"""Classes of which a cell holds one content, whatever its items are."""

Value = (
    Leaf
    | Aggregate
    | Method
    | Closure
    | Partial
    | Choice
    | Lazy
    | Cell
    | Super
    | Missing
)
FUNCTIONS = (Closure, Partial, Method)


def size_of(value: Value) -> int:
    """How many values a value holds, itself included; what a cell or a function made in
    the program holds counts by itself."""
    if isinstance(value, Aggregate | Partial | Choice):
        return value.size
    return 1


def constant(value: Any) -> Leaf:
    """A value known at compile time."""
    if type(value) in (bool, int, float, complex):
        return Leaf(ir.Const(value), ir.Scalar(type(value).__name__, value))
    return Leaf(ir.Const(value), ir.Known(value))


def single(value: Value) -> Leaf:
    """What an operation gives that has one result."""
    assert isinstance(value, Leaf)
    return value


FALSE, NOTHING = constant(False), constant(None)


def aggregate_of(items: tuple[Value, ...], constructor: type = tuple) -> Aggregate:
    """A tuple or list of values."""
    return Aggregate(constructor, tuple(range(len(items))), items)


def is_pair(value: Value | None) -> TypeGuard[Aggregate]:
    """True for a tuple or list of two."""
    return (
        isinstance(value, Aggregate)
        and value.constructor in (tuple, list)
        and len(value.items) == 2
    )


def slice_of(lower: Value, upper: Value, step: Value) -> Aggregate:
    """A slice; None for a bound left out."""
    return Aggregate(slice, ("lower", "upper", "step"), (lower, upper, step))


def kind_of(value: Value, around: tuple[Any, ...] = ()) -> ir.Kind:
    """The kind of a value. ``around`` are the activations of what holds it: what holds
    itself is opaque there."""
    if isinstance(value, Leaf):
        return value.kind
    if isinstance(value, Aggregate):
        items = tuple(kind_of(item, around) for item in value.items)
        return ir.Structure(value.constructor, value.keys, items)
    if isinstance(value, Cell):
        frame = value.frame
        if frame.place is not None or any(frame is outer for outer in around):
            return ir.OPAQUE
        content = frame.names.get(frame.title)
        return ir.OPAQUE if content is None else kind_of(content, (*around, frame))
    if isinstance(value, Choice):
        return ir.OPAQUE
    return ir.Known(value)


class NoOperand(TypeError):
    """A value that lives at compile time alone stands where the program needs one."""

    def __init__(self, value: Value) -> None:
        super().__init__(f"no operand for {describe(value)}")
        self.value = value


def operand_of(value: Value) -> ir.Operand:
    """The operand that stands for a value; raises NoOperand for methods and missing
    values."""
    if isinstance(value, Leaf):
        return value.operand
    if isinstance(value, Aggregate):
        if list_in(value) is not None:
            raise NoOperand(value)
        if value.constructor is slice:
            bounds = [operand_of(item) for item in value.items]
            return ir.Slice(*(None if b == ir.Const(None) else b for b in bounds))
        return ir.Pack(
            value.constructor, value.keys, tuple(map(operand_of, value.items))
        )
    raise NoOperand(value)


def leaves(value: Value) -> Iterator[Leaf]:
    """The leaves of a value, in order."""
    if isinstance(value, Leaf):
        yield value
    else:
        for _, part in parts_of(value):
            yield from leaves(part)


def parts_of(value: Value) -> tuple[tuple[Hashable, Value], ...]:
    """What a value holds, with a key for each: the items of a structure, the arguments
    that a function keeps."""
    match value:
        case Leaf():  # most values are
            return ()
        case Aggregate():
            return tuple(zip(value.keys, value.items, strict=True))
        case Closure():
            return value.defaults
        case Partial():
            args = tuple(enumerate(value.args))
            return (("function", value.function), *args, *value.keywords)
        case Method() | Super():
            return (("self", value.receiver),)
        case Choice():
            return (("", value.which), *value.options)
        case Lazy():
            return tuple(enumerate(value.sources))
    return ()


def with_parts(value: Value, parts: tuple[Value, ...]) -> Value:
    """The value with other parts, in the order of :func:`parts_of`."""
    match value:
        case Aggregate():
            return replace(value, items=parts)
        case Closure():
            names = (name for name, _ in value.defaults)
            return replace(value, defaults=tuple(zip(names, parts, strict=True)))
        case Partial():
            function, *rest = parts
            count = len(value.args)
            names = (name for name, _ in value.keywords)
            words = tuple(zip(names, rest[count:], strict=True))
            return replace(
                value, function=function, args=tuple(rest[:count]), keywords=words
            )
        case Method() | Super():
            return replace(value, receiver=parts[0])
        case Lazy():
            return replace(value, sources=parts)
        case Choice():
            which, *options = parts
            assert isinstance(which, Leaf)
            tags = (tag for tag, _ in value.options)
            return replace(
                value, which=which, options=tuple(zip(tags, options, strict=True))
            )
    return value


def map_leaves(value: Value, change: Callable[[Leaf], Value]) -> Value:
    """The value with each leaf changed."""
    return map_with_paths(value, lambda leaf, path: change(leaf))


def map_with_paths(
    value: Value, change: Callable[[Leaf, tuple], Value], path=()
) -> Value:
    """The same; ``change`` takes the leaf and its path of keys."""
    if isinstance(value, Leaf):
        return change(value, path)
    parts = parts_of(value)
    if not parts:
        return value
    whole = value.which if isinstance(value, Choice) else None
    changed = tuple(
        map_with_paths(part, change, path if part is whole else (*path, key))
        for key, part in parts
    )
    if all(new is old for new, (_, old) in zip(changed, parts, strict=True)):
        return value
    return with_parts(value, changed)


def is_function(value: Value) -> bool:
    """True for what can be called and isn't a structure."""
    if isinstance(value, Leaf):
        known = value.kind.value if isinstance(value.kind, ir.Known) else None
        return isinstance(value.operand, ir.Const) and callable(known)
    return isinstance(value, FUNCTIONS)


def is_rows(value: Value) -> bool:
    """True for a list or tuple of structures whose length isn't known."""
    cls = value.constructor if isinstance(value, Aggregate) else None
    return isinstance(cls, type) and issubclass(cls, Rows)


def is_slice(value: Value | None) -> TypeGuard[Aggregate]:
    """True for ``a:b:c``."""
    return isinstance(value, Aggregate) and value.constructor is slice


def list_in(value: Value) -> Leaf | None:
    """A list as long as a list of structures whose length isn't known; None for other
    values."""
    return next(leaves(value)) if is_rows(value) else None


def class_called(constructor: Any) -> Any:
    """The class that the program knows what has a constructor by."""
    return _CALLED.get(constructor, constructor)


_CALLED: dict[Any, type] = {
    **{Rows: list, TupleRows: tuple},
    **{Partly: dict, Keys: type({}.keys())},
}


def is_object(value: Value) -> bool:
    """True for an instance of a class that isn't a tuple, list, dict or the like."""
    if not isinstance(value, Aggregate):
        return False
    cls = value.constructor
    if not isinstance(cls, type):  # of a module that is only read
        return True
    plain = (tuple, list, dict, set, frozenset, slice, range, str)
    marks = (Rows, Partly, OptionalEntry)
    return not issubclass(cls, (*plain, *marks)) if cls is not slice else False


def is_cell_of_object(value: Value) -> bool:
    """True for an object of a user's class that may change."""
    if not isinstance(value, Cell):
        return False
    cls = value.constructor
    return not isinstance(cls, type) or not issubclass(cls, CONTAINERS)


def holds_cell(value: Value) -> bool:
    """True for a cell and for a structure with one in it."""
    return isinstance(value, Cell) or any(holds_cell(p) for _, p in parts_of(value))


def frames_of_cells(value: Value, inside: tuple[Any, ...] = ()) -> Iterator[Any]:
    """The activations of the cells in a value, and of those that these hold."""
    parts = [part for _, part in parts_of(value)]
    if isinstance(value, Cell):
        yield value.frame
        if value.frame in inside:
            return
        inside = (*inside, value.frame)
        parts = list(value.frame.names.values())
    for part in parts:
        yield from frames_of_cells(part, inside)


def holds_object(value: Value) -> bool:
    """True for an object and for a structure with one in it."""
    return is_object(value) or (
        isinstance(value, Aggregate) and any(map(holds_object, value.items))
    )


def key_text(key: Any) -> str:
    """How an error shows a key that is known; an iterator is one as a value."""
    return describe(key) if isinstance(key, Lazy) else repr(key)


def describe(value: Value) -> str:
    """A few words for error messages."""
    match value:
        case Aggregate(constructor=cls) if cls is Partly:
            return "a dict of which some keys are there on some paths only"
        case Aggregate() if is_rows(value):
            return "a list of structures whose length isn't known"
        case Aggregate(constructor=cls, keys=("",)):
            return f"a {cls.__name__}"
        case Aggregate():
            name = getattr(value.constructor, "__name__", str(value.constructor))
            return (
                f"a {name}" if is_object(value) else f"a {name} of {len(value.items)}"
            )
        case Leaf(kind=ir.Known(value=known)):
            return getattr(known, "__name__", None) or repr(known)
        case Leaf():
            return f"of kind {value.kind}"
        case Closure(source=source):
            return "a lambda" if source.name == "<lambda>" else source.name
        case Partial():
            return describe(value.function)
        case (
            Choice(options=((None, _), (_, Aggregate() as other)))
            | Choice(options=((_, Aggregate() as other), (None, _)))
        ):
            return f"{describe(other)} or None"
        case Choice():
            named = [str(describe(option)) for _, option in value.options[:3]]
            more = ["others"] if len(value.options) > 3 else []
            return f"one of {', '.join([*named, *more])}"
        case Cell():
            return f"a {value.constructor.__name__}"
        case Lazy():
            article = "an" if value.what[0] in "aeiou" else "a"
            return f"{article} {value.what}"
    return f"the method {value.name!r}" if isinstance(value, Method) else "undefined"
