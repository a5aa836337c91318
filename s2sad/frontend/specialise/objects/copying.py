"""``copy.copy`` and ``copy.deepcopy``.

A copy is a new list, dict or object whose items are those of the old one; a deep copy
has copies of these, and what was shared among them is shared again. Values of the run,
of which only the run knows whether they lead to one and the same, are copied at once;
copies of arrays are marked (``transform/memory/references/shared_copies.py``).
"""

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from s2sad import ir, ops
from s2sad.frontend.specialise import core
from s2sad.frontend.specialise.calls.special_calls import SPECIAL_CALLS
from s2sad.frontend.specialise.closures import function_records
from s2sad.frontend.specialise.containers import run_time_sets
from s2sad.frontend.specialise.core.specialiser import Args, Specialiser, Words
from s2sad.frontend.specialise.heap import cells, kept_objects
from s2sad.frontend.specialise.heap.chosen_cells import for_the_one, is_choice_of_cells
from s2sad.frontend.specialise.run_time import merged_dicts, storing, working_copies

DEEP = "deepcopy "
"""How the copies of arrays are marked that one deep copy makes: behind it a number
says which one. Of those of one array one copy is made, once it is known which are."""

_Read = dict[tuple[Any, str], core.Value | None]
"""What cells hold under their names, where that has been read."""


@dataclass
class _Memo:
    """What one deep copy has copied."""

    mark: str
    copies: dict[Any, core.Value] = field(default_factory=dict)
    read: _Read = field(default_factory=dict)
    on_paths: set[Any] = field(default_factory=set)
    """What was copied on some paths only."""


