"""Which exceptions a line may raise, as far as handlers wait for them.

What takes all memory, or what is pressed on the keyboard, counts for no line.
"""

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import numpy as np

from s2sad import ir, ops
from s2sad.rules.python.choice import equals_zero

Classes = tuple[type[BaseException], ...]

ANYTHING: Classes = (BaseException,)
FLOATING = (FloatingPointError, Warning)  # as np.errstate and warnings have it
_ARITHMETIC = (
    *(operator.add, operator.sub, operator.mul, operator.neg, operator.pos, abs),
    *(operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne),
    equals_zero,
    *(operator.is_, operator.is_not, operator.not_),
)
_QUIET = operator.is_, operator.is_not, ir.caught_exception
"""They never raise."""
_DIVIDING = ZeroDivisionError, OverflowError
_DIVISIONS = (operator.truediv, operator.floordiv, operator.mod)
_LIST_MAKERS = (ops.new_list, ops.list_of, ops.tuple_of)
_WITHIN_LISTS = (
    *(ops.item_within, ops.with_item_stored_within),
    *(ops.appended_within, ops.without_item_within),
)
_PLAIN = (
    *(Exception, ValueError, TypeError, AssertionError, RuntimeError, LookupError),
    *(KeyError, IndexError, NotImplementedError, ArithmeticError, OverflowError),
    *(ZeroDivisionError, FloatingPointError),
)
_PLAIN_MAKERS = [getattr(c, name) for c in _PLAIN for name in ("__init__", "__new__")]
"""What makes an exception of any arguments."""


def classes_of(types: ir.Operand | None) -> Classes | None:
    """The exceptions that ``except types`` is for; None where that isn't known.

    >>> classes_of(ir.Const((KeyError, IndexError)))
    (<class 'KeyError'>, <class 'IndexError'>)
    """
    match types:
        case None:
            return ANYTHING
        case ir.Const(value=value):
            found = value if isinstance(value, tuple) else (value,)
        case ir.Pack(items=items):
            inner = [classes_of(item) for item in items]
            if None in inner:
                return None
            found = tuple(cls for classes in inner for cls in classes or ())
        case _:
            return None
    known = all(isinstance(c, type) and issubclass(c, BaseException) for c in found)
    return found if known else None


def raised_class(operation: ir.Apply) -> type[BaseException] | None:
    """The class of an exception that a raise statement raises; None where making it may
    raise another."""
    if operation.function is not ops.raise_exception or operation.keywords:
        return None
    classes = classes_of(operation.args[0])
    if classes is None or len(classes) != 1:
        return None
    (cls,) = classes
    plain = cls.__init__ in _PLAIN_MAKERS and cls.__new__ in _PLAIN_MAKERS
    return cls if plain else None


def raised_again(operation: ir.Apply, kinds: Mapping[str, ir.Kind]) -> Classes:
    """The classes of an exception that a call returned and that a statement raises; ()
    where they aren't known."""
    (error, *others) = operation.args or (None,)
    kind = ir.kind_of(error, kinds) if isinstance(error, ir.Var) else None
    again = operation.function is ops.raise_exception and not others
    return kind.classes if again and isinstance(kind, ir.Raised) else ()


def handler_for(
    operation: ir.Apply,
    handlers: Iterable[ir.Handler],
    kinds: Mapping[str, ir.Kind],
) -> ir.Handler | None:
    """The handler that surely is for what a raise statement raises; None where that
    isn't known."""
    cls = raised_class(operation)
    possible = raised_again(operation, kinds) if cls is None else (cls,)
    for handler in handlers if possible else ():
        types = classes_of(handler.types)
        if types is None:
            return None
        if all(issubclass(c, types) for c in possible):
            return handler
        within = any(issubclass(c, possible) for c in types) and cls is None
        if within or any(issubclass(c, types) for c in possible):
            return None
    return None


def caught_from(
    handlers: tuple[ir.Handler, ...], kinds: Mapping[str, ir.Kind]
) -> Callable[[ir.Statement], bool]:
    """A test: True for a statement that may raise what one of the handlers is for, what
    is in its blocks left aside.

    >>> caught = caught_from((ir.Handler(ir.Const(ValueError), ()),), {"x": ir.FLOAT})
    >>> double = ir.Assign(
    ...     None, ir.Var("y"), ir.Apply(operator.mul, (ir.Const(2.0), ir.Var("x")))
    ... )
    >>> root = ir.Assign(None, ir.Var("y"), ir.Apply(math.sqrt, (ir.Var("x"),)))
    >>> caught(double), caught(root)
    (False, True)
    """
    awaited = awaited_by(handlers)

    def caught(s: ir.Statement) -> bool:
        possible, left = raised_by(s, kinds), _but_returned(awaited, s)
        return any(issubclass(c, left) for c in possible) or any(
            issubclass(c, possible) for c in left
        )

    return caught


