"""Calls of methods: those of arrays become functions, those of structures are
folded."""

import ast
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from s2sad import ir, ops, rules
from s2sad.custom import CustomFunction
from s2sad.frontend.library import lists, texts
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.conversions import folded_call
from s2sad.frontend.specialise.calls.foreign import foreign_call, unknown_value
from s2sad.frontend.specialise.closures import compared_functions
from s2sad.frontend.specialise.containers import (
    derived_dicts,
    dict_methods,
    list_changes,
    run_time_sets,
    set_methods,
)
from s2sad.frontend.specialise.containers.container_methods import changes
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, item_choices
from s2sad.frontend.specialise.heap.kept_objects import class_in
from s2sad.frontend.specialise.iteration import (
    consumers,
    running_over,
    running_over_choices,
)
from s2sad.frontend.specialise.library_calls import random_sources, sparse_operands
from s2sad.frontend.specialise.library_calls.array_arguments import with_arrays
from s2sad.frontend.specialise.library_calls.constant_calls import constant_method
from s2sad.frontend.specialise.library_calls.writing_calls import writing_method
from s2sad.frontend.specialise.objects import attribute_dicts, construction
from s2sad.frontend.specialise.optionals import optional_keys
from s2sad.frontend.specialise.run_time import methods as run_time_methods
from s2sad.frontend.specialise.run_time import (
    queries,
    resizing,
    storing,
    unions,
)
from s2sad.frontend.specialise.shaping.nested_customs import give
from s2sad.ops.runtime.arguments import to_numpy, toarray


def is_any_object(value: core.Value) -> bool:
    """True for an object of a user's class, and one that changes."""
    cell = isinstance(value, core.Cell) and not core.is_container(value)
    return cell or core.is_object(value)


def _is_compared_by_parts(spec: Specialiser, value: core.Value) -> bool:
    """True for an object that is kept, where ``==`` reads what may be stored into."""
    return queries.is_reference(value) and storing.compares_stored(spec, value.kind)


_OF_ARRAYS = ("flatten", "astype")
"""Methods that no function of the same name says in the same words. Others have texts
of their own (:mod:`s2sad.frontend.library.numpy.methods`)."""
CHANGING = ("sort", "partition", "resize", "put", "fill", "byteswap", "setflags")


def function_of_method(name: str) -> Any:
    """The function of NumPy that is called with an array as ``array.name`` is; None
    where there is none with a rule. Methods that write are answered before."""
    own = getattr(np.ndarray, name, None)
    if name in _OF_ARRAYS or texts.text_for(own) is not None:
        return own
    if own is None or name in CHANGING:
        return None
    function = getattr(np, name, None)
    known = rules.rule_for(function) is not None or texts.text_for(function) is not None
    return function if known else None


_SYNTAX: dict[str, Callable[[Specialiser, core.Value, core.Value], core.Value]] = {
    "__getitem__": lambda spec, owner, index: spec.item_at(owner, index),
    "__contains__": lambda spec, owner, item: spec.compare(ast.In(), item, owner),
}
"""Methods of containers by the name of what Python's syntax calls:
``key=xs.__getitem__``."""

_OF_FOREIGN_OBJECTS = {"to_numpy": to_numpy, "toarray": toarray}
"""What an object that the program gets from elsewhere may be asked for."""