def _copy(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """``copy.copy(value)``."""
    (value,) = args
    _check_plain(value, "__copy__")
    if run_time_sets.is_of_the_run(value):
        return spec.call_method(core.Method(value, "copy"), (), {})
    if function_records.is_record(value):
        return value
    if is_choice_of_cells(value):
        return for_the_one(spec, value, lambda one: _copy(spec, (one,), {}))
    if isinstance(value, core.Leaf) and merged_dicts.is_plain_dict(value):
        return merged_dicts.copied(spec, value)
    if storing.leads_to_stored(spec, core.kind_of(value)):
        return working_copies.copied(spec, value, deep=False)
    if isinstance(value, core.Leaf):
        return _copied_leaf(spec, value, _Memo(""), copy.copy)
    if not isinstance(value, core.Cell):
        return value
    if core.is_container(value):
        return cells.copied_container(spec, value)
    names = cells.names_now(spec, value)
    held = [cells.read_name(spec, value, name) for name in names]
    return core.Aggregate(
        value.constructor, names, tuple(v for v in held if v is not None)
    )


def _deep_copy(spec: Specialiser, args: Args, words: Words) -> core.Value:
    """``copy.deepcopy(value)``."""
    if len(args) != 1 or words:
        raise core.Unsupported("deepcopy with a memo", "pass the value alone")
    return deep_copy(spec, args[0])


def deep_copy(spec: Specialiser, value: core.Value) -> core.Value:
    """``copy.deepcopy(value)`` of a value by itself."""
    _note_copied(spec, value)
    memo = _Memo(f"{DEEP}{next(spec.serials)}")
    if len(_leaves_to_copy(spec, value)) > 1:
        leaves = _leaves_to_copy(spec, value, memo.read)
        memo.copies |= working_copies.copied_together(spec, leaves)
    known = [cell for cell, chosen in _items(value) if not chosen]
    if len(known) < len(list(_items(value))):
        for cell in known:  # the one that is chosen may be one of these
            _deep(spec, cell, memo)
    return _deep(spec, value, memo)


def _note_copied(spec: Specialiser, value: core.Value) -> None:
    """Let it be known what is copied together: arguments among it must differ."""
    leaves = _leaves(spec, value, None, set())
    lists = {v.operand for v in leaves if isinstance(v.kind, ir.List)}
    frames = frozenset(core.frames_of_cells(value))
    spec.copied_together.append(frames)
    in_call = spec.procedures.under_way is not None and len(frames) > 1
    spec.copies_lists_together |= in_call or len(lists) > 1


def _items(value: core.Value) -> Iterator[tuple[core.Value, bool]]:
    """The cells that are items, and the choices of such, for which True is given."""
    if isinstance(value, core.Cell) or is_choice_of_cells(value):
        yield value, isinstance(value, core.Choice)
    if isinstance(value, core.Aggregate):
        for item in value.items:
            yield from _items(item)


def _deep(spec: Specialiser, value: core.Value, memo: _Memo) -> core.Value:
    _check_plain(value, "__deepcopy__")
    if run_time_sets.is_of_the_run(value):
        if value.operand not in memo.copies:
            made = spec.call_method(core.Method(value, "copy"), (), {})
            memo.copies[value.operand] = made
        return memo.copies[value.operand]
    kind = core.kind_of(value)
    if function_records.holds_records(kind):
        raise core.Unsupported(
            "a deep copy of functions that only the run can tell from others: they "
            "are the same in the copy",
            "copy what they keep, and make functions of that",
        )
    sets = storing.leads_to_changed_sets(spec, kind)
    if sets and isinstance(kind, ir.List):
        raise core.Unsupported(
            "a deep copy of a list of sets, and the program changes sets",
            "copy each of them: [set(s) for s in sets]",
        )
    if isinstance(value, core.Leaf) and value.operand in memo.copies:
        return memo.copies[value.operand]
    if sets or storing.leads_to_stored(spec, kind):
        return working_copies.copied(spec, value, deep=True)
    if isinstance(value, core.Leaf):
        return _copied_leaf(spec, value, memo, copy.deepcopy)
    if isinstance(value, core.Cell):
        if value.frame in memo.on_paths:
            raise core.Unsupported(
                f"a deep copy of {core.describe(value)} that stands in two places, in "
                "one of them on some paths only",
                "let the copied value hold it in one place",
            )
        if value.frame in memo.copies:
            return memo.copies[value.frame]
        if value.frame.place is not None:
            raise core.Unsupported(
                f"a deep copy of {core.describe(value)} in a list of unknown length",
                "make a new one of its attributes",
            )
        made = cells.new_cell(spec, value.constructor, value.frame.given)
        memo.copies[value.frame] = made
        for name in cells.names_now(spec, value):
            held = _read_once(spec, value, name, memo.read)
            if held is None:
                continue
            deep = _deep(spec, held, memo)
            if core.is_container(made) and name == value.frame.title:
                spec.set_content(made, deep)
            else:
                cells.set_name(spec, made, name, deep)
        return made
    if is_choice_of_cells(value):
        return for_the_one(spec, value, lambda one: _deep_on_a_path(spec, one, memo))
    parts = tuple(_deep(spec, part, memo) for _, part in core.parts_of(value))
    return core.with_parts(value, parts) if isinstance(value, core.Aggregate) else value


def _deep_on_a_path(spec: Specialiser, value: core.Value, memo: _Memo) -> core.Value:
    """The deep copy of one that the run has chosen of several: what is copied there
    has no copy elsewhere."""
    leaves = _leaves(spec, value, None, set())
    if any(_is_copied(spec, leaf.kind) for leaf in leaves):
        raise core.Unsupported(
            "a deep copy of one of several objects or lists, which the run chooses and "
            "which hold lists or objects that only the run can tell apart",
            "copy each of them deeply before one is chosen",
        )
    before = dict(memo.copies)
    made = _deep(spec, value, memo)
    memo.on_paths |= memo.copies.keys() - before
    memo.copies = before
    return made


def _copied_leaf(
    spec: Specialiser, leaf: core.Leaf, memo: _Memo, function: Any
) -> core.Value:
    """A copy of an array, or of a value of which nothing is known."""
    if memo.mark and _holds_arrays(leaf.kind):
        made = ir.Apply(ops.own_rows, (leaf.operand,), spelling=memo.mark)
        return spec.define(made, leaf.kind, "copied")
    if not isinstance(leaf.kind, ir.Array | ir.Unknown):
        return leaf
    if leaf.operand not in memo.copies:
        if isinstance(leaf.kind, ir.Array):
            memo.copies[leaf.operand] = spec.apply(
                np.copy, (leaf,), spelling=memo.mark, hint="copied"
            )
        else:
            made = ir.Apply(function, (leaf.operand,))
            memo.copies[leaf.operand] = spec.define(made, leaf.kind, "copied")
    return memo.copies[leaf.operand]


def _holds_arrays(kind: ir.Kind | None) -> bool:
    """True for a list whose items are arrays, or such lists."""
    if not isinstance(kind, ir.List) or kind.constructor is not list:
        return False
    item = kind.item
    return _holds_arrays(item) or (isinstance(item, ir.Array) and not item.promoted)


def _check_plain(value: core.Value, method: str) -> None:
    cls = kept_objects.class_in(value)
    own = [method, "__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"]
    special = isinstance(cls, type) and any(
        name in vars(base)
        for base in cls.__mro__
        if base.__module__ not in ("builtins", "collections")
        for name in own
    )
    if special and not getattr(cls, "__dataclass_params__", None):
        raise core.Unsupported(
            f"a copy of {core.describe(value)}, whose class says itself how it is "
            "copied",
            "make a new one of its attributes",
        )


def _leaves_to_copy(
    spec: Specialiser, value: core.Value, read: _Read | None = None
) -> list[core.Leaf]:
    """The references that a value holds, also through cells, and which a deep copy
    copies; with arrays that may stand in these, too. ``read`` is filled with what cells
    hold, which is looked at alone where it isn't given."""
    leaves = list(_leaves(spec, value, read, set()))
    found = [leaf for leaf in leaves if _is_copied(spec, leaf.kind)]
    if any(_holds_written(spec, leaf.kind) for leaf in found):
        return [v for v in leaves if v in found or isinstance(v.kind, ir.Array)]
    return found


def _read_once(
    spec: Specialiser, cell: core.Cell, name: str, read: _Read
) -> core.Value | None:
    """What a cell holds under a name, which is read unless that has been done."""
    if (cell.frame, name) in read:
        return read[cell.frame, name]
    return cells.read_name(spec, cell, name)


def _leaves(
    spec: Specialiser, value: core.Value, read: _Read | None, seen: set[Any]
) -> Iterator[core.Leaf]:
    if isinstance(value, core.Leaf):
        yield value
    if isinstance(value, core.Cell):
        if value.frame.place is not None or value.frame in seen:
            return
        seen.add(value.frame)
        for name in list(value.frame.names):
            yield from _leaves(spec, _held(spec, value, name, read), read, seen)
    elif isinstance(value, core.Aggregate):
        for item in value.items:
            yield from _leaves(spec, item, read, seen)


def _held(
    spec: Specialiser, cell: core.Cell, name: str, read: _Read | None
) -> core.Value:
    if read is not None:
        read[cell.frame, name] = cells.read_name(spec, cell, name)
    found = cell.frame.names[name] if read is None else read[cell.frame, name]
    return core.NOTHING if found is None else found


def _is_copied(spec: Specialiser, kind: ir.Kind) -> bool:
    if not isinstance(kind, ir.Reference):
        return False
    sets = storing.leads_to_changed_sets(spec, kind)
    return sets or storing.leads_to_stored(spec, kind)


def _holds_written(spec: Specialiser, kind: ir.Kind) -> bool:
    """True where arrays stand in what a reference leads to, and are written into."""
    assert isinstance(kind, ir.Reference)
    forms = (ir.Reference((form,)) for form in ir.reached_forms(kind))
    return any(storing.holds_written(spec, form) for form in forms)


SPECIAL_CALLS.update({copy.copy: _copy, copy.deepcopy: _deep_copy})