def passed_by(
    handlers: tuple[ir.Handler, ...],
    around: Iterable[ir.Statement],
    kinds: Mapping[str, ir.Kind],
) -> Callable[[ir.Statement], bool]:
    """A test: True for a statement that may raise what none of the handlers is for, and
    a statement ``around`` is; and for one that is there to raise that."""
    awaited = awaited_by(handlers)
    others: Classes = ()
    for s in around:
        others += awaited_by(s.handlers) if isinstance(s, ir.Try) else ANYTHING
    others = tuple(c for c in others if not issubclass(c, awaited))

    def passed(s: ir.Statement) -> bool:
        left = [c for c in raised_by(s, kinds) if not issubclass(c, awaited)]
        if isinstance(s, ir.Effect) and left:
            return True
        waiting = _but_returned(others, s)
        return any(issubclass(c, waiting) for c in left) or any(
            issubclass(c, tuple(left)) for c in waiting
        )

    return passed


def _but_returned(awaited: Classes, s: ir.Statement) -> Classes:
    """The exceptions but for those that a program which is called returns."""
    returned: Classes = ()
    for operation in ir.operations(s):
        details = getattr(operation.function, "details", None)
        for leaf in getattr(details, "awaited", ()):
            returned += classes_of(leaf.operand) or ()
    return tuple(c for c in awaited if not issubclass(c, returned))


def surely_caught(handlers: tuple[ir.Handler, ...]) -> Classes:
    """The classes of what handlers catch, as far as they are known."""
    return tuple(c for h in handlers for c in classes_of(h.types) or ())


def awaited_by(handlers: tuple[ir.Handler, ...]) -> Classes:
    """The classes of what handlers may catch."""
    known = [classes_of(handler.types) for handler in handlers]
    return tuple(c for classes in known for c in classes or ANYTHING)


def raised_by(s: ir.Statement, kinds: Mapping[str, ir.Kind]) -> Classes:
    """The classes of what a statement may raise, what is in its blocks left aside."""
    quiet = (ir.If, ir.For, ir.While, ir.Try, ir.Return)
    if isinstance(s, quiet) or not ir.may_raise(s):
        return ()
    if isinstance(s, ir.Effect):
        cls = raised_class(s.value)
        if cls is not None:
            return (cls,)
        return raised_again(s.value, kinds) or _raised_by(s.value, kinds)
    if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var):
        if isinstance(s.value, ir.Global):
            return (NameError,)
        if isinstance(s.value, ir.Apply):
            return _raised_by(s.value, kinds)
    return ANYTHING


def _raised_by(operation: ir.Apply, kinds: Mapping[str, ir.Kind]) -> Classes:
    function, args = operation.function, operation.args
    if isinstance(function, ir.Procedure):
        return _raised_inside(function)
    if operation.keywords:
        return ANYTHING
    if function in _QUIET:
        return ()
    if function in (*ops.READS_OF_REFERENCES, *ops.STORES_INTO_SLOTS):
        return _raised_by_slots(operation, kinds)
    if function in _LIST_MAKERS and all(isinstance(a, ir.Pack) for a in args):
        return ()
    types = {type_of(a, kinds) for a in args}
    first = kinds.get(args[0].name) if args and isinstance(args[0], ir.Var) else None
    if types <= {"float", "int", "bool", "small", "numpy"}:
        if function is operator.pow and type_of(args[1], kinds) == "small":
            negative = getattr(args[1], "value", -1) < 0
            return (*_DIVIDING, *FLOATING) if negative else (OverflowError, *FLOATING)
        return _raised_by_numbers(function, types)
    if isinstance(function, np.ufunc) and function.nin == 1:
        return FLOATING if types == {"array"} else ANYTHING
    if isinstance(first, ir.Structure) and function in (operator.getitem, getattr):
        return ()
    if isinstance(first, ir.List) or (isinstance(first, ir.Array) and first.axes):
        if function is operator.getitem and _is_plain_slice(args[1], kinds):
            return ()
    if isinstance(first, ir.Reference) and function is len and not first.may_be_none:
        return () if all(f.constructor in _SIZED for f in first.forms) else ANYTHING
    if isinstance(first, ir.List):
        if function in (ops.appended, len):
            return ()
        if function in _WITHIN_LISTS:
            places = args[1:2] if function is ops.appended_within else args[1:3]
            whole = all(type_of(p, kinds) in ("int", "small") for p in places)
            return (IndexError,) if whole and _holds_lists(first) else ANYTHING
        if function in (operator.getitem, ops.without_item, ops.with_item_stored):
            place = len(args) > 1 and type_of(args[1], kinds) in ("int", "small")
            return (IndexError,) if place else ANYTHING
    if isinstance(first, ir.Array) and not first.promoted:
        if function is len and first.axes:
            return ()
        integer = len(args) > 1 and type_of(args[1], kinds) in ("int", "small")
        if function in (operator.getitem, ops.overwritten_part) and integer:
            return (IndexError,)
        if function is ops.stored and integer and len(first.axes or ()) == 1:
            number = types - {"array", "int", "small"} <= {"float", "numpy"}
            return (IndexError,) if number else ANYTHING
    return ANYTHING


