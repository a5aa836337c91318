"""Calls: of functions with rules, and of user functions, which are inlined."""

import ast
import functools
import itertools
import operator
import sys
from collections.abc import Iterable
from functools import partial
from types import MethodType
from typing import Any, is_typeddict

from s2sad import ir, rules
from s2sad.frontend.library.texts import text_of_call, text_of_decorated
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls import (
    cached_calls,
    foreign,
    special_calls,
    starred_calls,
)
from s2sad.frontend.specialise.calls.builtin_calls import BUILTIN_CALLS
from s2sad.frontend.specialise.calls.wrappers import call_wrapper
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers.displays import unpacked_value
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.derivatives import algebra, nested_transforms
from s2sad.frontend.specialise.equations.implicit_calls import implicit_call
from s2sad.frontend.specialise.heap import cells, chosen_cells, places
from s2sad.frontend.specialise.iterators import kept_sources
from s2sad.frontend.specialise.language import names, user_sources
from s2sad.frontend.specialise.library_calls import (
    array_arguments,
    in_place_operators,
    keyed_heaps,
    plain_tuples,
    sparse_operands,
    writing_calls,
)
from s2sad.frontend.specialise.library_calls.constant_calls import constant_call
from s2sad.frontend.specialise.library_calls.random_sources import new_source
from s2sad.frontend.specialise.objects import (
    construction,
    dispatched_calls,
    members,
    objects,
)
from s2sad.frontend.specialise.optionals import optional_keys, optionals
from s2sad.frontend.specialise.run_time import by_value, queries, unions
from s2sad.frontend.specialise.shaping.custom_calls import custom_call
from s2sad.source.kinds.external_data import is_live_object
from s2sad.source.static.values import StaticClass
from s2sad.source.text.plain_functions import is_vectorized


@core.expression(ast.Call)
def call(spec: Specialiser, node: ast.Call) -> core.Value:
    spec.called = node.func
    function = spec.evaluate(node.func)
    parts: list[tuple[ast.expr, core.Value]] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            value = spec.evaluate(argument.value)
            value = spec.contents(value)
            if isinstance(value, core.Lazy) or core.is_named_tuple(value):
                with spec.at(argument):
                    value = unpacked_value(spec, value)
            columns = spec.columns_of(function, value)
            if columns is not None:
                return columns
            parts.append((argument, value))
        else:
            parts.append((argument, spec.evaluate(argument)))
    keywords = starred_calls.keyword_arguments(spec, function, parts, node)
    args = starred_calls.positional_arguments(spec, function, parts, keywords)
    return call_value(spec, function, args, keywords)


@core.verb
def call_value(
    spec: Specialiser, function: core.Value, args: Args, keywords: Words
) -> core.Value:
    """A call of a value: of a known function, one made inside, a method, an object."""
    match function:
        case core.Leaf(kind=ir.Known(value=known)):
            if not is_live_object(known) or is_vectorized(known):
                return call_function(spec, known, args, keywords)
            return call_object(spec, function, args, keywords)
        case core.Method():
            return spec.call_method(function, args, keywords)
        case core.Closure(source=source):
            inline = partial(spec.inline, source, args, keywords, closure=function)
            if not function.cached:
                return inline()
            read = (*cached_calls.captured(function), *args, *keywords.values())
            key = source.node, function.frame
            return cached_calls.recomputed(spec, key, read, inline)
        case core.Partial():
            words = {**dict(function.keywords), **keywords}
            args = (*function.args, *args)
            return call_value(spec, function.function, args, words)
        case core.Choice():
            return _call_choice(spec, function, args, keywords)
        case core.Leaf(kind=ir.Reference()):
            spec.shared((*args, *keywords.values()), times=2)
            return unions.by_form(
                spec,
                unions.present(function),
                lambda one: call_object(spec, one, args, keywords),
            )
        case core.Aggregate() | core.Cell() if core.has_methods(function):
            return call_object(spec, function, args, keywords)
    if isinstance(operand := getattr(function, "operand", None), ir.Global):
        if spec.options.static:
            raise core.Unsupported(
                f"what {operand.name} is isn't known from the text",
                "define it once, outside of branches that only the run decides",
            )
    problem = core.Unsupported(
        f"a call of a value {core.describe(function)}",
        "call a function that is known by name",
    )
    raise foreign.unknown_value(spec, function, problem)


def call_object(
    spec: Specialiser, value: core.Value, args: Args, keywords: Words
) -> core.Value:
    """``value(...)`` of an object with ``__call__``, or of the record of a function."""
    if function_records.is_record(value):
        return function_records.call_record(spec, value, args, keywords)
    member = members.member_of(objects.class_of(value), "__call__")
    if member is None:
        raise core.Unsupported(
            f"{core.describe(value)} can't be called", "give its class a __call__"
        )
    members.note_read(spec, objects.class_of(value), "__call__")
    function = objects.bound_member(spec, value, "__call__", member)
    return call_value(spec, function, args, keywords)