@core.verb
def call_method(
    spec: Specialiser, method: core.Method, args: Args, keywords: Words
) -> core.Value:
    """``value.name(...)``."""
    receiver, name = method.receiver, method.name
    text = derived_dicts.text_of_method(receiver, name)
    if text is not None:
        return spec.call_function(text, (receiver, *args), keywords)
    syntax = _SYNTAX.get(name)
    if syntax is not None and len(args) == 1 and not keywords:
        return syntax(spec, receiver, args[0])
    if name in ("index", "count", "remove") and args and not spec.derived:
        args = (compared_functions.as_item_of(spec, receiver, args[0]), *args[1:])
    if queries.is_reference(receiver) and name in ("_replace", "_asdict"):
        return _copy_of_named(spec, receiver, name, args, keywords)
    if queries.is_reference(receiver) and not changes(receiver, name):
        return run_time_methods.call_method(spec, receiver, name, args, keywords)
    if isinstance(receiver, core.Leaf) and isinstance(receiver.kind, ir.Known):
        if isinstance(custom := receiver.kind.value, CustomFunction):
            return give(spec, custom, name, args, keywords)
    search = lists.SEARCHES_FOR_OBJECTS.get(name)
    if search is not None and len(args) == 1 and not spec.derived:
        one_by_one = is_any_object(args[0]) or _is_compared_by_parts(spec, args[0])
        one_by_one |= name == "count" and queries.is_reference(args[0])
        if class_in(receiver) in (list, tuple) and one_by_one:
            return spec.call_function(search, (receiver, *args), {})
    if core.is_attributes(receiver):
        return attribute_dicts.called(spec, receiver, name, args, keywords)
    if changes(receiver, name) and not spec.derived:
        return resizing.change(spec, receiver, name, args, keywords)
    if cells.is_choice_of_dicts(receiver):
        return running_over_choices.view_of_choice(receiver, name)
    if isinstance(receiver, core.Cell):
        return _method_of_cell(spec, receiver, name, args, keywords)
    if isinstance(receiver, core.Aggregate) and name == "_replace" and not args:
        return construction.replaced(receiver, keywords)
    if isinstance(receiver, core.Aggregate) and name == "_asdict" and not args:
        return core.Aggregate(dict, receiver.keys, receiver.items)
    if run_time_sets.is_of_the_run(receiver):
        found = set_methods.method(spec, receiver, name, args)
        if found is not None:
            return found
    if name == "copy" and not args and class_in(receiver) in (list, dict, set):
        return receiver
    of_items = isinstance(core.kind_of(receiver), ir.List)
    of_items |= class_in(receiver) in (list, tuple)
    if of_items and name in ("index", "count"):
        return _search(spec, receiver, name, args)
    if isinstance(receiver, core.Aggregate) and receiver.constructor is dict:
        if name == "get" and args and not core.is_known(args[0]):
            default = args[1] if len(args) > 1 else core.constant(None)
            if not receiver.items:
                return default
            if item_choices.is_found_by_trial(spec, receiver, args[0]):
                return item_choices.found_item(spec, receiver, args[0], default)
            dict_methods.keep_dicts(spec)
    if isinstance(receiver, core.Aggregate):
        found = set_methods.method(spec, receiver, name, args)
        if found is None:
            found = _structure_method(receiver, name, args)
        if found is not None:
            return found
        raise core.Unsupported(
            f"the method {name!r} of {core.describe(receiver)} can't be differentiated",
            "read the items by index or key",
        )
    assert isinstance(receiver, core.Leaf)
    if name == "join" and not isinstance(receiver.kind, ir.Array):
        args = tuple(consumers.materialised(spec, spec.contents(a)) for a in args)
    copied = constant_method(spec, receiver, name, args, keywords)
    if copied is not None:
        return copied
    if isinstance(receiver.kind, ir.Array) and not spec.derived:
        written = writing_method(spec, receiver, name, args, keywords)
        if written is not None:
            return written
    if isinstance(receiver.kind, ir.RandomSource):
        return random_sources.draw(spec, receiver, name, args, keywords)
    if isinstance(receiver.kind, ir.Foreign):
        sparse = sparse_operands.sparse_method(spec, receiver, name, args)
        if sparse is not None:
            return sparse
        own = getattr(receiver.kind.cls, name)
        words = f"method:{name}"
        return foreign_call(spec, own, (receiver, *args), keywords, words)
    if isinstance(receiver.kind, ir.Scalar) and name == "conjugate" and not args:
        if not ir.is_complex(receiver.kind):
            return receiver
        words = "method:conjugate"
        return spec.apply(np.conjugate, (receiver,), spelling=words)
    if isinstance(receiver.kind, ir.Array | ir.NumPyScalar | ir.Unknown):
        number = complex if ir.is_complex(receiver.kind) else float
        if name in ("conj", "conjugate") and not args:
            return _conjugated(spec, receiver, name)
        if name in ("reshape", "transpose"):
            function: Any = getattr(np, name)
            if len(args) > 1 or (args and isinstance(core.kind_of(args[0]), ir.Scalar)):
                args = (core.aggregate_of(args),)
            if texts.text_of_call(function, 1 + len(args), keywords) is None:
                given = (receiver, *args)
                return _method(spec, function, name, given, keywords)
            return _as_function(spec, function, (receiver, *args), keywords)
        if (
            name in ("item", "tolist")
            and not args
            and not isinstance(receiver.kind, ir.Unknown)
        ):
            if isinstance(receiver.kind, ir.NumPyScalar) or receiver.kind.axes == ():
                return spec.apply(number, (receiver,))
        if name == "item" and _names_one_element(receiver.kind, args):
            index = args[0] if len(args) == 1 else core.aggregate_of(args)
            element = spec.apply(operator.getitem, (receiver, index))
            return spec.apply(number, (element,))
        function = function_of_method(name)
        if isinstance(receiver.kind, ir.Unknown) and receiver.kind.inactive:
            function = _OF_FOREIGN_OBJECTS.get(name, function)
        if function is not None:
            if name == "astype" and args:
                args = (_dtype_argument(args[0]), *args[1:])
            told = texts.text_of_call(function, 1 + len(args), keywords) is not None
            if (
                told
                or {"dtype", "out"} & set(keywords)
                or rules.rule_for(function) is None
            ):
                return _as_function(spec, function, (receiver, *args), keywords)
            args, keywords = with_arrays(spec, function, (receiver, *args), keywords)
            return _method(spec, function, name, args, keywords)
    if isinstance(receiver.kind, ir.Known) and isinstance(receiver.kind.value, str):
        if hasattr(str, name):
            known = folded_call(getattr(str, name), (receiver, *args), keywords)
            if known is not None:
                return known
        operation = ir.Apply(
            getattr(str, name),
            tuple(core.operand_of(a) for a in (receiver, *args)),
            tuple((word, core.operand_of(value)) for word, value in keywords.items()),
            f"method:{name}",
        )
        return spec.define(operation, ir.OPAQUE, "text")
    problem = core.Unsupported(
        f"the method {name!r} of a value {core.describe(receiver)} can't be "
        "differentiated",
        "use the NumPy function, or compute it outside and pass it in",
    )
    raise unknown_value(spec, receiver, problem)