def _raised_by_slots(operation: ir.Apply, kinds: Mapping[str, ir.Kind]) -> Classes:
    """By reading or storing what an object, list or dict holds."""
    holder, *keys = operation.args[:2]
    kind = kinds.get(holder.name) if isinstance(holder, ir.Var) else None
    if not isinstance(kind, ir.Reference) or kind.may_be_none:
        return ANYTHING
    if not keys or operation.function is ops.read_itself:
        return ()
    if any(form.is_value for form in kind.forms):
        return ANYTHING
    (key,) = keys
    if operation.function in _OF_ATTRIBUTES:
        name = getattr(key, "value", None)
        held = all(name in f.slots and name not in f.optional for f in kind.forms)
        return () if held else ANYTHING
    is_text = isinstance(key, ir.Const) and isinstance(key.value, str)
    if is_text or type_of(key, kinds) in ("int", "small"):
        return (LookupError,)
    if all(f.constructor in (list, tuple) for f in kind.forms):
        return (IndexError, TypeError)
    return ANYTHING


_SIZED = (list, tuple, dict)
_OF_ATTRIBUTES = (
    *(ops.read_attribute, ops.stored_attribute),
    *ops.STORES_INTO_ATTRIBUTES,
)


def _is_plain_slice(operand: ir.Operand, kinds: Mapping[str, ir.Kind]) -> bool:
    """True for slices with whole numbers as bounds, in steps that surely aren't 0."""
    if not isinstance(operand, ir.Slice):
        return False
    bounds = [b for b in (operand.lower, operand.upper) if b is not None]
    whole = all(type_of(b, kinds) in ("int", "small") for b in bounds)
    step = operand.step
    return whole and (step is None or (isinstance(step, ir.Const) and step.value != 0))


def _holds_lists(kind: ir.List) -> bool:
    """True for lists of lists of numbers, which nothing but a missing item disturbs."""
    return isinstance(kind.item, ir.List) and isinstance(
        kind.item.item, ir.Scalar | ir.NumPyScalar
    )


def _raised_inside(procedure: ir.Procedure) -> Classes:
    """By a program that is called, and those that it calls."""
    called = (
        ir.all_procedures([procedure.function.body])
        if ir.is_complete(procedure)
        else []
    )
    programs = dict.fromkeys((procedure, *called))
    if not all(map(ir.is_complete, programs)):
        return ANYTHING
    if "raised" not in procedure.derived:
        kinds = {program: _kinds_within(program) for program in programs}
        procedure.derived["raised"] = tuple(
            dict.fromkeys(
                cls
                for program in programs
                for s in ir.walk(program.function.body)
                if not any(
                    isinstance(o.function, ir.Procedure) for o in ir.operations(s)
                )
                for cls in raised_by(s, kinds[program])
            )
        )
    raised: Classes = procedure.derived["raised"]
    return raised


def kinds_within(
    function: ir.Function, given: Mapping[str, ir.Kind] = MappingProxyType({})
) -> dict[str, ir.Kind]:
    """The kinds of variables, also of those whose assignment alone tells it."""
    told = {
        s.target.name: s.kind
        for s in ir.walk(function.body)
        if isinstance(s, ir.Assign) and isinstance(s.target, ir.Var) and s.kind
    }
    return {**given, **told, **function.kinds}


def _kinds_within(procedure: ir.Procedure) -> dict[str, ir.Kind]:
    """The same in a program that is called."""
    parameters = procedure.details.parameters if procedure.details else ()
    given = {str(p.operand): p.kind for p in parameters}
    return kinds_within(procedure.function, given)


def _raised_by_numbers(function: Callable[..., object], types: set[str]) -> Classes:
    """By arithmetic of numbers."""
    floating: Classes = FLOATING if "numpy" in types else ()
    if types & {"int", "bool"} and types & {"float", "numpy"}:
        floating += (OverflowError,)  # an int may be too large for a float
    if function in _ARITHMETIC:
        return floating
    if function in _DIVISIONS:
        return (*floating, *_DIVIDING)
    if getattr(math, getattr(function, "__name__", ""), None) is function:
        return (*floating, ValueError, OverflowError)
    if isinstance(function, np.ufunc) and not types & {"int", "bool"}:
        return (*FLOATING, OverflowError)
    return ANYTHING


def type_of(operand: ir.Operand, kinds: Mapping[str, ir.Kind]) -> str:
    """What a number is; ``small`` for an int that is a float as well."""
    if isinstance(operand, ir.Const):
        number = operand.value
        if type(number) is int and abs(number) < 2**53:
            return "small"
        return type(number).__name__ if type(number) in (float, int) else "other"
    kind = ir.kind_of(operand, kinds)
    if isinstance(kind, ir.Scalar) and kind.type in ("float", "int", "bool"):
        return kind.type
    if isinstance(kind, ir.NumPyScalar):
        return "numpy"
    if isinstance(kind, ir.Array) and not kind.promoted:
        return "array"
    return "other"