def _call_choice(
    spec: Specialiser, choice: core.Choice, args: Args, keywords: Words
) -> core.Value:
    """A call of one of several functions: a branch for each."""
    options = [(t, f) for t, f in choice.options if f != core.constant(None)]
    complete = choice.complete and len(options) == len(choice.options)
    if not options:
        raise core.Unsupported("None is called", "test for it first")
    spec.shared((*args, *keywords.values()), times=2)

    def call_from(position: int) -> core.Value:
        if position == len(options):
            return _nothing_to_call(spec, choice)
        tag, function = options[position]
        if complete and position == len(options) - 1:
            return call_value(spec, function, args, keywords)
        return spec.select(
            spec.is_option(choice, tag),
            lambda: call_value(spec, function, args, keywords),
            lambda: call_from(position + 1),
            "choice",
        )

    return call_from(0)


def _nothing_to_call(spec: Specialiser, choice: core.Choice) -> core.Value:
    """What Python raises where there is no such function."""
    if choice.complete:
        words: tuple[Any, ...] = (TypeError, "'NoneType' object is not callable")
    elif any(isinstance(tag, str) for tag, _ in choice.options):
        words = (KeyError, "there is no such function")
    else:
        words = (IndexError, "there is no such function")
    spec.raise_now(*words)
    raise core.NothingFollows