def _conjugated(spec: Specialiser, receiver: core.Leaf, name: str) -> core.Value:
    """``x.conj()``, which is the array itself where it is real: what may be either
    isn't written into."""
    if ir.is_complex(receiver.kind):
        return _method(spec, np.conjugate, name, (receiver,), {})
    if ir.dtype_of(receiver.kind) is not None:
        return receiver
    made = core.single(_method(spec, np.conjugate, name, (receiver,), {}))
    return spec.apply(ops.shared_result, (made,), hint="conjugate")


def _copy_of_named(
    spec: Specialiser, receiver: core.Leaf, name: str, args: Args, keywords: Words
) -> core.Value:
    """``value._replace(name=item)`` or ``value._asdict()`` of a NamedTuple that is
    kept; of one of several classes each makes one of its own."""

    def of_one(one: core.Leaf) -> core.Value:
        form = queries.kind_of(one).forms[0]
        items = tuple(spec.attribute_of(one, str(f)) for f in form.keys)
        whole = core.Aggregate(form.constructor, form.keys, items)
        made = call_method(spec, core.Method(whole, name), args, keywords)
        if not several or not isinstance(made, core.Aggregate):
            return made
        maker = (spec.frame.source.span_of(spec.place), form.constructor)
        made = replace(made, maker=maker)
        return spec.made_anew(made, "", frozenset({maker}))

    receiver = unions.present(receiver)
    several = len(queries.kind_of(receiver).forms) > 1
    spec.shared((*args, *keywords.values()), times=1 + several)
    return unions.by_form(spec, receiver, of_one)


def _as_function(
    spec: Specialiser, function: Any, args: Args, keywords: Words
) -> core.Value:

    return spec.call_function(function, args, keywords)