@core.verb
def call_function(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value:
    """A call of a known function. Whole numbers in a list that is passed in may decide
    what one of a library gives."""
    values = (*args, *keywords.values())
    stores = spec.slot_stores.total()
    try:
        found = _called(spec, function, args, keywords)
    except core.Unsupported:
        if not _is_python(function):
            spec.ask_for_items(*values, whole=True)
        raise
    if core.kind_of(found) == ir.UNKNOWN and not _is_python(function):
        spec.ask_for_items(*values, whole=True)
    if spec.slot_stores.total() != stores and _is_of_library(function):
        _refuse_changed(spec, values)
    return found


def _refuse_changed(spec: Specialiser, values: Iterable[core.Value]) -> None:
    """Refuse a function of a library that goes over kept lists while what it calls
    stores into such: ``max(xs, key=f)``."""
    for value in values:
        if queries.is_reference(value) and kept_sources.reads_stored(spec, value):
            raise core.Unsupported(
                "a list or dict is gone over, and changes in the same expression",
                "use a statement of its own for the change, or go over a copy",
            )


def _is_of_library(function: Any) -> bool:
    """True for a function of Python's library; a class and a ``partial`` are none, and
    ``reduce`` reads each item when it comes to it. Those that change a list themselves
    are written out."""
    if isinstance(function, type | functools.partial) or function is functools.reduce:
        return False
    of_python = _root_of(function) in sys.stdlib_module_names
    return of_python and not _changes_a_list(function)


def _changes_a_list(function: Any) -> bool:
    """True for ``heapq``, ``bisect.insort`` and ``operator.iadd``: they are given the
    list itself."""
    name = _name_of(function)
    if name in ("nsmallest", "nlargest", "merge"):
        return False  # these take items alone
    if _root_of(function) in ("heapq", "_heapq") or name.startswith("insort"):
        return True
    return _hashable(function) and function in in_place_operators.FUNCTIONS


def _root_of(function: Any) -> str:
    return (getattr(function, "__module__", "") or "").split(".")[0]


def _name_of(function: Any) -> str:
    return str(getattr(function, "__name__", ""))


def _is_python(function: Any) -> bool:
    """True for a function in Python's own language, but for those of NumPy and
    SciPy."""
    root = _root_of(function)
    return hasattr(function, "__code__") and root not in ("numpy", "scipy")


def _called(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value:
    if not spec.derived and any(map(optionals.is_optional, args)):
        named = hasattr(function, "_fields")  # what it makes may hold None
        is_class = isinstance(function, type) and not named
        if is_class or (not named and user_sources.user_source(function) is None):
            tested = optionals.class_test(spec, function, args)
            if tested is not None:
                return tested
            args = tuple(optionals.present(spec, value) for value in args)
    if getattr(function, "__s2sad_static__", False):
        words = {k: core.kind_of(v) for k, v in keywords.items()}
        if function is rules.is_complex_number and spec.computes_complex:
            if any(ir.dtype_is_unknown(core.kind_of(value)) for value in args):
                raise core.Unsupported(*core.NOT_TOLD_COMPLEX)
        try:
            return static_answer(function(*map(core.kind_of, args), **words))
        except rules.CallRefused as refused:
            raise core.Unsupported(refused.reason, refused.advice) from None
        except rules.ValueNeeded as needed:
            spec.ask_for_value(needed.kind, (*args, *keywords.values()), function)
    if _hashable(function) and not spec.derived:
        if text_of_decorated(function) is not None:
            copied = constant_call(spec, function, args, keywords)
            if copied is not None:
                return copied
        varies = any(map(_may_vary, (*args, *keywords.values())))
        of_array = bool(args) and isinstance(core.kind_of(args[0]), ir.Array)
        text = text_of_call(function, len(args), keywords, varies, of_array)
        if any(frame.source.function is text for frame in spec.active):
            text = None  # in its own text a function is that of the rule
        reads = text is not None or rules.rule_for(function) is not None
        reads &= function is not len  # for which items need not be taken
        if reads and not _changes_a_list(function):
            args = tuple(by_value.numbers_of(spec, value) for value in args)
        if array_arguments.reads_arrays(function, text):
            args = tuple(plain_tuples.as_tuples(spec, value) for value in args)
            keywords = {k: plain_tuples.as_tuples(spec, v) for k, v in keywords.items()}
        function = keyed_heaps.of_keyed_heap(function, args) or text or function
    if is_typeddict(function):
        function = dict
    made = new_source(spec, function, args, keywords) if _hashable(function) else None
    if made is not None:
        return made
    special = special_calls.SPECIAL_CALLS.get(function) if _hashable(function) else None
    if special is not None:
        found = core.handled(_name_of(function), special, spec, args, keywords)
        if found is not None:
            return found
    found = _builtin_call(spec, function, args, keywords)
    if found is not None:
        return found
    if spec.facts.changing and not _sees_cells(function):
        args, keywords = _without_cells(spec, function, args, keywords)
    for answer in _ANSWERS:
        known = answer(spec, function, args, keywords)
        if known is not None:
            return known
    if rules.rule_for(function) is not None:
        if spec.derived:
            simpler = algebra.simplified(spec, function, args) if not keywords else None
            if simpler is not None:
                return simpler
        else:
            args, keywords = array_arguments.with_arrays(spec, function, args, keywords)
        args = tuple(names.named_object(spec, value) for value in args)
        if not spec.derived and spec.active and spec.active[-1].source.is_of_library:
            keywords = _but_defaults(rules.rule_for(function), keywords)
        return spec.apply(function, args, keywords)
    if foreign.is_report(function):
        return foreign.report(spec, function, args, keywords)
    copied = constant_call(spec, function, args, keywords)
    if copied is not None:
        return copied
    source = user_sources.user_source(function)
    if source is not None:
        return spec.inline(source, args, keywords)
    if isinstance(function, type):
        made = construction.construct(spec, function, args, keywords)
        if made is not None:
            return made
    return foreign.foreign_call(spec, function, args, keywords)


def _may_vary(value: core.Value) -> bool:
    """True for what holds a number or array that the program computes, or is given; a
    function of the program may read one."""
    if isinstance(value, core.Cell | core.Closure):
        return True
    if isinstance(value, core.Leaf):
        inactive = isinstance(value.kind, ir.Unknown) and value.kind.inactive
        if inactive or (ir.dtype_of(value.kind) or "").startswith(_OTHER_DTYPES):
            return False
        return isinstance(value.operand, ir.Var)
    return any(_may_vary(part) for _, part in core.parts_of(value))


_OTHER_DTYPES = ("str", "bytes", "object", "void", "datetime", "timedelta")


def _is_dict(spec: Specialiser, value: core.Value) -> bool:
    if isinstance(value, core.Cell) and value.constructor is dict:
        value = spec.content_of(value)
    if isinstance(value, core.Aggregate):
        return value.constructor is dict
    return queries.is_dict(value)


def _builtin_call(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A builtin or the like: it takes what lists and dicts hold now, but for iterators,
    which run later."""
    handler = BUILTIN_CALLS.get(function) if _hashable(function) else None
    if handler is None:
        return None
    builtin = partial(core.handled, _name_of(function), handler)
    args = tuple(spec.attributes_now(a) if core.is_attributes(a) else a for a in args)
    if function in (min, max) and len(args) == 1 and _is_dict(spec, args[0]):
        args = (spec.call_function(list, args, {}),)  # its keys
    if function in (min, max) and len(args) > 1 and any(map(core.is_container, args)):
        raise core.Unsupported(
            f"{function.__name__} gives one of several lists or dicts that may change",
            "compare numbers, and choose by if and else",
        )
    as_they_are = (function in (min, max) and len(args) > 1) or function in (
        iter,
        itertools.tee,
    )
    of_class = function is isinstance and args
    if of_class and cells.is_choice_of_containers(args[0]):
        return chosen_cells.for_the_one(
            spec, args[0], lambda one: builtin(spec, (one, *args[1:]), keywords)
        )
    as_they_are |= bool(of_class) and isinstance(args[0], core.Cell)
    if not spec.facts.changing or as_they_are:
        return builtin(spec, args, keywords)
    if function is len and args and isinstance(args[0], core.Cell):
        if optional_keys.is_partly(content := spec.content_of(args[0])):
            return optional_keys.number_of_keys(spec, content)
        return builtin(spec, (spec.content_of(args[0]),), keywords)
    handed_on = _HANDED_ON.get(function, ())
    by_name = function is dict
    held = tuple(
        a if place in handed_on else _contents_taken(spec, a)
        for place, a in enumerate(args)
    )
    words = {
        k: v if by_name or k in handed_on else _contents_taken(spec, v)
        for k, v in keywords.items()
    }
    found = builtin(spec, held, words)
    if isinstance(found, core.Lazy) and found.sources == (*held, *words.values()):
        return builtin(spec, args, keywords)
    taken = (*zip(args, held, strict=True), *((keywords[k], words[k]) for k in words))
    for value, content in taken:
        if value is not content and core.is_container(value):
            found = cells.held_content(spec, found, value)
    return found


_HANDED_ON: dict[Any, tuple[int | str, ...]] = {
    functools.reduce: (2,),
    max: ("default",),
    min: ("default",),
    next: (1,),
    sum: (1, "start"),
}
"""The arguments that a builtin doesn't read but may give back, as they are."""


def _contents_taken(spec: Specialiser, value: core.Value) -> core.Value:
    """What a list or dict holds; one whose items change by themselves is run over."""
    if core.is_container(value):
        content = spec.content_of(value)
        if places.holds_places(spec, content) or optional_keys.is_partly(content):
            return value
    return spec.contents(value, at_once=False)


_WRAPPERS = (
    functools.partial,
    *(operator.itemgetter, operator.attrgetter, operator.methodcaller),
)
"""Objects that hand on what they are called with."""


def _sees_cells(function: Any) -> bool:
    """True for what is written out, or made: it can change its arguments."""
    if rules.rule_for(function) is not None or foreign.is_report(function):
        return False
    if nested_transforms.is_derivative(function):  # it changes its own
        return True
    if isinstance(function, _WRAPPERS) or dispatched_calls.is_dispatched(function):
        return True
    made = isinstance(function, type | StaticClass)
    return made or user_sources.user_source(function) is not None


def _without_cells(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> tuple[Args, Words]:
    """Arguments by value, for a function that doesn't change them."""
    known = rules.rule_for(function) is not None or foreign.is_report(function)
    known |= writing_calls.writes_into_arrays(function)
    if not known and any(map(core.holds_cell, (*args, *keywords.values()))):
        name = getattr(function, "__name__", str(function))
        raise core.Unsupported(
            f"{name} may change a list, dict or object that the program changes, too",
            "pass a copy, or write out what it does",
        )

    def plain(value: core.Value) -> core.Value:
        return by_value.numbers_of(spec, spec.by_value(value))

    values = tuple(map(plain, args))
    words = {k: plain(v) for k, v in keywords.items()}
    return values, words


def _writing(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    if spec.derived:
        return None
    return writing_calls.writing_call(spec, function, args, keywords)


def _copied_method(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A call of a method of a library's object, with what doesn't vary."""
    if not isinstance(function, MethodType) or foreign.is_report(function):
        return None
    return constant_call(spec, function, args, keywords)


def _transformed(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value | None:
    """A call of ``s2sad.grad`` and the like."""
    if not _hashable(function):
        return None
    found = implicit_call(spec, function, args, keywords)
    return found or nested_transforms.transform_call(spec, function, args, keywords)


def static_answer(answer: Any) -> core.Value:
    """The answer of a predicate as a value; tuples item by item."""
    if isinstance(answer, tuple):
        return core.aggregate_of(tuple(map(static_answer, answer)))
    return core.constant(answer)


def _but_defaults(rule: rules.Rule | None, keywords: Words) -> dict[str, core.Value]:
    """Without the keywords that a text of the library hands on though nobody gave them:
    they say what the function does anyway."""
    parameters = rule.signature.parameters if rule is not None else {}

    def is_default(name: str, value: core.Value) -> bool:
        kind = core.kind_of(value)
        parameter = parameters.get(name)
        if parameter is None or not rules.is_static(kind):
            return False
        given = rules.static_value(kind)
        return given is parameter.default and isinstance(given, bool | None)

    return {n: v for n, v in keywords.items() if not is_default(n, v)}


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


_ANSWERS = (
    *(_transformed, custom_call, _copied_method, call_wrapper, _writing),
    *(sparse_operands.made_sparse, array_arguments.of_rows),
)