def _names_one_element(kind: ir.Kind, index: tuple[core.Value, ...]) -> bool:
    """True for an index of an array of floats that has an integer for each axis."""
    if (
        not isinstance(kind, ir.Array)
        or kind.promoted
        or ir.dtype_of(kind) not in ("float64", "complex128")
    ):
        return False
    return len(index) == len(kind.axes or ()) > 0 and all(
        isinstance(k, ir.Scalar) and k.type == "int" for k in map(core.kind_of, index)
    )


def _search(spec: Specialiser, items: core.Value, name: str, args: Args) -> core.Value:
    """``items.index(item)`` and ``items.count(item)`` of a list."""
    if len(args) == 1:
        if name == "index":
            return list_changes.place_of(spec, items, args[0])
        if isinstance(items, core.Aggregate) and all(
            core.is_known(v) for v in (*items.items, *args)
        ):
            values = [core.known_exactly(v) for v in items.items]
            return core.constant(values.count(core.known_exactly(args[0])))
        return spec.call_function(lists.count_of, (items, args[0]), {})
    raise core.Unsupported(f"this call of {name}", "find the item with a loop")


def _view_of_cell(cell: core.Cell, name: str) -> core.Value:
    """``d.values()`` and the like, which give what the dict holds when they are run
    over."""

    def start(spec: Specialiser, sources: tuple[core.Value, ...]) -> Any:
        (held,) = sources
        assert isinstance(held, core.Cell)
        content = spec.content_of(held)
        if optional_keys.is_partly(content):
            return optional_keys.run_over(spec, held, name)
        running_over.watch(spec, held, content)
        found = call_method(spec, core.Method(content, name), (), {})
        return spec.iterate(found, live=True)

    return core.Lazy(f"{core.VIEW}{name}", (cell,), start)


def _method_of_cell(
    spec: Specialiser, cell: core.Cell, name: str, args: Args, keywords: Words
) -> core.Value:
    """A method that only reads a list, dict or set."""
    content = spec.content_of(cell)
    if name in ("keys", "values", "items") and not args:
        return _view_of_cell(cell, name)
    if name == "copy" and not args:
        found = cells.copied_container(spec, cell)
        if isinstance(found, core.Cell):
            return found
    elif optional_keys.is_partly(content):
        if name != "get" or not core.is_known(args[0]):
            raise core.Unsupported(
                f"the method {name!r} of {core.describe(content)}",
                "store the keys on all paths",
            )
        key, *default = (core.known_value(args[0]), *args[1:])
        other = default[0] if default else core.constant(None)
        found = other
        if key in content.keys:
            found = optional_keys.value_or(spec, content.item(key), lambda: other)
    else:
        if name == "get" and cell.constructor is not list:
            dict_methods.key_of(spec, cell, args[0])
        found = call_method(spec, core.Method(content, name), args, keywords)
    return cells.held_content(spec, found, cell)


def _method(
    spec: Specialiser, function: Any, name: str, args: Args, keywords: Words
) -> core.Value:
    if rules.rule_for(function) is None:
        raise core.Unsupported(f"there is no rule for the method {name!r}")
    return spec.apply(function, args, keywords, spelling=f"method:{name}", hint=name)


def _dtype_argument(value: core.Value) -> core.Value:
    """``x.astype(float)``: the dtype behind a Python type or a string."""
    kind = core.kind_of(value)
    if isinstance(kind, ir.Known):
        return value
    raise core.Unsupported("the dtype isn't known before the program runs", "name it")


def _structure_method(
    receiver: core.Aggregate, name: str, args: Args
) -> core.Value | None:
    if receiver.constructor is dict:
        keys = tuple(core.constant(k) for k in receiver.keys)
        if name == "keys" and not args:
            return core.aggregate_of(keys, core.Keys)
        if name == "values" and not args:
            return core.aggregate_of(receiver.items)
        if name == "items" and not args:
            pairs = zip(keys, receiver.items, strict=True)
            return core.aggregate_of(tuple(core.aggregate_of(pair) for pair in pairs))
        if name == "get" and args and core.is_known(args[0]):
            key = core.known_value(args[0])
            if key in receiver.keys:
                return receiver.item(key)
            return args[1] if len(args) > 1 else core.constant(None)
    return None
